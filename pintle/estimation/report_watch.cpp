#include "pintle/estimation/report_watch.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pintle::estimation {
namespace {

constexpr double kStopped = 0.5, kSlowing = 0.75, kNoLoad = 0.3;
constexpr double kFouledTimes = 1.6, kFouledBeside = 0.1, kFaster = 1.15;
// below these, of the largest, nothing can be concluded
constexpr double kTurns = 0.2, kLoaded = 0.06, kVouchTurns = 0.1;
constexpr std::uint32_t kReports = 3;
// what was not heard for longer has not gone on for longer
constexpr double kLongest_s = 0.1;

double needed_s(const ReportWatchParams& p, ReportVerdict v) noexcept {
  switch (v) {
    case ReportVerdict::kStopped: return p.stopped_s;
    case ReportVerdict::kFouled: return p.fouled_s;
    default: return p.no_load_s;
  }
}

}  // namespace

ReportVerdict look_of(const PropulsorReport& r, const ExpectedLoad& e) noexcept {
  const bool has_rpm = r.has(kHasRpm), has_A = r.has(kHasCurrent);
  const double rpm = std::abs(r.rpm);
  const bool turns = e.least_rpm >= kTurns * e.full_rpm && e.full_rpm > 0;
  const bool loaded = e.least_A - e.idle_A >= kLoaded * e.full_A && e.full_A > 0;
  const bool no_load = has_A && loaded && r.bus_A - e.idle_A < kNoLoad * (e.least_A - e.idle_A);
  const bool stalls = r.has(kHasFault) && (r.fault & kFaultStall) != 0;
  if (turns && stalls) return ReportVerdict::kStopped;
  if (turns && has_rpm && rpm < kStopped * e.least_rpm) return ReportVerdict::kStopped;
  if (no_load) {
    if (!has_rpm) return ReportVerdict::kNoLoad;
    return rpm < kSlowing * e.least_rpm ? ReportVerdict::kStopped : ReportVerdict::kPropellerLost;
  }
  const bool dear =
      has_A && r.bus_A > kFouledTimes * e.most_A + kFouledBeside * e.full_A && e.full_A > 0;
  if (dear && (!has_rpm || rpm <= kFaster * e.most_rpm)) return ReportVerdict::kFouled;
  return ReportVerdict::kNone;
}

bool vouches(const PropulsorReport& r, const ExpectedLoad& e) noexcept {
  const double rpm = std::abs(r.rpm);
  const bool turns = e.least_rpm >= kVouchTurns * e.full_rpm && e.full_rpm > 0;
  return turns && r.has(kHasRpm) && rpm >= e.least_rpm / kFaster && rpm <= e.most_rpm * kFaster &&
         look_of(r, e) == ReportVerdict::kNone;
}

ReportVerdict judge(const ReportWatchParams& p, ReportSuspicion& s, const PropulsorReport& r,
                    const ExpectedLoad& e, double dt_s) noexcept {
  const ReportVerdict seen = look_of(r, e);
  if (seen != s.suspect) {
    s = {seen, 0, 1};
    return ReportVerdict::kNone;
  }
  s.held_s += std::clamp(dt_s, 0.0, kLongest_s);
  if (s.reports < kReports) ++s.reports;
  const bool enough = s.reports >= kReports && s.held_s >= needed_s(p, seen);
  return enough ? seen : ReportVerdict::kNone;
}

Findings check(const ReportWatchParams& p) {
  Findings out;
  const auto want = [&out](double x, double most, const char* path, const char* fix) {
    if (!(x > 0 && x <= most))
      out.push_back({path, "expected a time above 0 and up to " + std::to_string(int(most)) + " s",
                     fix, true});
  };
  want(p.stale_s, 60, "stale_s", "0.5");
  want(p.slack_s, 5, "slack_s", "0.2");
  want(p.stopped_s, 60, "stopped_s", "0.06");
  want(p.no_load_s, 60, "no_load_s", "0.3");
  want(p.fouled_s, 60, "fouled_s", "0.5");
  return out;
}

}  // namespace pintle::estimation

namespace pintle {

using estimation::ReportVerdict;
using estimation::ReportWatchParams;

template <>
const EnumTable& enum_table<ReportVerdict>() {
  using V = ReportVerdict;
  static constexpr std::array values{
      enum_value(V::kNone, "none", "As it should be, or not to be judged."),
      enum_value(V::kStopped, "stopped", "It does not turn."),
      enum_value(V::kPropellerLost, "propeller_lost", "It turns, and draws next to nothing."),
      enum_value(V::kFouled, "fouled", "It draws much more than its thrust costs."),
      enum_value(V::kNoLoad, "no_load", "It draws next to nothing, and does not say its speed.")};
  static constexpr EnumTable table{"ReportVerdict", values};
  return table;
}

template <>
const Table& table_of<ReportWatchParams>() {
  using P = ReportWatchParams;
  static const Table table =
      TableBuilder<P>("ReportWatch", "Finds propulsors that fail by what they say of themselves.")
          .field("enable", &P::enable, "", "Look for them; what is found counts as out.")
          .field("stale_s", &P::stale_s, "s", "A report older than this says nothing.")
          .range(0, 60)
          .above(0)
          .field("slack_s", &P::slack_s, "s", "Between a command and what is reported of it.")
          .range(0, 5)
          .above(0)
          .field("stopped_s", &P::stopped_s, "s", "So long it must not turn.")
          .range(0, 60)
          .above(0)
          .field("no_load_s", &P::no_load_s, "s", "So long it must draw nothing.")
          .range(0, 60)
          .above(0)
          .field("fouled_s", &P::fouled_s, "s", "So long it must draw too much.")
          .range(0, 60)
          .above(0)
          .build();
  return table;
}

}  // namespace pintle
