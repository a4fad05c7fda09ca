"""The node usb_cam as launch files for the original start it, and pictures for a radio link."""
import json
import shutil
import unittest

import ros

MASTER = ros.Master("camera")

import rospy  # noqa: E402  (the master must be known first)
from sensor_msgs.msg import CompressedImage, Image  # noqa: E402
from std_msgs.msg import UInt8  # noqa: E402

import jet_flight as jf  # noqa: E402
from vision_bench import HEIGHT, WIDTH, Bench, ring_from_above  # noqa: E402

PINTLE = ros.ROOT / "../apps/pintle/pintle"
# all parameters of usb_cam 0.3, as its launch files write them; the camera is the aircraft's
ORIGINAL = """
<launch>
  <node name="usb_cam" pkg="usb_cam" type="usb_cam_node" output="screen">
    <param name="video_device" value="{video}" />
    <param name="image_width" value="640" />
    <param name="image_height" value="480" />
    <param name="framerate" value="30" />
    <param name="pixel_format" value="yuyv" />
    <param name="camera_frame_id" value="usb_cam" />
    <param name="camera_name" value="usb_cam" />
    <param name="camera_info_url" value="file://{calibration}" />
    <param name="io_method" value="mmap" />
    <param name="brightness" value="-1" />
    <param name="contrast" value="32" />
    <param name="saturation" value="32" />
    <param name="sharpness" value="-1" />
    <param name="gain" value="-1" />
    <param name="autofocus" value="false" />
    <param name="focus" value="0" />
    <param name="autoexposure" value="false" />
    <param name="exposure" value="100" />
    <param name="auto_white_balance" value="true" />
    <param name="white_balance" value="4000" />
    <param name="image_raw/compressed/jpeg_quality" value="60" />
  </node>
</launch>
"""


class Camera(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        cls.config = MASTER.folder / "vision"
        shutil.copytree(ros.SOURCE / "vision", cls.config)
        cls.calibration = cls.config / "camera_onboard.yaml"
        cls.pad = (ros.SOURCE / "docs/images/pad.jpg").read_bytes()
        cls.video = MASTER.folder / "pad.mjpeg"
        cls.video.write_bytes(20 * cls.pad)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def found(self, name, data):
        """Where the command finds the ring of the pad in a picture file."""
        file = MASTER.folder / name
        file.write_bytes(data)
        lines = MASTER.call(PINTLE, "detect", "--camera", self.calibration, "--circle", self.config / "circle.yaml",
                            "--mode", "circle", file).splitlines()
        self.assertEqual(len(lines), 1, lines)
        return json.loads(lines[0])["t_cam_obj_m"]

    def assert_near(self, one, other):
        self.assertLess(max(abs(a - b) for a, b in zip(one, other)), 0.02, (one, other))

    def test_1_a_launch_file_of_the_original_with_every_parameter(self):
        launch = MASTER.folder / "original.launch"
        launch.write_text(ORIGINAL.format(video=self.video, calibration=self.calibration))
        cam = MASTER.tool("roslaunch", launch)
        pictures = jf.Newest("/usb_cam/image_raw", Image)
        packed = jf.Newest("/usb_cam/image_raw/compressed", CompressedImage)
        both = lambda: {m.header.stamp for m in pictures.since(0)} & {m.header.stamp for m in packed.since(0)}
        stamp = ros.wait_until(both, "the same picture comes both ways").pop()
        plain = next(m for m in pictures.since(0) if m.header.stamp == stamp)
        small = next(m for m in packed.since(0) if m.header.stamp == stamp)
        self.assertEqual((plain.width, plain.height, plain.encoding), (640, 480, "rgb8"))
        self.assertEqual(small.header.frame_id, "usb_cam")
        self.assertEqual(small.format, "rgb8; jpeg compressed bgr8")
        self.assertLess(len(small.data), len(plain.data) / 10)
        # decoded it is the picture: colours and places
        raw = b"P6 640 480 255\n" + bytes(plain.data)
        self.assert_near(self.found("small.jpg", small.data), self.found("plain.ppm", raw))
        ros.wait_until(lambda: "is no camera: nothing comes of" in cam.text(), "it says what counts for nothing")
        told = [line for line in cam.text().splitlines() if "is no camera" in line]
        self.assertEqual(len(told), 1, told)
        for name in ("pixel_format", "io_method", "focus", "exposure", "white_balance"):
            self.assertIn("~" + name, told[0])
        cam.stop(group=True)

    def test_2_what_cannot_be_meant_is_refused_with_what_can(self):
        for name, value, words in (("pixel_format", "yuv2", "yuyv or uyvy or mjpeg or rgb24 or grey or yuvmono10, got yuv2"),
                                   ("io_method", "dma", "mmap or read or userptr, got dma"),
                                   ("exposure", "long", "a number from -1"), ("focus", "2.5", "a whole number"),
                                   ("gain", "-2", "a number from -1"), ("autofocus", "3", "true or false"),
                                   ("zoom", "1", "there is no parameter ~zoom"),
                                   ("image_raw/compressed/quality", "50",
                                    "there is no parameter ~image_raw/compressed/quality")):
            cam = MASTER.run("usb_cam", "usb_cam_node", name="wrong_" + name.replace("/", "_"), _video_device=self.video,
                             _camera_info_url=self.calibration, **{f"_{name}": value})
            self.assertEqual(cam.wait(), 3, cam.text())
            self.assertIn(words, cam.text())

    def test_3_what_vision_draws_goes_over_the_radio_too(self):
        packed = jf.Newest("/eye/result/compressed", CompressedImage)
        b = Bench(MASTER, "eye", self.config)
        ros.wait_until(lambda: b.node.is_heard_by("/test", "/eye/result/compressed"), "the test hears it")
        b.state(12)
        seen = b.show(ring_from_above())
        # those of before, in which nothing was found, may come late
        ros.wait_until(lambda: packed.last() and packed.last().header.stamp >= seen.header.stamp,
                       "the picture with what was found in it")
        small = packed.last()
        self.assertEqual(small.format, "rgb8; jpeg compressed bgr8")
        self.assertLess(len(small.data), WIDTH * HEIGHT * 3 / 10)
        self.assertEqual(bytes(small.data[:2]), b"\xff\xd8")
        self.assertEqual(b.node.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
