// H = A'A + r I and f = -A'b, both halves, the way a careful user of a plain solver would.
#pragma once
#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::bench {

inline void form_gradient(const allocation::BoxProblem& p, double* f) {
  for (std::size_t i = 0; i < p.n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kAxes; ++k) sum -= p.column[i][k] * p.b[k];
    f[i] = sum;
  }
}

inline void form_hessian(const allocation::BoxProblem& p, double* h) {
  const std::size_t n = p.n;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? p.r : 0;
      for (std::size_t k = 0; k < kAxes; ++k) sum += p.column[i][k] * p.column[j][k];
      h[i * n + j] = h[j * n + i] = sum;
    }
  }
}

}  // namespace pintle::bench
