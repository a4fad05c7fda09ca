#include "pintle/allocation_suite/reference.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

// A_F = U S V', kept as rows w_k = S_k V_k' over the free channels and the rotation U
struct Svd {
  std::array<std::array<double, kMaxChannels>, kAxes> w;
  std::array<Vec6, kAxes> u;
  std::array<double, kAxes> s2;
  std::array<bool, kAxes> kept;
};

constexpr int kMaxSweeps = 30;
// of the largest bound: moves below this are rounding
constexpr double kNoMove = 1e-13;
// of the largest bound: no further outside than this is inside
constexpr double kOnBound = 1e-14;

// rotates rows p and q of w until they are orthogonal; false when they already are
bool rotate_rows(Svd& svd, std::size_t n, std::size_t p, std::size_t q) noexcept {
  auto& wp = svd.w[p];
  auto& wq = svd.w[q];
  double pp = 0, qq = 0, pq = 0;
  for (std::size_t i = 0; i < n; ++i) {
    pp += wp[i] * wp[i];
    qq += wq[i] * wq[i];
    pq += wp[i] * wq[i];
  }
  if (!(std::abs(pq) > 1e-16 * std::sqrt(pp) * std::sqrt(qq))) return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double cosine = 1 / std::sqrt(1 + t * t);
  const double sine = cosine * t;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = wp[i];
    const double b = wq[i];
    wp[i] = cosine * a - sine * b;
    wq[i] = sine * a + cosine * b;
  }
  for (std::size_t i = 0; i < kAxes; ++i) {
    const double a = svd.u[p][i];
    const double b = svd.u[q][i];
    svd.u[p][i] = cosine * a - sine * b;
    svd.u[q][i] = sine * a + cosine * b;
  }
  return true;
}

void decompose(Svd& svd, std::size_t n) noexcept {
  for (std::size_t k = 0; k < kAxes; ++k) {
    svd.u[k] = {};
    svd.u[k][k] = 1;
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < kAxes; ++p)
      for (std::size_t q = p + 1; q < kAxes; ++q) rotated |= rotate_rows(svd, n, p, q);
    if (!rotated) break;
  }
  double largest = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += svd.w[k][i] * svd.w[k][i];
    svd.s2[k] = sum;
    largest = std::max(largest, sum);
  }
  for (std::size_t k = 0; k < kAxes; ++k) {
    svd.kept[k] = svd.s2[k] > kRankTolerance * kRankTolerance * largest;
  }
}

class ReferenceSolver {
 public:
  ReferenceSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution), b_(problem.b) {}

  void run(int max_iterations) noexcept {
    start();
    s_.converged = false;
    s_.loses_digits = true;
    for (s_.iterations = 1; s_.iterations <= max_iterations; ++s_.iterations) {
      if (!is_aside_ && stalled_ > static_cast<int>(p_.n) + 4) {
        is_aside_ = true;
        b_ = aside(p_);
        stalled_ = 0;
        banned_.fill(false);
      }
      if (!step_to_target()) continue;
      multipliers();
      if (!release_one()) {
        s_.converged = true;
        if (is_aside_) settle();
        return;
      }
    }
    s_.iterations = max_iterations;
  }

 private:
  // the free optimum cut to the box: close to the answer, and the answer itself when nothing is cut
  void start() noexcept {
    for (std::size_t i = 0; i < p_.n; ++i) {
      const bool fixed = !(p_.lower[i] < p_.upper[i]);
      s_.held[i] = fixed ? Held::kFixed : Held::kFree;
      s_.x[i] = fixed ? p_.lower[i] : 0;
      banned_[i] = false;
    }
    solve_free();
    for (std::size_t j = 0; j < free_count_; ++j) {
      const std::size_t i = free_[j];
      const double side = beyond(i, target_[j]);
      s_.x[i] = std::clamp(target_[j], p_.lower[i], p_.upper[i]);
      if (side != 0) s_.held[i] = side < 0 ? Held::kLower : Held::kUpper;
    }
  }

  // -1 below the box, 1 above, 0 inside to rounding
  [[nodiscard]] double beyond(std::size_t i, double x) const noexcept {
    if (x < p_.lower[i] - kOnBound) return -1;
    return x > p_.upper[i] + kOnBound ? 1 : 0;
  }

  // the set found, for the right side that was asked
  void settle() noexcept {
    b_ = p_.b;
    solve_free();
    for (std::size_t j = 0; j < free_count_; ++j)
      s_.x[free_[j]] = std::clamp(target_[j], p_.lower[free_[j]], p_.upper[free_[j]]);
  }

  // the optimum over the free channels with the others where they are
  void solve_free() noexcept {
    free_count_ = 0;
    Vec6 c = b_;
    for (std::size_t k = 0; k < kAxes; ++k) magnitude_[k] = std::abs(b_[k]);
    for (std::size_t i = 0; i < p_.n; ++i) {
      if (s_.held[i] == Held::kFree) {
        for (std::size_t k = 0; k < kAxes; ++k) svd_.w[k][free_count_] = p_.column[i][k];
        free_[free_count_++] = i;
      } else {
        c = c - s_.x[i] * p_.column[i];
        for (std::size_t k = 0; k < kAxes; ++k)
          magnitude_[k] += std::abs(s_.x[i] * p_.column[i][k]);
      }
    }
    decompose(svd_, free_count_);
    slope_ = {};
    for (std::size_t j = 0; j < free_count_; ++j) target_[j] = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double y = dot(svd_.u[k], c);
      if (!svd_.kept[k]) {
        outside_[k] = y;
        outside_size_[k] = 0;
        for (std::size_t j = 0; j < kAxes; ++j)
          outside_size_[k] += std::abs(svd_.u[k][j]) * magnitude_[j];
        continue;
      }
      const double gain = y / (svd_.s2[k] + p_.r);
      for (std::size_t j = 0; j < free_count_; ++j) target_[j] += gain * svd_.w[k][j];
      slope_ = slope_ + gain * svd_.u[k];
    }
  }

  // moves towards the free optimum as far as the box allows; true when it is reached
  bool step_to_target() noexcept {
    solve_free();
    if (released_ >= 0 && !moves_inwards()) return false;
    std::array<double, kMaxChannels> to_bound;
    double length = 1;
    for (std::size_t j = 0; j < free_count_; ++j) {
      const std::size_t i = free_[j];
      const double side = beyond(i, target_[j]);
      if (side == 0) {
        to_bound[j] = 2;
        continue;
      }
      const double bound = side < 0 ? p_.lower[i] : p_.upper[i];
      to_bound[j] = (bound - s_.x[i]) / (target_[j] - s_.x[i]);
      length = std::min(length, to_bound[j]);
    }
    bool reached = true;
    double moved = 0;
    for (std::size_t j = 0; j < free_count_; ++j) {
      const std::size_t i = free_[j];
      const double before = s_.x[i];
      if (to_bound[j] <= length) {
        s_.held[i] = target_[j] < before ? Held::kLower : Held::kUpper;
        s_.x[i] = target_[j] < before ? p_.lower[i] : p_.upper[i];
      } else {
        const double x = length < 1 ? before + length * (target_[j] - before) : target_[j];
        s_.x[i] = std::clamp(x, p_.lower[i], p_.upper[i]);
      }
      if (to_bound[j] < 2) reached = false;
      moved = std::max(moved, std::abs(s_.x[i] - before));
    }
    // a real move: earlier refusals are worth another look
    if (moved > kNoMove) {
      banned_.fill(false);
      stalled_ = 0;
    } else {
      ++stalled_;
    }
    released_ = -1;
    return reached;
  }

  // rounding can call for a release that leads out of the box: take it back
  bool moves_inwards() noexcept {
    const auto i = static_cast<std::size_t>(released_);
    double target = s_.x[i];
    for (std::size_t j = 0; j < free_count_; ++j)
      if (free_[j] == i) target = target_[j];
    const double side = beyond(i, target);
    if (!(released_from_ == Held::kLower ? side < 0 : side > 0)) return true;
    s_.held[i] = released_from_;
    banned_[i] = true;
    released_ = -1;
    return false;
  }

  // how much the cost falls per unit of inward motion, first at r^0 and then at r^1; above 0:
  // release
  void multipliers() noexcept {
    for (std::size_t i = 0; i < p_.n; ++i) {
      gain0_[i] = gain1_[i] = 0;
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      const double inwards = s_.held[i] == Held::kLower ? 1 : -1;
      const Vec6& a = p_.column[i];
      const double g0 = first_multiplier(a);
      const double slope = dot(a, slope_);
      const double g1 = slope - s_.x[i];
      double slope_size = std::abs(s_.x[i]);
      for (std::size_t k = 0; k < kAxes; ++k) slope_size += std::abs(a[k] * slope_[k]);
      if (p_.r > 0) {
        const double g = g0 + p_.r * g1;
        gain0_[i] = std::abs(g) > 1e-13 * (std::abs(g0) + p_.r * slope_size) ? inwards * g : 0;
      } else {
        gain0_[i] = inwards * g0;
        gain1_[i] = g0 == 0 && std::abs(g1) > 1e-13 * slope_size ? inwards * g1 : 0;
      }
    }
  }

  // a' d, from the parts of both outside the span of the free columns; 0 where rounding made it
  [[nodiscard]] double first_multiplier(const Vec6& a) const noexcept {
    double sum = 0;
    double noise = 0;
    double length2 = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (svd_.kept[k]) continue;
      double part = 0;
      double size = 0;
      for (std::size_t j = 0; j < kAxes; ++j) {
        part += svd_.u[k][j] * a[j];
        size += std::abs(svd_.u[k][j] * a[j]);
      }
      sum += part * outside_[k];
      length2 += part * part;
      noise += 1e-13 * (size * std::abs(outside_[k]) + std::abs(part) * outside_size_[k]);
    }
    const bool spanned = length2 <= kRankTolerance * kRankTolerance * dot(a, a);
    return !spanned && std::abs(sum) > noise ? sum : 0;
  }

  bool release_one() noexcept {
    for (const auto& gain : {gain0_, gain1_}) {
      double best = 0;
      released_ = -1;
      for (std::size_t i = 0; i < p_.n; ++i) {
        if (banned_[i] || !(gain[i] > best)) continue;
        released_ = static_cast<int>(i);
        // on a point that does not move, the first one: Bland's rule does not cycle
        if (stalled_ > static_cast<int>(p_.n) / 2) break;
        best = gain[i];
      }
      if (released_ < 0) continue;
      const auto i = static_cast<std::size_t>(released_);
      released_from_ = s_.held[i];
      s_.held[i] = Held::kFree;
      return true;
    }
    return false;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  Vec6 b_;
  bool is_aside_ = false;
  Svd svd_;
  std::size_t free_count_ = 0;
  std::array<std::size_t, kMaxChannels> free_;
  std::array<double, kMaxChannels> target_;
  std::array<double, kMaxChannels> gain0_, gain1_;
  std::array<bool, kMaxChannels> banned_;
  Vec6 slope_;
  Vec6 magnitude_;     // what passes through each row
  Vec6 outside_;       // of c, along the directions that the free columns do not span
  Vec6 outside_size_;  // and what went into it
  int released_ = -1;
  int stalled_ = 0;
  Held released_from_ = Held::kFree;
};

}  // namespace

Vec6 aside(const BoxProblem& problem) noexcept {
  // no two alike, none simple
  constexpr Vec6 kPattern{{0.831, -0.673, 0.917, -0.549, 0.737, -0.961}};
  Vec6 b = problem.b;
  for (std::size_t k = 0; k < kAxes; ++k) {
    double size = std::abs(b[k]);
    for (std::size_t i = 0; i < problem.n; ++i)
      size += std::abs(problem.column[i][k]) *
              std::max(std::abs(problem.lower[i]), std::abs(problem.upper[i]));
    b[k] += 1e-11 * size * kPattern[k];
  }
  return b;
}

void solve_reference(const BoxProblem& problem, int max_iterations,
                     BoxSolution& solution) noexcept {
  ReferenceSolver(problem, solution).run(max_iterations);
}

}  // namespace pintle::allocation
