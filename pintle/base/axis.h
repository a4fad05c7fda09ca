/// The six axes, in the one order that every vector, file and message of Pintle uses.
///
/// Roll, pitch and yaw stand for what happens about x, y and z: a torque, a rate or an angle,
/// whichever the six numbers are.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pintle {

enum class Axis : std::uint8_t { kX, kY, kZ, kRoll, kPitch, kYaw };

inline constexpr std::size_t kAxes = 6;
inline constexpr std::array<std::string_view, kAxes> kAxisNames{"x",    "y",     "z",
                                                                "roll", "pitch", "yaw"};

/// A set of axes, one bit each (bit 0 is x).
using AxisMask = std::uint8_t;
inline constexpr AxisMask kAllAxes = 0x3f;
[[nodiscard]] constexpr AxisMask axis_bit(std::size_t axis) noexcept {
  return static_cast<AxisMask>(1U << axis);
}

}  // namespace pintle
