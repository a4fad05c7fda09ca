"""Every node, with what it is given and what it must answer, while peers break the rules around it. Needs a master
(see ros.py) before it is imported, and /use_sim_time false while its program calls init_node.

A beat is one thing that is given, and the wait until it is answered: who waits misses nothing because a machine is slow."""
import collections
import itertools
import pathlib
import re
import resource
import shutil
import socket
import struct
import threading
import time

import ros

import rospy
from custom_msgs.msg import ControlTypes, ThrusterAllocs
from custom_msgs.srv import SetControlTypes, SetPowerScaleFactor, SetStaticPower
from geometry_msgs.msg import PoseStamped, TransformStamped, Twist, TwistStamped, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import UInt8
from std_srvs.srv import Empty, SetBool, Trigger
from sub8_msgs.msg import Thrust, ThrusterCmd, ThrusterStatus
from tf2_msgs.msg import TFMessage

import sub8
import vision_bench
import peers
from jet.srv import Command, StatGrabber
from peers import soon

PATIENCE_S = 20
AGAIN_S = 1.0
POWER = ControlTypes(*[ControlTypes.DESIRED_POWER] * 6)


class Bench:
    package = program = None
    own_clock = False       # it says /clock itself
    spared = ()             # services that are not called in full
    displaced_by = ()       # topics where what others say takes the place of what it is given, which is then given again
    zero_first = False      # the first step of a time that was set back is its zero: what comes with it is given again
    step_s = 0.02           # of the clock, a beat
    stands = None           # what it says of a clock that stands
    answers_standing = True # while it stands, and stamps with it
    rests = ()              # nodes beside it

    def __init__(self, master):
        self.master, self.now_s, self.longest_s, self.missed, self.beats = master, 1000.0, 0.0, 0, 0
        self.given_again = self.displaced = 0  # no more than this: once for each that took its place
        self.clock = None if self.own_clock else rospy.Publisher("/clock", Clock, queue_size=100, tcp_nodelay=True)
        master.set_param("/use_sim_time", not self.own_clock)
        self.publishers, self.ears = {}, []
        self.node = self.start()
        # roscpp reserves what a message says of itself, and the machine is not for that; sanitizers have reserved theirs
        pages = int(pathlib.Path("/proc", str(self.node.pid), "statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (4 << 30)
        resource.prlimit(self.node.pid, resource.RLIMIT_AS, (most, most))
        ros.wait_until(lambda: self.node.hears("/test", *self.publishers), "it hears the test")
        ros.wait_until(lambda: all(map(ros.is_heard, self.ears)), "the test hears it")

    def run(self, *names, **arguments):
        return self.master.run(self.package, self.program, **arguments).wait_for(*names)

    def says(self, topic, kind, **options):
        self.publishers[topic] = rospy.Publisher(topic, kind, queue_size=100, tcp_nodelay=True, **options)
        return self.publishers[topic]

    def hears(self, topic, kind):
        ear = sub8.Ear(topic, kind)
        self.ears.append(ear.subscriber)
        return ear

    def tell_time(self):
        if self.clock:
            self.clock.publish(self.stamp())

    def stamp(self):
        # to the nearest nanosecond: one cut off is a step of the clock in which nothing is due yet
        return rospy.Time(0, round(1e9 * max(0.0, self.now_s)))

    def give(self):
        """Marks what has been said, tells the time, says what is given; then whether it is answered."""
        raise NotImplementedError

    def beat(self, patience_s=PATIENCE_S):
        """Whether it was answered."""
        self.beats += 1
        begun, answered = time.monotonic(), None
        while not answered and time.monotonic() - begun < patience_s and self.node.alive():
            self.now_s += self.step_s
            condition = self.give()
            answered = soon(condition, AGAIN_S if self.displaced_by else patience_s)
            self.given_again += not answered
        if not answered:
            self.missed += 1
            return False
        self.longest_s = max(self.longest_s, time.monotonic() - begun)
        for ear in (e for e in vars(self).values() if isinstance(e, sub8.Ear)):
            with ear.lock:
                del ear.messages[:-50]
        return True

    def good(self):
        """Its answer to something good, after beats that lead to it; compared before and after."""
        raise NotImplementedError

    def first_good(self):
        """What it comes to, and stays at."""
        def found():
            now = self.good()
            return now and now == self.good() and now
        return ros.wait_until(found, f"{type(self).__name__} answers something good")

    def is_as_before(self, before, times=400):
        return any(self.good() == before for _ in range(times)) if self.node.alive() else False

    def gaps(self):
        """What it has left out of its own, where that can be counted."""
        return 0

    def close(self):
        status = self.node.stop()
        for r in self.rests:
            r.stop()
        for x in [*self.publishers.values(), *self.ears, *([self.clock] if self.clock else [])]:
            x.unregister()
        self.master.set_param("/use_sim_time", False)
        return status


class Controls(Bench):
    """Each state has its allocation."""
    package = program = "controls"

    def start(self):
        self.state, self.power = self.says("/state", Odometry), self.says("/controls/desired_power", Twist)
        tf = self.says("/tf_static", TFMessage, latch=True)
        t = TransformStamped()
        t.header.frame_id, t.child_frame_id, t.transform.rotation.w = "odom", "base_link", 1
        tf.publish(TFMessage([t]))
        self.answers = self.hears("/controls/constrained_thruster_allocs", ThrusterAllocs)
        self.allocs = self.hears("/controls/thruster_allocs", ThrusterAllocs)
        return self.run("/controls/enable", _file=ros.SOURCE / "missions/pool.yaml", _enable_position_pid=True,
                        _enable_velocity_pid=True, _allocate_on="state", _queue_size=1000)

    def give(self):
        m, mark, wanted = Odometry(), self.answers.mark(), Twist()
        self.tell_time()
        wanted.linear.x = 0.5
        self.power.publish(wanted)
        m.header.stamp, m.pose.pose.orientation.w = self.stamp(), 1
        self.state.publish(m)
        return lambda: any(a.header.stamp == m.header.stamp for a in self.answers.since(mark))

    def good(self):
        for name, kind, what in (("enable", SetBool, True), ("set_control_types", SetControlTypes, POWER),
                                 ("set_static_power_global", SetStaticPower, Vector3()),
                                 ("set_power_scale_factor", SetPowerScaleFactor, 1)):
            assert rospy.ServiceProxy("/controls/" + name, kind)(what).success, name
        for _ in range(10):
            self.beat()
        return self.allocs.last() and tuple(round(a, 6) for a in self.allocs.last().allocs)


class Mapper(Bench):
    """Each wrench has what it comes to. (Where the node did not run for as long as its timeout, it drops what lies there.)"""
    package, program = "sub8_thruster_mapper", "thruster_mapper"

    def start(self):
        self.master.set_param("/thruster_layout", sub8.LAYOUT)
        self.wrench = self.says("/wrench", WrenchStamped)
        self.actual, self.thrust = self.hears("/wrench_actual", WrenchStamped), self.hears("/thrusters/thrust", Thrust)
        self.number = itertools.count()
        return self.run("/b_matrix", _max_rate=0, _queue_size=1000, _wrench_timeout=30)

    def give(self, x=None):
        m, mark = WrenchStamped(), self.actual.mark()
        self.tell_time()
        m.wrench.force.z, m.wrench.force.x = 30, 1 + next(self.number) % 20 if x is None else x
        self.wrench.publish(m)
        return lambda: any(abs(a.wrench.force.x - m.wrench.force.x) < 0.3 for a in self.actual.since(mark))

    def good(self):
        self.beat()
        mark = self.thrust.mark()
        # the same answer as ever to the same wrench
        soon(self.give(10.0), PATIENCE_S)
        soon(lambda: self.thrust.mark() > mark, PATIENCE_S)
        return {n: round(t, 4) for n, t in sub8.thrusts(self.thrust.last()).items()}


class Driver(Bench):
    """Its ticks go on: every thruster is asked, and tells, again and again."""
    package, program = "sub8_videoray_m5_thruster", "thruster_driver"

    def start(self):
        self.master.set_param("/thruster_layout", sub8.LAYOUT)
        self.master.set_param("/simulate", True)
        self.thrust = self.says("/thrusters/thrust", Thrust)
        self.newest, self.count = {}, collections.Counter()
        for name in sub8.NAMES:
            self.ears.append(rospy.Subscriber(f"/thrusters/status/{name}", ThrusterStatus, self.take, queue_size=10000,
                                              tcp_nodelay=True))
        return self.run("/fail_thruster")

    def take(self, m):
        self.newest[m.name] = m
        self.count[m.name] += 1

    def give(self):
        mark = dict(self.count)
        self.tell_time()
        self.thrust.publish(Thrust([ThrusterCmd(n, 20.0) for n in sub8.NAMES]))
        return lambda: all(self.count[n] > mark.get(n, 0) for n in sub8.NAMES)

    def good(self):
        self.beat()
        return len(self.newest) == 8 and all(abs(m.thrust - 20) < 1 for m in self.newest.values())


class World(Bench):
    """The time that it makes has a state each period."""
    package, program = "pintle_world", "world"
    own_clock, period_s, told = True, 0.004, None  # steps of its time; its odometry drops out by itself
    arguments = {"_clock": True, "_lockstep": True}

    def start(self):
        self.allocs = self.says("/controls/thruster_allocs", ThrusterAllocs)
        self.answer = self.says("/controls/constrained_thruster_allocs", ThrusterAllocs) if self.own_clock else None
        self.last, self.left_out, self.count = None, 0, 0
        self.ears.append(rospy.Subscriber("/state", Odometry, self.take, queue_size=10000, tcp_nodelay=True))
        if self.own_clock:
            self.ears.append(rospy.Subscriber("/clock", Clock, self.take_clock, queue_size=10000, tcp_nodelay=True))
        return self.run("/state", _mission=ros.SOURCE / "missions/pool.yaml", **self.arguments)

    def take_clock(self, m):
        if self.told:
            self.left_out += round((m.clock - self.told).to_sec() / self.period_s) - 1
        self.told = m.clock

    def take(self, m):
        self.last = m
        self.count += 1

    def give(self):
        mark, m = self.count, ThrusterAllocs(allocs=[0.5] * 8)
        self.tell_time()
        if self.last:
            m.header.stamp = self.last.header.stamp
        self.allocs.publish(m)
        if self.answer:
            self.answer.publish(m)
        return lambda: self.count > mark

    def good(self):
        for _ in range(20):
            self.beat()
        v = self.last.twist.twist.linear
        return v.x * v.x + v.y * v.y + v.z * v.z > 1e-4

    def gaps(self):
        return self.left_out


class WorldByClock(World):
    """Under a clock of somebody else it goes on at its rate."""
    own_clock, arguments = False, {}


class JetWorld(World):
    """The time that it makes has its truth each period."""
    package, program, period_s = "jet", "jet_world", 0.02
    arguments = {"_clock": True, "_lockstep": True, "_speed": 4}

    def start(self):
        self.motion = self.says("/flight_controller/set_velocity", TwistStamped)
        self.last, self.left_out, self.count = None, 0, 0
        self.ears.append(rospy.Subscriber("/jet_world/truth", PoseStamped, self.take, queue_size=10000, tcp_nodelay=True))
        return self.run("/flight_controller/land", "/jet_world/truth", _serial_port=self.master.folder / "claw",
                        **self.arguments)

    def take(self, m):
        if self.own_clock and self.last:
            self.left_out += round((m.header.stamp - self.last.header.stamp).to_sec() / self.period_s) - 1
        super().take(m)

    def give(self):
        mark, m = self.count, TwistStamped()
        self.tell_time()
        if self.last:
            m.header.stamp = self.last.header.stamp
        self.motion.publish(m)
        return lambda: self.count > mark

    def good(self):
        """It lets itself be lifted."""
        said = []
        call = threading.Thread(target=lambda: said.append(rospy.ServiceProxy("/jet_world/lift", Trigger)().success))
        call.start()
        while call.is_alive():  # it is answered between two steps
            self.beat()
        return said == [True]


class JetWorldByClock(JetWorld):
    own_clock, arguments = False, {}


class Run(Bench):
    """The stack of `pintle run`, its craft elsewhere: each step of the clock has its tick."""
    displaced_by, stands, zero_first = ("/clock",), "/clock stands: it counts as going on", True

    def start(self):
        self.state, self.allocs = self.says("/state", Odometry), self.hears("/controls/thruster_allocs", ThrusterAllocs)
        text = re.sub(r"(timeout|time_limit)_s: [0-9.]+", r"\1_s: 86400", (ros.SOURCE / "missions/pool.yaml").read_text())
        mission = self.master.folder / "mission.yaml"
        mission.write_text(text.replace("../", f"{ros.SOURCE}/"))
        # a leap of the clock counts ten seconds without a state: two of them, one after the other, latch it, as they should
        command = [ros.ROOT / "../apps/pintle/pintle", "run", mission, "--on", "ros1", "--world", "elsewhere", "--no-log",
                   "--set", "safety.latch_after_s=3600"]
        return ros.Node(self.master, "pintle", command, None).wait_for("/controls/thruster_allocs")

    def give(self):
        m, mark = Odometry(), self.allocs.mark()
        self.tell_time()
        m.header.stamp, m.pose.pose.orientation.w, m.pose.pose.position.z = self.stamp(), 1, -0.5
        self.state.publish(m)
        return lambda: self.allocs.mark() > mark

    def good(self):
        for _ in range(10):
            self.beat()
        return len(self.allocs.last().allocs) == 8 and any(abs(a) > 1e-3 for a in self.allocs.last().allocs)

    def close(self):
        return {1: 0}.get(super().close(), -1)  # told to end, a mission has not passed


class Jet(Bench):
    """Each step of the clock is ticked, each odometry has its pose, where it is the newest that a tick finds."""
    package = program = "jet"
    displaced_by, stands = ("/clock", "/jet/odom_in"), "simulated time stands"

    def start(self):
        self.odometry, self.pose = self.says("/jet/odom_in", Odometry), self.hears("/jet/pose_calied", PoseStamped)
        self.state = self.hears("/jet/state", UInt8)
        return self.run("/jet/charge", "/jet/state", _use_guidance=False, _enable_serial=False, _frame_proof="declared",
                        _listen="none")

    def give(self):
        m, marks, told = Odometry(), [self.state.mark()], self.pose.mark()
        self.tell_time()
        m.header.stamp, m.pose.pose.orientation.w, m.pose.pose.position.z = self.stamp(), 1, 0.5
        self.odometry.publish(m)

        def is_answered():
            # of a state whose stamp stands there is no pose that is new
            if not self.step_s:
                return self.state.mark() > marks[0]
            if any(p.header.stamp == m.header.stamp for p in self.pose.since(told)):
                return True
            # what comes just after its tick waits for the next: that is no drop, and the clock stands until it is told
            if len(marks) < 3 and self.state.mark() > marks[-1]:
                marks.append(self.state.mark())
                self.now_s += self.step_s
                self.tell_time()
            return False
        return is_answered

    def good(self):
        self.beat()
        p = self.pose.last().pose.position
        return round(p.x, 6), round(p.y, 6), rospy.ServiceProxy("/jet/parameter", Command)("get pid.z.kp").message

    def ticks_to_terminate(self, silent):
        """From the moment in which a client sends the word, beside so many that are silent, to the tick that has obeyed it."""
        name = "/jet/command"
        host, port = self.master._proxy().lookupService("/test", name)[2][len("rosrpc://"):].split(":")
        crowd = peers.silent_clients((host, int(port)), name, Command, silent)
        # one that comes after them is answered: they are there
        turns = rospy.ServiceProxy("/jet/grabber/stat", StatGrabber)
        turns()
        self.beat()
        said, begun_s = self.node.log.stat().st_size, self.now_s
        request = Command._request_class("terminate")
        with socket.create_connection((host, int(port)), 20) as s:
            s.sendall(peers.header({"callerid": "/urgent", "service": name, "md5sum": Command._md5sum}) +
                      struct.pack("<I", 4 + len(request.line)) + struct.pack("<I", len(request.line)) + request.line.encode())
            # before each tick the node has heard another who came later, by a connection as new: that is its clock, whatever the machine does besides
            found = None
            while not found and self.now_s - begun_s < 100 * self.step_s:
                turns()
                assert self.beat()
                found = re.search(r", ([0-9.]+)\]: latched safe", self.node.text()[said:])
            peers.read_header(s)
            assert s.recv(1) == b"\1", "it is not accepted"
        for c in crowd:
            c.close()
        turns.close()
        return found and round((float(found[1]) - begun_s) / self.step_s)


class Vision(Bench):
    """Each picture is looked at; one waits at most, and states of the mission say whether."""
    package = program = "vision"
    displaced_by, step_s, stands = ("/image", "/jet/state"), 0.1, "pictures whose stamp stands are not searched"
    answers_standing = False

    def start(self):
        self.images, self.infos = self.says("/image", Image), self.says("/camera_info", CameraInfo)
        self.states = self.says("/jet/state", UInt8)
        self.targets, self.modes = self.hears("/vision/target_pose", PoseStamped), self.hears("/vision/detection_mode", UInt8)
        self.camera = [rospy.Service(f"/cam/{w}_capture", Empty, lambda _: []) for w in ("start", "stop")]
        self.pad, self.number = vision_bench.ring_from_above(), itertools.count()
        config = self.master.folder / "vision"
        shutil.copytree(ros.SOURCE / "vision", config, dirs_exist_ok=True)
        return self.run("/vision/target_pose", _config_dir=config, _usb_cam="/cam")

    def give(self):
        mark, v = self.modes.mark(), vision_bench
        self.tell_time()
        self.states.publish(12)
        self.infos.publish(CameraInfo(width=v.WIDTH, height=v.HEIGHT, distortion_model="plumb_bob", D=[0] * 5,
                                      K=[v.F, 0, v.CX, 0, v.F, v.CY, 0, 0, 1]))
        m = Image(width=v.WIDTH, height=v.HEIGHT, encoding="rgb8", step=3 * v.WIDTH,
                  data=bytes([next(self.number) % 250]) + self.pad[1:])
        m.header.stamp = self.stamp()
        self.images.publish(m)
        return lambda: self.modes.mark() > mark

    def good(self):
        self.beat()
        mark = self.targets.mark()
        self.beat()
        soon(lambda: self.targets.mark() > mark, AGAIN_S)
        p = self.targets.last()
        return p and (p.header.frame_id, round(p.pose.position.z, 2))

    def close(self):
        for s in self.camera:
            s.shutdown()
        return super().close()


class UsbCam(Bench):
    """Each picture is passed on; one waits at most."""
    package, program = "usb_cam", "usb_cam_node"
    displaced_by, spared = ("/jet_world/image",), ("/usb_cam_node/stop_capture", "/usb_cam_node/set_camera_info")

    def start(self):
        self.images, self.out = self.says("/jet_world/image", Image), self.hears("/usb_cam_node/image_raw", Image)
        config = self.master.folder / "camera.yaml"
        shutil.copy(ros.SOURCE / "vision/camera_onboard.yaml", config)
        return self.run("/usb_cam_node/image_raw", _video_device="world", _camera_info_url=config)

    def give(self):
        m, mark = Image(width=640, height=480, encoding="rgb8", step=1920, data=bytes(640 * 480 * 3)), self.out.mark()
        self.tell_time()
        m.header.stamp = self.stamp()
        self.images.publish(m)
        return lambda: any(p.header.stamp == m.header.stamp for p in self.out.since(mark))

    def good(self):
        self.beat()
        return len(self.out.last().data), self.out.last().encoding


ALL = (Controls, Mapper, Driver, World, WorldByClock, JetWorld, JetWorldByClock, Run, Jet, Vision, UsbCam)


def attack_by_peers(bench, seed, seconds):
    """Beats all the while; what the attack was."""
    import peers

    hostile = peers.Attack(peers.Peers(bench.master, bench.node, seed, bench.spared))
    end = time.monotonic() + seconds
    while bench.node.alive() and time.monotonic() < end and hostile.goes_on():
        bench.beat()
    if not bench.node.alive():
        raise AssertionError(f"{bench.node.name} ended with {bench.node.popen.poll()}:\n{bench.node.tail()}")
    counts = hostile.stop()
    bench.displaced += sum(hostile.peers.heard[t] for t in bench.displaced_by)
    return counts


def attack_by_clock(bench, failed):
    """Stop, jumps to both sides, reset, the end of time, and no time; failed: of which it has not recovered."""
    for name, to_s in (("jump on", 1e5), ("jump back", 2000.0), ("jump on by little", 2003.0), ("jump back by little", 2000.5),
                       ("end of time", 4294967295.0), ("back from it", 3000.0), ("end of time again", 4294967290.0),
                       ("back from it again", 3000.0), ("the third time", 4294967290.0), ("reset", 0.0)):
        bench.displaced += bench.zero_first and to_s < bench.now_s
        bench.now_s = to_s
        if name.startswith(("end", "the third")):
            bench.step_s, step_s = 1e-3, bench.step_s
            bench.beat()
            bench.step_s = step_s
            continue
        for _ in range(10):
            bench.beat() or failed.append(name)
    # a clock that stands
    step_s, bench.step_s = bench.step_s, 0.0
    if bench.stands:
        said = bench.node.text().count(bench.stands)

        def is_said():
            bench.give()
            return soon(lambda: bench.node.text().count(bench.stands) > said, AGAIN_S)
        soon(is_said, PATIENCE_S) or failed.append("stop is not said")
    if bench.answers_standing:
        all(bench.beat() for _ in range(10)) or failed.append("stop")
    else:
        soon(bench.give(), AGAIN_S) and failed.append("it answers while the clock stands")
    bench.step_s = step_s
    for _ in range(10):
        bench.beat() or failed.append("after the stop")
