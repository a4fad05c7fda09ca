#include "pintle/vehicle/port_names.h"

#include <algorithm>

#include "pintle/base/port_name.h"

namespace pintle::vehicle {
namespace {

std::vector<std::string> below(const std::string& folder,
                               std::initializer_list<const char*> names) {
  std::vector<std::string> out;
  for (const char* name : names) out.push_back(folder + name);
  return out;
}

}  // namespace

std::string folder_of_vehicle(std::string_view vehicle_name) {
  std::string name(vehicle_name);
  std::replace(name.begin(), name.end(), '/', '_');
  return mended_port_name(std::move(name));
}

std::string folder_of_jets(std::string_view input_port) {
  constexpr std::string_view kUsual = "/input:i";
  std::string_view folder = input_port;
  if (folder.ends_with(kUsual) && folder.size() > kUsual.size())
    folder.remove_suffix(kUsual.size());
  else if (const std::size_t colon = folder.rfind(':'); colon != std::string_view::npos)
    folder = folder.substr(0, colon);
  return std::string(folder);
}

std::vector<std::string> own_ports_of_vehicle(const std::string& folder) {
  return below(folder, {"/state:o", "/imu:o", "/status:o", "/rpc:i", "/stack/state:i",
                        "/stack/thrust:i", "/stack/imu:i", "/stack/command:o", "/stack/wrench:o",
                        "/stack/setpoint:i", "/stack/status:o", "/stack/rpc:i"});
}

std::vector<std::string> own_ports_of_jets(const std::string& folder) {
  return below(folder, {"/status:o", "/rpc:i"});
}

}  // namespace pintle::vehicle
