"""Planners that are killed while the controls node follows them: what becomes of their last word, and when.

    dead_planner.py power|velocity      is such a planner: a process of its own that says the same 20 times a second
"""
import pathlib
import signal
import sys
import threading
import time

if __name__ == "__main__":
    import rospy
    from geometry_msgs.msg import Twist

    rospy.init_node("planner", anonymous=True)
    wanted = Twist()
    wanted.linear.x = {"power": 0.5, "velocity": 0.3}[sys.argv[1]]
    publisher = rospy.Publisher("/controls/desired_" + sys.argv[1], Twist, queue_size=1, tcp_nodelay=True)
    while not rospy.is_shutdown():
        publisher.publish(wanted)
        rospy.rostime.wallsleep(0.05)
    sys.exit(0)

import ros  # noqa: E402
import rospy  # noqa: E402
import tf2_ros  # noqa: E402
from custom_msgs.msg import ControlTypes  # noqa: E402
from custom_msgs.srv import SetControlTypes  # noqa: E402
from geometry_msgs.msg import Pose, TransformStamped, Twist  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402

LIMIT_S = 1.5    # from the kill to the action
ALIVE_S = 1.6    # longer than any limit, a planner that lives is followed
RATE_HZ = 20     # of the node
WHERE_M = 1.0    # the craft stands there, and its pose to go to is elsewhere
TYPES = {"power": ControlTypes(*[ControlTypes.DESIRED_POWER] * 6),
         "velocity": ControlTypes(ControlTypes.DESIRED_VELOCITY, *[ControlTypes.DESIRED_POSITION] * 5)}
TOPICS = {"base_power": Twist, "actual_power": Twist, "velocity_error": Twist, "position_error": Twist,
          "status": Bool}


class DeadPlanner:
    """A craft that stands still, the node, and planners one after the other."""

    def __init__(self, master):
        self.master, self.lock, self.heard = master, threading.Lock(), {name: [] for name in TOPICS}
        rospy.init_node("test", disable_signals=True)
        self.state = rospy.Publisher("/state", Odometry, queue_size=1, tcp_nodelay=True)
        self.tf = tf2_ros.StaticTransformBroadcaster()
        t = TransformStamped()
        t.header.frame_id, t.child_frame_id, t.transform.rotation.w = "odom", "base_link", 1
        t.transform.translation.x = WHERE_M
        self.tf.sendTransform(t)
        self.timer = rospy.Timer(rospy.Duration(0.02), self.publish)
        for name, kind in TOPICS.items():
            rospy.Subscriber("/controls/" + name, kind, lambda m, n=name: self.take(n, m), queue_size=1000,
                             tcp_nodelay=True)
        self.node = master.run("controls", "controls", _file=ros.SOURCE / "missions/pool.yaml",
                               _enable_position_pid=True, _enable_velocity_pid=True, _latch_after=60)
        self.node.wait_for("/controls/enable", "/controls/status")
        self.position = rospy.Publisher("/controls/desired_position", Pose, queue_size=1)
        ros.wait_until(lambda: self.node.hears("/test", "/state", "/controls/desired_position") and
                       self.node.is_heard_by("/test", *("/controls/" + n for n in TOPICS)), "all hear each other")
        self.call("enable", SetBool, True)
        ros.wait_until(lambda: self.newest("status") and self.newest("status").data, "it is on")

    def publish(self, _):
        m = Odometry()
        m.header.stamp = rospy.Time.now()
        m.pose.pose.position.x, m.pose.pose.orientation.w = WHERE_M, 1
        self.state.publish(m)

    def take(self, name, message):
        with self.lock:
            self.heard[name].append((time.monotonic(), message))
            del self.heard[name][:-2000]

    def newest(self, name):
        with self.lock:
            return self.heard[name][-1][1] if self.heard[name] else None

    def since(self, name, when):
        with self.lock:
            return [(t, m) for t, m in self.heard[name] if t >= when]

    def call(self, name, kind, *arguments):
        rospy.wait_for_service("/controls/" + name, ros.PATIENCE_S)
        answer = rospy.ServiceProxy("/controls/" + name, kind)(*arguments)
        assert answer.success, answer.message

    def follows(self, kind):
        """How far it follows the planner: what it pushes, or the speed that is missing."""
        m = self.newest("actual_power" if kind == "power" else "velocity_error")
        return m is not None and m.linear.x > 0.1

    def kill_one(self, kind):
        """Seconds from the kill to the action, in `cycles` how often the node followed meanwhile; it must then last, with the node on."""
        far = Pose()
        far.position.x, far.orientation.w = WHERE_M + 4, 1
        self.position.publish(far)
        self.call("set_control_types", SetControlTypes, TYPES[kind])
        planner = ros.Process("planner", [sys.executable, "-B", pathlib.Path(__file__), kind], self.master.folder)
        ros.wait_until(lambda: self.follows(kind), f"a planner of {kind} is followed")
        name, begun = "actual_power" if kind == "power" else "velocity_error", time.monotonic()

        def followed():
            """From the last lapse on: a planner that the machine does not let run is as good as dead."""
            lapses = [t for t, m in self.since(name, begun) if m.linear.x <= 0.1]
            heard = [t for t, _ in self.since(name, lapses[-1] if lapses else begun)]
            return len(heard) > 10 and heard[-1] - heard[0] > ALIVE_S
        ros.wait_until(followed, "one that lives is followed, for longer than any limit")

        killed = time.monotonic()
        planner.stop(signal.SIGKILL)
        watched = {"power": ("base_power", "actual_power"), "velocity": ("velocity_error", "position_error")}[kind]

        def let_go():
            """When it was followed last, of all that is watched; nothing before it has been so for half a second."""
            last = [killed]
            for n in watched:
                heard = self.since(n, killed)
                last += [t for t, m in heard if abs(m.linear.x) > 0.02]
                if not heard or heard[-1][0] < max(last) + 0.5:
                    return None
            return max(last)
        done = ros.wait_until(let_go, "it is followed no more")
        self.cycles = max(sum(t <= done for t, _ in self.since(n, killed)) for n in watched)
        # where this program stood for a moment there was no odometry; a node that has been switched off stays off
        ros.wait_until(lambda: self.newest("status").data, "it is still on")
        assert self.node.alive(), self.node.tail()
        return done - killed

    def close(self):
        self.timer.shutdown()
        rospy.signal_shutdown("done")
