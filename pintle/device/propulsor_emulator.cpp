#include "pintle/device/propulsor_emulator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/base/propulsor_report.h"

namespace pintle::device {
namespace {

constexpr double kThinking_s = 0.0005;  ///< From a question to its answer.
constexpr double kGap_s = 0.003;

}  // namespace

PropulsorTruth PropulsorEmulator::truth(std::size_t propulsor, const PropulsorFaults& faults,
                                        Time now) const {
  PropulsorTruth t = model ? model(propulsor, effort(propulsor, now), now) : PropulsorTruth{};
  if (faults.stalled && effort(propulsor, now) != 0) {
    t.rpm = 0;
    t.bus_A *= 3;
    t.fault |= kFaultStall;
  }
  t.bus_V = faults.bus_V.value_or(t.bus_V);
  t.temperature_C = faults.temperature_C.value_or(t.temperature_C);
  t.fault |= faults.fault;
  return t;
}

void PropulsorEmulator::echo_back(std::span<const std::uint8_t> bytes, Time now) {
  if (echo) pieces_.push_back({now, {bytes.begin(), bytes.end()}});
}

void PropulsorEmulator::answer(std::span<const std::uint8_t> frame, const PropulsorFaults& faults,
                               Time now) {
  std::vector<std::uint8_t> bytes(frame.begin(), frame.end());
  if (happens(faults.corrupt)) {
    std::uint8_t& hit = bytes[random_.bits() % bytes.size()];
    hit = static_cast<std::uint8_t>(hit ^ (1U + random_.bits() % 255));
  }
  if (faults.hum) {
    const std::array<std::uint8_t, 5> noise{0x00, 0xF5, 0xF0, 0x0F, 0xFF};
    bytes.insert(bytes.begin(), noise.begin(), noise.end());
  }
  if (faults.twice) {
    const std::vector<std::uint8_t> once = bytes;
    bytes.insert(bytes.end(), once.begin(), once.end());
  }
  const auto n = static_cast<std::size_t>(std::max(1, faults.pieces));
  Time at = now + Duration::from_seconds(kThinking_s + faults.late_s);
  for (std::size_t k = 0; k < n; ++k) {
    const auto from = static_cast<std::ptrdiff_t>(bytes.size() * k / n);
    const auto to = static_cast<std::ptrdiff_t>(bytes.size() * (k + 1) / n);
    const Piece piece{at, {bytes.begin() + from, bytes.begin() + to}};
    const auto later = std::find_if(pieces_.begin(), pieces_.end(),
                                    [&](const Piece& p) { return p.at > piece.at; });
    pieces_.insert(later, piece);
    at = at + Duration::from_seconds(kGap_s);
  }
}

std::span<const std::uint8_t> PropulsorEmulator::say(Time now) {
  if (pieces_.empty() || now < pieces_.front().at) return {};
  spoken_ = std::move(pieces_.front().bytes);
  pieces_.pop_front();
  return spoken_;
}

Time PropulsorEmulator::wake_at() const {
  return pieces_.empty() ? Time{std::numeric_limits<std::int64_t>::max()} : pieces_.front().at;
}

}  // namespace pintle::device
