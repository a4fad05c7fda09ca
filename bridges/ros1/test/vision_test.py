"""The nodes usb_cam and vision: pictures in, poses out, by state, with the services of the original; and a delivery that
has nothing but them to see with."""
import math
import shutil
import signal
import unittest

import ros

MASTER = ros.Master("vision")

import rospy  # noqa: E402  (the master must be known first)
from geometry_msgs.msg import PoseStamped  # noqa: E402
from sensor_msgs.msg import CameraInfo, Image  # noqa: E402
from sensor_msgs.srv import SetCameraInfo  # noqa: E402
from std_msgs.msg import UInt8  # noqa: E402
from std_srvs.srv import Empty  # noqa: E402

import jet_flight as jf  # noqa: E402
from vision_bench import HEIGHT, PAD, WIDTH, Bench, ring_from_above  # noqa: E402,F401

SHIPPED = ros.SOURCE / "vision"
CAR = (-1.9, -1.1)  # north, east: where jet_world has its marker
# the seed's list, with what is this one's beyond it
SERVICES = """/jet/charge /jet/grabber/cmd /jet/grabber/stat /jet/reload_dropoint_param /jet/reload_duration_param
 /jet/reload_flight_param /jet/reload_pid_param /usb_cam/set_camera_info /usb_cam/start_capture /usb_cam/stop_capture
 /vision/reload_camera_param /vision/reload_circle_param /vision/reload_detmod_param /vision/reload_marker_param""".split()
BEYOND = "/jet/arm /jet/command /jet/parameter /jet/reload_timeout_param".split()
TOPICS = """/jet/nav_action/cancel /jet/nav_action/feedback /jet/nav_action/goal /jet/nav_action/result
 /jet/nav_action/status /jet/pose_calied /jet/state /tf /vision/detection_mode /vision/result /vision/target_pose""".split()


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        cls.config = MASTER.folder / "vision"
        shutil.copytree(SHIPPED, cls.config)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def flight(self, guidance=False, **arguments):
        """The original's launch file with a world that publishes no targets."""
        f = jf.Flight(MASTER, guidance=guidance, launch=("jet_onboard.launch" if guidance else "jet_onlaptop.launch",
                      f"config:={self.jet_config}", "video_device:=world", "camera:=camera_onboard", *arguments.get("launch", ())),
                      world={"_targets": False})
        return f

    def test_0_both_launch_files_start_camera_and_vision(self):
        for name in ("onboard", "onlaptop"):
            nodes = MASTER.roslaunch("--nodes", "jet", f"jet_{name}.launch").split()
            self.assertEqual(sorted(nodes), ["/jet", "/usb_cam", "/vision"])

    def test_1_a_camera_starts_and_stops_and_keeps_its_calibration(self):
        video = MASTER.folder / "absent.avi"
        file = self.config / "camera_onlaptop.yaml"
        cam = MASTER.run("usb_cam", "usb_cam_node", name="usb_cam", _video_device=video, _camera_info_url=f"file://{file}")
        cam.wait_for("/usb_cam/image_raw", "/usb_cam/camera_info", "/usb_cam/start_capture", "/usb_cam/stop_capture",
                     "/usb_cam/set_camera_info")
        ros.wait_until(lambda: "expected a video file or a camera" in cam.text(), "it says that there is no camera")
        self.assertTrue(cam.alive())
        call = lambda what: rospy.ServiceProxy(f"/usb_cam/{what}_capture", Empty)()
        call("stop")
        ros.wait_until(lambda: "capture stopped" in cam.text(), "it stops")
        call("start")
        info = CameraInfo(width=640, height=480, distortion_model="plumb_bob", D=[0.01, 0, 0, 0, 0],
                          K=[600.5, 0, 320, 0, 601.5, 240, 0, 0, 1], P=[600, 0, 320, 0, 0, 600, 240, 0, 0, 0, 1, 0])
        told = rospy.ServiceProxy("/usb_cam/set_camera_info", SetCameraInfo)(info)
        self.assertTrue(told.success, told.status_message)
        text = file.read_text()
        self.assertIn("600.5", text)
        self.assertIn("extrinsic_translation", text)
        info.width = 320
        told = rospy.ServiceProxy("/usb_cam/set_camera_info", SetCameraInfo)(info)
        self.assertFalse(told.success)
        self.assertIn("640 x 480", told.status_message)
        self.assertEqual(file.read_text(), text)
        self.assertEqual(cam.stop(), 0)

    def test_2_what_is_looked_for_is_by_state_and_reloaded_whole(self):
        pad = ring_from_above()
        b = Bench(MASTER, "eye", self.config)
        b.state(0)
        # the state is known: the camera is told to stop, once
        ros.wait_until(lambda: b.states.publish(UInt8(0)) or b.calls, "the camera is told")
        self.assertEqual(b.told(), ["stop"])
        b.state(12)

        def bare():
            b.states.publish(UInt8(12))
            m = Image(width=WIDTH, height=HEIGHT, encoding="rgb8", step=3 * WIDTH, data=pad)
            m.header.stamp = rospy.Time(50)
            b.images.publish(m)
            return "pictures without camera_info are not searched" in b.node.text()
        ros.wait_until(bare, "without a calibration it says that it does nothing")
        self.assertIsNone(b.targets.last())
        seen = b.show(pad)
        ros.wait_until(lambda: "camera parameters obtained" in b.node.text(), "it says that it has one")
        ros.wait_until(lambda: b.told() == ["stop", "start"], "the camera is started")
        self.assertEqual(seen.header.frame_id, "pad")
        p, q = seen.pose.position, seen.pose.orientation
        # forward, right, down of the body: the camera is 0.10 m ahead, the top of its picture forward
        for got, wanted in zip((p.x, p.y, p.z), (0.10 - PAD[1], PAD[0], PAD[2])):
            self.assertAlmostEqual(got, wanted, delta=0.005)
        self.assertAlmostEqual(q.w, 1, delta=0.001)
        ros.wait_until(lambda: b.results.last(), "the picture with what was found in it")
        self.assertEqual((b.results.last().width, b.results.last().encoding), (WIDTH, "rgb8"))
        # a car's marker is not in it
        b.state(7)
        b.show(pad, finds=False)
        self.assertEqual(b.show(pad, finds=False), [])
        for part in ("camera", "circle", "detmod", "marker"):
            b.call(part)
        MASTER.set_param("/eye/circle", {"inner_radius": 0.9, "outer_radius": 0.5})
        with self.assertRaisesRegex(rospy.ServiceException, "inner_radius"):
            b.call("circle")
        self.assertIn("circle not reloaded, nothing has changed", b.node.text())
        # the camera sits elsewhere
        file = self.config / "camera_onboard.yaml"
        text = file.read_text()
        ahead, moved = "[ 0.10, 0.0, 0.0 ]", "[ 0.30, 0.0, 0.0 ]"
        self.assertIn(ahead, text)
        file.write_text(text.replace(ahead, moved))
        b.call("camera")
        b.state(12)
        self.assertAlmostEqual(b.show(pad).pose.position.x, p.x + 0.2, delta=0.005)
        file.write_text(text)
        b.call("camera")
        # twice as large, and so twice as far
        b.state(12)
        near = b.show(pad).pose.position.z
        MASTER.set_param("/eye/circle", {"inner_radius": 0.9, "outer_radius": 1.0})
        b.call("circle")
        self.assertAlmostEqual(b.show(pad).pose.position.z / near, 2, delta=0.02)
        # as the seed writes it
        MASTER.set_param("/eye/detection_mode", {"marker": [6, 7], "circle": [[11, 13]]})
        b.call("detmod")
        count = b.modes.mark()
        ros.wait_until(lambda: b.states.publish(UInt8(12)) or b.calls[-1] == "stop", "state 12 looks for nothing now")
        self.assertEqual(b.modes.mark(), count)
        self.assertEqual(b.node.stop(), 0)

    def test_3_a_delivery_that_sees_with_nothing_else(self):
        self.jet_config = MASTER.folder / "config"
        shutil.copytree(ros.SOURCE / "bridges/ros1/packages/jet/config", self.jet_config)
        (self.jet_config / "duration.yaml").write_text(f"duration: {jf.SHORT_DWELLS}\n")
        (self.jet_config / "timeout.yaml").write_text("odom_callback_timeout: 800\nvision_callback_timeout: 300\n")
        f = self.flight(launch=("console:=false", "enable_serial:=true"))
        for name in SERVICES:
            ros.wait_until(lambda n=name: n in [s for s, _ in MASTER.state()[2]], f"{name} is there")
        targets = jf.Newest("/vision/target_pose", PoseStamped)
        jf.Newest("/vision/result", Image)
        ours = ("/jet/", "/usb_cam/", "/vision/")
        own = {s for s, _ in MASTER.state()[2] if s.startswith(ours) and "logger" not in s}
        self.assertEqual(own, set(SERVICES + BEYOND))
        published = {t: nodes for t, nodes in MASTER.state()[0]}
        self.assertEqual(published["/vision/target_pose"], ["/vision"])
        heard = set(published) | {t for t, _ in MASTER.state()[1]}
        self.assertLessEqual(set(TOPICS), heard)
        f.arm()
        begin = f.state.mark()
        f.charge()
        f.comes_to(jf.DROP, begin)
        at_drop = f.place(f.entered_at(jf.DROP))
        mark = f.comes_to(jf.LANDING, begin)
        mark = f.comes_to(jf.STAND_BY, mark)
        ros.wait_until(lambda: f.phase() == jf.MOTORS_OFF, "its motors stand")
        order = [m.data for m in f.state.all]
        self.assertEqual([s for i, s in enumerate(order) if i == 0 or order[i - 1] != s], list(range(15)) + [0])
        # the dead band of the original's pid.yaml on two axes, and what the craft moves within it
        self.assertLess(math.dist(at_drop[:2], CAR), 0.2)
        self.assertLess(math.hypot(*f.place()[:2]), 0.25)
        frames = {m.header.frame_id for m in targets.all}
        self.assertEqual(frames, {"marker", "pad"})
        # the camera ran when the state needed it, and at no other time
        text = f.node.text()
        self.assertIn("capture stopped", text)
        self.assertEqual(f.node.stop(signal.SIGINT), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
