// Medians and tails over problems. Each problem is solved in several rounds with all others and
// all solvers in between, in an order drawn anew each time, so that neither caches nor branch
// predictors know it; its time is the least of the rounds minus that of reading the clock.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace pintle::bench {

inline double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

inline double clock_ns() {
  double least = 1e9;
  for (int i = 0; i < 2000; ++i) {
    const double t = now_ns();
    least = std::min(least, now_ns() - t);
  }
  return least;
}

struct Times {
  std::string solver;
  bool exact = true;  ///< Counts as a rival.
  int max_rounds = 1000;
  std::vector<double> least;
  double p50 = 0, p99 = 0, p999 = 0;

  void take(std::size_t i, double ns) { least[i] = std::min(least[i], ns); }
  void finish() {
    std::sort(least.begin(), least.end());
    const auto at = [this](double part) {
      const auto i = static_cast<std::size_t>(part * static_cast<double>(least.size()));
      return least.empty() ? 0 : std::max(0.0, least[std::min(least.size() - 1, i)]);
    };
    p50 = at(0.5);
    p99 = at(0.99);
    p999 = at(0.999);
  }
};

}  // namespace pintle::bench
