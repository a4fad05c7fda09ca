#include "pintle/device/port_list.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace pintle::device {
namespace {

namespace fs = std::filesystem;

bool is_serial(const std::string& name, const PortFolders& folders) {
  constexpr std::array<std::string_view, 4> kKinds{"ttyUSB", "ttyACM", "ttyTHS", "ttyAMA"};
  for (const std::string_view kind : kKinds)
    if (name.rfind(kind, 0) == 0) return true;
  // a machine has names for many that are not built in
  if (name.rfind("ttyS", 0) != 0) return false;
  int type = 0;
  std::ifstream(folders.sys + "/" + name + "/type") >> type;
  return type != 0;
}

/// Who has it open. Without rights over others' processes only one's own are seen.
std::string holder_of(const std::string& device, const PortFolders& folders) {
  std::error_code ignored;
  for (const fs::directory_entry& process : fs::directory_iterator(folders.proc, ignored)) {
    const std::string pid = process.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    for (const fs::directory_entry& open : fs::directory_iterator(process.path() / "fd", ignored)) {
      if (fs::read_symlink(open.path(), ignored) != device) continue;
      std::string name;
      std::getline(std::ifstream(process.path() / "comm"), name);
      return pid + (name.empty() ? "" : " " + name);
    }
  }
  return {};
}

}  // namespace

std::vector<PortAbout> list_ports(const PortFolders& folders) {
  std::vector<PortAbout> out;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folders.dev, ignored)) {
    const std::string name = entry.path().filename();
    if (!is_serial(name, folders)) continue;
    PortAbout about;
    about.name = about.device = entry.path();
    about.may_open = ::access(about.device.c_str(), R_OK | W_OK) == 0;
    if (!(std::ifstream(folders.sys + "/" + name + "/device/latency_timer") >> about.latency_ms))
      about.latency_ms = -1;
    about.holder = holder_of(about.device, folders);
    out.push_back(about);
  }
  for (const fs::directory_entry& link : fs::directory_iterator(folders.by_id, ignored)) {
    const fs::path target = fs::weakly_canonical(link.path(), ignored);
    for (PortAbout& about : out)
      if (fs::weakly_canonical(about.device, ignored) == target) about.name = link.path();
  }
  std::sort(out.begin(), out.end(),
            [](const PortAbout& a, const PortAbout& b) { return a.name < b.name; });
  return out;
}

}  // namespace pintle::device
