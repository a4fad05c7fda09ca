"""What the odometry speaks and what the node is told: only where both agree may it be armed."""
import pathlib
import re
import unittest

import ros

MASTER = ros.Master("jet_frames")

import rospy  # noqa: E402  (the master must be known first)
from ros_alarms.msg import Alarm  # noqa: E402

import jet_flight  # noqa: E402


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
                           .replace("failsafes:\n", "failsafes:\n  height: {limit_m: 0.15, action: warn}\n"))
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
