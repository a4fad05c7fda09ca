"""The node jet and its simulated aircraft on one master, in simulated time, for the tests of both.

    flight = jet_flight.Flight(MASTER, guidance=False)     # jet_world and jet
    flight.arm()                                    # a hand lifts it: that proves the frame
"""
import re
import threading

import ros

import rospy
from geometry_msgs.msg import PoseStamped, TwistStamped
from jet.srv import Charge, Command
from std_msgs.msg import UInt8
from std_srvs.srv import SetBool, Trigger

SPEED = 4
# states as in /jet/state
(STAND_BY, GRAB, REQUEST, TAKE_OFF, TO_ALTITUDE, TO_CAR, FIND_CAR, SERVE, DROP, BACK_UP, FLY_BACK, FIND_PARK,
 SERVO_LANDING, LANDING, RELEASE) = range(15)
MOTORS_OFF, ON_GROUND, TAKING_OFF, AIRBORNE = range(4)
NAMES = ("stand_by grab_bullets request_control take_off to_normal_altitude fly_to_car find_car serve_car drop_bullets"
         " back_to_normal_altitude fly_back find_park visual_servo_landing landing release_control").split()
SHORT_DWELLS = [10, 10, 5, 20] + [10] * 11


class Newest:
    """Everything that came on a topic, in order."""

    def __init__(self, topic, kind, **options):
        self.lock, self.all = threading.Lock(), []
        self.subscriber = rospy.Subscriber(topic, kind, self.take, queue_size=1000, tcp_nodelay=True, **options)

    def take(self, message):
        with self.lock:
            self.all.append(message)

    def last(self):
        with self.lock:
            return self.all[-1] if self.all else None

    def since(self, count):
        with self.lock:
            return self.all[count:]

    def mark(self):
        with self.lock:
            return len(self.all)

    def connected(self):
        ros.wait_until(lambda: ros.is_heard(self.subscriber), f"{self.subscriber.name} is connected")
        return self


class Flight:
    def __init__(self, master, declared_guidance=None, guidance=False, parameters=None, launch=(), world=None, **arguments):
        """`guidance`: what the odometry is; `declared_guidance`: what the node is told; `launch`: a launch file and its
        arguments, which start the node instead; `world`: further arguments of jet_world."""
        self.master = master
        master.set_param("/use_sim_time", True)
        self.port = master.folder / "grabber"
        self.world = master.run("jet", "jet_world", _clock=True, _lockstep=True, _speed=SPEED, _use_guidance=guidance,
                                _serial_port=self.port, **(world or {})).wait_for("/flight_controller/land", "/clock")
        if not rospy.core.is_initialized():
            rospy.init_node("test", disable_signals=True)
        # what comes by another thread may come a tick later
        settings = {"duration": SHORT_DWELLS, "odom_callback_timeout": 800, "vision_callback_timeout": 300,
                    **(parameters or {})}
        for name, value in ({} if launch else settings).items():
            master.set_param("/jet/" + name, value)
        self.state = Newest("/jet/state", UInt8)
        self.status = Newest("/flight_controller/flight_status", UInt8)
        self.truth = Newest("/jet_world/truth", PoseStamped)
        self.payload = Newest("/jet_world/payload", PoseStamped)
        self.pose = Newest("/jet/pose_calied", PoseStamped)
        self.motion = Newest("/flight_controller/set_velocity", TwistStamped)
        if launch:
            self.node = master.tool("/usr/bin/roslaunch", "jet", *launch, f"serial_port:={self.port}")
            ros.wait_until(lambda: "/jet/charge" in [s for s, _ in master.state()[2]], "roslaunch has started it")
            return
        declared = guidance if declared_guidance is None else declared_guidance
        remap = {"/jet/odom_in": "/guidance/odom" if guidance else "/dji_sdk/odometry"}
        self.node = master.run("jet", "jet", _use_guidance=declared, _serial_port=self.port,
                               **{**remap, **arguments}).wait_for("/jet/charge", "/jet/grabber/cmd", "/jet/state")

    def call(self, name, kind, *arguments):
        rospy.wait_for_service(name, ros.PATIENCE_S)
        return rospy.ServiceProxy(name, kind)(*arguments)

    def charge(self):
        return self.call("/jet/charge", Charge)

    def command(self, line):
        """Its answer. Where the machine let nothing tick for seconds the words were taken back, unheard: said again."""
        def heard():
            answer = self.call("/jet/command", Command, line)
            return None if "nothing ticks" in answer.message else answer
        return ros.wait_until(heard, f"{line!r} is heard")

    def set_armed(self, on):
        return self.call("/jet/arm", SetBool, on)

    def lift(self):
        assert self.call("/jet_world/lift", Trigger).success

    def wait(self, seconds):
        begin = rospy.Time.now()
        ros.wait_until(lambda: (rospy.Time.now() - begin).to_sec() > seconds, f"{seconds} s are over")

    def arm(self):
        """What is seen of a lift may be lost: then once more, as a person would."""
        def armed():
            self.lift()
            self.wait(5)
            return self.set_armed(True).success
        ros.wait_until(armed, "it lets itself be armed")

    def is_at(self, *states):
        return self.state.last() and self.state.last().data in states

    def comes_to(self, state, since):
        """Until it has been in that state, however shortly; `since`: a mark of the states. Answers the mark after it."""
        def found():
            return next((since + i + 1 for i, m in enumerate(self.state.since(since)) if m.data == state), None)
        return ros.wait_until(found, f"{NAMES[state]} begins")

    def entered_at(self, state):
        """When it entered that state last, in simulated time, by its log."""
        def found():
            times = re.findall(r", ([0-9.]+)\]: state entered: " + NAMES[state] + r"\b", self.node.text())
            return times and float(times[-1])
        return ros.wait_until(found, f"the log tells of {NAMES[state]}")

    def phase(self):
        return self.status.last().data if self.status.last() else None

    @staticmethod
    def at(topic, time):
        """The newest message, or the first that is not before that time."""
        if time is None:
            return topic.last()
        return ros.wait_until(lambda: next((m for m in topic.since(0) if m.header.stamp.to_sec() >= time), None),
                              f"what was so at {time}")

    def place(self, time=None):
        p = self.at(self.truth, time).pose.position
        return p.x, p.y, p.z

    def payload_place(self, time=None):
        """North, east, up of its middle, and whether the claw holds it; None without a world that has one."""
        if "without MuJoCo" in self.world.text():
            return None
        m = self.at(self.payload, time)
        return m.pose.position.x, m.pose.position.y, m.pose.position.z, m.header.frame_id == "claw"

    def stop(self):
        assert self.node.stop() == 0, self.node.text()
        assert self.world.stop() == 0, self.world.text()
