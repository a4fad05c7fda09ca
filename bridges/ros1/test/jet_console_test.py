"""The console of jet_onlaptop.launch in the terminal that roslaunch runs in: a flight from its keys, ROS beside it."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import ros

MASTER = ros.Master("jet_console")

import rospy  # noqa: E402  (the master must be known first)

import jet_flight as jf  # noqa: E402


class Pane:
    """A tmux server of its own with one command in a terminal of 80 by 24."""

    def __init__(self, folder, command):
        self.name = f"pintle-jet-{os.getpid()}"
        before, after = folder / "modes_before", folder / "modes_after"
        self.modes = before, after
        line = " ".join(f"'{c}'" for c in command)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "pane", "-x", "80", "-y", "24",
                  f"stty -g >{before}; {line}; stty -g >{after}; echo modes kept; exec cat")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-L", self.name, *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=True).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "pane")

    def press(self, *keys):
        self.tmux("send-keys", "-t", "pane", *keys)

    def wait_for(self, text):
        try:
            ros.wait_until(lambda: text in self.screen(), f"\"{text}\" is on the screen")
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.screen()}") from None

    def bottom(self):
        """The question, or what the last key did."""
        return self.screen().rstrip().splitlines()[-1]

    def ask(self, key, text):
        """A key that lapsed, as the machine stood, is pressed again."""
        def seen():
            if "ask again" in self.bottom():
                self.press(key)
            return text in self.screen()
        self.press(key)
        ros.wait_until(seen, f"\"{text}\" is on the screen")

    def time_s(self):
        """Of what the screen shows."""
        return float(re.search(r" t ([0-9.]+) s", self.screen()).group(1))

    def keep(self, name):
        (MASTER.folder / f"{name}.txt").write_text(self.screen())

    def stop(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)


class MasterWithTerminal:
    """What is launched is launched in a terminal."""

    def __init__(self, master):
        self.master = master

    def __getattr__(self, name):
        return getattr(self.master, name)

    def tool(self, *command):
        return Pane(self.master.folder, [*command, "enable_serial:=false"])


def ask(words):
    """`pintle command` in five lines."""
    (path,) = pathlib.Path(os.environ["XDG_RUNTIME_DIR"]).glob("pintle/jet-*.sock")
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(str(path))
        s.sendall(words.encode() + b"\n")
        return b"".join(iter(lambda: s.recv(4096), b"")).decode()


class Console(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # the name of a socket must be short
        cls.runtime = tempfile.TemporaryDirectory()
        os.environ["XDG_RUNTIME_DIR"] = cls.runtime.name

    @classmethod
    def tearDownClass(cls):
        cls.runtime.cleanup()
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def test_0_it_is_left_also_where_simulated_time_has_not_begun(self):
        MASTER.set_param("/use_sim_time", True)
        pane = Pane(MASTER.folder, [ros.ROOT / "share/jet/jet", "__name:=jet", "_console:=true", "_enable_serial:=false",
                                    "_use_guidance:=false"])
        self.addCleanup(pane.stop)
        pane.wait_for("[0] Stand by")
        pane.press("q")
        pane.wait_for("modes kept")

    def test_a_flight_from_the_keys_with_ros_beside_it(self):
        config = MASTER.folder / "config"
        shutil.copytree(ros.SOURCE / "bridges/ros1/packages/jet/config", config)
        # it is to be paused during the take-off, however long the keys take
        (config / "duration.yaml").write_text(f"duration: {[10, 10, 5, 5000] + [10] * 11}\n")
        f = jf.Flight(MasterWithTerminal(MASTER), launch=("jet_onlaptop.launch", f"config:={config}", "vision:=false"))
        pane = f.node
        self.addCleanup(pane.stop)
        for text in ("[0] Stand by", "[e] Release control", "[j] Help", "Nothing moves before you ask"):
            pane.wait_for(text)
        pane.keep("menu")
        # nothing of roslaunch or of the log is on the screen
        self.assertTrue(pane.screen().startswith("jet "), pane.screen())

        def armed():
            f.lift()
            f.wait(5)
            pane.press("m")
            pane.wait_for("[y or n] Arm?")
            pane.press("y")
            ros.wait_until(lambda: "[y or n]" not in pane.bottom(), "the console has told it so")
            # of a time when it must be armed, or has been refused
            begin = pane.time_s()
            ros.wait_until(lambda: pane.time_s() > begin + 1, "the screen goes on")
            return "armed  idle" in pane.screen().replace("disarmed", "-")
        ros.wait_until(armed, "it lets itself be armed")
        pane.ask("f", "armed  running")
        pane.wait_for("airborne (obeys")
        pane.keep("flight")

        # one operator commands: ROS is refused, but for a pause
        refused = f.command("cutoff")
        self.assertFalse(refused.success)
        self.assertIn("console commands", refused.message)
        self.assertTrue(f.command("pause").success)
        pane.wait_for("armed  paused")
        # nor is the command line obeyed, but it is told how things stand
        self.assertIn("refused\nrefused: console commands", ask("cutoff"))
        self.assertIn("paused, state 3 take_off", ask("status"))
        pane.ask("h", "armed  running")
        # nobody would fly it
        pane.press("C-z")
        pane.wait_for("not stopped")
        pane.press("i")
        pane.wait_for("armed  idle")
        pane.keep("cutoff")

        # to leave is to come down first
        pane.press("q")
        pane.wait_for("[y or n] Quit in the air")
        pane.press("y")
        pane.wait_for("coming down, then leaving")
        pane.keep("leaving")
        pane.wait_for("modes kept")
        self.assertLess(f.place()[2], 0.3)
        self.assertNotIn(f.phase(), (jf.TAKING_OFF, jf.AIRBORNE))
        before, after = (m.read_text() for m in pane.modes)
        self.assertEqual(before, after)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
