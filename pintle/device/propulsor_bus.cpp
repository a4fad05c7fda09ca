#include "pintle/device/propulsor_bus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pintle::device {
namespace {

constexpr Time kNever{std::numeric_limits<std::int64_t>::max()}, kLongAgo{};
constexpr int kZeros = 3;
// where the machine keeps us waiting a second holds few questions, and of those some are lost
constexpr int kMissesToBelieve = 6;
constexpr double kRampStep_s = 0.01;

Duration seconds(double s) noexcept { return Duration::from_seconds(s); }

}  // namespace

PropulsorBus::PropulsorBus(std::unique_ptr<PropulsorProtocol> protocol,
                           std::span<const BusChannel> channels, const BusSettings& settings)
    : protocol_(std::move(protocol)), settings_(settings) {
  for (const BusChannel& c : channels) wiring_.push_back(c);
  reports_.resize(wiring_.size());
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    reports_[i].propulsor = static_cast<std::uint32_t>(i);
    reports_[i].contact = PropulsorContact::kNoPort;
  }
}

// ---------------------------------------------------------------------------------------------
// what the caller wants

void PropulsorBus::command(std::size_t channel, double effort, Time now) noexcept {
  if (channel >= wiring_.size()) return;
  Channel& c = channels_[channel];
  effort = std::isfinite(effort) ? std::clamp(effort, -1.0, 1.0) : 0.0;
  if (!c.is_new) c.new_since = now;
  c.is_new = true;
  c.has_command = true;
  c.wanted = effort;
  c.commanded = now;
  if (std::abs(effort) <= settings_.neutral) c.needs_neutral = false;
}

void PropulsorBus::poll(std::size_t channel) noexcept {
  if (channel < wiring_.size()) channels_[channel].is_polled = true;
}

void PropulsorBus::stop(Time now) noexcept {
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    command(i, 0, now);
    channels_[i].has_command = false;
    end_thrust(channels_[i]);
  }
}

void PropulsorBus::kill(bool killed, Time now) noexcept {
  if (killed == killed_) return;
  killed_ = killed;
  if (killed) stop(now);
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    Channel& c = channels_[i];
    // whoever asks for nothing when it ends may ask for something afterwards
    c.needs_neutral = c.has_command && std::abs(c.wanted) > settings_.neutral;
    c.is_unanswered = false;
    c.misses = 0;
  }
}

void PropulsorBus::line(bool is_up, Time now) noexcept {
  if (is_up == is_up_) return;
  is_up_ = is_up;
  waiting_ = {};
  quiet_until_ = now;
  protocol_->give_up();
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    Channel& c = channels_[i];
    protocol_->forget(i);
    c.greeted = c.was_asked = c.is_unanswered = c.owes_answer = false;
    c.misses = c.zeros_owed = 0;
    c.sent = 0;
    reports_[i].effort = 0;
    reports_[i].contact = PropulsorContact::kNoPort;
    if (!is_up) continue;
    reports_[i].contact = PropulsorContact::kUnknown;
    if (!capabilities().answers) become_good(i, now);
  }
}

bool PropulsorBus::is_out(std::size_t channel) const noexcept {
  if (channel >= wiring_.size()) return true;
  switch (reports_[channel].contact) {
    case PropulsorContact::kNoPort: return true;
    case PropulsorContact::kSilent: return !wiring_[channel].confident;
    default: return false;
  }
}

bool PropulsorBus::is_at_rest() const noexcept {
  return waiting_.work != Work::kCommand &&
         std::all_of(channels_.begin(), channels_.begin() + wiring_.size(),
                     [](const Channel& c) { return c.sent == 0 && c.zeros_owed == 0; });
}

void PropulsorBus::end_thrust(Channel& c) noexcept {
  c.wanted = 0;
  c.is_ramping = false;
  c.zeros_owed = kZeros;
  takes_back_ = true;
}

void PropulsorBus::become_good(std::size_t i, Time now) noexcept {
  Channel& c = channels_[i];
  reports_[i].contact = PropulsorContact::kGood;
  c.ramp = 0;
  c.ramped_at = now;
  c.is_ramping = settings_.slew_per_s > 0;
  c.is_polled = capabilities().answers;
}

/// Commands that are too old end.
void PropulsorBus::expire(Time now) noexcept {
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    Channel& c = channels_[i];
    if (!c.has_command || now - c.commanded <= seconds(settings_.command_timeout_s)) continue;
    c.has_command = c.is_new = c.needs_neutral = false;
    if (c.sent != 0) end_thrust(c);
    c.wanted = 0;
  }
}

void PropulsorBus::advance_ramps(Time now) noexcept {
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    Channel& c = channels_[i];
    const double step = settings_.slew_per_s * (now - c.ramped_at).seconds();
    c.ramped_at = now;
    if (!c.is_ramping) continue;
    const bool falls = c.wanted * c.ramp > 0 && std::abs(c.wanted) < std::abs(c.ramp);
    c.ramp = falls ? c.wanted : std::clamp(c.wanted, c.ramp - step, c.ramp + step);
    // nothing was commanded yet: no reason to forget that it has just come back
    if (c.ramp == c.wanted && c.has_command) c.is_ramping = false;
  }
}

bool PropulsorBus::may_command(std::size_t i) const noexcept {
  const Channel& c = channels_[i];
  if (killed_ || !c.has_command || c.needs_neutral) return false;
  return reports_[i].contact == PropulsorContact::kGood || wiring_[i].confident;
}

double PropulsorBus::target(std::size_t i) const noexcept {
  if (!may_command(i)) return 0;
  const Channel& c = channels_[i];
  return c.is_ramping ? c.ramp : c.wanted;
}

// ---------------------------------------------------------------------------------------------
// whose turn it is

PropulsorBus::Turn PropulsorBus::turn_of(std::size_t i) const noexcept {
  const Channel& c = channels_[i];
  const bool silent = reports_[i].contact == PropulsorContact::kSilent;
  Turn best{Work::kNone, i, kNever};
  const auto offer = [&](Work work, Time due) {
    if (due < best.due) best = {work, i, due};
  };
  // unsent zeros go before everything that is younger than the last frame of this channel
  if (c.zeros_owed > 0) offer(Work::kCommand, c.was_sent ? c.sent_at : kLongAgo);
  if (may_command(i)) {
    if (c.is_new) offer(Work::kCommand, c.new_since);
    const double wanted = target(i);
    const bool changes = wanted != c.sent || (c.is_ramping && c.wanted != c.sent);
    if (changes || wanted != 0)
      offer(Work::kCommand, c.was_sent
                                ? c.sent_at + seconds(changes ? kRampStep_s : settings_.refresh_s)
                                : kLongAgo);
  }
  if (!capabilities().answers) return best;
  const Time ask =
      c.was_asked ? c.asked_at + seconds(silent ? settings_.probe_s : settings_.poll_s) : kLongAgo;
  offer(c.greeted ? Work::kPoll : Work::kGreet, c.is_polled && !silent ? c.asked_at : ask);
  return best;
}

PropulsorBus::Turn PropulsorBus::choose() const noexcept {
  Turn best{Work::kNone, 0, kNever};
  if (!is_up_) return best;
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    const Turn turn = turn_of(i);
    if (turn.due < best.due) best = turn;
  }
  return best;
}

Time PropulsorBus::wake_at() const noexcept {
  Time at = waiting_.work != Work::kNone ? deadline_ : std::max(choose().due, quiet_until_);
  for (std::size_t i = 0; i < wiring_.size(); ++i) {
    const Channel& c = channels_[i];
    if (c.has_command && c.wanted != 0)
      at = std::min(at, c.commanded + seconds(settings_.command_timeout_s) + Duration{1});
  }
  return at;
}

std::span<const std::uint8_t> PropulsorBus::next_frame(Time now) noexcept {
  expire(now);
  advance_ramps(now);
  if (waiting_.work != Work::kNone) {
    if (now < deadline_) return {};
    give_up(now);
  }
  if (now < quiet_until_) return {};
  const Turn turn = choose();
  if (turn.work == Work::kNone || now < turn.due) return {};
  return std::span(out_).first(begin(turn, now));
}

Duration PropulsorBus::wire(std::size_t bytes) const noexcept {
  return seconds(10.0 * static_cast<double>(bytes) / settings_.baudrate);
}

/// How long an answer may take beside its time on the wire.
Duration PropulsorBus::patience(const Channel& c) const noexcept {
  const double usual = c.has_latency ? c.latency_s + 4 * c.deviation_s : settings_.first_timeout_s;
  const double stretched = usual * std::ldexp(1.0, std::min(c.misses, 4));
  return seconds(std::clamp(stretched, settings_.min_timeout_s, settings_.max_timeout_s));
}

/// Makes the frame and notes what it says; its size.
std::size_t PropulsorBus::begin(const Turn& turn, Time now) noexcept {
  std::size_t i = turn.channel;
  BusFrame frame;
  if (turn.work == Work::kGreet) {
    frame = protocol_->greet(i, out_);
    // nothing need be known before the first command
    if (frame.bytes == 0) {
      channels_[i].greeted = true;
      frame = protocol_->poll(i, out_);
    }
  } else if (turn.work == Work::kPoll) {
    frame = protocol_->poll(i, out_);
  } else if ((settings_.multicast || !capabilities().answers) && command_all(frame, i)) {
    for (std::size_t k = 0; k < wiring_.size(); ++k) note_sent(k, target(k), now);
  } else {
    const double effort = target(i);
    frame = protocol_->command(i, effort, out_);
    note_sent(i, effort, now);
  }
  Channel& c = channels_[i];
  ++reports_[i].sent;
  c.asked_at = now;
  c.was_asked = true;
  c.is_polled = false;
  c.wire = wire(frame.bytes + frame.answer_bytes);
  if (frame.answer_bytes == 0) {
    quiet_until_ = now + wire(frame.bytes);
    return frame.bytes;
  }
  waiting_ = {turn.work, i, turn.due};
  deadline_ = now + c.wire + patience(c);
  if (!c.is_unanswered) {
    c.is_unanswered = true;
    c.unanswered_since = now;
  }
  return frame.bytes;
}

/// All channels in one frame; `responder` becomes the one that answers.
bool PropulsorBus::command_all(BusFrame& frame, std::size_t& responder) noexcept {
  std::array<double, kMaxBusChannels> efforts{};
  for (std::size_t k = 0; k < wiring_.size(); ++k) efforts[k] = target(k);
  // the next one that answers; a silent one would cost everybody its time limit
  for (std::size_t k = 1; k <= wiring_.size(); ++k) {
    const std::size_t next = (responder_ + k) % wiring_.size();
    if (reports_[next].contact != PropulsorContact::kGood) continue;
    frame = protocol_->command_all({efforts.data(), wiring_.size()}, next, out_);
    const bool all_known = std::all_of(channels_.begin(), channels_.begin() + wiring_.size(),
                                       [](const Channel& c) { return c.greeted; });
    if (all_known) cannot_multicast_ = frame.bytes == 0;
    if (frame.bytes == 0) return false;
    responder_ = responder = next;
    return true;
  }
  return false;
}

void PropulsorBus::note_sent(std::size_t i, double effort, Time now) noexcept {
  Channel& c = channels_[i];
  c.sent = effort;
  c.sent_at = now;
  c.was_sent = true;
  c.is_new = false;
  if (c.zeros_owed > 0) --c.zeros_owed;
  reports_[i].effort = effort;
}

// ---------------------------------------------------------------------------------------------
// what was heard, and what was not

void PropulsorBus::heard(std::span<const std::uint8_t> bytes, Time now) noexcept {
  if (!is_up_) return;
  BusMessage message;
  while (protocol_->hear(bytes, message)) take(message, now);
  // an answer has begun: it may take the time that its bytes need, within reason
  const std::size_t missing = protocol_->missing();
  const Channel& c = channels_[waiting_.channel];
  if (waiting_.work != Work::kNone && missing > 0)
    deadline_ =
        std::clamp(now + wire(missing) + seconds(settings_.min_timeout_s), deadline_,
                   std::max(deadline_, c.asked_at + c.wire + seconds(2 * settings_.max_timeout_s)));
}

void PropulsorBus::take(const BusMessage& message, Time now) noexcept {
  if (message.kind == BusMessage::Kind::kOther || message.channel >= wiring_.size()) {
    ++strangers_;
    return;
  }
  const std::size_t i = message.channel;
  Channel& c = channels_[i];
  PropulsorReport& r = reports_[i];
  ++r.received;
  // it may be that to a question that was given up: the next one tells
  const bool is_sure = !std::exchange(c.owes_answer, false);
  // also from one that comes too late: else a slow thruster would never be waited for
  if (c.is_unanswered) note_latency(i, now);
  c.is_unanswered = false;
  c.misses = 0;
  if (message.kind == BusMessage::Kind::kGreeting) c.greeted = true;
  if (message.kind == BusMessage::Kind::kReport) {
    const PropulsorReport& m = message.report;
    r.stamp = now;
    r.valid = m.valid;
    if (m.has(kHasRpm)) r.rpm = wiring_[i].reversed ? -m.rpm : m.rpm;
    if (m.has(kHasVoltage)) r.bus_V = m.bus_V;
    if (m.has(kHasCurrent)) r.bus_A = m.bus_A;
    if (m.has(kHasTemperature)) r.temperature_C = m.temperature_C;
    if (m.has(kHasFault)) r.fault = m.fault;
  }
  if (r.contact != PropulsorContact::kGood && c.greeted) become_good(i, now);
  if (waiting_.work == Work::kNone || waiting_.channel != i) return;
  if (waiting_.work == Work::kCommand && c.sent == 0 && is_sure) c.zeros_owed = 0;
  waiting_ = {};
  quiet_until_ = now + seconds(settings_.turnaround_s);
}

void PropulsorBus::note_latency(std::size_t i, Time now) noexcept {
  Channel& c = channels_[i];
  const double whole = (now - c.asked_at).seconds();
  const double extra = std::max(0.0, whole - c.wire.seconds());
  if (!c.has_latency) {
    c.has_latency = true;
    c.latency_s = extra;
    c.deviation_s = extra / 2;
  } else {
    c.deviation_s += (std::abs(extra - c.latency_s) - c.deviation_s) / 4;
    c.latency_s += (extra - c.latency_s) / 8;
  }
  c.latency_sum_s += whole;
  reports_[i].latency_s = c.latency_sum_s / ++c.latencies;
}

void PropulsorBus::give_up(Time now) noexcept {
  const std::size_t i = waiting_.channel;
  Channel& c = channels_[i];
  ++c.misses;
  c.owes_answer = true;
  ++reports_[i].unanswered;
  protocol_->give_up();
  waiting_ = {};
  quiet_until_ = now + seconds(settings_.turnaround_s);
  const bool long_enough = now - c.unanswered_since >= seconds(settings_.silent_after_s);
  if (killed_ || !c.is_unanswered || !long_enough || c.misses < kMissesToBelieve) return;
  if (reports_[i].contact == PropulsorContact::kSilent) return;
  reports_[i].contact = PropulsorContact::kSilent;
  reports_[i].valid = 0;
  // what comes back may be another thruster; and what lost only its voice is to stand still
  c.greeted = false;
  if (!wiring_[i].confident) end_thrust(c);
}

}  // namespace pintle::device
