"""`roslaunch controls controls.launch` as the originals' users know it; rosrun too."""
import re
import shutil
import signal
import unittest

from catkin_pkg.packages import find_packages

import ros

MASTER = ros.Master("launch")


class Launch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.copytree(ros.SOURCE / "vehicles/original/duke", MASTER.folder / "robot")
        cls.environment = {"PINTLE_CONFIG_DIR": str(MASTER.folder / "robot/config"), "ROBOT_NAME": "cthulhu"}

    @classmethod
    def tearDownClass(cls):
        MASTER.__exit__()

    def params(self):
        return {n: MASTER._proxy().getParam("/test", "/controls/" + n)[2] for n in
                ("sim", "enable_position_pid", "enable_velocity_pid", "cascaded_pid")}

    def services(self):
        return [name for name, _ in MASTER.state()[2]]

    def test_roslaunch_starts_the_node_with_the_launch_files_defaults(self):
        launch = MASTER.tool("/usr/bin/roslaunch", "controls", "controls.launch", "sim:=true", env=self.environment)
        ros.wait_until(lambda: "/controls/enable" in self.services(), "roslaunch has started the node")
        self.assertEqual(self.params(), {"sim": True, "enable_position_pid": True, "enable_velocity_pid": True,
                                         "cascaded_pid": False})
        self.assertIn("Controls enabled.", MASTER.call("rosservice", "call", "/controls/enable", "data: true"))
        launch.stop(signal.SIGINT)
        ros.wait_until(lambda: "/controls/enable" not in self.services(), "it is gone again", logs=[launch])

    def test_every_launch_file_names_the_node_and_its_arguments(self):
        for name, prefix in (("controls", ""), ("controls_gdb", "gdb"), ("controls_valgrind", "valgrind")):
            text = MASTER.roslaunch("controls", name + ".launch", "--ros-args")
            for argument in ("sim", "enable_position_pid", "enable_velocity_pid", "cascaded_pid"):
                self.assertIn(argument, text)
            self.assertIn("/controls", MASTER.roslaunch("--nodes", "controls", name + ".launch"))
            command = MASTER.roslaunch("--args", "/controls", "controls", name + ".launch")
            self.assertIn(prefix, command)

    def test_a_catkin_workspace_sees_one_package_that_cmake_builds(self):
        found = find_packages(str(ros.SOURCE))
        self.assertEqual([(path, p.name, p.get_build_type()) for path, p in found.items()], [(".", "pintle", "cmake")])
        project = re.search(r"project\(pintle VERSION (\S+)", (ros.SOURCE / "CMakeLists.txt").read_text())
        self.assertEqual(found["."].version, project[1])

    def test_nodes_come_before_those_of_the_same_name_and_messages_after_a_teams_own(self):
        team = MASTER.folder / "team"
        for package in ("custom_msgs", "controls"):
            (team / "src" / package / "msg").mkdir(parents=True)
            (team / "src" / package / "package.xml").write_text(
                f"<package><name>{package}</name><version>1.0.0</version></package>")
        (team / "src/custom_msgs/msg/DVLRaw.msg").write_text("float64 their_own\n")
        (team / "python/custom_msgs").mkdir(parents=True)
        (team / "python/custom_msgs/__init__.py").write_text("THEIRS = True\n")
        said = MASTER.call("bash", "-c", f". {ros.ROOT}/setup.bash && rosmsg show custom_msgs/DVLRaw && "
                           "/usr/bin/python3 -c 'import custom_msgs, sub8_msgs.msg; print(custom_msgs.THEIRS)' && "
                           f"rospack find controls && . {ros.ROOT}/setup.bash && echo $ROS_PACKAGE_PATH",
                           env={"ROS_PACKAGE_PATH": f"{team}/src:/usr/share", "PYTHONPATH": f"{team}/python"})
        self.assertIn("float64 their_own", said)
        self.assertIn("True", said)
        self.assertIn(f"{ros.ROOT}/share/controls\n", said)
        self.assertEqual(said.count(f"{ros.ROOT}/share\n"), 1, "sourced twice, there once")

    def test_a_robot_that_is_not_there_is_told_clearly(self):
        node = MASTER.run("controls", "controls", name="lost", env={**self.environment, "ROBOT_NAME": "nautilus"})
        self.assertEqual(node.wait(), 3)
        self.assertIn("there is no robot file", node.text())
        self.assertIn("nautilus.yaml", node.text())

    def test_a_parameter_that_makes_no_sense_stops_the_start(self):
        node = MASTER.run("controls", "controls", name="odd", env=self.environment, _allocate_on="sometimes")
        self.assertEqual(node.wait(), 3)
        self.assertIn("expected timer or state, got sometimes", node.text())


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
