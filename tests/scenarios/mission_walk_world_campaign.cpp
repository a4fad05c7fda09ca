// The campaign of tests/soak/mission_walk in the simulated world: whole flights, each with its own
// seed, under an operator who presses anything at any time while inputs and devices fail for some
// seconds. After every tick what the walk without physics asks for; by the truth: nothing is hit
// hard, it stays upright and near. At the end the operator asks for a landing: it lies on the
// ground, or stays where it is.
#include <cstdio>
#include <cstdlib>

#include "pintle/testing/children.h"
#include "pintle/testing/delivery_faults.h"
#include "pintle/testing/walk_judge.h"

namespace pintle {
namespace {

using stack::CommandCode;
using testing::DeliveryFault;
using testing::Found;
using testing::WorldFlight;

constexpr int kEvents = 40;
constexpr double kHardest_m_s = 1;
// Told to land over a table it lands on it, and may slide off: that fall has a limit of its own.
constexpr double kFall_m_s = 2, kTouch_m_s = 0.1, kAbove_m = 0.2;
constexpr double kTilt_rad = 0.8;
constexpr double kBeyond_m = 4;  // over fence and ceiling

struct Result {
  bool flown = false, landed = false, rests = false;
  double hardest_m_s = 0, fall_m_s = 0;
  Found found;
  testing::FlightRecord record;
};

void upset(WorldFlight& flight, RandomStream& random, const std::vector<DeliveryFault>& faults) {
  const auto pick = [&random](std::uint64_t n) { return random.bits() % n; };
  const auto any_state = std::int32_t(pick(flight.model.mission.states.size() + 2)) - 1;
  switch (pick(16)) {
    case 0: flight.command(CommandCode::kMissionStart); break;
    case 1: flight.command(CommandCode::kMissionPause); break;
    case 2:
    case 3: flight.command(CommandCode::kMissionResume); break;
    case 4: flight.command(CommandCode::kMissionCutoff); break;
    case 5: flight.command(CommandCode::kMissionJump, any_state); break;
    case 6: flight.command(CommandCode::kMissionStep, any_state); break;
    case 7: flight.command(CommandCode::kMissionSelect, any_state); break;
    case 8:
      if (pick(6) == 0) flight.command(CommandCode::kMissionAbort);
      break;
    case 9: flight.command(pick(8) == 0 ? CommandCode::kDisarmForce : CommandCode::kArm); break;
    case 10:
    case 11: {
      const DeliveryFault& f = faults[pick(faults.size())];
      // what is empty stays empty: that is the matrix's
      if (f.is_input || f.device.device != world::Device::kBattery)
        f.happen(flight, random.uniform(0.1, 4));
      break;
    }
    default: break;
  }
}

Result walk(std::uint64_t seed) {
  Result r;
  WorldFlight flight(testing::delivery_file(), seed);
  const std::vector<DeliveryFault> faults = testing::all_delivery_faults();
  RandomStream random(seed, "mission walk in the world");
  MissionStatus before = flight.out->mission;
  bool on_something = false;
  const auto fly = [&](double seconds) {
    for (double t = 0; t < seconds; t += flight.model.period.seconds()) {
      before = flight.out->mission;
      flight.tick();
      ++r.found.ticks;
      judge(flight, before, r.found);
      double& hardest = on_something ? r.fall_m_s : r.hardest_m_s;
      hardest = std::max(hardest, flight.record.blow_m_s);
      const FlightPhase phase = flight.rig.controller().phase();
      const bool lands = phase == FlightPhase::kLanding || phase == FlightPhase::kTouchingDown;
      const double above_m = flight.truth.X_WB.p.z - flight.file.world.start_position_m.z;
      if (lands && flight.record.blow_m_s > kTouch_m_s && above_m > kAbove_m) on_something = true;
      if (!lands && phase != FlightPhase::kMotorsOff) on_something = false;
    }
    flight.said.clear();
  };
  fly(8);  // lifted, armed, started
  for (int k = 0; k < kEvents; ++k) {
    upset(flight, random, faults);
    ++r.found.events;
    fly(random.uniform(0.02, random.bits() % 4 == 0 ? 12 : 3));
  }
  fly(5);
  for (int k = 0; k < 3 && !flight.landed(); ++k) {
    flight.command(CommandCode::kArm);
    fly(1);
    flight.command(CommandCode::kMissionAbort);
    fly(1);
    if (!mission::is_moving(flight.out->mission.phase)) {
      for (std::size_t i = 0; i < flight.model.mission.states.size(); ++i)
        if (flight.model.mission.states[i].name == "abort_land")
          flight.command(CommandCode::kMissionStep, std::int32_t(i));
    }
    for (double t = 0; t < 150 && !flight.landed(); t += 1) fly(1);
  }
  r.landed = flight.landed();
  r.rests = flight.record.rests_s > 10;
  r.record = flight.record;
  r.flown = true;
  return r;
}

int walks(std::size_t flights) {
  const std::span<Result> results = testing::shared_results<Result>(flights);
  testing::Children children;
  for (std::size_t k = 0; k < flights; ++k) children.start([&, k] { results[k] = walk(k + 1); });
  children.wait_for_all();

  const mission::AircraftSpec spec =
      WorldFlight(testing::delivery_file(), 1).model.mission.aircraft;
  std::uint64_t events = 0, ticks = 0, safe = 0, landed = 0, wrong = 0;
  double hardest = 0, fall = 0, away = 0;
  std::string bad;
  for (std::size_t k = 0; k < flights; ++k) {
    const Result& r = results[k];
    events += r.found.events;
    ticks += r.found.ticks;
    landed += r.landed ? 1 : 0;
    wrong += r.found.wrong();
    hardest = std::max(hardest, r.hardest_m_s);
    fall = std::max(fall, r.fall_m_s);
    away = std::max(away, r.record.away_m);
    std::string why = r.flown ? "" : "did not come back";
    if (r.found.wrong() > 0) why += " a tick that breaks a rule;";
    if (!r.landed && !r.rests) why += " does not rest;";
    if (!(r.hardest_m_s <= kHardest_m_s)) why += " hit hard;";
    if (!(r.fall_m_s <= kFall_m_s)) why += " fell hard;";
    if (!(r.record.tilt_rad <= kTilt_rad)) why += " tipped over;";
    if (!(r.record.away_m <= spec.fence_radius_m + kBeyond_m)) why += " far away;";
    if (!(r.record.highest_m <= spec.ceiling_m + kBeyond_m)) why += " too high;";
    safe += why.empty() ? 1 : 0;
    if (!why.empty() && bad.size() < 2000)
      bad += (bad.empty() ? "\"" : ", \"") + std::to_string(k + 1) + ":" + why + "\"";
  }
  std::printf(
      "{\"flights\": %zu, \"safe\": %llu, \"landed\": %llu, \"events\": %llu, \"ticks\": %llu, "
      "\"rules_broken\": %llu, \"hardest_m_s\": %.3f, \"hardest_fall_m_s\": %.3f, \"farthest_m\": "
      "%.2f, \"bad\": [%s]}\n",
      flights, (unsigned long long)safe, (unsigned long long)landed, (unsigned long long)events,
      (unsigned long long)ticks, (unsigned long long)wrong, hardest, fall, away, bad.c_str());
  return safe == flights ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const long flights = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 20;
  return pintle::walks(flights > 0 ? static_cast<std::size_t>(flights) : 1);
}
