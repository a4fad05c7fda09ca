"""The thruster driver with /simulate false: bytes on serial lines, emulated M5s at their other ends."""
import copy
import json
import os
import signal
import subprocess
import unittest

import ros

MASTER = ros.Master("thrusters_serial")
PINTLE = ros.ROOT / "../apps/pintle/pintle"

import rospy  # noqa: E402  (the master must be known first)
import rosservice  # noqa: E402
import rostopic  # noqa: E402
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402
from std_msgs.msg import Float64, String  # noqa: E402
from sub8_msgs.msg import Thrust, ThrusterCmd, ThrusterStatus  # noqa: E402
from sub8_msgs.srv import BMatrix, FailThruster, ThrusterInfo, UnfailThruster, UpdateThrusterLayout  # noqa: E402

import sub8  # noqa: E402
from sub8 import NAMES  # noqa: E402


class SerialTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)
        layout = copy.deepcopy(sub8.LAYOUT)
        cls.folder = MASTER.folder / "by-id"
        cls.orders = MASTER.folder / "orders"
        lines = []
        for i, port in enumerate(layout["thruster_ports"]):
            port["port"] = str(cls.folder / f"if{i:02}-port0")
            lines += ["--line", ",".join(str(layout["thrusters"][n]["node_id"]) for n in port["thruster_names"])]
        cls.ids = {n: layout["thrusters"][n]["node_id"] for n in NAMES}
        cls.lines = {n: i for i, p in enumerate(layout["thruster_ports"]) for n in p["thruster_names"]}
        # thrusters have processors of their own: a busy machine, which keeps theirs waiting, would be a true silence
        own = ["chrt", "-f", "20"] if subprocess.run(["chrt", "-f", "20", "true"], capture_output=True).returncode == 0 else []
        cls.emulation = [*own, PINTLE, "device", "m5", "emulate", "--folder", cls.folder, *lines]
        cls.emulate()
        MASTER.set_param("/thruster_layout", layout)
        MASTER.set_param("/simulate", False)
        cls.alarms = sub8.Alarms("/thruster_driver")
        cls.diagnostics = sub8.Diagnostics("thruster_driver")
        cls.drive(_voltage_window=2)
        cls.status = {n: sub8.Ear(f"/thrusters/status/{n}", ThrusterStatus).connected() for n in NAMES}
        cls.voltage = sub8.Ear("/bus_voltage", Float64).connected()
        cls.mouth = sub8.connected(rospy.Publisher("/thrusters/thrust", Thrust, queue_size=10, tcp_nodelay=True))
        cls.shout = sub8.connected(rospy.Publisher("/alarm/updates", Alarm, queue_size=10))
        cls.alarms.connected()

    @classmethod
    def drive(cls, **parameters):
        """Starts the driver; what an earlier one was told stands."""
        cls.node = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", **parameters)
        cls.node.wait_for("/bus_voltage", "/thrusters/thruster_info", "/fail_thruster", "/unfail_thruster")

    def drive_again(self, **parameters):
        self.node.stop()
        self.drive(**parameters)

    def bear_silence(self):
        """For this test a driver that calls nobody silent before 10 s: the kernel itself passes on what is written into a
        pseudo-terminal, and where it has no processor for that, all lines stand for seconds."""
        self.drive_again(_silent_after=10)
        self.addCleanup(self.drive_again, _silent_after=1)
        for name in NAMES:
            self.until(name, lambda m: True)

    @classmethod
    def emulate(cls):
        # the emulator obeys what is written into this file
        cls.orders.write_text("")
        cls.emulator = MASTER.tool("sh", "-c", 'tail -n +1 -f "$0" | exec "$@"', cls.orders, *cls.emulation)
        ros.wait_until(lambda: cls.emulator.text().count('"port"') == 4, "four lines")

    @classmethod
    def tearDownClass(cls):
        MASTER.__exit__()

    def setUp(self):
        for line in range(4):
            self.order(f"plug {line}") if not (self.folder / f"if{line:02}-port0").exists() else None
        for name in NAMES:
            self.order(f"mend {self.ids[name]}")
            rospy.ServiceProxy("/unfail_thruster", UnfailThruster)(name)
        self.alarms.until("thruster-out", False)

    def order(self, text):
        with open(self.orders, "a") as f:
            f.write(text + "\n")

    def hold(self, **commands):
        message = Thrust([ThrusterCmd(n, v) for n, v in commands.items()])
        return rospy.Timer(rospy.Duration(0.05), lambda _: self.mouth.publish(message))

    def until(self, name, condition):
        return self.status[name].wait(condition)

    def test_a_command_is_obeyed_told_and_ended_when_no_other_comes(self):
        stream = self.hold(FLH=30.0, BRV=-50.0)
        s = self.until("FLH", lambda m: m.thrust == 30 and m.rpm > 1500)
        self.assertAlmostEqual(s.effort, 0.305302, 5)
        self.assertAlmostEqual(s.power, s.bus_v * s.bus_i, 2)
        self.assertEqual(s.node_id, self.ids["FLH"])
        self.assertGreater(s.command_latency_avg, 0)
        self.until("BRV", lambda m: m.rpm < -1500)
        stream.shutdown()
        for name in ("FLH", "BRV"):
            self.assertEqual(self.until(name, lambda m: m.thrust == 0 and abs(m.rpm) < 500).effort, 0)
        self.assertAlmostEqual(self.voltage.wait(lambda m: m.data > 47.5).data, 48, 0)
        self.assertEqual(rospy.ServiceProxy("/thrusters/thruster_info", ThrusterInfo)("FLH").max_force, 65)

    def test_names_and_types_are_the_originals_and_every_service_answers(self):
        for topic, kind in (("/thrusters/thrust", "sub8_msgs/Thrust"), ("/bus_voltage", "std_msgs/Float64"),
                            *((f"/thrusters/status/{n}", "sub8_msgs/ThrusterStatus") for n in NAMES)):
            self.assertEqual(rostopic.get_topic_type(topic)[0], kind)
        for service, kind in (("/thrusters/thruster_info", "ThrusterInfo"), ("/fail_thruster", "FailThruster"),
                              ("/unfail_thruster", "UnfailThruster")):
            self.assertEqual(rosservice.get_service_type(service), "sub8_msgs/" + kind)
        facts = {f["name"]: f for f in json.loads(sub8.Ear("/thrusters/info", String).wait(since=0).data)}
        for name in NAMES:
            info, told = rospy.ServiceProxy("/thrusters/thruster_info", ThrusterInfo)(name), facts[name]
            self.assertEqual((info.node_id, info.min_force, info.max_force), (self.ids[name], -100, 65))
            self.assertEqual(told["node_id"], self.ids[name])
            self.assertTrue(told["port"].endswith(f"if{self.lines[name]:02}-port0"))
        for kind, service in ((FailThruster, "/fail_thruster"), (UnfailThruster, "/unfail_thruster"),
                              (ThrusterInfo, "/thrusters/thruster_info")):
            with self.assertRaisesRegex(rospy.ServiceException, "FLX"):
                rospy.ServiceProxy(service, kind)("FLX")

    def test_a_wrench_turns_thrusters_and_goes_round_one_that_is_out(self):
        mapper = MASTER.run("sub8_thruster_mapper", "thruster_mapper", _max_rate=0, _wrench_timeout=30)
        mapper.wait_for("/wrench_actual", "/wrench_error", "/update_thruster_layout", "/b_matrix")
        try:
            actual = sub8.Ear("/wrench_actual", WrenchStamped).connected()
            error = sub8.Ear("/wrench_error", WrenchStamped).connected()
            push = sub8.connected(rospy.Publisher("/wrench", WrenchStamped, queue_size=1))
            wrench = WrenchStamped()
            wrench.wrench.force.x = 60
            stream = rospy.Timer(rospy.Duration(0.05), lambda _: push.publish(wrench))
            self.assertEqual(len(rospy.ServiceProxy("/b_matrix", BMatrix)().B), 48)
            # the front pushes forward, the back backward, as they are mounted
            for name, way in (("FLH", 1), ("FRH", 1), ("BLH", -1), ("BRH", -1)):
                self.until(name, lambda m: way * m.rpm > 500)
            actual.wait(lambda m: abs(m.wrench.force.x - 60) < 0.1)
            error.wait(lambda m: abs(m.wrench.force.x) < 0.1)
            rospy.ServiceProxy("/fail_thruster", FailThruster)("FLH")
            self.until("FLH", lambda m: m.rpm == 0 and m.thrust == 0)
            # without it the other in front would push aside: the back does it alone, 60 / (2 * 0.866) N each
            actual.wait(lambda m: abs(m.wrench.force.x - 60) < 0.1)
            self.until("BLH", lambda m: abs(m.thrust + 34.64) < 0.1)
            self.until("FRH", lambda m: abs(m.thrust) < 0.1)
            rospy.ServiceProxy("/unfail_thruster", UnfailThruster)("FLH")
            self.until("FLH", lambda m: m.rpm > 500)
            rospy.ServiceProxy("/update_thruster_layout", UpdateThrusterLayout)(["BRH"])
            self.until("BRH", lambda m: m.rpm == 0 and m.thrust == 0)
            rospy.ServiceProxy("/update_thruster_layout", UpdateThrusterLayout)([])
            self.until("BRH", lambda m: m.rpm < -500)
            stream.shutdown()
        finally:
            self.assertEqual(mapper.stop(), 0)

    def test_a_pulled_plug_is_told_by_names_and_the_others_fly_on(self):
        self.bear_silence()
        stream = self.hold(**{n: 10.0 for n in NAMES})
        self.until("FLH", lambda m: m.rpm > 500)
        self.order(f"unplug {self.lines['FLH']}")
        alarm = self.alarms.until("thruster-out", True)
        self.assertEqual(sub8.offline(alarm), [n for n in NAMES if self.lines[n] == self.lines["FLH"]])
        self.diagnostics.until("port: ")
        self.until("BRH", lambda m: m.rpm > 500)
        self.order(f"plug {self.lines['FLH']}")
        self.alarms.until("thruster-out", False)
        self.until("FLH", lambda m: m.rpm > 500)
        stream.shutdown()

    def test_silence_stall_heat_and_voltage_are_told(self):
        self.bear_silence()
        self.order(f"mute {self.ids['BLH']}")
        self.assertEqual(sub8.offline(self.alarms.until("thruster-out", True)), ["BLH"])
        self.order(f"mend {self.ids['BLH']}")
        self.alarms.until("thruster-out", False)
        self.order(f"temperature {self.ids['FLV']} 97")
        self.assertEqual(self.alarms.until("thruster-temperature", True, lambda a: a.severity == 4).severity, 4)
        self.order(f"mend {self.ids['FLV']}")
        self.alarms.until("thruster-temperature", False)
        for name in NAMES:
            self.order(f"voltage {self.ids[name]} 43.2")
        self.assertLess(json.loads(self.alarms.until("bus-voltage", True, lambda a: a.severity == 5).parameters)
                        ["bus_voltage"], 44)
        for name in NAMES:
            self.order(f"mend {self.ids[name]}")
        self.alarms.until("bus-voltage", False)

    def test_a_failed_thruster_gets_zero(self):
        stream = self.hold(FLH=30.0, FRH=30.0)
        self.until("FLH", lambda m: m.rpm > 1500)
        rospy.ServiceProxy("/fail_thruster", FailThruster)("FLH")
        self.until("FLH", lambda m: m.rpm == 0 and m.effort == 0)
        self.until("FRH", lambda m: m.rpm > 1500)
        stream.shutdown()

    def test_a_hardware_kill_stops_all_and_ends_through_neutral(self):
        stream = self.hold(FLH=30.0)
        self.until("FLH", lambda m: m.rpm > 1500)
        self.shout.publish(Alarm("hw-kill", True, "/board", "", "{}", 5))
        self.until("FLH", lambda m: m.rpm == 0)
        mark = self.alarms.mark()
        for name in NAMES:
            self.order(f"gone {self.ids[name]}")

        def silent():
            before = [ear.mark() for ear in self.status.values()]
            told = self.diagnostics.mark()
            ros.wait_until(lambda: self.diagnostics.mark() > told + 2, "time goes on")
            return before == [ear.mark() for ear in self.status.values()]
        ros.wait_until(silent, "nobody answers")
        self.diagnostics.until("hw-kill")
        received = {n: len(self.status[n].since()) for n in NAMES}
        for name in NAMES:
            self.order(f"mend {self.ids[name]}")
        for name in NAMES:
            ros.wait_until(lambda: len(self.status[name].since()) > received[name], f"{name} is back")
        self.shout.publish(Alarm("hw-kill", False, "/board", "", "{}", 0))
        self.diagnostics.until("running")
        self.assertEqual([a for a in self.alarms.since(mark) if a.alarm_name == "thruster-out" and a.raised], [])
        self.assertEqual(self.until("FLH", lambda m: True).rpm, 0)
        stream.shutdown()
        self.mouth.publish(Thrust([ThrusterCmd("FLH", 0.0)]))
        stream = self.hold(FLH=30.0)
        self.until("FLH", lambda m: m.rpm > 1500)
        stream.shutdown()

    def test_thrusters_that_die_and_come_back_are_out_and_back_and_ramped_up(self):
        stream = self.hold(**{n: 20.0 for n in NAMES})
        self.until("FLH", lambda m: m.rpm > 1000)
        self.emulator.stop(signal.SIGKILL, group=True)
        # the names of devices that are gone go with them; what they led to may be another program's by now
        for link in self.folder.glob("if*"):
            link.unlink()
        alarm = self.alarms.until("thruster-out", True, lambda a: len(sub8.offline(a)) == 8)
        self.assertEqual(alarm.severity, 5)
        self.assertIn("plug it in", alarm.problem_description)
        self.emulate()
        self.alarms.until("thruster-out", False)
        for name in NAMES:
            self.until(name, lambda m: m.rpm > 1000)
        stream.shutdown()

    def efforts(self):
        """Of all thrusters, as the emulator has them now."""
        before = self.emulator.text().count('"commands"')
        self.order("status")
        ros.wait_until(lambda: self.emulator.text().count('"commands"') == before + len(NAMES), "a status")
        return [t["effort"] for t in json.loads(self.emulator.text().strip().splitlines()[-1])]

    def test_a_driver_that_is_stopped_leaves_them_to_their_watchdog_and_goes_on_without_a_false_alarm(self):
        stream = self.hold(**{n: 20.0 for n in NAMES})
        for name in NAMES:
            self.until(name, lambda m: m.rpm > 1000)
        mark = self.alarms.mark()
        os.kill(self.node.popen.pid, signal.SIGSTOP)
        try:
            ros.wait_until(lambda: not any(self.efforts()), "their own watchdogs stop them")
        finally:
            os.kill(self.node.popen.pid, signal.SIGCONT)
        for name in NAMES:
            self.until(name, lambda m: m.rpm > 1000)
        self.assertEqual([a for a in self.alarms.since(mark) if a.alarm_name == "thruster-out" and a.raised], [])
        stream.shutdown()

    def test_garbled_doubled_late_and_lost_answers_are_no_loss(self):
        self.bear_silence()
        stream = self.hold(**{n: 20.0 for n in NAMES})
        mark = self.alarms.mark()
        for name, fault in zip(NAMES, ("corrupt {} 0.05", "twice {}", "late {} 0.04", "lose {} 0.1", "hum {}", "pieces {} 4",
                                       "late {} 0.02", "corrupt {} 0.02")):
            self.order(fault.format(self.ids[name]))
        marks = {n: self.status[n].mark() for n in NAMES}
        for name in NAMES:
            # of ten a second: for longer than silence is borne
            ros.wait_until(lambda: len(self.status[name].since(marks[name])) > 120, f"{name} goes on")
            self.until(name, lambda m: m.rpm > 1000)
        silent = {n for a in self.alarms.since(mark) if a.alarm_name == "thruster-out" and a.raised for n in sub8.offline(a)}
        # a line that stands for more than 0.1 s (max_timeout) brings both thrusters their questions at once, and the whole answer of one
        # goes in between the pieces of the other's: that of pieces is told in simulated time (Answers.LateBroken…)
        self.assertEqual(silent - {"BLV"}, set())
        stream.shutdown()

    def test_a_frame_for_all_and_a_priority_are_asked_for_by_parameters(self):
        self.node.stop()
        for wrong, said in (({"_realtime": 100}, "realtime"), ({"_multicast": 1}, "multicast")):
            node = MASTER.run("sub8_videoray_m5_thruster", "thruster_driver", "wrong", **wrong)
            self.assertEqual(node.popen.wait(ros.PATIENCE_S), 3)
            self.assertIn(said, node.text())
            MASTER.call("rosparam", "delete", "/wrong")
        self.drive(_multicast=True, _realtime=30)
        stream = self.hold(FLH=20.0, BRV=-50.0)
        self.until("FLH", lambda m: m.rpm > 1000)
        self.until("BRV", lambda m: m.rpm < -1500)
        stream.shutdown()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
