// The campaign of tests/soak/fault_matrix: every other shipped mission in its simulated world, with each
// input and each kind of propulsor fault in each of its states, announced and not, for good and for two
// seconds, single and an input with a propulsor.
//
//   fault_matrix_missions_campaign EVERY
//
// Each time: the mission ends within its time limit and kAbort_s; then the craft is disarmed, latched
// safe, or holds by a valid state; every command was finite; and what did not pass was told why. How
// hard something falls that has lost its engine is not judged here.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pintle/simulation/run.h"
#include "pintle/testing/children.h"

namespace pintle {
namespace {

constexpr double kAbort_s = 150;
constexpr const char* kMissions[]{"pool",      "pool_m5",       "harbour",
                                  "hover_box", "hover_ironcub", "rocket_landing"};

struct Case {
  std::size_t mission = 0, state = 0;
  std::vector<craft::InputFault> inputs;
  std::vector<world::FaultSpec> propulsors;
  [[nodiscard]] std::string name(const craft::MissionFile& m) const {
    std::string out = std::string(kMissions[mission]) + ", " + m.mission.states[state].name;
    for (const auto& f : inputs)
      out += ", " + std::string(to_string(f.input)) + " " + std::string(to_string(f.kind)) +
             (f.until_s > 1e8 ? "" : " for 2 s");
    for (const auto& f : propulsors)
      out += ", " + f.propulsor + " " + std::string(to_string(f.kind)) +
             (f.announced ? " announced" : "");
    return out;
  }
};

struct Result {
  bool flown = false, ended = false, safe = false, sound = true, told = false, passed = false;
  double took_s = 0;
};

bool tells(EventCode c) {
  using E = EventCode;
  for (const E e : {E::kInputStale, E::kInputRejected, E::kTimeReversed, E::kStateLost,
                    E::kLatchedSafe, E::kPropulsorFailed, E::kFailureSuspected, E::kMissionImpaired,
                    E::kStateTimedOut, E::kFailsafe, E::kImpact})
    if (c == e) return true;
  return false;
}

Result fly(craft::MissionFile mission, const Case& c) {
  mission.input_faults.insert(mission.input_faults.end(), c.inputs.begin(), c.inputs.end());
  mission.world.faults.insert(mission.world.faults.end(), c.propulsors.begin(), c.propulsors.end());
  double from_s = 0;
  for (const auto& f : c.inputs) from_s = f.at_s;
  for (const auto& f : c.propulsors) from_s = f.at_s;
  Result r;
  simulation::RunOptions options;
  options.witness = [&](const stack::Outputs& o, const world::Truth&) {
    for (const double u : o.actuation.command) r.sound = r.sound && std::isfinite(u);
    for (const Event& e : o.events) r.told = r.told || (o.now.seconds() >= from_s && tells(e.code));
    using P = MissionPhase;
    const P p = o.mission.phase;
    r.ended = p == P::kPassed || p == P::kFailed || p == P::kAborted;
    r.passed = p == P::kPassed;
    r.safe = o.arm != stack::ArmState::kArmed || (r.ended && o.used.validity == Validity::kValid);
  };
  r.took_s = simulation::run(mission, options).duration_s - from_s;
  r.flown = true;
  return r;
}

/// When each state is entered in a flight without a fault; negative: it is not.
std::vector<double> entries(const craft::MissionFile& mission) {
  std::vector<double> out(mission.mission.states.size(), -1);
  simulation::RunOptions options;
  options.witness = [&out](const stack::Outputs& o, const world::Truth&) {
    const auto at = static_cast<std::size_t>(o.mission.state);
    if (o.mission.state >= 0 && at < out.size() && out[at] < 0) out[at] = o.now.seconds();
  };
  (void)simulation::run(mission, options);
  return out;
}

std::vector<Case> cases_of(std::size_t number, const craft::MissionFile& mission) {
  using K = craft::InputFaultKind;
  using stack::InputCode;
  using world::FaultKind;
  std::vector<Case> out;
  const std::vector<double> entered = entries(mission);
  const auto& propulsors = mission.vehicle.vehicle.propulsors;
  for (std::size_t state = 0; state < entered.size(); ++state) {
    if (entered[state] < 0) continue;
    const double at_s = entered[state] + 0.1;
    std::vector<craft::InputFault> inputs;
    for (const K kind :
         {K::kOff, K::kStuck, K::kFrozen, K::kNan, K::kInfinite, K::kGarbage, K::kTimeReversed})
      inputs.push_back({InputCode::kOdometry, kind, at_s, 1e9, 0});
    inputs.push_back({InputCode::kOdometry, K::kDelayed, at_s, 1e9, 1});
    inputs.push_back({InputCode::kOdometry, K::kFromFuture, at_s, 1e9, 5});
    inputs.push_back({InputCode::kOdometry, K::kIntermittent, at_s, 1e9, 0.9});
    inputs.push_back({InputCode::kOdometry, K::kShifted, at_s, 1e9, 3});
    inputs.push_back({InputCode::kOdometry, K::kNoisy, at_s, 1e9, 0.5});
    for (const K kind : {K::kOff, K::kNan, K::kGarbage})
      inputs.push_back({InputCode::kBusVoltage, kind, at_s, 1e9, 0});
    std::vector<world::FaultSpec> broken;
    // a gimbal breaks with what hangs in it
    const auto first =
        static_cast<std::size_t>(std::find_if(propulsors.begin(), propulsors.end(),
                                              [](const auto& p) { return p.name != "gimbal"; }) -
                                 propulsors.begin());
    for (const std::size_t i : {first, propulsors.size() - 1})
      for (const bool announced : {false, true}) {
        broken.push_back({propulsors[i].name, FaultKind::kDead, at_s, 1e9, 0, announced});
        broken.push_back({propulsors[i].name, FaultKind::kStuck, at_s, 1e9, 0.5, announced});
        broken.push_back({propulsors[i].name, FaultKind::kWeak, at_s, 1e9, 0.5, announced});
      }
    for (craft::InputFault f : inputs) {
      out.push_back({number, state, {f}, {}});
      f.until_s = at_s + 2;
      out.push_back({number, state, {f}, {}});
      // and with a propulsor that nobody tells of
      out.push_back({number, state, {f}, {broken.front()}});
    }
    for (const world::FaultSpec& f : broken) out.push_back({number, state, {}, {f}});
    out.push_back({number, state, {}, {broken.front(), broken.back()}});
  }
  return out;
}

int matrix(std::size_t every) {
  std::vector<craft::MissionFile> missions;
  std::vector<Case> cases;
  for (const char* name : kMissions) {
    missions.push_back(
        craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/" + name + ".yaml"));
    const std::vector<Case> more = cases_of(missions.size() - 1, missions.back());
    cases.insert(cases.end(), more.begin(), more.end());
  }
  const std::span<Result> results = testing::shared_results<Result>(cases.size());
  testing::Children children;
  for (std::size_t i = every - 1; i < cases.size(); i += every)
    children.start([&, i] { results[i] = fly(missions[cases[i].mission], cases[i]); });
  children.wait_for_all();

  int flown = 0, safe = 0, passed = 0, silent = 0;
  double longest_s = 0;
  std::string bad;
  for (std::size_t i = every - 1; i < cases.size(); i += every) {
    const Result& r = results[i];
    const craft::MissionFile& m = missions[cases[i].mission];
    ++flown;
    passed += r.passed ? 1 : 0;
    longest_s = std::max(longest_s, r.took_s);
    const bool quiet = r.flown && !r.passed && !r.told;
    silent += quiet ? 1 : 0;
    std::string why;
    if (!r.flown) why = "did not come back";
    if (r.flown && !(r.ended || r.safe)) why += " not ended";
    if (r.flown && !r.safe) why += " not safe";
    if (!r.sound) why += " not finite";
    if (quiet) why += " silent";
    if (!(r.took_s <= m.mission.time_limit_s + kAbort_s)) why += " too late";
    safe += why.empty() ? 1 : 0;
    if (!why.empty() && bad.size() < 6000)
      bad += (bad.empty() ? "\"" : ", \"") + cases[i].name(m) + ":" + why + "\"";
  }
  std::printf(
      "{\"of\": %zu, \"cases\": %d, \"safe\": %d, \"passed\": %d, \"silent\": %d, "
      "\"longest_s\": %.1f, \"bad\": [%s]}\n",
      cases.size(), flown, safe, passed, silent, longest_s, bad.c_str());
  return flown > 0 && safe == flown ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const long every = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  return pintle::matrix(every > 0 ? static_cast<std::size_t>(every) : 1);
}
