/// Taking over a problem and scaling it, eight numbers at a time. Internal to this room.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/scaling.h"

namespace pintle::allocation {

static_assert(sizeof(Wrench) == kAxes * sizeof(double), "six numbers in a row");

namespace PINTLE_LEVEL {
namespace {

// of what the channels move
constexpr double kFarthest = 1e60;
constexpr std::size_t kColumnsAtOnce = 4;

PINTLE_INLINE const double* six(const Wrench& w) noexcept { return &w.force.x; }
PINTLE_INLINE double* six(Wrench& w) noexcept { return &w.force.x; }

// the largest power of two that is not above, within 2^+-1000
PINTLE_INLINE double unit_of(double magnitude) noexcept {
  constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
  if (!(magnitude > 0)) return 1;
  const double unit = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) & kExponent);
  return std::clamp(unit, 0x1p-1000, 0x1p1000);
}

// a channel that gains or loses its width changes the system of the free ones; in scaled numbers,
// where a preferred effort far away leaves none
template <class Box>
ChannelMask channels_with_width(const Box& box) noexcept {
  ChannelMask wide = 0;
  for (std::size_t at = 0; at < box.n; at += kLanes)
    wide |= static_cast<ChannelMask>(bits_of(load(&box.lower[at]) < load(&box.upper[at])) &
                                     used_of(box.n, at))
            << at;
  return wide;
}

// `nothing`: numbers minus themselves, added up: zero only where all are finite
PINTLE_INLINE bool take_over_box_of(const Effectiveness& e, std::size_t n, Lanes nothing,
                                    Working& w) noexcept {
  const Lanes bias = pad(six(e.bias));
  store_six(bias, w.bias.v.data());
  nothing += bias - bias;
  bool usable = true;
  for (std::size_t at = 0; at < n; at += kLanes) {
    const Lanes lower = load(&e.lower[at]), upper = load(&e.upper[at]);
    const Lanes preferred = load(&e.preferred[at]);
    store(lower, &w.lower[at]);
    store(upper, &w.upper[at]);
    store(preferred, &w.preferred[at]);
    // written so that NaN fails
    const Lanes none = (lower - lower) + (upper - upper) + (preferred - preferred);
    const LaneMask fine = (lower <= upper) & (none == all_lanes(0));
    usable = usable & ((~bits_of(fine) & used_of(n, at)) == 0);
  }
  return usable & (bits_of(nothing == all_lanes(0)) == 0xFF);
}

// copies bias, bounds and preferred efforts; says whether everything is finite and no bounds are
// crossed
bool take_over_box(const Effectiveness& e, Working& w) noexcept {
  return take_over_box_of(e, w.n, all_lanes(0), w);
}

PINTLE_INLINE bool take_over_of(const Effectiveness& e, std::size_t n, Working& w) noexcept {
  const std::size_t numbers = kAxes * n;
  const double* const from = e.column[0].v.data();
  double* const to = reinterpret_cast<double*>(&w.column[0]);
  Lanes nothing = all_lanes(0);
  const auto take = [&](const Lanes& some, std::size_t at) PINTLE_EACH {
    nothing += some - some;
    store(some, to + at);
  };
  std::size_t at = 0;
  for (; at + kLanes <= numbers; at += kLanes) take(load(from + at), at);
  // behind the last there are more, which mean nothing
  if (at < numbers) take(select(lanes_of(used_of(numbers, at)), load(from + at), all_lanes(0)), at);
  for (std::size_t i = n; i % kColumnsAtOnce != 0; ++i) w.column[i] = {};
  return take_over_box_of(e, n, nothing, w);
}

// the same of all
bool take_over(const Effectiveness& e, Working& w) noexcept {
  w.n = std::min(e.n, static_cast<std::uint32_t>(kMaxChannels));
  const bool usable = w.n == kLanes ? take_over_of(e, kLanes, w) : take_over_of(e, w.n, w);
  return usable && e.n <= kMaxChannels;
}

// four columns are three times eight numbers: with the weights in that order none is padded. Behind
// the last there are zeros
PINTLE_INLINE bool scale_columns_of(double r, const Working& w, std::size_t n,
                                    const std::array<double, kAxes>& weight,
                                    Scaled& scaled) noexcept {
  constexpr std::size_t kFour = kColumnsAtOnce * kAxes;
  BoxProblem& box = scaled.box;
  box.n = w.n;
  scaled.weight.v = weight;
  const Lanes weights = pad(weight.data());
  alignas(64) std::array<double, kFour> four;
  for (std::size_t i = 0; i < kFour; i += kAxes) store_six(weights, &four[i]);
  const std::size_t count = kAxes * n;
  const double* const from = reinterpret_cast<const double*>(w.column.data());
  double* const to = reinterpret_cast<double*>(&box.column[0]);
  const std::array each{load(&four[0]), load(&four[kLanes]), load(&four[2 * kLanes])};
  std::array<Lanes, 3> largest{};
  for (std::size_t at = 0; at < count; at += kFour)
    unrolled<3>([&](auto j) PINTLE_EACH {
      const Lanes number = load(from + at + kLanes * j);
      largest[j] = greater_of(largest[j], magnitude(each[j] * number));
    });
  unrolled<3>([&](auto j) { store(largest[j], &four[kLanes * j]); });
  Lanes most = pad(&four[0]);
  for (std::size_t i = kAxes; i < kFour; i += kAxes) most = greater_of(most, pad(&four[i]));
  const double gain = greatest_of(most);
  if (bits_of(finite(weights)) != 0xFF || !std::isfinite(gain)) return false;
  scaled.gain_unit = unit_of(gain);
  scaled.wide_rows = bits_of((kWideRows * most < all_lanes(gain)) &
                             (all_lanes(kRankTolerance * gain) < most)) != 0;
  const double share = inverse_of_unit(scaled.gain_unit);
  for (std::size_t at = 0; at < count; at += kFour)
    unrolled<3>([&](auto j) PINTLE_EACH {
      const Lanes number = share * (each[j] * load(from + at + kLanes * j));
      // products of four such would be nothing, and quotients of those not a number
      const LaneMask nothing = magnitude(number) < all_lanes(kNothing);
      store(select(nothing, all_lanes(0), number), to + at + kLanes * j);
    });
  box.r = r * share * share;
  return std::isfinite(box.r) && box.r >= 0;
}

bool scale_columns(double r, const Working& w, const std::array<double, kAxes>& weight,
                   Scaled& scaled) noexcept {
  return w.n == kLanes ? scale_columns_of(r, w, kLanes, weight, scaled)
                       : scale_columns_of(r, w, w.n, weight, scaled);
}

PINTLE_INLINE bool scale_box_of(const Working& w, std::size_t n, Scaled& scaled) noexcept {
  BoxProblem& box = scaled.box;
  const Lanes zero = all_lanes(0);
  Lanes most = zero, offset = pad(w.bias.v.data());
  for (std::size_t at = 0; at < n; at += kLanes) {
    const unsigned used = used_of(n, at);
    const Lanes preferred = load(&w.preferred[at]);
    const Lanes lower = load(&w.lower[at]) - preferred, upper = load(&w.upper[at]) - preferred;
    store(lower, &box.lower[at]);
    store(upper, &box.upper[at]);
    most = greater_of(most,
                      select(lanes_of(used), greater_of(magnitude(lower), magnitude(upper)), zero));
    unsigned set = ~bits_of(preferred == zero) & used;
    for (; set != 0; set &= set - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(set));
      offset += w.preferred[i] * pad(w.column[i].v.data());
    }
  }
  const double span = greatest_of(most);
  store_six(offset, scaled.offset.v.data());
  if (!std::isfinite(span) || bits_of(finite(offset)) != 0xFF) return false;
  scaled.effort_unit = unit_of(span);
  const double share = inverse_of_unit(scaled.effort_unit);
  for (std::size_t at = 0; at < n; at += kLanes) {
    store(share * load(&box.lower[at]), &box.lower[at]);
    store(share * load(&box.upper[at]), &box.upper[at]);
  }
  return true;
}

bool scale_box(const Working& w, Scaled& scaled) noexcept {
  return w.n == kLanes ? scale_box_of(w, kLanes, scaled) : scale_box_of(w, w.n, scaled);
}

bool scale_demand(const Wrench& demand, Scaled& scaled) noexcept {
  const Lanes wanted = pad(six(demand)) - pad(scaled.offset.v.data());
  const Lanes per_gain = inverse_of_unit(scaled.gain_unit) * (pad(scaled.weight.v.data()) * wanted);
  const Lanes b = inverse_of_unit(scaled.effort_unit) * per_gain;
  store_six(b, scaled.box.b.v.data());
  const double largest = greatest_of(magnitude(b));
  // written so that NaN fails
  if (bits_of(finite(b)) != 0xFF) return false;
  // squares must stay in range. So far out only the direction matters: half as far changes the
  // answer by less than rounding
  if (largest > kFarthest) scaled.box.b = unit_of(kFarthest / largest) * scaled.box.b;
  return true;
}

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
