"""The controls node where things are not as they should be: what is latched, static, silent or asked for too much; and its log."""
import signal
import threading
import unittest

import ros

MASTER = ros.Master("controls_edge")
PINTLE = ros.ROOT / "../apps/pintle/pintle"
MISSION = ros.SOURCE / "missions/pool.yaml"

import rospy  # noqa: E402
import tf2_ros  # noqa: E402
from custom_msgs.msg import ControlTypes, PIDGain, ThrusterAllocs  # noqa: E402
from custom_msgs.srv import SetControlTypes, SetPIDGains  # noqa: E402
from geometry_msgs.msg import TransformStamped, Twist  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

POWER = ControlTypes(*[ControlTypes.DESIRED_POWER] * 6)


class Last:
    def __init__(self, topic, kind):
        self.lock, self.messages = threading.Lock(), []
        rospy.Subscriber(topic, kind, self.take, queue_size=1000, tcp_nodelay=True)

    def take(self, message):
        with self.lock:
            self.messages.append(message)

    def after(self, condition, what):
        """A message that comes from now on and meets it."""
        with self.lock:
            start = len(self.messages)

        def found():
            with self.lock:
                return any(condition(m) for m in self.messages[start:])
        ros.wait_until(found, what)


class Edge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        cls.state = rospy.Publisher("/state", Odometry, queue_size=1, tcp_nodelay=True)
        # it stands still, and says so once
        cls.tf = tf2_ros.StaticTransformBroadcaster()
        t = TransformStamped()
        t.header.frame_id, t.child_frame_id, t.transform.rotation.w = "odom", "base_link", 1
        cls.tf.sendTransform(t)
        cls.timer = rospy.Timer(rospy.Duration(0.02), cls.publish)
        cls.status, cls.allocs = Last("/controls/status", Bool), Last("/controls/thruster_allocs", ThrusterAllocs)

    @classmethod
    def tearDownClass(cls):
        cls.timer.shutdown()
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    @classmethod
    def publish(cls, _):
        m = Odometry()
        m.header.stamp = rospy.Time.now()
        m.pose.pose.orientation.w = 1
        cls.state.publish(m)

    def node(self, **more):
        node = MASTER.run("controls", "controls", _file=MISSION, _enable_position_pid=True, _enable_velocity_pid=True,
                          _latch_after=60, **more).wait_for("/controls/enable", "/controls/status")
        ros.wait_until(lambda: node.hears("/test", "/state") and
                       node.is_heard_by("/test", "/controls/status", "/controls/thruster_allocs"), "it hears and is heard")
        self.addCleanup(node.stop)
        return node

    def call(self, name, kind, *arguments):
        rospy.wait_for_service("/controls/" + name, ros.PATIENCE_S)
        return rospy.ServiceProxy("/controls/" + name, kind)(*arguments)

    def test_what_was_latched_before_it_started_does_not_enable_it(self):
        enabled = rospy.Publisher("/controls/enabled", Bool, queue_size=5, latch=True)
        enabled.publish(True)
        node = self.node()
        ros.wait_until(lambda: "does not enable it" in node.text(), "it says so")
        self.status.after(lambda m: not m.data, "it stays off")
        self.assertNotIn("Controls enabled", node.text())
        enabled.publish(True)
        self.status.after(lambda m: m.data, "a new one does, with a static transform too")
        enabled.unregister()

    def test_power_of_a_planner_that_has_ended_is_let_go_of(self):
        node = self.node()
        self.assertNotIn("setpoint_timeout", node.text())
        self.call("enable", SetBool, True)
        self.assertTrue(self.call("set_control_types", SetControlTypes, POWER).success)
        power = rospy.Publisher("/controls/desired_power", Twist, queue_size=1)
        ros.wait_until(lambda: node.hears("/test", "/controls/desired_power"), "it listens")
        wanted = Twist()
        wanted.linear.x = 0.5
        repeat = rospy.Timer(rospy.Duration(0.05), lambda _: power.publish(wanted))
        self.allocs.after(lambda m: max(map(abs, m.allocs)) > 0.1, "it thrusts")
        repeat.shutdown()
        ros.wait_until(lambda: "input stale: setpoint" in node.text(), "it is let go of, and that is told")
        self.status.after(lambda m: m.data, "it is still on")

    def test_simulated_time_that_stands_makes_it_safe_and_still_hears_commands(self):
        time_s, runs = [1000.0], threading.Event()
        runs.set()
        clock = rospy.Publisher("/clock", Clock, queue_size=1)

        def tell(_):
            if runs.is_set():
                time_s[0] += 0.02
                clock.publish(rospy.Time.from_sec(time_s[0]))
        timer = rospy.Timer(rospy.Duration(0.02), tell)
        MASTER.set_param("/use_sim_time", True)
        try:
            node = self.node()
        finally:
            MASTER.set_param("/use_sim_time", False)
        self.assertTrue(self.call("enable", SetBool, True).success)
        self.status.after(lambda m: m.data, "it is on")
        runs.clear()
        self.status.after(lambda m: not m.data, "it goes stale")
        runs.set()
        self.status.after(lambda m: m.data, "and comes back")
        runs.clear()
        ros.wait_until(lambda: node.text().count("simulated time stands") == 2, "it says so")
        self.assertTrue(self.call("enable", SetBool, False).success)
        self.status.after(lambda m: not m.data, "it is off")
        # the last time there is, and transforms of it: beyond it, and from it back to now, ROS's own arithmetic throws
        tf = rospy.Publisher("/tf", TFMessage, queue_size=10, tcp_nodelay=True)
        ros.wait_until(lambda: node.hears("/test", "/tf"), "it hears transforms that move")

        def turn(*nanoseconds):
            for ns in nanoseconds:
                t = TransformStamped()
                t.header.stamp = rospy.Time(4294967295, ns)
                t.header.frame_id, t.child_frame_id, t.transform.rotation.w = "base_link", "arm", 1
                tf.publish(TFMessage([t]))
        clock.publish(rospy.Time(4294967295, 999999999))
        ros.wait_until(lambda: node.text().count("simulated time stands") == 3, "it stands there")
        turn(0, 1)
        ros.wait_until(lambda: node.text().count("is left out") == 1, "it says what it leaves out")
        runs.set()
        self.assertTrue(self.call("enable", SetBool, True).success)
        self.status.after(lambda m: m.data, "it lives on, and is on again when time is what it was")
        turn(0, 1)
        ros.wait_until(lambda: node.text().count("is left out") == 2, "also after it was set back")
        self.status.after(lambda m: m.data, "and it stays on")
        tf.unregister()
        self.assertEqual(node.stop(), 0)
        timer.shutdown()
        clock.unregister()

    def test_a_terminal_that_is_gone_ends_it_as_politely_as_a_signal(self):
        log = MASTER.folder / "hung_up.mcap"
        # whatever this test was started by
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        node = self.node(_log=log)
        signal.signal(signal.SIGHUP, before)
        self.call("enable", SetBool, True)
        self.status.after(lambda m: m.data, "it is on")
        self.allocs.after(lambda m: True, "it sends")
        self.assertEqual(node.stop(signal.SIGHUP), 0)
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))

    def test_that_power_is_followed_for_ever_is_said_at_the_start(self):
        self.assertIn("setpoint_timeout: 0", self.node(_setpoint_timeout=0).text())

    def test_its_log_replays_to_the_bit(self):
        log = MASTER.folder / "controls.mcap"
        node = self.node(_log=log)
        self.call("enable", SetBool, True)
        self.status.after(lambda m: m.data, "it is on")
        self.assertIn("NOT saved", self.call("set_pid_gains", SetPIDGains, [PIDGain(0, 0, 0, 2.5)]).message)
        self.allocs.after(lambda m: True, "it goes on")
        self.call("enable", SetBool, False)
        self.assertEqual(node.stop(), 0)
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))

    def test_a_craft_that_tilts_is_refused_with_the_reason(self):
        node = MASTER.run("controls", "controls", _file=ros.SOURCE / "missions/hover_box.yaml")
        self.assertEqual(node.wait(), 3)
        self.assertIn("thrust_vector", node.text())


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
