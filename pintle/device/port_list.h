/// The serial ports of this machine, and what could be wrong with each.
#pragma once
#include <string>
#include <vector>

namespace pintle::device {

struct PortAbout {
  std::string name;    ///< As a vehicle file should have it: by-id where there is one.
  std::string device;  ///< /dev/ttyUSB0
  bool may_open = false;
  int latency_ms = -1;  ///< Of an FTDI adapter; -1: it has no such timer.
  std::string holder;   ///< "PID NAME" of who has it open, as far as that may be seen.
};

/// Folders of the system; a test has its own.
struct PortFolders {
  std::string by_id = "/dev/serial/by-id", dev = "/dev", sys = "/sys/class/tty", proc = "/proc";
};

/// In the order of their names: ttyUSB*, ttyACM*, ttyTHS*, ttyAMA*, and ttyS* that have hardware.
[[nodiscard]] std::vector<PortAbout> list_ports(const PortFolders& folders = {});

}  // namespace pintle::device
