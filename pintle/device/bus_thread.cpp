#include "pintle/device/bus_thread.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <time.h>  // NOLINT: clock_gettime is not in <ctime>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace pintle::device {
namespace {

constexpr double kGoodbye_s = 1.0;
constexpr std::size_t kMaxLines = 32;
// a frame is on its way for 35 ms at most
constexpr double kTakesNothing_s = 0.5;

void watch(int watcher, int operation, int descriptor, std::uint32_t events, void* whose) noexcept {
  epoll_event about{};
  about.events = events;
  about.data.ptr = whose;
  (void)::epoll_ctl(watcher, operation, descriptor, &about);
}

}  // namespace

void Lateness::add(double late_s) noexcept {
  if (late_s > kStood_s) {
    ++stood;
    stood_s = std::max(stood_s, late_s);
    return;
  }
  worst_s = std::max(worst_s, late_s);
  std::size_t i = 0;
  while (i < kLateBounds_s.size() && late_s > kLateBounds_s[i]) ++i;
  ++count[i];
}

std::uint64_t Lateness::total() const noexcept {
  std::uint64_t n = 0;
  for (const std::uint64_t c : count) n += c;
  return n;
}

double Lateness::quantile_s(double share) const noexcept {
  const double wanted = share * static_cast<double>(total());
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < kLateBounds_s.size(); ++i) {
    n += count[i];
    if (static_cast<double>(n) >= wanted) return kLateBounds_s[i];
  }
  return std::numeric_limits<double>::infinity();
}

Time BusThread::clock() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return {static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec};
}

BusThread::BusThread(std::vector<Line> lines, const BusThreadOptions& options) : options_(options) {
  for (Line& l : lines) {
    if (lines_.size() == kMaxLines) {
      refused_.push_back(l.path + ": more than " + std::to_string(kMaxLines) + " lines");
      break;
    }
    auto served = std::make_unique<Served>();
    served->path = std::move(l.path);
    served->bus = std::move(l.bus);
    served->wishes = options_.wishes;
    served->wishes.rs485 = served->wishes.rs485 || l.rs485;
    served->status.next().reports.resize(served->bus->channels().size());
    lines_.push_back(std::move(served));
  }
  event_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  folders_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watcher_ = ::epoll_create1(EPOLL_CLOEXEC);
  watch(watcher_, EPOLL_CTL_ADD, event_, EPOLLIN, &event_);
  watch(watcher_, EPOLL_CTL_ADD, folders_, EPOLLIN, &folders_);
  watch_folders();
  if (options_.lock_memory && ::mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    refused_.emplace_back("memory is not locked (ulimit -l unlimited lets it be)");
  thread_ = std::thread([this] { run(); });
  if (options_.fifo_priority > 0) {
    sched_param param{};
    param.sched_priority = options_.fifo_priority;
    if (::pthread_setschedparam(thread_.native_handle(), SCHED_FIFO, &param) != 0)
      refused_.emplace_back("no SCHED_FIFO (ulimit -r, or CAP_SYS_NICE, lets it be)");
  }
}

BusThread::~BusThread() {
  quit_ = true;
  wake();
  thread_.join();
  for (const int descriptor : {watcher_, event_, folders_})
    if (descriptor >= 0) ::close(descriptor);
}

void BusThread::command(std::size_t line, std::size_t channel, double effort) noexcept {
  if (line >= lines_.size() || channel >= kMaxBusChannels) return;
  std::atomic<std::uint64_t>& slot = lines_[line]->wanted[channel];
  const std::uint64_t count = (slot.load(std::memory_order_relaxed) >> 32U) + 1;
  slot.store(count << 32U | std::bit_cast<std::uint32_t>(static_cast<float>(effort)),
             std::memory_order_release);
}

void BusThread::wake() noexcept {
  const std::uint64_t one = 1;
  if (::write(event_, &one, sizeof one) < 0) return;  // full: it will wake
}

void BusThread::stop() noexcept {
  ++stops_;
  wake();
}

void BusThread::kill(bool killed) noexcept {
  killed_ = killed;
  wake();
}

/// The folder of each path, or the nearest one above it that exists.
void BusThread::watch_folders() noexcept {
  namespace fs = std::filesystem;
  if (folders_ < 0) return;
  for (const auto& line : lines_) {
    std::error_code ignored;
    fs::path folder = fs::path(line->path).parent_path();
    while (!folder.empty() && folder != "/" && !fs::exists(folder, ignored))
      folder = folder.parent_path();
    if (!folder.empty())
      (void)::inotify_add_watch(folders_, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_ATTRIB);
  }
}

// ---------------------------------------------------------------------------------------------
// the thread

void BusThread::run() noexcept {
  Time quit_at{};
  Time due{};
  while (true) {
    const Time now = clock();
    if (due.ns > 0 && now >= due) lateness_.add((now - due).seconds());
    if (quit_ && quit_at.ns == 0) {
      quit_at = now + Duration::from_seconds(kGoodbye_s);
      // who only looked says nothing in the end, either
      for (auto& line : lines_)
        if (line->was_commanded) line->bus->stop(now);
    }
    if (quit_at.ns == 0) take_orders(now);
    for (auto& line : lines_) {
      open_when_due(*line, now);
      read(*line, now);
      write(*line, now);
      publish(*line, now);
    }
    if (quit_at.ns > 0 && (now >= quit_at || is_quiet())) break;
    due = wake_at();
    wait_until(quit_at.ns > 0 ? std::min(due, quit_at) : due);
    if (clock() < due) due = {};  // woken by something else
  }
  for (auto& line : lines_) line->port.close();
}

/// Everything at 0, and answered where it can be.
bool BusThread::is_quiet() const noexcept {
  return std::all_of(lines_.begin(), lines_.end(), [](const auto& line) {
    return !line->port.is_open() || line->bus->is_at_rest();
  });
}

void BusThread::take_orders(Time now) noexcept {
  const std::uint32_t stops = stops_;
  for (auto& line : lines_) {
    if (stops != stops_seen_) line->bus->stop(now);
    line->bus->kill(killed_, now);
    for (std::size_t i = 0; i < line->bus->channels().size(); ++i) {
      const std::uint64_t word = line->wanted[i].load(std::memory_order_acquire);
      const auto count = static_cast<std::uint32_t>(word >> 32U);
      if (count == line->seen[i]) continue;
      line->seen[i] = count;
      line->was_commanded = true;
      const auto effort = std::bit_cast<float>(static_cast<std::uint32_t>(word));
      line->bus->command(i, static_cast<double>(effort), now);
    }
  }
  stops_seen_ = stops;
}

void BusThread::open_when_due(Served& line, Time now) noexcept {
  if (line.port.is_open() || now < line.try_at) return;
  line.try_at = now + Duration::from_seconds(options_.reopen_s);
  line.error = line.port.open(line.path, line.bus->settings().baudrate);
  if (line.error != PortError::kNone) return;
  // what stopped it may last: nobody hangs on a line that takes nothing
  if (!line.port.takes_bytes()) {
    line.port.drop();
    line.error = PortError::kStopped;
    return;
  }
  line.tuning = line.port.tune(line.wishes);
  line.unsent_bytes = 0;
  watch(watcher_, EPOLL_CTL_ADD, line.port.descriptor(), EPOLLIN | EPOLLET, &line);
  ++line.opened;
  line.bus->line(true, now);
}

void BusThread::lose(Served& line, PortError error, Time now) noexcept {
  line.port.drop();
  line.is_to_be_read = false;
  line.unsent_bytes = 0;
  line.error = error;
  line.try_at = now + Duration::from_seconds(options_.reopen_s);
  line.bus->line(false, now);
}

void BusThread::read(Served& line, Time now) noexcept {
  if (!line.port.is_open() || !line.is_to_be_read) return;
  std::array<std::uint8_t, 4096> bytes;
  const Transfer got = line.port.read(bytes);
  // to look for the end would be to wait for the worker that fills the terminal
  line.is_to_be_read = got.bytes == bytes.size();
  if (got.error != PortError::kNone) return lose(line, got.error, now);
  line.bus->heard(std::span(bytes).first(got.bytes), now);
}

void BusThread::write(Served& line, Time now) noexcept {
  if (!line.port.is_open()) return;
  // a frame that is half out is finished before another begins, but before a 0 that ends thrust: to
  // that the system's memory may hold many seconds of thrust
  const bool goes_on = line.unsent_bytes > 0;
  auto frame = goes_on ? std::span<const std::uint8_t>{} : line.bus->next_frame(now);
  if (line.bus->takes_back()) {
    line.port.forget_unsent();
    line.unsent_bytes = 0;
    if (goes_on) frame = line.bus->next_frame(now);
  }
  if (line.unsent_bytes == 0) {
    if (frame.empty()) return;
    std::memcpy(line.unsent.data(), frame.data(), frame.size());
    line.unsent_bytes = frame.size();
    line.unsent_since = now;
  }
  const Transfer put = line.port.write(std::span(line.unsent).first(line.unsent_bytes));
  if (put.error != PortError::kNone) return lose(line, put.error, now);
  line.unsent_bytes -= put.bytes;
  std::memmove(line.unsent.data(), line.unsent.data() + put.bytes, line.unsent_bytes);
  // what it takes later would be an old command, and nobody could be stopped meanwhile
  if (line.unsent_bytes > 0 && now - line.unsent_since >= Duration::from_seconds(kTakesNothing_s))
    return lose(line, PortError::kStopped, now);
  if (goes_on || line.unsent_bytes > 0)
    watch(watcher_, EPOLL_CTL_MOD, line.port.descriptor(),
          EPOLLIN | EPOLLET | (line.unsent_bytes > 0 ? EPOLLOUT : 0U), &line);
}

void BusThread::publish(Served& line, Time now) noexcept {
  LineStatus& s = line.status.next();
  s.now = now;
  s.port = line.error;
  if (s.opened != line.opened) s.tuning = line.tuning;
  s.opened = line.opened;
  s.garbage = line.bus->garbage();
  s.strangers = line.bus->strangers();
  s.killed = line.bus->is_killed();
  s.cannot_multicast = line.bus->cannot_multicast();
  s.reports.resize(line.bus->reports().size());
  s.out = 0;
  for (std::size_t i = 0; i < s.reports.size(); ++i) {
    s.reports[i] = line.bus->reports()[i];
    if (line.bus->is_out(i)) s.out |= std::uint64_t{1} << i;
  }
  s.lateness = lateness_;
  line.status.publish();
}

Time BusThread::wake_at() const noexcept {
  Time at{std::numeric_limits<std::int64_t>::max()};
  for (const auto& line : lines_) {
    if (!line->port.is_open())
      at = std::min(at, line->try_at);
    else if (line->unsent_bytes >
             0)  // until then room for it is an event, and the bus has its turn after it
      at = std::min(at, line->unsent_since + Duration::from_seconds(kTakesNothing_s));
    else
      at = std::min(at, line->bus->wake_at());
  }
  return at;
}

/// By events, each told once: to ask a terminal whether it has something is to wait for the worker that
/// fills it, which on a busy machine takes milliseconds, whatever the priority of who asks.
void BusThread::wait_until(Time at) noexcept {
  const bool is_more = std::any_of(lines_.begin(), lines_.end(),
                                   [](const auto& line) { return line->is_to_be_read; });
  const std::int64_t ns =
      is_more ? 0 : std::clamp<std::int64_t>(at.ns - clock().ns, 0, 1'000'000'000);
  const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
  std::array<epoll_event, kMaxLines + 2> events;
  const int n =
      ::epoll_pwait2(watcher_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  for (int k = 0; k < n; ++k) {
    void* whose = events[static_cast<std::size_t>(k)].data.ptr;
    if (whose == &event_) {
      std::uint64_t count = 0;
      (void)!::read(event_, &count, sizeof count);
    } else if (whose == &folders_) {
      look_at_folders();
    } else if ((events[static_cast<std::size_t>(k)].events & ~EPOLLOUT) != 0) {
      auto& line = *static_cast<Served*>(whose);
      line.is_to_be_read = line.port.is_open();
    }
  }
}

void BusThread::look_at_folders() noexcept {
  alignas(inotify_event) std::array<char, 4096> events;
  while (::read(folders_, events.data(), events.size()) > 0) {
  }
  // by-id itself may just have come into being
  watch_folders();
  for (auto& line : lines_) {
    // its name has passed to another device: that is the one that is meant
    if (line->port.is_open() && !line->port.is_named(line->path))
      lose(*line, PortError::kGone, clock());
    if (!line->port.is_open()) line->try_at = {};
  }
}

}  // namespace pintle::device
