// The campaign of tests/soak/fault_matrix: the delivery in its simulated world, every part of it
// broken in every way in every state for good, one time in four for two seconds, and one in four
// together with another part; in the states of the abort path after an empty battery has brought it
// there. The flight is flown once for each path; where a state is entered the process forks once a
// fault, and each child flies on with it from there.
//
//   fault_matrix_world_campaign [EVERY [PART OF A NAME]]
//
// Each time: the mission ends within kBound_s of the fault; soon after, the craft lies on the
// ground with its motors off, or, where the flight controller no longer listens to anybody, hovers
// in its place; nothing is hit harder than kHardest_m_s; it stays upright and within fence and
// ceiling. A part that the mission declares it does not fly without ends it, by its abort path
// unless its pilot, or the flight controller by itself, has taken over; what did not pass was told why.
// On the abort path, which was told before, that is what did not go as the path goes by itself. What has
// passed has its payload on the marker. Where a camera shows targets beside where they are, and they may be
// there, nobody can know: what passes then, and where an abort path ends, is not held against the truth.
#include <cstdio>
#include <cstdlib>

#include "pintle/testing/children.h"
#include "pintle/testing/delivery_faults.h"

namespace pintle {
namespace {

using testing::DeliveryFault;
using testing::Device;
using testing::DeviceFaultKind;
using testing::WorldFlight;

constexpr std::int32_t kFlyToCar = 5;
constexpr double kBound_s = 400;         // to the end of the mission
constexpr double kSettle_s = 60;         // and then to rest
constexpr double kHardest_m_s = 1;       // the flight controller lands with 0.5
constexpr double kOffTheRoof_m_s = 2.5;  // a fall from 0.3 m
constexpr double kTilt_rad = 0.8;        // in the air, and at rest half of it
constexpr double kBeyond_m = 4;          // over fence and ceiling: until it is seen, and braked
constexpr double kDelivered_m = 0.3;     // a moving hand has it there, and the car stands
constexpr double kLater_s = 10, kElsewhere_m = 1;  // than without the fault: what is to be told

struct Result {
  bool flown = false, ended = false, landed = false, hovers = false, passed = false;
  bool aborted = false, left_alone = false, on_edge = false;
  MissionPhase phase{};
  std::uint64_t states = 0;  ///< That it went through, a bit each.
  std::uint64_t told = 0;    ///< What of, a bit each.
  Vec3 ends_at;
  testing::FlightRecord record;
  double took_s = 0, tilt_rad = 0, payload_m = 0;  ///< From the marker.
};

/// The payload lies where it was to.
bool is_delivered(const Result& r) { return r.payload_m <= kDelivered_m; }

/// It took the way that it takes without the fault: what else would there be to tell?
bool is_undisturbed(const Result& r, const Result& without) {
  return r.phase == without.phase && r.states == without.states && r.landed == without.landed &&
         std::abs(r.took_s - without.took_s) <= kLater_s &&
         norm(r.ends_at - without.ends_at) <= kElsewhere_m;
}

/// What breaks, and for how long.
struct Case {
  std::int32_t state = 0;
  std::vector<DeliveryFault> faults;
  double lasts_s = 1e9;
  [[nodiscard]] bool for_good() const { return lasts_s > 100; }
  [[nodiscard]] bool may_hover() const {
    return std::any_of(faults.begin(), faults.end(), [](const auto& f) { return f.may_hover(); });
  }
  /// Shows the targets in another place where they may be: nobody can know.
  [[nodiscard]] bool misleads() const {
    return std::any_of(faults.begin(), faults.end(), [](const DeliveryFault& f) {
      return !f.is_input && f.device.device == Device::kCamera &&
             f.device.kind == DeviceFaultKind::kLies;
    });
  }
  [[nodiscard]] std::string name() const {
    std::string out;
    for (const DeliveryFault& f : faults) out += ", " + f.name();
    return out + (for_good() ? "" : " for 2 s");
  }
};

/// What an event tells of, a bit of `told`; of a time limit, which state's.
std::uint64_t tells(const Event& event) {
  using E = EventCode;
  std::uint64_t bit = 1;
  for (const E e :
       {E::kInputMissing, E::kInputStale, E::kInputRejected, E::kTimeReversed, E::kRequestFailed,
        E::kTargetLost, E::kOriginCleared, E::kBatteryLow, E::kBeyondFence, E::kControlLost,
        E::kMotionDisagrees, E::kImpact, E::kPayloadLost}) {
    if (event.code == e) return bit;
    bit <<= 1;
  }
  return event.code == E::kStateTimedOut ? bit << std::max(event.subject, 0) : 0;
}

/// Ended, or disarmed where it stands with nothing under way: what a jump of the odometry does to a
/// craft that has not taken off, since it may be in somebody's hands.
bool is_over(const WorldFlight& flight) {
  return flight.ended() ||
         (!flight.out->aircraft.in_flight && flight.out->arm == stack::ArmState::kDisarmed &&
          flight.out->mission.phase == MissionPhase::kIdle);
}

/// Comes down with some of its feet on the roof of the car and some beside it.
bool on_the_edge(const WorldFlight& flight) {
  const auto& bodies = flight.file.world.bodies;
  const auto car =
      std::find_if(bodies.begin(), bodies.end(), [](const auto& b) { return b.name == "car"; });
  if (car == bodies.end() || flight.rig.controller().phase() != FlightPhase::kLanding) return false;
  const Pose& X_WB = flight.truth.X_WB;
  std::size_t over = 0, touch = 0;
  const auto& feet = flight.file.vehicle.vehicle.body.feet_m;
  for (const Vec3& foot : feet) {
    const Vec3 p = X_WB.p + rotate(X_WB.q, foot) - car->position_m;
    if (std::abs(p.x) > car->size_m.x / 2 || std::abs(p.y) > car->size_m.y / 2) continue;
    ++over;
    if (p.z < car->size_m.z / 2 + 0.02) ++touch;
  }
  return touch > 0 && over < feet.size();
}

/// The rest of a flight, with a fault from now on.
Result fly_on(WorldFlight& flight, const Case& c) {
  Result r;
  const double from_s = flight.now.seconds();
  flight.said.clear();
  for (const DeliveryFault& f : c.faults) f.happen(flight, c.lasts_s);
  const auto tick = [&] {
    flight.tick();
    if (!is_over(flight)) r.states |= std::uint64_t{1} << std::max(flight.out->mission.state, 0);
    r.on_edge = r.on_edge || on_the_edge(flight);
  };
  const double period_s = flight.model.period.seconds();
  for (double t = 0; t < kBound_s && !is_over(flight); t += period_s) tick();
  r.ended = is_over(flight);
  r.took_s = flight.now.seconds() - from_s;
  const auto hovers = [&flight] {
    return flight.rig.controller().phase() == FlightPhase::kAirborne && flight.record.rests_s >= 20;
  };
  for (double t = 0; t < kSettle_s && !flight.landed() && !hovers(); t += period_s) tick();
  r.phase = flight.out->mission.phase;
  r.passed = r.phase == MissionPhase::kPassed;
  r.aborted = flight.happened(EventCode::kMissionAborted);
  r.left_alone = flight.happened(EventCode::kControlLost);
  for (const Event& e : flight.said) r.told |= tells(e);
  r.landed = flight.landed();
  r.hovers = hovers();
  r.record = flight.record;
  r.tilt_rad = flight.tilt();
  r.ends_at = flight.truth.X_WB.p;
  r.payload_m = flight.payload_to_marker_m();
  r.flown = true;
  return r;
}

/// Off the ground, and not to be put down there yet.
bool flies_in(const WorldFlight& flight, std::int32_t state) {
  const auto& states = flight.model.mission.states;
  const auto is = [&](const char* name) { return states[std::size_t(state)].name == name; };
  std::int32_t take_off = 0, landing = 0;
  for (std::int32_t i = 0; i < std::int32_t(states.size()); ++i) {
    if (states[std::size_t(i)].name == "take_off") take_off = i;
    if (states[std::size_t(i)].name == "landing") landing = i;
  }
  return state > take_off && state < landing && !is("visual_servo_landing");
}

/// `without`: how the same goes without the fault.
std::string what_is_wrong(const Result& r, const Case& c, const WorldFlight& flight,
                          const Result& without) {
  if (!r.flown || !without.flown) return "did not come back";
  std::string out;
  const auto say = [&out](const std::string& s) { out += (out.empty() ? "" : "; ") + s; };
  const auto number = [](double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g", x);
    return std::string(text.data());
  };
  const mission::AircraftSpec& spec = flight.model.mission.aircraft;
  if (!r.ended) say("the mission did not end");
  if (!r.landed && !(r.hovers && c.may_hover())) say(r.hovers ? "hovers" : "in the air");
  if (!r.record.sound) say("a command beyond its bounds");
  if (!(r.record.hardest_m_s <= (r.on_edge ? kOffTheRoof_m_s : kHardest_m_s)))
    say("hit at " + number(r.record.hardest_m_s) + " m/s");
  if (!r.on_edge && (!(r.record.tilt_rad <= kTilt_rad) || !(r.tilt_rad <= kTilt_rad / 2)))
    say("tipped over");
  if (!(r.record.away_m <= spec.fence_radius_m + kBeyond_m))
    say(number(r.record.away_m) + " m away");
  if (!(r.record.highest_m <= spec.ceiling_m + kBeyond_m))
    say(number(r.record.highest_m) + " m high");
  const bool must_end = std::any_of(c.faults.begin(), c.faults.end(),
                                    [](const auto& f) { return f.ends_the_mission(); });
  if (c.for_good() && must_end && r.passed && flies_in(flight, c.state)) say("flown on");
  const bool on_abort_path = c.state >= flight.model.mission.abort;
  // a pilot, or the flight controller itself where its battery is critical, has it then
  if (!r.passed && !r.aborted && !r.left_alone && !on_abort_path && flies_in(flight, c.state))
    say("without its abort path");
  if (on_abort_path && !r.left_alone && r.phase != MissionPhase::kAborted)
    say("off its abort path");
  // a target that leaves the picture, a landing: what the path tells by itself
  const bool told = (on_abort_path ? r.told & ~without.told : r.told) != 0;
  const bool delivered = r.passed && is_delivered(r);
  const bool as_it_should = on_abort_path  ? c.misleads() || is_undisturbed(r, without)
                            : c.misleads() ? r.passed
                                           : delivered;
  if (!as_it_should && !told) say("silent");
  if (r.passed && !delivered && !c.misleads())
    say("passed, the payload " + number(r.payload_m) + " m away");
  return out;
}

struct Tally {
  int cases = 0, pairs = 0, safe = 0, passed = 0, landed = 0, on_the_edge = 0, hovered = 0;
  int silent = 0, misled = 0;
  double longest_s = 0, hardest_m_s = 0, away_m = 0, highest_m = 0;
  std::string bad;
  void take(const Result& r, const std::string& why, const Case& c, const std::string& name,
            bool is_pair) {
    ++cases;
    misled += c.misleads() ? 1 : 0;
    pairs += is_pair ? 1 : 0;
    passed += r.passed ? 1 : 0;
    landed += r.landed ? 1 : 0;
    on_the_edge += r.on_edge ? 1 : 0;
    hovered += r.hovers && !r.landed ? 1 : 0;
    silent += why.find("silent") != std::string::npos ? 1 : 0;
    longest_s = std::max(longest_s, r.took_s);
    hardest_m_s = std::max(hardest_m_s, r.record.hardest_m_s);
    away_m = std::max(away_m, r.record.away_m);
    highest_m = std::max(highest_m, r.record.highest_m);
    safe += why.empty() ? 1 : 0;
    if (!why.empty() && bad.size() < 6000)
      bad += (bad.empty() ? "\"" : ", \"") + name + ": " + why + "\"";
  }
};

/// Of one state. On the abort path each fault makes a pair with the battery already.
std::vector<Case> cases_of(std::int32_t state, bool on_abort_path) {
  const std::vector<DeliveryFault> all = testing::all_delivery_faults();
  std::vector<Case> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (on_abort_path && !all[i].is_input && all[i].device.device == Device::kBattery) continue;
    out.push_back({state, {all[i]}, 1e9});
    if (on_abort_path) continue;
    const std::size_t turn = i + std::size_t(state);
    if (turn % 4 == 0) out.push_back({state, {all[i]}, 2});
    const DeliveryFault& other = all[(i + 7 * turn + 11) % all.size()];
    const bool same = other.is_input == all[i].is_input &&
                      (other.is_input ? other.input.input == all[i].input.input
                                      : other.device.device == all[i].device.device);
    if (turn % 4 == 2 && !same) out.push_back({state, {all[i], other}, 1e9});
  }
  return out;
}

/// `every`: of the cases only each so many-th, for a quick look; those that have `named` in their names.
int matrix(std::size_t every, const std::string& named) {
  WorldFlight flight(testing::delivery_file(), 1), aborting(testing::delivery_file(), 1);
  const auto states = std::int32_t(flight.model.mission.states.size());
  std::vector<Case> cases;
  for (std::int32_t state = 0; state < states; ++state)
    for (Case& c : cases_of(state, state >= flight.model.mission.abort))
      cases.push_back(std::move(c));
  const auto name_of = [&flight](const Case& c) {
    return flight.model.mission.states[std::size_t(c.state)].name + c.name();
  };
  std::erase_if(cases, [&](const Case& c) { return name_of(c).find(named) == std::string::npos; });
  const std::span<Result> results = testing::shared_results<Result>(cases.size());
  const std::span<Result> without = testing::shared_results<Result>(std::size_t(states));

  testing::Children children;
  std::size_t i = 0;
  for (std::int32_t state = 0; state < states; ++state) {
    const bool on_abort_path = state >= flight.model.mission.abort;
    WorldFlight& flown = on_abort_path ? aborting : flight;
    if (state == flight.model.mission.abort) {
      if (!flown.run_until(kFlyToCar, 200)) break;
      flown.run(1);
      flown.break_device(
          {Device::kBattery, DeviceFaultKind::kEmpties, flown.now.seconds(), 1e9, 0.15});
    }
    if (flown.out->mission.state != state && !flown.run_until(state, 200)) break;
    flown.run(0.1);
    children.start([&] { without[std::size_t(state)] = fly_on(flown, {state, {}}); });
    for (; i < cases.size() && cases[i].state == state; ++i)
      if ((i + 1) % every == 0) children.start([&] { results[i] = fly_on(flown, cases[i]); });
  }
  children.wait_for_all();
  Tally tally;
  for (std::size_t k = every - 1; k < i; k += every)
    tally.take(results[k],
               what_is_wrong(results[k], cases[k], flight, without[std::size_t(cases[k].state)]),
               cases[k], name_of(cases[k]),
               cases[k].faults.size() > 1 || cases[k].state >= flight.model.mission.abort);
  std::printf(
      "{\"of\": %zu, \"cases\": %d, \"pairs\": %d, \"safe\": %d, \"passed\": %d, \"landed\": %d, "
      "\"on_the_edge\": %d, \"hovered\": %d, \"silent\": %d, \"misled\": %d, \"longest_s\": %.1f, "
      "\"hardest_m_s\": %.3f, \"farthest_m\": %.2f, \"highest_m\": %.2f, \"bad\": [%s]}\n",
      cases.size(), tally.cases, tally.pairs, tally.safe, tally.passed, tally.landed,
      tally.on_the_edge, tally.hovered, tally.silent, tally.misled, tally.longest_s,
      tally.hardest_m_s, tally.away_m, tally.highest_m, tally.bad.c_str());
  const bool whole = i == cases.size() && tally.cases > 0;
  return whole && tally.safe == tally.cases ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const long every = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  return pintle::matrix(every > 0 ? static_cast<std::size_t>(every) : 1, argc > 2 ? argv[2] : "");
}
