"""The pool mission over ROS: world and stack as two processes, the example planner, and the bag of it.

The bag is then played to a fresh node, which must give the same allocations. For that, each command is
sent while the world's time stands between two states, so that it is certain which state it comes after.
"""
import importlib.util
import json
import signal
import threading
import time
import unittest

import ros

MASTER = ros.Master("pool")

import rosbag  # noqa: E402
import rospy  # noqa: E402
from custom_msgs.msg import ControlTypes, ThrusterAllocs  # noqa: E402
from custom_msgs.srv import SetControlTypes  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

spec = importlib.util.spec_from_file_location("pool_planner", ros.SOURCE / "bridges/ros1/examples/pool_planner.py")
pool_planner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pool_planner)

MISSION = ros.SOURCE / "missions/pool.yaml"
SPEED = 8
ALLOCS = "/controls/constrained_thruster_allocs"
SETTLE_S = 0.1  # for messages under way while time stands; nothing but certainty depends on it


def controls(name="controls"):
    # no message may be lost between recording and replay, and a slow machine is no lost state
    return MASTER.run("controls", "controls", name=name, _file=MISSION, _enable_position_pid=True,
                      _enable_velocity_pid=True, _allocate_on="state", _dt_source="stamp", _tf_at="stamp",
                      _tf_wait=10, _queue_size=1000, _state_timeout=5).wait_for("/controls/enable")


class RecordedPlanner(pool_planner.Planner):
    """The example, with time standing still during a command, and marks of it for the replay."""

    def __init__(self, world, node):
        self.marks = rospy.Publisher("/planner/marks", String, queue_size=100)
        self.hold = rospy.ServiceProxy("/world/hold", SetBool)
        super().__init__()
        publishers = (self._position, self._velocity, self._enabled)
        ros.wait_until(lambda: self.marks.get_num_connections() > 0 and all(p.get_num_connections() > 1 for p in publishers)
                       and world.is_heard_by("/recorder", "/clock", "/state", "/tf") and node.is_heard_by("/recorder", ALLOCS),
                       "the recorder listens")
        # what it hears is in the bag before the first mark
        now = self.state().header.stamp
        ros.wait_until(lambda: (self.state().header.stamp - now).to_sec() > 1, "states after that")

    def mark(self, **what):
        self.marks.publish(json.dumps(what))

    def command(self, **how):
        self.hold(True)
        time.sleep(SETTLE_S)
        self.mark(begin=True)
        super().command(**how)
        time.sleep(SETTLE_S)
        self.mark(end=True)
        time.sleep(SETTLE_S)
        self.hold(False)

    def call(self, service, *arguments):
        self.mark(call=service, types=[getattr(a, n) for a in arguments for n in a.__slots__])
        super().call(service, *arguments)


class Pool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        MASTER.set_param("/use_sim_time", True)
        rospy.init_node("test", disable_signals=True)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def test_the_mission_succeeds_and_its_bag_gives_the_same_allocations(self):
        bag = MASTER.folder / "run.bag"
        node = controls()
        recorder = MASTER.tool("/usr/bin/rosbag", "record", "-a", "-O", bag, "__name:=recorder")
        world = MASTER.run("pintle_world", "world", _mission=MISSION, _clock=True, _lockstep=True,
                           _speed=SPEED).wait_for("/world/hold", "/state")
        planner = RecordedPlanner(world, node)
        planner.round()
        planner.stop()
        self.assertLess(planner.distance_m(), 0.2)
        # what is under way when the recorder ends would be in the bag by half
        planner.hold(True)
        time.sleep(5 * SETTLE_S)
        recorder.stop(signal.SIGINT, group=True)
        world.stop()
        node.stop()
        self.assertTrue(bag.exists(), recorder.text())
        self.replay(bag)

    def replay(self, bag):
        recorded, marks, states, start = {}, [], [], None
        with rosbag.Bag(str(bag)) as b:
            topics = b.get_type_and_topic_info().topics
            self.assertEqual(topics["/state"].msg_type, "nav_msgs/Odometry")
            for topic, message, _ in b.read_messages(["/state", "/planner/marks", ALLOCS]):
                if topic == ALLOCS:
                    recorded[message.header.stamp.to_nsec()] = message.allocs
                elif topic == "/state":
                    states.append(message.header.stamp.to_nsec())
                else:
                    marks.append((json.loads(message.data), states[-1]))
                    start = start or states[-1]

        got, lock = {}, threading.Lock()

        def take(message):
            with lock:
                got[message.header.stamp.to_nsec()] = message.allocs

        controls()
        subscriber = rospy.Subscriber(ALLOCS, ThrusterAllocs, take, queue_size=10000, tcp_nodelay=True)
        ros.wait_until(lambda: subscriber.get_num_connections() == 1, "the test hears the fresh node")
        services = {"reset_pid_loops": rospy.ServiceProxy("/controls/reset_pid_loops", Trigger),
                    "set_control_types": rospy.ServiceProxy("/controls/set_control_types", SetControlTypes)}
        player = MASTER.tool("/usr/bin/rosbag", "play", bag, "--clock", "-d", "2", "-r", SPEED, "--topics", "/state", "/tf",
                             "/controls/desired_position", "/controls/desired_velocity", "/controls/enabled",
                             "/planner/marks", "--pause-topics", "/planner/marks", "__name:=player")
        resume = rospy.ServiceProxy("/player/pause_playback", SetBool)
        rospy.wait_for_service("/player/pause_playback", ros.PATIENCE_S)
        for mark, state in marks:
            # playback stands before this mark; what came before it must have been used
            ros.wait_until(lambda: state in got, f"the state before {mark} is answered")
            time.sleep(SETTLE_S / 4)
            if "call" in mark:
                service = services[mark["call"]]
                answer = service(ControlTypes(*mark["types"])) if mark["types"] else service()
                self.assertTrue(answer.success)
            else:
                time.sleep(SETTLE_S)
            ros.wait_until(lambda: resume(False).success, "playback goes on")
        self.assertEqual(player.wait(), 0, player.text())
        ros.wait_until(lambda: states[-1] in got, "the last state is answered")

        # the recorded node may have seen states before the recorder listened: two seconds forget them
        # and may have ended between a state and its answer
        compared = [t for t in states if start + 2_000_000_000 < t <= max(recorded)]
        self.assertGreater(len(compared), 2000)
        self.assertEqual([t for t in compared if t not in recorded], [], "every state has an allocation in the bag")
        self.assertEqual([t for t in compared if t not in got], [], "and one of the fresh node")
        apart = {t: max(abs(a - b) for a, b in zip(recorded[t], got[t])) for t in compared}
        wrong = [t for t in compared if not apart[t] < 1e-9]
        print(f"{len(compared)} allocations compared, largest difference {max(apart.values()):.3g}")
        self.assertEqual(wrong[:1], [], f"{len(wrong)} differ, the first {(wrong or compared)[0] / 1e9 - start / 1e9:.3f} s after the start")
        self.assertGreater(max(abs(a) for t in compared for a in got[t]), 0.5, "and they were not all idle")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
