"""`pintle run --on ros1`: missions with a real master between stack and craft, and the nodes for a planner."""
import json
import os
import signal
import unittest

import ros

MASTER = ros.Master("run")

import rospy  # noqa: E402  (the master must be known first)
from custom_msgs.msg import ThrusterAllocs  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from ros_alarms.srv import AlarmGet  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402

PINTLE = ros.ROOT / "../apps/pintle/pintle"
MISSIONS = ros.SOURCE / "missions"
POOL = MISSIONS / "pool.yaml"
HAS_MUJOCO = os.environ.get("PINTLE_HAS_MUJOCO") == "1"


def nodes():
    return {n for kind in MASTER.state() for _, names in kind for n in names}


def services():
    return [name for name, _ in MASTER.state()[2]]


def start(mission, *arguments):
    return MASTER.tool(PINTLE, "run", mission, "--on", "ros1", *arguments)


def flown(*arguments):
    """What a run prints as JSON, but for where it has left its log."""
    out = MASTER.call(PINTLE, "run", *arguments, "--quiet", "--json", check=False)
    result = json.loads(out.splitlines()[-1])
    return {k: v for k, v in result.items() if k not in ("log", "report")}


class Planner(unittest.TestCase):
    def test_with_its_simulated_world_a_planner_finds_state_and_transform(self):
        run = start(POOL, "--planner")
        ros.wait_until(lambda: {"/controls", "/world"} <= nodes() and "/controls/enable" in services(),
                       "both nodes are there")
        self.assertIn("base_link", MASTER.call("rostopic", "echo", "-n", "1", "/state"))
        self.assertIn("success: True", MASTER.call("rosservice", "call", "/controls/enable", "data: true"))
        self.assertIn("allocs:", MASTER.call("rostopic", "echo", "-n", "1", "/controls/thruster_allocs"))
        self.assertEqual(run.stop(signal.SIGINT), 0, run.text())
        ros.wait_until(lambda: not {"/controls", "/world"} & nodes(), "both are gone")

    def test_with_the_world_elsewhere_the_stack_is_alone(self):
        run = start(POOL, "--planner", "--world", "elsewhere")
        ros.wait_until(lambda: "/controls" in nodes(), "the stack is there")
        self.assertIn("data: False", MASTER.call("rostopic", "echo", "-n", "1", "/controls/status"))
        self.assertNotIn("/world", nodes())
        self.assertEqual(run.stop(signal.SIGINT), 0, run.text())

    def test_a_law_that_the_node_cannot_fly_is_refused_with_its_reason(self):
        run = start(MISSIONS / "hover_box.yaml", "--planner")
        self.assertEqual(run.wait(), 3, run.text())
        self.assertIn("law: a planner's control types mean six axes that move one by one", run.text())
        self.assertFalse({"/controls", "/world"} & nodes())


class Missions(unittest.TestCase):
    def assert_as_without_a_bus(self, name, *options):
        """The bus takes nothing away: verdict, states, answers and every figure are those of the simulation."""
        folder = MASTER.folder / name
        mission = MISSIONS / f"{name}.yaml"
        if not mission.exists():
            mission = MASTER.folder / f"{name}.yaml"
        over = flown(mission, "--on", "ros1", "--lockstep", "--out", folder, *options)
        self.assertEqual(over, flown(mission, "--no-log", *options))
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", folder / "log.mcap"))
        self.assertTrue((folder / "report.html").exists())
        return over

    def test_thrusters_in_a_pool_with_changes_and_an_operator(self):
        result = self.assert_as_without_a_bus("pool", "--seed", "3", "--set", "control.scale=0.9@5",
                                              "--at", "12:pause", "--at", "14:resume")
        self.assertEqual(result["verdict"], "pass")
        self.assertEqual([c["accepted"] for c in result["commands"]], [True, True])

    def test_thrusters_that_report(self):
        self.assertEqual(self.assert_as_without_a_bus("pool_m5")["verdict"], "pass")

    def test_water_in_the_hull(self):
        leaks = POOL.read_text().replace("../", f"{ros.SOURCE}/") + \
            "\ndevice_faults:\n  - {device: hull, kind: leaks, at_s: 20}\n"
        (MASTER.folder / "leaks.yaml").write_text(leaks)
        self.assertEqual(self.assert_as_without_a_bus("leaks")["reason"], "a failsafe ended it: leak")

    def test_a_bottom_that_comes_near(self):
        world = (POOL.parent.parent / "worlds/pool.yaml").read_text() + "\nground: {height_m: -1.9}\n"
        (MASTER.folder / "shallow_pool.yaml").write_text(world)
        craft = (POOL.parent.parent / "vehicles/oogway.yaml").read_text()
        (MASTER.folder / "sounding.yaml").write_text(craft.replace(
            "\nfailsafes:\n", "\nfailsafes:\n  ground_near: {limit_m: 0.7, after_s: 0.5, action: land}\n"))
        mission = POOL.read_text().replace("../worlds/pool.yaml", f"{MASTER.folder}/shallow_pool.yaml")
        (MASTER.folder / "shallow.yaml").write_text(
            mission.replace("../vehicles/oogway.yaml", f"{MASTER.folder}/sounding.yaml"))
        self.assertEqual(self.assert_as_without_a_bus("shallow")["reason"], "a failsafe ended it: ground_near")

    def test_inputs_that_are_spoilt(self):
        spoilt = POOL.read_text().replace("../", f"{ros.SOURCE}/") + \
            "\ninput_faults:\n  - {input: odometry, kind: off, at_s: 20, until_s: 1000}\n"
        (MASTER.folder / "blind.yaml").write_text(spoilt)
        self.assertEqual(self.assert_as_without_a_bus("blind")["reason"],
                         "the vehicle was latched safe: its state was lost")

    def test_a_ship_whose_thrusters_turn(self):
        self.assertEqual(self.assert_as_without_a_bus("harbour")["verdict"], "pass")

    def test_turbines(self):
        self.assertEqual(self.assert_as_without_a_bus("hover_box")["verdict"], "pass")

    def test_an_engine_that_is_lit(self):
        self.assertEqual(self.assert_as_without_a_bus("rocket_landing")["verdict"], "pass")

    def test_a_robot_with_jets(self):
        self.assertEqual(self.assert_as_without_a_bus("hover_ironcub")["verdict"], "pass")

    @unittest.skipUnless(HAS_MUJOCO, "its world has contact")
    def test_a_flight_controller_a_gripper_and_a_camera(self):
        self.assertEqual(self.assert_as_without_a_bus("delivery")["verdict"], "pass")

    def test_combinations_that_cannot_be_say_why(self):
        def refused(status, why, mission, *options):
            log = () if "--planner" in options or "--out" in options else ("--no-log",)
            run = start(MISSIONS / mission, *log, *options)
            self.assertEqual(run.wait(), status, run.text())
            self.assertIn(why, run.text())
        elsewhere = ("--world", "elsewhere")
        refused(3, "ThrusterAllocs carries no ignition", "rocket_landing.yaml", *elsewhere)
        refused(3, "needs the reports of its flight controller", "delivery.yaml", *elsewhere)
        refused(3, "it is told a direction too", "harbour.yaml", *elsewhere)
        refused(2, "the time of a craft elsewhere is its own", "pool.yaml", *elsewhere, "--lockstep")
        refused(2, "the world is elsewhere", "pool.yaml", *elsewhere, "--seed", "3")
        for option in (("--set", "control.scale=1"), ("--at", "3:pause"), ("--out", "x"), ("--overwrite",), ("--json",),
                       ("--real-time",), ("--wait",), ("--listen", "none"), ("--live",), ("--lockstep",)):
            refused(2, "with --planner none is flown", "pool.yaml", "--planner", *option)
        refused(2, "the world is elsewhere", "pool.yaml", "--planner", *elsewhere, "--seed", "3")
        refused(2, "with the messages or with the clock", "pool.yaml", "--real-time", "--lockstep")
        refused(2, "for the world that is simulated here, without --on", "pool.yaml", "--truth", POOL)
        refused(2, "without --on", "pool.yaml", "--speed", "2")
        (MASTER.folder / "spoilt.yaml").write_text(
            POOL.read_text().replace("../", f"{ros.SOURCE}/") +
            "\ninput_faults:\n  - {input: odometry, kind: nan, at_s: 20, until_s: 20.2}\n")
        for options in (elsewhere, (*elsewhere, "--quiet"), ("--planner",)):
            refused(3, "input_faults: they are put in between a simulated world and its stack",
                    MASTER.folder / "spoilt.yaml", *options)
        without = MASTER.tool(PINTLE, "run", POOL, "--on", "ros1", "--no-log",
                              env={"ROS_MASTER_URI": f"http://127.0.0.1:{ros.free_port()}/"})
        self.assertEqual(without.wait(), 4, without.text())
        self.assertIn("no ROS master answers", without.text())


class Ears:
    """The newest of what a stack sends and a craft says."""

    def __init__(self):
        self.newest = {}
        for topic, kind in (("/controls/thruster_allocs", ThrusterAllocs), ("/controls/status", Bool),
                            ("/state", Odometry), ("/alarm/updates", Alarm), ("/diagnostics", DiagnosticArray)):
            rospy.Subscriber(topic, kind, lambda m, t=topic: self.newest.__setitem__(t, m), queue_size=100,
                             tcp_nodelay=True)

    def status(self):
        m = self.newest.get("/controls/status")
        return m is not None and m.data

    def pushes(self):
        m = self.newest.get("/controls/thruster_allocs")
        return m is not None and max(map(abs, m.allocs)) > 0.02

    def fault(self):
        m = self.newest.get("/alarm/updates")
        return m is not None and m.alarm_name == "pintle-faults" and (m.raised and m.problem_description or "")

    def flies(self):
        return self.status() and self.pushes()

    def rests(self):
        return not self.status() and not self.pushes()


class Elsewhere(unittest.TestCase):
    """Stack and craft are two programs, in real time."""

    @classmethod
    def setUpClass(cls):
        cls.ears = Ears()

    def setUp(self):
        self.folder = MASTER.folder / self.id().rpartition(".")[2]
        self.world = self.start_world()
        self.stack = self.start_stack(self.folder)
        ros.wait_until(self.ears.flies, "it is on its way")

    def tearDown(self):
        self.stack.stop(signal.SIGINT)
        self.world.stop()

    def start_world(self):
        return MASTER.run("pintle_world", "world", _mission=POOL).wait_for("/state")

    def start_stack(self, folder):
        # a machine that stands for seconds is not what is tested here
        return start(POOL, "--world", "elsewhere", "--out", folder, "--set", "safety.latch_after_s=600",
                     "--set", "estimation.stale_after_s=2", "--listen", folder.with_suffix(".socket"))

    def command(self, *words):
        self.assertIn("accepted", MASTER.call(PINTLE, "command", "--to", self.folder.with_suffix(".socket"), *words))

    def end(self):
        """Ctrl-C: disarmed, and the log is whole."""
        self.assertEqual(self.stack.stop(signal.SIGINT), 1, self.stack.text())
        self.assertIn("stopped by the operator", self.stack.text())
        ros.wait_until(self.ears.rests, "the last word is zero")
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", self.folder / "log.mcap"))


class Alarms(Elsewhere):
    def test_what_is_wrong_is_told_as_the_nodes_tell_it_until_it_is_over(self):
        def says(raised):
            m = self.ears.newest.get("/alarm/updates")
            return m is not None and m.alarm_name == "pintle-faults" and m.raised == raised and m

        def faults():
            m = self.ears.newest.get("/diagnostics")
            return m is not None and [(s.name, {v.key: v.value for v in s.values}["faults"]) for s in m.status]
        ros.wait_until(lambda: faults() == [("pintle", "")], "nothing is wrong")
        self.command("fail", "top_back_left")
        alarm = ros.wait_until(lambda: says(True), "it is raised")
        words = "thruster out: top_back_left, by operator"
        self.assertEqual((alarm.problem_description, alarm.severity, alarm.node_name), (words, 4, "/pintle"))
        ros.wait_until(lambda: faults() == [("pintle", words)], "it is in the diagnostics")
        # there is no alarm server here: who comes later asks, and is answered
        ros.wait_until(lambda: "/alarm/get" in services(), "it stands in for one")
        self.assertTrue(rospy.ServiceProxy("/alarm/get", AlarmGet)("pintle-faults").alarm.raised)
        self.command("restore", "top_back_left")
        ros.wait_until(lambda: says(False), "it is cleared")
        ros.wait_until(lambda: faults() == [("pintle", "")], "the diagnostics say so")
        self.end()


class Killed(Elsewhere):
    """One of them, or the master, is gone without a word."""

    def test_the_world(self):
        self.world.stop(signal.SIGKILL)
        ros.wait_until(self.ears.rests, "without a state: status false, no thrust")
        ros.wait_until(lambda: self.ears.fault() == "state lost", "and an alarm says why")
        self.world = self.start_world()
        ros.wait_until(self.ears.flies, "with one it goes on by itself")
        ros.wait_until(lambda: self.ears.fault() == "", "the alarm is cleared")
        self.command("pause")
        self.end()

    def test_the_stack(self):
        sinks = lambda: self.ears.newest["/state"].twist.twist.linear.z
        ros.wait_until(lambda: sinks() < -0.15, "its thrusters push it down")
        self.stack.stop(signal.SIGKILL)
        # it is lighter than water
        ros.wait_until(lambda: sinks() > 0, "the world does not go on with the last thrust")
        self.ears.newest.pop("/controls/status")
        self.folder = self.folder.with_name("again")
        self.stack = self.start_stack(self.folder)
        ros.wait_until(self.ears.flies, "another stack flies it")
        self.end()

    def test_z_the_master(self):
        MASTER.stop()
        for topic in ("/state", "/controls/thruster_allocs"):
            for _ in range(20):
                last = self.ears.newest[topic]
                ros.wait_until(lambda: self.ears.newest[topic] is not last, f"{topic} goes on without a master")
        # a state that a busy machine has kept waiting turns it off for a moment, and it comes back by itself
        ros.wait_until(self.ears.status, "it is still on")
        self.assertTrue(MASTER.start())
        ros.wait_until(lambda: {"/pintle", "/world"} <= nodes(), "a new master knows both")
        self.end()


class Standing(unittest.TestCase):
    """Clock and craft are the test."""

    def test_simulated_time_that_stands_makes_it_safe_and_it_goes_on_afterwards(self):
        ears, now_s = Ears(), 1000.0
        clock = rospy.Publisher("/clock", Clock, queue_size=10, tcp_nodelay=True)
        state = rospy.Publisher("/state", Odometry, queue_size=10, tcp_nodelay=True)
        MASTER.set_param("/use_sim_time", True)
        self.addCleanup(MASTER.set_param, "/use_sim_time", False)
        self.addCleanup(clock.unregister)
        stack = start(POOL, "--world", "elsewhere", "--no-log", "--set", "estimation.stale_after_s=0.1",
                      "--set", "safety.latch_after_s=600")
        self.addCleanup(stack.stop)

        def step():
            nonlocal now_s
            now_s += 0.02
            m = Odometry()
            m.header.stamp, m.pose.pose.orientation.w, m.pose.pose.position.z = rospy.Time.from_sec(now_s), 1, -0.5
            clock.publish(m.header.stamp)
            state.publish(m)
            return ears.flies()
        for times in (1, 2):
            ros.wait_until(step, "it flies")
            ros.wait_until(lambda: stack.text().count("/clock stands: it counts as going on") == times, "it says so")
            ros.wait_until(ears.rests, "without a new state: status false, no thrust")
        # who is told to stop does not wait for a clock that stands
        self.assertEqual(stack.stop(signal.SIGINT), 1, stack.text())
        self.assertIn("stopped by the operator", stack.text())


def setUpModule():
    rospy.init_node("test", disable_signals=True)


def tearDownModule():
    rospy.signal_shutdown("done")
    MASTER.__exit__()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
