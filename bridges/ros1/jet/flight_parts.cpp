#include "jet/flight_parts.h"

namespace pintle::ros1 {
namespace {

struct Words {
  const char *topic, *means;
  double limit_s;
};
// in the order of FlightParts::Part
constexpr Words kWords[] = {
    {"flight_status", "whether it flies is not known, and nothing it says is taken", kPartsFresh_s},
    {"has_control", "that counts as not in control", kPartsFresh_s},
    {"attitude", "its heading is not known", kPartsFresh_s},
    {"battery", "its charge is not known", kBatteryFresh_s}};

}  // namespace

void FlightParts::phase(int phase, double now_s) {
  last_.phase = phase;
  heard_[kPhase].at_s = now_s;
}

void FlightParts::control(bool has_control, double now_s) {
  last_.has_control = has_control;
  heard_[kControl].at_s = now_s;
}

void FlightParts::attitude(const Four& attitude, double now_s) {
  last_.attitude = attitude;
  heard_[kAttitude].at_s = now_s;
}

void FlightParts::battery(double charge, double now_s) {
  last_.battery = charge;
  heard_[kBattery].at_s = now_s;
}

bool FlightParts::is_fresh(Part part, double now_s) const {
  const auto& at_s = heard_[part].at_s;
  return at_s && now_s - *at_s <= kWords[part].limit_s;
}

std::optional<PlainFlight> FlightParts::report(std::int64_t stamp_ns, const Three& velocity,
                                               double now_s) const {
  if (!is_fresh(kPhase, now_s) || !is_fresh(kControl, now_s)) return std::nullopt;
  PlainFlight r = last_;
  r.stamp_ns = stamp_ns;
  r.velocity = velocity;
  r.has_attitude = is_fresh(kAttitude, now_s);
  r.has_battery = is_fresh(kBattery, now_s);
  return r;
}

std::vector<std::string> FlightParts::news(double now_s) {
  std::vector<std::string> lines;
  for (int i = 0; i < kParts; ++i) {
    const auto part = static_cast<Part>(i);
    Heard& h = heard_[part];
    const bool silent = h.at_s && !is_fresh(part, now_s);
    if (silent == h.told_silent) continue;
    h.told_silent = silent;
    const std::string topic = std::string("/flight_controller/") + kWords[part].topic;
    lines.push_back(silent ? topic + " is silent: " + kWords[part].means : topic + " speaks again");
  }
  return lines;
}

}  // namespace pintle::ros1
