// The campaign of tests/soak/fault_matrix: the delivery in its simulated world, every part of it
// broken in every way in every state for good, and one time in four for two seconds. The flight is
// flown once; where a state is entered the process forks once a fault, and each child flies on with
// it from there.
//
// Each time: the mission ends within kBound_s of the fault; soon after, the craft lies on the
// ground with its motors off, or, where the flight controller no longer listens to anybody, hovers
// in its place; nothing is hit harder than kHardest_m_s; it stays upright and within fence and
// ceiling.
#include <cstdio>
#include <cstdlib>

#include "pintle/testing/children.h"
#include "pintle/testing/delivery_faults.h"

namespace pintle {
namespace {

using testing::DeliveryFault;
using testing::WorldFlight;

constexpr double kBound_s = 400;    // to the end of the mission
constexpr double kSettle_s = 60;    // and then to rest
constexpr double kHardest_m_s = 1;  // the flight controller lands with 0.5
constexpr double kTilt_rad = 0.8;   // in the air, and at rest half of it
constexpr double kBeyond_m = 4;     // over fence and ceiling: until it is seen, and braked
constexpr std::int32_t kStates = 15;

struct Result {
  bool flown = false, ended = false, landed = false, hovers = false, passed = false;
  testing::FlightRecord record;
  double took_s = 0, tilt_rad = 0, payload_m = 0;
};

/// The rest of a flight, with a fault from now on.
Result fly_on(WorldFlight& flight, const DeliveryFault& c, double lasts_s) {
  Result r;
  const double from_s = flight.now.seconds();
  c.happen(flight, lasts_s);
  r.ended = flight.run_to_end(kBound_s);
  r.took_s = flight.now.seconds() - from_s;
  for (double t = 0; t < kSettle_s && !flight.landed() && flight.record.rests_s < 20; t += 1)
    flight.run(1);
  r.passed = flight.out->mission.phase == MissionPhase::kPassed;
  r.landed = flight.landed();
  r.hovers =
      flight.rig.controller().phase() == FlightPhase::kAirborne && flight.record.rests_s >= 20;
  r.record = flight.record;
  r.tilt_rad = flight.tilt();
  r.payload_m = flight.payload_to_marker_m();
  r.flown = true;
  return r;
}

std::string what_is_wrong(const Result& r, const DeliveryFault& c, const WorldFlight& flight) {
  if (!r.flown) return "did not come back";
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
  if (!(r.record.hardest_m_s <= kHardest_m_s))
    say("hit at " + number(r.record.hardest_m_s) + " m/s");
  if (!(r.record.tilt_rad <= kTilt_rad) || !(r.tilt_rad <= kTilt_rad / 2)) say("tipped over");
  if (!(r.record.away_m <= spec.fence_radius_m + kBeyond_m))
    say(number(r.record.away_m) + " m away");
  if (!(r.record.highest_m <= spec.ceiling_m + kBeyond_m))
    say(number(r.record.highest_m) + " m high");
  return out;
}

struct Tally {
  int cases = 0, safe = 0, passed = 0, landed = 0, hovered = 0;
  double longest_s = 0, hardest_m_s = 0, away_m = 0, highest_m = 0;
  std::string bad;
  void take(const Result& r, const std::string& why, const std::string& name) {
    ++cases;
    passed += r.passed ? 1 : 0;
    landed += r.landed ? 1 : 0;
    hovered += r.hovers && !r.landed ? 1 : 0;
    longest_s = std::max(longest_s, r.took_s);
    hardest_m_s = std::max(hardest_m_s, r.record.hardest_m_s);
    away_m = std::max(away_m, r.record.away_m);
    highest_m = std::max(highest_m, r.record.highest_m);
    safe += why.empty() ? 1 : 0;
    if (!why.empty() && bad.size() < 6000)
      bad += (bad.empty() ? "\"" : ", \"") + name + ": " + why + "\"";
  }
};

/// `every`: of the cases only each so many-th, for a quick look.
int matrix(std::size_t every) {
  const std::vector<DeliveryFault> cases = testing::all_delivery_faults();
  constexpr std::array lasts_s{1e9, 2.0};
  const std::size_t n = static_cast<std::size_t>(kStates) * cases.size() * lasts_s.size();
  const std::span<Result> results = testing::shared_results<Result>(n);

  WorldFlight flight(testing::delivery_file(), 1);
  testing::Children children;
  Tally tally;
  std::vector<std::size_t> flown;
  std::size_t i = 0;
  for (std::int32_t state = 0; state < kStates; ++state) {
    if (flight.out->mission.state != state && !flight.run_until(state, 200)) break;
    flight.run(0.1);
    for (const DeliveryFault& c : cases)
      for (const double lasts : lasts_s) {
        Result& slot = results[i];
        // of those that pass by, one in four
        const bool wanted = lasts > 100 || (i / 2 + std::size_t(state)) % 4 == 0;
        if (++i % every != 0 || !wanted) continue;
        flown.push_back(i - 1);
        children.start([&] { slot = fly_on(flight, c, lasts); });
      }
  }
  children.wait_for_all();
  for (const std::size_t k : flown) {
    const DeliveryFault& c = cases[k / lasts_s.size() % cases.size()];
    const std::size_t state = k / (lasts_s.size() * cases.size());
    const bool for_good = lasts_s[k % lasts_s.size()] > 100;
    tally.take(
        results[k], what_is_wrong(results[k], c, flight),
        flight.model.mission.states[state].name + ", " + c.name() + (for_good ? "" : " for 2 s"));
  }
  std::printf(
      "{\"cases\": %d, \"safe\": %d, \"passed\": %d, \"landed\": %d, \"hovered\": %d, "
      "\"longest_s\": %.1f, \"hardest_m_s\": %.3f, \"farthest_m\": %.2f, \"highest_m\": %.2f, "
      "\"bad\": [%s]}\n",
      tally.cases, tally.safe, tally.passed, tally.landed, tally.hovered, tally.longest_s,
      tally.hardest_m_s, tally.away_m, tally.highest_m, tally.bad.c_str());
  const bool whole = i == n && !flown.empty();
  return whole && tally.safe == tally.cases ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  const long every = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  return pintle::matrix(every > 0 ? static_cast<std::size_t>(every) : 1);
}
