"""Publishers, subscribers and clients that break the rules of ROS 1 miss no tick of a node and end none; the long version
with all nodes is tests/soak/ros1_peers."""
import unittest

import ros

MASTER = ros.Master("peers")

import rospy  # noqa: E402  (the master must be known first)
from roscpp.srv import SetLoggerLevel  # noqa: E402

rospy.init_node("test", disable_signals=True)

import peers  # noqa: E402
import peers_bench  # noqa: E402


class Peers(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def survives(self, kind, topics):
        """Every kind of publisher on these topics, of subscriber on one and of client of one; a beat after each."""
        bench = kind(MASTER)
        before = bench.first_good()
        hostile = peers.Peers(MASTER, bench.node, 1)
        said = next(a[1] for a in hostile.attacks if a[0] == hostile.subscribe)
        served = next(a[1] for a in hostile.attacks if a[0] == hostile.call)
        hostile.attacks = [a for a in hostile.attacks if a[1] in (*topics, said, served)]
        for _ in hostile.attacks[:]:
            hostile.strike()
            self.assertTrue(bench.beat(), hostile.counts)
        self.assertTrue(bench.is_as_before(before))
        self.assertEqual(bench.given_again, 0)
        hostile.close()
        self.assertEqual(bench.close(), 0)

    def test_controls(self):
        self.survives(peers_bench.Controls, ("/state",))

    def test_driver_and_an_empty_alarm(self):
        self.survives(peers_bench.Driver, ("/alarm/updates",))

    def test_a_hundred_silent_clients_do_not_delay_an_urgent_word(self):
        bench = peers_bench.Jet(MASTER)
        bench.first_good()
        # of 20 ms: 100 ms
        self.assertIn(bench.ticks_to_terminate(silent=100), range(6))
        self.assertEqual(bench.close(), 0)

    def test_who_asks_for_the_names_of_its_loggers_does_not_end_it(self):
        bench = peers_bench.Mapper(MASTER)
        self.assertFalse(bench.node.advertises("/thruster_mapper/get_loggers"))
        self.assertTrue(rospy.ServiceProxy("/thruster_mapper/set_logger_level", SetLoggerLevel)("ros", "debug"))
        self.assertTrue(bench.beat())
        self.assertEqual(bench.close(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
