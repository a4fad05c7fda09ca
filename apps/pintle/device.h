/// `pintle device m5|vesc|pwm …`: what stands on a serial line, and what is said there.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pintle/device/m5_registers.h"
#include "verbs.h"

namespace pintle::app {

/// Bytes of hexadecimal digits, blanks between them allowed. @throws CsvError.
[[nodiscard]] std::vector<std::uint8_t> from_hex(std::string_view text, const std::string& where);
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);

/// What is in `bytes`, one object per frame or piece of garbage, in the columns of
/// docs/reference-cli.md.
[[nodiscard]] std::vector<nlohmann::ordered_json> decode_m5(std::span<const std::uint8_t> bytes,
                                                            device::M5Firmware firmware);

int device_m5_decode(const std::string& input, device::M5Firmware firmware);
/// `port` empty: they are printed and not sent.
int device_m5_send(const std::string& input, const std::string& port, device::M5Firmware firmware);

struct Emulation {
  std::string type;                ///< As in `devices:` of a vehicle: m5, vesc, pwm.
  std::vector<std::string> nodes;  ///< One text a line, such as "3,1".
  std::string folder;              ///< Where names for the lines are put.
  int baudrate = 115200;
  device::M5Firmware firmware{};
};
int device_emulate(const Emulation& wanted);
/// `vehicle` not empty: its ports too, and what differs from its `devices:`.
int device_m5_scan(std::vector<std::string> ports, const std::string& vehicle, int first, int last,
                   bool json);
int device_m5_info(const std::string& port, int node, device::M5Firmware firmware);

struct M5Configuration {
  std::string port;
  int node = 0;
  std::vector<std::string> settings;  ///< NAME=VALUE
  bool saves = false, renames = false;
  device::M5Firmware firmware{};
  bool firmware_given = false;
};
int device_m5_configure(const M5Configuration& configuration);

int device_m5_watch(const std::string& port, const std::vector<int>& nodes, double period_s,
                    int count);
/// `vehicle` not empty: its thrusters (only those named, where some are) in place of port and nodes.
struct M5SpinTest {
  std::string port;
  std::vector<int> nodes;
  std::string vehicle;
  std::vector<std::string> propulsors;
  double effort = 0.1, seconds = 3;
  bool in_water = false, measures = false;
};
int device_m5_spin_test(const M5SpinTest& arguments);

}  // namespace pintle::app
