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

#if defined(__SIZEOF_FLOAT128__)
using Real = __float128;  // 34 digits
#else
using Real = long double;
#endif
using Column = std::array<Real, kAxes>;

inline Real magnitude(Real x) { return x < 0 ? -x : x; }
inline Real root(Real x) {
  if (!(x > 0)) return 0;
  Real y = std::sqrt(static_cast<long double>(x));
  if (!(y > 0)) return 0;
  for (int i = 0; i < 2; ++i) y = (y + x / y) / 2;
  return y;
}

/// The scaled and shifted problem: min |A x - b|^2 + r |x|^2 inside [lower, upper].
struct Dense {
  std::vector<Column> a;
  Column b{};
  std::vector<Real> lower, upper, preferred, weight;  // x = weight u - preferred
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
      a[k] /= Real(e.effort_weight[i]);
    }
    p.a.push_back(a);
    const Real weight = e.effort_weight[i];
    p.lower.push_back(weight * (Real(e.lower[i]) - Real(e.preferred[i])));
    p.upper.push_back(weight * (Real(e.upper[i]) - Real(e.preferred[i])));
    p.preferred.push_back(weight * Real(e.preferred[i]));
    p.weight.push_back(weight);
  }
  return p;
}

inline Real dot(const Column& a, const Column& b) {
  Real s = 0;
  for (std::size_t k = 0; k < kAxes; ++k) s += a[k] * b[k];
  return s;
}
inline Real norm(const Column& a) { return root(dot(a, a)); }

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
      if (magnitude(g[j][i]) > magnitude(g[p][i])) p = j;
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
/// held (-1, +1, 2 fixed), relative. For r = 0 a multiplier is s d + l with s -> infinity; where d
/// is as small as the rounding of the demand any s that satisfies them all is a proof.
struct Conditions {
  double worst = 0;        ///< Largest relative violation.
  bool determined = true;  ///< False: some multiplier cannot be computed from the free channels.
};

inline Conditions conditions(const Dense& p, const std::vector<Real>& x,
                             const std::vector<int>& state) {
  std::vector<Column> f;
  Basis basis;
  Column c = p.b;
  Column size;  // what passes through each row
  for (std::size_t k = 0; k < kAxes; ++k) size[k] = magnitude(p.b[k]);
  Real span = 1e-300;
  for (std::size_t i = 0; i < p.n(); ++i) {
    span = std::max({span, magnitude(p.lower[i]), magnitude(p.upper[i])});
    for (std::size_t k = 0; k < kAxes; ++k) size[k] += magnitude(p.a[i][k] * x[i]);
    if (state[i] == 0) {
      f.push_back(p.a[i]);
      basis.add(p.a[i], 1e-11);
    } else {
      for (std::size_t k = 0; k < kAxes; ++k) c[k] -= p.a[i][k] * x[i];
    }
  }
  const Column d = basis.outside(c);
  const Column l = normal_solve(f, basis, p.r, c);
  Conditions result;
  const auto violate = [&](Real v) {
    result.worst = std::max(result.worst, static_cast<double>(v));
  };
  for (std::size_t i = 0; i < p.n(); ++i) {
    const Real target = dot(p.a[i], l);
    if (state[i] == 2) continue;
    if (state[i] == 0) {
      violate(magnitude(x[i] - target) / span);
      continue;
    }
    // inward gain of the cost; positive is a violation
    const Column outside = basis.outside(p.a[i]);
    const bool spanned = norm(outside) <= 1e-11 * norm(p.a[i]);
    const Real first = spanned ? Real(0) : -state[i] * dot(outside, d);
    const Real second = -state[i] * (target - x[i]);
    Real through = 1e-300;  // what the rounding of a demand moves `first` by, over that rounding
    Real reach = span;
    for (std::size_t k = 0; k < kAxes; ++k) {
      through += magnitude(outside[k]) * size[k];
      reach = std::max(reach, magnitude(p.a[i][k] * l[k]));
    }
    if (p.r > 0) {
      violate((first + p.r * second) / (through + p.r * reach));
    } else if (magnitude(first) > 1e-12 * through) {
      violate(first / through);
    } else if (spanned) {
      violate(second / reach);
    } else {
      // below the rounding of the demand, and beyond what the free ones determine
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
    x.push_back(p.weight[i] * Real(effort[i]) - p.preferred[i]);
    const Real near = 1e-13 * std::max(magnitude(p.lower[i]), magnitude(p.upper[i]));
    state.push_back(0);
    if (x[i] - p.lower[i] <= near) {
      state[i] = -1;
      x[i] = p.lower[i];
    } else if (p.upper[i] - x[i] <= near) {
      state[i] = 1;
      x[i] = p.upper[i];
    }
    if (!(e.lower[i] < e.upper[i])) state[i] = 2;
  }
  return conditions(p, x, state);
}

/// Optimum by trying every set of held bounds. Worst violation in `worst`.
inline std::vector<Real> enumerate(const Dense& p, double& worst) {
  std::vector<Real> best(p.n(), 0);
  worst = 1e300;
  std::vector<int> state(p.n(), -1);
  for (;;) {
    std::vector<Column> f;
    Basis basis;
    Column c = p.b;
    std::vector<Real> x(p.n(), 0);
    for (std::size_t i = 0; i < p.n(); ++i) {
      if (state[i] == 0) {
        f.push_back(p.a[i]);
        basis.add(p.a[i], 1e-11);
      } else {
        x[i] = state[i] < 0 ? p.lower[i] : p.upper[i];
        for (std::size_t k = 0; k < kAxes; ++k) c[k] -= p.a[i][k] * x[i];
      }
    }
    const Column l = normal_solve(f, basis, p.r, c);
    Real outside = 0;
    Real span = 1e-300;
    for (std::size_t i = 0; i < p.n(); ++i) {
      if (state[i] == 0) x[i] = dot(p.a[i], l);
      span = std::max({span, magnitude(p.lower[i]), magnitude(p.upper[i])});
      outside = std::max({outside, p.lower[i] - x[i], x[i] - p.upper[i]});
    }
    // no better than what is known already, whatever its multipliers
    if (static_cast<double>(outside / span) < worst) {
      std::vector<int> effective = state;
      for (std::size_t i = 0; i < p.n(); ++i)
        if (p.lower[i] == p.upper[i]) effective[i] = 2;
      const Conditions found = conditions(p, x, effective);
      // an undetermined multiplier is taken as satisfied only when nothing better turns up
      const double violation = std::max(static_cast<double>(outside / span), found.worst) +
                               (found.determined ? 0 : 1e-9);
      if (violation < worst) {
        worst = violation;
        best = x;
      }
    }
    std::size_t i = 0;
    while (i < p.n() && ++state[i] == 2) state[i++] = -1;
    if (i == p.n()) break;
  }
  for (std::size_t i = 0; i < p.n(); ++i) best[i] = (best[i] + p.preferred[i]) / p.weight[i];
  return best;
}

}  // namespace pintle::allocation::testing
