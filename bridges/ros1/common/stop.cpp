#include "common/stop.h"

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "common/ask_master.h"

namespace pintle::ros1 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kUnlooked{1000}, kPeriod{50};

// of the program: a signal is taken by any of its threads
std::atomic<bool> asked{false}, ended{false};
std::atomic<int> status{0};
std::atomic<Clock::rep> looked{0};  // 0: not yet
static_assert(std::atomic<bool>::is_always_lock_free);
sem_t wake;

extern "C" void ask_to_stop(int) {
  const int before = errno;
  asked = true;
  sem_post(&wake);
  errno = before;
}

void see_to_the_end() {
  while (sem_wait(&wake) != 0) {
  }
  auto since = Clock::now();
  Clock::rep seen = looked;
  while (!ended) {
    std::this_thread::sleep_for(kPeriod);
    if (const Clock::rep now_seen = looked; now_seen != seen) {
      seen = now_seen;
      since = Clock::now();
    }
    if (Clock::now() - since < kUnlooked) continue;
    XmlRpc::XmlRpcValue nothing;
    const MasterSays says =
        ask_master("getPid", as_this_node(), nothing, kMasterPatience_s, &ended);
    if (ended) return;
    if (says == MasterSays::kNothing || (says == MasterSays::kAbsent && looked == 0)) {
      // not by rosconsole, which may be what waits
      std::fputs("the ROS master does not answer: ended without a word to it\n", stderr);
      std::_Exit(status);
    }
    since = Clock::now();
  }
}

}  // namespace

bool stop_asked() noexcept {
  looked = Clock::now().time_since_epoch().count();
  return asked;
}

Stop::Stop() {
  sem_init(&wake, 0, 0);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  // a terminal that is gone; nohup keeps its word
  if (std::signal(SIGHUP, ask_to_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  thread_ = std::thread(see_to_the_end);
}

Stop::~Stop() {
  ended = true;
  sem_post(&wake);
  thread_.join();
}

Stop::operator bool() const noexcept { return stop_asked(); }

void Stop::leave(int with) noexcept {
  status = with;
  asked = true;
  sem_post(&wake);
}

}  // namespace pintle::ros1
