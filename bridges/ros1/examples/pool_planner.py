#!/usr/bin/python3
"""Once round a pool, with the controls node's documented steps and nothing else.

For each new desired state, in this order and in quick succession: reset the PID loops (if the state
differs much from the last), publish what is desired, set the control types, enable. Whether the vehicle
has arrived is read from /state, never from the errors that the node publishes. A desired pose is said once; a
desired velocity again and again, because the node lets go of one that it has not heard for a second.

    roslaunch controls controls.launch        # and something that publishes /state and tf
    ./pool_planner.py                         # ends with status 0 when the round is done
"""
import math
import sys
import threading

import rospy
from custom_msgs.msg import ControlTypes
from custom_msgs.srv import SetControlTypes
from geometry_msgs.msg import Pose, Twist
from nav_msgs.msg import Odometry
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

AXES = ("x", "y", "z", "roll", "pitch", "yaw")


def quaternion(roll_deg, pitch_deg, yaw_deg):
    """x, y, z, w of a turn about x, then y, then z of the fixed frame."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a / 2), math.cos(a / 2))
                                    for a in map(math.radians, (roll_deg, pitch_deg, yaw_deg)))
    return (sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy)


def angle_between_deg(p, q):
    """How far apart two attitudes are."""
    return math.degrees(2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(p, q))))))


class Failure(Exception):
    pass


class Planner:
    def __init__(self):
        self._state, self._lock = None, threading.Lock()
        self.pose = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]  # metres and degrees
        self.turned_roll_deg = 0.0
        self._position = rospy.Publisher("/controls/desired_position", Pose, queue_size=1)
        self._velocity = rospy.Publisher("/controls/desired_velocity", Twist, queue_size=1)
        self._enabled = rospy.Publisher("/controls/enabled", Bool, queue_size=1)
        rospy.Subscriber("/state", Odometry, self._take, queue_size=1, tcp_nodelay=True)
        self._services = {}
        for name, kind in (("reset_pid_loops", Trigger), ("set_control_types", SetControlTypes)):
            rospy.wait_for_service("/controls/" + name)
            self._services[name] = rospy.ServiceProxy("/controls/" + name, kind)
        while not rospy.is_shutdown() and (self.state() is None or not all(
                p.get_num_connections() for p in (self._position, self._velocity, self._enabled))):
            rospy.rostime.wallsleep(0.02)

    def _take(self, message):
        with self._lock:
            if self._state is not None:
                dt = (message.header.stamp - self._state.header.stamp).to_sec()
                self.turned_roll_deg += math.degrees(message.twist.twist.angular.x) * dt
            self._state = message

    def state(self):
        with self._lock:
            return self._state

    def call(self, service, *arguments):
        answer = self._services[service](*arguments)
        if not answer.success:
            raise Failure(f"{service}: {answer.message}")

    def command(self, reset=False, velocity=None, **pose):
        """The documented steps. `pose` replaces parts of the last one; axes in `velocity` follow that."""
        velocity = velocity or {}
        for key, value in pose.items():
            self.pose[AXES.index(key)] = value
        if reset:
            self.call("reset_pid_loops")
        m = Pose()
        m.position.x, m.position.y, m.position.z = self.pose[:3]
        o = m.orientation
        o.x, o.y, o.z, o.w = quaternion(*self.pose[3:])
        self._position.publish(m)
        self._twist = Twist()
        self._twist.linear.x, self._twist.angular.x = velocity.get("x", 0.0), math.radians(velocity.get("roll", 0.0))
        self._velocity.publish(self._twist)
        self.call("set_control_types", ControlTypes(**{
            a: ControlTypes.DESIRED_VELOCITY if a in velocity else ControlTypes.DESIRED_POSITION for a in AXES}))
        self._enabled.publish(True)

    def stop(self):
        self._enabled.publish(False)

    def distance_m(self):
        p = self.state().pose.pose.position
        return math.dist((p.x, p.y, p.z), self.pose[:3])

    def tilt_deg(self):
        o = self.state().pose.pose.orientation
        return angle_between_deg((o.x, o.y, o.z, o.w), quaternion(*self.pose[3:]))

    def there(self, position_m=0.2, attitude_deg=10):
        return self.distance_m() < position_m and self.tilt_deg() < attitude_deg

    def until(self, what, condition, settle_s=0.0, timeout_s=45.0, repeat=None):
        """Waits until the condition has held for settle_s, in the time of /state. `repeat` is called with each state."""
        start = good_since = before = None
        while not rospy.is_shutdown():
            now = self.state().header.stamp
            if repeat and now != before:
                repeat()
            before = now
            start = start or now
            if not condition():
                good_since = None
            elif good_since is None:
                good_since = now
            if good_since is not None and (now - good_since).to_sec() >= settle_s:
                rospy.loginfo("%s: %.1f s, %.2f m, %.1f deg off", what, (now - start).to_sec(), self.distance_m(), self.tilt_deg())
                return
            if (now - start).to_sec() > timeout_s:
                raise Failure(f"{what}: not within {timeout_s} s ({self.distance_m():.2f} m, {self.tilt_deg():.1f} deg off)")
            rospy.rostime.wallsleep(0.005)
        raise Failure(f"{what}: ROS has ended")

    def go(self, what, settle_s=1.0, reset=False, **pose):
        self.command(reset=reset, **pose)
        self.until(what, self.there, settle_s)

    def sail(self, what, condition, **velocity):
        """By velocity until the condition holds; the other axes keep the pose."""
        self.command(velocity=velocity)
        self.until(what, condition, repeat=lambda: self._velocity.publish(self._twist))

    def round(self):
        y = lambda: self.state().pose.pose.position.y  # noqa: E731
        self.go("submerge", reset=True, z=-1.5)
        self.go("hold in the current", settle_s=10)
        self.go("leg east", x=2)
        self.go("turn north", yaw=90)
        self.sail("leg north", lambda: y() > 1.9, x=0.25)
        self.go("north corner", y=2)
        self.go("turn west", yaw=180)
        self.go("leg west", x=0)
        self.go("turn south", yaw=-90)
        self.sail("leg south", lambda: y() < 0.1, x=0.25)
        self.go("return", y=0, yaw=0)
        self.turned_roll_deg = 0.0
        self.sail("roll", lambda: self.turned_roll_deg > 360, roll=45)
        self.go("level", settle_s=1.5)
        self.go("surface", z=-0.2)


def main():
    rospy.init_node("pool_planner")
    planner = Planner()
    try:
        planner.round()
    except (Failure, rospy.ServiceException) as e:
        rospy.logerr("%s", e)
        return 1
    finally:
        planner.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
