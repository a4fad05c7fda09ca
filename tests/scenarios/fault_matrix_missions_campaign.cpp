// The campaign of tests/soak/fault_matrix: every other shipped mission in its simulated world, with
// what testing/mission_faults.h breaks in each state that it comes to; in one that a whole flight
// never enters, after an empty battery has brought it there.
//
//   fault_matrix_missions_campaign EVERY [PART OF A NAME]
//
// Each time: the mission ends within its time limit and kAbort_s; then the craft is disarmed, latched
// safe, or holds by a valid state; every command was finite. A failsafe that its file declares came on
// where it had to, and its action was done in that tick and seen to its end; without a state it was
// armed no longer than `safety:` says, and where it descends by its inertial sensor it touched softly.
// What did not pass, and what passed elsewhere than it says by the truth, was told why. How hard
// something falls that has lost its engine is not judged here, nor whether what comes up gets there
// by a broken propulsor that nobody announced: it must be found out first (see
// FailsafeFlight.WhatComesUpGoesByWhatWasFoundOutOfItsPropulsors).
#include <cstdio>
#include <cstdlib>

#include "pintle/base/rotation.h"
#include "pintle/testing/children.h"
#include "pintle/testing/mission_faults.h"

namespace pintle {
namespace {

using stack::ArmState;
using stack::FailsafeAction;
using testing::MissionCase;
using testing::Moment;

constexpr double kAbort_s = 150;
constexpr double kElsewhere_m = 1, kTouch_m_s = 2;
constexpr double kSurface_m = -0.6;
constexpr const char* kMissions[]{"pool",      "pool_m5",       "harbour",
                                  "hover_box", "hover_ironcub", "rocket_landing"};

struct Result {
  bool flown = false, ended = false, safe = false, sound = true, told = false, passed = false;
  bool as_told = false;      ///< Or it took the abort path that its empty battery brought it onto.
  bool elsewhere = false;    ///< By the truth.
  bool came_on = true;       ///< The row that had to.
  bool acted = true;         ///< What a row that came on asks for was done at once …
  bool seen_to_end = false;  ///< … and until the end.
  bool touched_hard = false;
  double blind_s = 0;  ///< Longest armed without a valid state.
  double took_s = 0;
};

bool has_ended(MissionPhase p) {
  return p == MissionPhase::kPassed || p == MissionPhase::kFailed || p == MissionPhase::kAborted;
}

bool tells(const Event& e, const craft::MissionFile& mission, const MissionCase& c) {
  using E = EventCode;
  // what the mission file itself breaks is told in any case
  if (e.code == E::kPropulsorFailed || e.code == E::kFailureSuspected) {
    const auto of = [&e, &mission](const world::FaultSpec& f) {
      return mission.vehicle.vehicle.propulsors[std::size_t(e.subject)].name == f.propulsor;
    };
    const auto& own = mission.world.faults;
    const bool is_own = std::any_of(own.begin(), own.end(), of);
    return !is_own || std::any_of(c.propulsors.begin(), c.propulsors.end(), of);
  }
  for (const E code : {E::kInputStale, E::kInputRejected, E::kTimeReversed, E::kStateLost,
                       E::kLatchedSafe, E::kMissionImpaired, E::kStateTimedOut, E::kFailsafe,
                       E::kImpact, E::kMissionAborted, E::kMotionDisagrees})
    if (e.code == code) return true;
  return false;
}

/// What a flight shows, tick by tick.
class Judge {
 public:
  Judge(const craft::MissionFile& mission, const MissionCase& c)
      : mission_(mission),
        case_(c),
        traits_(control::traits(mission.vehicle.laws.law)),
        lands_(testing::lands(mission)),
        rows_(stack::rows_of(mission.vehicle.failsafes)) {
    const auto& states = mission.mission.states;
    while (abort_ < states.size() && states[abort_].name != mission.mission.abort) ++abort_;
    r.came_on = !c.row.wanted;
  }

  void take(const stack::Outputs& o, const world::Truth& truth) {
    for (const double u : o.actuation.command) r.sound = r.sound && std::isfinite(u);
    r.ended = has_ended(o.mission.phase);
    r.passed = o.mission.phase == MissionPhase::kPassed;
    r.as_told = r.passed || (case_.emptied_s >= 0 && o.mission.phase == MissionPhase::kAborted);
    r.safe = o.arm != ArmState::kArmed || (r.ended && o.used.validity == Validity::kValid);
    for (const Event& e : o.events) {
      r.told = r.told || (truth.time.seconds() >= case_.at_s - 1e-6 && tells(e, mission_, case_));
      if (e.code == EventCode::kFailsafe) came_on(static_cast<std::size_t>(e.subject));
    }
    obey(o);
    const bool blind = o.arm == ArmState::kArmed && o.used.validity != Validity::kValid;
    // by the truth: its own time leaps by ten seconds where its clock does
    if (!blind) blind_from_ = truth.time;
    r.blind_s = std::max(r.blind_s, (truth.time - blind_from_).seconds());
    touch(truth);
    // a mission that was over before had nothing left to be judged by
    if (r.ended && truth.time.seconds() < case_.at_s + kComesOn_s) r.came_on = true;
    r.elsewhere = norm(truth.X_WB.p - o.used.X_WB.p) > kElsewhere_m;
    r.seen_to_end = done(o, truth);
    was_armed_ = o.arm == ArmState::kArmed;
  }

  Result r;

 private:
  static constexpr double kComesOn_s = 4;  // rows of the cases wait for 2.5 s at most

  void came_on(std::size_t condition) {
    r.came_on = r.came_on || condition == static_cast<std::size_t>(case_.row.condition);
    if (!was_armed_) return;
    for (const stack::FailsafeRow& row : rows_)
      if (static_cast<std::size_t>(row.condition) == condition)
        strongest_ = std::max(strongest_, row.action);
  }
  /// In the tick in which it comes on, and as long as it is armed.
  void obey(const stack::Outputs& o) {
    const bool over = r.ended || o.arm != ArmState::kArmed;
    if (strongest_ == FailsafeAction::kOff)
      r.acted = r.acted && o.arm != ArmState::kArmed && o.actuation.ignition == 0;
    if (lands_) return;  // on its engine: that goes on
    if (strongest_ == FailsafeAction::kLand) r.acted = r.acted && over;
    if (strongest_ == FailsafeAction::kAbort)
      r.acted = r.acted && (over || o.mission.state == std::int32_t(abort_));
    if (strongest_ == FailsafeAction::kHold && !held_)
      r.acted = r.acted && (over || o.mission.phase == MissionPhase::kPaused);
    held_ = held_ || strongest_ == FailsafeAction::kHold;
  }
  [[nodiscard]] bool done(const stack::Outputs& o, const world::Truth& truth) const {
    if (o.arm != ArmState::kArmed || strongest_ < FailsafeAction::kLand || lands_) return true;
    const bool dives = !traits_.flies && (traits_.axes & axis_bit(2)) != 0;
    if (dives) return o.failsafe.arrived && truth.X_WB.p.z > kSurface_m;
    return !traits_.flies && o.failsafe.arrived;
  }
  void touch(const world::Truth& truth) {
    const bool contact = norm(truth.contact_W) > 0;
    if (contact && off_ground_ && norm(before_.V_WB_B.v) > kTouch_m_s) r.touched_hard = true;
    if (contact) off_ground_ = false;
    if (!contact && truth.X_WB.p.z > mission_.world.start_position_m.z + 0.2) off_ground_ = true;
    before_ = truth;
  }

  const craft::MissionFile& mission_;
  const MissionCase& case_;
  control::LawTraits traits_;
  bool lands_;
  stack::FailsafeRows rows_;
  std::size_t abort_ = 0;
  FailsafeAction strongest_ = FailsafeAction::kWarn;
  bool was_armed_ = false, held_ = false, off_ground_ = false;
  Time blind_from_{};
  world::Truth before_;
};

/// Everything but what breaks: battery and rows.
craft::MissionFile prepared(craft::MissionFile mission, const MissionCase& c) {
  using C = stack::FailsafeCondition;
  if (c.row.wanted) testing::declare(mission, c.row.condition);
  if (c.emptied_s >= 0) {
    testing::declare(mission, C::kBatteryLow);
    mission.world.device_faults.push_back(
        {world::Device::kBattery, world::DeviceFaultKind::kEmpties, c.emptied_s, 1e9, 0.2});
  }
  return mission;
}

Result fly(const craft::MissionFile& as_shipped, const MissionCase& c) {
  craft::MissionFile mission = prepared(as_shipped, c);
  const auto add = [](auto& to, const auto& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  add(mission.input_faults, c.inputs);
  add(mission.world.faults, c.propulsors);
  add(mission.world.device_faults, c.devices);
  Judge judge(mission, c);
  simulation::RunOptions options;
  options.witness = [&judge](const stack::Outputs& o, const world::Truth& t) { judge.take(o, t); };
  judge.r.took_s = simulation::run(mission, options).duration_s - c.at_s;
  judge.r.flown = true;
  return judge.r;
}

/// When each state is entered; negative: it is not.
std::vector<double> entries(const craft::MissionFile& mission, double& duration_s) {
  std::vector<double> out(mission.mission.states.size(), -1);
  simulation::RunOptions options;
  options.witness = [&out](const stack::Outputs& o, const world::Truth&) {
    const auto at = static_cast<std::size_t>(o.mission.state);
    if (o.mission.state >= 0 && at < out.size() && out[at] < 0) out[at] = o.now.seconds();
  };
  duration_s = simulation::run(mission, options).duration_s;
  return out;
}

/// Where things break: as each state begins; in the only one of a mission also later, on the way; in
/// one that only an abort leads to, after an empty battery.
std::vector<Moment> moments_of(const craft::MissionFile& mission) {
  constexpr double kAfter_s = 0.1;
  std::vector<Moment> out;
  double duration_s = 0;
  const std::vector<double> entered = entries(mission, duration_s);
  for (std::size_t i = 0; i < entered.size(); ++i)
    if (entered[i] >= 0) out.push_back({i, entered[i] + kAfter_s, -1});
  if (out.size() == 1)
    for (const double share : {0.25, 0.5, 0.75, 0.9}) out.push_back({0, share * duration_s, -1});
  const double half_s = out[out.size() / 2].at_s + 1;
  const craft::MissionFile aborted = prepared(mission, {0, "", 0, half_s, {}, {}, {}, {}});
  const std::vector<double> then = entries(aborted, duration_s);
  for (std::size_t i = 0; i < then.size(); ++i)
    if (entered[i] < 0 && then[i] >= 0) {
      out.push_back({i, then[i] + kAfter_s, half_s});
      out.push_back({i, then[i] + 3, half_s});
    }
  return out;
}

std::string what_is_wrong(const Result& r, const MissionCase& c, const craft::MissionFile& m) {
  if (!r.flown) return " did not come back";
  std::string why;
  const bool is_pure = c.propulsors.empty() && c.devices.empty() && c.inputs.size() == 1 &&
                       c.inputs[0].input == stack::InputCode::kOdometry;
  // what is lost, and not what lies
  const bool lost = is_pure && c.inputs[0].kind != craft::InputFaultKind::kFrozen &&
                    c.inputs[0].kind != craft::InputFaultKind::kShifted &&
                    c.inputs[0].kind != craft::InputFaultKind::kNoisy;
  const stack::SafetyParams& safety = m.vehicle.safety;
  const double blind_s =
      m.vehicle.estimation.stale_after_s + safety.ramp_to_safe_s + safety.latch_after_s + 1;
  if (!(r.ended || r.safe)) why += " not ended";
  if (!r.safe) why += " not safe";
  if (!r.sound) why += " not finite";
  if (!r.came_on) why += " without its failsafe";
  if (!r.acted) why += " not what its failsafe declares";
  const bool unknown = std::any_of(c.propulsors.begin(), c.propulsors.end(),
                                   [](const world::FaultSpec& f) { return !f.announced; });
  if (!r.seen_to_end && !unknown) why += " its failsafe's action has not come to its end";
  if (!(r.blind_s <= blind_s)) why += " blind for too long";
  if (r.touched_hard && lost && safety.on_state_lost == stack::OnStateLost::kDescend)
    why += " touched hard";
  if ((!r.as_told || r.elsewhere) && !r.told) why += " silent";
  if (!(r.took_s <= m.mission.time_limit_s + kAbort_s)) why += " too late";
  return why;
}

int matrix(std::size_t every, const std::string& named) {
  std::vector<craft::MissionFile> missions;
  std::vector<MissionCase> cases;
  for (const char* name : kMissions)
    missions.push_back(
        craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/" + name + ".yaml"));
  for (std::size_t i = 0; i < missions.size(); ++i) {
    testing::MissionFaults faults(i, missions[i]);
    for (const Moment& moment : moments_of(missions[i])) {
      const std::vector<MissionCase> more = faults.at(moment);
      cases.insert(cases.end(), more.begin(), more.end());
    }
  }
  std::erase_if(cases, [&named](const MissionCase& c) {
    return c.name(kMissions[c.mission]).find(named) == std::string::npos;
  });
  const std::span<Result> results = testing::shared_results<Result>(cases.size());
  testing::Children children;
  for (std::size_t i = every - 1; i < cases.size(); i += every)
    children.start([&, i] { results[i] = fly(missions[cases[i].mission], cases[i]); });
  children.wait_for_all();

  int flown = 0, safe = 0, passed = 0, silent = 0, pairs = 0, by_row = 0;
  double longest_s = 0;
  std::string bad;
  for (std::size_t i = every - 1; i < cases.size(); i += every) {
    const Result& r = results[i];
    const MissionCase& c = cases[i];
    const std::string why = what_is_wrong(r, c, missions[c.mission]);
    ++flown;
    passed += r.passed ? 1 : 0;
    by_row += c.row.wanted ? 1 : 0;
    const std::size_t broken = c.inputs.size() + c.propulsors.size() + c.devices.size();
    pairs += broken + (c.emptied_s >= 0 ? 1 : 0) >= 2 ? 1 : 0;
    silent += why.find("silent") != std::string::npos ? 1 : 0;
    longest_s = std::max(longest_s, r.took_s);
    safe += why.empty() ? 1 : 0;
    if (!why.empty() && bad.size() < 6000)
      bad += (bad.empty() ? "\"" : ", \"") + c.name(kMissions[c.mission]) + ":" + why + "\"";
  }
  std::printf(
      "{\"of\": %zu, \"cases\": %d, \"pairs\": %d, \"with_a_failsafe\": %d, \"safe\": %d, "
      "\"passed\": %d, \"silent\": %d, \"longest_s\": %.1f, \"bad\": [%s]}\n",
      cases.size(), flown, pairs, by_row, safe, passed, silent, longest_s, bad.c_str());
  return flown > 0 && safe == flown ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const long every = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  return pintle::matrix(every > 0 ? static_cast<std::size_t>(every) : 1, argc > 2 ? argv[2] : "");
}
