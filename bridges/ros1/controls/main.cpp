/// The program `controls`. Ctrl-C and roslaunch's end leave the thrusters with the safe allocation.
#include <csignal>
#include <cstdio>
#include <exception>

#include "common/master_watch.h"
#include "controls/node.h"

namespace {

volatile bool stop_asked = false;
extern "C" void ask_to_stop(int) { stop_asked = true; }

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "controls", ros::init_options::NoSigintHandler);
  // a log file or roslaunch sees each line when it is written
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  try {
    const ros::NodeHandle own("~");
    pintle::ros1::ControlsNode node(pintle::ros1::read_options(own));
    pintle::ros1::MasterWatch watch(node.services());
    node.run(stop_asked);
  } catch (const std::exception& e) {
    // not by rosconsole: what failed may have ended it
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    ros::shutdown();
    return 3;
  }
  ros::shutdown();
  return 0;
}
