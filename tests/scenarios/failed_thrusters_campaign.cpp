// Every single thruster and every pair out at random times, SEEDS missions each: one JSON object.
//
//   failed_thrusters_campaign SEEDS FOLDER [THREADS]
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "failed_thrusters.h"

namespace {

using namespace pintle;

struct Totals {
  std::uint64_t runs = 0, hold = 0, ticks = 0, wrong_reach = 0, untold = 0, wrong_cause = 0;
  std::uint64_t losing = 0, passed = 0, passed_with_a_loss = 0;
  double unsent = 0;

  void add(const simulation::FailedThrusters& f) {
    ++runs;
    hold += f.holds() ? 1 : 0;
    ticks += f.ticks;
    wrong_reach += f.wrong_reach;
    untold += f.untold;
    wrong_cause += f.wrong_cause;
    losing += f.lost != 0 ? 1 : 0;
    const bool pass = f.verdict == flight::Verdict::kPass;
    passed += pass ? 1 : 0;
    passed_with_a_loss += pass && f.lost != 0 ? 1 : 0;
    unsent = std::max(unsent, f.largest_unsent);
  }
  [[nodiscard]] std::string json() const {
    char text[512];
    std::snprintf(
        text, sizeof text,
        "{\"runs\": %llu, \"hold\": %llu, \"ticks\": %llu, \"ticks_of_other_reach\": %llu, "
        "\"untold\": %llu, \"other_causes\": %llu, \"runs_that_lose_axes\": %llu, "
        "\"missions_passed\": %llu, \"passed_with_axes_lost\": %llu, "
        "\"largest_wrench_not_sent\": %.3g}",
        static_cast<unsigned long long>(runs), static_cast<unsigned long long>(hold),
        static_cast<unsigned long long>(ticks), static_cast<unsigned long long>(wrong_reach),
        static_cast<unsigned long long>(untold), static_cast<unsigned long long>(wrong_cause),
        static_cast<unsigned long long>(losing), static_cast<unsigned long long>(passed),
        static_cast<unsigned long long>(passed_with_a_loss), unsent);
    return text;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: failed_thrusters_campaign SEEDS FOLDER [THREADS]\n");
    return 2;
  }
  const std::uint64_t seeds = std::strtoull(argv[1], nullptr, 10);
  const std::filesystem::path folder = argv[2];
  const int threads = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
  const craft::MissionFile mission =
      craft::load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  const std::size_t n = mission.vehicle.vehicle.propulsors.size();
  std::vector<std::vector<std::size_t>> cases;
  for (std::size_t i = 0; i < n; ++i) {
    cases.push_back({i});
    for (std::size_t j = i + 1; j < n; ++j) cases.push_back({i, j});
  }

  Totals singles, pairs;
  std::mutex lock;
  std::size_t next = 0;
  const auto work = [&](int thread) {
    while (true) {
      std::size_t job = 0;
      {
        const std::lock_guard guard(lock);
        job = next++;
      }
      if (job >= cases.size() * seeds) return;
      const auto& thrusters = cases[job % cases.size()];
      const simulation::FailedThrusters f = simulation::fly_with_failures(
          mission, thrusters, 1 + job, folder / ("failed-" + std::to_string(thread) + ".mcap"));
      const std::lock_guard guard(lock);
      (thrusters.size() == 1 ? singles : pairs).add(f);
      if (!f.holds())
        std::fprintf(stderr, "thruster %zu, %zu, seed %zu: does not hold\n", thrusters.front(),
                     thrusters.back(), 1 + job);
    }
  };
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) pool.emplace_back(work, t);
  for (std::thread& t : pool) t.join();
  std::printf("{\"singles\": %s, \"pairs\": %s}\n", singles.json().c_str(), pairs.json().c_str());
  return singles.hold == singles.runs && pairs.hold == pairs.runs ? 0 : 1;
}
