"""Every definition is byte for byte on the wire what the originals send: the MD5 sums agree."""
import importlib
import subprocess
import unittest

import ros  # noqa: F401  (sets the paths)

# of Duke Robotics' custom_msgs, the SubjuGator packages and jet, computed from their definitions
MD5 = {
    "custom_msgs/ControlTypes": "301511dc172f8de9ab5e8822189a21ab",
    "custom_msgs/PIDDerivativeType": "7e1bb0ee31f8540695c2a0ca5049740c",
    "custom_msgs/PIDGain": "1b867e4eb29731ddba457139f6d59456",
    "custom_msgs/PIDGains": "1f3b5e91b3b1936f9ec24d2acf372ce5",
    "custom_msgs/PIDTerms": "1824b284b7e34509015e73b3d86a0ebb",
    "custom_msgs/PIDInfo": "0b53fe5d0af92b55af2bc26f6af00fc5",
    "custom_msgs/PIDAxesInfo": "f9129e1452f883d2e0c1f57031117d00",
    "custom_msgs/ThrusterAllocs": "80432bd5db05d7bd3250c37f12052c86",
    "custom_msgs/PWMAllocs": "fbb1d3e89b9580759522973241c87f2f",
    "custom_msgs/SetControlTypes": "68af65b106c78220f3ed536a11d8f997",
    "custom_msgs/SetPIDGains": "9658498ba8b59a864b6ca040d647ea92",
    "custom_msgs/SetPowerScaleFactor": "7634ca6a97164c6967d38a33f6118745",
    "custom_msgs/SetStaticPower": "48462224bd1b2765f9ee56f9d91ed857",
    "custom_msgs/CVObject": "526c88ea313dab9358eb19523f589291",
    "custom_msgs/Memory": "147888ad00173a5e7bf7fbb77ac413af",
    "custom_msgs/RectInfo": "f4b1e83c0e15ae9c82254efb3a66a6da",
    "custom_msgs/RemoteLaunchInfo": "8685602651d99e17d0ab1b76063444c8",
    "custom_msgs/RunningNode": "87dad6023afaabeb347083373b4d2515",
    "custom_msgs/ServoAngleArray": "cd73f724cd634c0b6f7391e0302e0d9c",
    "custom_msgs/SimObject": "974e3c0071ca392baf80011bdc1aee90",
    "custom_msgs/SimObjectArray": "2d312b49d263e6f228e97583fc60a685",
    "custom_msgs/SonarSweepRequest": "1a4be180336800b1476057280dd271ba",
    "custom_msgs/SonarSweepResponse": "cb83778e0c1ef7c137dd3f7c4a0ba9c4",
    "custom_msgs/SystemUsage": "615999ce700c4996d6efaba5552f2547",
    "custom_msgs/TaskUpdate": "13da2126139628a82c8432fc5c8a76e6",
    "custom_msgs/ConnectDepthAICamera": "358e233cde0c8a8bcfea4ce193f8fc15",
    "custom_msgs/ConnectUSBCamera": "7b52fd0091167d19c70ca13319870ecb",
    "custom_msgs/EnableModel": "c1f8234bb34416bc5d0719fbb425da0e",
    "custom_msgs/GetRunningNodes": "947dd5ac539a8ca955e888e709ceb446",
    "custom_msgs/SetServo": "76f0c5e225b3354e80f6501b1ec0732e",
    "custom_msgs/StartLaunch": "0d5bacbd2a90353b6856ff0d9b18860e",
    "custom_msgs/StopLaunch": "ae824245ca81c7b2e5dc1bea2b921ea5",
    "sub8_msgs/ThrusterCmd": "41fab1b3f6d81d716a13d50bf5e70867",
    "sub8_msgs/Thrust": "0719e5bc2c53b7fce2f0fa0fcfe82615",
    "sub8_msgs/ThrusterStatus": "2f810c831603ded1ecb31e6c33926fd6",
    "sub8_msgs/ThrusterInfo": "c801d19535b37fc965346b2967def3fc",
    "sub8_msgs/FailThruster": "5751b33846937709761da534dafa6d35",
    "sub8_msgs/UnfailThruster": "5751b33846937709761da534dafa6d35",
    "sub8_msgs/UpdateThrusterLayout": "b67ed41009ef6b2c76bf4e56fcd5bd49",
    "sub8_msgs/BMatrix": "7bb2fb7c5dcb2a3715f342c547062dd2",
    "ros_alarms/Alarm": "195b541712fcb9dc14173731d219144e",
    "ros_alarms/AlarmGet": "77fe6954ba4f3cc480f53ba05423d0af",
    "ros_alarms/AlarmSet": "e45bc04754d9ff931cb19d4c291e3ceb",
    "jet/JetNavGoal": "b81376c2774ff4f956e5110e01c9db26",
    "jet/JetNavResult": "eb13ac1f1354ccecb7941ee8fa2192e8",
    "jet/JetNavFeedback": "c7cd7e1fbfaf3c0a37950acee65f5e9e",
    "jet/JetNavActionGoal": "702f0ac6b56ea3a6a99f2df5fa7c53d4",
    "jet/JetNavActionResult": "e5f62eb2cecdccdb33834c1bf0d40a1c",
    "jet/JetNavActionFeedback": "7f6634385c0768dc04e1a48214063ada",
    "jet/JetNavAction": "2ae5e00008614dd98b02ff44b7fd4388",
    "jet/Charge": "25458147911545c320c4c0a299eff763",
    "jet/CmdGrabber": "df0113100e6683c9def7adfa8551f556",
    "jet/Command": "df9c855f555519ba7941aa3186425a80",  # not of the original
    "jet/StatGrabber": "25458147911545c320c4c0a299eff763",
    # what the nodes use of ROS's own
    "std_srvs/SetBool": "09fb03525b03e7ea1fd3992bafd87e16",
    "std_srvs/Trigger": "937c9679a518e3a18d831e57125ea522",
    "nav_msgs/Odometry": "cd5e73d190d741a2f92e81eda573aca7",
    "geometry_msgs/Pose": "e45d45a5a1ce597b249e23fb30fc871f",
    "geometry_msgs/Twist": "9f195f881246fdfa2798d1d3eebca84a",
    "geometry_msgs/Vector3": "4a842b65f413084dc2b10fb484ea7f17",
    "geometry_msgs/WrenchStamped": "d78d3cb249ce23087ade7e7d0c40cfa7",
    "std_msgs/Float64": "fdb28210bfa9d7c91146260178d9a584",
    "std_msgs/Bool": "8b94c1b53db61fb6aed406028ad6332a",
    "std_srvs/Empty": "d41d8cd98f00b204e9800998ecf8427e",
    "geometry_msgs/PoseStamped": "d3812c3cbc69362b77dc0b19b345f8f5",
    "std_msgs/UInt8": "7c8164229e7d2c17eb95e9231617fdee",
}
OWN = ("custom_msgs", "sub8_msgs", "ros_alarms", "jet")


def definitions():
    for package in OWN:
        for kind in ("msg", "srv"):
            for file in (ros.ROOT / "share" / package / kind).glob("*." + kind):
                yield f"{package}/{file.stem}"


class Messages(unittest.TestCase):
    def test_python_classes_have_the_originals_sums(self):
        for name, md5 in MD5.items():
            package, _, short = name.partition("/")
            for kind in ("msg", "srv"):
                try:
                    found = getattr(importlib.import_module(f"{package}.{kind}"), short)
                except (ImportError, AttributeError):
                    continue
                self.assertEqual(found._md5sum, md5, name)
                break
            else:
                self.fail(f"{name} is not there")

    def test_cpp_headers_have_the_originals_sums(self):
        for name in definitions():
            text = (ros.ROOT / "include" / (name + ".h")).read_text()
            self.assertIn(f'return "{MD5[name]}";', text, name)

    def test_every_definition_is_in_the_table_and_the_other_way_round(self):
        self.assertEqual(set(definitions()), {n for n in MD5 if n.split("/")[0] in OWN})

    def test_the_tools_show_them(self):
        def tool(*command):
            return subprocess.run(command, capture_output=True, text=True, timeout=ros.PATIENCE_S, check=True).stdout
        self.assertEqual(tool("rosmsg", "md5", "custom_msgs/PIDAxesInfo").strip(), MD5["custom_msgs/PIDAxesInfo"])
        self.assertEqual(tool("rossrv", "md5", "custom_msgs/SetPIDGains").strip(), MD5["custom_msgs/SetPIDGains"])
        self.assertIn("custom_msgs/PIDInfo yaw", tool("rosmsg", "show", "custom_msgs/PIDAxesInfo"))
        self.assertIn("float64[] B", tool("rossrv", "show", "sub8_msgs/BMatrix"))
        self.assertIn("uint8 yaw_progress", tool("rosmsg", "show", "jet/JetNavActionFeedback"))


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
