"""A master that hangs, or whose machine is out of reach: every node ends all the same, and has done what it had to."""
import contextlib
import os
import shutil
import signal
import threading
import time
import unittest

import ros

MASTER = ros.Master("hung_master")

import rospy  # noqa: E402  (the master must be known first)
from custom_msgs.msg import ThrusterAllocs  # noqa: E402
from std_srvs.srv import Empty, SetBool  # noqa: E402
from sub8_msgs.srv import BMatrix, ThrusterInfo  # noqa: E402

from sub8 import LAYOUT  # noqa: E402

MISSION = ros.SOURCE / "missions/pool.yaml"
PINTLE = ros.ROOT / "../apps/pintle/pintle"
HAS_VISION = (ros.ROOT / "share/vision/vision").exists()


class HungMaster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        MASTER.set_param("/thruster_layout", LAYOUT)
        MASTER.set_param("/simulate", True)
        cls.config = MASTER.folder / "vision"
        shutil.copytree(ros.SOURCE / "vision", cls.config)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def hang(self):
        os.kill(MASTER.process.pid, signal.SIGSTOP)
        self.addCleanup(self.go_on)

    def go_on(self):
        os.kill(MASTER.process.pid, signal.SIGCONT)

    def assert_end(self, nodes, sig):
        """All at once, though nobody answers: who waits for the master would do so for ever."""
        begin = {}
        for node in nodes:
            begin[node.name] = time.monotonic()
            os.kill(node.pid, sig)
        took = {}

        def over():
            for node in nodes:
                if node.name not in took and not node.alive():
                    took[node.name] = time.monotonic() - begin[node.name]
            return len(took) == len(nodes)
        ros.wait_until(over, "all have ended")
        print({name: round(t, 1) for name, t in took.items()})
        for node in nodes:
            self.assertEqual(node.wait(), 0, node.text())

    def vision(self, name):
        cam = MASTER.run("usb_cam", "usb_cam_node", name=f"cam_{name}", _video_device="world",
                         _camera_info_url=self.config / "camera_onboard.yaml")
        eye = MASTER.run("vision", "vision", name=f"eye_{name}", _config_dir=self.config, _usb_cam=f"/cam_{name}")
        cam.wait_for(f"/cam_{name}/image_raw", f"/cam_{name}/start_capture")
        eye.wait_for(f"/eye_{name}/reload_marker_param")
        # what its loop answers: it has begun, and does not wait for the master in the middle of its start
        rospy.ServiceProxy(f"/cam_{name}/start_capture", Empty)()
        rospy.ServiceProxy(f"/eye_{name}/reload_marker_param", Empty)()
        return [cam, eye]

    def nodes(self, name, log):
        out = [MASTER.run("controls", "controls", name=f"controls_{name}", _file=MISSION, _log=log)
               .wait_for("/controls/enable"),
               MASTER.run("pintle_world", "world", name=f"world_{name}", _mission=MISSION).wait_for("/state"),
               MASTER.run("jet", "jet", name=f"jet_{name}", _enable_serial=False, _use_guidance=False).wait_for("/jet/charge"),
               MASTER.run("jet", "jet_world", name=f"jet_world_{name}").wait_for("/flight_controller/land"),
               MASTER.run("sub8_thruster_mapper", "thruster_mapper", name=f"mapper_{name}").wait_for("/b_matrix"),
               MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", name=f"driver_{name}")
               .wait_for("/thrusters/thruster_info")]
        # so have these
        for topic in ("/controls/status", "/state", "/jet/state", "/flight_controller/flight_status"):
            rospy.wait_for_message(topic, rospy.AnyMsg, timeout=30)
        rospy.ServiceProxy("/b_matrix", BMatrix)()
        rospy.ServiceProxy("/thrusters/thruster_info", ThrusterInfo)("FLH")
        return out + (self.vision(name) if HAS_VISION else [])

    def test_1_every_node_ends(self):
        for sig, name in ((signal.SIGINT, "sigint"), (signal.SIGTERM, "sigterm")):
            log = MASTER.folder / f"{name}.mcap"
            nodes = self.nodes(name, log)
            self.hang()
            # the watch of each has missed it: each has a call to it behind it that had no answer
            for node in nodes:
                ros.wait_until(lambda n=node: "the ROS master is gone" in n.text(), f"{node.name} misses the master")
            self.assert_end(nodes, sig)
            # and before it ended the log was whole
            self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))
            self.go_on()

    @unittest.skipUnless(HAS_VISION, "built without OpenCV")
    def test_2_it_ends_while_a_callback_or_a_thread_of_it_waits_for_the_master(self):
        nodes = self.vision("asked")
        reload = rospy.ServiceProxy("/eye_asked/reload_circle_param", Empty, persistent=True)
        start = rospy.ServiceProxy("/cam_asked/start_capture", Empty, persistent=True)
        reload(), start()
        rospy.ServiceProxy("/cam_asked/stop_capture", Empty)()
        ros.wait_until(lambda: not nodes[0].subscribes("/jet_world/image"), "it has stopped")
        self.hang()

        def call(what):
            with contextlib.suppress(rospy.ServiceException):
                what()
        # the one reads a parameter, the other subscribes
        calls = [threading.Thread(target=call, args=(what,), daemon=True) for what in (reload, start)]
        for c in calls:
            c.start()
        ros.wait_until(lambda: "capture started" in nodes[0].text().rpartition("capture stopped")[2], "it was told")
        self.assert_end(nodes, signal.SIGTERM)
        for c in calls:
            c.join()

    def test_3_what_hangs_while_it_starts_ends(self):
        MASTER.set_param("/late/file", str(MISSION))
        self.hang()
        nodes = [MASTER.run("controls", "controls", name="late")]

        def is_caught():
            caught = next(line for line in open(f"/proc/{nodes[0].pid}/status") if line.startswith("SigCgt"))
            return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1
        ros.wait_until(is_caught, "it would take a signal")
        self.assert_end(nodes, signal.SIGTERM)

    def test_4_the_thrusters_are_let_go_of_and_the_rest_goes_on_when_the_master_does(self):
        node = MASTER.run("controls", "controls", _file=MISSION, _enable_position_pid=True, _enable_velocity_pid=True,
                          _state_timeout=30).wait_for("/controls/enable")
        world = MASTER.run("pintle_world", "world", _mission=MISSION).wait_for("/state")
        allocs = []
        rospy.Subscriber("/controls/thruster_allocs", ThrusterAllocs, allocs.append, queue_size=100)
        self.assertTrue(rospy.ServiceProxy("/controls/enable", SetBool)(True).success)
        ros.wait_until(lambda: len(allocs) > 20 and any(allocs[-1].allocs), "it steers")
        self.hang()
        ros.wait_until(lambda: "the ROS master is gone" in node.text(), "it misses the master")
        count = len(allocs)
        ros.wait_until(lambda: len(allocs) > count + 20 and any(allocs[-1].allocs), "it steers on")
        self.assert_end([node], signal.SIGINT)
        self.assertFalse(any(allocs[-1].allocs), "its last word is the safe allocation")
        self.go_on()
        self.assertEqual(world.stop(), 0)
        self.assertNotIn("without a word", world.text())

    def test_5_a_flight_over_topics_ends_disarmed_with_log_and_verdict(self):
        world = MASTER.run("pintle_world", "world", _mission=MISSION).wait_for("/state")
        allocs = []
        rospy.Subscriber("/controls/thruster_allocs", ThrusterAllocs, allocs.append, queue_size=100)
        out = MASTER.folder / "flown"
        flight = MASTER.tool(PINTLE, "run", MISSION, "--on", "ros1", "--world", "elsewhere", "--out", out, "--json",
                             "--listen", MASTER.folder / "flown.socket")
        ros.wait_until(lambda: len(allocs) > 20 and any(allocs[-1].allocs), "it steers")
        self.hang()
        begin = time.monotonic()
        os.kill(flight.pid, signal.SIGINT)
        self.assertEqual(flight.wait(), 1, flight.text())
        print(f"run --on ros1: {time.monotonic() - begin:.1f} s")
        self.assertIn("without a word", flight.text())
        self.assertIn('"verdict":"aborted"', flight.text())
        ros.wait_until(lambda: not any(allocs[-1].allocs), "its last word is zero")
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", out / "log.mcap"))
        self.go_on()
        self.assertEqual(world.stop(), 0)

    @unittest.skipUnless(HAS_VISION, "built without OpenCV")
    def test_6_pictures_are_searched_while_a_reload_waits_for_the_master(self):
        from vision_bench import Bench, ring_from_above
        bench = Bench(MASTER, "busy", self.config)
        bench.state(12)
        ring = ring_from_above()
        bench.show(ring)
        reload = rospy.ServiceProxy("/busy/reload_circle_param", Empty, persistent=True)
        reload()
        self.hang()
        # a machine that stands for seconds is not what is tested here
        for attempt in range(5):
            answers = []

            def call():
                with contextlib.suppress(rospy.ServiceException):
                    reload()
                answers.append(1)
            thread = threading.Thread(target=call, daemon=True)
            thread.start()
            for _ in range(3):
                bench.show(ring)
            was_in_between = not answers
            thread.join()
            if was_in_between:
                break
        self.assertTrue(was_in_between, "three pictures before the reload was given up")
        self.go_on()
        self.assertEqual(bench.node.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
