#include "pintle/device/vesc_emulator.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {
namespace {

constexpr double kWatchdog_s = 1.0, kRestart_s = 3.0;

/// Big-endian, to the nearest; what is no number reads as the lowest there is.
void put(std::uint8_t* at, std::size_t n, double value) {
  const double low = n == 2 ? -32768.0 : -2147483648.0;
  const double held = std::isfinite(value) ? std::clamp(std::round(value), low, -low - 1) : low;
  const auto raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(held));
  for (std::size_t k = 0; k < n; ++k) at[k] = static_cast<std::uint8_t>(raw >> (8 * (n - 1 - k)));
}

std::uint8_t code_of(std::uint8_t bits) {
  if ((bits & kFaultOvercurrent) != 0) return 4;
  if ((bits & kFaultOvertemp) != 0) return 6;
  if ((bits & kFaultUndervolt) != 0) return 2;
  if ((bits & kFaultOvervolt) != 0) return 1;
  return bits != 0 ? 3 : 0;
}

}  // namespace

VescEmulator::VescEmulator(std::span<const std::uint8_t> ids, int pole_pairs)
    : pole_pairs_(pole_pairs) {
  for (const std::uint8_t id : ids) {
    controllers_.emplace_back();
    controllers_.back().id = id;
  }
}

double VescEmulator::effort(std::size_t i, Time now) const {
  const Controller& c = controllers_[i];
  const bool heard = c.was_commanded && (now - c.commanded).seconds() <= kWatchdog_s;
  return heard && now >= c.away_until ? c.effort : 0;
}

void VescEmulator::heard(std::span<const std::uint8_t> bytes, Time now) {
  echo_back(bytes, now);
  for (auto payload = decoder_.next(bytes); !payload.empty(); payload = decoder_.next(bytes)) {
    if (payload[0] != kVescForwardCan) {
      take(0, payload, now);
      continue;
    }
    for (std::size_t i = 1; payload.size() > 2 && i < controllers_.size(); ++i)
      if (controllers_[i].id == payload[1]) take(i, payload.subspan(2), now);
  }
}

void VescEmulator::take(std::size_t i, std::span<const std::uint8_t> payload, Time now) {
  Controller& c = controllers_[i];
  if (c.faults.brown_out) {
    c.faults.brown_out = false;
    c.effort = 0;
    c.was_commanded = false;
    c.away_until = now + Duration::from_seconds(kRestart_s);
  }
  if (c.faults.gone || now < c.away_until || happens(c.faults.lose)) return;
  if (payload[0] == kVescSetDuty && payload.size() == 5) {
    std::uint32_t raw = 0;
    for (std::size_t k = 1; k < 5; ++k) raw = raw << 8U | payload[k];
    c.effort = std::clamp(static_cast<std::int32_t>(raw) * 1e-5, -1.0, 1.0);
    c.commanded = now;
    c.was_commanded = true;
    ++c.commands;
  } else if (payload[0] == kVescGetValues && payload.size() == 1 && !c.faults.mute) {
    reply(i, now);
  }
}

void VescEmulator::reply(std::size_t i, Time now) {
  const Controller& c = controllers_[i];
  const PropulsorTruth m = truth(i, c.faults, now);
  std::array<std::uint8_t, kVescValuesBytes> v{kVescGetValues};
  put(&v[1], 2, 10 * m.temperature_C);
  put(&v[3], 2, 10 * m.temperature_C);
  put(&v[5], 4, 100 * m.bus_A);
  put(&v[9], 4, 100 * m.bus_A);
  put(&v[21], 2, 1000 * effort(i, now));
  put(&v[23], 4, m.rpm * pole_pairs_);
  put(&v[27], 2, 10 * m.bus_V);
  v[53] = code_of(m.fault);
  v[58] = c.faults.wrong_id >= 0 ? static_cast<std::uint8_t>(c.faults.wrong_id) : c.id;
  std::array<std::uint8_t, kVescValuesBytes + 5> out{};
  (void)encode_vesc(v, out);
  answer(out, c.faults, now);
}

}  // namespace pintle::device
