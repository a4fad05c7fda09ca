/// One propulsor's hypothesis, "it gives something else than it was asked for", against none. For
/// the sources of this room: see failure_detector.h.
#pragma once
#include <algorithm>

#include "pintle/estimation/model_error.h"

namespace pintle::estimation {

// pushing unasked is rarer than not pushing when asked: it must be that much clearer
inline constexpr double kUnasked = 20;

// of a healthy propulsor: no further is what it gives from what is asked, as a share
inline constexpr double kHealthy = 0.2;

/// Gives less than asked, at most the reverse of it (and some); otherwise it pushes by itself.
[[nodiscard]] constexpr bool is_loss(double efficiency) noexcept {
  return efficiency < 1 && efficiency > -1.6;
}

struct Hypothesis {
  double likelihood = 0;   ///< l = (b' S^-1 r)^2 / (b' S^-1 b).
  double missing = 0;      ///< Effort given beyond what was asked.
  double information = 0;  ///< b' S^-1 b.
  double efficiency = 1;
  double beyond = 0;  ///< l of it against the healthy one that fits best.
  bool loss = false;

  [[nodiscard]] double value() const noexcept {
    return loss ? likelihood : std::max(0.0, likelihood - kUnasked);
  }
  /// What is left of it against the healthy.
  [[nodiscard]] double proof() const noexcept {
    return loss ? beyond : std::max(0.0, beyond - kUnasked);
  }
};

/// L L' = S in place, 1 / L_ii on the diagonal; false when S is not positive definite.
[[nodiscard]] bool factor(Triangle& S) noexcept;
/// L^-1 b.
[[nodiscard]] Vec6 forward(const Triangle& L, const Vec6& b) noexcept;
/// `y` is L^-1 r, `effort` what was asked.
[[nodiscard]] Hypothesis hypothesis_of(const Triangle& L, const Vec6& y, const Vec6& column,
                                       double effort) noexcept;

}  // namespace pintle::estimation
