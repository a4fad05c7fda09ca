#include "pintle/device/virtual_line.h"

#include <algorithm>
#include <limits>

namespace pintle::device {

void Wire::put(std::span<const std::uint8_t> bytes, Time now) {
  free_ =
      std::max(free_, now) + Duration::from_seconds(byte_s_ * static_cast<double>(bytes.size()));
  pieces_.push_back({free_, {bytes.begin(), bytes.end()}});
}

std::vector<std::uint8_t> Wire::take(Time now) {
  if (pieces_.empty() || now < pieces_.front().arrives) return {};
  std::vector<std::uint8_t> bytes = std::move(pieces_.front().bytes);
  pieces_.pop_front();
  return bytes;
}

Time Wire::next() const {
  return pieces_.empty() ? Time{std::numeric_limits<std::int64_t>::max()} : pieces_.front().arrives;
}

void VirtualLine::plug(bool in, Time now) {
  now_ = std::max(now_, now);
  is_plugged_ = in;
  to_device_.cut();
  to_bus_.cut();
  bus_->line(in, now_);
}

void VirtualLine::restart(Time now) {
  plug(false, now_);
  now_ = now;
  plug(true, now);
}

void VirtualLine::run(Time until) {
  while (true) {
    const Time at = std::max(
        now_, std::min({bus_->wake_at(), device_->wake_at(), to_device_.next(), to_bus_.next()}));
    if (at > until) break;
    now_ = at;
    for (auto bytes = to_device_.take(now_); !bytes.empty(); bytes = to_device_.take(now_))
      device_->heard(bytes, now_);
    for (auto bytes = to_bus_.take(now_); !bytes.empty(); bytes = to_bus_.take(now_))
      bus_->heard(bytes, now_);
    for (auto said = device_->say(now_); !said.empty(); said = device_->say(now_))
      if (is_plugged_) to_bus_.put(said, now_);
    const auto frame = bus_->next_frame(now_);
    if (!frame.empty()) to_device_.put(frame, now_);
  }
  now_ = std::max(now_, until);
}

}  // namespace pintle::device
