"""The pool mission over ROS: world and stack as two processes, the example planner, the node's log and a bag of it. After
a minute a thruster is dead, and nobody says so to the stack: it finds out, tells, and flies on without it.

The log is flown again to the bit. The bag is then played to a fresh node. What a player, two queues and a slow machine do to the messages on
their way is not known, so what is asked of that node is what holds whatever is lost: it answers states of
the bag, in their order, within bounds, up to the last one.
"""
import importlib.util
import math
import signal
import threading
import unittest

import ros

MASTER = ros.Master("pool")

import rosbag  # noqa: E402
import rospy  # noqa: E402
from custom_msgs.msg import ThrusterAllocs  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402

spec = importlib.util.spec_from_file_location("pool_planner", ros.SOURCE / "bridges/ros1/examples/pool_planner.py")
pool_planner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pool_planner)

PINTLE = ros.ROOT / "../apps/pintle/pintle"
MISSION = ros.SOURCE / "missions/pool.yaml"
# as one that does something about a thruster that has failed: that is what its alarm is of
WATCHFUL = MASTER.folder / "pool.yaml"
WATCHFUL.write_text(MISSION.read_text().replace("../", f"{ros.SOURCE}/") + "\nfailure_detection: {on_detection: drop}\n")
SPEED = 8
ALLOCS = "/controls/constrained_thruster_allocs"
PLAYED = ("/state", "/tf", "/controls/desired_position", "/controls/desired_velocity", "/controls/enabled")


def controls(**more):
    # deep queues: nobody falls behind for good; 5 s of simulated time are half a second of a slow machine, which
    # also must not latch before world and node go in step
    return MASTER.run("controls", "controls", _file=WATCHFUL, _enable_position_pid=True, _enable_velocity_pid=True,
                      _allocate_on="state", _dt_source="stamp", _queue_size=10000, _state_timeout=5, _setpoint_timeout=0,
                      _latch_after=0, **more).wait_for("/controls/enable")


class PatientPlanner(pool_planner.Planner):
    """The example. Simulated time runs on while it thinks: how long a leg takes is the machine's affair."""

    def until(self, what, condition, settle_s=0.0, timeout_s=3600.0, repeat=None):
        super().until(what, condition, settle_s, timeout_s, repeat)


class Complaints:
    """What the node says is wrong: its alarm of the thrusters, and `faults` in its diagnostics."""

    def __init__(self):
        self.alarms, self.faults = [], []
        rospy.Subscriber("/alarm/updates", Alarm, self.take_alarm, queue_size=1000)
        rospy.Subscriber("/diagnostics", DiagnosticArray, self.take_diagnostics, queue_size=1000)

    def take_alarm(self, m):
        if m.alarm_name == "controls-thrusters":
            self.alarms.append(m)

    def take_diagnostics(self, m):
        self.faults += [v.value for s in m.status if s.name == "controls: state" for v in s.values if v.key == "faults"]


class Pool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        MASTER.set_param("/use_sim_time", True)
        rospy.init_node("test", disable_signals=True)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def test_the_mission_succeeds_its_log_replays_to_the_bit_and_a_fresh_node_follows_its_bag(self):
        bag, log = MASTER.folder / "run.bag", MASTER.folder / "run.mcap"
        complaints = Complaints()
        node = controls(_tf_at="stamp", _tf_wait=10, _log=log)
        recorder = MASTER.tool("/usr/bin/rosbag", "record", "-O", bag, "__name:=recorder", *PLAYED, ALLOCS)
        world = MASTER.run("pintle_world", "world", _mission=MISSION, _clock=True, _lockstep=True,
                           _speed=SPEED).wait_for("/state")
        planner = PatientPlanner()
        ros.wait_until(lambda: world.is_heard_by("/recorder", "/state", "/tf") and node.is_heard_by("/recorder", ALLOCS)
                       and MASTER.is_heard_by("/test", "/recorder", *PLAYED[2:]), "the recorder listens")
        ros.wait_until(lambda: node.is_heard_by("/test", "/alarm/updates", "/diagnostics"), "its complaints are heard")
        planner.round()
        self.assertLess(planner.distance_m(), 0.3)
        self.assert_tells_of_the_dead_thruster(complaints)
        planner.stop()
        recorder.stop(signal.SIGINT, group=True)
        world.stop()
        self.assertEqual(node.stop(), 0, node.text())
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))
        self.assertTrue(bag.exists(), recorder.text())
        self.play(bag)

    def assert_tells_of_the_dead_thruster(self, complaints):
        alarm = ros.wait_until(lambda: complaints.alarms and complaints.alarms[-1], "the alarm is raised")
        self.assertTrue(alarm.raised, alarm)
        self.assertIn("thruster out: top_back_left", alarm.problem_description)
        # by what little is found left of it: it gives less, or is lost
        self.assertIn((alarm.severity, alarm.node_name), [(3, "/controls"), (4, "/controls")])
        ros.wait_until(lambda: complaints.faults[-1] == complaints.alarms[-1].problem_description,
                       "the diagnostics say the same")
        self.assertEqual(complaints.faults[0], "", "nothing was wrong at first")

    def assert_usable(self, allocs):
        self.assertEqual(len(allocs), 8)
        self.assertTrue(all(math.isfinite(a) and abs(a) <= 1 for a in allocs), allocs)

    def play(self, bag):
        states = []
        with rosbag.Bag(str(bag)) as b:
            self.assertEqual(b.get_type_and_topic_info().topics["/state"].msg_type, "nav_msgs/Odometry")
            for topic, message, _ in b.read_messages(["/state", ALLOCS]):
                if topic == ALLOCS:
                    self.assert_usable(message.allocs)
                else:
                    states.append(message.header.stamp.to_nsec())
        self.assertGreater(len(states), 100)

        got, lock = [], threading.Lock()

        def take(message):
            with lock:
                got.append((message.header.stamp.to_nsec(), message.allocs))

        def answered():
            with lock:
                return {t for t, _ in got}

        # a cycle that no state asks for comes after 1000 s: every allocation answers a state
        node = controls(_rate=0.002)
        subscriber = rospy.Subscriber(ALLOCS, ThrusterAllocs, take, queue_size=100000, tcp_nodelay=True)
        ros.wait_until(lambda: subscriber.get_num_connections() == 1 and ros.is_heard(subscriber), "the test hears the fresh node")
        # it stays after the end: what it has sent still leaves
        player = MASTER.tool("/usr/bin/rosbag", "play", bag, "--clock", "-k", "-r", SPEED, "--wait-for-subscribers",
                             "--topics", *PLAYED, "__name:=player")
        seen = -1
        while states[-1] not in answered():
            self.assertTrue(player.alive() and node.alive(), player.tail() + node.tail())
            seen = len(answered())
            ros.wait_until(lambda: states[-1] in answered() or len(answered()) > seen, "more states are answered")
        player.stop(signal.SIGKILL)
        node.stop(signal.SIGKILL)

        stamps = [t for t, _ in got]
        known = set(states)
        self.assertEqual([t for t in stamps if t not in known], [], "each answers a state of the bag")
        self.assertEqual(stamps, sorted(set(stamps)), "each state once, in their order")
        for _, allocs in got:
            self.assert_usable(allocs)
        self.assertGreater(max(abs(a) for _, allocs in got for a in allocs), 0.1, "and it was not idle")
        print(f"{len(got)} of {len(states)} states answered")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
