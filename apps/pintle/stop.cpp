#include "stop.h"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "pintle/console/endpoint.h"

namespace pintle::app {
namespace {

std::atomic<bool> stop_requested{false}, stop_at_once{false}, has_at_once{false};
std::atomic<std::int64_t> newest_request_ns{0};

// one event may come twice: to this program and to its group (timeout, some shells)
constexpr std::int64_t kSameEvent_ns = 500'000'000;

extern "C" void on_interrupt(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  // the first asks for a safe stop, the second for one at once where there is a difference, else it ends
  if (!stop_requested.exchange(true)) {
    newest_request_ns = ns;
    return;
  }
  if (ns - newest_request_ns < kSameEvent_ns) return;
  newest_request_ns = ns;
  if (has_at_once && !stop_at_once.exchange(true)) return;
  console::remove_endpoint_now();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void end_on_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, &action, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
  }
}

std::atomic<bool>& stop_at_once_on_a_second_signal() {
  has_at_once = true;
  return stop_at_once;
}

std::atomic<bool>& stop_safely_on_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return stop_requested;
}

}  // namespace pintle::app
