"""A whole delivery through the original's launch file: charge to release control, odometry in north, east, down."""
import math
import shutil
import signal
import unittest

import ros

MASTER = ros.Master("jet_delivery")
PINTLE = ros.ROOT / "../apps/pintle/pintle"

import rospy  # noqa: E402  (the master must be known first)
from jet.srv import StatGrabber  # noqa: E402
from std_srvs.srv import Empty  # noqa: E402

import jet_flight as jf  # noqa: E402

CAR = (-1.9, -1.1)  # north, east: where jet_world has its marker …
ROOF_M = 0.25  # … and how high


class Delivery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.config = MASTER.folder / "config"
        shutil.copytree(ros.SOURCE / "bridges/ros1/packages/jet/config", cls.config)
        (cls.config / "duration.yaml").write_text(f"duration: {jf.SHORT_DWELLS}\n")
        # what comes by another thread may come a tick later
        (cls.config / "timeout.yaml").write_text("odom_callback_timeout: 800\nvision_callback_timeout: 300\n")

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def test_fifteen_states_in_order_and_the_payload_at_the_car(self):
        log = MASTER.folder / "delivery.mcap"
        MASTER.set_param("/jet/log", str(log))
        f = jf.Flight(MASTER, guidance=True, launch=("jet_onboard.launch", f"config:={self.config}", "vision:=false"))
        # by file: a parameter that is set goes before it
        (self.config / "flight.yaml").write_text("takeoff_height: 1.2\nlanding_height: 0.4\nnormal_altitude: 1.3\n")
        for key in ("takeoff_height", "landing_height", "normal_altitude"):
            self.assertEqual(MASTER._proxy().deleteParam("/test", "/jet/" + key)[0], 1)
        f.call("/jet/reload_flight_param", Empty)
        f.arm()
        begin = f.state.mark()
        self.assertEqual(f.charge().result, jf.MOTORS_OFF)
        mark = f.comes_to(jf.DROP, begin)
        drops_at = f.entered_at(jf.DROP)
        at_drop = f.place(drops_at)
        carried = f.payload_place(drops_at)
        if carried:
            # it hangs where the craft is, off the ground
            self.assertTrue(carried[3])
            self.assertLess(math.dist(carried[:2], at_drop[:2]), 0.15)
            self.assertGreater(carried[2], 0.5)
        mark = f.comes_to(jf.BACK_UP, mark)
        self.assertEqual(f.call("/jet/grabber/stat", StatGrabber).result, 0)
        mark = f.comes_to(jf.RELEASE, mark)
        mark = f.comes_to(jf.STAND_BY, mark)
        # of that time, too: its topics are connections of their own
        done_at = f.truth.last().header.stamp.to_sec() + 0.5
        f.at(f.truth, done_at)
        ros.wait_until(lambda: f.phase() == jf.MOTORS_OFF, "its motors stand")
        order = [m.data for m in f.state.all]
        self.assertEqual([s for i, s in enumerate(order) if i == 0 or order[i - 1] != s], list(range(15)) + [0])
        # the dead band of the original's pid.yaml on two axes, and what the craft moves within it
        self.assertLess(math.dist(at_drop[:2], CAR), 0.2)
        self.assertLess(math.hypot(*f.place()[:2]), 0.25)
        left = f.payload_place(done_at)
        if left:
            self.assertFalse(left[3])
            # on the roof, 0.35 m to each side of the marker: the dead band again, and a fall of a metre in the wind
            self.assertLess(math.dist(left[:2], CAR), 0.3)
            self.assertLess(abs(left[2] - ROOF_M - 0.05), 0.02)
        # the height that was reloaded
        self.assertGreater(max(m.pose.position.z for m in f.truth.all), 1.15)
        self.assertEqual(f.node.stop(signal.SIGINT), 0)
        # to the bit, with the height that was reloaded in between
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))

    def test_both_launch_files_have_the_originals_names(self):
        for name, odometry in (("onboard", "/guidance/odom"), ("onlaptop", "/dji_sdk/odometry")):
            self.assertIn("/jet", MASTER.roslaunch("--nodes", "jet", f"jet_{name}.launch"))
            self.assertIn("/jet/odom_in:=" + odometry, MASTER.roslaunch("--args", "/jet", "jet", f"jet_{name}.launch"))
            self.assertEqual(MASTER.roslaunch("--nodes", "jet", f"jet_{name}.launch", "vision:=false").split(), ["/jet"])
            self.assertIn("/usb_cam", MASTER.roslaunch("--nodes", "jet", f"jet_{name}.launch"))
            text = MASTER.roslaunch("--dump-params", "jet", f"jet_{name}.launch")
            for key in ("use_guidance", "spin_rate", "enable_serial", "serial_port", "serial_baudrate", "pid/xy/kp",
                        "duration", "dropoint/z", "normal_altitude", "odom_callback_timeout"):
                self.assertIn("/jet/" + key, text)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
