#include "pintle/allocation/internal/held_decisions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/small_solver.h"

namespace pintle::allocation {
namespace {

constexpr std::size_t kS = kConeAxes - 1;  // the scale beside the demand

// a score this near to another everywhere is told from it by rounding
constexpr double kSameScore = 1e-9;

Form constant(double x) {
  Form f{};
  f[kS] = x;
  return f;
}

}  // namespace

/// Free columns as an orthonormal basis of what they span.
struct HeldDecisions::Basis {
  std::vector<Vec6> q;
  bool clear = true;  ///< No column is nearly in the span of the others.

  [[nodiscard]] Vec6 outside(Vec6 v) const {
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec6& s : q) v = v - dot(s, v) * s;
    return v;
  }
};

/// Of one set: (R R' + r I)^-1 in the basis of its free columns.
struct HeldDecisions::System {
  Basis basis;
  std::vector<std::vector<double>> inverse;

  [[nodiscard]] double outside_and(const Vec6& a, double r) const {
    const Vec6 left = basis.outside(a);
    double sum = dot(left, left) + r;
    for (std::size_t s = 0; s < basis.q.size(); ++s)
      for (std::size_t t = 0; t < basis.q.size(); ++t)
        sum += r * dot(basis.q[s], a) * inverse[s][t] * dot(basis.q[t], a);
    return sum;
  }
};

HeldDecisions::HeldDecisions(const BoxProblem& problem, double same_plane)
    : planes(same_plane), p_(problem) {
  double largest = 0;
  for (std::size_t i = 0; i < p_.n; ++i) {
    if (!(p_.lower[i] < p_.upper[i])) fixed_ |= 1U << i;
    const double most = std::max(std::abs(p_.lower[i]), std::abs(p_.upper[i]));
    for (std::size_t k = 0; k < kAxes; ++k) reach_[k] += std::abs(p_.column[i][k]) * most;
    largest = std::max(largest, dot(p_.column[i], p_.column[i]));
  }
  for (std::size_t k = 0; k < kAxes; ++k)
    if (reach_[k] == 0) empty_ |= 1U << k;
  trade_ = p_.r + kTableauTrade * largest;
}

bool HeldDecisions::has_room(unsigned free) const {
  return std::popcount(free) + std::popcount(empty_) >= static_cast<int>(kAxes);
}

HeldDecisions::Basis HeldDecisions::basis_of(unsigned free) const {
  Basis basis;
  // the longest of what is left goes first
  for (unsigned bits = free; bits != 0;) {
    unsigned best = 0;
    double most = -1, of = 0;
    Vec6 longest_left;
    for (unsigned b = bits; b != 0; b &= b - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(b));
      const Vec6 left = basis.outside(p_.column[i]);
      if (dot(left, left) <= most) continue;
      most = dot(left, left);
      of = dot(p_.column[i], p_.column[i]);
      best = i;
      longest_left = left;
    }
    bits &= ~(1U << best);
    if (!(most > kDependent * kDependent * of) || basis.q.size() == kAxes) break;
    if (!(most > kIndependent * kIndependent * of)) basis.clear = false;
    basis.q.push_back((1 / std::sqrt(most)) * longest_left);
  }
  return basis;
}

HeldDecisions::System HeldDecisions::system_of(unsigned free, double r) const {
  System system{basis_of(free), {}};
  const std::size_t m = system.basis.q.size();
  std::vector<std::vector<double>> g(m, std::vector<double>(2 * m));
  for (std::size_t s = 0; s < m; ++s) {
    for (std::size_t t = 0; t < m; ++t)
      for (unsigned b = free; b != 0; b &= b - 1) {
        const Vec6& a = p_.column[static_cast<std::size_t>(std::countr_zero(b))];
        g[s][t] += dot(system.basis.q[s], a) * dot(system.basis.q[t], a);
      }
    g[s][s] += r;
    g[s][m + s] = 1;
  }
  // Gauss and Jordan: positive definite, so the diagonal will do
  for (std::size_t s = 0; s < m; ++s) {
    const double inverse = 1 / g[s][s];
    for (double& x : g[s]) x *= inverse;
    for (std::size_t t = 0; t < m; ++t) {
      if (t == s) continue;
      const double part = g[t][s];
      for (std::size_t c = 0; c < 2 * m; ++c) g[t][c] -= part * g[s][c];
    }
  }
  for (const auto& row : g)
    system.inverse.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(m), row.end());
  return system;
}

Decisions& HeldDecisions::of(unsigned free, unsigned up, bool traded) {
  up &= ~(free | fixed_);
  auto& slot = known_[(free << 8 | up) << 1 | static_cast<unsigned>(traded)];
  if (!slot) slot = std::make_unique<Decisions>(make(free, up, traded));
  return *slot;
}

Plane HeldDecisions::keener(Decisions& d, unsigned one, unsigned other) {
  constexpr Plane kNotAsked = std::numeric_limits<Plane>::min();
  if (d.keener.empty()) d.keener.resize(kBreaches * kBreaches, kNotAsked);
  Plane& plane = d.keener[one * kBreaches + other];
  if (plane != kNotAsked) return plane;
  const auto off = [&](unsigned breach) {
    return d.score[breach / 2] * (breach % 2 != 0 ? d.over : d.under)[breach / 2];
  };
  const Form mine = off(one), more = mine - off(other);
  plane = magnitude_of(more) <= kSameScore * magnitude_of(mine) ? 0 : planes.of(more);
  return plane;
}

Decisions HeldDecisions::make(unsigned free, unsigned up, bool traded) {
  Decisions d{};
  const double r = traded ? trade_ : p_.r;
  const System system = system_of(free, r);
  const auto& q = system.basis.q;
  d.clear = system.basis.clear;
  d.spans = has_room(free) && q.size() + static_cast<std::size_t>(std::popcount(empty_)) >= kAxes;
  // c: what the held channels leave of the demand
  std::array<Form, kAxes> c{};
  for (std::size_t k = 0; k < kAxes; ++k) {
    c[k][k] = reach_[k];
    for (std::size_t i = 0; i < p_.n; ++i)
      if ((free >> i & 1) == 0) c[k][kS] -= bound(i, up) * p_.column[i][k];
  }
  std::vector<Form> y(q.size());
  for (std::size_t s = 0; s < q.size(); ++s)
    for (std::size_t k = 0; k < kAxes; ++k) y[s] = y[s] + q[s][k] * c[k];
  std::array<Form, kAxes> l{};
  for (std::size_t s = 0; s < q.size(); ++s) {
    Form mu{};
    for (std::size_t t = 0; t < q.size(); ++t) mu = mu + system.inverse[s][t] * y[t];
    for (std::size_t k = 0; k < kAxes; ++k) l[k] = l[k] + q[s][k] * mu;
  }
  for (std::size_t i = 0; i < p_.n; ++i) {
    if ((fixed_ >> i & 1) != 0) continue;
    const Vec6& a = p_.column[i];
    Form effort{};
    for (std::size_t k = 0; k < kAxes; ++k) effort = effort + a[k] * l[k];
    if ((free >> i & 1) != 0) {
      d.over[i] = effort - constant(p_.upper[i]);
      d.under[i] = constant(p_.lower[i]) - effort;
      if (traded) d.score[i] = std::sqrt(system_of(free & ~(1U << i), r).outside_and(a, r));
    } else {
      // a_i'(b - A x) - r x_i; of r next to nothing what is missing of the demand goes first
      Form gain = effort - constant(bound(i, up));
      const Vec6 outside = system.basis.outside(a);
      const bool in_span = dot(outside, outside) <= kDependent * kDependent * dot(a, a);
      if (traded || !in_span) gain = r * gain;
      if (!in_span)
        for (std::size_t k = 0; k < kAxes; ++k) gain = gain + outside[k] * c[k];
      d.over[i] = d.under[i] = (up >> i & 1) != 0 ? -1.0 * gain : gain;
      if (traded) d.score[i] = 1 / std::sqrt(system.outside_and(a, r));
    }
    d.is_over[i] = planes.of(d.over[i]);
    d.is_under[i] = planes.of(d.under[i]);
    if (traded) d.is_high[i] = planes.of(d.over[i] - d.under[i]);
  }
  return d;
}

}  // namespace pintle::allocation
