/// For tests: optima of  |B u - w|^2 + r |u|^2  inside a box, by a way that the solver does not
/// use.
///
/// All sets of held bounds of each connected part are tried (3^4 for each half of a Sub 8), and the
/// best point inside the box is taken: no multipliers, no order of moves.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mapper/layout.h"

namespace pintle::ros1::testing {

struct BoxProblem {
  std::vector<Six> column;
  std::vector<double> lower, upper;
};

inline double objective(const BoxProblem& p, const Six& w, double r, const std::vector<double>& u) {
  long double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    long double e = -static_cast<long double>(w[k]);
    for (std::size_t i = 0; i < u.size(); ++i) e += static_cast<long double>(p.column[i][k]) * u[i];
    sum += e * e;
  }
  for (const double x : u) sum += static_cast<long double>(r) * x * x;
  return static_cast<double>(sum);
}

/// Solves A x = y for a symmetric positive definite A, by elimination with pivots.
inline std::vector<long double> solve(std::vector<std::vector<long double>> a,
                                      std::vector<long double> y) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t best = i;
    for (std::size_t j = i; j < n; ++j)
      if (std::abs(a[j][i]) > std::abs(a[best][i])) best = j;
    std::swap(a[i], a[best]);
    std::swap(y[i], y[best]);
    for (std::size_t j = i + 1; j < n; ++j) {
      const long double s = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= s * a[i][k];
      y[j] -= s * y[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) y[i] -= a[i][k] * y[k];
    y[i] /= a[i][i];
  }
  return y;
}

/// The best point among all sets of held bounds of the channels in `part`.
inline void best_of_part(const BoxProblem& p, const Six& w, double r,
                         const std::vector<std::size_t>& part, std::vector<double>& u) {
  long double best = std::numeric_limits<long double>::infinity();
  std::vector<double> best_u = u;
  std::vector<int> held(part.size(), -1);
  for (;;) {
    std::vector<std::size_t> free;
    std::vector<long double> x(part.size(), 0);
    Six rest = w;
    for (std::size_t j = 0; j < part.size(); ++j) {
      if (held[j] == 0) {
        free.push_back(j);
        continue;
      }
      x[j] = held[j] < 0 ? p.lower[part[j]] : p.upper[part[j]];
      for (std::size_t k = 0; k < 6; ++k)
        rest[k] -= p.column[part[j]][k] * static_cast<double>(x[j]);
    }
    std::vector<std::vector<long double>> a(free.size(), std::vector<long double>(free.size(), 0));
    std::vector<long double> y(free.size(), 0);
    for (std::size_t m = 0; m < free.size(); ++m)
      for (std::size_t k = 0; k < 6; ++k) {
        const long double c = p.column[part[free[m]]][k];
        y[m] += c * rest[k];
        for (std::size_t n = 0; n < free.size(); ++n) a[m][n] += c * p.column[part[free[n]]][k];
      }
    for (std::size_t m = 0; m < free.size(); ++m) a[m][m] += r;
    const std::vector<long double> found = solve(a, y);
    bool inside = true;
    for (std::size_t m = 0; m < free.size(); ++m) {
      x[free[m]] = found[m];
      inside &= found[m] >= p.lower[part[free[m]]] && found[m] <= p.upper[part[free[m]]];
    }
    if (inside) {
      std::vector<double> candidate = u;
      for (std::size_t j = 0; j < part.size(); ++j) candidate[part[j]] = static_cast<double>(x[j]);
      const long double cost = objective(p, w, r, candidate);
      if (cost < best) {
        best = cost;
        best_u = candidate;
      }
    }
    std::size_t j = 0;
    while (j < part.size() && ++held[j] == 2) held[j++] = -1;
    if (j == part.size()) break;
  }
  u = best_u;
}

/// Channels that share an axis belong to one part.
inline std::vector<double> optimum(const BoxProblem& p, const Six& w, double r) {
  const std::size_t n = p.column.size();
  std::vector<std::size_t> part(n);
  for (std::size_t i = 0; i < n; ++i) part[i] = i;
  for (std::size_t pass = 0; pass < n; ++pass)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < 6; ++k)
          if (std::abs(p.column[i][k]) > 1e-12 && std::abs(p.column[j][k]) > 1e-12)
            part[i] = part[j] = std::min(part[i], part[j]);
  std::vector<double> u(n, 0);
  for (std::size_t head = 0; head < n; ++head) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < n; ++i)
      if (part[i] == head) members.push_back(i);
    if (!members.empty()) best_of_part(p, w, r, members, u);
  }
  return u;
}

}  // namespace pintle::ros1::testing
