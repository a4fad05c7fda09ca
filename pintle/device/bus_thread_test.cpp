#include "pintle/device/bus_thread.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>  // NOLINT: mkdtemp is not in <cstdlib>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>  // NOLINT: clock_gettime is not in <ctime>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "pintle/device/line_emulator.h"
#include "pintle/testing/propulsor_rig.h"

namespace pintle::device {
namespace {

/// Emulated lines on pseudo-terminals, in a thread of their own.
class Plant {
 public:
  explicit Plant(std::size_t lines) {
    std::string pattern = ::testing::TempDir() + "pintle-bus-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    for (std::size_t i = 0; i < lines; ++i) {
      const auto node = static_cast<std::uint8_t>(2 * i);
      channels.push_back({channel("A" + std::to_string(i), node),
                          channel("B" + std::to_string(i), static_cast<std::uint8_t>(node + 1))});
      devices.push_back(m5_kind().emulator(channels[i]));
      ends_.push_back(std::make_unique<LineEmulator>(*devices[i], path(i)));
      EXPECT_TRUE(ends_[i]->plug());
    }
    thread_ = std::thread([this] { run(); });
  }
  ~Plant() {
    quit_ = true;
    thread_.join();
    ends_.clear();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string path(std::size_t i) const {
    return folder_ + "/if0" + std::to_string(i) + "-port0";
  }
  [[nodiscard]] std::vector<BusThread::Line> lines(const BusSettings& settings = {}) const {
    std::vector<BusThread::Line> out;
    for (std::size_t i = 0; i < channels.size(); ++i)
      out.push_back({path(i), std::make_unique<PropulsorBus>(m5_kind().protocol(channels[i]),
                                                             channels[i], settings)});
    return out;
  }
  /// While nothing else touches the emulators.
  void with(const std::function<void()>& f) {
    const std::lock_guard lock(mutex_);
    f();
  }
  double effort(std::size_t line, std::size_t i) {
    const std::lock_guard lock(mutex_);
    return devices[line]->effort(i, BusThread::clock());
  }
  void plug(std::size_t i, bool in) {
    with([&] {
      if (in) {
        EXPECT_TRUE(ends_[i]->plug());
      } else {
        ends_[i]->unplug();
      }
    });
  }

  std::vector<std::vector<BusChannel>> channels;
  std::vector<std::unique_ptr<PropulsorEmulator>> devices;

 private:
  void run() {
    while (!quit_) {
      std::vector<pollfd> watched;
      with([&] {
        for (auto& end : ends_) {
          end->update(BusThread::clock());
          if (end->is_plugged()) watched.push_back({end->descriptor(), POLLIN, 0});
        }
      });
      ::poll(watched.data(), watched.size(), 1);
    }
  }

  std::string folder_;
  std::vector<std::unique_ptr<LineEmulator>> ends_;
  std::mutex mutex_;
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

/// Commands everything and looks again until it is so; a minute and more is for a loaded machine.
template <class Condition>
bool until(BusThread& bus, double effort, Condition&& condition) {
  for (const Time end = BusThread::clock() + Duration::from_seconds(120);
       BusThread::clock() < end;) {
    for (std::size_t i = 0; i < bus.lines(); ++i)
      for (const std::size_t k : {0U, 1U}) bus.command(i, k, effort);
    bus.wake();
    if (condition()) return true;
    ::poll(nullptr, 0, 5);
  }
  return false;
}

TEST(BusThread, CommandsReachEveryLineAndReportsComeBack) {
  Plant plant(4);
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(until(bus, 0.5, [&] {
    for (std::size_t i = 0; i < 4; ++i)
      if (plant.effort(i, 0) != 0.5 || bus.status(i).reports[1].rpm < 2000) return false;
    return true;
  }));
  EXPECT_EQ(bus.status(0).out, 0U);
  EXPECT_EQ(bus.status(0).port, PortError::kNone);
  EXPECT_EQ(bus.path(3), plant.path(3));
}

TEST(BusThread, MoreLinesThanItServesAreNamed) {
  const std::vector<BusChannel> channels{channel("A", 0)};
  std::vector<BusThread::Line> lines;
  for (int i = 0; i < 33; ++i)
    lines.push_back(
        {"/nowhere/line" + std::to_string(i),
         std::make_unique<PropulsorBus>(m5_kind().protocol(channels), channels, BusSettings{})});
  const BusThread bus(std::move(lines), {});
  EXPECT_EQ(bus.lines(), 32U);
  ASSERT_EQ(bus.refused().size(), 1U);
  EXPECT_NE(bus.refused()[0].find("/nowhere/line32: more than 32 lines"), std::string::npos);
}

TEST(BusThread, KillAndStopGoOutAtOnce) {
  Plant plant(1);
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5; }));
  bus.kill(true);
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0; }));
  bus.kill(false);
  // neutral is what was taken, not what was said: newest wins, also over a 0 that nobody saw
  Time said{};
  ASSERT_TRUE(until(bus, 0, [&] {
    if (said.ns == 0) said = BusThread::clock();
    return !bus.status(0).killed && bus.status(0).now > said;
  }));
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5; }));
}

TEST(BusThread, AZeroDoesNotWaitBehindThrustThatTheLineStillHolds) {
  // what a terminal's other end has heard, though nobody has read it
  constexpr std::size_t kHeard = 4096;
  const std::vector<BusChannel> channels{channel("A", 15)};
  BusSettings settings;
  settings.baudrate = 921600;
  settings.slew_per_s = 0;
  std::vector<std::uint8_t> rest{0xFF, 0xFF};
  for (int i = 0; i < 16; ++i) rest.insert(rest.end(), {0x05, 0xDC});
  enum class Ends { kStop, kKill, kSilence, kEnd };
  for (const Ends ends : {Ends::kStop, Ends::kKill, Ends::kSilence, Ends::kEnd}) {
    PseudoTerminal line;
    ASSERT_TRUE(line.open());
    std::vector<BusThread::Line> lines;
    lines.push_back({line.path, std::make_unique<PropulsorBus>(pwm_kind().protocol(channels),
                                                               channels, settings)});
    std::optional<BusThread> bus(std::in_place, std::move(lines), BusThreadOptions{});
    const auto says = [&bus](double effort) {
      const Time end = BusThread::clock() + Duration::from_seconds(120);
      while (bus->status(0).reports[0].effort != effort && BusThread::clock() < end)
        std::this_thread::yield();
      return bus->status(0).reports[0].effort == effort;
    };
    std::size_t held = 0;
    for (; held < 3 * kHeard; held += rest.size()) {
      const double effort = held / rest.size() % 2 == 0 ? 0.5 : 0.25;
      bus->command(0, 0, effort);
      bus->wake();
      ASSERT_TRUE(says(effort));
    }
    if (ends == Ends::kStop) bus->stop();
    if (ends == Ends::kKill) bus->kill(true);
    if (ends == Ends::kEnd)
      bus.reset();
    else
      ASSERT_TRUE(says(0));
    std::vector<std::uint8_t> heard(8 * kHeard);
    std::size_t n = 0;
    while (line.device.wait_readable(100)) {
      const Transfer got = line.device.read(std::span(heard).subspan(n));
      if (got.bytes == 0) break;
      n += got.bytes;
    }
    heard.resize(n);
    // behind what was heard before, the first whole frame is the 0, and the last
    const auto first = std::search(heard.begin(), heard.end(), rest.begin(), rest.end());
    ASSERT_NE(first, heard.end());
    EXPECT_LE(static_cast<std::size_t>(first - heard.begin()), kHeard + rest.size())
        << static_cast<int>(ends) << ": of " << held << " bytes";
    EXPECT_LE(heard.end() - first, static_cast<std::ptrdiff_t>(3 * rest.size()));
  }
}

TEST(BusThread, WithoutCommandsItEndsTheThrust) {
  Plant plant(1);
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5; }));
  for (const Time end = BusThread::clock() + Duration::from_seconds(120);
       BusThread::clock() < end && plant.effort(0, 0) != 0;)
    ::poll(nullptr, 0, 5);
  // the bus said so, not the thruster's own watchdog
  EXPECT_EQ(bus.status(0).reports[0].effort, 0);
}

TEST(BusThread, TheLineThatWishesItIsAskedToSwitchItsDirectionAndNoOther) {
  Plant plant(2);
  std::vector<BusThread::Line> lines = plant.lines();
  lines[1].rs485 = true;
  BusThread bus(std::move(lines), {});
  ASSERT_TRUE(until(bus, 0, [&] { return bus.status(0).opened + bus.status(1).opened == 2; }));
  // a pseudo-terminal has no direction
  EXPECT_EQ(bus.status(0).tuning.said.view().find("RS-485"), std::string_view::npos);
  EXPECT_NE(bus.status(1).tuning.said.view().find("RS-485"), std::string_view::npos);
}

TEST(BusThread, EndingItSendsZeroFirst) {
  Plant plant(2);
  {
    BusThread bus(plant.lines(), {});
    ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(1, 1) == 0.5; }));
  }
  EXPECT_EQ(plant.effort(0, 0), 0);
  EXPECT_EQ(plant.effort(1, 1), 0);
}

TEST(BusThread, APortThatIsMissingOrPulledHindersNoOtherAndComesBack) {
  Plant plant(2);
  plant.plug(0, false);
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(1, 0) == 0.5; }));
  EXPECT_EQ(bus.status(0).port, PortError::kMissing);
  EXPECT_EQ(bus.status(0).out, 3U);
  plant.plug(0, true);
  ASSERT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5; }));
  for (int i = 0; i < 20; ++i) {
    plant.plug(1, false);
    ASSERT_TRUE(until(bus, 0.5, [&] { return bus.status(1).out == 3; }));
    EXPECT_EQ(bus.status(0).out, 0U);
    plant.plug(1, true);
    ASSERT_TRUE(until(bus, 0.5, [&] { return bus.status(1).out == 0; }));
  }
  EXPECT_GE(bus.status(1).opened, 21U);
}

TEST(BusThread, ANameThatPassesToAnotherDeviceIsFollowedThere) {
  Plant plant(1);
  // who died without a word left his name behind, and what it led to is somebody else's by now
  PseudoTerminal other;
  ASSERT_TRUE(other.open());
  const std::string right = std::filesystem::read_symlink(plant.path(0)), name = plant.path(0);
  const auto lead_to = [&](const std::string& device) {
    std::filesystem::create_symlink(device, name + ".new");
    std::filesystem::rename(name + ".new", name);
  };
  lead_to(other.path);
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(until(bus, 0.5, [&] { return bus.status(0).opened == 1 && bus.status(0).out == 3; }));
  lead_to(right);
  EXPECT_TRUE(until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5; }));
  EXPECT_EQ(bus.status(0).out, 0U);
}

TEST(BusThread, ALineThatTakesNothingIsOutAndKeepsNobodyBusyAndComesBack) {
  Plant plant(2);
  const auto busy = [] {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  SerialPort hand;
  ASSERT_TRUE(hand.hold(plant.path(0)));
  BusThread bus(plant.lines(), {});
  ASSERT_TRUE(
      until(bus, 0.5, [&] { return plant.effort(0, 0) == 0.5 && plant.effort(1, 0) == 0.5; }));
  ASSERT_EQ(::tcflow(hand.descriptor(), TCOOFF), 0);
  ASSERT_TRUE(until(bus, 0.5, [&] { return bus.status(0).port == PortError::kStopped; }));
  EXPECT_EQ(bus.status(0).out, 3U);
  EXPECT_EQ(bus.status(1).out, 0U);
  EXPECT_NE(problem_of("p", bus.status(0).port).find("p takes no bytes: flow control"),
            std::string::npos);
  // opened again it would be there and nobody could be told anything
  const std::uint32_t opened = bus.status(0).opened;
  const double before_s = busy();
  for (int i = 0; i < 150; ++i) {
    for (const std::size_t k : {0U, 1U}) bus.command(1, k, 0.5);
    bus.wake();
    ::poll(nullptr, 0, 10);
  }
  EXPECT_LT(busy() - before_s, 0.75) << "it waits, and does not ask";
  EXPECT_EQ(bus.status(0).opened, opened);
  EXPECT_EQ(bus.status(0).port, PortError::kStopped);
  EXPECT_EQ(plant.effort(1, 0), 0.5);
  ASSERT_EQ(::tcflow(hand.descriptor(), TCOON), 0);
  ASSERT_TRUE(until(bus, 0.25, [&] { return plant.effort(0, 0) == 0.25; }));
  EXPECT_EQ(bus.status(0).out, 0U);
}

TEST(Lateness, IsCountedByItsBounds) {
  Lateness l;
  for (int i = 0; i < 999; ++i) l.add(80e-6);
  l.add(3e-3);
  EXPECT_EQ(l.total(), 1000U);
  EXPECT_EQ(l.quantile_s(0.5), 100e-6);
  EXPECT_EQ(l.quantile_s(0.999), 100e-6);
  EXPECT_EQ(l.quantile_s(1), 5e-3);
  EXPECT_EQ(l.worst_s, 3e-3);
}

TEST(Lateness, AProcessThatWasStoppedIsToldByItselfAndNotAsALateThread) {
  Lateness l;
  for (int i = 0; i < 99; ++i) l.add(80e-6);
  l.add(3);
  l.add(2);
  EXPECT_EQ(l.total(), 99U);
  EXPECT_EQ(l.quantile_s(0.999), 100e-6);
  EXPECT_EQ(l.worst_s, 80e-6);
  EXPECT_EQ(l.stood, 2U);
  EXPECT_EQ(l.stood_s, 3);
}

TEST(SerialPort, AsksForLowLatencyAndRs485AndSaysWhatIsRefused) {
  PseudoTerminal line;
  ASSERT_TRUE(line.open());
  SerialPort port;
  ASSERT_EQ(port.open(line.path, 115200), PortError::kNone);
  // a pseudo-terminal has neither
  PortTuning tuning = port.tune({true, true});
  EXPECT_FALSE(tuning.low_latency || tuning.rs485);
  EXPECT_NE(tuning.said.view().find("low latency"), std::string::npos);
  EXPECT_NE(tuning.said.view().find("RS-485"), std::string::npos);
  // a driver that has both
  static std::vector<unsigned long> asked;
  const auto system = SerialPort::control;
  SerialPort::control = [](int, unsigned long request, void*) {
    asked.push_back(request);
    return 0;
  };
  tuning = port.tune({true, true});
  SerialPort::control = system;
  EXPECT_TRUE(tuning.low_latency && tuning.rs485);
  EXPECT_EQ(tuning.said.view(), "");
  EXPECT_EQ(asked, (std::vector<unsigned long>{TIOCGSERIAL, TIOCSSERIAL, TIOCSRS485}));
}

}  // namespace
}  // namespace pintle::device
