"""The nodes usb_cam and vision at the edges: masters and cameras that go, hang and come back, stamps that cannot be."""
import contextlib
import itertools
import os
import shutil
import signal
import threading
import unittest

import ros

MASTER = ros.Master("vision_edge")

import rospy  # noqa: E402  (the master must be known first)
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from sensor_msgs.msg import CameraInfo, Image  # noqa: E402
from std_srvs.srv import Empty  # noqa: E402

import jet_flight as jf  # noqa: E402
from vision_bench import CX, CY, F, HEIGHT, WIDTH, Bench, ring_from_above  # noqa: E402

SHIPPED = ros.SOURCE / "vision"


class Edges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        cls.config = MASTER.folder / "vision"
        shutil.copytree(SHIPPED, cls.config)
        cls.pad = ring_from_above()

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def camera(self, name):
        """usb_cam with the pictures of a world that need not be there."""
        cam = MASTER.run("usb_cam", "usb_cam_node", name=name, _video_device="world",
                         _camera_info_url=self.config / "camera_onboard.yaml")
        return cam.wait_for(*(f"/{name}/{s}" for s in ("image_raw", "start_capture", "stop_capture", "set_camera_info")))

    def comes_to(self, bench, cam, state, word):
        """The state is said until the camera has done what it means."""
        count = cam.text().count(word)
        ros.wait_until(lambda: bench.state(state) or cam.text().count(word) > count, f"{cam.name}: {word}")

    def test_1_a_master_that_goes_while_the_camera_is_told_something(self):
        cam = self.camera("cam_1")
        b = Bench(MASTER, "eye_1", self.config, camera="/cam_1")
        self.comes_to(b, cam, 0, "capture stopped")
        start = rospy.ServiceProxy("/cam_1/start_capture", Empty, persistent=True)
        start()
        rospy.ServiceProxy("/cam_1/stop_capture", Empty)()
        starts = cam.text().count("capture started")
        MASTER.stop()
        # the camera is told without a master: over a connection that was there before
        told = threading.Thread(target=start)
        told.start()
        ros.wait_until(lambda: cam.text().count("capture started") > starts, "it was told")
        ros.wait_until(lambda: "master is gone" in cam.text(), "it has missed the master")
        MASTER.start()
        told.join()
        for what in ("start_capture", "stop_capture", "set_camera_info"):
            ros.wait_until(lambda w=what: cam.advertises(f"/cam_1/{w}"), f"{what} is there again")
        ros.wait_until(lambda: b.state(12) or "/cam_1/start_capture" in b.node.text(), "it tells the camera to start")
        self.comes_to(b, cam, 0, "capture stopped")
        self.comes_to(b, cam, 12, "capture started")
        self.comes_to(b, cam, 0, "capture stopped")
        self.assertEqual(cam.stop(signal.SIGKILL), -signal.SIGKILL)
        b.state(12)
        ros.wait_until(lambda: "does not answer" in b.node.text(), "the camera is missed")
        cam = self.camera("cam_1")
        self.comes_to(b, cam, 0, "capture stopped")
        self.comes_to(b, cam, 12, "capture started")
        # somebody else has stopped it: no pictures come, and it is asked again
        count = cam.text().count("capture started")
        rospy.ServiceProxy("/cam_1/stop_capture", Empty)()
        ros.wait_until(lambda: cam.text().count("capture started") > count, "it is started again")
        ros.wait_until(lambda: "no pictures come" in b.node.text(), "it is said that none come")
        self.assertEqual(b.node.stop(), 0)
        self.assertEqual(cam.stop(), 0)

    def test_2_it_ends_while_the_camera_hangs(self):
        for sig, how in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            cam = self.camera("cam_2")
            b = Bench(MASTER, f"eye_2_{how.lower()}", self.config, camera="/cam_2")
            self.comes_to(b, cam, 0, "capture stopped")
            os.kill(cam.pid, signal.SIGSTOP)
            b.state(12)

            def connected():
                b.state(12)
                return self.has_connection_to(b.node.pid, cam.pid)
            ros.wait_until(connected, "it calls the camera")
            self.assertEqual(b.node.stop(sig, patience_s=30), 0, how)
            os.kill(cam.pid, signal.SIGCONT)
            self.assertEqual(cam.stop(), 0)

    def test_7_what_cannot_be_meant_is_refused_at_the_start(self):
        cam = {"_video_device": "world"}
        for package, node, args, said in (
                ("vision", "vision", {"_config_dir": self.config, "_usb_cam": "/usb cam"}, "the name of the camera's node"),
                ("usb_cam", "usb_cam_node", dict(cam, _camera_info_url="package://vision/config/camera_onboard.yaml"),
                 "a path or file:// and a path")):
            n = MASTER.run(package, node, name=f"{node}_7", **args)
            self.assertEqual(n.wait(), 3, n.text())
            self.assertIn(said, n.text())

    def test_8_a_camera_file_that_was_cut_is_told(self):
        file = self.config / "camera_cut.yaml"
        file.write_text((SHIPPED / "camera_onboard.yaml").read_text().partition("# Rotation from")[0])
        eye = MASTER.run("vision", "vision", name="eye_8", _config_dir=self.config, _camera=f"file://{file}")
        eye.wait_for("/eye_8/reload_camera_param")
        ros.wait_until(lambda: "extrinsic" in eye.text(), "what is missing is said")
        self.assertEqual(eye.stop(), 0)

    def test_5_a_camera_that_waits_for_a_master_ends(self):
        cam = self.camera("cam_5")
        start = rospy.ServiceProxy("/cam_5/start_capture", Empty, persistent=True)
        start()
        rospy.ServiceProxy("/cam_5/stop_capture", Empty)()
        # else it is the same subscription that goes on
        ros.wait_until(lambda: not cam.subscribes("/jet_world/image"), "it has stopped")
        MASTER.stop()

        def call():
            with contextlib.suppress(rospy.ServiceException):
                start()
        called = threading.Thread(target=call, daemon=True)
        called.start()
        ros.wait_until(lambda: "Failed to contact master" in cam.text(), "its subscription waits")
        self.assertEqual(cam.stop(signal.SIGINT, patience_s=30), 0)
        called.join()
        MASTER.start()

    def show(self, b, stamp, until, what, **changes):
        """A picture again and again, with that stamp (a number, or how it follows from the count), until something holds."""
        count = [0]

        def shown():
            count[0] += 1
            b.states.publish(12)
            b.infos.publish(CameraInfo(width=WIDTH, height=HEIGHT, distortion_model="plumb_bob", D=[0] * 5,
                                       K=[F, 0, CX, 0, F, CY, 0, 0, 1]))
            # no two pictures of a camera are the same
            data = self.pad if "data" in changes else bytes([count[0] % 250]) + self.pad[1:]
            m = Image(**{**dict(width=WIDTH, height=HEIGHT, encoding="rgb8", step=3 * WIDTH), **changes, "data": data})
            m.header.stamp = stamp(count[0]) if callable(stamp) else stamp
            b.images.publish(m)
            return until()
        return ros.wait_until(shown, what)

    def test_3_what_is_wrong_with_pictures_is_said_and_is_an_alarm(self):
        alarms = jf.Newest("/alarm/updates", Alarm)
        told = jf.Newest("/diagnostics", DiagnosticArray)
        b = Bench(MASTER, "eye_3", self.config)

        def alarm(raised):
            of_it = [a for a in alarms.since(0) if a.alarm_name == "vision-pictures" and a.node_name == "/eye_3"]
            return of_it and of_it[-1].raised == raised and of_it[-1]

        good = lambda n: rospy.Time(1000 + self.begun + n)

        def recovers():
            self.begun += 1000
            count = b.node.text().count("/eye_3/image: good again")
            self.show(b, good, lambda: b.node.text().count("/eye_3/image: good again") > count and not alarm(True),
                      "it is over")
            self.assertTrue(alarm(False))
        self.begun = 0
        for stamp, words, changes in (
                (rospy.Time(0), "pictures whose stamp is 0 are not searched", {}),
                (rospy.Time(77.5), "pictures whose stamp stands are not searched: it is 77.5", {}),
                (lambda n: rospy.Time(9000 + n), "pictures are the same to the byte", {"data": None}),
                (lambda n: rospy.Time(9000 + n), "they are 640 x 240 px, and their calibration is for 640 x 480",
                 {"height": HEIGHT // 2})):
            self.show(b, stamp, lambda: words in b.node.text() and alarm(True), words, **changes)
            self.assertIn(words, alarm(True).problem_description)
            if "same to the byte" in words:
                # what an old picture shows is not told again under new stamps
                shown = iter(range(20))
                self.show(b, lambda n: rospy.Time(20000 + n), lambda: next(shown, None) is None, "twenty more", **changes)
            ros.wait_until(lambda: any(words in s.message and s.level == 2 for m in told.since(0) for s in m.status
                                       if s.name == "vision: pictures"), f"diagnostics: {words}")
            recovers()
        self.assertTrue(b.targets.since(0))
        self.assertEqual([m for m in b.targets.since(0) if 20000 <= m.header.stamp.to_sec() < 20100], [])
        # as far from now as a stamp can be
        self.show(b, lambda n: rospy.Time(4294967295 - (n & 1) * 4294967000), lambda: b.targets.last(), "it lives on")
        self.assertTrue(b.node.alive())
        # none at all
        ros.wait_until(lambda: b.states.publish(12) or "no pictures come" in b.node.text(), "it misses them")
        ros.wait_until(lambda: alarm(True), "that is an alarm")
        self.assertEqual(b.node.stop(), 0)

    def test_4_targets_that_jet_cannot_take_are_said_and_are_an_alarm(self):
        alarms = jf.Newest("/alarm/updates", Alarm)
        targets = rospy.Publisher("/vision/target_pose", PoseStamped, queue_size=1)
        jet = MASTER.run("jet", "jet", _enable_serial=False, _use_guidance=False).wait_for("/jet/state", "/jet/charge")
        ros.wait_until(lambda: jet.hears("/test", "/vision/target_pose"), "it hears the test")

        def raised():
            of_it = [a for a in alarms.since(0) if a.alarm_name == "jet-targets"]
            return bool(of_it) and of_it[-1].raised

        def show(stamp, until, what):
            def shown():
                m = PoseStamped()
                m.header.frame_id, m.header.stamp, m.pose.position.z = "pad", stamp(), 1
                targets.publish(m)
                return until()
            ros.wait_until(shown, what)
        now = rospy.Time.now
        number = itertools.count()  # one stamp again and again would be told as that
        for stamp, words in ((lambda: rospy.Time(0), "targets whose stamp is 0 are not taken"),
                             (lambda: rospy.Time(4294967295 - next(number)), "of a time to come are not taken: they are stamped ahead by"),
                             (lambda: now() + rospy.Duration(3), "of a time to come are not taken: they are stamped ahead by"),
                             (lambda: now() - rospy.Duration(40), "too old are not taken: by 39.4 s over 0.6 s"),
                             (lambda s=now(): s, "targets whose stamp stands are not taken")):
            count = jet.text().count(words)
            show(stamp, lambda: jet.text().count(words) > count and raised(), words)
            over = jet.text().count("/vision/target_pose: good again")
            show(lambda: now() - rospy.Duration(0.05),
                 lambda: jet.text().count("/vision/target_pose: good again") > over and not raised(), "it is over")
        self.assertEqual(jet.stop(), 0)

    def has_connection_to(self, client, server):
        """A call that is under way: a connection of the one to a port that the other listens on."""
        def sockets(pid):
            links = []
            for fd in os.listdir(f"/proc/{pid}/fd"):
                try:
                    links.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
                except OSError:
                    pass
            return {link[8:-1] for link in links if link.startswith("socket:[")}
        ours, theirs = sockets(client), sockets(server)
        rows = [line.split() for line in open("/proc/net/tcp").read().splitlines()[1:]]
        ports = {r[1].split(":")[1] for r in rows if r[9] in theirs and r[3] == "0A"}
        return any(r[9] in ours and r[3] == "01" and r[2].split(":")[1] in ports for r in rows)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
