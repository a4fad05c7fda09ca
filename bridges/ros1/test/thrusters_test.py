"""The thruster driver's whole interface on a real master, alone and together with the mapper."""
import json
import math
import os
import signal
import threading
import time
import unittest

import ros

MASTER = ros.Master("thrusters")

import rospy  # noqa: E402  (the master must be known first)
import rosservice  # noqa: E402
import rostopic  # noqa: E402
from diagnostic_msgs.msg import KeyValue  # noqa: E402
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from ros_alarms.srv import AlarmGet, AlarmGetResponse, AlarmSet, AlarmSetResponse  # noqa: E402
from std_msgs.msg import Float64, String  # noqa: E402
from sub8_msgs.msg import Thrust, ThrusterCmd, ThrusterStatus  # noqa: E402
from sub8_msgs.srv import FailThruster, ThrusterInfo, UnfailThruster, UpdateThrusterLayout  # noqa: E402

import sub8  # noqa: E402
from sub8 import NAMES  # noqa: E402

SERVICES = ("/thrusters/thruster_info", "/fail_thruster", "/unfail_thruster")


# an alarm server as a vehicle has one, in a process of its own
SERVER = """
import rospy
from ros_alarms.msg import Alarm
from ros_alarms.srv import AlarmGet, AlarmGetResponse, AlarmSet, AlarmSetResponse
rospy.init_node("alarm_server")
told = {}
def take(request):
    told[request.alarm.alarm_name] = request.alarm
    return AlarmSetResponse(True)
def answer(request):
    words = request.alarm_name.split()
    alarm = Alarm(request.alarm_name, False, "the server of the vehicle", "", "{}", 0)
    if len(words) == 2 and words[1] in told:
        alarm.node_name = "raised" if told[words[1]].raised else "cleared"
    return AlarmGetResponse(alarm=alarm)
rospy.Service("/alarm/set", AlarmSet, take)
rospy.Service("/alarm/get", AlarmGet, answer)
rospy.spin()
"""


def asked(get, name):
    """Who answers; None while one goes and the other comes."""
    try:
        return get(name).alarm.node_name
    except rospy.ServiceException:
        return None


class Stream:
    """Publishes the same again and again, as planners do."""

    def __init__(self, publisher, message):
        self.publisher, self.message = publisher, message
        self.timer = rospy.Timer(rospy.Duration(0.05), lambda _: self.publisher.publish(self.message))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.shutdown()


def thrust(**commands):
    return Thrust([ThrusterCmd(name, value) for name, value in commands.items()])


class ThrustersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        MASTER.set_param("/thruster_layout", sub8.LAYOUT)
        MASTER.set_param("/simulate", True)
        cls.alarms = sub8.Alarms("/thruster_driver")
        cls.diagnostics = sub8.Diagnostics("thruster_driver")
        cls.node = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", _voltage_window=2)
        cls.node.wait_for("/bus_voltage", *SERVICES)
        cls.status = {n: sub8.Ear(f"/thrusters/status/{n}", ThrusterStatus).connected() for n in NAMES}
        cls.voltage = sub8.Ear("/bus_voltage", Float64).connected()
        cls.mouth = sub8.connected(rospy.Publisher("/thrusters/thrust", Thrust, queue_size=10, tcp_nodelay=True))
        cls.trouble = sub8.connected(rospy.Publisher("/thruster_driver/simulated_trouble", KeyValue, queue_size=10))
        cls.shout = sub8.connected(rospy.Publisher("/alarm/updates", Alarm, queue_size=10))
        cls.lose = rospy.ServiceProxy("/fail_thruster", FailThruster)
        cls.regain = rospy.ServiceProxy("/unfail_thruster", UnfailThruster)
        cls.info = rospy.ServiceProxy("/thrusters/thruster_info", ThrusterInfo)
        cls.alarms.connected()

    @classmethod
    def tearDownClass(cls):
        MASTER.__exit__()

    def setUp(self):
        self.make("all", "none")
        for name in NAMES:
            self.regain(name)
        self.quiet()

    def make(self, thruster, trouble):
        self.trouble.publish(KeyValue(thruster, trouble))

    def quiet(self):
        for name in ("thruster-out", "bus-voltage", "thruster-temperature"):
            self.alarms.until(name, False)

    def until(self, name, condition, what="", since=None):
        return self.status[name].wait(condition, what or "as it should", since)

    def test_names_and_types_are_the_originals(self):
        for topic, kind in [("/thrusters/thrust", "sub8_msgs/Thrust"), ("/bus_voltage", "std_msgs/Float64"),
                            *((f"/thrusters/status/{n}", "sub8_msgs/ThrusterStatus") for n in NAMES)]:
            self.assertEqual(rostopic.get_topic_type(topic)[0], kind)
        for service, kind in zip(SERVICES, ("ThrusterInfo", "FailThruster", "UnfailThruster")):
            self.assertEqual(rosservice.get_service_type(service), f"sub8_msgs/{kind}")

    def test_facts_are_latched_and_asked_for(self):
        ear = sub8.Ear("/thrusters/info", String)
        facts = {t["name"]: t for t in json.loads(ear.wait(since=0).data)}
        ear.close()
        self.assertEqual(list(facts), NAMES)
        for name in NAMES:
            answer = self.info(name)
            given = sub8.LAYOUT["thrusters"][name]
            self.assertEqual(answer.node_id, given["node_id"])
            self.assertEqual([answer.min_force, answer.max_force], given["thrust_bounds"])
            self.assertEqual([answer.position.x, answer.position.y, answer.position.z], given["position"])
            self.assertEqual([answer.direction.x, answer.direction.y, answer.direction.z], given["direction"])
            self.assertEqual(facts[name]["position"], given["position"])
            self.assertEqual(facts[name]["max_force"], answer.max_force)

    def test_unknown_names_are_answered_with_a_reason(self):
        for call in (self.info, self.lose, self.regain):
            for name in ("FLX", ""):
                with self.assertRaises(rospy.ServiceException) as refused:
                    call(name)
                self.assertIn(f'there is no thruster called "{name}"', str(refused.exception).replace("\\", ""))
        said = MASTER.call("rosservice", "call", "/fail_thruster", "FLX", check=False)
        self.assertIn("there is no thruster called", said)
        self.assertEqual(self.alarms.state("thruster-out").raised, False)

    def test_status_comes_without_commands_and_voltage_too(self):
        for name in NAMES:
            s = self.until(name, lambda m: m.thrust == 0)
            self.assertEqual((s.name, s.node_id), (name, sub8.LAYOUT["thrusters"][name]["node_id"]))
            self.assertGreater(s.header.stamp.to_nsec(), 0)
            # the next answer may be one to a question that was counted already
            self.until(name, lambda m: m.status_rx_count > s.status_rx_count and m.command_tx_count > s.command_tx_count)
        self.assertAlmostEqual(self.voltage.wait(lambda m: m.data > 47.5).data, 48, 0)

    def test_a_command_is_obeyed_told_and_ended_when_no_other_comes(self):
        with Stream(self.mouth, thrust(FLH=30.0, BRV=-50.0)):
            s = self.until("FLH", lambda m: m.thrust == 30 and m.rpm > 1500)
            self.assertAlmostEqual(s.effort, 0.305302, 5)
            self.assertAlmostEqual(s.power, s.bus_v * s.bus_i, 2)
            self.assertAlmostEqual(self.until("BRV", lambda m: m.rpm < -1500).effort, -0.269271, 5)
        for name in ("FLH", "BRV"):
            self.assertEqual(self.until(name, lambda m: m.thrust == 0 and abs(m.rpm) < 500).effort, 0)

    def test_wrong_entries_do_not_lose_the_others(self):
        with Stream(self.mouth, thrust(FLX=30.0, FLH=math.nan, FRH=math.inf, BLH=142.0, BRH=20.0)):
            self.until("BRH", lambda m: m.thrust == 20)
            # beyond its bounds the published curve would ask for full reverse
            self.assertAlmostEqual(self.until("BLH", lambda m: m.thrust == 65).effort, 0.972914, 5)
            for name in ("FLH", "FRH"):
                self.assertEqual(self.until(name, lambda m: True).effort, 0)
        self.assertIn("FLX", self.node.text())

    def test_a_failed_thruster_gets_zero_and_raises_the_alarm_until_it_is_unfailed(self):
        with Stream(self.mouth, thrust(FLH=30.0, FRH=30.0)):
            self.until("FLH", lambda m: m.thrust == 30)
            mark = self.status["FLH"].mark()
            self.lose("FLH")
            self.lose("FLH")
            self.until("FLH", lambda m: m.thrust == 0 and m.effort == 0, since=mark)
            alarm = self.alarms.until("thruster-out", True)
            self.assertEqual((sub8.offline(alarm), alarm.severity), (["FLH"], 1))
            self.assertEqual(alarm.node_name, "/thruster_driver")
            self.until("FRH", lambda m: m.thrust == 30)
            self.lose("FRV")
            self.assertEqual(self.alarms.until("thruster-out", True, lambda a: a.severity == 2).severity, 2)
            self.diagnostics.until("FLH (failed by hand)")
            self.regain("FRV")
            self.regain("FLH")
            self.regain("FLH")
            self.until("FLH", lambda m: m.thrust == 30)
        cleared = self.alarms.until("thruster-out", False)
        self.assertEqual(json.loads(cleared.parameters), {"offline_thruster_names": []})

    def test_a_raised_alarm_is_said_again_with_its_parameters_as_they_are(self):
        self.make("FLV", "temperature=85")
        self.alarms.until("thruster-temperature", True)
        self.make("FLV", "temperature=87")
        alarm = self.alarms.until("thruster-temperature", True,
                                  lambda a: json.loads(a.parameters)["temperature_C"]["FLV"] == 87)
        self.assertEqual(alarm.severity, 3)

    def test_an_alarm_server_is_told_by_its_service(self):
        told = []
        server = rospy.Service("/alarm/set", AlarmSet, lambda r: told.append(r.alarm) or AlarmSetResponse(True))
        try:
            # others may be told between and after
            last = lambda: next((a for a in reversed(told) if a.alarm_name == "thruster-out"), None)
            self.lose("BRV")
            ros.wait_until(lambda: last() and last().raised, "the raise")
            self.regain("BRV")
            ros.wait_until(lambda: not last().raised, "the clear")
            self.assertEqual(last().node_name, "/thruster_driver")
        finally:
            server.shutdown()

    def test_an_alarm_server_is_told_of_parameters_that_change(self):
        told = []
        server = rospy.Service("/alarm/set", AlarmSet, lambda r: told.append(r.alarm) or AlarmSetResponse(True))
        try:
            for value in (85, 87):
                self.make("FLV", f"temperature={value}")
                ros.wait_until(lambda: any(a.raised and json.loads(a.parameters).get("temperature_C") == {"FLV": value}
                                           for a in told), f"{value} C")
        finally:
            server.shutdown()

    def test_how_an_alarm_stands_is_answered_where_there_is_no_server(self):
        get = rospy.ServiceProxy("/alarm/get", AlarmGet)
        rospy.wait_for_service("/alarm/get", ros.PATIENCE_S)
        self.lose("BRV")
        answer = ros.wait_until(lambda: (lambda a: a if a.alarm.raised else None)(get("thruster-out")), "the raise")
        self.assertEqual(sub8.offline(answer.alarm), ["BRV"])
        self.assertEqual(answer.alarm.node_name, "/thruster_driver")
        self.assertGreater(answer.header.stamp.to_sec(), 0)
        self.regain("BRV")
        ros.wait_until(lambda: not get("thruster-out").alarm.raised, "the clear")
        # others' alarms too, and of what nobody spoke
        self.shout.publish(Alarm("odom-kill", True, "/somebody", "lost", '{"a": 1}', 5))
        ros.wait_until(lambda: get("odom-kill").alarm == Alarm("odom-kill", True, "/somebody", "lost", '{"a": 1}', 5),
                       "what another said")
        self.assertEqual(get("no-such").alarm, Alarm("no-such", False, "", "", "{}", 0))

    def test_a_server_that_comes_takes_over_and_when_it_goes_it_is_answered_again(self):
        get = rospy.ServiceProxy("/alarm/get", AlarmGet)
        rospy.wait_for_service("/alarm/get", ros.PATIENCE_S)
        self.lose("BRV")
        ros.wait_until(lambda: get("thruster-out").alarm.raised, "the raise")
        for end in ("shut down", "shut down", "killed"):
            # it comes, and hears of what stands
            server = MASTER.tool("python3", "-c", SERVER)
            ros.wait_until(lambda: asked(get, "thruster-out") == "the server of the vehicle", "the server answers")
            ros.wait_until(lambda: asked(get, "told thruster-out") == "raised", "it was told")
            server.stop(signal.SIGKILL if end == "killed" else signal.SIGTERM)
            # and goes
            ros.wait_until(lambda: asked(get, "thruster-out") == "/thruster_driver", "the driver answers again")
        self.regain("BRV")
        ros.wait_until(lambda: not get("thruster-out").alarm.raised, "the clear")

    def test_a_kill_that_stands_is_known_to_a_driver_that_is_started_anew(self):
        asked_for, may_answer = [], threading.Event()

        def answer(request):
            asked_for.append(request.alarm_name)
            may_answer.wait(ros.PATIENCE_S)
            return AlarmGetResponse(alarm=Alarm(request.alarm_name, request.alarm_name == "kill", "/server", "", "{}", 5))
        server = rospy.Service("/alarm/get", AlarmGet, answer)
        again = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", __ns="/again")
        again.ros_name = "/again/thruster_driver"
        again.wait_for("/again/thrusters/thruster_info")
        status = sub8.Ear("/again/thrusters/status/FLH", ThrusterStatus).connected()
        mouth = sub8.connected(rospy.Publisher("/again/thrusters/thrust", Thrust, queue_size=10, tcp_nodelay=True))

        def goes_on():
            mark = status.mark()
            ros.wait_until(lambda: status.mark() >= mark + 10, "it goes on")
        try:
            with Stream(mouth, thrust(FLH=30.0)):
                ros.wait_until(lambda: asked_for, "it asks")
                goes_on()
                may_answer.set()
                ros.wait_until(lambda: "hw-kill" in asked_for, "it asks for both")
                goes_on()
            self.assertEqual({m.thrust for m in status.since()}, {0.0})
        finally:
            may_answer.set()
            server.shutdown()
        ros.wait_until(lambda: again.hears("/test", "/alarm/updates"), "it hears the alarms")
        self.shout.publish(Alarm("kill", False, "/server", "", "{}", 0))
        with Stream(mouth, thrust(FLH=0.0)):
            goes_on()
        with Stream(mouth, thrust(FLH=30.0)):
            status.wait(lambda m: m.thrust == 30)
        self.assertEqual(again.stop(), 0)

    def test_thrusts_that_queued_up_while_it_was_stopped_are_not_obeyed(self):
        other = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", __ns="/stopped", _command_timeout=0.3)
        other.ros_name = "/stopped/thruster_driver"
        other.wait_for("/stopped/thrusters/thruster_info")
        status = sub8.Ear("/stopped/thrusters/status/FLH", ThrusterStatus).connected()
        mouth = sub8.connected(rospy.Publisher("/stopped/thrusters/thrust", Thrust, queue_size=10, tcp_nodelay=True))
        with Stream(mouth, thrust(FLH=20.0)):
            status.wait(lambda m: m.thrust == 20)
        os.kill(other.pid, signal.SIGSTOP)
        mark = status.mark()
        try:
            begin = time.monotonic()
            ros.wait_until(lambda: mouth.publish(thrust(FLH=40.0)) or time.monotonic() > begin + 0.5,
                           "more than its timeout is over")
        finally:
            os.kill(other.pid, signal.SIGCONT)
        status.wait(lambda m: m.thrust == 0, "it has let go of the last one", since=mark)
        with Stream(mouth, thrust(FLH=10.0)):
            status.wait(lambda m: m.thrust == 10, "it obeys what is new", since=mark)
        self.assertLessEqual(max(m.thrust for m in status.since(mark)), 20)
        self.assertEqual(other.stop(), 0)

    def test_parameters_that_do_not_exist_or_contradict_each_other_are_refused(self):
        for wrong, said in (({"_temperature_wran": 70}, "temperature_wran"),
                            ({"_temperature_warn": 99, "_temperature_high": 50}, "temperature_warn is above"),
                            ({"_log": "driver.mcap"}, "~log: a log is of ticks")):
            node = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", "wrong", **wrong)
            self.assertEqual(node.popen.wait(ros.PATIENCE_S), 3)
            self.assertIn(said, node.text())
            MASTER.call("rosparam", "delete", "/wrong")

    def test_its_alarm_cannot_be_cleared_by_another_while_a_thruster_is_out(self):
        self.lose("BLV")
        self.alarms.until("thruster-out", True)
        mark = self.alarms.mark()
        self.shout.publish(Alarm("thruster-out", False, "/somebody", "", "{}", 0))
        ros.wait_until(lambda: any(m.alarm_name == "thruster-out" and m.raised for m in self.alarms.since(mark)),
                       "it is said again")
        self.assertIn("BLV", MASTER.call("rostopic", "echo", "-n3", "/alarm/updates"))

    def test_silence_is_a_loss_and_an_answer_ends_it(self):
        self.make("BLH", "silent")
        self.assertEqual(sub8.offline(self.alarms.until("thruster-out", True)), ["BLH"])
        self.diagnostics.until("BLH (silent)")
        self.make("BLH", "none")
        self.alarms.until("thruster-out", False)
        self.diagnostics.until("running")

    def test_a_low_battery_is_told_and_clears(self):
        self.make("all", "bus_v=43.2")
        alarm = self.alarms.until("bus-voltage", True, lambda a: a.severity == 5)
        self.assertLess(json.loads(alarm.parameters)["bus_voltage"], 44)
        self.voltage.wait(lambda m: abs(m.data - 43.2) < 1e-4)
        self.make("all", "bus_v=44.4")
        self.alarms.until("bus-voltage", True, lambda a: a.severity == 3)
        self.make("all", "none")
        self.alarms.until("bus-voltage", False)

    def test_one_bad_connector_is_no_empty_battery(self):
        self.make("FRV", "bus_v=40")
        alarm = self.alarms.until("bus-voltage", True)
        self.assertEqual((alarm.severity, json.loads(alarm.parameters)["lowest"]), (2, "FRV"))

    def test_voltage_says_nothing_while_the_power_is_cut(self):
        mark = self.alarms.mark()
        self.shout.publish(Alarm("hw-kill", True, "/board", "", "{}", 5))
        # it answers what comes after that on the same topic: it has heard of the switch
        self.shout.publish(Alarm("bus-voltage", True, "/somebody", "", "{}", 0))
        ros.wait_until(lambda: any(m.node_name == "/thruster_driver" and m.alarm_name == "bus-voltage"
                                   for m in self.alarms.since(mark)), "it says how its alarm stands")
        self.make("all", "bus_v=20")
        for name in NAMES:
            self.until(name, lambda m: m.bus_v == 20)
        self.make("all", "none")
        for name in NAMES:
            self.until(name, lambda m: m.bus_v > 47)
        voltages = self.voltage.mark()
        self.shout.publish(Alarm("hw-kill", False, "/board", "", "{}", 0))
        self.voltage.wait(lambda m: m.data > 47, since=voltages)
        self.assertEqual([m.raised for m in self.alarms.since(mark)
                          if m.node_name == "/thruster_driver" and m.alarm_name == "bus-voltage" and m.raised], [])

    def test_a_hot_thruster_is_told_and_clears(self):
        self.make("FLV", "temperature=85")
        self.assertEqual(self.alarms.until("thruster-temperature", True).severity, 3)
        self.make("FLV", "temperature=97")
        alarm = self.alarms.until("thruster-temperature", True, lambda a: a.severity == 4)
        self.assertEqual(json.loads(alarm.parameters)["temperature_C"], {"FLV": 97.0})
        self.make("FLV", "none")
        self.alarms.until("thruster-temperature", False)

    def test_faults_are_told(self):
        self.make("FLV", "fault=16")
        self.until("FLV", lambda m: m.fault == 16)
        ros.wait_until(lambda: "FLV reports stall" in self.node.text(), "the log tells the fault")
        alarm = self.alarms.until("driver-faults", True, lambda a: "device fault: FLV, stall" in a.problem_description)
        self.assertEqual(alarm.severity, 3)
        self.make("FLV", "none")
        self.alarms.until("driver-faults", False)

    def test_mapper_and_driver_fly_on_without_a_thruster_and_tell_the_truth(self):
        mapper = MASTER.run("sub8_thruster_mapper", "thruster_mapper").wait_for("/thrusters/thrust", "/wrench_actual")
        actual = sub8.Ear("/wrench_actual", WrenchStamped).connected()
        mouth = sub8.connected(rospy.Publisher("/wrench", WrenchStamped, queue_size=1))
        ask = WrenchStamped()
        ask.wrench.force.x, ask.wrench.force.z, ask.wrench.torque.z = 40, 30, 5
        wanted = [40, 0, 30, 0, 0, 5]

        def truth(out):
            """What the thrusters are really doing, when it is steady and is what was asked for."""
            now = {n: self.status[n].last().thrust for n in NAMES}
            w = actual.last().wrench
            told = [w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z]
            made = sub8.wrench_of(now)
            return (all(now[n] == 0 for n in out) and all(abs(m - t) < 1e-3 for m, t in zip(made, told))
                    and all(abs(m - w) < 0.1 for m, w in zip(made, wanted)))

        with Stream(mouth, ask):
            actual.wait()
            ros.wait_until(lambda: truth([]), "eight thrusters make the wrench")
            self.make("FLH", "silent")
            self.alarms.until("thruster-out", True)
            # a thruster that does not answer has no fresh status: what it was told last counts
            self.lose("FLH")
            self.make("FLH", "none")
            ros.wait_until(lambda: truth(["FLH"]), "seven make it, FLH is not among them")
            self.lose("BRV")
            ros.wait_until(lambda: truth(["FLH", "BRV"]), "six make it")
            # somebody else has nothing to say about it: the mapper must not use them for a moment
            asked = sub8.Ear("/thrusters/thrust", Thrust).connected()
            ros.wait_until(lambda: self.shout.publish(Alarm("thruster-out", False, "/somebody", "", "{}", 0)) or
                           asked.mark() >= 40, "forty commands while somebody else clears again and again")
            # an operator's drop and the driver's alarm are united
            self.regain("BRV")
            drop = rospy.ServiceProxy("/update_thruster_layout", UpdateThrusterLayout)
            drop(["FRV"])
            ros.wait_until(lambda: truth(["FLH", "FRV"]), "the operator's is out, too")
            self.lose("BLV")
            ros.wait_until(lambda: truth(["FLH", "FRV", "BLV"]), "and stays out when another fails")
            self.assertEqual({sub8.thrusts(m)["FLH"] for m in asked.since()}, {0.0})
            asked.close()
            self.regain("BLV")
            drop([])
            self.regain("FLH")
            self.regain("BRV")
            ros.wait_until(lambda: truth([]) and abs(self.status["FLH"].last().thrust) > 1, "all are back")
            # a mapper that starts while a thruster is out hears of it
            self.lose("BLV")
            self.assertEqual(mapper.stop(), 0)
            mapper = MASTER.run("sub8_thruster_mapper", "thruster_mapper").wait_for("/thrusters/thrust")
            ros.wait_until(lambda: truth(["BLV"]), "the new mapper knows")
            self.regain("BLV")
            ros.wait_until(lambda: truth([]), "all are back")
        self.assertEqual(mapper.stop(), 0)

    def test_z_a_restart_of_the_master_is_survived(self):
        MASTER.stop()
        with Stream(self.mouth, thrust(FLH=30.0)):
            self.until("FLH", lambda m: m.thrust == 30)
            self.assertTrue(MASTER.start())
            self.node.wait_for("/bus_voltage", "/thrusters/status/FLH", *SERVICES)
            ros.wait_until(lambda: self.node.subscribes("/thrusters/thrust"), "it subscribes again")
            self.until("FLH", lambda m: m.thrust == 30)
        self.assertEqual(self.info("FLH").node_id, 3)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
