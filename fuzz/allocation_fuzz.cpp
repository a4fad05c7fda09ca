// Any bytes as an allocation problem, solved fresh and with what an earlier call left behind.
//
// Whatever comes in: efforts finite and inside sound bounds, the iteration cap kept, the same
// answer twice, refusal exactly where the data is not finite, bounds are crossed, or numbers leave
// the range. On data of moderate size the answer must also cost no more than the reference
// solver's.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/levels.h"
#include "pintle/allocation/prepared.h"

namespace {

using namespace pintle;
using namespace pintle::allocation;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() {
    if (at_ >= size_) return 0;
    return data_[at_++];
  }
  // mostly small round numbers, for ties; sometimes anything a double can be
  double number() {
    const std::uint8_t kind = byte();
    if (kind < 160) return (static_cast<int>(kind) - 80) / 16.0;
    if (kind < 200) return (static_cast<int>(byte()) - 128) / 128.0 * std::exp2(kind - 180);
    switch (kind) {
      case 250: return std::numeric_limits<double>::quiet_NaN();
      case 251: return std::numeric_limits<double>::infinity();
      case 252: return -std::numeric_limits<double>::infinity();
      case 253: return std::numeric_limits<double>::denorm_min();
      case 254: return 1e300;
      case 255: {
        double x = 0;
        std::uint8_t raw[8];
        for (std::uint8_t& b : raw) b = byte();
        std::memcpy(&x, raw, sizeof x);
        return x;
      }
      default: return 0;
    }
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void require_at(bool condition, int line) {
  if (condition) return;
  std::fprintf(stderr, "allocation_fuzz.cpp:%d does not hold\n", line);
  std::abort();
}
#define REQUIRE(condition) require_at(condition, __LINE__)

struct Input {
  Settings settings;
  Effectiveness effectiveness;
  WrenchDemand demand;
  std::array<PropulsorHealth, kMaxChannels> health{};
};

Input decode(Bytes& bytes) {
  Input in;
  in.effectiveness.n = bytes.byte() % 68;
  in.settings.objective.k2 = bytes.byte() % 2 == 0 ? 0 : std::abs(bytes.number());
  const std::uint8_t flags = bytes.byte();
  if ((flags & 16) != 0)
    for (std::uint8_t& g : in.demand.group) g = bytes.byte() % 3;
  in.settings.objective.preserve_direction = (flags & 96) == 96;
  Vec6 w;
  for (double& x : w.v) x = bytes.number();
  in.demand.F_Bo_B = to_wrench(w);
  if ((flags & 1) != 0)
    for (double& x : in.demand.weight) x = std::abs(bytes.number());
  for (std::size_t i = 0; i < std::min<std::size_t>(in.effectiveness.n, kMaxChannels); ++i) {
    for (double& x : in.effectiveness.column[i].v) x = bytes.number();
    in.effectiveness.lower[i] = (flags & 2) != 0 ? bytes.number() : -1;
    in.effectiveness.upper[i] = (flags & 2) != 0 ? bytes.number() : 1;
    if ((flags & 4) != 0) in.effectiveness.preferred[i] = bytes.number();
    if ((flags & 8) != 0)
      in.health[i] = {static_cast<Health>(bytes.byte() % 5), bytes.number(), bytes.number()};
  }
  return in;
}

bool is_moderate(double x) { return x == 0 || (std::abs(x) > 1e-3 && std::abs(x) < 1e3); }

bool is_moderate(const Input& in) {
  bool moderate = is_moderate(in.settings.objective.k2);
  for (double x : to_vec6(in.demand.F_Bo_B).v) moderate = moderate && is_moderate(x);
  for (double x : in.demand.weight) moderate = moderate && is_moderate(x);
  for (std::size_t i = 0; i < in.effectiveness.n; ++i) {
    for (double x : in.effectiveness.column[i].v) moderate = moderate && is_moderate(x);
    moderate = moderate && is_moderate(in.effectiveness.lower[i]) &&
               is_moderate(in.effectiveness.upper[i]) && is_moderate(in.effectiveness.preferred[i]);
    moderate = moderate && is_moderate(in.health[i].stuck_effort);
  }
  return moderate;
}

void check_bounds(const Input& in, const Allocation& out) {
  const int n = static_cast<int>(std::min<std::uint32_t>(in.effectiveness.n, kMaxChannels));
  REQUIRE(out.effort.size() == static_cast<std::size_t>(n));
  // groups and kept directions take several solves
  if (!has_levels(in.settings, in.demand)) REQUIRE(out.iterations <= 10 * n + 20);
  for (std::size_t i = 0; i < out.effort.size(); ++i) {
    const double u = out.effort[i];
    const double lower = in.effectiveness.lower[i];
    const double upper = in.effectiveness.upper[i];
    REQUIRE(std::isfinite(u));
    if (in.health[i].health == Health::kOut) {
      REQUIRE(u == 0);
    } else if (std::isfinite(lower) && std::isfinite(upper) && lower <= upper) {
      REQUIRE(u >= lower && u <= upper);
    }
  }
}

// |Wv (B u + bias - w)|^2 + r |u - preferred|^2 of both answers, in scaled numbers
void check_cost(const Input& in, const Allocation& out) {
  Working working;
  Scaled scaled;
  apply_health(in.effectiveness, in.health.data(), working);
  REQUIRE(working.usable);
  if (!scale_columns(in.settings, working, in.demand.weight, scaled) ||
      !scale_box(working, scaled) || !scale_demand(in.demand.F_Bo_B, scaled))
    return;
  BoxSolution reference;
  solve_reference(scaled.box, 10 * static_cast<int>(working.n) + 20, reference);
  Vec6 ours = scaled.box.b;
  Vec6 theirs = scaled.box.b;
  double ours_r = 0;
  double theirs_r = 0;
  double size = dot(ours, ours);
  for (std::size_t i = 0; i < working.n; ++i) {
    const double x = (out.effort[i] - working.preferred[i]) / scaled.effort_unit;
    ours = ours - x * scaled.box.column[i];
    theirs = theirs - reference.x[i] * scaled.box.column[i];
    ours_r += x * x;
    theirs_r += reference.x[i] * reference.x[i];
    size += dot(scaled.box.column[i], scaled.box.column[i]);
  }
  const double ours_cost = dot(ours, ours) + scaled.box.r * ours_r;
  const double theirs_cost = dot(theirs, theirs) + scaled.box.r * theirs_r;
  REQUIRE(ours_cost <= theirs_cost + 1e-9 * size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Prepared prepared;
  for (int call = 0; call < 3; ++call) {
    const Input in = decode(bytes);
    Allocation out, again, kept;
    allocate(in.settings, in.effectiveness, in.demand, in.health.data(), out);
    check_bounds(in, out);
    allocate(in.settings, in.effectiveness, in.demand, in.health.data(), again);
    REQUIRE(again.effort == out.effort && again.grade == out.grade);
    allocate(prepared, in.settings, in.effectiveness, in.demand, in.health.data(), kept);
    check_bounds(in, kept);
    REQUIRE((kept.grade == AllocationGrade::kRejected) ==
            (out.grade == AllocationGrade::kRejected));
    if (in.effectiveness.n <= kMaxChannels && out.grade != AllocationGrade::kRejected &&
        is_moderate(in)) {
      if (has_levels(in.settings, in.demand)) continue;
      REQUIRE(out.grade != AllocationGrade::kIterationCapped);
      check_cost(in, out);
      check_cost(in, kept);
    }
  }
  return 0;
}
