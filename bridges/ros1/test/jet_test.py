"""The delivery aircraft on a real master: every service, topic and the action of the original, flown."""
import math
import unittest

import ros

MASTER = ros.Master("jet")

import actionlib  # noqa: E402  (the master must be known first)
import rospy  # noqa: E402
import tf2_ros  # noqa: E402
from actionlib_msgs.msg import GoalStatus  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from jet.msg import JetNavAction, JetNavActionFeedback, JetNavGoal  # noqa: E402
from jet.srv import CmdGrabber, Command, StatGrabber  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from std_msgs.msg import UInt8  # noqa: E402
from std_srvs.srv import Empty  # noqa: E402

import jet_flight as jf  # noqa: E402

TOPICS = {"/jet/state": "std_msgs/UInt8", "/jet/pose_calied": "geometry_msgs/PoseStamped", "/tf": "tf2_msgs/TFMessage",
          "/jet/odom_in": "nav_msgs/Odometry", "/vision/target_pose": "geometry_msgs/PoseStamped",
          "/jet/nav_action/goal": "jet/JetNavActionGoal", "/jet/nav_action/cancel": "actionlib_msgs/GoalID",
          "/jet/nav_action/status": "actionlib_msgs/GoalStatusArray",
          "/jet/nav_action/feedback": "jet/JetNavActionFeedback", "/jet/nav_action/result": "jet/JetNavActionResult"}
RELOADS = ("dropoint", "duration", "flight", "pid", "timeout")


class Jet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.flight = f = jf.Flight(MASTER)
        cls.action = actionlib.SimpleActionClient("/jet/nav_action", JetNavAction)
        cls.tf = tf2_ros.Buffer()
        cls.tf_listener = tf2_ros.TransformListener(cls.tf)
        ros.wait_until(lambda: f.state.last() and f.motion.last(), "it ticks")

    @classmethod
    def tearDownClass(cls):
        cls.flight.stop()
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def get_airborne(self):
        f = self.flight
        if f.phase() == jf.AIRBORNE:
            return
        f.arm()
        for state in (jf.REQUEST, jf.TAKE_OFF):
            self.step(state)
        ros.wait_until(lambda: f.phase() == jf.AIRBORNE, "it is in the air")

    def step(self, state):
        f = self.flight
        mark, begin = f.state.mark(), len(f.node.text())
        self.assertTrue(f.command(f"step {state}").success)
        f.comes_to(state, mark)

        def rests():
            _, entered, after = f.node.text()[begin:].rpartition("state entered")
            return entered and "owner changed: nobody" in after
        ros.wait_until(rests, f"{jf.NAMES[state]} is done")

    def goal(self, north, east, up, yaw, feedback=None):
        self.action.send_goal(JetNavGoal(north, east, up, yaw), feedback_cb=feedback)

    def feedback(self):
        """What the node publishes of the progress, from now on."""
        received = jf.Newest("/jet/nav_action/feedback", JetNavActionFeedback)
        ros.wait_until(lambda: self.flight.node.is_heard_by("/test", "/jet/nav_action/feedback"), "feedback is heard")
        return received.connected()

    def ended(self, *states):
        ros.wait_until(lambda: self.action.get_state() in
                       (GoalStatus.SUCCEEDED, GoalStatus.PREEMPTED, GoalStatus.ABORTED, GoalStatus.REJECTED),
                       "the goal ends")
        self.assertIn(self.action.get_state(), states, self.action.get_goal_status_text())

    def result(self):
        """It may come after the status that says that there is one."""
        return ros.wait_until(self.action.get_result, "the result comes").result

    # in the order of the alphabet: the craft stands, then flies

    def test_a1_names_and_types_are_the_originals(self):
        node = self.flight.node.ros_name
        publishers, subscribers, services = MASTER.state()
        remapped = {"/jet/odom_in": "/dji_sdk/odometry"}
        types = dict(MASTER._proxy().getTopicTypes("/test")[2])
        for topic, kind in TOPICS.items():
            topic = remapped.get(topic, topic)
            self.assertTrue(any(t == topic and node in nodes for t, nodes in publishers + subscribers), topic)
            self.assertEqual(types[topic], kind)
        served = {s for s, nodes in services if node in nodes}
        for name in ["/jet/charge", "/jet/grabber/cmd", "/jet/grabber/stat"] + [f"/jet/reload_{r}_param" for r in RELOADS]:
            self.assertIn(name, served)

    def test_a2_the_charge_is_refused_until_it_is_armed(self):
        with self.assertRaisesRegex(rospy.ServiceException, "not armed"):
            self.flight.charge()
        self.assertTrue(self.flight.is_at(jf.STAND_BY))
        self.assertIn("charge refused: not armed", self.flight.node.text())

    def test_a3_the_grabber_does_as_it_is_told_and_says_so(self):
        f = self.flight
        grabbed = jf.Newest("/jet_world/grabber", UInt8)
        for command in (1, 0):
            self.assertEqual(f.call("/jet/grabber/cmd", CmdGrabber, command).result, 1)
            ros.wait_until(lambda c=command: grabbed.last() and grabbed.last().data == c, "it has moved")
            self.assertEqual(f.call("/jet/grabber/stat", StatGrabber).result, command)
        with self.assertRaisesRegex(rospy.ServiceException, "1 to grab"):
            f.call("/jet/grabber/cmd", CmdGrabber, 7)

    def test_a4_parameters_are_taken_over_whole_or_not_at_all(self):
        f = self.flight
        for name in RELOADS:
            f.call(f"/jet/reload_{name}_param", Empty)
        self.assertIn("duration reloaded from the ROS parameter", f.node.text())
        self.assertIn("pid reloaded from the file", f.node.text())
        for name, value, reason in (("duration", [1, 2, 3], "15 items"), ("dropoint", {"x": 1, "y": 2}, "dropoint"),
                                    ("dropoint", {"x": 1.0, "y": 2.0, "z": "high"}, "z")):
            MASTER.set_param("/jet/" + name, value)
            with self.assertRaisesRegex(rospy.ServiceException, reason):
                f.call(f"/jet/reload_{name}_param", Empty)
        self.assertIn("nothing has changed", f.node.text())
        MASTER.set_param("/jet/duration", jf.SHORT_DWELLS)
        MASTER.set_param("/jet/dropoint", {"x": -1.97, "y": -0.99, "z": 1.0})
        f.call("/jet/reload_dropoint_param", Empty)

    def test_a4_values_are_set_told_and_taken_back(self):
        say = lambda line: self.flight.call("/jet/parameter", Command, line)
        self.assertEqual(say("get pid.z.kp").message, "pid.z.kp: 1")
        self.assertTrue(say("set pid.z.kp 0.9 pid.z.ki 0.05").success)
        self.assertEqual(say("get pid.z.kp pid.z.ki").message, "pid.z.kp: 0.9, pid.z.ki: 0.05")
        refused = say("set pid.z.kp 2 pid.z.Omax -1")
        self.assertFalse(refused.success)
        self.assertIn("Omax", refused.message)
        self.assertEqual(say("get pid.z.kp").message, "pid.z.kp: 0.9")
        self.assertTrue(say("undo").success)
        self.assertEqual(say("get pid.z.kp").message, "pid.z.kp: 1")
        self.assertFalse(say("save marker").success)

    def test_a4_reloads_bring_no_dead_axis_unasked(self):
        f = self.flight
        loop = {"kp": 1.0, "ki": 0.1, "kd": 0.1, "db": 0.1, "it": 0.2, "Emax": 1.0, "Pmax": 2.0, "Imax": 0.5, "Dmax": 0.0, "Omax": 1.5}
        whole = {"xy": loop, "z": loop, "yaw": {**loop, "it": 0.0}}
        MASTER.set_param("/jet/pid", {**whole, "z": {**loop, "Emax": 0.0}})
        with self.assertRaisesRegex(rospy.ServiceException, "set pid.z.Emax 0 sure"):
            f.call("/jet/reload_pid_param", Empty)
        self.assertEqual(f.call("/jet/parameter", Command, "get pid.z.Emax").message, "pid.z.Emax: 1")
        MASTER.set_param("/jet/pid", whole)
        f.call("/jet/reload_pid_param", Empty)

    def test_a5_a_command_that_is_none_says_what_there_is(self):
        for line in ("jump", "step", "step 15", "step 1x", ""):
            answer = self.flight.command(line)
            self.assertFalse(answer.success, line)
            self.assertIn("expected", answer.message)

    def test_a6_a_goal_on_the_ground_fails_and_says_why(self):
        self.assertTrue(self.action.wait_for_server(rospy.Duration(ros.PATIENCE_S)))
        self.goal(1, 0, 1, 0)
        self.ended(GoalStatus.ABORTED, GoalStatus.REJECTED)
        self.assertFalse(self.result())

    def test_b1_a_goal_is_flown_to_with_feedback_that_never_falls(self):
        self.get_airborne()
        heard, received = [], self.feedback()
        yaw = math.radians(170)
        self.goal(0.6, -0.5, 1.5, yaw, heard.append)
        self.ended(GoalStatus.SUCCEEDED)
        self.assertTrue(heard, "the client has heard of it")
        # the last of it and the result are two topics: which is first is not known
        ros.wait_until(lambda: all(getattr(received.last().feedback, axis + "_progress") == 100
                                   for axis in ("x", "y", "z", "yaw")), "the last feedback")
        feedback = [m.feedback for m in received.all]
        self.assertTrue(self.result())
        north, east, up = self.flight.place()
        # the dead band of the original's loops, three axes
        self.assertLess(math.dist((north, east, up), (0.6, -0.5, 1.5)), 0.25, (north, east, up))
        self.assertGreater(len(feedback), 10)
        for axis in ("x", "y", "z", "yaw"):
            values = [getattr(f, axis + "_progress") for f in feedback]
            self.assertEqual(values, sorted(values), axis)
            self.assertEqual(values[-1], 100)
        pose = self.flight.pose.last().pose
        self.assertLess(abs(2 * math.atan2(pose.orientation.z, pose.orientation.w) - yaw), 0.2)
        self.assertLess(abs(pose.position.x - north) + abs(pose.position.y - east) + abs(pose.position.z - up), 0.2)

    def test_b2_yaw_goes_the_short_way_round(self):
        start = len(self.flight.pose.all)
        self.goal(0.6, -0.5, 1.5, math.radians(-170))
        self.ended(GoalStatus.SUCCEEDED)
        yaws = [2 * math.atan2(m.pose.orientation.z, m.pose.orientation.w) for m in self.flight.pose.since(start)]
        self.assertGreater(min(abs(math.remainder(y, 2 * math.pi)) for y in yaws), math.radians(150))

    def test_b3_where_it_is_already_is_reached_at_once(self):
        received = self.feedback()
        self.goal(0.6, -0.5, 1.5, math.radians(-170))
        self.ended(GoalStatus.SUCCEEDED)
        ros.wait_until(lambda: received.last() and received.last().feedback.yaw_progress == 100, "the last feedback")
        # one a tick, 50 a second: on a machine that is busy fewer, not more
        self.assertLess(len(received.all), 3 * 50)

    def test_b4_a_cancel_ends_it_and_a_newer_goal_preempts(self):
        # by its status: a simple client drops the callback of what has changed before send_goal returns
        self.action.send_goal(JetNavGoal(-3, 3, 2, 0))
        ros.wait_until(lambda: self.action.get_state() == GoalStatus.ACTIVE, "it is on its way")
        self.action.cancel_goal()
        self.ended(GoalStatus.PREEMPTED)
        first = actionlib.ActionClient("/jet/nav_action", JetNavAction)
        self.assertTrue(first.wait_for_server(rospy.Duration(ros.PATIENCE_S)))
        states = []
        old = first.send_goal(JetNavGoal(-3, 3, 2, 0), transition_cb=lambda h: states.append(h.get_goal_status()))
        ros.wait_until(lambda: GoalStatus.ACTIVE in states, "the first is on its way")
        self.goal(0, 0, 1.2, 0)
        ros.wait_until(lambda: old.get_goal_status() == GoalStatus.PREEMPTED, "the first is preempted")
        self.ended(GoalStatus.SUCCEEDED)

    def test_b5_nothing_moves_the_grabber_or_restarts_the_delivery_under_way(self):
        f = self.flight
        self.step(jf.TO_ALTITUDE)
        mark = f.state.mark()
        self.assertTrue(f.command("select fly_to_car").success)
        self.assertTrue(f.command("resume").success)
        mark = f.comes_to(jf.TO_CAR, mark)
        for state in (jf.TO_ALTITUDE, jf.TO_CAR):
            self.assertTrue(f.command(f"jump {state}").success)
            mark = f.comes_to(state, mark)
        self.assertEqual(f.call("/jet/grabber/cmd", CmdGrabber, 0).result, 0)
        with self.assertRaisesRegex(rospy.ServiceException, "under way"):
            f.charge()
        self.goal(0, 0, 1, 0)
        self.ended(GoalStatus.ABORTED)
        self.assertTrue(f.command("pause").success)
        ros.wait_until(lambda: max(abs(v) for v in self.speeds()) < 0.3, "it holds")

    def test_b51_a_reload_of_the_drop_point_moves_the_goal_that_is_flown_to(self):
        f = self.flight
        # far away, so that it is still on its way there
        MASTER.set_param("/jet/dropoint", {"x": -6.0, "y": 6.0, "z": 1.0})
        f.call("/jet/reload_dropoint_param", Empty)
        mark, begin = f.state.mark(), len(f.node.text())
        self.assertTrue(f.command(f"select {jf.TO_CAR}").success)
        self.assertTrue(f.command("resume").success)
        first = f.comes_to(jf.TO_CAR, mark)
        MASTER.set_param("/jet/dropoint", {"x": -1.2, "y": 1.6, "z": 1.0})
        f.call("/jet/reload_dropoint_param", Empty)
        ros.wait_until(lambda: "goal moved" in f.node.text()[begin:], "the goal has moved")
        there = f.comes_to(jf.FIND_CAR, mark)
        self.assertEqual({m.data for m in f.state.since(first)[:there - first - 1]} - {jf.TO_CAR}, set(), "it goes on")
        north, east, _ = f.place(f.entered_at(jf.FIND_CAR))
        self.assertLess(math.dist((north, east), (-1.2, 1.6)), 0.3)
        self.assertTrue(f.command("pause").success)
        ros.wait_until(lambda: max(abs(v) for v in self.speeds()) < 0.3, "it holds")

    def speeds(self):
        v = self.flight.motion.last().twist.linear
        return v.x, v.y, v.z

    def test_b6_tf_says_where_it_is_and_what_it_sees(self):
        # above the pad, aside of its middle
        self.goal(0.3, 0.4, 2, 0)
        self.ended(GoalStatus.SUCCEEDED)
        ros.wait_until(lambda: self.tf.can_transform("base_link", "object", rospy.Time(0)) or None, "the tree is whole")

        def is_there():
            t = self.tf.lookup_transform("world", "base_link", rospy.Time(0)).transform.translation
            north, east, up = self.flight.place()
            return math.dist((t.x, t.y, t.z), (east, north, up)) < 0.5
        ros.wait_until(is_there, "tf has it where it is: east, north, up")
        target = jf.Newest("/vision/target_pose", PoseStamped)

        def agree():
            if target.last() is None:
                return False
            b = self.tf.lookup_transform("base_link", "object", rospy.Time(0)).transform.translation
            p = target.last().pose.position
            return math.dist((b.x, b.y, b.z), (p.x, -p.y, -p.z)) < 0.3
        ros.wait_until(agree, "the camera sees the pad, and tf has it where the camera does")

    def test_b7_cut_off_and_landed_by_hand(self):
        f = self.flight
        self.assertTrue(f.command("cutoff").success)
        self.assertTrue(f.command(f"step {jf.LANDING}").success)
        ros.wait_until(lambda: f.phase() in (jf.MOTORS_OFF, jf.ON_GROUND), "it stands")
        # refused as long as the landing is not over
        ros.wait_until(lambda: f.command(f"step {jf.RELEASE}").success, "control is handed back")

    def test_c1_a_setpoint_came_in_every_tick(self):
        # a state is said in every tick, so that there is a setpoint for each; half a second of ticks, four
        # times as fast, may lie between the two subscriptions
        f = self.flight
        states = len(f.state.all)
        ros.wait_until(lambda: len(f.motion.all) >= states - 100, "as many setpoints as ticks")
        stamps = [m.header.stamp.to_sec() for m in f.motion.all]
        self.assertEqual(stamps, sorted(stamps))
        states, setpoints = len(f.state.all), len(f.motion.all)
        ros.wait_until(lambda: len(f.state.all) >= states + 200, "two hundred ticks more")
        ros.wait_until(lambda: len(f.motion.all) >= setpoints + 195, "a setpoint for each")

    def test_c2_a_master_that_ends_does_not_stop_it(self):
        f = self.flight
        count = len(f.state.all)
        MASTER.stop()
        ros.wait_until(lambda: len(f.state.all) > count + 50, "states go on without a master")
        self.assertTrue(MASTER.start())
        ros.wait_until(lambda: f.node.advertises("/jet/charge") and f.node.advertises("/jet/state"),
                       "the new master knows it")
        self.assertTrue(f.node.alive())


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
