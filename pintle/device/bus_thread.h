/// Drives the buses of a vehicle over serial ports: the one place with a thread, a clock and a
/// wait.
///
/// One thread serves all lines by epoll(7): a state machine each, so that a slow, dead or missing
/// one delays no other. Its owner never waits for it: a command is one atomic store per channel,
/// the newest counts; reports come through a triple buffer, the newest counts.
///
/// A port that is missing, refused or pulled out is tried again every second, and at once when
/// something changes in the folder of its path (inotify: /dev/serial/by-id, say). No memory is
/// taken once all ports were opened.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pintle/base/lines_status.h"
#include "pintle/device/latest.h"
#include "pintle/device/propulsor_bus.h"
#include "pintle/device/serial_port.h"

namespace pintle::device {

/// How late the thread woke up for what was due. Later than `kStood_s` is no lateness: the process
/// was stopped, or the machine asleep. That is counted by itself and is in no figure of the others.
struct Lateness {
  static constexpr double kStood_s = 1;
  LateCounts count{};
  double worst_s = 0;
  std::uint32_t stood = 0;  ///< Times.
  double stood_s = 0;       ///< The longest.

  void add(double late_s) noexcept;
  /// The bound under which this share of all lies; infinite when it is the last.
  [[nodiscard]] double quantile_s(double share) const noexcept;
  [[nodiscard]] std::uint64_t total() const noexcept;
};

/// What is known of a line.
struct LineStatus {
  Time now{};  ///< Of this status, by the thread's clock.
  PortError port = PortError::kMissing;
  PortTuning tuning{};
  std::uint32_t opened = 0;  ///< Times.
  std::uint64_t garbage = 0, strangers = 0;
  bool killed = false;
  bool cannot_multicast = false;  ///< It is wished, and their own numbers do not let it be.
  FixedVector<PropulsorReport, kMaxBusChannels> reports;
  std::uint64_t out = 0;  ///< A bit per channel that is not to be relied on.
  Lateness lateness;      ///< Of the thread, the same in all lines.
};
// it is copied in the thread of the lines, which takes no memory
static_assert(std::is_trivially_copyable_v<LineStatus>);

struct BusThreadOptions {
  PortWishes wishes;
  double reopen_s = 1.0;
  int fifo_priority = 0;     ///< SCHED_FIFO above 0, where the system lets it.
  bool lock_memory = false;  ///< mlockall(2).
};

class BusThread {
 public:
  struct Line {
    std::string path;
    std::unique_ptr<PropulsorBus> bus;
    bool rs485 = false;  ///< Besides what the options wish.
  };

  BusThread(std::vector<Line> lines, const BusThreadOptions& options);
  /// Sends 0 to everything on lines that were commanded, waits at most a second until it was
  /// answered, ends the thread.
  ~BusThread();
  BusThread(const BusThread&) = delete;
  BusThread& operator=(const BusThread&) = delete;

  /// What of the options the system refused, one sentence each.
  [[nodiscard]] const std::vector<std::string>& refused() const noexcept { return refused_; }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }
  [[nodiscard]] const std::string& path(std::size_t line) const noexcept {
    return lines_[line]->path;
  }

  /// From any thread; none of them waits.
  void command(std::size_t line, std::size_t channel, double effort) noexcept;
  /// After the commands of a cycle: they go out now and not when the thread wakes next.
  void wake() noexcept;
  void stop() noexcept;
  void kill(bool killed) noexcept;

  /// From one thread. Holds until the next call for this line.
  [[nodiscard]] const LineStatus& status(std::size_t line) noexcept {
    return lines_[line]->status.get();
  }

  /// The clock of all times here: CLOCK_MONOTONIC.
  [[nodiscard]] static Time clock() noexcept;

 private:
  /// What the thread has of a line, and what it shares.
  struct Served {
    std::string path;
    std::unique_ptr<PropulsorBus> bus;
    PortWishes wishes;
    SerialPort port;
    PortError error = PortError::kMissing;
    PortTuning tuning;
    std::uint32_t opened = 0;
    bool was_commanded = false;
    Time try_at{};
    /// The rest of a frame the system did not take.
    std::array<std::uint8_t, kMaxBusFrame> unsent{};
    std::size_t unsent_bytes = 0;
    Time unsent_since{};
    bool is_to_be_read = false;  ///< The system said so.
    std::array<std::uint32_t, kMaxBusChannels> seen{};
    /// Count and float in one word, so that a value that is given again counts again.
    std::array<std::atomic<std::uint64_t>, kMaxBusChannels> wanted{};
    Latest<LineStatus> status;
  };

  void run() noexcept;
  void prepare() noexcept;
  void take_orders(Time now) noexcept;
  void open_when_due(Served& line, Time now) noexcept;
  void lose(Served& line, PortError error, Time now) noexcept;
  void read(Served& line, Time now) noexcept;
  void write(Served& line, Time now) noexcept;
  void publish(Served& line, Time now) noexcept;
  void wait_until(Time at) noexcept;
  void look_at_folders() noexcept;
  [[nodiscard]] Time wake_at() const noexcept;
  [[nodiscard]] bool is_quiet() const noexcept;
  void watch_folders() noexcept;

  BusThreadOptions options_;
  std::vector<std::unique_ptr<Served>> lines_;
  std::vector<std::string> refused_;
  std::atomic<std::uint32_t> stops_{0};
  std::atomic<bool> killed_{false}, quit_{false};
  std::uint32_t stops_seen_ = 0;
  int watcher_ = -1, event_ = -1, folders_ = -1;
  Lateness lateness_;
  std::thread thread_;
};

}  // namespace pintle::device
