// The whole pool mission with every byte on a line, each port pulled in turn and put back on the way.
//
//   serial_plugs_campaign SEED LOG
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "pintle/flight/replay.h"
#include "pintle/serial_world/run.h"

namespace {

using namespace pintle;
using namespace pintle::serial_site;
using namespace pintle::serial_world;

// each port is away for so long, and all is well for so long before the next one
constexpr double kAway_s = 3, kCalm_s = 2;

bool is_out(const stack::Outputs& out, std::size_t propulsor) {
  return std::any_of(out.alarms.begin(), out.alarms.end(), [&](const Alarm& a) {
    return a.code == AlarmCode::kThrusterOut && a.subject == static_cast<std::int32_t>(propulsor);
  });
}

/// Pulls one after the other, and sees what comes of it.
struct Puller {
  std::size_t line = 0;
  bool away = false;
  double since_s = 0, calm_since_s = -1;
  double slowest_out_s = 0, slowest_back_s = 0;
  double told_s = -1, back_at_end_s = -1;
  int wrong = 0, lost_axes = 0;  ///< Ticks with an alarm of somebody else, or an axis lost.

  void take(const SerialSite& site, EmulatedCraft& craft, const stack::Outputs& out) {
    const double t = out.now.seconds();
    for (const Alarm& a : out.alarms) lost_axes += a.code == AlarmCode::kAxisLost ? 1 : 0;
    if (line == site.lines().size()) {
      // the last one must come back, too
      if (out.alarms.empty() && back_at_end_s < 0) back_at_end_s = t;
      return;
    }
    const std::vector<std::size_t>& ours = site.lines()[line].propulsor;
    if (!away) {
      if (!out.alarms.empty() || out.used.X_WB.p.z > -1) {
        calm_since_s = -1;
        return;
      }
      if (calm_since_s < 0) {
        calm_since_s = t;
        if (line > 0) slowest_back_s = std::max(slowest_back_s, t - since_s);
      }
      if (t - calm_since_s < kCalm_s) return;
      craft.plug(line, false);
      away = true;
      told_s = -1;
      since_s = t;
      return;
    }
    const bool told = std::all_of(ours.begin(), ours.end(), [&](auto i) { return is_out(out, i); });
    if (told && told_s < 0) {
      told_s = t;
      slowest_out_s = std::max(slowest_out_s, t - since_s);
    }
    for (const Alarm& a : out.alarms)
      wrong +=
          std::find(ours.begin(), ours.end(), static_cast<std::size_t>(a.subject)) == ours.end()
              ? 1
              : 0;
    if (told_s < 0 || t - since_s < kAway_s) return;
    craft.plug(line++, true);
    away = false;
    calm_since_s = -1;
    since_s = t;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::filesystem::path log = argv[2];
  const craft::MissionFile mission =
      craft::load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool_m5.yaml");
  Puller puller;
  RunOptions options;
  options.seed = std::strtoull(argv[1], nullptr, 10);
  options.log = log;
  options.witness = [&](SerialSite& site, EmulatedCraft* craft, const stack::Outputs& out) {
    puller.take(site, *craft, out);
  };
  const flight::FlightResult result = run(mission, options);
  const flight::ReplayResult again = flight::replay(log);
  const bool good = result.verdict == flight::Verdict::kPass && puller.back_at_end_s > 0 &&
                    puller.wrong == 0 && puller.lost_axes == 0 && again.ticks == result.ticks &&
                    again.mismatches == 0;
  fmt::print(
      "{{\"good\": {}, \"verdict\": \"{}\", \"ports_pulled\": {}, \"slowest_alarm_s\": {:.3f}, "
      "\"slowest_return_s\": {:.3f}, \"wrong_alarms\": {}, \"axes_lost\": {}, \"ticks\": {}, "
      "\"replay_mismatches\": {}, \"flown_s\": {:.1f}}}\n",
      good, to_string(result.verdict), puller.line, puller.slowest_out_s, puller.slowest_back_s,
      puller.wrong, puller.lost_axes, result.ticks, again.mismatches, result.duration_s);
  return good ? 0 : 1;
}
