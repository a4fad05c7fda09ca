#include "pintle/device/bus_voltage.h"

#include <algorithm>

namespace pintle::device {
namespace {

constexpr double kBucket_s = 0.5;
constexpr double kLeast_V = 10, kMost_V = 60;
// one reading alone raises no alarm
constexpr std::size_t kEnough = 3;

}  // namespace

BusVoltage::BusVoltage(VoltageSettings settings, std::size_t thrusters)
    : settings_(settings), readings_(thrusters) {}

void BusVoltage::ignore(bool yes) {
  ignored_ = yes;
  // what came just before or after a switch is in between
  for (auto& r : readings_) r.clear();
}

void BusVoltage::add(std::size_t thruster, double volt, double now_s) {
  if (ignored_ || thruster >= readings_.size()) return;
  if (!(volt >= kLeast_V && volt <= kMost_V)) {
    ++implausible_;
    return;
  }
  if (now_s < latest_s_)
    for (auto& r : readings_) r.clear();
  latest_s_ = now_s;
  std::vector<Bucket>& buckets = readings_[thruster];
  if (buckets.empty() || now_s - buckets.back().begin_s >= kBucket_s)
    buckets.push_back({now_s, 0, 0});
  buckets.back().sum += volt;
  ++buckets.back().n;
  // all that are too old, not every other one
  std::erase_if(buckets, [&](const Bucket& b) { return now_s - b.begin_s > settings_.window_s; });
}

double BusVoltage::median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

BusVoltage::Estimate BusVoltage::estimate(double now_s) {
  Estimate out;
  std::vector<double> filtered;
  bool enough = false;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    std::vector<double> means;
    for (const Bucket& b : readings_[i])
      if (now_s - b.begin_s <= settings_.window_s) means.push_back(b.sum / b.n);
    if (means.empty()) continue;
    enough |= means.size() >= kEnough;
    const double volt = median(std::move(means));
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

}  // namespace pintle::device
