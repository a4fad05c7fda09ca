// Eight thrusters on four ports at the pace of real lines: how often each is commanded and heard, how late the
// thread of the lines wakes, and whether it takes memory once it runs.
//
//   rate_campaign SECONDS
#include <fmt/core.h>
#include <time.h>  // NOLINT: clock_nanosleep is not in <ctime>

#include <cstdlib>

#include "m5_plant.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/testing/heap_counter.h"

namespace {

using namespace pintle;
using namespace pintle::device;

constexpr std::size_t kLines = 4, kEach = 2;
constexpr double kCommandRate_Hz = 250, kWarm_s = 2;
// what is promised
constexpr double kUnicast_Hz = 50, kMulticast_Hz = 150, kLate_s = 1e-3;

/// Notes in whose thread it runs, which is that of the lines, how much memory that has taken.
class Counted final : public M5Protocol {
 public:
  using M5Protocol::M5Protocol;
  static std::atomic<std::uint64_t> taken;

  bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept override {
    taken.store(testing::heap_allocations(), std::memory_order_relaxed);
    return M5Protocol::hear(bytes, message);
  }
};
std::atomic<std::uint64_t> Counted::taken{0};

std::vector<std::vector<M5Identity>> identities() {
  std::vector<std::vector<M5Identity>> out(kLines);
  for (std::size_t k = 0; k < kLines; ++k)
    for (std::size_t i = 0; i < kEach; ++i)
      out[k].push_back({static_cast<std::uint8_t>(kEach * k + i), static_cast<std::uint16_t>(i)});
  return out;
}

struct Measured {
  double commands_Hz = 1e9, answers_Hz = 1e9;  ///< Of the thruster that got least.
  double p999_s = 0, worst_s = 0;
  std::uint64_t unanswered = 0, allocations = 0;
  LateCounts late{};
};

/// New efforts for all, again and again.
void command_for(BusThread& bus, double seconds) {
  const Time begin = BusThread::clock();
  const Duration period = Duration::from_seconds(1 / kCommandRate_Hz);
  Time due = begin;
  for (int n = 0; (due - begin).seconds() < seconds; ++n) {
    for (std::size_t k = 0; k < kLines; ++k)
      for (std::size_t i = 0; i < kEach; ++i) bus.command(k, i, 0.1 + 0.001 * (n % 100));
    bus.wake();
    due = due + period;
    const timespec until{due.ns / 1'000'000'000, due.ns % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  }
}

Measured measure(bool multicast, double seconds, bool& is_fifo) {
  Measured out;
  {
    M5Plant plant(identities());
    plant.run_first(40);
    BusSettings settings;
    settings.multicast = multicast;
    std::vector<BusThread::Line> lines;
    for (std::size_t k = 0; k < kLines; ++k) {
      std::vector<BusChannel> channels(kEach);
      for (std::size_t i = 0; i < kEach; ++i) {
        channels[i].name.assign(fmt::format("T{}", kEach * k + i));
        channels[i].node = static_cast<std::uint8_t>(kEach * k + i);
      }
      lines.push_back(
          {plant.path(k), std::make_unique<PropulsorBus>(std::make_unique<Counted>(channels),
                                                         channels, settings)});
    }
    BusThreadOptions options;
    options.fifo_priority = 50;
    options.lock_memory = true;
    BusThread bus(std::move(lines), options);
    is_fifo = bus.refused().empty();
    command_for(bus, kWarm_s);

    std::array<std::array<std::uint64_t, kEach>, kLines> commands{}, answers{};
    const Lateness before = bus.status(0).lateness;
    for (std::size_t k = 0; k < kLines; ++k)
      for (std::size_t i = 0; i < kEach; ++i) {
        commands[k][i] = plant.commands(k, i);
        answers[k][i] = bus.status(k).reports[i].received;
        out.unanswered -= bus.status(k).reports[i].unanswered;
      }
    const std::uint64_t own = testing::heap_allocations(), theirs = Counted::taken;
    const Time begin = BusThread::clock();
    command_for(bus, seconds);
    const double took_s = (BusThread::clock() - begin).seconds();
    out.allocations = testing::heap_allocations() - own + (Counted::taken - theirs);
    for (std::size_t k = 0; k < kLines; ++k)
      for (std::size_t i = 0; i < kEach; ++i) {
        const PropulsorReport& r = bus.status(k).reports[i];
        const auto rate = [took_s](std::uint64_t n) { return static_cast<double>(n) / took_s; };
        out.commands_Hz = std::min(out.commands_Hz, rate(plant.commands(k, i) - commands[k][i]));
        out.answers_Hz = std::min(out.answers_Hz, rate(r.received - answers[k][i]));
        out.unanswered += r.unanswered;
      }
    Lateness late = bus.status(0).lateness;
    for (std::size_t b = 0; b < late.count.size(); ++b) late.count[b] -= before.count[b];
    out.late = late.count;
    out.worst_s = late.worst_s;
    out.p999_s = std::min(late.quantile_s(0.999), late.worst_s);
  }
  return out;
}

void print(const char* name, const Measured& m) {
  fmt::print("\"{}\": {{\"commands_Hz\": {:.1f}, \"answers_Hz\": {:.1f}, \"unanswered\": {}, ",
             name, m.commands_Hz, m.answers_Hz, m.unanswered);
  fmt::print("\"late_p999_ms\": {:g}, \"late_worst_ms\": {:.3f}, \"allocations\": {}, ",
             1e3 * m.p999_s, 1e3 * m.worst_s, m.allocations);
  fmt::print("\"late_up_to_ms\": {{");
  for (std::size_t b = 0; b < m.late.size(); ++b)
    fmt::print("{}\"{}\": {}", b == 0 ? "" : ", ",
               b < kLateBounds_s.size() ? fmt::format("{:g}", 1e3 * kLateBounds_s[b]) : "more",
               m.late[b]);
  fmt::print("}}}}");
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  bool is_fifo = false;
  // who commands has its processor, too: what is measured are the lines
  sched_param param{};
  param.sched_priority = 30;
  (void)::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &param);
  const Measured one = measure(false, seconds, is_fifo), all = measure(true, seconds, is_fifo);
  const bool counted = testing::heap_counting_available();
  fmt::print("{{\"seconds_each\": {:g}, \"sched_fifo\": {}, \"heap_counted\": {}, ", seconds,
             is_fifo, counted);
  print("unicast", one);
  fmt::print(", ");
  print("multicast", all);
  fmt::print("}}\n");
  const bool fast = one.commands_Hz >= kUnicast_Hz && one.answers_Hz >= kUnicast_Hz &&
                    all.commands_Hz >= kMulticast_Hz;
  const bool punctual = one.p999_s <= kLate_s && all.p999_s <= kLate_s;
  const bool thrifty = counted && one.allocations == 0 && all.allocations == 0;
  return fast && punctual && thrifty ? 0 : 1;
}
