// The campaign of tests/soak/fault_matrix: each part of a delivery broken in each way in each
// state, and each two parts at once, its clock with one in four of the others; in the states of the
// abort path after an empty battery has brought it there. Every time: the mission ends within its
// bound, a velocity goes out in every tick, the craft ends on the ground, or where nobody here can do
// more with nothing asked of it but to stay, and what did not pass was told why.
//
//   fault_matrix_campaign [short]
#include <cstdio>
#include <cstdlib>

#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

constexpr const char* kPartNames[]{"odometry", "targets", "gripper", "flight"};
constexpr const char* kFaultNames[]{"none",    "missing", "frozen", "stale",
                                    "garbage", "jump",    "fails",  "mute"};
constexpr double kBound_s = 600;
constexpr double kEmpty = 0.1;
constexpr double kDelivered_m = 0.5;  ///< Level, from the marker.
/// The tick's clock stands, or is wrong by so many seconds; 1e10 is beyond the end of the numbers.
constexpr double kStands = 0;
constexpr std::array kClocks{kStands, 1.0, -1.0, 1e6, -1e6, 1e10, -1e10};

struct Broken {
  Part part{};
  Fault fault{};
  std::optional<double> clock{};  ///< In place of a part.
  [[nodiscard]] std::string name() const {
    if (clock == kStands) return "clock stands";
    if (clock) return "clock off by " + std::to_string(static_cast<long long>(*clock)) + " s";
    return std::string(kPartNames[std::size_t(part)]) + " " + kFaultNames[std::size_t(fault)];
  }
};

struct Result {
  bool reached = false, ended = false, sound = true, safe = false, passed = false, landed = false;
  bool told = false, as_told = false, delivered = false;
  double took_s = 0;
};

/// Ended, or disarmed where it stands with nothing under way: what a jump of the odometry does to a
/// craft that has not taken off, since it may be in somebody's hands.
bool is_over(const DeliveryRig& rig) {
  return rig.ended() || (!rig.airborne() && rig.out->arm == stack::ArmState::kDisarmed &&
                         rig.out->mission.phase == MissionPhase::kIdle);
}

bool tells(EventCode code) {
  using E = EventCode;
  for (const E e :
       {E::kInputMissing, E::kInputStale, E::kInputRejected, E::kTimeReversed, E::kStateTimedOut,
        E::kRequestFailed, E::kTargetLost, E::kOriginCleared, E::kBatteryLow, E::kBeyondFence,
        E::kControlLost, E::kMotionDisagrees, E::kPayloadLost})
    if (code == e) return true;
  return false;
}

Result run(const stack::Model& model, std::int32_t state, std::span<const Broken> broken,
           double dwell_s) {
  Result r;
  DeliveryRig rig(model);
  rig.start();
  const bool aborts = state >= model.mission.abort;
  if (aborts && rig.run_until(rig.index_of("fly_to_car"), 300)) rig.battery = kEmpty;
  r.reached = rig.out->mission.state == state || rig.run_until(state, 300);
  if (!r.reached) return r;
  rig.run(dwell_s);
  bool deaf = false;
  for (const Broken& b : broken) {
    if (b.clock == kStands) rig.clock_stands = rig.now;
    if (b.clock) {
      rig.clock_off = Duration::from_seconds(*b.clock);
      continue;
    }
    rig.fail(b.part, b.fault);
    deaf = deaf || b.part == Part::kFlight;
  }
  rig.said.clear();
  const Time from = rig.now;
  while (!is_over(rig) && (rig.now - from).seconds() < kBound_s) {
    rig.tick();
    const MotionCommand& m = rig.out->motion;
    r.sound = r.sound && norm(m.v_H) <= 2.5 && std::abs(m.yaw_rate_rad_s) <= 1;
  }
  r.took_s = (rig.now - from).seconds();
  r.ended = is_over(rig);
  r.passed = rig.out->mission.phase == MissionPhase::kPassed;
  const Vec3 off = rig.dropped_at - rig.car;
  r.delivered = rig.dropped && std::hypot(off.x, off.y) < kDelivered_m;
  r.as_told = aborts ? rig.out->mission.phase == MissionPhase::kAborted : r.passed && r.delivered;
  r.told =
      std::any_of(rig.said.begin(), rig.said.end(), [](const Event& e) { return tells(e.code); });
  rig.run(30);
  r.landed = !rig.airborne();
  // where the flight controller itself no longer listens, to ask for nothing but to stay is all
  const Vec3 v = rig.out->motion.v_H;
  r.safe = r.ended && (r.landed || (deaf && norm(v) <= 0.1));
  return r;
}

/// Each alone, then each two that are of different parts.
std::vector<std::vector<Broken>> everything() {
  std::vector<Broken> singles;
  for (std::size_t part = 0; part < testing::kParts; ++part)
    for (std::size_t fault = 1; fault < testing::kFaults; ++fault)
      singles.push_back({Part(part), Fault(fault)});
  std::vector<std::vector<Broken>> out;
  for (const Broken& b : singles) out.push_back({b});
  for (const Broken& a : singles)
    for (const Broken& b : singles)
      if (a.part < b.part) out.push_back({a, b});
  for (const double clock : kClocks) out.push_back({{.clock = clock}});
  for (const double clock : kClocks)
    for (const Broken& b : singles) out.push_back({{.clock = clock}, b});
  return out;
}

struct Tally {
  int cases = 0, pairs = 0, safe = 0, passed = 0, landed = 0, unreached = 0, silent = 0;
  double longest_s = 0;
  std::string bad;
  void take(const Result& r, const std::string& state, std::span<const Broken> broken) {
    const bool quiet = r.ended && !r.as_told && !r.told;
    ++cases;
    pairs += broken.size() > 1 ? 1 : 0;
    unreached += r.reached ? 0 : 1;
    passed += r.passed ? 1 : 0;
    landed += r.landed ? 1 : 0;
    silent += quiet ? 1 : 0;
    longest_s = std::max(longest_s, r.took_s);
    if (r.reached && r.safe && r.sound && !quiet) {
      ++safe;
      return;
    }
    if (bad.size() > 2000) return;
    bad += (bad.empty() ? "\"" : ", \"") + state;
    for (const Broken& b : broken) bad += ", " + b.name();
    bad += ":" + std::string(r.reached ? "" : " not reached") + (r.ended ? "" : " not ended") +
           (r.sound ? "" : " unsound") + (r.landed ? "" : " in the air") +
           (quiet ? " silent" : "") + "\"";
  }
};

int matrix(bool all) {
  const stack::Model model = testing::delivery_model();
  const std::vector<std::vector<Broken>> cases = everything();
  Tally t;
  for (std::size_t state = 0; state < model.mission.states.size(); ++state)
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (const double after : {0.0, 0.6}) {
        const bool is_pair = cases[i].size() > 1;
        if (is_pair && after > 0) continue;
        if (is_pair && cases[i][0].clock && (i + state) % 4 != 0) continue;
        if (!all && (after > 0 || state % 4 != 1 || (is_pair && (i + state) % 40 != 0))) continue;
        t.take(run(model, std::int32_t(state), cases[i], after), model.mission.states[state].name,
               cases[i]);
      }
  std::printf(
      "{\"cases\": %d, \"pairs\": %d, \"safe\": %d, \"passed\": %d, \"landed\": %d, "
      "\"not_reached\": %d, \"silent\": %d, \"longest_s\": %.1f, \"bad\": [%s]}\n",
      t.cases, t.pairs, t.safe, t.passed, t.landed, t.unreached, t.silent, t.longest_s,
      t.bad.c_str());
  return t.safe == t.cases ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  return pintle::matrix(argc < 2 || std::string(argv[1]) != "short");
}
