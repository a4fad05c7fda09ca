/// Whether somebody has asked this program to end, and that it does.
///
/// Much of roscpp waits without limit for the master: when a topic is given up, a service looked
/// for, a parameter read. A node that has been asked to end and has not looked for a second whether
/// it was (it is leaving, or a callback waits) is ended when the master says nothing then for three
/// more: where others keep the processors busy it may well stand for a moment. One that has not
/// begun to look is ended also when there is no master. What takes longer with a master that answers
/// is left alone, and so is who goes on looking: a craft that lands first.
#pragma once
#include <thread>

namespace pintle::ros1 {

/// Once a program. Takes SIGINT, SIGTERM and, but under nohup, SIGHUP.
class Stop {
 public:
  Stop();
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// To be looked at again and again by who has something to do before the end.
  explicit operator bool() const noexcept;
  /// The node has done what it had to, and ends with this status.
  void leave(int status) noexcept;

 private:
  std::thread thread_;
};

/// The same, from where there is no Stop at hand.
[[nodiscard]] bool stop_asked() noexcept;

}  // namespace pintle::ros1
