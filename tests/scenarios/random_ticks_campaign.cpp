// The campaign of tests/soak/random_ticks: every shipped vehicle under every law that its file can be
// flown by, under the attack of stack/testing_attack.h: in turns with the failsafes of its file, and with
// every row there is. Each first of all stands through kStands ticks of a clock that stands.
//
//   random_ticks_campaign TICKS PROGRESS
//
// A share is ten thousand ticks of one craft, and follows from its number alone. How many have held
// stands in PROGRESS; broken off, it goes on there.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "pintle/stack/testing_attack.h"

namespace pintle::stack {
namespace {

constexpr int kShare = 10'000;
constexpr int kStands = 100'000;

struct Craft {
  std::string name;
  VehicleFile file;
};

/// Each vehicle under the law of its file, and under each other that can be built with it.
std::vector<Craft> every_craft_and_law() {
  std::vector<Craft> out;
  for (const std::string& path : every_craft(PINTLE_SOURCE_DIR "/vehicles")) {
    if (path.find(':') != std::string::npos) continue;
    const VehicleFile file = craft_file(path);
    for (const EnumValue& law : enum_table<control::Law>().values) {
      VehicleFile other = file;
      other.laws.law = static_cast<control::Law>(law.value);
      try {
        (void)build_model(other, nullptr);
      } catch (const std::exception&) {
        continue;  // it has nothing of what this law needs
      }
      out.push_back(
          {path.substr(path.rfind("vehicles/") + 9) + ":" + std::string(law.name), other});
    }
  }
  return out;
}

double cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_utime.tv_sec) + 1e-6 * double(used.ru_utime.tv_usec);
}

int campaign(long ticks, const std::string& progress) {
  const std::vector<Craft> crafts = every_craft_and_law();
  const long shares = (ticks + kShare - 1) / kShare;
  long done = 0;
  std::ifstream(progress) >> done;
  const long begun = done;
  std::map<std::string, long> armed;  // ticks of this run, by craft
  std::string bad;
  while (done < shares && bad.empty()) {
    const Craft& craft = crafts[std::size_t(done) % crafts.size()];
    const long round = done / long(crafts.size());
    std::string why;
    if (round == 0) {
      AnyCraft still(craft.file);
      why = stand(still, kStands);
    }
    VehicleFile file = craft.file;
    if (round % 2 == 1) file.failsafes = every_failsafe(std::uint64_t(done));
    AnyCraft flown(file);
    if (why.empty()) why = attack(flown, std::uint64_t(done) + 1, kShare, armed[craft.name]);
    if (!why.empty()) bad = craft.name + ", share " + std::to_string(done) + ": " + why;
    if (bad.empty()) std::ofstream(progress) << ++done << "\n";
  }
  const double each_us = 1e6 * cpu_s() / (double(std::max(done - begun, 1L)) * kShare);
  long in_all = 0;
  std::string idle;
  for (const auto& [name, n] : armed) {
    in_all += n;
    if (n == 0) idle += (idle.empty() ? "\"" : ", \"") + name + "\"";
  }
  const double share = double(in_all) / (double(std::max(done - begun, 1L)) * kShare);
  std::printf(
      "{\"ticks\": %ld, \"crafts_and_laws\": %zu, \"armed\": %.2f, \"never_armed\": [%s], "
      "\"us_per_tick\": %.2f, \"bad\": \"%s\"}\n",
      done * kShare, crafts.size(), share, idle.c_str(), each_us, bad.c_str());
  const bool all_armed = idle.empty() && (armed.size() == crafts.size() || begun > 0);
  return bad.empty() && done >= shares && crafts.size() > 10 && all_armed ? 0 : 1;
}

}  // namespace
}  // namespace pintle::stack

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return pintle::stack::campaign(std::strtol(argv[1], nullptr, 10), argv[2]);
}
