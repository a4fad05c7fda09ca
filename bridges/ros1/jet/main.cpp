/// The program `jet`. Ctrl-C and roslaunch's end stop what it sends; the flight controller then
/// holds by itself.
#include <csignal>
#include <cstdio>
#include <exception>

#include "common/master_watch.h"
#include "jet/node.h"

namespace {

volatile bool stop_asked = false;
extern "C" void ask_to_stop(int) { stop_asked = true; }

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "jet", ros::init_options::NoSigintHandler);
  // a log file or roslaunch sees each line when it is written
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  try {
    const ros::NodeHandle own("~");
    pintle::ros1::JetNode node(pintle::ros1::read_jet_options(own));
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
