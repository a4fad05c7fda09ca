"""The master stops and another starts: control goes on, and everything is known again."""
import os
import signal
import socket
import socketserver
import threading
import time
import unittest
import xmlrpc.client
import xmlrpc.server

import ros

MASTER = ros.Master("master")

import rospy  # noqa: E402
from custom_msgs.msg import ThrusterAllocs  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402

MISSION = ros.SOURCE / "missions/pool.yaml"


class Forger(socketserver.ThreadingMixIn, xmlrpc.server.SimpleXMLRPCServer):
    """Between a node and the master: says, once it lies, that another node goes by this one's name."""
    daemon_threads = True
    other = None  # where that one lives
    looks, registered = 0, ()
    holds_back = False  # the address of who asks for its own, until it no longer answers there
    held, answered_s = 0, ()
    before_alarm_get = None  # done once, before the master is asked for it

    def __init__(self):
        super().__init__(("127.0.0.1", 0), logRequests=False, allow_none=True)
        self.uri = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def _dispatch(self, method, params):
        if self.other and method == "lookupService" and params[1].endswith("/set_logger_level"):
            self.looks += 1
            return [1, "", "rosrpc://127.0.0.1:1"]
        if self.other and method == "lookupNode":
            return [1, "", self.other]
        if self.other and method.startswith("register"):
            self.registered += (method,)
        if self.before_alarm_get and method == "lookupService" and params[1] == "/alarm/get":
            act, self.before_alarm_get = self.before_alarm_get, None
            act()
        answer = getattr(xmlrpc.client.ServerProxy(MASTER.uri), method)(*params)
        if self.holds_back and method == "lookupService" and params[1].endswith("/set_logger_level"):
            self.held, asked = self.held + 1, time.monotonic()
            host, port = answer[2][len("rosrpc://"):].split(":")
            ros.wait_until(lambda: not answers_at(host, int(port)), "it has closed its door")
            self.answered_s += (time.monotonic() - asked,)
        return answer


def answers_at(host, port):
    with socket.socket() as s:
        return s.connect_ex((host, port)) == 0


class MasterRestart(unittest.TestCase):
    def test_another_node_of_its_name_that_lives_is_left_alone(self):
        forger = Forger()
        self.addCleanup(forger.shutdown)
        node = MASTER.run("pintle_world", "world", name="twin", env={"ROS_MASTER_URI": forger.uri}, _mission=MISSION)
        node.wait_for("/twin/set_logger_level", "/state")
        # it has begun
        rospy.wait_for_message("/state", Odometry, timeout=30)
        forger.other = MASTER.uri  # that answers to getPid
        ros.wait_until(lambda: forger.looks >= 3, "it has looked three times")
        self.assertEqual(forger.registered, (), "the master would end the other")
        self.assertNotIn("a new ROS master", node.text())
        # one that was killed has left its place behind
        forger.other = f"http://127.0.0.1:{ros.free_port()}/"
        ros.wait_until(lambda: "registerService" in forger.registered, "it registers again")
        forger.other = None
        self.assertEqual(node.stop(), 0)

    def test_who_has_ended_and_hears_of_itself_ends_well(self):
        """The master's answer to a thread of the node comes when roscpp has shut down."""
        for _ in range(5):
            forger = Forger()
            self.addCleanup(forger.shutdown)
            node = MASTER.run("controls", "controls", env={"ROS_MASTER_URI": forger.uri}, _file=MISSION)
            node.wait_for("/controls/enable", "/alarm/get")
            forger.holds_back = True
            ros.wait_until(lambda: forger.held >= 2, "two threads wait for the master")
            self.assertEqual(node.stop(), 0, node.tail())
            ros.wait_until(lambda: len(forger.answered_s) >= forger.held, "they have been answered")
            # after three seconds it no longer waits
            if max(forger.answered_s) < 2.5:
                return
        self.fail("it was too slow to hear any answer")

    def test_a_master_that_stands_for_a_moment_hears_of_the_end(self):
        node = MASTER.run("pintle_world", "world", name="leaving", _mission=MISSION)
        node.wait_for("/leaving/set_logger_level", "/state")
        rospy.wait_for_message("/state", Odometry, timeout=30)
        os.kill(MASTER.process.pid, signal.SIGSTOP)
        try:
            os.kill(node.pid, signal.SIGTERM)
            begin = time.monotonic()
            ros.wait_until(lambda: not node.alive() or time.monotonic() > begin + 2.5, "it waits for the master")
            self.assertTrue(node.alive(), node.text())
        finally:
            os.kill(MASTER.process.pid, signal.SIGCONT)
        self.assertEqual(node.wait(), 0, node.text())
        self.assertFalse([t for kind in MASTER.state() for t, nodes in kind if "/leaving" in nodes])

    def test_who_comes_under_its_name_as_it_looks_for_an_alarm_server_is_left_alone(self):
        forger = Forger()
        self.addCleanup(forger.shutdown)
        node = MASTER.run("controls", "controls", env={"ROS_MASTER_URI": forger.uri}, _file=MISSION)
        node.wait_for("/controls/enable", "/alarm/get")
        # it lives: it answers to getPid, and to what the master would end it by
        newcomer = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        newcomer.register_function(lambda *_: [1, "", 1], "getPid")
        newcomer.register_function(lambda *_: [1, "", 0], "shutdown")
        threading.Thread(target=newcomer.serve_forever, daemon=True).start()
        self.addCleanup(newcomer.shutdown)
        uri = f"http://127.0.0.1:{newcomer.server_address[1]}/"
        service = "/controls/set_logger_level", "rosrpc://127.0.0.1:1"
        forger.before_alarm_get = lambda: MASTER._proxy().registerService("/controls", *service, uri)
        # the master asks it to end
        self.assertEqual(node.wait(), 0, node.tail())
        self.assertEqual(MASTER._proxy().lookupNode("/test", "/controls")[2], uri, "it did not register again")
        MASTER._proxy().unregisterService("/controls", *service)

    @classmethod
    def setUpClass(cls):
        rospy.init_node("test", disable_signals=True)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        MASTER.__exit__()

    def test_control_goes_on_and_everything_registers_again(self):
        node = MASTER.run("controls", "controls", _file=MISSION, _enable_position_pid=True,
                          _enable_velocity_pid=True, _state_timeout=30).wait_for("/controls/enable", "/alarm/get")
        world = MASTER.run("pintle_world", "world", _mission=MISSION).wait_for("/state")
        allocs, states = [], []
        rospy.Subscriber("/controls/thruster_allocs", ThrusterAllocs, allocs.append, queue_size=100)
        rospy.Subscriber("/state", Odometry, states.append, queue_size=100)
        self.assertTrue(rospy.ServiceProxy("/controls/enable", SetBool)(True).success)
        ros.wait_until(lambda: len(allocs) > 20 and len(states) > 20, "control runs")
        known = sorted(name for kind in MASTER.state() for name, nodes in kind
                       if "/controls" in nodes or "/world" in nodes)

        MASTER.stop()
        count = len(allocs), len(states)
        ros.wait_until(lambda: len(allocs) > count[0] + 100 and len(states) > count[1] + 100,
                       "two seconds of control without a master have passed")
        self.assertGreater(max(map(abs, allocs[-1].allocs)), 0, "it still steers")

        self.assertTrue(MASTER.start())
        start = time.monotonic()
        ros.wait_until(lambda: sorted(name for kind in MASTER.state() for name, nodes in kind
                                      if "/controls" in nodes or "/world" in nodes) == known,
                       "everything is registered again")
        print(f"registered again {time.monotonic() - start:.1f} s after the new master")
        # newcomers find the node, and the node finds them
        self.assertIn("data: True", MASTER.call("rostopic", "echo", "-n", "1", "/controls/status"))
        self.assertIn("success: True", MASTER.call("rosservice", "call", "/controls/reset_pid_loops"))

        def is_heard():
            # it is there for three seconds only
            MASTER.call("rostopic", "pub", "-1", "/controls/enabled", "std_msgs/Bool", "false")
            return "Controls disabled." in node.text()
        ros.wait_until(is_heard, "a new publisher is heard")
        world.stop()
        MASTER.run("pintle_world", "world", _mission=MISSION).wait_for("/state")
        self.assertTrue(rospy.ServiceProxy("/controls/enable", SetBool)(True).success)
        count = len(allocs)
        ros.wait_until(lambda: len(allocs) > count + 20, "control runs with the new world")
        # the next test has one of its name
        self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
