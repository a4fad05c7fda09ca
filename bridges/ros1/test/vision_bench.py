"""The node vision with a camera that a test is."""
import math

import ros

import rospy
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import UInt8
from std_srvs.srv import Empty

import jet_flight as jf

# a camera without distortion: focal length and middle, px
WIDTH, HEIGHT, F, CX, CY = 640, 480, 490.0, 308.0, 252.0
PAD = (0.12, -0.07, 1.6)  # right, down, ahead of the camera: the middle of the pad


def ring_from_above():
    """A pad on grey ground as a camera sees it that looks straight down: by hand, pixel by pixel."""
    blue, grey = (20, 60, 190), (120, 125, 118)
    x0, y0, h = PAD
    data = bytearray(bytes(grey) * (WIDTH * HEIGHT))
    near = 2 * h / F  # two pixels
    for v in range(HEIGHT):
        y = (v - CY) / F * h - y0
        for u in range(WIDTH):
            x = (u - CX) / F * h - x0
            if not (0.45 - near) ** 2 < x * x + y * y < (0.50 + near) ** 2:
                continue
            r = math.hypot(x, y)
            # how much of the pixel is between the radii
            share = min(1, max(0, (r - 0.45) * F / h + 0.5)) - min(1, max(0, (r - 0.50) * F / h + 0.5))
            at = 3 * (v * WIDTH + u)
            data[at:at + 3] = bytes(int(g + share * (b - g)) for b, g in zip(blue, grey))
    return bytes(data)


class Bench:
    """vision alone, with a camera that this test is."""

    def __init__(self, master, name, config, camera=None, **arguments):
        self.images = rospy.Publisher(f"/{name}/image", Image, queue_size=1)
        self.infos = rospy.Publisher(f"/{name}/info", CameraInfo, queue_size=1)
        self.states = rospy.Publisher(f"/{name}/state", UInt8, queue_size=1)
        self.targets = jf.Newest(f"/{name}/target_pose", PoseStamped)
        self.modes = jf.Newest(f"/{name}/detection_mode", UInt8)
        self.results = jf.Newest(f"/{name}/result", Image)
        self.calls = []
        self.pictures = 0
        for what in () if camera else ("start", "stop"):
            rospy.Service(f"/{name}_cam/{what}_capture", Empty, lambda _, w=what: self.calls.append(w) or [])
        self.node = master.run("vision", "vision", name=name, _config_dir=config, _usb_cam=camera or f"/{name}_cam",
                               **{"/image": f"/{name}/image", "/camera_info": f"/{name}/info",
                                  "/jet/state": f"/{name}/state", **arguments})
        self.node.wait_for(f"/{name}/target_pose", f"/{name}/reload_marker_param")
        topics = [f"/{name}/{t}" for t in ("image", "info", "state")]
        ros.wait_until(lambda: self.node.hears("/test", *topics), "it hears the test")
        ros.wait_until(lambda: self.node.is_heard_by("/test", f"/{name}/target_pose", f"/{name}/detection_mode",
                                                     f"/{name}/result"), "the test hears it")
        self.name = name

    def told(self):
        """What the camera was told: the same again while its pictures say otherwise is no other word."""
        return [c for i, c in enumerate(self.calls) if i == 0 or self.calls[i - 1] != c]

    def call(self, part):
        return rospy.ServiceProxy(f"/{self.name}/reload_{part}_param", Empty)()

    def state(self, number):
        """Said again and again, as the node jet does, until it is known."""
        self.number = number
        self.states.publish(UInt8(number))

    def show(self, data, finds=True):
        """Until the node has looked at it in the state that was said; what it found in these pictures, the last of it where
        it is to find something."""
        info = CameraInfo(width=WIDTH, height=HEIGHT, distortion_model="plumb_bob", D=[0] * 5,
                          K=[F, 0, CX, 0, F, CY, 0, 0, 1])
        before, first = self.modes.mark(), self.pictures + 1

        def looked():
            self.pictures += 1
            self.states.publish(UInt8(self.number))
            self.infos.publish(info)
            # no two pictures of a camera are the same
            m = Image(width=WIDTH, height=HEIGHT, encoding="rgb8", step=3 * WIDTH,
                      data=bytes([self.pictures % 250]) + data[1:])
            m.header.stamp = rospy.Time(100 + self.pictures)
            self.images.publish(m)
            return self.modes.mark() > before and self.modes.last().data == self.number
        ros.wait_until(looked, f"a picture in state {self.number} is looked at")
        found = lambda: [m for m in self.targets.since(0) if m.header.stamp.to_sec() >= 100 + first]
        return ros.wait_until(found, "what was found in it comes")[-1] if finds else found()
