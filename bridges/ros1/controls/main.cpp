/// The program `controls`. Ctrl-C and roslaunch's end leave the thrusters with the safe allocation.
#include <csignal>
#include <exception>

#include "common/master_watch.h"
#include "controls/node.h"

namespace {

volatile bool stop_asked = false;
extern "C" void ask_to_stop(int) { stop_asked = true; }

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "controls", ros::init_options::NoSigintHandler);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  try {
    pintle::ros1::ControlsNode node(pintle::ros1::read_options(ros::NodeHandle("~")));
    pintle::ros1::MasterWatch watch(node.services());
    node.run(stop_asked);
  } catch (const std::exception& e) {
    ROS_FATAL("%s", e.what());
    ros::shutdown();
    return 3;
  }
  ros::shutdown();
  return 0;
}
