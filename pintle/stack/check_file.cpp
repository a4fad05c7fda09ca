#include "pintle/stack/check_file.h"

#include "pintle/stack/load.h"

namespace pintle::stack {

std::vector<config::Problem> problems_of(const std::filesystem::path& file) {
  std::vector<config::Problem> found;
  try {
    switch (kind_of(open_from_disk(file))) {
      case FileKind::kVehicle: (void)load_vehicle(file, &found); break;
      case FileKind::kMission: found = load_mission(file).warnings; break;
      case FileKind::kWorld: (void)load_world(file, &found); break;
    }
  } catch (const config::ConfigError& e) {
    found = e.problems();
  }
  return found;
}

}  // namespace pintle::stack
