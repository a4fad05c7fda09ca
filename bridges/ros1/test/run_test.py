"""`pintle run --on ros1`: stack and simulated world for a planner outside, or the stack alone."""
import signal
import unittest

import ros

MASTER = ros.Master("run")
PINTLE = ros.ROOT / "../apps/pintle/pintle"
MISSION = ros.SOURCE / "missions/pool.yaml"


def nodes():
    return {n for kind in MASTER.state() for _, names in kind for n in names}


def services():
    return [name for name, _ in MASTER.state()[2]]


class Run(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        MASTER.__exit__()

    def start(self, *arguments):
        return MASTER.tool(PINTLE, "run", MISSION, "--on", "ros1", *arguments)

    def test_with_its_simulated_world_a_planner_finds_state_and_transform(self):
        run = self.start()
        ros.wait_until(lambda: {"/controls", "/world"} <= nodes() and "/controls/enable" in services(),
                       "both nodes are there")
        self.assertIn("base_link", MASTER.call("rostopic", "echo", "-n", "1", "/state"))
        self.assertIn("success: True", MASTER.call("rosservice", "call", "/controls/enable", "data: true"))
        self.assertIn("allocs:", MASTER.call("rostopic", "echo", "-n", "1", "/controls/thruster_allocs"))
        self.assertEqual(run.stop(signal.SIGINT), 0, run.text())
        ros.wait_until(lambda: not {"/controls", "/world"} & nodes(), "both are gone")

    def test_with_the_world_elsewhere_the_stack_is_alone(self):
        run = self.start("--world", "elsewhere")
        ros.wait_until(lambda: "/controls" in nodes(), "the stack is there")
        self.assertIn("data: False", MASTER.call("rostopic", "echo", "-n", "1", "/controls/status"))
        self.assertNotIn("/world", nodes())
        self.assertEqual(run.stop(signal.SIGINT), 0, run.text())


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
