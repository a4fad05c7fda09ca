/// The program `controls`. Ctrl-C and roslaunch's end leave the thrusters with the safe allocation.
#include "common/run_loop_node.h"
#include "controls/node.h"

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "controls", [] {
    const ros::NodeHandle own("~");
    return pintle::ros1::ControlsNode(pintle::ros1::read_options(own));
  });
}
