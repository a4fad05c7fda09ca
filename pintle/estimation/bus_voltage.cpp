#include "pintle/estimation/bus_voltage.h"

#include <cmath>

namespace pintle::estimation {
namespace {

constexpr double kLeast_V = 10, kMost_V = 60;
// one reading alone raises no alarm
constexpr std::size_t kEnough = 3;

template <std::size_t N>
double median(FixedVector<double, N>& values) noexcept {
  double* const middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Findings check(const VoltageSettings& s) {
  Findings out;
  if (!(s.kill_V <= s.warn_V))
    out.push_back({"kill_V", "expected it not to be above warn_V", "44", true});
  if (!(s.hysteresis_V >= 0)) out.push_back({"hysteresis_V", "expected 0 or above", "0.3", true});
  if (!(s.window_s >= 1 && s.window_s <= 600))
    out.push_back({"window_s", "expected 1 to 600 s", "30", true});
  return out;
}

void BusVoltage::forget() noexcept { readings_ = {}; }

void BusVoltage::ignore(bool yes) noexcept {
  ignored_ = yes;
  // what came just before or after a switch is in between
  forget();
}

std::int64_t BusVoltage::piece_at(double now_s) const noexcept {
  return static_cast<std::int64_t>(std::floor(now_s / piece_s()));
}

void BusVoltage::add(std::size_t thruster, double volt, double now_s) noexcept {
  if (ignored_ || thruster >= thrusters_ || !(std::abs(now_s) < 1e12)) return;
  if (!(volt >= kLeast_V && volt <= kMost_V)) {
    ++implausible_;
    return;
  }
  if (now_s < latest_s_) forget();
  latest_s_ = now_s;
  Readings& r = readings_[thruster];
  const std::int64_t number = piece_at(now_s);
  // all that lie between are empty
  const std::int64_t first = std::max(r.newest + 1, number - static_cast<std::int64_t>(kPieces));
  for (std::int64_t k = std::max(first, std::int64_t{0}); k <= number; ++k)
    r.mean_mV[static_cast<std::size_t>(k) % kPieces] = 0;
  if (number != r.newest) {
    r.sum_V = 0;
    r.n = 0;
  }
  r.newest = number;
  r.sum_V += static_cast<float>(volt);
  ++r.n;
  const double mean_V = static_cast<double>(r.sum_V) / r.n;
  r.mean_mV[static_cast<std::size_t>(std::max(number, std::int64_t{0})) % kPieces] =
      static_cast<std::uint16_t>(std::clamp(1000 * mean_V + 0.5, 1.0, 65535.0));
}

BusVoltage::Estimate BusVoltage::estimate(double now_s) noexcept {
  Estimate out;
  FixedVector<double, kMaxPropulsors> filtered;
  bool enough = false;
  const std::int64_t now = std::abs(now_s) < 1e12 ? piece_at(now_s) : 0;
  const auto window = static_cast<std::int64_t>(std::ceil(settings_.window_s / piece_s()));
  for (std::size_t i = 0; i < thrusters_; ++i) {
    const Readings& r = readings_[i];
    FixedVector<double, kPieces> means;
    for (std::size_t k = 0; k < kPieces; ++k) {
      const std::int64_t number = r.newest - static_cast<std::int64_t>(k);
      if (number < 0 || number < now - window) break;
      const std::uint16_t mV = r.mean_mV[static_cast<std::size_t>(number) % kPieces];
      if (mV > 0) means.push_back(mV / 1000.0);
    }
    if (means.empty()) continue;
    enough |= means.size() >= kEnough;
    const double volt = median(means);
    if (filtered.empty() || volt < out.lowest_V) {
      out.lowest_V = volt;
      out.lowest = i;
    }
    filtered.push_back(volt);
  }
  out.severity = severity_;
  if (ignored_ || filtered.empty()) return out;
  out.known = true;
  out.bus_V = median(filtered);
  if (!enough) return out;

  // a level that stands is left only well above its limit
  const auto below = [&](double volt, double limit, int level) {
    return volt < limit + (severity_ >= level ? settings_.hysteresis_V : 0.0);
  };
  if (below(out.bus_V, settings_.kill_V, 5))
    severity_ = 5;
  else if (below(out.bus_V, settings_.warn_V, 3))
    severity_ = 3;
  else if (below(out.lowest_V, settings_.kill_V, 2))
    severity_ = 2;
  else
    severity_ = 0;
  out.severity = severity_;
  return out;
}

}  // namespace pintle::estimation

namespace pintle {

template <>
const Table& table_of<estimation::VoltageSettings>() {
  using S = estimation::VoltageSettings;
  static const Table table =
      TableBuilder<S>("VoltageSettings", "When the voltage of the bus is an alarm.")
          .field("warn_V", &S::warn_V, "V", "The battery is nearly empty below this …")
          .range(0, 1000)
          .field("kill_V", &S::kill_V, "V", "… and empty below this.")
          .range(0, 1000)
          .field("hysteresis_V", &S::hysteresis_V, "V", "Above the limit, it is good again.")
          .range(0, 100)
          .field("window_s", &S::window_s, "s", "Readings of so long are looked at.")
          .range(1, 600)
          .build();
  return table;
}

}  // namespace pintle
