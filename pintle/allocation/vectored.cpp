#include "pintle/allocation/vectored.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pintle/base/rotation.h"

namespace pintle::allocation {
namespace {

Vec3 turned(Vec3 axis, double angle, Vec3 v) noexcept {
  // Rodrigues: exact for any angle
  const double c = std::cos(angle), s = std::sin(angle);
  return c * v + s * cross(axis, v) + (1 - c) * dot(axis, v) * axis;
}

/// Direction of the thrust and its derivatives by the angles.
struct Direction {
  Vec3 d;
  std::array<Vec3, 2> by_angle{};
};

Direction direction_of(const VectoredEngine& e, const std::array<double, 2>& angle) noexcept {
  Direction out;
  const Vec3 inner = e.angles > 1 ? turned(e.axis[1], angle[1], e.thrust_unit) : e.thrust_unit;
  out.d = e.angles > 0 ? turned(e.axis[0], angle[0], inner) : inner;
  if (e.angles > 0) out.by_angle[0] = cross(e.axis[0], out.d);
  if (e.angles > 1) out.by_angle[1] = turned(e.axis[0], angle[0], cross(e.axis[1], inner));
  return out;
}

Vec6 wrench_of(Vec3 p, Vec3 force) noexcept { return to_vec6(Wrench{force, cross(p, force)}); }

bool goes_round(const VectoredEngine& e, std::size_t j) noexcept { return e.range_rad[j] >= kPi; }

struct Craft {
  const Effectiveness& fixed;
  std::span<const VectoredEngine> engines;
};

void evaluate(const void* context, std::span<const double> x, Vec6& wrench,
              std::span<Vec6> column) noexcept {
  const Craft& craft = *static_cast<const Craft*>(context);
  wrench = to_vec6(craft.fixed.bias);
  std::size_t i = 0;
  for (; i < craft.fixed.n; ++i) {
    column[i] = craft.fixed.column[i];
    wrench = wrench + x[i] * column[i];
  }
  for (const VectoredEngine& e : craft.engines) {
    const double thrust = e.efficiency * x[i];
    std::array<double, 2> angle{};
    for (std::size_t j = 0; j < e.angles; ++j) angle[j] = x[i + 1 + j];
    const Direction direction = direction_of(e, angle);
    wrench = wrench + wrench_of(e.p_BoT_B, thrust * direction.d);
    column[i] = wrench_of(e.p_BoT_B, e.efficiency * direction.d);
    for (std::size_t j = 0; j < e.angles; ++j)
      column[i + 1 + j] = wrench_of(e.p_BoT_B, thrust * direction.by_angle[j]);
    i += 1 + e.angles;
  }
}

void into_cone(const VectoredEngine& e, double& a, double& b) noexcept {
  const double deflection = std::hypot(a, b);
  if (!(e.cone_rad > 0) || !(deflection > e.cone_rad)) return;
  a *= e.cone_rad / deflection;
  b *= e.cone_rad / deflection;
}

void confine(const void* context, std::span<double> x) noexcept {
  const Craft& craft = *static_cast<const Craft*>(context);
  std::size_t i = craft.fixed.n;
  for (const VectoredEngine& e : craft.engines) {
    if (e.angles > 1) into_cone(e, x[i + 1], x[i + 2]);
    i += 1 + e.angles;
  }
}

/// Where the force would like to go, by one linear allocation in which it is free in direction.
/// Component axes of each engine: along the present thrust, then along its turns.
struct Wish {
  Effectiveness linear;
  Allocation answer;
  std::array<std::array<Vec3, 3>, kMaxEngines> along;
};

void wish(const Settings& settings, const Craft& craft, std::span<const VectoredState> now,
          double period_s, const WrenchDemand& demand, Wish& out) noexcept {
  out.linear = craft.fixed;
  std::size_t i = craft.fixed.n;
  for (std::size_t k = 0; k < craft.engines.size(); ++k) {
    const VectoredEngine& e = craft.engines[k];
    const Direction direction = direction_of(e, now[k].angle_rad);
    for (std::size_t j = 0; j <= e.angles; ++j) {
      const Vec3 along = j == 0 ? direction.d : direction.by_angle[j - 1];
      out.along[k][j] = along;
      out.linear.column[i] = wrench_of(e.p_BoT_B, e.efficiency * along);
      out.linear.preferred[i] = 0;
      if (j == 0) {
        // all round, the force may end up on either side of where it points now
        const bool around = e.angles > 0 && goes_round(e, 0);
        out.linear.lower[i] = around ? -e.max_thrust_N : std::min(e.min_thrust_N, e.max_thrust_N);
        out.linear.upper[i] = e.max_thrust_N;
      } else {
        const double turn =
            goes_round(e, j - 1)
                ? kPi / 2
                : std::min({2 * e.range_rad[j - 1], e.angle_rate_rad_s * period_s, kPi / 2});
        const double most = std::max(std::abs(e.min_thrust_N), std::abs(e.max_thrust_N));
        out.linear.upper[i] = most * std::sin(turn);
        out.linear.lower[i] = -out.linear.upper[i];
      }
      ++i;
    }
  }
  out.linear.n = static_cast<std::uint32_t>(i);
  allocate(settings, out.linear, demand, nullptr, out.answer);
}

/// Angles that turn the thrust nearest to `force`, from the present ones: Gauss and Newton on the
/// sphere, a few steps; the bounds come later.
std::array<double, 2> angles_towards(const VectoredEngine& e, Vec3 force,
                                     std::array<double, 2> angle) noexcept {
  const double size = norm(force);
  if (!(size > 0)) return angle;
  const Vec3 wanted = force / size;
  if (e.angles == 1) {
    // in the plane of the turn: exact
    const Vec3 flat = e.thrust_unit - dot(e.axis[0], e.thrust_unit) * e.axis[0];
    const double c = dot(wanted, flat), s = dot(wanted, cross(e.axis[0], flat));
    if (c == 0 && s == 0) return angle;
    angle[0] += wrap_angle(std::atan2(s, c) - angle[0]);
    return angle;
  }
  for (int step = 0; step < 8; ++step) {
    const Direction now = direction_of(e, angle);
    const Vec3 error = wanted - now.d;
    const Vec3 a = now.by_angle[0], b = now.by_angle[1];
    const double aa = dot(a, a) + 1e-12, ab = dot(a, b), bb = dot(b, b) + 1e-12;
    const double ea = dot(a, error), eb = dot(b, error);
    const double determinant = aa * bb - ab * ab;
    angle[0] += std::clamp((bb * ea - ab * eb) / determinant, -0.5, 0.5);
    angle[1] += std::clamp((aa * eb - ab * ea) / determinant, -0.5, 0.5);
  }
  return angle;
}

/// Box of one engine's channels: what thrust and angles reach in one period.
void fill_engine(const VectoredEngine& e, const VectoredState& now, double period_s, std::size_t i,
                 NonlinearProblem& p) noexcept {
  const double most = std::max(std::abs(e.min_thrust_N), std::abs(e.max_thrust_N));
  const double thrust = std::clamp(now.thrust_N, e.min_thrust_N, e.max_thrust_N);
  p.lower[i] = std::max(e.min_thrust_N, thrust - e.thrust_rate_N_s * period_s);
  p.upper[i] = std::min(e.max_thrust_N, thrust + e.thrust_rate_N_s * period_s);
  p.unit[i] = 1;
  p.start[i] = thrust;
  const double reach = std::min(e.angle_rate_rad_s * period_s, kPi);
  for (std::size_t j = 0; j < e.angles; ++j) {
    const bool round = goes_round(e, j);
    const double range = e.range_rad[j];
    const double angle = round ? now.angle_rad[j] : std::clamp(now.angle_rad[j], -range, range);
    p.lower[i + 1 + j] = round ? angle - reach : std::max(-range, angle - reach);
    p.upper[i + 1 + j] = round ? angle + reach : std::min(range, angle + reach);
    p.unit[i + 1 + j] = most > 0 ? most : 1;
    p.start[i + 1 + j] = angle;
  }
}

bool is_usable(const VectoredEngine& e) noexcept {
  return is_finite(e.p_BoT_B) && is_finite(e.thrust_unit) && is_finite(e.axis[0]) &&
         is_finite(e.axis[1]) && e.angles <= 2 && std::isfinite(e.min_thrust_N) &&
         std::isfinite(e.max_thrust_N) && e.min_thrust_N <= e.max_thrust_N &&
         e.thrust_rate_N_s >= 0 && e.angle_rate_rad_s >= 0 && e.range_rad[0] >= 0 &&
         e.range_rad[1] >= 0 && e.cone_rad >= 0 && std::isfinite(e.efficiency);
}

bool is_usable(const Effectiveness& fixed, std::span<const VectoredEngine> engines,
               std::span<const VectoredState> now, double period_s) noexcept {
  if (!(period_s >= 0) || engines.size() != now.size() || engines.size() > kMaxEngines)
    return false;
  std::size_t n = fixed.n;
  for (std::size_t k = 0; k < engines.size(); ++k) {
    if (!is_usable(engines[k]) || !std::isfinite(now[k].thrust_N) ||
        !std::isfinite(now[k].angle_rad[0]) || !std::isfinite(now[k].angle_rad[1]))
      return false;
    n += 1U + engines[k].angles;
  }
  return n <= kMaxChannels;
}

VectoredState inside(const VectoredEngine& e, VectoredState state) noexcept {
  state.thrust_N = safe_effort_near(std::isfinite(state.thrust_N) ? state.thrust_N : 0,
                                    e.min_thrust_N, e.max_thrust_N);
  for (std::size_t j = 0; j < 2; ++j) {
    const double range = e.range_rad[j];
    if (!std::isfinite(state.angle_rad[j])) state.angle_rad[j] = 0;
    if (!goes_round(e, j)) state.angle_rad[j] = safe_effort_near(state.angle_rad[j], -range, range);
  }
  into_cone(e, state.angle_rad[0], state.angle_rad[1]);
  return state;
}

void reject(const Effectiveness& fixed, std::span<const VectoredEngine> engines,
            std::span<const VectoredState> now, const WrenchDemand& demand,
            VectoredAllocation& out) noexcept {
  out = {};
  Vec6 achieved = to_vec6(fixed.bias);
  const std::size_t linear = std::min<std::size_t>(fixed.n, kMaxChannels);
  for (std::size_t i = 0; i < linear; ++i) {
    const double effort = safe_effort_near(0, fixed.lower[i], fixed.upper[i]);
    (void)out.allocation.effort.push_back(effort);
    achieved = achieved + effort * fixed.column[i];
  }
  const std::size_t count = std::min({engines.size(), now.size(), kMaxEngines});
  for (std::size_t k = 0; k < count; ++k) {
    const VectoredState state = inside(engines[k], now[k]);
    (void)out.engine.push_back(state);
    (void)out.allocation.effort.push_back(state.thrust_N);
    for (std::size_t j = 0; j < std::min<std::size_t>(engines[k].angles, 2); ++j)
      (void)out.allocation.effort.push_back(state.angle_rad[j]);
    achieved = achieved + wrench_of(engines[k].p_BoT_B, force_of(engines[k], state));
  }
  out.allocation.achieved = to_wrench(achieved);
  out.allocation.residual = demand.F_Bo_B - out.allocation.achieved;
  out.allocation.reachable = 0;
  out.allocation.grade = AllocationGrade::kRejected;
}

/// Lexicographic over the groups by the demand's own weights: is a's residual the smaller one?
bool is_better(const WrenchDemand& demand, const Allocation& a, const Allocation& b) noexcept {
  if ((a.grade == AllocationGrade::kExact) != (b.grade == AllocationGrade::kExact))
    return a.grade == AllocationGrade::kExact;
  const Vec6 ra = to_vec6(a.residual), rb = to_vec6(b.residual);
  std::array<double, 256> difference{};
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double w = demand.weight[k] * demand.weight[k];
    difference[demand.group[k]] += w * (ra[k] * ra[k] - rb[k] * rb[k]);
  }
  for (const double d : difference)
    if (d != 0) return d < 0;
  return false;
}

void fill_problem(const Craft& craft, std::span<const VectoredState> now, double period_s,
                  NonlinearProblem& p) noexcept {
  p.model = {&craft, evaluate, confine};
  std::size_t i = 0;
  for (; i < craft.fixed.n; ++i) {
    p.lower[i] = craft.fixed.lower[i];
    p.upper[i] = craft.fixed.upper[i];
    p.preferred[i] = p.start[i] = craft.fixed.preferred[i];
    p.unit[i] = 1;
  }
  for (std::size_t k = 0; k < craft.engines.size(); ++k) {
    fill_engine(craft.engines[k], now[k], period_s, i, p);
    i += 1U + craft.engines[k].angles;
  }
  p.n = static_cast<std::uint32_t>(i);
}

/// Begins where the wish points, as far as one period reaches; prefers those angles and little
/// thrust. Does nothing when there is no wish.
void start_from_wish(const Settings& settings, const Craft& craft,
                     std::span<const VectoredState> now, double period_s,
                     const WrenchDemand& demand, NonlinearProblem& p) noexcept {
  Wish wanted;
  wish(settings, craft, now, period_s, demand, wanted);
  if (wanted.answer.grade == AllocationGrade::kRejected) return;
  std::size_t i = 0;
  for (; i < craft.fixed.n; ++i) p.start[i] = wanted.answer.effort[i];
  for (std::size_t k = 0; k < craft.engines.size(); ++k) {
    const VectoredEngine& e = craft.engines[k];
    Vec3 force;
    for (std::size_t j = 0; j <= e.angles; ++j)
      force += wanted.answer.effort[i + j] * wanted.along[k][j];
    const std::array<double, 2> angle = angles_towards(e, force, now[k].angle_rad);
    p.start[i] = norm(force);
    p.preferred[i] = std::clamp(0.0, p.lower[i], p.upper[i]);
    for (std::size_t j = i + 1; j <= i + e.angles; ++j)
      p.start[j] = p.preferred[j] = std::clamp(angle[j - i - 1], p.lower[j], p.upper[j]);
    i += 1U + e.angles;
  }
}

void read_engines(const Craft& craft, VectoredAllocation& out) noexcept {
  out.engine.clear();
  std::size_t i = craft.fixed.n;
  for (const VectoredEngine& e : craft.engines) {
    VectoredState state;
    state.thrust_N = out.allocation.effort[i];
    for (std::size_t j = 0; j < e.angles; ++j) {
      const double angle = out.allocation.effort[i + 1 + j];
      state.angle_rad[j] = goes_round(e, j) ? wrap_angle(angle) : angle;
    }
    (void)out.engine.push_back(state);
    i += 1U + e.angles;
  }
}

}  // namespace

Findings check(const VectoredEngine& e) {
  Findings out;
  const auto want = [&out](bool good, std::string path, std::string message, std::string fix) {
    if (!good) out.push_back({std::move(path), std::move(message), std::move(fix), true});
  };
  want(std::abs(norm(e.thrust_unit) - 1) < 1e-6, "thrust_unit", "expected length 1",
       "divide it by its length");
  for (std::size_t j = 0; j < std::min<std::size_t>(e.angles, 2); ++j) {
    const std::string index = "[" + std::to_string(j) + "]";
    want(std::abs(norm(e.axis[j]) - 1) < 1e-6, "axis" + index, "expected length 1",
         "divide it by its length");
    want(e.range_rad[j] >= 0, "range_rad" + index, "expected 0 or more", "turn the sign");
  }
  want(e.angles <= 2, "angles", "expected 0, 1 or 2", "write 2 for a gimbal, 1 for an azimuth");
  want(e.min_thrust_N <= e.max_thrust_N, "max_thrust_N", "expected at least min_thrust_N",
       "exchange the two");
  want(e.thrust_rate_N_s >= 0, "thrust_rate_N_s", "expected 0 or more", "turn the sign");
  want(e.angle_rate_rad_s >= 0, "angle_rate_rad_s", "expected 0 or more", "turn the sign");
  want(e.cone_rad >= 0, "cone_rad", "expected 0 or more", "write 0 for no cone");
  want(std::isfinite(e.efficiency), "efficiency", "expected a number", "write 1");
  return out;
}

Vec3 force_of(const VectoredEngine& engine, const VectoredState& state) noexcept {
  return engine.efficiency * state.thrust_N * direction_of(engine, state.angle_rad).d;
}

void allocate_vectored(const Settings& settings, const Effectiveness& fixed,
                       std::span<const VectoredEngine> engines, std::span<const VectoredState> now,
                       double period_s, const WrenchDemand& demand,
                       VectoredAllocation& out) noexcept {
  if (!is_usable(fixed, engines, now, period_s)) {
    reject(fixed, engines, now, demand, out);
    return;
  }
  const Craft craft{fixed, engines};
  NonlinearProblem problem;
  fill_problem(craft, now, period_s, problem);
  const std::array<double, kMaxChannels> present = problem.start;
  start_from_wish(settings, craft, now, period_s, demand, problem);

  allocate_nonlinear(settings, problem, demand, out.allocation);
  if (out.allocation.grade == AllocationGrade::kRejected) {
    reject(fixed, engines, now, demand, out);
    return;
  }
  if (out.allocation.grade != AllocationGrade::kExact) {
    problem.start = present;
    Allocation other;
    allocate_nonlinear(settings, problem, demand, other);
    if (is_better(demand, other, out.allocation)) out.allocation = other;
  }
  read_engines(craft, out);
}

}  // namespace pintle::allocation
