// The campaign of tests/soak/fault_matrix: each part of a delivery broken in each way in each
// state. Every time: the mission ends within its bound, a velocity goes out in every tick, and the
// craft ends on the ground, or where nobody here can do more with nothing asked of it but to stay.
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

struct Result {
  bool reached = false, ended = false, sound = true, safe = false, passed = false, landed = false;
  double took_s = 0;
};

/// Ended, or disarmed where it stands with nothing under way: what a jump of the odometry does to a
/// craft that has not taken off, since it may be in somebody's hands.
bool is_over(const DeliveryRig& rig) {
  return rig.ended() || (!rig.airborne() && rig.out->arm == stack::ArmState::kDisarmed &&
                         rig.out->mission.phase == MissionPhase::kIdle);
}

Result run(const stack::Model& model, std::int32_t state, Part part, Fault fault, double dwell_s) {
  Result r;
  DeliveryRig rig(model);
  rig.start();
  r.reached = rig.out->mission.state == state || rig.run_until(state, 300);
  if (!r.reached) return r;
  rig.run(dwell_s);
  rig.fault[std::size_t(part)] = fault;
  const Time from = rig.now;
  while (!is_over(rig) && (rig.now - from).seconds() < kBound_s) {
    rig.tick();
    const MotionCommand& m = rig.out->motion;
    r.sound = r.sound && norm(m.v_H) <= 2.5 && std::abs(m.yaw_rate_rad_s) <= 1;
  }
  r.took_s = (rig.now - from).seconds();
  r.ended = is_over(rig);
  r.passed = rig.out->mission.phase == MissionPhase::kPassed;
  rig.run(30);
  r.landed = !rig.airborne();
  // where the flight controller itself no longer listens, to ask for nothing but to stay is all
  const bool deaf = part == Part::kFlight;
  const Vec3 v = rig.out->motion.v_H;
  r.safe = r.ended && (r.landed || (deaf && norm(v) <= 0.1));
  return r;
}

int matrix(bool all) {
  const stack::Model model = testing::delivery_model();
  int cases = 0, safe = 0, passed = 0, landed = 0, unreached = 0;
  double longest = 0;
  std::string bad;
  for (std::int32_t state = 0; state < 15; ++state)
    for (std::size_t part = 0; part < testing::kParts; ++part)
      for (std::size_t fault = 1; fault < testing::kFaults; ++fault)
        for (const double after : {0.0, 0.6}) {
          if (!all && (after > 0 || state % 4 != 1)) continue;
          const Result r = run(model, state, Part(part), Fault(fault), after);
          ++cases;
          unreached += r.reached ? 0 : 1;
          passed += r.passed ? 1 : 0;
          landed += r.landed ? 1 : 0;
          longest = std::max(longest, r.took_s);
          if (r.reached && r.safe && r.sound) {
            ++safe;
            continue;
          }
          if (bad.size() < 2000)
            bad += std::string(bad.empty() ? "" : ", ") + "\"" + std::to_string(state) + " " +
                   kPartNames[part] + " " + kFaultNames[fault] + (r.ended ? "" : " not ended") +
                   (r.sound ? "" : " unsound") + (r.landed ? "" : " in the air") + "\"";
        }
  std::printf(
      "{\"cases\": %d, \"safe\": %d, \"passed\": %d, \"landed\": %d, \"not_reached\": %d, "
      "\"longest_s\": %.1f, \"bad\": [%s]}\n",
      cases, safe, passed, landed, unreached, longest, bad.c_str());
  return safe == cases ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  return pintle::matrix(argc < 2 || std::string(argv[1]) != "short");
}
