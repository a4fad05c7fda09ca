#include "pintle/device/m5_registers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace pintle::device {
namespace {

using enum RegisterType;
using enum RegisterAccess;

// where all maps agree
constexpr std::array kCommon{Register{"rpm_target", 0x00, kF32, kReadWrite, "rpm"},
                             Register{"pwr_target", 0x04, kF32, kReadWrite},
                             Register{"rpm", m5::kRpm, kF32, kRead, "rpm"},
                             Register{"bus_v", 0x0C, kF32, kRead, "V"},
                             Register{"bus_i", 0x10, kF32, kRead, "A"},
                             Register{"fault", m5::kFault, kU32, kRead},
                             Register{"temp", m5::kTemperature, kF32, kRead, "C"},
                             Register{"pwr_actual", 0x1C, kF32, kRead},
                             Register{"rpm_P", 0x20, kF32, kRead},
                             Register{"rpm_I", 0x24, kF32, kRead},
                             Register{"rpm_D", 0x28, kF32, kRead},
                             Register{"motor_ID", m5::kMotorId, kU16, kReadWrite},
                             Register{"fault_interlock", 0x54, kU32, kReadWrite},
                             Register{"commutation_threshold", 0x64, kF32, kReadWrite},
                             Register{"commutation_loss_timeout", 0x68, kU32, kReadWrite, "ms"},
                             Register{"startup_dutycycle", 0x6C, kF32, kReadWrite},
                             Register{"startup_initial_rpm", 0x70, kU16, kReadWrite, "rpm"},
                             Register{"startup_final_rpm", 0x72, kU16, kReadWrite, "rpm"},
                             Register{"startup_duration", 0x74, kF32, kReadWrite, "ms"},
                             Register{"deadband_neg", 0x78, kF32, kReadWrite},
                             Register{"deadband_pos", 0x7C, kF32, kReadWrite},
                             Register{"limit_neg", 0x80, kF32, kReadWrite},
                             Register{"limit_pos", 0x84, kF32, kReadWrite},
                             Register{"slew_rate_up", 0x88, kF32, kReadWrite, "1/ms"},
                             Register{"slew_rate_down", 0x8C, kF32, kReadWrite, "1/ms"},
                             Register{"rpm_kP", 0x90, kF32, kReadWrite},
                             Register{"rpm_kI", 0x94, kF32, kReadWrite},
                             Register{"rpm_kD", 0x98, kF32, kReadWrite},
                             Register{"undervoltage_err_cnt", 0xAC, kU32, kRead},
                             Register{"overvoltage_err_cnt", 0xB0, kU32, kRead},
                             Register{"overcurrent_err_cnt", 0xB4, kU32, kRead},
                             Register{"temp_err_cnt", 0xB8, kU32, kRead},
                             Register{"stall_err_cnt", 0xBC, kU32, kRead},
                             Register{"comms_sync1_err_cnt", 0xD8, kU32, kRead},
                             Register{"comms_sync2_err_cnt", 0xDC, kU32, kRead},
                             Register{"comms_headerxsum_err_cnt", 0xE0, kU32, kRead},
                             Register{"comms_overrun_err_cnt", 0xE4, kU32, kRead},
                             Register{"comms_payloadxsum_err_cnt", 0xE8, kU32, kRead},
                             Register{"comms_err_flag", 0xEC, kU16, kRead},
                             Register{"save_settings", m5::kSaveSettings, kU16, kWrite},
                             Register{"custom_command", m5::kPropulsion, kU32, kWrite},
                             Register{"FACTORY_SERVICE_DATA", m5::kFactoryServiceData, kU32, kRead},
                             Register{"CONFIG_DATA_SIZE", 0xF8, kU16, kRead},
                             Register{"CONFIG_DATA", 0xFA, kU8, kRead},
                             Register{"FIRMWARE_VERSION", m5::kFirmwareVersion, kU8, kRead},
                             Register{"NODE_ID", m5::kNodeId, kU8, kReadWrite},
                             Register{"GROUP_ID", m5::kGroupId, kU8, kReadWrite},
                             Register{"UTILITY", m5::kUtility, kU16, kWrite}};

/// Where they do not: an address per map, in the order of M5Firmware; kNone: it has none.
struct Placed {
  std::string_view name;
  std::array<std::uint8_t, 4> address;
  RegisterType type = kU8;
  std::string_view unit{};
};
constexpr std::uint8_t kNone = 0xFF;
constexpr std::array kPlaced{Placed{"control_flags", {0x50, kNone, 0x60, kNone}},
                             Placed{"system_flags", {kNone, 0x50, 0x50, kNone}},
                             Placed{"operation_flags", {kNone, kNone, kNone, 0x50}},
                             Placed{"motor_control_flags", {0x60, 0x60, 0x61, 0x60}},
                             Placed{"poles", {0x61, 0x61, 0x62, 0x61}},
                             Placed{"pwm_deadband", {0x62, 0x62, 0x63, 0x62}},
                             Placed{"fault_control", {0xA3, kNone, kNone, 0xA4}},
                             Placed{"fault_control", {kNone, 0xA0, 0xA0, kNone}, kU32},
                             Placed{"undervoltage_trigger", {0xA4, 0xA4, 0xA4, 0xA5}, kU8, "V"},
                             Placed{"overvoltage_trigger", {0xA5, 0xA5, 0xA5, 0xA6}, kU8, "V"},
                             Placed{"overcurrent_trigger", {0xA6, 0xA6, 0xA6, 0xA7}, kU8, "A"},
                             Placed{"temp_trigger", {0xA7, 0xA7, 0xA7, 0xA8}, kU8, "C"},
                             Placed{"stall_count_max", {0xA8, 0xA8, 0xA8, 0xA9}}};

constexpr std::size_t placed_in(std::size_t map) {
  return static_cast<std::size_t>(std::count_if(
      kPlaced.begin(), kPlaced.end(), [&](const Placed& p) { return p.address[map] != kNone; }));
}

template <std::size_t kMap>
constexpr auto make_map() {
  std::array<Register, kCommon.size() + placed_in(kMap)> all{};
  auto next = std::copy(kCommon.begin(), kCommon.end(), all.begin());
  for (const Placed& p : kPlaced)
    if (p.address[kMap] != kNone) *next++ = {p.name, p.address[kMap], p.type, kReadWrite, p.unit};
  std::sort(all.begin(), all.end(),
            [](const Register& x, const Register& y) { return x.address < y.address; });
  return all;
}

constexpr auto kMap0 = make_map<0>();
constexpr auto kMap1 = make_map<1>();
constexpr auto kMap2 = make_map<2>();
constexpr auto kMap3 = make_map<3>();
constexpr std::array<std::span<const Register>, 4> kMaps{kMap0, kMap1, kMap2, kMap3};

}  // namespace

std::span<const Register> m5_registers(M5Firmware firmware) noexcept {
  return kMaps[static_cast<std::size_t>(firmware) % kMaps.size()];
}

const Register* find_register(M5Firmware firmware, std::string_view name) noexcept {
  for (const Register& r : m5_registers(firmware))
    if (r.name == name) return &r;
  return nullptr;
}

bool same_everywhere(const Register& r) noexcept {
  return std::any_of(kCommon.begin(), kCommon.end(), [&](const Register& c) {
    return c.name == r.name && c.address == r.address && c.type == r.type;
  });
}

std::optional<double> decode_register(RegisterType type,
                                      std::span<const std::uint8_t> bytes) noexcept {
  const std::size_t n = size_of(type);
  if (bytes.size() < n) return std::nullopt;
  std::uint32_t raw = 0;
  for (std::size_t k = 0; k < n; ++k) raw |= static_cast<std::uint32_t>(bytes[k]) << (8 * k);
  return type == kF32 ? static_cast<double>(std::bit_cast<float>(raw)) : static_cast<double>(raw);
}

std::size_t encode_register(RegisterType type, double value, std::span<std::uint8_t> out) noexcept {
  const std::size_t n = size_of(type);
  std::uint32_t raw = 0;
  if (type == kF32) {
    const auto f = static_cast<float>(value);
    if (!std::isfinite(f)) return 0;
    raw = std::bit_cast<std::uint32_t>(f);
  } else {
    const double last = std::ldexp(1.0, static_cast<int>(8 * n)) - 1;
    if (!(value >= 0 && value <= last && value == std::floor(value))) return 0;
    raw = static_cast<std::uint32_t>(value);
  }
  if (out.size() < n) return 0;
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<std::uint8_t>(raw >> (8 * k));
  return n;
}

}  // namespace pintle::device

namespace pintle {

template <>
const EnumTable& enum_table<device::M5Firmware>() {
  using device::M5Firmware;
  static constexpr std::array values{
      enum_value(M5Firmware::kMeasured2017, "measured_2017",
                 "Found by SubjuGator on its thrusters."),
      enum_value(M5Firmware::kFeb2015, "feb_2015", "VideoRay's definitions of February 2015."),
      enum_value(M5Firmware::kMay2015, "may_2015", "VideoRay's definitions of May 2015 and later."),
      enum_value(M5Firmware::kManual, "manual", "The HTML manual of firmware 0.8.3.")};
  static constexpr EnumTable table{"M5Firmware", values};
  return table;
}

}  // namespace pintle
