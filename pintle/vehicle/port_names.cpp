#include "pintle/vehicle/port_names.h"

#include <algorithm>

#include "pintle/config/text.h"

namespace pintle::vehicle {
namespace {

// these part the words of YARP's messages, or are none that a person could type
bool parts_words(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
         std::string_view("\"\\(){}[],").find(c) != std::string_view::npos;
}

std::string mended(std::string name) {
  std::replace_if(name.begin(), name.end(), parts_words, '_');
  return name.starts_with('/') ? name : "/" + name;
}

std::vector<std::string> below(const std::string& folder,
                               std::initializer_list<const char*> names) {
  std::vector<std::string> out;
  for (const char* name : names) out.push_back(folder + name);
  return out;
}

}  // namespace

std::optional<Finding> port_name_fault(std::string_view name) {
  const std::string shown = config::in_quotes(name);
  if (name.size() > kMaxPortName)
    return Finding{"",
                   "the name of a port has at most " + std::to_string(kMaxPortName) +
                       " characters, this one " + std::to_string(name.size()),
                   "write a shorter one"};
  if (name.empty() || name == "/")
    return Finding{"", "expected the name of a port, got " + shown, "write such as  /jets/input:i"};
  const bool whole = std::none_of(name.begin(), name.end(), parts_words);
  if (whole && name[0] == '/') return std::nullopt;
  return Finding{"",
                 "expected the name of a port, which begins with / and has " +
                     std::string(whole ? "no blanks" : "no blanks, quotes, brackets or commas") +
                     ", got " + shown,
                 "write  " + mended(std::string(name))};
}

std::string folder_of_vehicle(std::string_view vehicle_name) {
  std::string name(vehicle_name);
  std::replace(name.begin(), name.end(), '/', '_');
  return mended(std::move(name));
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
