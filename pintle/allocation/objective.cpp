#include "pintle/allocation/objective.h"

#include <cmath>

namespace pintle::allocation {

Findings check(const Objective& objective) {
  Findings findings;
  if (!(objective.k1 > 0 && std::isfinite(objective.k1)))
    findings.push_back(
        {"k1", "must be a finite number above 0, or nothing asks for the wrench", "write  k1: 1"});
  if (!(objective.k2 >= 0 && std::isfinite(objective.k2)))
    findings.push_back({"k2", "must be a finite number of at least 0", "write  k2: 0"});
  if (findings.empty() && !std::isfinite(objective.r()))
    findings.push_back({"k2", "k2 / k1 is beyond what a double can hold", "write  k2: 0"});
  if (!(objective.preferred_rate >= 0 && std::isfinite(objective.preferred_rate)))
    findings.push_back(
        {"preferred_rate", "must be a finite number of at least 0", "write  preferred_rate: 0"});
  if (!(objective.dead_band_hysteresis >= 0 && objective.dead_band_hysteresis <= 1))
    findings.push_back(
        {"dead_band_hysteresis", "must lie in 0 to 1", "write  dead_band_hysteresis: 0.5"});
  if (objective.preset != Preset::kOwn && (objective.k1 != 1 || objective.k2 != 0) &&
      objective.r() != resolved(objective).r())
    findings.push_back({"preset", "gives k1 and k2, and they are given besides",
                        "take k1 and k2 out, or the preset"});
  // at r = 1 a thruster group of gain sigma gives sigma^2 / (sigma^2 + 1) of what is asked
  if (findings.empty() && objective.r() >= 1)
    findings.push_back({"k2",
                        "as large as k1: every wrench is answered with a part of it only, also far "
                        "from saturation",
                        "write  k2: 1e-4", false});
  return findings;
}

Objective resolved(Objective objective) noexcept {
  switch (objective.preset) {
    case Preset::kOwn: return objective;
    case Preset::kDuke: objective.k2 = 0; break;
    case Preset::kSubjugator: objective.k2 = 1e-4; break;
    case Preset::kSubjugatorBusses: objective.k2 = 1; break;
  }
  objective.k1 = 1;
  return objective;
}

}  // namespace pintle::allocation

namespace pintle {

template <>
const EnumTable& enum_table<allocation::Preset>() {
  using allocation::Preset;
  static constexpr std::array values{
      enum_value(Preset::kOwn, "own", "k1 and k2 as they are given."),
      enum_value(Preset::kDuke, "duke", "Duke Robotics controls: the wrench, then least effort."),
      enum_value(Preset::kSubjugator, "subjugator",
                 "SubjuGator 8: squared wrench error plus 1e-4 times squared effort."),
      enum_value(Preset::kSubjugatorBusses, "subjugator_busses",
                 "SubjuGator 8 with its busses layout: squared wrench error plus squared effort.")};
  static constexpr EnumTable table{"Preset", values};
  return table;
}

template <>
const Table& table_of<allocation::Objective>() {
  static const Table table =
      TableBuilder<allocation::Objective>("Objective", "What an allocation minimises.")
          .field("preset", &allocation::Objective::preset, "",
                 "k1 and k2 under the name of those who tuned with them.")
          .field("k1", &allocation::Objective::k1, "", "Weight of the squared wrench error.")
          .above(0)
          .field("k2", &allocation::Objective::k2, "",
                 "Weight of the squared effort; 0: the least effort among the best wrenches.")
          .at_least(0)
          .field("preserve_direction", &allocation::Objective::preserve_direction, "",
                 "A wrench out of reach is scaled down instead of approached as near as possible.")
          .field("refine", &allocation::Objective::refine, "",
                 "The last digits from arithmetic of 32 digits: for columns that are nearly "
                 "dependent or rows of very different units; a few microseconds more.")
          .field("preferred_rate", &allocation::Objective::preferred_rate, "",
                 "How fast efforts go to their preferred ones where the demand leaves freedom, in "
                 "the vehicle's unit a second; 0: at once.")
          .at_least(0)
          .field("dead_band_hysteresis", &allocation::Objective::dead_band_hysteresis, "",
                 "How far apart entering and leaving a thruster's dead band are, in shares of it; "
                 "the others take over what a resting one does not give. 0: off.")
          .range(0, 1)
          .build();
  return table;
}

}  // namespace pintle
