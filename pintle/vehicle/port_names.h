/// Where Pintle's own ports on YARP stand beside the jets'. What is a name: base/port_name.h.
///
///   a vehicle       /VEHICLE/state:o, imu:o, …; of its stack /VEHICLE/stack/…
///   jets without a  X/input:i -> X/status:o, X/rpc:i
///   vehicle         any other X/left:i -> X/left/status:o, X/left/rpc:i
///
/// VEHICLE is its name, with _ for each character that no name of a port has.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pintle::vehicle {

/// "/flying_box" of "flying box".
[[nodiscard]] std::string folder_of_vehicle(std::string_view vehicle_name);
/// "/jets" of "/jets/input:i", "/jets/left" of "/jets/left:i".
[[nodiscard]] std::string folder_of_jets(std::string_view input_port);

/// What Pintle opens there itself, and nobody else may have.
[[nodiscard]] std::vector<std::string> own_ports_of_vehicle(const std::string& folder);
[[nodiscard]] std::vector<std::string> own_ports_of_jets(const std::string& folder);

}  // namespace pintle::vehicle
