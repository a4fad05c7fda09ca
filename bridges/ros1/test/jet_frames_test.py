"""What the odometry speaks and what the node is told: only where both agree may it be armed."""
import unittest

import ros

MASTER = ros.Master("jet_frames")

import rospy  # noqa: E402  (the master must be known first)

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
