#include "pintle/craft/check_file.h"

#include "pintle/vehicle/propulsor_list.h"

namespace pintle::craft {

std::vector<config::Problem> problems_of(const std::filesystem::path& file,
                                         const FileSource& open) {
  std::vector<config::Problem> found;
  try {
    const config::Document document = open(file);
    if (vehicle::is_propulsor_list(document)) return vehicle::check_propulsor_list(document);
    switch (kind_of(document)) {
      case FileKind::kVehicle: (void)load_vehicle(file, &found, open); break;
      case FileKind::kMission: found = load_mission(file, open).warnings; break;
      case FileKind::kWorld: (void)load_world(file, &found, open); break;
    }
  } catch (const config::ConfigError& e) {
    found = e.problems();
  }
  return found;
}

}  // namespace pintle::craft
