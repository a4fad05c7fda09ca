/// How bad the temperatures of thrusters are: each by itself, with hysteresis.
///
///   severity 4: above high    3: above warn    0: none
///
/// A severity is left only `hysteresis_C` below the limit that it was raised for. What a thruster
/// does not say changes nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/base/finding.h"

namespace pintle::device {

struct HeatSettings {
  double warn_C = 80, high_C = 95, hysteresis_C = 5;
};
[[nodiscard]] Findings check(const HeatSettings& settings);

class HeatWatch {
 public:
  HeatWatch(HeatSettings settings, std::size_t thrusters)
      : settings_(settings), thrusters_(thrusters) {}

  void add(std::size_t thruster, double celsius);
  [[nodiscard]] int severity(std::size_t thruster) const { return thrusters_[thruster].severity; }
  [[nodiscard]] std::optional<double> celsius(std::size_t thruster) const {
    return thrusters_[thruster].celsius;
  }

 private:
  struct One {
    std::optional<double> celsius;
    int severity = 0;
  };
  HeatSettings settings_;
  std::vector<One> thrusters_;
};

}  // namespace pintle::device
