#include "pintle/device/line_talk.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "pintle/device/bus_thread.h"
#include "pintle/device/line_emulator.h"
#include "pintle/device/m5_emulator.h"

namespace pintle::device {
namespace {

/// Counts what it hears.
class Ear : public M5Emulator {
 public:
  Ear() : M5Emulator(std::array{M5Identity{0, 0, 1000}, M5Identity{1, 1, 1001}}) {}
  void heard(std::span<const std::uint8_t> bytes, Time now) override {
    bytes_heard += bytes.size();
    M5Emulator::heard(bytes, now);
  }
  std::atomic<std::size_t> bytes_heard{0};
};

/// An emulated line served by a thread of its own.
class Plant {
 public:
  Plant() : end_(device, {}, 4000000) {
    EXPECT_TRUE(end_.plug());
    path = end_.path();
    thread_ = std::thread([this] {
      while (!quit_) {
        pollfd watched{-1, POLLIN, 0};
        {
          const std::lock_guard lock(mutex_);
          end_.update(BusThread::clock());
          if (end_.is_plugged()) watched.fd = end_.descriptor();
        }
        ::poll(&watched, 1, 1);
      }
    });
  }
  ~Plant() {
    quit_ = true;
    thread_.join();
  }
  void unplug() {
    const std::lock_guard lock(mutex_);
    end_.unplug();
  }

  Ear device;
  std::string path;

 private:
  LineEmulator end_;
  std::mutex mutex_;
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

/// A scan with something else that happens before its n-th frame.
class Scan : public M5Scan {
 public:
  Scan(std::uint8_t last, int n, std::function<void()> what)
      : M5Scan(0, last, 5.0), n_(n), what_(std::move(what)) {}
  std::span<const std::uint8_t> next_frame(Time now) override {
    const auto frame = M5Scan::next_frame(now);
    if (!frame.empty() && --n_ == 0) what_();
    return frame;
  }

 private:
  int n_;
  std::function<void()> what_;
};

TEST(TalkOn, AConversationGoesToItsEnd) {
  Plant plant;
  Scan scan(1, 0, [] {});
  ASSERT_EQ(talk_on(plant.path, 115200, scan), PortError::kNone);
  ASSERT_EQ(scan.found().size(), 2U);
  EXPECT_EQ(scan.found()[0].node, 0);
  EXPECT_EQ(scan.found()[1].serial, 1001U);
}

TEST(TalkOn, APortThatIsNotThereOrGoesAwayIsTold) {
  Scan never(3, 0, [] {});
  EXPECT_EQ(talk_on(::testing::TempDir() + "no-such-port", 115200, never), PortError::kMissing);
  EXPECT_FALSE(never.is_done());
  Plant plant;
  // both are found, and then nobody: meanwhile it is pulled
  Scan scan(127, 4, [&] { plant.unplug(); });
  EXPECT_EQ(talk_on(plant.path, 115200, scan), PortError::kGone);
  EXPECT_FALSE(scan.is_done());
}

/// More bytes than a port takes at once, then nothing.
class Flood : public LineTalk {
 public:
  static constexpr std::size_t kBytes = 100000;
  std::span<const std::uint8_t> next_frame(Time now) override {
    wake_ = now;
    if (said_) done_ = true;
    if (said_) return {};
    said_ = true;
    return bytes_;
  }
  void heard(std::span<const std::uint8_t>, Time) override {}
  [[nodiscard]] Time wake_at() const override { return wake_; }
  [[nodiscard]] bool is_done() const override { return done_; }

 private:
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kBytes, 0x55);
  bool said_ = false, done_ = false;
  Time wake_{};
};

TEST(TalkOn, AFrameThatThePortTakesInPartsIsSentWhole) {
  Plant plant;
  Flood flood;
  ASSERT_EQ(talk_on(plant.path, 115200, flood), PortError::kNone);
  for (const Time end = BusThread::clock() + Duration::from_seconds(120);
       plant.device.bytes_heard < Flood::kBytes && BusThread::clock() < end;)
    ::poll(nullptr, 0, 5);
  EXPECT_EQ(plant.device.bytes_heard, Flood::kBytes);
}

}  // namespace
}  // namespace pintle::device
