// A serial port pulled out mid-frame and put back under another number, again and again, while both
// thrusters on it are commanded: each time they must be given up, found, and ramped up again.
//
//   plug_campaign CYCLES SEED
#include <fmt/core.h>

#include <cstdlib>

#include "m5_plant.h"
#include "pintle/base/random.h"
#include "pintle/device/m5_protocol.h"

namespace {

using namespace pintle;
using namespace pintle::device;

constexpr double kEffort = 0.2, kPatience_s = 120;

/// Commands both until it is so.
template <class Condition>
bool until(BusThread& bus, Condition&& condition) {
  for (const Time end = BusThread::clock() + Duration::from_seconds(kPatience_s);
       BusThread::clock() < end;) {
    for (const std::size_t k : {0U, 1U}) bus.command(0, k, kEffort);
    bus.wake();
    if (condition()) return true;
    ::poll(nullptr, 0, 5);
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int done = 0, renumbered = 0;
  double slowest_s = 0;
  {
    M5Plant plant({{{3, 0, 1003}, {1, 1, 1001}}});
    const std::string link = plant.path(0);
    std::vector<BusChannel> channels(2);
    channels[0].name.assign("FLH");
    channels[0].node = 3;
    channels[1].name.assign("FLV");
    channels[1].node = 1;
    std::vector<BusThread::Line> lines;
    lines.push_back({link, std::make_unique<PropulsorBus>(std::make_unique<M5Protocol>(channels),
                                                          channels, BusSettings{})});
    BusThread bus(std::move(lines), {});
    RandomStream random(seed, "plug");
    const auto turns = [&] {
      return plant.effort(0, 0) >= kEffort && plant.effort(0, 1) >= kEffort;
    };
    bool holds = until(bus, [&] { return turns(); });
    for (; holds && done < cycles; ++done) {
      // at any instant of the exchange that goes on all the time
      const Time when = BusThread::clock() + Duration::from_seconds(random.uniform(0, 0.03));
      holds = until(bus, [&] { return BusThread::clock() >= when; });
      const auto before = std::filesystem::read_symlink(link);
      plant.unplug(0);
      holds = holds && until(bus, [&] {
                return bus.status(0).port != PortError::kNone && bus.status(0).out == 3;
              });
      // the number that it had is somebody else's now
      PseudoTerminal other;
      if (random.uniform() < 0.7) holds = holds && other.open();
      const Time back = BusThread::clock();
      const std::array heard{plant.commands(0, 0), plant.commands(0, 1)};
      holds = holds && plant.plug(0);
      renumbered += holds && std::filesystem::read_symlink(link) != before ? 1 : 0;
      // they have turned on by themselves meanwhile: what counts is what they hear now
      holds = holds && until(bus, [&] {
                return bus.status(0).out == 0 && turns() && plant.commands(0, 0) > heard[0] + 5 &&
                       plant.commands(0, 1) > heard[1] + 5;
              });
      slowest_s = std::max(slowest_s, (BusThread::clock() - back).seconds());
    }
  }
  fmt::print("{{\"cycles\": {}, \"under_another_number\": {}, \"slowest_return_s\": {:.3f}}}\n",
             done, renumbered, slowest_s);
  return done == cycles && renumbered > 0 ? 0 : 1;
}
