/// One allocation told to a person, or as JSON.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "pintle/allocation/explain.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::app {

/// Why the allocation refused, and which value it was; empty where it did not.
struct Refusal {
  std::string code, subject, words;
};

/// Of the caps under `power:`.
struct PowerTold {
  bool modelled = false, capped = false;
  double drawn_W = 0, allowed_W = 0;  ///< Allowed is infinite without caps.
};

struct Told {
  const vehicle::Vehicle& vehicle;
  const std::array<const char*, kAxes>& columns;  ///< fx_N … as the CSV names them.
  const std::vector<std::string>& channels;
  WrenchDemand demand;
  Allocation answer;
  allocation::Explanation why;
  double r = 0;  ///< Of the objective.
  PowerTold power;
  Refusal refusal;
};

/// For an answer graded rejected. `told` for its names.
[[nodiscard]] Refusal refusal_of(const allocation::Settings& settings,
                                 const Effectiveness& effectiveness, const WrenchDemand& demand,
                                 const PropulsorHealth* health, const Told& told);

/// Tables of axes and channels, then what holds, what is lost and what is proved, in words.
[[nodiscard]] std::string as_words(const Told& told);
/// One line.
[[nodiscard]] std::string as_json(const Told& told);

}  // namespace pintle::app
