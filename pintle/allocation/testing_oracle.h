/// For tests: optima found and checked in extended precision, by ways the solver does not use.
///
/// `enumerate` tries every set of held bounds (3^n) and returns the point that satisfies the
/// optimality conditions; they have one solution. `check_optimal` measures how well a point does.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pintle/base/signals.h"

namespace pintle::allocation::testing {

using Real = long double;
using Column = std::array<Real, kAxes>;

/// The scaled and shifted problem: min |A x - b|^2 + r |x|^2 inside [lower, upper].
struct Dense {
  std::vector<Column> a;
  Column b{};
  std::vector<Real> lower, upper, preferred;
  Real r = 0;
  [[nodiscard]] std::size_t n() const { return a.size(); }
};

inline Dense dense(const Effectiveness& e, const WrenchDemand& d, Real r) {
  Dense p;
  p.r = r;
  const Vec6 w = to_vec6(d.F_Bo_B);
  const Vec6 bias = to_vec6(e.bias);
  for (std::size_t k = 0; k < kAxes; ++k) p.b[k] = Real(d.weight[k]) * (Real(w[k]) - Real(bias[k]));
  for (std::size_t i = 0; i < e.n; ++i) {
    Column a;
    for (std::size_t k = 0; k < kAxes; ++k) {
      a[k] = Real(d.weight[k]) * Real(e.column[i][k]);
      p.b[k] -= a[k] * Real(e.preferred[i]);
    }
    p.a.push_back(a);
    p.lower.push_back(Real(e.lower[i]) - Real(e.preferred[i]));
    p.upper.push_back(Real(e.upper[i]) - Real(e.preferred[i]));
    p.preferred.push_back(e.preferred[i]);
  }
  return p;
}

inline Real dot(const Column& a, const Column& b) {
  Real s = 0;
  for (std::size_t k = 0; k < kAxes; ++k) s += a[k] * b[k];
  return s;
}
inline Real norm(const Column& a) { return std::sqrt(dot(a, a)); }

/// Orthonormal basis of the span of some columns with the triangular factor: pivoted Gram-Schmidt,
/// done twice. rank columns `pivot` span what the others add nothing to.
struct Basis {
  std::vector<Column> q;
  void add(Column a, Real tolerance) {
    const Real size = norm(a);
    for (int pass = 0; pass < 3; ++pass)
      for (const Column& u : q) {
        const Real s = dot(u, a);
        for (std::size_t k = 0; k < kAxes; ++k) a[k] -= s * u[k];
      }
    const Real rest = norm(a);
    if (!(rest > tolerance * size) || q.size() == kAxes) return;
    for (Real& x : a) x /= rest;
    q.push_back(a);
  }
  [[nodiscard]] Column outside(Column a) const {
    for (int pass = 0; pass < 3; ++pass)
      for (const Column& u : q) {
        const Real s = dot(u, a);
        for (std::size_t k = 0; k < kAxes; ++k) a[k] -= s * u[k];
      }
    return a;
  }
};

/// l = (A_F A_F' + r I)^+ c inside the span of the columns of F, by Gaussian elimination there.
inline Column normal_solve(const std::vector<Column>& f, const Basis& basis, Real r,
                           const Column& c) {
  const std::size_t m = basis.q.size();
  std::vector<std::vector<Real>> g(m, std::vector<Real>(m + 1, 0));
  for (std::size_t i = 0; i < m; ++i) {
    g[i][i] += r;
    g[i][m] = dot(basis.q[i], c);
    for (const Column& a : f)
      for (std::size_t j = 0; j < m; ++j) g[i][j] += dot(basis.q[i], a) * dot(basis.q[j], a);
  }
  for (std::size_t i = 0; i < m; ++i) {
    std::size_t p = i;
    for (std::size_t j = i; j < m; ++j)
      if (std::abs(g[j][i]) > std::abs(g[p][i])) p = j;
    std::swap(g[i], g[p]);
    for (std::size_t j = i + 1; j < m; ++j) {
      const Real s = g[j][i] / g[i][i];
      for (std::size_t k = i; k <= m; ++k) g[j][k] -= s * g[i][k];
    }
  }
  Column l{};
  for (std::size_t i = m; i-- > 0;) {
    Real y = g[i][m];
    for (std::size_t j = i + 1; j < m; ++j) y -= g[i][j] * g[j][m];
    y /= g[i][i];
    g[i][m] = y;
    for (std::size_t k = 0; k < kAxes; ++k) l[k] += y * basis.q[i][k];
  }
  return l;
}

/// Violation of the optimality conditions at x with the given channels strictly free (state 0) or
/// held (-1, +1, 2 fixed), relative. The multipliers are polynomials d + r l in an infinitesimal r
/// when r is 0.
struct Conditions {
  Real worst = 0;          ///< Largest relative violation.
  bool determined = true;  ///< False: some multiplier cannot be computed from the free channels.
};

inline Conditions conditions(const Dense& p, const std::vector<Real>& x,
                             const std::vector<int>& state) {
  std::vector<Column> f;
  Basis basis;
  Column c = p.b;
  Real size = norm(p.b);
  for (std::size_t i = 0; i < p.n(); ++i) {
    if (state[i] == 0) {
      f.push_back(p.a[i]);
      basis.add(p.a[i], 1e-10L);
    } else {
      for (std::size_t k = 0; k < kAxes; ++k) c[k] -= p.a[i][k] * x[i];
    }
    size = std::max(size, norm(p.a[i]) * std::abs(x[i]));
  }
  const Column d = basis.outside(c);
  const Column l = normal_solve(f, basis, p.r, c);
  Real span = 1e-300L;
  for (std::size_t i = 0; i < p.n(); ++i)
    span = std::max({span, std::abs(p.lower[i]), std::abs(p.upper[i])});
  Conditions result;
  const bool has_d = norm(d) > 1e-14L * size;
  for (std::size_t i = 0; i < p.n(); ++i) {
    const Real target = dot(p.a[i], l);
    if (state[i] == 2) continue;
    if (state[i] == 0) {
      result.worst = std::max(result.worst, std::abs(x[i] - target) / span);
      continue;
    }
    const bool spanned = norm(basis.outside(p.a[i])) <= 1e-9L * norm(p.a[i]);
    // inward gain of the cost; positive is a violation
    Real first = spanned || !has_d ? 0 : -state[i] * dot(p.a[i], d);
    Real second = -state[i] * (target - x[i]);
    if (p.r > 0) {
      const Real gain = first + p.r * second;
      result.worst = std::max(result.worst, gain / (norm(p.a[i]) * size + p.r * span));
      continue;
    }
    first /= norm(p.a[i]) * size + 1e-300L;
    if (std::abs(first) > 1e-11L) {
      result.worst = std::max(result.worst, first);
    } else if (spanned) {
      Real reach = span;
      for (std::size_t k = 0; k < kAxes; ++k) reach = std::max(reach, std::abs(p.a[i][k] * l[k]));
      result.worst = std::max(result.worst, second / reach);
    } else {
      result.determined = false;
    }
  }
  return result;
}

/// The conditions at a given effort.
inline Conditions check_optimal(const Dense& p, const ChannelVector& effort,
                                const Effectiveness& e) {
  std::vector<Real> x;
  std::vector<int> state;
  for (std::size_t i = 0; i < p.n(); ++i) {
    x.push_back(Real(effort[i]) - p.preferred[i]);
    const Real near = 1e-13L * std::max({std::abs(p.lower[i]), std::abs(p.upper[i])});
    state.push_back(!(e.lower[i] < e.upper[i])  ? 2
                    : x[i] - p.lower[i] <= near ? -1
                    : p.upper[i] - x[i] <= near ? 1
                                                : 0);
  }
  return conditions(p, x, state);
}

/// Optimum by trying every set of held bounds. Worst violation in `worst`.
inline std::vector<Real> enumerate(const Dense& p, Real& worst) {
  std::vector<Real> best(p.n(), 0);
  worst = 1e300L;
  std::vector<int> state(p.n(), -1);
  for (;;) {
    std::vector<Column> f;
    Basis basis;
    Column c = p.b;
    std::vector<Real> x(p.n(), 0);
    for (std::size_t i = 0; i < p.n(); ++i) {
      if (state[i] == 0) {
        f.push_back(p.a[i]);
        basis.add(p.a[i], 1e-10L);
      } else {
        x[i] = state[i] < 0 ? p.lower[i] : p.upper[i];
        for (std::size_t k = 0; k < kAxes; ++k) c[k] -= p.a[i][k] * x[i];
      }
    }
    const Column l = normal_solve(f, basis, p.r, c);
    Real outside = 0;
    Real span = 1e-300L;
    for (std::size_t i = 0; i < p.n(); ++i) {
      if (state[i] == 0) x[i] = dot(p.a[i], l);
      span = std::max({span, std::abs(p.lower[i]), std::abs(p.upper[i])});
      outside = std::max({outside, p.lower[i] - x[i], x[i] - p.upper[i]});
    }
    std::vector<int> effective = state;
    for (std::size_t i = 0; i < p.n(); ++i)
      if (p.lower[i] == p.upper[i]) effective[i] = 2;
    const Conditions found = conditions(p, x, effective);
    // an undetermined multiplier is taken as satisfied only when nothing better turns up
    const Real violation = std::max(outside / span, found.worst) + (found.determined ? 0 : 1e-9L);
    if (violation < worst) {
      worst = violation;
      best = x;
    }
    std::size_t i = 0;
    while (i < p.n() && ++state[i] == 2) state[i++] = -1;
    if (i == p.n()) break;
  }
  for (std::size_t i = 0; i < p.n(); ++i) best[i] += p.preferred[i];
  return best;
}

}  // namespace pintle::allocation::testing
