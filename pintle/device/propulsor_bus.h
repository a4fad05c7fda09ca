/// A line with propulsors on it, as a pure state machine: what is to be sent now, what was heard,
/// when to look again. It has no clock, no thread and no port (bus_thread.h has), takes no memory
/// after construction, and never waits.
///
///   command(channel, effort) --newest wins--> slew after a return --> frame, answered by a report
///
/// Whose turn it is: what has been due longest. Due is a command that is new or differs from what
/// was sent, the repetition of one that stands (`refresh_s`), a poll of a channel that was not
/// asked for `poll_s`, and of a silent one every `probe_s`. On a half duplex line, and wherever an
/// answer is due, nothing is sent before it is here or given up:
///
///   give up after  mean + 4 deviations of the latencies measured  (Jacobson 1988), doubled with
///   each miss in a row, within min_timeout_s .. max_timeout_s beside the time on the wire
///
/// What makes effort 0, at once and repeated until it is answered (three times at most; what may be a
/// late answer to an earlier question is none):
///   - a command older than `command_timeout_s`;        - stop();
///   - kill: the line goes on being polled, silence says nothing meanwhile, and afterwards a
///   channel
///     stays at 0 until it was commanded to be neutral;
///   - silence: nothing good heard for `silent_after_s` although asked (debounced in time: at 1 %
///     of bytes hit every third exchange is lost), and six times in a row, for a second of a busy
///     machine holds few questions. A confident channel is commanded nevertheless.
/// Such a 0 does not wait behind frames that the system still holds: they are taken back.
/// A channel that comes back is greeted anew and ramped from 0 at `slew_per_s`.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "pintle/base/finding.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/device/propulsor_protocol.h"

namespace pintle::device {

struct BusSettings {
  int baudrate = 115200;
  double command_timeout_s = 1.0;
  double silent_after_s = 1.0;
  double refresh_s = 0.1;
  double poll_s = 0.1;
  double probe_s = 0.5;
  double first_timeout_s = 0.03;  ///< Before a latency was measured.
  double min_timeout_s = 0.01;
  double max_timeout_s = 0.1;
  double turnaround_s = 0.0002;  ///< Between an answer and the next frame.
  double slew_per_s = 1.0;       ///< After a return; 0: at once.
  double neutral = 0.02;         ///< Efforts up to this count as neutral.
  bool multicast = false;        ///< Command all by one frame where that can be done.
};

[[nodiscard]] Findings check(const BusSettings& settings);
/// A name or node twice, a node beyond the protocol's last.
[[nodiscard]] Findings check(std::span<const BusChannel> channels,
                             const BusCapabilities& capabilities);

class PropulsorBus {
 public:
  /// `channels` must pass `check`.
  PropulsorBus(std::unique_ptr<PropulsorProtocol> protocol, std::span<const BusChannel> channels,
               const BusSettings& settings);

  [[nodiscard]] const BusCapabilities& capabilities() const noexcept {
    return protocol_->capabilities();
  }
  [[nodiscard]] std::span<const BusChannel> channels() const noexcept {
    return {wiring_.data(), wiring_.size()};
  }
  [[nodiscard]] const BusSettings& settings() const noexcept { return settings_; }

  /// Effort of -1 to 1; what is beyond is cut, what is no number is 0.
  void command(std::size_t channel, double effort, Time now) noexcept;
  /// Asks for a report soon, and commands nothing.
  void poll(std::size_t channel) noexcept;
  /// Everything to 0 now. New commands are obeyed.
  void stop(Time now) noexcept;
  /// While killed nothing but 0 is sent.
  void kill(bool killed, Time now) noexcept;
  [[nodiscard]] bool is_killed() const noexcept { return killed_; }
  /// One frame for all is wished, all have answered, and it cannot be made of what they said.
  [[nodiscard]] bool cannot_multicast() const noexcept { return cannot_multicast_; }
  /// The port was opened, or is gone.
  void line(bool is_up, Time now) noexcept;

  /// One per channel.
  [[nodiscard]] std::span<const PropulsorReport> reports() const noexcept {
    return {reports_.data(), reports_.size()};
  }
  /// Channels that are not to be relied on: silent or without a port, and not confident.
  [[nodiscard]] bool is_out(std::size_t channel) const noexcept;

  /// Nothing was commanded but 0, and that was answered (or can be no more).
  [[nodiscard]] bool is_at_rest() const noexcept;

  /// What is to be written to the line now; empty when nothing is. Holds until the next call.
  std::span<const std::uint8_t> next_frame(Time now) noexcept;
  void heard(std::span<const std::uint8_t> bytes, Time now) noexcept;
  /// Once after effort was made 0: what was handed over and is not sent yet, also half a frame, is to
  /// be forgotten before the next frame. Receivers find that one by its sum.
  [[nodiscard]] bool takes_back() noexcept { return std::exchange(takes_back_, false); }
  /// When `next_frame` is to be called again, if nothing is heard or commanded before.
  [[nodiscard]] Time wake_at() const noexcept;

  [[nodiscard]] std::uint64_t garbage() const noexcept { return protocol_->garbage(); }
  [[nodiscard]] std::uint64_t strangers() const noexcept { return strangers_; }

 private:
  struct Channel {
    double wanted = 0, sent = 0, ramp = 0;
    Time commanded{}, new_since{}, sent_at{}, asked_at{}, ramped_at{}, unanswered_since{};
    Duration wire{};           ///< Of the last frame and its answer.
    bool has_command = false;  ///< Something was commanded, and is not too old.
    bool is_new = false;       ///< Commanded since it was last sent.
    bool was_sent = false, was_asked = false;
    bool is_polled = false;  ///< By request.
    bool is_ramping = false;
    bool needs_neutral = false;  ///< A kill is over, and the command was not neutral since.
    bool greeted = false;
    bool is_unanswered = false;
    bool owes_answer = false;  ///< To a question that was given up, and may still come.
    bool has_latency = false;
    int zeros_owed = 0;
    int misses = 0;                         ///< In a row.
    double latency_s = 0, deviation_s = 0;  ///< Beside the time on the wire.
    double latency_sum_s = 0;
    std::uint32_t latencies = 0;
  };
  enum class Work : std::uint8_t { kNone, kGreet, kCommand, kPoll };
  struct Turn {
    Work work = Work::kNone;
    std::size_t channel = 0;
    Time due{};
  };

  [[nodiscard]] bool may_command(std::size_t i) const noexcept;
  [[nodiscard]] double target(std::size_t i) const noexcept;
  [[nodiscard]] Turn turn_of(std::size_t i) const noexcept;
  [[nodiscard]] Turn choose() const noexcept;
  [[nodiscard]] Duration wire(std::size_t bytes) const noexcept;
  [[nodiscard]] Duration patience(const Channel& c) const noexcept;
  void expire(Time now) noexcept;
  void advance_ramps(Time now) noexcept;
  void end_thrust(Channel& c) noexcept;
  void become_good(std::size_t i, Time now) noexcept;
  std::size_t begin(const Turn& turn, Time now) noexcept;
  bool command_all(BusFrame& frame, std::size_t& responder) noexcept;
  void note_sent(std::size_t i, double effort, Time now) noexcept;
  void take(const BusMessage& message, Time now) noexcept;
  void note_latency(std::size_t i, Time now) noexcept;
  void give_up(Time now) noexcept;

  std::unique_ptr<PropulsorProtocol> protocol_;
  BusSettings settings_;
  FixedVector<BusChannel, kMaxBusChannels> wiring_;
  std::array<Channel, kMaxBusChannels> channels_{};
  FixedVector<PropulsorReport, kMaxBusChannels> reports_;
  std::array<std::uint8_t, kMaxBusFrame> out_{};

  bool is_up_ = false, killed_ = false, cannot_multicast_ = false, takes_back_ = false;
  Turn waiting_;  ///< For an answer; kNone: the line is free.
  Time deadline_{}, quiet_until_{};
  std::size_t responder_ = 0;
  std::uint64_t strangers_ = 0;
};

}  // namespace pintle::device

namespace pintle {
template <>
const Table& table_of<device::BusSettings>();
}  // namespace pintle
