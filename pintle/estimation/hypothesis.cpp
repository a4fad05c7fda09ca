#include "pintle/estimation/hypothesis.h"

#include <cmath>

namespace pintle::estimation {

bool factor(Triangle& a) noexcept {
  for (std::size_t j = 0; j < 6; ++j) {
    double d = a[j][j];
    for (std::size_t k = 0; k < j; ++k) d -= a[j][k] * a[j][k];
    if (!(d > 1e-30 && d < 1e30)) return false;
    const double inverse = 1 / std::sqrt(d);
    a[j][j] = inverse;
    for (std::size_t i = j + 1; i < 6; ++i) {
      double x = a[i][j];
      for (std::size_t k = 0; k < j; ++k) x -= a[i][k] * a[j][k];
      a[i][j] = x * inverse;
    }
  }
  return true;
}

Vec6 forward(const Triangle& l, const Vec6& b) noexcept {
  Vec6 y;
  for (std::size_t i = 0; i < 6; ++i) {
    double x = b[i];
    for (std::size_t k = 0; k < i; ++k) x -= l[i][k] * y[k];
    y[i] = x * l[i][i];
  }
  return y;
}

Hypothesis hypothesis_of(const Triangle& l, const Vec6& y, const Vec6& column,
                         double effort) noexcept {
  Hypothesis h;
  const Vec6 z = forward(l, column);
  h.information = dot(z, z);
  if (!(h.information > 0)) return h;
  const double zy = dot(z, y);
  h.missing = zy / h.information;
  h.likelihood = zy * zy / h.information;
  const double beyond = std::max(0.0, std::abs(h.missing) - kHealthy * std::abs(effort));
  h.beyond = h.information * beyond * beyond;
  if (std::abs(effort) > 1e-9) h.efficiency = std::clamp(1 + h.missing / effort, -99.0, 99.0);
  h.loss = is_loss(h.efficiency);
  return h;
}

}  // namespace pintle::estimation
