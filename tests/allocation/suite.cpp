#include "pintle/allocation_suite/suite.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/allocation/levels.h"

namespace pintle::allocation {
namespace {

double chance(RandomStream& random, double low, double high) noexcept {
  return std::pow(10.0, random.uniform(low, high));
}

// a thruster at a random place pushing in a random direction
Vec6 random_thruster(RandomStream& random) noexcept {
  Vec3 f{random.normal(), random.normal(), random.normal()};
  f = f / std::max(norm(f), 1e-3);
  const Vec3 p{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.2, 0.2)};
  return to_vec6(Wrench{f, cross(p, f)});
}

void make_vehicle(Effectiveness& e, std::uint32_t n, RandomStream& random) noexcept {
  e.n = n;
  for (std::size_t i = 0; i < n; ++i) {
    e.column[i] = random_thruster(random);
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
}

// columns on a coarse grid repeat, oppose and vanish: many ties
void make_degenerate(Effectiveness& e, RandomStream& random) noexcept {
  for (std::size_t i = 0; i < e.n; ++i) {
    for (double& x : e.column[i].v) x = static_cast<double>(random.bits() % 3) - 1;
    const auto pick = random.bits() % 8;
    if (i > 0 && pick == 0) e.column[i] = e.column[i - 1];
    if (i > 0 && pick == 1) e.column[i] = -1.0 * e.column[i - 1];
    if (pick == 2) e.column[i] = {};
  }
}

// a normal deviate of few digits: sums of products of such are exact, and so is the rank
double short_normal(RandomStream& random) noexcept {
  return std::round(random.normal() * 256) / 256;
}

void make_deficient(Effectiveness& e, RandomStream& random) noexcept {
  const std::size_t rank = 1 + random.bits() % 5;
  std::array<Vec6, 5> direction;
  for (Vec6& d : direction)
    for (double& x : d.v) x = short_normal(random);
  for (std::size_t i = 0; i < e.n; ++i) {
    e.column[i] = {};
    for (std::size_t k = 0; k < rank; ++k)
      e.column[i] = e.column[i] + short_normal(random) * direction[k];
  }
}

// units that are powers of two: what is dependent stays so to the last bit
void make_scaled_ties(Effectiveness& e, RandomStream& random) noexcept {
  const auto unit = [&random] {
    return std::ldexp(1.0, static_cast<int>(random.bits() % 27) - 13);
  };
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double u = unit();
    for (std::size_t i = 0; i < e.n; ++i) e.column[i][k] *= u;
  }
  const double effort = unit();
  for (std::size_t i = 0; i < e.n; ++i) {
    const double own = effort * std::ldexp(1.0, static_cast<int>(random.bits() % 7) - 3);
    e.lower[i] *= own;
    e.upper[i] *= own;
    e.column[i] = (1 / own) * e.column[i];
  }
}

void make_narrow(Effectiveness& e, RandomStream& random) noexcept {
  for (std::size_t i = 0; i < e.n; ++i) {
    switch (random.bits() % 5) {
      case 0: e.lower[i] = 0; break;
      case 1: e.upper[i] = 0; break;
      case 2: e.lower[i] = -0.3; break;
      case 3: {
        const double middle = random.uniform(-1, 1);
        const double width = chance(random, -12, -1);
        e.lower[i] = middle - width;
        e.upper[i] = middle + width;
        break;
      }
      default: e.lower[i] = 0.2;
    }
    e.preferred[i] = random.bits() % 2 == 0 ? 0 : random.uniform(-0.5, 0.5);
  }
}

void make_scaled(Problem& p, RandomStream& random) noexcept {
  Effectiveness& e = p.effectiveness;
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double unit = chance(random, -4, 4);
    for (std::size_t i = 0; i < e.n; ++i) e.column[i][k] *= unit;
  }
  const double effort = chance(random, -4, 4);
  for (std::size_t i = 0; i < e.n; ++i) {
    const double own = effort * chance(random, -1, 1);
    e.lower[i] *= own;
    e.upper[i] *= own;
    e.column[i] = (1 / own) * e.column[i];
  }
}

// the least efforts for a random demand shrink as channels are added (as 1 / sqrt(n)), and more of
// them saturate at once near the end of the reach: with this power a class saturates about the
// same share of the channels for any n (measured)
constexpr double kCrowd = 0.4;
double crowd(const Effectiveness& e) noexcept {
  return e.n > 8 ? std::pow(static_cast<double>(e.n) / 8, kCrowd) : 1;
}

// what efforts of the given size, or whole ones between the bounds, produce
Vec6 wrench_of_efforts(const Effectiveness& e, double size, bool on_grid,
                       RandomStream& random) noexcept {
  Vec6 w = to_vec6(e.bias);
  // whole on the grid, or its ties would be lost
  const double most = on_grid ? std::round(crowd(e)) : size * crowd(e);
  for (std::size_t i = 0; i < e.n; ++i) {
    double share = random.uniform(-1, 1) * most;
    if (on_grid) share = (static_cast<double>(random.bits() % 3) - 1) * most;
    const double u = (e.lower[i] + e.upper[i]) / 2 + share * (e.upper[i] - e.lower[i]) / 2;
    w = w + u * e.column[i];
  }
  return w;
}

}  // namespace

std::string_view name_of(ProblemClass c) noexcept {
  constexpr std::array<std::string_view, kProblemClasses> names{
      "attainable", "mild",   "heavy",      "degenerate", "deficient", "failed",
      "scaled",     "narrow", "unweighted", "edge",       "layout",    "scaled ties"};
  const auto i = static_cast<std::size_t>(c);
  return i < names.size() ? names[i] : "unknown";
}

Problem make_problem(ProblemClass c, std::uint32_t n, RandomStream& random) noexcept {
  Problem p;
  Effectiveness& e = p.effectiveness;
  make_vehicle(e, std::clamp<std::uint32_t>(n, 1, kMaxChannels), random);
  p.settings.objective.k2 = random.bits() % 2 == 0 ? 0 : chance(random, -8, 0);
  double size = 0.3;
  bool on_grid = false;
  switch (c) {
    case ProblemClass::kAttainable: break;
    case ProblemClass::kMild: size = 1.2; break;
    case ProblemClass::kHeavy: size = random.uniform(2, 12); break;
    case ProblemClass::kDegenerate:
      make_degenerate(e, random);
      on_grid = random.bits() % 2 == 0;
      size = random.uniform(0.2, 4);
      break;
    case ProblemClass::kDeficient:
      make_deficient(e, random);
      size = random.uniform(0.2, 4);
      break;
    case ProblemClass::kFailed:
      for (std::size_t i = 0; i < e.n; ++i)
        if (random.bits() % 3 == 0) e.lower[i] = e.upper[i] = random.bits() % 2 == 0 ? 0 : 0.4;
      size = random.uniform(0.5, 5);
      break;
    case ProblemClass::kScaled:
      make_scaled(p, random);
      size = random.uniform(0.2, 5);
      break;
    case ProblemClass::kNarrow:
      make_narrow(e, random);
      size = random.uniform(0.2, 4);
      break;
    case ProblemClass::kUnweighted:
      for (double& w : p.demand.weight) w = random.bits() % 3 == 0 ? 0 : chance(random, -2, 2);
      size = random.uniform(0.2, 4);
      break;
    case ProblemClass::kEdge: break;
    case ProblemClass::kLayout:
      make_layout(e, random.bits());
      for (std::size_t i = 0; i < e.n; ++i)
        if (random.bits() % 8 == 0) e.lower[i] = e.upper[i] = 0;
      size = chance(random, -0.5, 0.7);
      break;
    case ProblemClass::kScaledTies:
      if (random.bits() % 2 == 0)
        make_degenerate(e, random);
      else
        make_deficient(e, random);
      make_scaled_ties(e, random);
      size = random.uniform(0.2, 4);
      break;
  }
  Vec6 w = wrench_of_efforts(e, size, on_grid, random);
  // half of the rank-deficient ones ask for what no effort gives
  if (c == ProblemClass::kDeficient && random.bits() % 2 == 0)
    for (double& x : w.v) x += random.normal();
  p.demand.F_Bo_B = to_wrench(w);
  if (c == ProblemClass::kEdge)
    p.demand.F_Bo_B = attainable_scale(e, p.demand, nullptr) * p.demand.F_Bo_B;
  set_trade(p, p.settings.objective.k2);
  return p;
}

void set_trade(Problem& p, double share) noexcept {
  const Effectiveness& e = p.effectiveness;
  double gain = 0;
  for (std::size_t i = 0; i < e.n; ++i)
    for (std::size_t k = 0; k < kAxes; ++k)
      gain = std::max(gain, std::abs(p.demand.weight[k] * e.column[i][k]));
  p.settings.objective.k2 = gain > 0 ? share * (gain * gain) : share;
}

}  // namespace pintle::allocation
