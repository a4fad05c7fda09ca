/// What an allocation minimises.
///
///   | Wv (B u + bias - w) |^2 + r | Wu (u - u_preferred) |^2     subject to  lower <= u <= upper
///
/// r = 0 is the limit r -> 0: least squares first, then the least |Wu (u - u_preferred)| among its
/// optima (Wu: Effectiveness::effort_weight; the rule of Duke's `controls`, without its jump and
/// its history). r > 0 trades them (SubjuGator: k1 |Bu - w|^2 + k2 |u|^2 has r = k2 / k1).
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::allocation {

/// Trades by the names of those who tuned with them.
enum class Preset : std::uint8_t {
  kOwn,               ///< k1 and k2 as given.
  kDuke,              ///< Duke Robotics `controls`: the wrench first, then the least effort; r = 0.
  kSubjugator,        ///< SubjuGator 8 since 2018, |Bu - w|^2 + 1e-4 |u|^2.
  kSubjugatorBusses,  ///< SubjuGator 8 with the `/busses` layout, |Bu - w|^2 + |u|^2.
};

struct Objective {
  double k1 = 1;  ///< Weight of the squared wrench error; above 0.
  double k2 = 0;  ///< Weight of the squared effort; r = k2 / k1.
  /// What cannot be met is asked for less of, in the same direction (each group of the demand for
  /// itself), instead of being approached as near as possible.
  bool preserve_direction = false;
  /// The answer's system once more in double-double: within rounding of the optimum also where
  /// columns are nearly dependent or rows differ by 1e8. See refine.h.
  bool refine = false;
  Preset preset = Preset::kOwn;  ///< See `resolved`.
  /// How fast preferred efforts are approached where the demand leaves freedom, in the vehicle's
  /// unit a second; 0: at once. See smoothing.h, as for the next one.
  double preferred_rate = 0;
  /// 0 to 1: how far apart entering and leaving a dead band are, in shares of it; 0: no account is
  /// taken of dead bands.
  double dead_band_hysteresis = 0;

  [[nodiscard]] double r() const noexcept { return k2 / k1; }
};

[[nodiscard]] Findings check(const Objective& objective);

/// With k1 and k2 of its preset.
[[nodiscard]] Objective resolved(Objective objective) noexcept;

}  // namespace pintle::allocation

namespace pintle {
template <>
const EnumTable& enum_table<allocation::Preset>();
template <>
const Table& table_of<allocation::Objective>();
}  // namespace pintle
