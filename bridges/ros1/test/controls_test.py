"""The controls node's whole interface on a real master: every topic, every service, both switches."""
import pathlib
import shutil
import threading
import unittest

import ros

MASTER = ros.Master("controls")

import rospy  # noqa: E402  (the master must be known first)
import tf2_ros  # noqa: E402
from custom_msgs.msg import ControlTypes, PIDAxesInfo, PIDGain, PIDGains, ThrusterAllocs  # noqa: E402
from custom_msgs.srv import SetControlTypes, SetPIDGains, SetPowerScaleFactor, SetStaticPower  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from geometry_msgs.msg import Pose, TransformStamped, Twist, Vector3  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from std_msgs.msg import Bool, Float64  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

TOPICS = {
    "thruster_allocs": ThrusterAllocs, "constrained_thruster_allocs": ThrusterAllocs,
    "unconstrained_thruster_allocs": ThrusterAllocs, "base_power": Twist, "set_power_unscaled": Twist,
    "set_power": Twist, "actual_power": Twist, "power_disparity": Twist, "power_disparity_norm": Float64,
    "control_types": ControlTypes, "status": Bool, "pid_gains": PIDGains, "static_power_global": Vector3,
    "power_scale_factor": Float64,
    "delta_time": Float64, "position_error": Twist, "position_efforts": Twist, "position_pid_infos": PIDAxesInfo,
    "velocity_error": Twist, "velocity_efforts": Twist, "velocity_pid_infos": PIDAxesInfo,
    "static_power_local": Vector3,
}
POWER = ControlTypes(*[ControlTypes.DESIRED_POWER] * 6)
POSITION = ControlTypes()


class Robot:
    """A vehicle that stands still: /state and tf, each of which can be stopped."""

    def __init__(self):
        self.state = rospy.Publisher("/state", Odometry, queue_size=1, tcp_nodelay=True)
        self.tf = tf2_ros.TransformBroadcaster()
        self.state_on, self.tf_on = True, True
        self.x = 0.0
        self.timer = rospy.Timer(rospy.Duration(0.02), self.publish)

    def publish(self, _):
        now = rospy.Time.now()
        if self.tf_on:
            t = TransformStamped()
            t.header.stamp, t.header.frame_id, t.child_frame_id = now, "odom", "base_link"
            t.transform.translation.x = self.x
            t.transform.rotation.w = 1
            self.tf.sendTransform(t)
        if self.state_on:
            m = Odometry()
            m.header.stamp, m.header.frame_id, m.child_frame_id = now, "odom", "base_link"
            m.pose.pose.position.x = self.x
            m.pose.pose.orientation.w = 1
            self.state.publish(m)


class Watch:
    """Everything that the node publishes, newest first to ask for."""

    def __init__(self):
        self.lock = threading.Lock()
        self.messages = {name: [] for name in TOPICS}
        self.alarms, self.diagnostics = [], []
        for name, kind in TOPICS.items():
            rospy.Subscriber("/controls/" + name, kind, self.take, name, queue_size=1000, tcp_nodelay=True)
        rospy.Subscriber("/alarm/updates", Alarm, self.alarms.append)
        rospy.Subscriber("/diagnostics", DiagnosticArray, self.take_diagnostics)

    def take_diagnostics(self, m):
        self.diagnostics += [s for s in m.status if s.name.startswith("controls")]

    def take(self, message, name):
        with self.lock:
            self.messages[name].append(message)

    def count(self, name):
        with self.lock:
            return len(self.messages[name])

    def last(self, name):
        with self.lock:
            return self.messages[name][-1] if self.messages[name] else None

    def fresh(self, name, condition=lambda m: True, what="", number=1):
        """A message that came after the call and meets the condition."""
        start = self.count(name)

        def found():
            with self.lock:
                good = [m for m in self.messages[name][start:] if condition(m)]
                return good[number - 1] if len(good) >= number else None
        return ros.wait_until(found, f"{name} {what}")


class ControlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # a copy: tests never touch a robot's own file
        cls.config = MASTER.folder / "robot" / "config"
        shutil.copytree(ros.SOURCE / "vehicles/original/duke", MASTER.folder / "robot")
        cls.environment = {"PINTLE_CONFIG_DIR": str(cls.config), "ROBOT_NAME": "oogway"}
        rospy.init_node("test", disable_signals=True)
        cls.robot, cls.watch = Robot(), Watch()
        cls.publishers = {
            "position": rospy.Publisher("/controls/desired_position", Pose, queue_size=5),
            "velocity": rospy.Publisher("/controls/desired_velocity", Twist, queue_size=5),
            "power": rospy.Publisher("/controls/desired_power", Twist, queue_size=5),
            "enabled": rospy.Publisher("/controls/enabled", Bool, queue_size=5)}
        cls.start_node()

    @classmethod
    def tearDownClass(cls):
        cls.robot.timer.shutdown()
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    @classmethod
    def start_node(cls):
        cls.node = MASTER.run("controls", "controls", env=cls.environment, _enable_position_pid=True,
                              _enable_velocity_pid=True, _latch_after=60, _setpoint_timeout=0).wait_for("/controls/enable", "/controls/status")
        ros.wait_until(lambda: cls.node.hears("/test", "/state", *(p.name for p in cls.publishers.values())),
                       "the node listens")
        ros.wait_until(lambda: cls.node.is_heard_by("/test", *("/controls/" + name for name in TOPICS)), "it is heard")
        cls.watch.fresh("position_error", what="of the new node")

    def call(self, name, kind, *arguments):
        rospy.wait_for_service("/controls/" + name, ros.PATIENCE_S)
        return rospy.ServiceProxy("/controls/" + name, kind)(*arguments)

    def setUp(self):
        self.robot.state_on = self.robot.tf_on = True
        self.assertTrue(self.call("enable", SetBool, False).success)
        self.assertTrue(self.call("set_control_types", SetControlTypes, POSITION).success)
        self.publishers["power"].publish(Twist())
        self.watch.fresh("status", lambda m: not m.data, "is false")

    def test_every_topic_has_its_type_and_comes(self):
        self.call("enable", SetBool, True)
        for name in TOPICS:
            self.watch.fresh(name)
        self.assertEqual(len(self.watch.last("thruster_allocs").allocs), 8)
        self.assertEqual(len(self.watch.last("pid_gains").pid_gains), 48)
        self.assertAlmostEqual(self.watch.last("static_power_local").z, -0.1625)
        types = dict(rospy.get_published_topics())
        for name, kind in TOPICS.items():
            self.assertEqual(types["/controls/" + name], kind._type)

    def test_gains_come_loop_by_loop_axis_by_axis(self):
        gains = self.watch.fresh("pid_gains").pid_gains
        self.assertEqual([(g.loop, g.axis, g.gain) for g in gains],
                         [(loop, axis, gain) for loop in (0, 1) for axis in range(6) for gain in range(4)])
        self.assertEqual(gains[0].value, 1.8)

    def test_allocations_carry_stamp_and_frame(self):
        m = self.watch.fresh("constrained_thruster_allocs")
        self.assertLess(abs((rospy.Time.now() - m.header.stamp).to_sec()), ros.PATIENCE_S)
        self.assertEqual(m.header.frame_id, "base_link")

    def test_the_service_switches(self):
        self.assertEqual(self.call("enable", SetBool, True).message, "Controls enabled.")
        self.watch.fresh("status", lambda m: m.data, "is true")
        self.watch.fresh("thruster_allocs")
        self.assertEqual(self.call("enable", SetBool, False).message, "Controls disabled.")
        self.watch.fresh("status", lambda m: not m.data, "is false", 2)
        self.assert_ended_safe()

    def test_the_topic_switches(self):
        self.publishers["enabled"].publish(True)
        self.watch.fresh("status", lambda m: m.data, "is true")
        self.watch.fresh("thruster_allocs")
        self.publishers["enabled"].publish(False)
        self.watch.fresh("status", lambda m: not m.data, "is false", 2)
        self.assert_ended_safe()

    def assert_ended_safe(self):
        # sent before the status, but two topics are two connections
        ros.wait_until(lambda: list(self.watch.last("thruster_allocs").allocs) == [0.0] * 8, "the last one is safe")
        count = self.watch.count("thruster_allocs")
        self.watch.fresh("status", number=5)
        self.assertEqual(self.watch.count("thruster_allocs"), count, "only while enabled")

    def test_desired_position_shows_as_an_error_and_pushes_there(self):
        pose = Pose()
        pose.position.x, pose.orientation.w = self.robot.x + 0.5, 1
        self.publishers["position"].publish(pose)
        m = self.watch.fresh("position_error", lambda m: abs(m.linear.x - 0.5) < 1e-9, "is half a metre")
        self.assertAlmostEqual(m.linear.x, 0.5)
        self.watch.fresh("set_power", lambda m: m.linear.x > 0.8, "leads forwards")

    def test_a_quaternion_that_is_not_of_length_one_is_refused(self):
        before = self.watch.fresh("position_error")
        bad = Pose()
        bad.position.x = 99
        self.publishers["position"].publish(bad)
        good = Twist()
        good.angular.z = 0.25
        self.publishers["velocity"].publish(good)
        self.watch.fresh("velocity_error", lambda m: abs(m.angular.z - 0.25) < 1e-9, "shows what came after")
        self.assertEqual(self.watch.fresh("position_error").linear.x, before.linear.x)
        ros.wait_until(lambda: "Quaternion must have length 1" in self.node.text(), "the node says so")

    def test_desired_power_is_used_and_its_limits_hold(self):
        self.assertEqual(self.call("set_control_types", SetControlTypes, POWER).message,
                         "Updated control types successfully.")
        power = Twist()
        power.linear.x = 0.5
        self.publishers["power"].publish(power)
        self.watch.fresh("base_power", lambda m: m.linear.x == 0.5, "is the desired one")
        refused = self.node.text().count("desired_power:")
        for value in (1.5, float("nan")):
            power.linear.x, power.linear.y = 0.25, value
            self.publishers["power"].publish(power)
            refused += 1
            ros.wait_until(lambda: self.node.text().count("desired_power:") >= refused, f"{value} is refused")
        self.assertEqual(self.watch.fresh("base_power").linear.x, 0.5)

    def test_unknown_control_types_are_refused(self):
        answer = self.call("set_control_types", SetControlTypes, ControlTypes(0, 0, 0, 0, 0, 3))
        self.assertFalse(answer.success)
        self.assertIn("Failed to update control types. One or more control types was invalid.", answer.message)
        self.assertIn("yaw", answer.message)
        self.assertEqual(self.watch.fresh("control_types"), POSITION)

    def test_reset_takes_the_integrals_away(self):
        self.watch.fresh("velocity_pid_infos")
        self.assertEqual(self.call("reset_pid_loops", Trigger).message, "Reset PID loops successfully.")
        self.watch.fresh("velocity_pid_infos")

    def test_gains_are_saved_and_loaded_again(self):
        value = 1.75 + 0.125
        gains = [PIDGain(0, 0, 0, 9.0), PIDGain(PIDGain.LOOP_POSITION, PIDGain.AXIS_X, PIDGain.GAIN_KP, value)]
        self.assertEqual(self.call("set_pid_gains", SetPIDGains, gains).message, "Updated PID gains successfully.")
        self.watch.fresh("pid_gains", lambda m: m.pid_gains[0].value == value, "has the new one")
        self.assertEqual(self.call("set_static_power_global", SetStaticPower, Vector3(0, 0.5, -0.25)).message,
                         "Updated static power successfully.")
        self.assertEqual(self.call("set_power_scale_factor", SetPowerScaleFactor, 0.75).message,
                         "Updated power scale factor successfully.")
        self.node.stop()
        self.start_node()
        self.assertEqual(self.watch.fresh("pid_gains").pid_gains[0].value, value)
        self.assertEqual(self.watch.fresh("static_power_global"), Vector3(0, 0.5, -0.25))
        self.assertEqual(self.watch.fresh("power_scale_factor").data, 0.75)
        self.call("set_power_scale_factor", SetPowerScaleFactor, 1.0)
        self.call("set_static_power_global", SetStaticPower, Vector3(0, 0, -0.1625))
        self.call("set_pid_gains", SetPIDGains, [PIDGain(0, 0, 0, 1.8)])

    def test_thrusters_are_told_in_time_while_48_gains_are_saved(self):
        # a file so long that its save takes many periods: a loop that waited for it would show
        file = self.config / "oogway.yaml"
        story, original = "# a long story\n", self.watch.fresh("pid_gains").pid_gains
        file.write_text(file.read_text() + story * 20000)
        self.call("enable", SetBool, True)
        start = self.watch.count("thruster_allocs")
        self.watch.fresh("thruster_allocs", number=20)

        def stamps(start):
            return [m.header.stamp.to_sec() for m in self.watch.messages["thruster_allocs"][start:]]
        gaps = [b - a for a, b in zip(stamps(start), stamps(start)[1:])]
        period = sorted(gaps)[len(gaps) // 2]
        told = []

        def in_time():
            """Saves once, and says whether that took long and kept nobody waiting."""
            self.watch.fresh("thruster_allocs")
            start = self.watch.count("thruster_allocs") - 1
            begin = rospy.Time.now()
            gains = [PIDGain(loop, axis, gain, 0.125 * (len(told) % 16 + 1))
                     for loop in (0, 1) for axis in range(6) for gain in range(4)]
            self.assertEqual(self.call("set_pid_gains", SetPIDGains, gains).message, "Updated PID gains successfully.")
            took = (rospy.Time.now() - begin).to_sec()
            self.watch.fresh("thruster_allocs", lambda m: (m.header.stamp - begin).to_sec() >= took, "after it")
            all_stamps = stamps(start)
            told.append((max(b - a for a, b in zip(all_stamps, all_stamps[1:])), took))
            if took <= 4 * period and file.stat().st_size < 2e6:
                # on this disk it was not long enough
                file.write_text(file.read_text() + story * 20000)
            return took > 4 * period and told[-1][0] < 2 * period
        try:
            # a busy machine may keep the loop waiting again and again, a loop that waits for the file does each time
            ros.wait_until(in_time, f"a save keeps no thruster waiting, at a period of {period} s")
        except AssertionError as e:
            raise AssertionError(f"largest gap and duration of each save: {told}") from e
        finally:
            file.write_text(file.read_text().replace(story, ""))
            self.call("set_pid_gains", SetPIDGains, original)

    def test_tuning_refuses_what_makes_no_sense_and_changes_nothing(self):
        text = (self.config / "oogway.yaml").read_text()
        nan, inf = float("nan"), float("inf")
        for gains in ([PIDGain(2, 0, 0, 1)], [PIDGain(0, 6, 0, 1)], [PIDGain(0, 0, 4, 1)],
                      [PIDGain(0, 0, 0, 7), PIDGain(0, 0, 1, nan)]):
            answer = self.call("set_pid_gains", SetPIDGains, gains)
            self.assertFalse(answer.success)
            self.assertIn("Failed to update PID gains. One or more PID gains was invalid.", answer.message)
        self.assertFalse(self.call("set_static_power_global", SetStaticPower, Vector3(0, nan, 0)).success)
        for scale in (-1, nan, inf):
            self.assertFalse(self.call("set_power_scale_factor", SetPowerScaleFactor, scale).success)
        self.assertEqual((self.config / "oogway.yaml").read_text(), text)
        self.assertEqual(self.watch.fresh("power_scale_factor").data, 1.0)

    def test_a_save_that_fails_keeps_the_value_and_raises_an_alarm(self):
        away = pathlib.Path(str(self.config) + ".away")
        self.config.rename(away)
        try:
            answer = self.call("set_power_scale_factor", SetPowerScaleFactor, 0.5)
            self.assertTrue(answer.success)
            self.assertTrue(answer.message.startswith("applied, NOT saved: "), answer.message)
            self.watch.fresh("power_scale_factor", lambda m: m.data == 0.5, "is applied")
            ros.wait_until(lambda: any(a.alarm_name == "controls-save" and a.raised for a in self.watch.alarms),
                           "the alarm is raised")
        finally:
            away.rename(self.config)
        self.assertEqual(self.call("set_power_scale_factor", SetPowerScaleFactor, 1.0).message,
                         "Updated power scale factor successfully.")
        ros.wait_until(lambda: self.watch.alarms and not self.watch.alarms[-1].raised, "it is cleared")

    def lose(self, what):
        """Stops one of the two; the vehicle goes safe, says why, and comes back without a restart."""
        self.call("enable", SetBool, True)
        self.watch.fresh("status", lambda m: m.data, "is true")
        start = rospy.Time.now()
        setattr(self.robot, what, False)
        self.watch.fresh("status", lambda m: not m.data, "is false")
        lost = rospy.Time.now() - start
        self.assert_ended_safe()
        ros.wait_until(lambda: self.watch.diagnostics and self.watch.diagnostics[-1].message == "stale",
                       "the reason is told")
        ros.wait_until(lambda: any(a.alarm_name == "controls-stale" and a.raised for a in self.watch.alarms),
                       "the alarm is raised")
        setattr(self.robot, what, True)
        self.watch.fresh("status", lambda m: m.data, "is true again")
        self.watch.fresh("thruster_allocs")
        return lost.to_sec()

    def test_without_state_it_goes_safe_and_comes_back(self):
        self.lose("state_on")

    def test_without_transform_it_goes_safe_and_comes_back(self):
        self.lose("tf_on")

    def test_a_state_with_absurd_stamps_and_numbers_does_no_harm(self):
        for stamp in (rospy.Time(0), rospy.Time(2**32 - 2, 999999999), rospy.Time(2**31, 1)):
            for value in (float("nan"), float("inf"), 1e300):
                m = Odometry()
                m.header.stamp = stamp
                m.pose.pose.position.x = m.twist.twist.linear.y = value
                m.pose.pose.orientation.w = 1
                self.robot.state.publish(m)
                self.watch.fresh("status")
        self.assertTrue(self.node.alive())
        self.call("enable", SetBool, True)
        self.watch.fresh("status", lambda m: m.data, "is true")
        allocs = self.watch.fresh("thruster_allocs").allocs
        self.assertTrue(all(-1 <= a <= 1 for a in allocs), allocs)

    def test_the_tools_work(self):
        self.assertIn("data: False", MASTER.call("rostopic", "echo", "-n", "1", "/controls/status"))
        self.assertIn("Reset PID loops successfully.", MASTER.call("rosservice", "call", "/controls/reset_pid_loops"))
        self.assertIn("custom_msgs/SetPIDGains", MASTER.call("rosservice", "info", "/controls/set_pid_gains"))
        self.assertIn("custom_msgs/ThrusterAllocs", MASTER.call("rostopic", "type", "/controls/thruster_allocs"))


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
