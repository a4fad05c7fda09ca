#include "pintle/allocation/free_system.h"

#include <algorithm>

namespace pintle::allocation {

bool FreeSystem::solve(const Vec6* columns, std::size_t count, double r, const Vec6& c) noexcept {
  spanned = count >= kAxes && solve_rows(columns, count, r, c);
  return spanned || solve_span(columns, count, r, c);
}

bool FreeSystem::solve_rows(const Vec6* columns, std::size_t count, double r,
                            const Vec6& c) noexcept {
  g_ = {};
  for (std::size_t f = 0; f < count; ++f) g_.add_outer(columns[f]);
  // a row that is nothing beside another is rounding (the cosine of a right angle), not an axis
  double largest = 0;
  double least = g_.m[0][0];
  for (std::size_t j = 0; j < kAxes; ++j) {
    largest = std::max(largest, g_.m[j][j]);
    least = std::min(least, g_.m[j][j]);
    g_.m[j][j] += r;
  }
  if (!(least > kIndependent * kIndependent * largest)) return false;
  l = c;
  if (!g_.factor_and_solve(l)) return false;
  weakest = g_.weakest;
  if (r > 0 && weakest < kCarriedByR) return false;
  if (weakest < kRefineBelow) {
    Vec6 error = c - r * l;
    for (std::size_t f = 0; f < count; ++f) error = error - dot(columns[f], l) * columns[f];
    g_.solve(error);
    l = l + error;
  }
  return true;
}

bool FreeSystem::solve_span(const Vec6* columns, std::size_t count, double r,
                            const Vec6& c) noexcept {
  if (!build_basis(columns, count)) return false;
  d = c;
  Vec6 y;
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t s = 0; s < rank; ++s) {
      const double part = dot(q[s], d);
      y[s] += part;
      d = d - part * q[s];
    }
  Vec6 mu;
  if (!solve_coordinates(count, r, y, mu)) return false;
  l = {};
  for (std::size_t s = 0; s < rank; ++s) l = l + mu[s] * q[s];
  return true;
}

bool FreeSystem::solve_coordinates(std::size_t count, double r, const Vec6& y, Vec6& mu) noexcept {
  // independent columns: R is square and triangular in pivot order. R x = y, R' mu = x
  weakest = 1;
  if (rank == count && r == 0 && !squared) {
    Vec6 x;
    for (std::size_t s = rank; s-- > 0;) {
      double t = y[s];
      for (std::size_t j = s + 1; j < rank; ++j) t -= along_[new_[j]][s] * x[j];
      x[s] = t / along_[new_[s]][s];
    }
    for (std::size_t s = 0; s < rank; ++s) {
      double t = x[s];
      for (std::size_t j = 0; j < s; ++j) t -= along_[new_[s]][j] * mu[j];
      mu[s] = t / along_[new_[s]][s];
    }
    return true;
  }
  g_ = {};
  for (std::size_t f = 0; f < count; ++f) g_.add_outer(along_[f]);
  for (std::size_t j = 0; j < kAxes; ++j) g_.m[j][j] += j < rank ? r : 1;
  mu = y;
  if (!g_.factor_and_solve(mu)) return false;
  weakest = g_.weakest;
  if (weakest < kRefineBelow) {
    Vec6 error = y - r * mu;
    for (std::size_t f = 0; f < count; ++f) error = error - dot(along_[f], mu) * along_[f];
    for (std::size_t s = rank; s < kAxes; ++s) error[s] = 0;
    g_.solve(error);
    mu = mu + error;
  }
  return true;
}

// column by column: its part along the basis, and a new direction where something is left
bool FreeSystem::build_basis(const Vec6* columns, std::size_t count) noexcept {
  rank = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const Vec6& a = columns[f];
    Vec6 left = a;
    Vec6& along = along_[f];
    along = {};
    const double size2 = dot(a, a);
    double left2 = size2;
    for (int pass = 0; pass < 3 && rank > 0; ++pass) {
      for (std::size_t s = 0; s < rank; ++s) {
        const double part = dot(q[s], left);
        along[s] += part;
        left = left - part * q[s];
      }
      const double before = left2;
      left2 = dot(left, left);
      // once more where most of it went: what is left must be orthogonal to rounding
      if (left2 > 0.25 * before || !(left2 > kDependent * kDependent * size2)) break;
    }
    if (!(left2 > kDependent * kDependent * size2)) continue;
    if (!(left2 > kIndependent * kIndependent * size2)) return false;
    if (rank == kAxes) return false;
    const double length = std::sqrt(left2);
    along[rank] = length;
    new_[rank] = f;
    q[rank++] = (1 / length) * left;
  }
  return true;
}

Vec6 FreeSystem::slope_of(const Vec6& c) const noexcept {
  Vec6 result;
  if (spanned) {
    result = c;
    g_.solve(result);
    return result;
  }
  Vec6 mu;
  for (std::size_t s = 0; s < rank; ++s) mu[s] = dot(q[s], c);
  g_.solve(mu);
  for (std::size_t s = 0; s < rank; ++s) result = result + mu[s] * q[s];
  return result;
}

}  // namespace pintle::allocation
