/// For tests: the bounded least squares problem by an interior point method in 34 digits.
///
/// Knows no sets of held bounds and shares nothing with the solvers of this room. Mehrotra's
/// predictor and corrector (1992) for
///
///   minimise  q |x|^2 / 2 + |l|^2 delta / 2   subject to  A x + delta l = b,  lower <= x <= upper
///
/// (q, delta) = (r, 1): the problem itself. For r = 0 two of them: (0, 1) gives the wrench that
/// comes nearest, from the middle of all efforts that give it; a channel that is on its bound there
/// is so in all of them. Then (1, 0): the least effort that gives this wrench.
#pragma once
#include "pintle/allocation_suite/oracle.h"

namespace pintle::allocation::testing {

class InteriorPoint {
 public:
  /// `at` -1 or 1 holds a channel on its bound.
  InteriorPoint(const Dense& p, const Column& b, Real q, Real delta, const std::vector<int>& at)
      : b_(b), q_(q), delta_(delta) {
    for (std::size_t i = 0; i < p.n(); ++i) {
      const Real half = (p.upper[i] - p.lower[i]) / 2;
      middle_.push_back((p.upper[i] + p.lower[i]) / 2);
      if (!(half > 0)) middle_[i] = p.lower[i];
      if (at[i] != 0) middle_[i] = at[i] < 0 ? p.lower[i] : p.upper[i];
      for (std::size_t k = 0; k < kAxes; ++k) b_[k] -= p.a[i][k] * middle_[i];
      if (!(half > 0) || at[i] != 0) continue;
      // x = middle + half y, y from -1 to 1
      index_.push_back(i);
      half_.push_back(half);
      Column a;
      for (std::size_t k = 0; k < kAxes; ++k) a[k] = half * p.a[i][k];
      a_.push_back(a);
    }
  }

  /// Distances to the nearer bound over half the width, 2 for held ones; see at().
  std::vector<Real> room;
  std::vector<int> nearer;
  int steps = 0;

  std::vector<Real> solve() {
    start();
    while (steps < 200 && !done()) step();
    std::vector<Real> x = middle_;
    room.assign(x.size(), 2);
    nearer.assign(x.size(), 0);
    for (std::size_t j = 0; j < a_.size(); ++j) {
      // from the nearer bound: the digits of the distance are kept
      const bool low = g_[j] < h_[j];
      const Real y = low ? g_[j] - 1 : 1 - h_[j];
      x[index_[j]] += half_[j] * y;
      room[index_[j]] = low ? g_[j] : h_[j];
      nearer[index_[j]] = low ? -1 : 1;
    }
    return x;
  }

 private:
  std::size_t n() const { return a_.size(); }

  void start() {
    Real size = 0;
    for (std::size_t j = 0; j < n(); ++j) {
      size = std::max(size, magnitude(dot(a_[j], b_)));
      size = std::max(size, q_ * half_[j] * (half_[j] + magnitude(middle_[index_[j]])));
    }
    if (!(size > 0)) size = 1;
    size_ = size;
    y_.assign(n(), 0);
    g_.assign(n(), 1);
    h_.assign(n(), 1);
    s_.assign(n(), size);
    t_.assign(n(), size);
    l_ = {};
  }

  Real complementarity() const {
    Real sum = 0;
    for (std::size_t j = 0; j < n(); ++j) sum += g_[j] * s_[j] + h_[j] * t_[j];
    return n() == 0 ? Real(0) : sum / Real(2 * n());
  }

  bool done() const { return n() == 0 || stalled_ > 3 || complementarity() <= Real(1e-33) * size_; }

  // the system of one step: (A D^-1 A' + delta) and D
  void factor() {
    for (auto& row : m_) row = {};
    inverse_.resize(n());
    for (std::size_t j = 0; j < n(); ++j) {
      inverse_[j] = 1 / (q_ * half_[j] * half_[j] + s_[j] / g_[j] + t_[j] / h_[j]);
      for (std::size_t k = 0; k < kAxes; ++k) {
        const Real w = inverse_[j] * a_[j][k];
        for (std::size_t i = 0; i <= k; ++i) m_[k][i] += w * a_[j][i];
      }
    }
    for (std::size_t k = 0; k < kAxes; ++k) m_[k][k] += delta_;
    // L D L' with a little added where a row has nothing left: its residual is zero as well
    for (std::size_t k = 0; k < kAxes; ++k) {
      const Real own = m_[k][k];
      for (std::size_t i = 0; i < k; ++i) {
        Real v = m_[k][i];
        for (std::size_t j = 0; j < i; ++j) v -= low_[k][j] * low_[i][j] * pivot_[j];
        low_[k][i] = pivot_[i] > 0 ? v / pivot_[i] : Real(0);
      }
      Real v = own;
      for (std::size_t j = 0; j < k; ++j) v -= low_[k][j] * low_[k][j] * pivot_[j];
      pivot_[k] = v > Real(1e-31) * own ? v : Real(0);
    }
  }

  Column solve_rows(Column v) const {
    for (std::size_t k = 0; k < kAxes; ++k)
      for (std::size_t i = 0; i < k; ++i) v[k] -= low_[k][i] * v[i];
    for (std::size_t k = 0; k < kAxes; ++k) v[k] = pivot_[k] > 0 ? v[k] / pivot_[k] : Real(0);
    for (std::size_t k = kAxes; k-- > 0;)
      for (std::size_t i = k + 1; i < kAxes; ++i) v[k] -= low_[i][k] * v[i];
    return v;
  }

  struct Direction {
    std::vector<Real> y, s, t;
    Column l{};
  };

  // towards complementarity `goal`, with the products of an earlier direction taken off
  Direction direction(Real goal, const Direction* earlier) const {
    Direction d;
    d.y.resize(n());
    d.s.resize(n());
    d.t.resize(n());
    std::vector<Real> rest(n());
    Column rows = b_;
    for (std::size_t k = 0; k < kAxes; ++k) rows[k] -= delta_ * l_[k];
    for (std::size_t j = 0; j < n(); ++j) {
      const Real c = earlier ? earlier->y[j] * earlier->s[j] : Real(0);
      const Real e = earlier ? -earlier->y[j] * earlier->t[j] : Real(0);
      d.s[j] = (goal - c) / g_[j] - s_[j];
      d.t[j] = (goal - e) / h_[j] - t_[j];
      const Real stationary =
          q_ * half_[j] * (half_[j] * y_[j] + middle_[index_[j]]) - dot(a_[j], l_) - s_[j] + t_[j];
      rest[j] = -stationary + d.s[j] - d.t[j];
      const Real w = inverse_[j] * rest[j];
      for (std::size_t k = 0; k < kAxes; ++k) rows[k] -= a_[j][k] * (y_[j] + w);
    }
    d.l = solve_rows(rows);
    for (std::size_t j = 0; j < n(); ++j) {
      d.y[j] = inverse_[j] * (dot(a_[j], d.l) + rest[j]);
      d.s[j] -= s_[j] * d.y[j] / g_[j];
      d.t[j] += t_[j] * d.y[j] / h_[j];
    }
    return d;
  }

  Real longest(const Direction& d) const {
    Real length = 1;
    const auto limit = [&length](Real value, Real change) {
      if (change < 0) length = std::min(length, -value / change);
    };
    for (std::size_t j = 0; j < n(); ++j) {
      limit(g_[j], d.y[j]);
      limit(h_[j], -d.y[j]);
      limit(s_[j], d.s[j]);
      limit(t_[j], d.t[j]);
    }
    return length;
  }

  void step() {
    ++steps;
    factor();
    const Real mu = complementarity();
    const Direction guess = direction(0, nullptr);
    const Real reach = longest(guess);
    Real after = 0;
    for (std::size_t j = 0; j < n(); ++j)
      after += (g_[j] + reach * guess.y[j]) * (s_[j] + reach * guess.s[j]) +
               (h_[j] - reach * guess.y[j]) * (t_[j] + reach * guess.t[j]);
    after /= Real(2 * n());
    const Real share = after / mu;
    const Direction d = direction(share * share * share * mu, &guess);
    const Real full = longest(d);
    const Real length = full < 1 ? std::max(Real(0.99), 1 - share) * full : Real(1);
    for (std::size_t j = 0; j < n(); ++j) {
      y_[j] += length * d.y[j];
      g_[j] += length * d.y[j];
      h_[j] -= length * d.y[j];
      s_[j] += length * d.s[j];
      t_[j] += length * d.t[j];
    }
    for (std::size_t k = 0; k < kAxes; ++k) l_[k] += length * d.l[k];
    stalled_ = complementarity() > Real(0.9) * mu ? stalled_ + 1 : 0;
  }

  Column b_;
  Real q_, delta_, size_ = 1;
  int stalled_ = 0;
  std::vector<std::size_t> index_;
  std::vector<Real> middle_, half_;
  std::vector<Column> a_;
  std::vector<Real> y_, g_, h_, s_, t_, inverse_;  // g = y + 1, h = 1 - y, with all their digits
  Column l_{};
  std::array<Column, kAxes> m_{}, low_{};
  Column pivot_{};
};

/// The optimum by interior points alone.
inline std::vector<Real> interior_optimum(const Dense& p) {
  std::vector<int> at(p.n(), 0);
  if (p.r > 0) return InteriorPoint(p, p.b, p.r, 1, at).solve();
  InteriorPoint nearest(p, p.b, 0, 1, at);
  const std::vector<Real> x = nearest.solve();
  Column wrench{};
  for (std::size_t i = 0; i < p.n(); ++i) {
    if (nearest.room[i] < Real(1e-13)) at[i] = nearest.nearer[i];
    const Real there = at[i] == 0 ? x[i] : at[i] < 0 ? p.lower[i] : p.upper[i];
    for (std::size_t k = 0; k < kAxes; ++k) wrench[k] += p.a[i][k] * there;
  }
  return InteriorPoint(p, wrench, 1, 0, at).solve();
}

}  // namespace pintle::allocation::testing
