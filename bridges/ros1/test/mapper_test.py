"""The thruster mapper's whole interface on a real master."""
import json
import math
import os
import random
import signal
import time
import unittest

import ros

MASTER = ros.Master("mapper")
PINTLE = ros.ROOT / "../apps/pintle/pintle"

import rospy  # noqa: E402  (the master must be known first)
import rosservice  # noqa: E402
import rostopic  # noqa: E402
import tf2_ros  # noqa: E402
from geometry_msgs.msg import TransformStamped, WrenchStamped  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from sub8_msgs.msg import Thrust  # noqa: E402
from sub8_msgs.srv import BMatrix, UpdateThrusterLayout  # noqa: E402

import sub8  # noqa: E402
from sub8 import NAMES  # noqa: E402


def six(w):
    return [w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z]


def message(wrench, frame=""):
    m = WrenchStamped()
    m.header.frame_id = frame
    f, t = m.wrench.force, m.wrench.torque
    f.x, f.y, f.z, t.x, t.y, t.z = wrench
    return m


class Mapper:
    """A running mapper, its ears and its mouth."""

    def __init__(self, namespace="", **arguments):
        self.ns = f"/{namespace}" if namespace else ""
        if namespace:
            arguments["__ns"] = self.ns
        self.node = MASTER.run("sub8_thruster_mapper", "thruster_mapper", **arguments)
        self.node.ros_name = f"{self.ns}/thruster_mapper"
        self.node.wait_for(*(f"{self.ns}/{n}" for n in ("thrusters/thrust", "update_thruster_layout", "b_matrix")))
        self.actual = sub8.Ear(f"{self.ns}/wrench_actual", WrenchStamped).connected()
        self.error = sub8.Ear(f"{self.ns}/wrench_error", WrenchStamped).connected()
        self.thrust = sub8.Ear(f"{self.ns}/thrusters/thrust", Thrust).connected()
        self.mouth = sub8.connected(rospy.Publisher(f"{self.ns}/wrench", WrenchStamped, queue_size=100,
                                                    tcp_nodelay=True))
        self.drop = rospy.ServiceProxy(f"{self.ns}/update_thruster_layout", UpdateThrusterLayout)

    def answer(self, wrench, frame="", effect=None, columns=None):
        """(thrusts, actual, error) for a wrench: the answer whose actual and error add up to it."""
        effect = effect or wrench
        mark, start = self.error.mark(), self.thrust.mark()
        first = self.actual.mark()
        self.mouth.publish(message(wrench, frame))

        def fits():
            # actual and error of one command have one stamp, thrusts have none
            actuals = {m.header.stamp.to_nsec(): six(m.wrench) for m in self.actual.since(first)}
            for error in self.error.since(mark):
                actual, error = actuals.get(error.header.stamp.to_nsec()), six(error.wrench)
                if not actual or any(abs(a + e - w) > 1e-6 for a, e, w in zip(actual, error, effect)):
                    continue
                for thrust in map(sub8.thrusts, self.thrust.since(start)):
                    made = sub8.wrench_of(thrust, columns)
                    if all(abs(a - b) < 1e-9 for a, b in zip(actual, made)):
                        return thrust, actual, error
            return None
        return ros.wait_until(fits, f"{wrench} is answered")


class MapperTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        MASTER.set_param("/thruster_layout", sub8.LAYOUT)
        cls.alarms = sub8.Alarms("/thruster_mapper")
        cls.diagnostics = sub8.Diagnostics("thruster_mapper")
        # a wrench in force stays so while this program does not get to run
        cls.mapper = Mapper(_max_rate=0, _wrench_timeout=3)
        cls.alarms.connected()

    @classmethod
    def tearDownClass(cls):
        MASTER.__exit__()

    def setUp(self):
        self.mapper.drop([])

    def test_names_and_types_are_the_originals(self):
        for topic, kind in (("/wrench", "geometry_msgs/WrenchStamped"), ("/thrusters/thrust", "sub8_msgs/Thrust"),
                            ("/wrench_actual", "geometry_msgs/WrenchStamped"),
                            ("/wrench_error", "geometry_msgs/WrenchStamped")):
            self.assertEqual(rostopic.get_topic_type(topic)[0], kind)
        self.assertEqual(rosservice.get_service_type("/update_thruster_layout"), "sub8_msgs/UpdateThrusterLayout")
        self.assertEqual(rosservice.get_service_type("/b_matrix"), "sub8_msgs/BMatrix")
        self.assertTrue(self.mapper.node.subscribes("/wrench"))

    def test_b_matrix_comes_with_the_names_of_its_columns(self):
        order = sub8.Ear("/thrusters/b_matrix_order", String)
        names = json.loads(order.wait(since=0).data)
        order.close()
        self.assertEqual(names, NAMES)
        self.assertIn(", ".join(NAMES), self.mapper.node.text())
        b = rospy.ServiceProxy("/b_matrix", BMatrix)().B
        self.assertEqual(len(b), 48)
        for k in range(6):
            for i, name in enumerate(names):
                self.assertAlmostEqual(b[8 * k + i], sub8.B[name][k], 12)

    def test_500_random_wrenches_with_up_to_three_thrusters_out_are_exact_optima_inside_the_bounds(self):
        numbers = random.Random(4)
        worst, dead_band = 0.0, 0
        for trial in range(500):
            if trial % 10 == 0:
                dropped = numbers.sample(NAMES, (trial // 10) % 4)
                self.mapper.drop(dropped)
            wrench = [numbers.uniform(-s, s) for s in (250, 250, 250, 60, 60, 80)]
            sent, actual, _ = self.mapper.answer(wrench)
            self.assertEqual(list(sent), NAMES)
            for name, u in sent.items():
                low, high = (0, 0) if name in dropped else sub8.BOUNDS[name]
                self.assertTrue(low <= u <= high, f"{name} {u}")
            for a, b in zip(actual, sub8.wrench_of(sent)):
                self.assertAlmostEqual(a, b, 9)
            best = sub8.optimum(wrench, dropped)
            excess = sub8.objective(sent, wrench) - sub8.objective(best, wrench)
            # where the dead band of 0.01 N has acted, the answer is off by less than the band
            if any(u == 0 and n not in dropped for n, u in sent.items()):
                dead_band += 1
                self.assertLessEqual(excess, 8 * 4e-4)
            else:
                worst = max(worst, excess)
                self.assertLessEqual(excess, 1e-9, f"{wrench} without {dropped}")
        print(f"500 wrenches: largest excess over the optimum {worst:.2e}, {dead_band} in the dead band")
        self.assertLess(dead_band, 10)

    def test_what_is_not_finite_is_answered_with_the_safe_command_and_an_alarm(self):
        for bad in (math.nan, math.inf, -math.inf):
            self.mapper.answer([30, 0, 20, 0, 0, 0])
            mark = self.mapper.thrust.mark()
            self.mapper.mouth.publish(message([0, 0, 0, 0, bad, 0]))
            first = self.mapper.thrust.wait(since=mark, what=f"{bad} is answered")
            self.assertEqual(set(sub8.thrusts(first).values()), {0.0})
            alarm = self.alarms.until("wrench-invalid", True)
            self.assertEqual(alarm.node_name, "/thruster_mapper")
            # not stuck: the layout can be changed, and the next wrench is followed
            self.mapper.drop(["FLH"])
            self.mapper.drop([])
            sent, _, _ = self.mapper.answer([0, 0, 40, 0, 0, 0])
            self.assertGreater(sent["FLV"], 5)
            self.alarms.until("wrench-invalid", False)

    def test_a_layout_that_names_an_unknown_thruster_is_refused_whole_and_says_why(self):
        self.mapper.drop(["FLH"])
        with self.assertRaises(rospy.ServiceException) as refused:
            self.mapper.drop(["BRV", "FLX"])
        self.assertIn("FLX", str(refused.exception))
        self.assertIn("FLH, FLV", str(refused.exception))
        sent, _, _ = self.mapper.answer([0, 0, 40, 0, 0, 0])
        self.assertEqual(sent["FLH"], 0)
        self.assertGreater(sent["BRV"], 5)
        said = MASTER.call("rosservice", "call", "/update_thruster_layout", "[FLX]", check=False)
        self.assertIn("there is no thruster called \"FLX\"", said)
        self.assertEqual(MASTER.call("rosservice", "call", "/update_thruster_layout", "[FLV]").strip(), "")
        sent, _, _ = self.mapper.answer([0, 0, 41, 0, 0, 0])
        self.assertEqual(sent["FLV"], 0)
        self.assertNotEqual(self.mapper.answer([20, 0, 41, 0, 0, 0])[0]["FLH"], 0)

    def test_a_drop_is_answered_at_once_for_the_wrench_in_force(self):
        sent, _, _ = self.mapper.answer([0, 0, 60, 0, 0, 0])
        self.assertGreater(sent["FLV"], 10)
        mark = self.mapper.thrust.mark()
        self.mapper.drop(["FLV"])
        self.mapper.thrust.wait(lambda m: sub8.thrusts(m)["FLV"] == 0 and sub8.thrusts(m)["FRV"] > 10, since=mark)

    def test_a_lost_degree_of_freedom_raises_an_alarm_until_it_is_back(self):
        self.mapper.drop(["FLH"])
        self.mapper.answer([10, 0, 0, 0, 0, 0])
        self.alarms.until("axes-lost", False)
        self.mapper.drop(["FLV", "FRV"])
        alarm = self.alarms.until("axes-lost", True)
        self.assertEqual(json.loads(alarm.parameters)["dropped"], ["FLV", "FRV"])
        self.assertIn("pitch", json.loads(alarm.parameters)["axes"])
        self.alarms.until("mapper-faults", True, lambda m: "axis lost: pitch" in m.problem_description and m.severity == 4)
        self.diagnostics.until("axes lost")
        # who comes later hears it too
        self.assertIn("axes-lost", MASTER.call("rostopic", "echo", "-n1", "/alarm/updates"))
        self.mapper.drop([])
        self.alarms.until("axes-lost", False)

    def test_without_a_wrench_the_safe_command_goes_out_once(self):
        self.mapper.answer([30, 0, 0, 0, 0, 0])
        mark = self.mapper.thrust.mark()
        self.mapper.thrust.wait(lambda m: not any(sub8.thrusts(m).values()), "all zero", since=mark)
        self.assertEqual(self.diagnostics.until("no wrench").level, 1)
        self.assertEqual(len(self.mapper.thrust.since(mark)), 1)
        # as every other alarm of the tick, until wrenches come again
        self.alarms.until("mapper-faults", True, lambda m: "planner" in m.problem_description and m.severity == 3)

        def is_over():
            self.mapper.answer([30, 0, 0, 0, 0, 0])
            return not self.alarms.state("mapper-faults").raised
        ros.wait_until(is_over, "it is cleared")

    def test_a_wrench_of_another_frame_is_taken_to_the_body(self):
        # x of the tool points to the body's left, its origin is 2 m ahead
        tool = TransformStamped()
        tool.header.frame_id, tool.child_frame_id = "base_link", "tool"
        tool.transform.translation.x = 2
        tool.transform.rotation.z = tool.transform.rotation.w = math.sqrt(0.5)
        broadcaster = tf2_ros.StaticTransformBroadcaster()
        broadcaster.sendTransform(tool)
        ros.wait_until(lambda: broadcaster.pub_tf.get_num_connections() > 0, "tf is heard")

        def taken():
            self.mapper.mouth.publish(message([5, 0, 0, 0, 0, 0], "tool"))
            last = self.mapper.error.last()
            return last and abs(six(last.wrench)[1] + six(self.mapper.actual.last().wrench)[1] - 5) < 1e-6
        ros.wait_until(taken, "the transform has arrived")
        # force x -> y, with the lever of 2 m about z; torque y -> -x
        self.mapper.answer([7, 0, 3, 0, 1, 0], "tool", effect=[0, 7, 3, -1, -6, 14])
        for frame in ("base_link", "/base_link", ""):
            self.mapper.answer([8, 0, 0, 0, 0, 1], frame)

    def test_a_wrench_without_a_stamp_is_refused_once_its_transform_is_out_of_date(self):
        hand = TransformStamped()
        hand.header.frame_id, hand.child_frame_id, hand.transform.rotation.w = "base_link", "hand", 1
        broadcaster = tf2_ros.TransformBroadcaster()
        ros.wait_until(lambda: broadcaster.pub_tf.get_num_connections() > 0, "tf is heard")

        def ask(renew=False):
            if renew:
                hand.header.stamp = rospy.Time.now()
                broadcaster.sendTransform(hand)
            self.mapper.mouth.publish(message([5, 0, 0, 0, 0, 1.5], "hand"))

        def taken():
            ask(renew=True)
            error, actual = self.mapper.error.last(), self.mapper.actual.last()
            return error and abs(six(error.wrench)[5] + six(actual.wrench)[5] - 1.5) < 1e-6
        ros.wait_until(taken, "it is taken while it is renewed")
        # as far from now as a stamp can be
        last = message([5, 0, 0, 0, 0, 1.5], "hand")
        last.header.stamp = rospy.Time(4294967295, 999999999)
        refused = lambda: [s for s in self.diagnostics.last().status if "from hand to base_link near" in s.message]
        ros.wait_until(lambda: self.mapper.mouth.publish(last) or refused(), "it is refused, and the mapper lives on")
        ros.wait_until(lambda: taken() and not refused(), "others are taken")
        ros.wait_until(lambda: ask() or any("from hand to base_link near" in s.message for s in self.diagnostics.last().status),
                       "it is refused when nobody renews it")
        self.mapper.answer([11, 0, 0, 0, 0, 0])

    def test_wrenches_that_queued_up_while_it_was_stopped_are_not_followed(self):
        other = Mapper("stopped", _max_rate=0, _wrench_timeout=2)
        other.answer([30, 0, 0, 0, 0, 0])
        os.kill(other.node.pid, signal.SIGSTOP)
        mark = other.actual.mark()
        try:
            begin = time.monotonic()
            ros.wait_until(lambda: other.mouth.publish(message([40, 0, 0, 0, 0, 0])) or time.monotonic() > begin + 2.2,
                           "more than its timeout is over")
        finally:
            os.kill(other.node.pid, signal.SIGCONT)
        other.actual.wait(lambda m: six(m.wrench)[0] == 0, "it has let go of the last one", since=mark)
        follows = lambda: abs(six(other.actual.last().wrench)[0] - 20) < 1
        ros.wait_until(lambda: other.mouth.publish(message([20, 0, 0, 0, 0, 0])) or follows(), "it follows what is new")
        self.assertLess(max(six(m.wrench)[0] for m in other.actual.since(mark)), 21)
        self.assertEqual(other.node.stop(), 0)

    def test_a_wrench_of_an_unknown_frame_is_refused(self):
        self.mapper.answer([10, 0, 0, 0, 0, 0])
        mark = self.mapper.thrust.mark()
        self.mapper.mouth.publish(message([77, 0, 0, 0, 0, 0], "nowhere"))
        self.diagnostics.until("no transform from nowhere to base_link")
        for m in self.mapper.thrust.since(mark):
            self.assertLess(sub8.thrusts(m)["FLH"], 10)
        self.mapper.answer([11, 0, 0, 0, 0, 0])

    def test_actual_and_error_are_those_of_what_is_sent(self):
        self.mapper.drop(["BLV"])
        for wrench in ([900, 0, 0, 0, 0, 0], [0, 0, 0.03, 0, 0, 0], [5, -3, 20, 1, 1, -2]):
            sent, actual, error = self.mapper.answer(wrench)
            for a, b, e, w in zip(actual, sub8.wrench_of(sent), error, wrench):
                self.assertAlmostEqual(a, b, 9)
                self.assertAlmostEqual(e, w - b, 9)

    def test_bounds_come_from_the_driver_where_the_layout_has_none(self):
        proxy = MASTER._proxy()
        proxy.deleteParam("/test", "/thruster_layout")
        MASTER.set_param("/busses", sub8.BUSSES)
        MASTER.set_param("/simulate", True)
        try:
            other = Mapper("old", _max_rate=0, _wrench_timeout=3)
            self.assertEqual(set(other.answer([50, 0, 0, 0, 0, 0], columns=sub8.BUSSES_B)[0].values()), {0.0})
            driver = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", __ns="/old")
            driver.ros_name = "/old/thruster_driver"
            driver.wait_for("/old/thrusters/thruster_info")

            def mapped():
                return other.answer([1e4, 0, 0, 0, 0, 0], columns=sub8.BUSSES_B)[0]["BLL"] > 0
            ros.wait_until(mapped, "the bounds have come")
            sent, actual, _ = other.answer([1e4, 0, 0, 0, 0, 0], columns=sub8.BUSSES_B)
            # the fronts point backwards: 2 * 68.1344 + 2 * 74.5368 N, at 30 degrees
            self.assertAlmostEqual(actual[0], 0.866 * 2 * (68.1344 + 74.5368), 2)
            self.assertEqual(list(sent), ["FLL", "FLV", "FRL", "FRV", "BLL", "BLV", "BRL", "BRV"])
            self.assertEqual(driver.stop(), 0)
            self.assertEqual(other.node.stop(), 0)
        finally:
            MASTER.set_param("/thruster_layout", sub8.LAYOUT)
            proxy.deleteParam("/test", "/busses")

    def test_a_driver_that_dies_is_missed(self):
        MASTER.set_param("/simulate", True)
        mapper = MASTER.run("sub8_thruster_mapper", "thruster_mapper", __ns="/alone")
        mapper.ros_name = "/alone/thruster_mapper"
        driver = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", __ns="/alone")
        driver.ros_name = "/alone/thruster_driver"
        ros.wait_until(lambda: MASTER.is_heard_by(mapper.ros_name, driver.ros_name, "/alone/thrusters/thrust"),
                       "the driver takes thrusts", logs=[mapper, driver])
        driver.stop(signal.SIGKILL)
        alarm = self.alarms.until("thrusts-untaken", True)
        self.assertEqual((alarm.node_name, alarm.severity), (mapper.ros_name, 4))
        driver = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", __ns="/alone")
        driver.ros_name = "/alone/thruster_driver"
        self.alarms.until("thrusts-untaken", False)
        self.assertEqual(driver.stop(), 0)
        self.assertEqual(mapper.stop(), 0)

    def test_a_layout_that_cannot_be_used_stops_the_start_with_its_reason(self):
        broken = json.loads(json.dumps(sub8.LAYOUT))
        broken["thrusters"]["FLH"]["direction"] = [1, 1, 0]
        MASTER.set_param("/thruster_layout", broken)
        try:
            node = MASTER.run("sub8_thruster_mapper", "thruster_mapper", "broken")
            self.assertEqual(node.popen.wait(ros.PATIENCE_S), 3)
            self.assertIn("direction", node.text())
            self.assertIn("/thruster_layout", node.text())
        finally:
            MASTER.set_param("/thruster_layout", sub8.LAYOUT)
        for name, wrong, said in (("negative", {"_wrench_timeout": -1}, "wrench_timeout"),
                                  ("misspelt", {"_wrench_timout": 0.1}, "wrench_timout")):
            node = MASTER.run("sub8_thruster_mapper", "thruster_mapper", name, **wrong)
            self.assertEqual(node.popen.wait(ros.PATIENCE_S), 3)
            self.assertIn(said, node.text())

    def test_a_file_with_its_own_top_level_key_is_the_same(self):
        MASTER.set_param("/thruster_layout", {"thruster_layout": sub8.LAYOUT})
        try:
            other = Mapper("nested", _max_rate=0, _wrench_timeout=3)
            self.assertEqual(list(other.answer([50, 0, 0, 0, 0, 0])[0]), NAMES)
            self.assertEqual(other.node.stop(), 0)
        finally:
            MASTER.set_param("/thruster_layout", sub8.LAYOUT)

    def test_its_log_replays_to_the_bit(self):
        log = MASTER.folder / "mapper.mcap"
        other = Mapper("logged", _max_rate=0, _wrench_timeout=3, _log=log)
        other.answer([50, 0, 10, 0, 0, 0])
        other.drop(["FLH"])
        other.answer([51, 0, 10, 0, 0, 0])
        self.assertEqual(other.node.stop(), 0)
        self.assertIn(" 0 differ", MASTER.call(PINTLE, "replay", "--verify", log))

    def test_roslaunch_starts_it_and_its_end_leaves_the_thrusters_still(self):
        launch = MASTER.tool("/usr/bin/roslaunch", "sub8_thruster_mapper", "thruster_mapper.launch",
                             env={"ROS_NAMESPACE": "launched"})
        ears = sub8.Ear("/launched/thrusters/thrust", Thrust).connected()
        mouth = sub8.connected(rospy.Publisher("/launched/wrench", WrenchStamped, queue_size=1))

        def moving():
            mouth.publish(message([30, 0, 0, 0, 0, 0]))
            return ears.last() and any(sub8.thrusts(ears.last()).values())
        ros.wait_until(moving, "it maps", logs=[launch])
        launch.stop()
        ros.wait_until(lambda: not any(sub8.thrusts(ears.last()).values()), "the last word is zero")

    def test_simulated_time_may_stand_still_and_jump_back(self):
        clock = rospy.Publisher("/clock", Clock, queue_size=10, latch=True)
        MASTER.set_param("/use_sim_time", True)
        clock.publish(rospy.Time(1000))
        other = Mapper("simulated")
        MASTER.set_param("/use_sim_time", False)

        def at(t, wrench):
            clock.publish(rospy.Time.from_sec(t))
            # 20 Hz of simulated time: it waits for its turn until the clock has arrived there
            return other.answer(wrench)
        at(1000.1, [30, 0, 0, 0, 0, 0])
        mark = other.thrust.mark()
        at(1000.2, [31, 0, 0, 0, 0, 0])
        at(5, [32, 0, 0, 0, 0, 0])
        at(5.1, [33, 0, 0, 0, 0, 0])
        # nothing was too old so far, however long it took
        self.assertTrue(all(any(sub8.thrusts(m).values()) for m in other.thrust.since(mark)))
        mark = other.thrust.mark()
        clock.publish(rospy.Time(7))
        other.thrust.wait(lambda m: not any(sub8.thrusts(m).values()), "the timeout ends it", since=mark)
        self.assertEqual(other.node.stop(), 0)
        clock.unregister()

    def test_z_a_restart_of_the_master_is_survived(self):
        MASTER.stop()
        for k in range(20):
            self.mapper.answer([k + 1, 0, 0, 0, 0, 0])
        self.assertTrue(MASTER.start())
        self.mapper.node.wait_for("/thrusters/thrust", "/wrench_actual", "/update_thruster_layout", "/b_matrix")
        ros.wait_until(lambda: self.mapper.node.subscribes("/wrench"), "it subscribes again")
        self.mapper.drop(["FLH"])
        # said again and again, as whoever steers does: what came while the node did not get to run is not followed
        wrench = [33, 0, 0, 0, 0, 0]
        steers = rospy.Timer(rospy.Duration(1), lambda _: self.mapper.mouth.publish(message(wrench)))
        self.assertEqual(self.mapper.answer(wrench)[0]["FLH"], 0)
        steers.shutdown()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
