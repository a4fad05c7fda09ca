/// How bad the temperatures of thrusters are: each by itself, with hysteresis.
///
///   severity 4: above high    3: above warn    0: none
///
/// A severity is left only `hysteresis_C` below the limit that it was raised for. What a thruster
/// does not say changes nothing. Plain memory: copied as bytes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/propulsor_report.h"
#include "pintle/base/signals.h"

namespace pintle::estimation {

struct HeatSettings {
  double warn_C = kWarm_C, high_C = kHot_C, hysteresis_C = 5;
};
[[nodiscard]] Findings check(const HeatSettings& settings);

class HeatWatch {
 public:
  HeatWatch() = default;
  HeatWatch(HeatSettings settings, std::size_t thrusters) noexcept
      : settings_(settings), n_(std::min(thrusters, kMaxPropulsors)) {}
  /// The temperatures stay.
  void set(HeatSettings settings) noexcept { settings_ = settings; }

  void add(std::size_t thruster, double celsius) noexcept;
  [[nodiscard]] int severity(std::size_t thruster) const noexcept {
    return thrusters_[thruster].severity;
  }
  [[nodiscard]] std::optional<double> celsius(std::size_t thruster) const noexcept {
    const One& t = thrusters_[thruster];
    return t.known ? std::optional(t.celsius) : std::nullopt;
  }

 private:
  struct One {
    double celsius = 0;
    std::int8_t severity = 0;
    bool known = false;
  };
  HeatSettings settings_;
  std::size_t n_ = 0;
  std::array<One, kMaxPropulsors> thrusters_{};
};

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::HeatSettings>();
}
