/// The program `jet`. Ctrl-C and roslaunch's end bring down what flies before it ends: see
/// pintle/console/departure.h.
#include "common/run_loop_node.h"
#include "jet/node.h"

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "jet", [] {
    const ros::NodeHandle own("~");
    return pintle::ros1::JetNode(pintle::ros1::read_jet_options(own));
  });
}
