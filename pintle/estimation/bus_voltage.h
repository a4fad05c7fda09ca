/// Bus voltage from what the thrusters report, and how bad it is.
///
/// Each thruster has a filter of its own: the median of the means over the last `window_s`, cut into
/// 30 pieces of half a second at least. The bus is the median over thrusters, so that neither a garbled reading nor one bad
/// connector makes a battery look empty; a connector is told by itself.
///
///   severity 5: bus < kill    3: bus < warn    2: one thruster < kill, the bus is not    0: none
///
/// Three such means come before the first judgement. The severity falls only when the voltage
/// has risen `hysteresis_V` above the limit it was raised for. The original took the mean over all
/// readings, 0 V among them, kept old ones after a gap, and never cleared. Readings outside [10,
/// 60] V say nothing about a battery and are only counted. Means are kept to the millivolt, which is
/// finer than any reading. Plain memory: copied as bytes.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"

namespace pintle::estimation {

struct VoltageSettings {
  double warn_V = 44.5, kill_V = 44.0;
  double hysteresis_V = 0.3;
  double window_s = 30;
};
[[nodiscard]] Findings check(const VoltageSettings& settings);

class BusVoltage {
 public:
  BusVoltage() = default;
  BusVoltage(VoltageSettings settings, std::size_t thrusters) noexcept
      : settings_(settings), thrusters_(std::min(thrusters, kMaxPropulsors)) {}
  /// The readings stay.
  void set(VoltageSettings settings) noexcept { settings_ = settings; }

  void add(std::size_t thruster, double volt, double now_s) noexcept;
  /// While the power to the thrusters is cut by a switch, their voltage says nothing.
  void ignore(bool yes) noexcept;

  struct Estimate {
    bool known = false;  ///< Some thruster has reported within the window.
    double bus_V = 0;
    double lowest_V = 0;     ///< Of one thruster …
    std::size_t lowest = 0;  ///< … and which.
    int severity = 0;
  };
  /// Severity stays what it was while nothing is known.
  Estimate estimate(double now_s) noexcept;

  [[nodiscard]] unsigned implausible() const { return implausible_; }

 private:
  static constexpr std::size_t kPieces = 32;  ///< One is being filled, one is half too old.
  struct Readings {
    std::array<std::uint16_t, kPieces> mean_mV{};  ///< Goes round with the time; 0: nothing read.
    std::int64_t newest = -1;                      ///< Number of the newest piece …
    float sum_V = 0;                               ///< … and what it is the mean of.
    std::uint32_t n = 0;
  };
  [[nodiscard]] double piece_s() const noexcept { return std::max(0.5, settings_.window_s / 30); }
  [[nodiscard]] std::int64_t piece_at(double now_s) const noexcept;
  void forget() noexcept;

  VoltageSettings settings_;
  std::size_t thrusters_ = 0;
  std::array<Readings, kMaxPropulsors> readings_{};
  double latest_s_ = -1e300;
  bool ignored_ = false;
  int severity_ = 0;
  unsigned implausible_ = 0;
};

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::VoltageSettings>();
}
