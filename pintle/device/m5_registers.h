/// Registers of a VideoRay M5 thruster (VRCSR address space), as data per firmware.
///
/// Four maps were published and they disagree about 0x50, 0x60..0x63 and 0xA0..0xA9: writing by the
/// wrong one sets something else than was meant. `kMeasured2017` is what SubjuGator found on its
/// own thrusters by writing and reading back; it is taken where nothing else is said. Never write a
/// register whose place depends on the firmware without reading it back (`same_everywhere`).
///
/// Sources: VideoRay's register definitions of February and of May 2015, the HTML manual of
/// firmware 0.8.3, and what uf-mil's driver notes of 2017 say was measured.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pintle/base/fields.h"

namespace pintle::device {

enum class M5Firmware : std::uint8_t { kMeasured2017, kFeb2015, kMay2015, kManual };

enum class RegisterType : std::uint8_t { kU8, kU16, kU32, kF32 };
enum class RegisterAccess : std::uint8_t { kRead, kWrite, kReadWrite };

struct Register {
  std::string_view name;
  std::uint8_t address = 0;
  RegisterType type = RegisterType::kU8;
  RegisterAccess access = RegisterAccess::kRead;
  std::string_view unit{};
};

[[nodiscard]] constexpr std::size_t size_of(RegisterType type) noexcept {
  return type == RegisterType::kU8 ? 1 : type == RegisterType::kU16 ? 2 : 4;
}

/// In the order of their addresses.
[[nodiscard]] std::span<const Register> m5_registers(M5Firmware firmware) noexcept;
[[nodiscard]] const Register* find_register(M5Firmware firmware, std::string_view name) noexcept;
/// All four maps have this register at this address with this type.
[[nodiscard]] bool same_everywhere(const Register& r) noexcept;

/// Little-endian; every value of these types is exact as a double. Too few bytes: none.
[[nodiscard]] std::optional<double> decode_register(RegisterType type,
                                                    std::span<const std::uint8_t> bytes) noexcept;
/// The bytes written; 0 where the value does not fit the type (a whole number in its range, a
/// finite float) or `out` is too small.
[[nodiscard]] std::size_t encode_register(RegisterType type, double value,
                                          std::span<std::uint8_t> out) noexcept;

// what the driver itself uses: the same in every map
namespace m5 {
inline constexpr std::uint8_t kFault = 0x14, kTemperature = 0x18, kMotorId = 0x4C;
inline constexpr std::uint8_t kRpm = 0x08;  ///< rpm, bus_v, bus_i, fault, temp stand in a row.
inline constexpr std::uint8_t kSaveSettings = 0xEE, kPropulsion = 0xF0, kFactoryServiceData = 0xF4;
inline constexpr std::uint8_t kFirmwareVersion = 0xFB, kNodeId = 0xFC, kGroupId = 0xFD;
inline constexpr std::uint8_t kUtility = 0xFE;
inline constexpr std::uint16_t kSave = 0x1234, kReboot = 0xDEAD;
}  // namespace m5

}  // namespace pintle::device

namespace pintle {
template <>
const EnumTable& enum_table<device::M5Firmware>();
}  // namespace pintle
