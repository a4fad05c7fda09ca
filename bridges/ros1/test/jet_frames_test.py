"""What the odometry speaks and what the node is told: only where both agree may it be armed."""
import pathlib
import re
import signal
import threading
import unittest

import ros

MASTER = ros.Master("jet_frames")

import rospy  # noqa: E402  (the master must be known first)
from geometry_msgs.msg import PoseStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import UInt8  # noqa: E402
from std_srvs.srv import SetBool, SetBoolResponse  # noqa: E402

import jet_flight  # noqa: E402
from jet.srv import Command  # noqa: E402


class Clocked:
    """A node under simulated time, whose clock and odometry go on when they are told to."""

    def __init__(self, name):
        MASTER.set_param("/use_sim_time", True)
        if not rospy.core.is_initialized():
            rospy.init_node("test", disable_signals=True)
        self.now_s = 1000.0
        self.clock = rospy.Publisher("/clock", Clock, queue_size=1, tcp_nodelay=True)
        self.odometry = rospy.Publisher(f"/odom_{name}", Odometry, queue_size=1, tcp_nodelay=True)
        self.node = MASTER.run("jet", "jet", name=f"jet_{name}", _use_guidance=False, _enable_serial=False,
                               **{"/jet/odom_in": f"/odom_{name}"}).wait_for("/jet/state")
        self.pose = jet_flight.Newest("/jet/pose_calied", PoseStamped).connected()
        self.state = jet_flight.Newest("/jet/state", UInt8).connected()

    def goes_on(self, until, what):
        def step():
            self.now_s += 0.02
            m = Odometry()
            m.header.stamp, m.pose.pose.orientation.w = rospy.Time.from_sec(self.now_s), 1
            self.clock.publish(m.header.stamp)
            self.odometry.publish(m)
            return until()
        ros.wait_until(step, what)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.stop()
        self.clock.unregister()


class Frames(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def answer(self, guidance, declared):
        """What the node says to arming once the hand has put the craft down again."""
        flight = jet_flight.Flight(MASTER, guidance=guidance, declared_guidance=declared)
        try:
            undecided = flight.set_armed(True)
            self.assertFalse(undecided.success, "nothing is proved yet")
            def decided():
                flight.lift()
                flight.wait(5)
                answer = flight.set_armed(True)
                return answer if answer.success or "moves otherwise" in answer.message else None
            return ros.wait_until(decided, "a lift has decided it")
        finally:
            flight.stop()

    def test_the_wrong_declaration_is_found_out_before_take_off_both_ways(self):
        for guidance in (False, True):
            right = self.answer(guidance, declared=guidance)
            self.assertTrue(right.success, right.message)
            wrong = self.answer(guidance, declared=not guidance)
            self.assertFalse(wrong.success)
            self.assertIn("moves otherwise", wrong.message)

    def test_an_alarm_of_the_tick_is_raised_and_cleared_on_alarm_updates(self):
        # higher than the hand leaves it: on while it lifts, over when it has put it down
        folder = pathlib.Path(__file__).resolve().parents[3] / "vehicles"
        vehicle = MASTER.folder / "low.yaml"
        vehicle.write_text(re.sub(r"\.\./vision/", f"{folder.parent}/vision/", (folder / "quad.yaml").read_text())
                           .replace("height: {limit_m: 30, action: land}", "height: {limit_m: 0.15, action: warn}"))
        flight = jet_flight.Flight(MASTER, guidance=False, _vehicle=vehicle)
        try:
            alarms = jet_flight.Newest("/alarm/updates", Alarm).connected()
            ros.wait_until(lambda: flight.pose.last(), "it knows where it is")
            flight.lift()
            ours = lambda raised: [m for m in alarms.since(0) if m.alarm_name == "jet-faults" and m.raised == raised]
            ros.wait_until(lambda: ours(True), "it is raised")
            self.assertIn("height", ours(True)[0].problem_description)
            self.assertEqual(ours(True)[0].node_name, "/jet")
            self.assertEqual(ours(True)[0].severity, 3, "a warning")
            ros.wait_until(lambda: ours(False), "it is cleared")
            self.assertGreater(alarms.since(0).index(ours(False)[0]), alarms.since(0).index(ours(True)[0]))
        finally:
            flight.stop()

    def test_a_flight_controller_that_hangs_does_not_keep_it_from_ending(self):
        asked, over = threading.Event(), threading.Event()

        def hang(_):
            asked.set()
            over.wait(ros.PATIENCE_S)
            return SetBoolResponse(False, "")
        flight = jet_flight.Flight(MASTER, world={"/flight_controller/control": "/elsewhere/control"})
        service = rospy.Service("/flight_controller/control", SetBool, hang)
        try:
            flight.arm()
            flight.charge()
            ros.wait_until(asked.is_set, "it asks for control")
            motions = flight.motion.mark()
            self.assertEqual(flight.node.stop(signal.SIGINT, patience_s=ros.PATIENCE_S / 4), 0)
            self.assertFalse(over.is_set())
            self.assertGreater(flight.motion.mark(), motions, "its last words were sent")
        finally:
            over.set()
            service.shutdown()
            flight.world.stop()

    def test_time_that_is_set_back_is_said_and_it_goes_on(self):
        with Clocked("set_back") as jet:
            jet.goes_on(lambda: jet.pose.mark() > 20, "it knows where it is")
            jet.now_s = 400.0
            jet.goes_on(lambda: "the time was set back by 6" in jet.node.text(), "it says so")
            poses, states = jet.pose.mark(), jet.state.mark()
            back = lambda: [m for m in jet.pose.since(poses) if 400 < m.header.stamp.to_sec() < 900]
            jet.goes_on(lambda: len(back()) > 50 and jet.state.mark() > states + 50, "it ticks, with a pose that is not out of date")
            self.assertEqual(jet.node.text().count("the time was set back"), 1)

    def test_time_that_stands_makes_what_is_old_stale_and_an_operator_is_heard(self):
        with Clocked("standing") as jet:
            jet.goes_on(lambda: jet.pose.mark() > 20, "it knows where it is")
            self.assertNotIn("input stale", jet.node.text())
            ros.wait_until(lambda: "simulated time stands" in jet.node.text(), "it says so")
            ros.wait_until(lambda: "input stale: odometry" in jet.node.text(), "what it knows is old")
            states = jet.state.mark()
            ros.wait_until(lambda: jet.state.mark() > states, "it ticks on")
            answer = rospy.ServiceProxy("/jet/command", Command)("terminate")
            self.assertTrue(answer.success, answer.message)
            ros.wait_until(lambda: "latched safe" in jet.node.text(), "it obeys")
            poses = jet.pose.mark()
            jet.goes_on(lambda: jet.pose.mark() > poses + 20, "it knows where it is again")
            self.assertEqual(jet.node.text().count("simulated time goes on"), 1)

    def test_the_frame_must_be_declared(self):
        node = MASTER.run("jet", "jet", name="jet_mute", _enable_serial=False)
        self.assertEqual(node.wait(), 3)
        self.assertIn("/jet_mute/use_guidance", node.text())

    def test_a_parameter_that_nobody_reads_stops_the_start(self):
        node = MASTER.run("jet", "jet", name="jet_odd", _use_guidance=True, _use_guidence=False)
        self.assertEqual(node.wait(), 3)
        self.assertIn("there is no parameter ~use_guidence", node.text())


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
