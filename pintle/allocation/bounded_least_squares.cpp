#include "pintle/allocation/bounded_least_squares.h"

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
// of the largest bound: a released channel that moves less has a multiplier of zero
constexpr double kNoMove = 1e-13;
// of the largest bound: nearer than this is on it
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
      : p_(problem), s_(solution) {}

  void run(int max_iterations) noexcept {
    start();
    s_.converged = false;
    for (s_.iterations = 1; s_.iterations <= max_iterations; ++s_.iterations) {
      if (!step_to_target()) continue;
      multipliers();
      if (!release_one()) {
        s_.converged = true;
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
      hold_or_move(i, target_[j]);
    }
  }

  void hold_or_move(std::size_t i, double x) noexcept {
    if (!(x > p_.lower[i] + kOnBound)) {
      s_.x[i] = p_.lower[i];
      s_.held[i] = Held::kLower;
    } else if (!(x < p_.upper[i] - kOnBound)) {
      s_.x[i] = p_.upper[i];
      s_.held[i] = Held::kUpper;
    } else {
      s_.x[i] = x;
      s_.held[i] = Held::kFree;
    }
  }

  // the optimum over the free channels with the others where they are
  void solve_free() noexcept {
    free_count_ = 0;
    Vec6 c = p_.b;
    for (std::size_t k = 0; k < kAxes; ++k) magnitude_[k] = std::abs(p_.b[k]);
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
    double length = 1;
    for (std::size_t j = 0; j < free_count_; ++j) {
      const std::size_t i = free_[j];
      const double limit = target_[j] < p_.lower[i]   ? p_.lower[i]
                           : target_[j] > p_.upper[i] ? p_.upper[i]
                                                      : target_[j];
      if (limit != target_[j])
        length = std::min(length, (limit - s_.x[i]) / (target_[j] - s_.x[i]));
    }
    bool reached = true;
    for (std::size_t j = 0; j < free_count_; ++j) {
      const std::size_t i = free_[j];
      const bool outside = target_[j] < p_.lower[i] || target_[j] > p_.upper[i];
      const double to_bound =
          outside ? ((target_[j] < p_.lower[i] ? p_.lower[i] : p_.upper[i]) - s_.x[i]) /
                        (target_[j] - s_.x[i])
                  : 2;
      if (outside && to_bound <= length)
        hold_or_move(i, target_[j]);
      else
        hold_or_move(i, length < 1 ? s_.x[i] + length * (target_[j] - s_.x[i]) : target_[j]);
      if (outside) reached = false;
    }
    if (released_ >= 0) {
      const auto i = static_cast<std::size_t>(released_);
      const double from = released_from_ == Held::kLower ? p_.lower[i] : p_.upper[i];
      // a real move: earlier refusals are worth another look. Less is a multiplier of zero.
      if (std::abs(s_.x[i] - from) > kNoMove)
        banned_.fill(false);
      else
        banned_[i] = true;
      released_ = -1;
    }
    return reached;
  }

  // rounding can call for a release that leads out of the box: take it back
  bool moves_inwards() noexcept {
    const auto i = static_cast<std::size_t>(released_);
    double target = s_.x[i];
    for (std::size_t j = 0; j < free_count_; ++j)
      if (free_[j] == i) target = target_[j];
    const bool inwards = released_from_ == Held::kLower ? target > s_.x[i] : target < s_.x[i];
    if (inwards) return true;
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
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (svd_.kept[k]) continue;
      double part = 0;
      double size = 0;
      for (std::size_t j = 0; j < kAxes; ++j) {
        part += svd_.u[k][j] * a[j];
        size += std::abs(svd_.u[k][j] * a[j]);
      }
      sum += part * outside_[k];
      noise += 1e-13 * (size * std::abs(outside_[k]) + std::abs(part) * outside_size_[k]);
    }
    return std::abs(sum) > noise ? sum : 0;
  }

  bool release_one() noexcept {
    for (const auto& gain : {gain0_, gain1_}) {
      double best = 0;
      released_ = -1;
      for (std::size_t i = 0; i < p_.n; ++i) {
        if (banned_[i] || !(gain[i] > best)) continue;
        best = gain[i];
        released_ = static_cast<int>(i);
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
  Held released_from_ = Held::kFree;
};

}  // namespace

void solve_reference(const BoxProblem& problem, int max_iterations,
                     BoxSolution& solution) noexcept {
  ReferenceSolver(problem, solution).run(max_iterations);
}

}  // namespace pintle::allocation
