// The campaign of tests/soak/mission_walk: random operators and random events on the delivery
// mission. After every tick: a velocity within bounds, one owner, no state beyond its time limit,
// none that begins with evidence from before.
#include <cstdio>
#include <cstdlib>

#include "pintle/testing/delivery_rig.h"
#include "pintle/testing/walk_judge.h"

namespace pintle {
namespace {

using stack::CommandCode;
using testing::DeliveryRig;
using testing::Fault;
using testing::Found;

void upset(DeliveryRig& rig, RandomStream& random, Found& found) {
  ++found.events;
  const auto pick = [&random](std::uint64_t n) { return random.bits() % n; };
  const auto any_state = std::int32_t(pick(rig.model.mission.states.size() + 2)) - 1;
  switch (pick(20)) {
    case 0: rig.command(CommandCode::kMissionStart); break;
    case 1: rig.command(CommandCode::kMissionPause); break;
    case 2:
    case 3: rig.command(CommandCode::kMissionResume); break;
    case 4: rig.command(CommandCode::kMissionCutoff); break;
    case 5: rig.command(CommandCode::kMissionJump, any_state); break;
    case 6: rig.command(CommandCode::kMissionStep, any_state); break;
    case 7: rig.command(CommandCode::kMissionSelect, any_state); break;
    case 8:
      if (pick(10) == 0) rig.command(CommandCode::kMissionAbort);
      break;
    case 9: rig.command(pick(8) == 0 ? CommandCode::kDisarmForce : CommandCode::kArm); break;
    case 10:
      rig.ask(pick(3) == 0 ? NavigationAsk::kCancel : NavigationAsk::kGoal, pick(5),
              {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(0.5, 2)});
      break;
    case 11:
    case 12: rig.fault[pick(testing::kParts)] = Fault(pick(testing::kFaults)); break;
    case 13: rig.wind = {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0}; break;
    case 14: rig.battery = random.uniform(0.1, 1); break;
    case 15: rig.p = rig.p + Vec3{random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0}; break;
    case 16:
      if (rig.airborne()) rig.has_control = pick(4) != 0;
      break;
    default: rig.fault = {}; break;
  }
}

/// Put back where a person would put it: on the ground, whole, with a full battery, lifted once.
void put_back(DeliveryRig& rig) {
  rig.fault = {};
  rig.wind = {};
  rig.p = {0.3, -0.2, 0};
  rig.v = {};
  rig.phase = FlightPhase::kMotorsOff;
  rig.has_control = rig.dropped = false;
  rig.battery = 0.95;
  rig.command(CommandCode::kMissionCutoff);
  rig.command(CommandCode::kDisarmForce);
  rig.tick();
  rig.carry();
  rig.command(CommandCode::kArm);
  rig.tick();
  rig.command(CommandCode::kMissionStart);
  rig.tick();
}

int walk(std::uint64_t events, std::uint64_t seed) {
  Found found;
  DeliveryRig rig(testing::delivery_model());
  RandomStream random(seed, "mission walk");
  std::vector<bool> seen(rig.model.mission.states.size());
  put_back(rig);
  MissionStatus before = rig.out->mission;
  std::uint64_t since_put_back = 0;
  while (found.events < events) {
    upset(rig, random, found);
    const std::uint64_t rest = 1 + random.bits() % (random.bits() % 8 == 0 ? 400 : 20);
    for (std::uint64_t k = 0; k < rest; ++k) {
      before = rig.out->mission;
      rig.tick();
      ++found.ticks;
      judge(rig, before, found);
      if (rig.out->mission.state >= 0) seen[std::size_t(rig.out->mission.state)] = true;
    }
    rig.said.clear();
    if (rig.ended()) ++found.ended;
    if (rig.ended() || ++since_put_back > 200) {
      since_put_back = 0;
      put_back(rig);
    }
  }
  for (const bool s : seen) found.states_seen += s ? 1 : 0;
  std::printf(
      "{\"events\": %llu, \"ticks\": %llu, \"states_seen\": %llu, \"missions_ended\": %llu, "
      "\"without_velocity\": %llu, \"beyond_time_limit\": %llu, \"inherited\": %llu, "
      "\"two_owners\": %llu, \"moved_unarmed\": %llu}\n",
      (unsigned long long)found.events, (unsigned long long)found.ticks,
      (unsigned long long)found.states_seen, (unsigned long long)found.ended,
      (unsigned long long)found.no_velocity, (unsigned long long)found.overtime,
      (unsigned long long)found.inherited, (unsigned long long)found.two_owners,
      (unsigned long long)found.pressed_while_unarmed);
  return found.wrong() == 0 && found.states_seen == seen.size() ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
  return pintle::walk(events, 1);
}
