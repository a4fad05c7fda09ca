"""State or tf stop while the vehicle is on its way in the pool: safe, told, and on again without a restart.

World and stack are two processes; what the world says passes through this program, which can let it fall.
"""
import importlib.util
import unittest

import ros

MASTER = ros.Master("lost")

import rospy  # noqa: E402
from custom_msgs.msg import ThrusterAllocs  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

spec = importlib.util.spec_from_file_location("pool_planner", ros.SOURCE / "bridges/ros1/examples/pool_planner.py")
pool_planner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pool_planner)

MISSION = ros.SOURCE / "missions/pool.yaml"


class Relay:
    """From the world's topic to the one that everybody listens to, while it is open."""

    def __init__(self, topic, kind):
        self.open = True
        self.out = rospy.Publisher(topic, kind, queue_size=100, tcp_nodelay=True)
        rospy.Subscriber("/world" + topic, kind, self.take, queue_size=100, tcp_nodelay=True)

    def take(self, message):
        if self.open:
            self.out.publish(message)


class Lost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        cls.relays = {"state": Relay("/state", Odometry), "tf": Relay("/tf", TFMessage)}
        cls.sent = []  # of the two topics, in the order of arrival
        for topic, kind in (("thruster_allocs", ThrusterAllocs), ("status", Bool)):
            rospy.Subscriber("/controls/" + topic, kind, lambda m, t=topic: cls.sent.append((t, m)),
                             queue_size=1000, tcp_nodelay=True)
        MASTER.run("controls", "controls", _file=MISSION, _enable_position_pid=True, _enable_velocity_pid=True,
                   _state_timeout=1.5, _latch_after=60).wait_for("/controls/enable")
        MASTER.run("pintle_world", "world", _mission=MISSION,
                   **{"/state": "/world/state", "/tf": "/world/tf"}).wait_for("/world/state")
        cls.planner = pool_planner.Planner()

    @classmethod
    def tearDownClass(cls):
        cls.planner.stop()
        for relay in cls.relays.values():
            relay.open = False
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def newest(self, topic):
        for t, m in reversed(list(self.sent)):
            if t == topic:
                return m
        return None

    def is_working(self):
        status, allocs = self.newest("status"), self.newest("thruster_allocs")
        return status and status.data and allocs and max(map(abs, allocs.allocs)) > 0.02

    def lose(self, what, **goal):
        self.planner.command(reset=True, **goal)
        far = self.planner.distance_m()
        ros.wait_until(lambda: self.is_working() and self.planner.distance_m() < far - 0.1, "it is on its way")
        self.assertGreater(self.planner.distance_m(), 0.3, "and not there yet")

        self.relays[what].open = False
        ros.wait_until(lambda: not self.newest("status").data, f"the status turns false without {what}")
        # two topics, two connections: the allocation that went before may arrive after
        ros.wait_until(lambda: not any(self.newest("thruster_allocs").allocs), "the last allocation is the safe one")

        self.relays[what].open = True
        ros.wait_until(self.is_working, f"it works again with {what}, by itself")
        ros.wait_until(lambda: self.planner.there(), "it arrives after all")

    def test_1_the_state_stops_on_the_way_down(self):
        self.lose("state", z=-1.5)

    def test_2_the_transform_stops_on_the_way_ahead(self):
        self.lose("tf", x=1.5)

    def test_3_a_world_refuses_parameters_that_do_not_exist_or_mean_nothing(self):
        for package, program, known in (("pintle_world", "world", {"_mission": MISSION}), ("jet", "jet_world", {})):
            for wrong, said in (({"_spede": 2}, "spede"), ({"_speed": 2}, "set ~clock, too"),
                                ({"_lockstep": True}, "set ~clock, too")):
                with self.subTest(program=program, wrong=wrong):
                    node = MASTER.run(package, program, "wrong", **known, **wrong)
                    self.assertEqual(node.popen.wait(ros.PATIENCE_S), 3)
                    self.assertIn(said, node.text())
                    MASTER.call("rosparam", "delete", "/wrong")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
