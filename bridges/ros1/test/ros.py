"""A real ROS master and real nodes for one test program.

    with ros.Master("name") as master:          # free port, own ROS_HOME, all of it in the build tree
        node = master.run("controls", "controls", _allocate_on="state", state="/other_state")
        ros.wait_until(lambda: node.advertises("/controls/status"), "status is advertised")

Nothing waits for a fixed time: `wait_until` polls a condition. Everything that was started dies with
the test, also when the test is killed.
"""
import atexit
import contextlib
import ctypes
import io
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest.mock
import xmlrpc.client

ROOT = pathlib.Path(os.environ["PINTLE_ROS1_ROOT"])
SOURCE = pathlib.Path(os.environ["PINTLE_SOURCE_DIR"])
# one slow machine must not fail a test that only waits
PATIENCE_S = float(os.environ.get("PINTLE_ROS1_PATIENCE_S", "180"))

os.environ["PATH"] = "/usr/bin:" + os.environ.get("PATH", "")
os.environ["ROS_PACKAGE_PATH"] = f"{ROOT}/share:/usr/share"
os.environ["PYTHONPATH"] = f"{ROOT}/python"
os.environ["ROS_IP"] = "127.0.0.1"
os.environ.pop("ROS_HOSTNAME", None)
os.environ.pop("ROS_NAMESPACE", None)
sys.path.insert(0, f"{ROOT}/python")

_libc = ctypes.CDLL("libc.so.6", use_errno=True)
_running = []
TAKEN = "already in use"  # rosmaster of its port


def _die_with_parent():
    _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _kill_everything():
    for process in reversed(list(_running)):
        process.stop(patience_s=15)


atexit.register(_kill_everything)
signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))


def wait_until(condition, what, timeout_s=None, logs=()):
    """The first true value of condition(); a failure names what was waited for."""
    end = time.monotonic() + (timeout_s or PATIENCE_S)
    error = None
    while True:
        try:
            value = condition()
            error = None
        except (OSError, xmlrpc.client.Error, EOFError) as e:
            value, error = None, e
        if value:
            return value
        if time.monotonic() > end:
            text = "".join(f"\n--- {p.name}\n{p.tail()}" for p in (logs or _running))
            raise AssertionError(f"waited in vain until {what} ({error}){text}")
        time.sleep(0.02)


def links_of(uri):
    """Of the node there: for each connection the other, its direction and topic."""
    _, _, links = xmlrpc.client.ServerProxy(uri).getBusInfo("/test")
    return [(other, direction, topic) for _, other, direction, _, topic, *_ in links]


def is_heard(subscriber):
    """Whether those that it hears say so too: rospy counts a connection before it has made it, and whatever is said until
    then is lost."""
    import rospy  # the master must be known first
    mine = (rospy.get_name(), "o", subscriber.resolved_name)
    connections = subscriber.impl.connections
    return len(connections) > 0 and all(mine in links_of(c.endpoint_id) for c in connections)


class Process:
    """A child with its output in a file."""

    def __init__(self, name, command, folder, env=None):
        self.name = name
        self.log = folder / f"{name.strip('/').replace('/', '_')}-{time.monotonic_ns()}.log"
        self._file = open(self.log, "wb")
        self.popen = subprocess.Popen(
            [str(c) for c in command], stdout=self._file, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, env=env, process_group=0,
            preexec_fn=_die_with_parent)
        _running.append(self)

    @property
    def pid(self):
        return self.popen.pid

    def family(self):
        """Itself and what it has started; not those that have ended and are not yet buried."""
        def is_of_it(pid):
            with contextlib.suppress(OSError):
                state, _, group = pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[:3]
                return int(group) == self.pid and state != "Z"
            return False
        return [int(f.name) for f in pathlib.Path("/proc").iterdir() if f.name.isdigit() and is_of_it(f.name)]

    def alive(self):
        return self.popen.poll() is None

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def text(self):
        return self.log.read_text(errors="replace")

    def stop(self, sig=signal.SIGTERM, patience_s=PATIENCE_S, group=False):
        """Ends it, politely first; answers the exit status. `group`: its children hear of it too."""
        with contextlib.suppress(ProcessLookupError):
            if self.alive():
                (os.killpg if group else os.kill)(self.pid, sig)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.popen.wait(patience_s)
            end = time.monotonic() + (patience_s if group else 0)
            while time.monotonic() < end and self.family():
                time.sleep(0.02)
            # whatever it left behind in its own group
            os.killpg(self.pid, signal.SIGKILL)
        status = self.popen.wait()
        self._file.close()
        if self in _running:
            _running.remove(self)
        return status

    def wait(self, timeout_s=None):
        status = self.popen.wait(timeout_s or PATIENCE_S)
        self.stop()
        return status


class Node(Process):
    def __init__(self, master, name, command, env):
        super().__init__(name, command, master.folder, env)
        self.master, self.ros_name = master, "/" + name.strip("/")

    def advertises(self, topic):
        publishers, _, services = self.master.state()
        return any(t == topic and self.ros_name in nodes for t, nodes in publishers + services)

    def subscribes(self, topic):
        return any(t == topic and self.ros_name in nodes for t, nodes in self.master.state()[1])

    def is_heard_by(self, listener, *topics):
        """Whether each of these topics of it has its connection to that node (by name)."""
        return self.master.is_heard_by(self.ros_name, listener, *topics)

    def hears(self, talker, *topics):
        """Whether they have a connection to that node (by name), for each of these topics."""
        return self.master.hears(self.ros_name, talker, *topics)

    def wait_for(self, *names):
        """Until it advertises (as topic or service) all these; fails early if it has died."""
        def ready():
            if not self.alive():
                raise AssertionError(f"{self.name} ended with {self.popen.poll()}\n{self.tail()}")
            return all(self.advertises(n) for n in names)
        wait_until(ready, f"{self.name} advertises {names}")
        return self


def free_port():
    """Of those that no connection is given by itself, so that it stays free as long as nobody listens there."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("", port))
            return port


class Master:
    def __init__(self, name):
        self.folder = ROOT / "test" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "log").mkdir(parents=True)
        os.environ["ROS_HOME"] = str(self.folder)
        os.environ["ROS_LOG_DIR"] = str(self.folder / "log")
        self.process = None
        for _ in range(5):  # another program may take the port first
            self.port = free_port()
            self.uri = f"http://127.0.0.1:{self.port}/"
            os.environ["ROS_MASTER_URI"] = self.uri
            if self.start():
                return
        raise AssertionError("no rosmaster could be started")

    def start(self):
        """The master process; on the same port when it was stopped before."""
        process = Process("rosmaster", ["/usr/bin/rosmaster", "--core", "-p", self.port], self.folder)
        try:
            # another test's master may have taken the port a moment earlier, and answers there; rosmaster lives on without it
            wait_until(lambda: not process.alive() or TAKEN in process.text() or self.pid() == process.pid,
                       "the master answers")
        except AssertionError:
            process.stop()
            raise
        if not process.alive() or TAKEN in process.text():
            process.stop()
            return False
        self.process = process
        return True

    def stop(self):
        if self.process:
            self.process.stop(signal.SIGKILL)
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _kill_everything()

    def _proxy(self):
        return xmlrpc.client.ServerProxy(self.uri)

    def pid(self):
        return self._proxy().getPid("/test")[2]

    def state(self):
        """Publishers, subscribers, services: lists of [name, [nodes]]."""
        return self._proxy().getSystemState("/test")[2]

    def _links(self, node):
        """Of a node by name: for each connection the other, its direction and topic."""
        code, _, uri = self._proxy().lookupNode("/test", node)
        if code != 1:
            return []
        return links_of(uri)

    def is_heard_by(self, talker, listener, *topics):
        """Whether each of these topics of a node has its connection to the other (both by name)."""
        return {t for other, way, t in self._links(talker) if way == "o" and other == listener}.issuperset(topics)

    def hears(self, listener, talker, *topics):
        """The same, as both see it: rospy sends to a connection a moment after it has answered there."""
        uri = self._proxy().lookupNode("/test", talker)[2]
        return (self.is_heard_by(talker, listener, *topics) and
                {t for other, way, t in self._links(listener) if way == "i" and other == uri}.issuperset(topics))

    def set_param(self, name, value):
        code, text, _ = self._proxy().setParam("/test", name, value)
        assert code == 1, text

    def run(self, package, program, name=None, env=None, **arguments):
        """A node of the bridge. `_x=1` is the private parameter ~x, `topic="/other"` a remapping."""
        name = name or program
        command = [ROOT / "share" / package / program, f"__name:={name}"]
        command += [f"{k}:={str(v).lower() if isinstance(v, bool) else v}" for k, v in arguments.items()]
        return Node(self, name, command, {**os.environ, **(env or {})})

    def tool(self, *command, env=None):
        """A long-running tool, such as rosbag record."""
        return Process(pathlib.Path(str(command[0])).name, command, self.folder, {**os.environ, **(env or {})})

    def call(self, *command, timeout_s=None, check=True, env=None):
        """A short tool, such as rosservice call; answers what it printed."""
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout_s or PATIENCE_S,
                              env={**os.environ, **(env or {})}, preexec_fn=_die_with_parent)
        if check and done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    @staticmethod
    def roslaunch(*arguments):
        """What roslaunch says of a launch file that it is not to start: its own code, imported once and not every time."""
        import roslaunch
        said = io.StringIO()
        with unittest.mock.patch.object(sys, "argv", ["roslaunch", *arguments]), contextlib.redirect_stdout(said):
            roslaunch.main(sys.argv)
        return said.getvalue()
