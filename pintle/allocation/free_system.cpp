#include "pintle/allocation/free_system.h"

namespace pintle::allocation {

bool FreeSystem::solve(const Vec6* columns, std::size_t count, double r, const Vec6& c) noexcept {
  spanned = count >= kAxes && solve_rows(columns, count, r, c);
  return spanned || solve_span(columns, count, r, c);
}

bool FreeSystem::solve_rows(const Vec6* columns, std::size_t count, double r,
                            const Vec6& c) noexcept {
  g_ = {};
  for (std::size_t f = 0; f < count; ++f) g_.add_outer(columns[f]);
  for (std::size_t j = 0; j < kAxes; ++j) g_.m[j][j] += r;
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
      for (std::size_t j = s + 1; j < rank; ++j) t -= rest_[order_[j]].r[s] * x[j];
      x[s] = t / rest_[order_[s]].r[s];
    }
    for (std::size_t s = 0; s < rank; ++s) {
      double t = x[s];
      for (std::size_t j = 0; j < s; ++j) t -= rest_[order_[s]].r[j] * mu[j];
      mu[s] = t / rest_[order_[s]].r[s];
    }
    return true;
  }
  g_ = {};
  for (std::size_t f = 0; f < count; ++f) g_.add_outer(rest_[f].r);
  for (std::size_t j = 0; j < kAxes; ++j) g_.m[j][j] += j < rank ? r : 1;
  mu = y;
  if (!g_.factor_and_solve(mu)) return false;
  weakest = g_.weakest;
  if (weakest < kRefineBelow) {
    Vec6 error = y - r * mu;
    for (std::size_t f = 0; f < count; ++f) error = error - dot(rest_[f].r, mu) * rest_[f].r;
    for (std::size_t s = rank; s < kAxes; ++s) error[s] = 0;
    g_.solve(error);
    mu = mu + error;
  }
  return true;
}

bool FreeSystem::build_basis(const Vec6* columns, std::size_t count) noexcept {
  rank = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const double length2 = dot(columns[f], columns[f]);
    rest_[f] = {columns[f], {}, length2, length2, false};
  }
  while (rank < kAxes) {
    std::size_t pivot = count;
    bool doubtful = false;
    for (std::size_t f = 0; f < count; ++f) {
      const Rest& rest = rest_[f];
      if (rest.used || !(rest.left > kDependent * kDependent * rest.original)) continue;
      if (!(rest.left > kIndependent * kIndependent * rest.original)) {
        doubtful = true;
        continue;
      }
      if (pivot == count || rest.left > rest_[pivot].left) pivot = f;
    }
    if (pivot == count) return !doubtful;
    add_to_basis(pivot, count);
  }
  return true;
}

void FreeSystem::add_to_basis(std::size_t pivot, std::size_t count) noexcept {
  Rest& chosen = rest_[pivot];
  Vec6 next = chosen.v;
  for (std::size_t s = 0; s < rank; ++s) next = next - dot(q[s], next) * q[s];
  next = (1 / norm(next)) * next;
  for (std::size_t f = 0; f < count; ++f) {
    Rest& rest = rest_[f];
    if (rest.used) continue;
    const double part = dot(next, rest.v);
    rest.r[rank] = part;
    rest.v = rest.v - part * next;
    rest.left = dot(rest.v, rest.v);
  }
  chosen.used = true;
  order_[rank] = pivot;
  q[rank++] = next;
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
