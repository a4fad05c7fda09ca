// What must hold for every allocation whatever comes in, and for sound problems of moderate
// numbers against a second solver. Each check names the law that failed, or nothing.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/levels.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/rejection.h"
#include "pintle/allocation_suite/last_digits.h"
#include "pintle/allocation_suite/lexicographic.h"
#include "pintle/allocation_suite/reference.h"

namespace pintle::allocation::fuzz {

struct Input {
  Settings settings;
  Effectiveness effectiveness;
  WrenchDemand demand;
  std::array<PropulsorHealth, kMaxChannels> health{};
};

/// How far answers were from what they are compared with, as parts of max(span, |lower|, |upper|).
struct Worst {
  double cost = 0;     ///< Cost above the reference solver's, over what enters it.
  double free = 0;     ///< Gradient along a channel that no bound holds, over what enters it.
  double held = 0;     ///< Gradient of a held one to the wrong side.
  double refined = 0;  ///< From the answer in double-double.
  double kept = 0;     ///< Between an answer with and without what earlier calls left.
  double groups = 0;   ///< A condition of a demand in groups, over what enters it.
};

inline bool is_moderate(double x) { return x == 0 || (std::abs(x) > 1e-3 && std::abs(x) < 1e3); }

inline bool is_moderate(const Input& in) {
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

/// Efforts finite and in sound bounds, the cap kept.
inline const char* check_bounds(const Input& in, const Allocation& out) {
  const auto n = std::min<std::size_t>(in.effectiveness.n, kMaxChannels);
  if (out.effort.size() != n) return "as many efforts as channels";
  // groups and kept directions take several solves
  if (!has_levels(in.settings, in.demand) && out.iterations > 10 * n + 20)
    return "the cap of iterations";
  for (std::size_t i = 0; i < n; ++i) {
    const double u = out.effort[i];
    const double lower = in.effectiveness.lower[i];
    const double upper = in.effectiveness.upper[i];
    if (!std::isfinite(u)) return "finite efforts";
    if (in.health[i].health == Health::kOut) {
      if (u != 0) return "no effort for a propulsor that is out";
    } else if (std::isfinite(lower) && std::isfinite(upper) && lower <= upper) {
      if (!(u >= lower && u <= upper)) return "efforts inside their bounds";
    }
  }
  return nullptr;
}

/// The problem in scaled numbers, with what to compare against.
struct Compared {
  Working working;
  Scaled scaled;
  std::array<double, kMaxChannels> x{};
  Vec6 residual;

  bool take(const Input& in, const Allocation& out) {
    apply_health(in.effectiveness, in.health.data(), working);
    (void)take_in_weights(in.effectiveness, working);
    if (!working.usable ||
        !kernels().scale_columns(in.settings.objective.r(), working, in.demand.weight, scaled) ||
        !kernels().scale_box(working, scaled) || !kernels().scale_demand(in.demand.F_Bo_B, scaled))
      return false;
    residual = scaled.box.b;
    for (std::size_t i = 0; i < working.n; ++i) {
      x[i] = (in.effectiveness.effort_weight[i] * out.effort[i] - working.preferred[i]) /
             scaled.effort_unit;
      residual = residual - x[i] * scaled.box.column[i];
    }
    return true;
  }
};

/// The certificate, made anew from the efforts: at an optimum the gradient of the cost vanishes
/// for each channel inside its bounds and points outwards for each that a bound holds. For r = 0
/// this is the part that says that the wrench is the nearest.
inline const char* check_certificate(const Compared& c, const Allocation& out, Worst& worst) {
  const BoxProblem& p = c.scaled.box;
  Vec6 size;
  for (std::size_t k = 0; k < kAxes; ++k) {
    size[k] = std::abs(p.b[k]);
    for (std::size_t i = 0; i < p.n; ++i)
      size[k] += std::abs(p.column[i][k]) * std::max(std::abs(p.lower[i]), std::abs(p.upper[i]));
  }
  for (std::size_t i = 0; i < p.n; ++i) {
    if (!(p.lower[i] < p.upper[i])) continue;
    double through = p.r;
    for (std::size_t k = 0; k < kAxes; ++k) through += std::abs(p.column[i][k]) * size[k];
    if (through == 0) continue;
    // what more effort gains
    const double gain = (dot(p.column[i], c.residual) - p.r * c.x[i]) / through;
    const bool low = (out.at_lower >> i & 1) != 0;
    const bool high = (out.at_upper >> i & 1) != 0;
    if (!low && !high) worst.free = std::max(worst.free, std::abs(gain));
    if (low && !high) worst.held = std::max(worst.held, gain);
    if (high && !low) worst.held = std::max(worst.held, -gain);
  }
  return worst.free <= 1e-6 && worst.held <= 1e-6 ? nullptr : "a valid certificate";
}

/// That no group can have more without one before it having less, nor all of it with less effort:
/// by multipliers, without a weight (lexicographic.h).
inline const char* check_groups(const Compared& c, const Input& in, const Allocation& out,
                                Worst& worst) {
  using testing::Real;
  const BoxProblem& p = c.scaled.box;
  testing::Dense d;
  std::vector<Real> x;
  testing::Stand stand;
  for (std::size_t k = 0; k < kAxes; ++k) d.b[k] = p.b[k];
  for (std::size_t i = 0; i < p.n; ++i) {
    testing::Column column;
    for (std::size_t k = 0; k < kAxes; ++k) column[k] = p.column[i][k];
    d.a.push_back(column);
    d.lower.push_back(p.lower[i]);
    d.upper.push_back(p.upper[i]);
    x.push_back(c.x[i]);
    const bool low = (out.at_lower >> i & 1) != 0, high = (out.at_upper >> i & 1) != 0;
    stand.push_back(!(p.lower[i] < p.upper[i]) ? 3 : low ? 1 : high ? 2 : 0);
  }
  d.r = p.r;
  testing::Lexicographic conditions(d, in.demand, x, stand);
  worst.groups = static_cast<double>(conditions.of_wrench());
  if (p.r == 0) worst.groups = std::max(worst.groups, static_cast<double>(conditions.of_effort()));
  return worst.groups <= 1e-6 ? nullptr : "no group better served, none with less effort";
}

/// |Wv (B u + bias - w)|^2 + r |u - preferred|^2 against the reference solver's.
inline const char* check_cost(const Compared& c, Worst& worst) {
  const BoxProblem& p = c.scaled.box;
  BoxSolution reference;
  solve_reference(p, 10 * static_cast<int>(p.n) + 20, reference);
  Vec6 theirs = p.b;
  double ours_r = 0;
  double theirs_r = 0;
  double size = dot(p.b, p.b) + p.r;
  for (std::size_t i = 0; i < p.n; ++i) {
    theirs = theirs - reference.x[i] * p.column[i];
    ours_r += c.x[i] * c.x[i];
    theirs_r += reference.x[i] * reference.x[i];
    size += dot(p.column[i], p.column[i]);
  }
  const double more = dot(c.residual, c.residual) - dot(theirs, theirs) + p.r * (ours_r - theirs_r);
  if (size > 0) worst.cost = std::max(worst.cost, more / size);
  return worst.cost <= 1e-9 ? nullptr : "a cost no higher than the second solver's";
}

inline double size_of(const Effectiveness& e) {
  double size = 1e-300;
  for (std::size_t i = 0; i < e.n; ++i)
    size = std::max(
        {size, std::abs(e.lower[i]), std::abs(e.upper[i]), std::abs(e.upper[i] - e.lower[i])});
  return size;
}

inline double apart(const ChannelVector& a, const ChannelVector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Of the largest bound, and times what the last digits of the problem move the optimum by.
inline constexpr double kKeptApart = 1e-12, kLastDigits = 32;
/// Further no last digits excuse: an answer that comes and goes with them is lost, not moved.
inline constexpr double kMostMoved = 1e-3;

/// In 34 digits groups take as long as all else together would in sixteen.
inline bool is_one_of_sixteen(const WrenchDemand& demand) {
  std::uint64_t bits = 0;
  for (double w : to_vec6(demand.F_Bo_B).v)
    bits = (bits ^ std::bit_cast<std::uint64_t>(w)) * 0x9E37'79B9'7F4A'7C15;
  return bits >> 60 == 0;
}

/// Everything about one input; `prepared` comes from whatever was before. `sound`: a problem whose
/// answer rounding of its data leaves in place.
inline const char* check_all(const Input& in, Prepared& prepared, bool sound, Worst& worst,
                             Allocation& out) {
  Allocation again, kept;
  allocate(in.settings, in.effectiveness, in.demand, in.health.data(), out);
  if (const char* law = check_bounds(in, out)) return law;
  allocate(in.settings, in.effectiveness, in.demand, in.health.data(), again);
  if (!(again.effort == out.effort && again.grade == out.grade)) return "the same answer twice";
  allocate(prepared, in.settings, in.effectiveness, in.demand, in.health.data(), kept);
  if (const char* law = check_bounds(in, kept)) return law;
  const bool rejected = out.grade == AllocationGrade::kRejected;
  if ((kept.grade == AllocationGrade::kRejected) != rejected) return "one verdict, cold or kept";
  const Rejection why = why_rejected(in.settings, in.effectiveness, in.demand, in.health.data());
  if ((why.reason != RejectionReason::kNone) != rejected) return "a reason for each refusal";
  if (rejected || !sound) return nullptr;

  if (out.grade == AllocationGrade::kIterationCapped)
    // a direction that is not there at all: planes come nearer to nothing, one after the other
    return in.settings.objective.preserve_direction ? nullptr : "an answer before the cap";
  Compared c;
  const bool levels = has_levels(in.settings, in.demand);
  for (const Allocation* answer : {&out, &kept}) {
    if (!c.take(in, *answer)) return "numbers that scale";
    // where to a kept direction is cut off, its own tests say
    if (in.settings.objective.preserve_direction) continue;
    const char* law = nullptr;
    if (!levels) law = check_certificate(c, *answer, worst);
    if (!levels && law == nullptr) law = check_cost(c, worst);
    if (levels && is_one_of_sixteen(in.demand)) law = check_groups(c, in, *answer, worst);
    if (law != nullptr) return law;
  }
  const double size = size_of(in.effectiveness);
  // or what the problem itself says no better: efforts that its last digits move as far
  const auto within = [&](double apart_by, double limit) {
    return apart_by <= limit ||
           (apart_by <= kMostMoved &&
            apart_by <= kLastDigits / size *
                            testing::moved_by_last_digits(in.settings, in.effectiveness, in.demand,
                                                          in.health.data()));
  };
  worst.kept = std::max(worst.kept, apart(out.effort, kept.effort) / size);
  if (!within(worst.kept, kKeptApart))
    return "one answer within 1e-12 or some last digits, cold or kept";
  Input refined = in;
  refined.settings.objective.refine = true;
  Allocation exact;
  allocate(refined.settings, in.effectiveness, in.demand, in.health.data(), exact);
  if (const char* law = check_bounds(in, exact)) return law;
  worst.refined = std::max(worst.refined, apart(out.effort, exact.effort) / size);
  return within(worst.refined, 1e-6) ? nullptr : "1e-6 of the optimum or some last digits";
}

}  // namespace pintle::allocation::fuzz
