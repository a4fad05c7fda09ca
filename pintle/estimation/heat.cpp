#include "pintle/estimation/heat.h"

namespace pintle::estimation {

Findings check(const HeatSettings& s) {
  Findings out;
  if (!(s.warn_C <= s.high_C))
    out.push_back({"warn_C", "expected it not to be above high_C", "80", true});
  if (!(s.hysteresis_C >= 0)) out.push_back({"hysteresis_C", "expected 0 or above", "5", true});
  return out;
}

void HeatWatch::add(std::size_t thruster, double celsius) noexcept {
  if (thruster >= n_) return;
  One& t = thrusters_[thruster];
  const auto above = [&](double limit, int level) {
    return celsius > limit - (t.severity >= level ? settings_.hysteresis_C : 0);
  };
  // what is no number is above nothing, and takes no alarm back
  if (!(celsius > -273.16)) return;
  t.celsius = celsius;
  t.known = true;
  t.severity = static_cast<std::int8_t>(above(settings_.high_C, 4)   ? 4
                                        : above(settings_.warn_C, 3) ? 3
                                                                     : 0);
}

}  // namespace pintle::estimation

namespace pintle {

template <>
const Table& table_of<estimation::HeatSettings>() {
  using S = estimation::HeatSettings;
  static const Table table =
      TableBuilder<S>("HeatSettings", "When the temperature of a thruster is an alarm.")
          .field("warn_C", &S::warn_C, "C", "It is hot above this …")
          .field("high_C", &S::high_C, "C", "… and in danger above this.")
          .field("hysteresis_C", &S::hysteresis_C, "C", "Below the limit, it is good again.")
          .range(0, 100)
          .build();
  return table;
}

}  // namespace pintle
