/// One thread that waits on all sockets at once (poll), with timers.
///
/// Nothing in it blocks, so that a peer who hangs holds up nobody but himself. `wake` may be called
/// by a thread that ticks: at most one write to an event descriptor, which never waits. `call`
/// takes a lock and memory: for everybody else.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace pintle::yarp {

class Loop {
 public:
  using Clock = std::chrono::steady_clock;
  using Timer = std::uint64_t;

  Loop();
  ~Loop();  ///< Ends the thread; what was asked for is forgotten.
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void start();
  void stop();

  // of the loop's own thread, or before it is started

  /// `events` as poll has them; `ready` is called with those that are there.
  void watch(int descriptor, short events, std::function<void(short)> ready);
  void change(int descriptor, short events);
  void forget(int descriptor);
  Timer after(Clock::duration delay, std::function<void()> act);
  void cancel(Timer timer);
  /// Called in each round that a `wake` came before.
  void on_wake(std::function<void()> act) { woken_by_.push_back(std::move(act)); }

  // of any thread

  void wake() noexcept;
  void call(std::function<void()> act);
  /// Waits until it has been done. Not of the loop's own thread.
  void call_and_wait(std::function<void()> act);

 private:
  struct Watch {
    short events;
    std::uint64_t serial;
    std::function<void(short)> ready;
  };

  void run();
  [[nodiscard]] int wait_ms() const;
  void run_timers();
  void run_calls();

  int event_ = -1;
  std::atomic<bool> stop_{false}, woken_{false};
  std::map<int, Watch> watches_;
  std::multimap<Clock::time_point, std::pair<Timer, std::function<void()>>> timers_;
  std::vector<std::function<void()>> woken_by_;
  std::mutex mutex_;
  std::vector<std::function<void()>> calls_;
  std::uint64_t serial_ = 0;
  Timer next_timer_ = 1;
  std::thread thread_;
};

}  // namespace pintle::yarp
