/// Parameters that change during a flight, from several sides: a schedule, a live page.
///
/// A change is checked and built by the thread that asks for it; the one that ticks takes over the
/// newest at its next step and never waits for a build.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pintle/craft/live.h"
#include "pintle/flight/flight.h"

namespace pintle::flight {

class Tuning {
 public:
  /// @throws std::invalid_argument on what the checks report.
  explicit Tuning(Configuration first);

  // of any thread
  /// All or nothing, from the next step on; into no file.
  ChangeResult set(const std::vector<std::pair<std::string, double>>& changes);
  [[nodiscard]] std::shared_ptr<const Generation> newest() const;

  /// Of the thread that ticks.
  void take_over(Flight& flight);

 private:
  mutable std::mutex mutex_;
  LiveModel live_;
  /// Kept until the tick has moved on: it is freed here, by who makes the next.
  std::vector<std::shared_ptr<const Generation>> kept_;
  std::atomic<std::uint32_t> newest_{1}, in_use_{1};
};

}  // namespace pintle::flight
