#include "pintle/yarp/loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <system_error>

namespace pintle::yarp {

Loop::Loop() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Loop::~Loop() {
  stop();
  close(event_);
}

void Loop::start() {
  // signals are for the thread that runs the program
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Loop::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  wake();
  thread_.join();
}

void Loop::watch(int descriptor, short events, std::function<void(short)> ready) {
  watches_[descriptor] = {events, ++serial_, std::move(ready)};
}

void Loop::change(int descriptor, short events) {
  if (const auto w = watches_.find(descriptor); w != watches_.end()) w->second.events = events;
}

void Loop::forget(int descriptor) { watches_.erase(descriptor); }

Loop::Timer Loop::after(Clock::duration delay, std::function<void()> act) {
  const Timer timer = next_timer_++;
  timers_.emplace(Clock::now() + delay, std::pair{timer, std::move(act)});
  return timer;
}

void Loop::cancel(Timer timer) {
  std::erase_if(timers_, [timer](const auto& t) { return t.second.first == timer; });
}

void Loop::wake() noexcept {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  // what cannot be written has been written before
  const ssize_t written = write(event_, &one, sizeof one);
  static_cast<void>(written);
}

void Loop::call(std::function<void()> act) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(act));
  }
  wake();
}

void Loop::call_and_wait(std::function<void()> act) {
  std::promise<void> done;
  call([&] {
    act();
    done.set_value();
  });
  done.get_future().wait();
}

int Loop::wait_ms() const {
  if (timers_.empty()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Loop::run_timers() {
  const auto now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto act = std::move(timers_.begin()->second.second);
    timers_.erase(timers_.begin());
    act();
  }
}

void Loop::run_calls() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
  }
  for (const auto& act : calls) act();
}

void Loop::run() {
  std::vector<pollfd> polled;
  std::vector<std::uint64_t> serials;
  while (!stop_) {
    polled.assign(1, {event_, POLLIN, 0});
    serials.assign(1, 0);
    for (const auto& [descriptor, w] : watches_) {
      polled.push_back({descriptor, w.events, 0});
      serials.push_back(w.serial);
    }
    if (poll(polled.data(), polled.size(), wait_ms()) < 0 && errno != EINTR) return;
    if ((polled[0].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      const ssize_t taken = read(event_, &count, sizeof count);
      static_cast<void>(taken);
      // before what was asked for is looked at: whoever asks later wakes it again
      (void)woken_.exchange(false, std::memory_order_acq_rel);
      run_calls();
      for (const auto& act : woken_by_) act();
    }
    for (std::size_t i = 1; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      // one that was forgotten meanwhile, or another under its number
      const auto w = watches_.find(polled[i].fd);
      if (w == watches_.end() || w->second.serial != serials[i]) continue;
      const auto ready = w->second.ready;
      ready(polled[i].revents);
    }
    run_timers();
  }
}

}  // namespace pintle::yarp
