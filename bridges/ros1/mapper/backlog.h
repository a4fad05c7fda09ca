/// What has queued up while the process did not run (it was stopped, or starved) is nothing to follow.
///
/// More than the limit between two looks: what comes in the next quarter of a second, or half of the
/// limit if that is less, is of the queue.
#pragma once
#include <algorithm>

namespace pintle::ros1 {

class Backlog {
 public:
  explicit Backlog(double limit_s) : limit_s_(limit_s) {}

  /// Every time round and before each message, by a clock that does not go back: whether messages
  /// are dropped.
  bool look(double now_s) noexcept {
    if (has_looked_ && now_s - last_s_ > limit_s_) until_s_ = now_s + std::min(0.25, limit_s_ / 2);
    has_looked_ = true;
    last_s_ = now_s;
    return now_s < until_s_;
  }

 private:
  double limit_s_, last_s_ = 0, until_s_ = -1e300;
  bool has_looked_ = false;
};

}  // namespace pintle::ros1
