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
  // at r = 1 a thruster group of gain sigma gives sigma^2 / (sigma^2 + 1) of what is asked
  if (findings.empty() && objective.r() >= 1)
    findings.push_back({"k2",
                        "as large as k1: every wrench is answered with a part of it only, also far "
                        "from saturation",
                        "write  k2: 1e-4", false});
  return findings;
}

}  // namespace pintle::allocation

namespace pintle {

template <>
const Table& table_of<allocation::Objective>() {
  static const Table table =
      TableBuilder<allocation::Objective>("Objective", "What an allocation minimises.")
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
          .build();
  return table;
}

}  // namespace pintle
