/// One allocation told to a person, or as JSON.
#pragma once
#include <array>
#include <string>

#include "pintle/allocation/explain.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::app {

struct Told {
  const vehicle::Vehicle& vehicle;
  const std::array<const char*, kAxes>& columns;  ///< fx_N … as the CSV names them.
  const WrenchDemand& demand;
  const Allocation& answer;
  const allocation::Explanation& why;
  double r = 0;  ///< Of the objective.
};

/// Tables of axes and channels, then what holds, what is lost and what is proved, in words.
[[nodiscard]] std::string as_words(const Told& told);
/// One line.
[[nodiscard]] std::string as_json(const Told& told);

}  // namespace pintle::app
