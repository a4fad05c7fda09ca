#include "pintle/allocation/active_set.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

// of the largest bound: a free channel this far outside is inside to rounding
constexpr double kInside = 1e-14;
// part of what enters a multiplier that rounding may make
constexpr double kNoise = 1e-13;
// and above this no closer look is needed
constexpr double kClear = 1e-9;
// a pivot below this part of its diagonal is not trusted in a squared system
constexpr double kTrustedPivot = 1e-7;
// and below this the solution is corrected once from its residual
constexpr double kRefineBelow = 1e-2;
constexpr double kCarriedByR = 1e-3;
// length of a column outside the span of others: below is dependent, between is not trusted
constexpr double kDependent = 1e-13;
constexpr double kIndependent = 1e-9;

// of the largest bound: moves below this are rounding
constexpr double kMoved = 1e-13;

constexpr int kFirstPatience = 0;
constexpr int kPatience = 2;

template <int N>
class BlockSolver {
 public:
  BlockSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution) {}

  bool run(bool warm, int max_iterations) noexcept {
    for (std::size_t i = 0; i < n(); ++i) {
      const bool fixed = !(p_.lower[i] < p_.upper[i]);
      if (fixed)
        s_.held[i] = Held::kFixed;
      else if (!warm || s_.held[i] == Held::kFixed)
        s_.held[i] = Held::kFree;
    }
    s_.iterations = 0;
    if (!exchange_blocks(max_iterations, kFirstPatience)) {
      remember_start();
      const bool proved =
          follow_kinks(max_iterations) && exchange_blocks(max_iterations, kPatience);
      if (!proved && !descend(max_iterations)) return false;
    }
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] == Held::kUpper)
        s_.x[i] = p_.upper[i];
      else if (s_.held[i] == Held::kFree)
        s_.x[i] = std::clamp(s_.x[i], p_.lower[i], p_.upper[i]);
      else
        s_.x[i] = p_.lower[i];
    }
    s_.converged = true;
    return true;
  }

 private:
  static constexpr std::size_t kCapacity = N > 0 ? N : kMaxChannels;

  // exchanges all wrong channels at once while that makes them fewer
  bool exchange_blocks(int max_iterations, int patience) noexcept {
    int fewest = static_cast<int>(n()) + 1;
    int left = patience;
    while (++s_.iterations <= max_iterations) {
      if (!solve_free()) return false;
      const int wrong = exchange();
      if (wrong == 0) return true;
      if (wrong < fewest) {
        fewest = wrong;
        left = patience;
      } else if (--left < 0) {
        return false;
      }
    }
    return false;
  }

  // the last answer cut to the box: where the searches below begin
  void remember_start() noexcept {
    for (std::size_t i = 0; i < n(); ++i) {
      start_[i] = std::clamp(s_.x[i], p_.lower[i], p_.upper[i]);
      start_held_[i] = s_.held[i];
    }
  }

  // Where the demand is out of reach: minimises the dual of the distance to what can be reached,
  //   1/2 |e|^2 - b'e + sum_i max(lower_i a_i'e, upper_i a_i'e),
  // over the residual e. It has a kink wherever some a_i'e is 0; the kinks that e sits on are the
  // free channels. Every search along a line goes past all kinks up to the lowest point (exact), so
  // the dual falls strictly and no set of kinks comes back. False: the demand can be met, or no
  // end.
  bool follow_kinks(int max_iterations) noexcept {
    begin_kinks();
    const int end = std::min(max_iterations, s_.iterations + 3 * static_cast<int>(n()) + 12);
    while (++s_.iterations <= end) {
      Vec6 goal = kink_c_;
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t s = 0; s < rank_; ++s) goal = goal - dot(q_[s], goal) * q_[s];
      const Vec6 direction = goal - e_;
      times_columns(direction, first_);
      const int found = search_line(dot(direction, direction), direction);
      if (found >= 0) {
        if (!add_kink(static_cast<std::size_t>(found))) return false;
      } else if (found == kArrived && !drop_kink()) {
        return finish_kinks();
      }
    }
    return false;
  }

  void begin_kinks() noexcept {
    rank_ = 0;
    e_ = p_.b;
    for (std::size_t i = 0; i < n(); ++i) e_ = e_ - start_[i] * p_.column[i];
    times_columns(e_, target_);
    kink_c_ = p_.b;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kFixed) s_.held[i] = target_[i] > 0 ? Held::kUpper : Held::kLower;
      s_.x[i] = s_.held[i] == Held::kUpper ? p_.upper[i] : p_.lower[i];
      kink_c_ = kink_c_ - s_.x[i] * p_.column[i];
    }
  }

  static constexpr int kArrived = -1;
  static constexpr int kBetween = -2;

  // to the lowest point along the direction; the channel whose kink it is, or kArrived at the end
  // of the full step, or kBetween
  int search_line(double length2, const Vec6& direction) noexcept {
    double jumps = 0;
    double step = 1;
    int result = kArrived;
    for (;;) {
      std::size_t next = n();
      double at = 1;
      for (std::size_t i = 0; i < n(); ++i) {
        if (s_.held[i] == Held::kFixed || s_.held[i] == Held::kFree) continue;
        const bool falls = s_.held[i] == Held::kUpper ? first_[i] < 0 : first_[i] > 0;
        if (!falls) continue;
        const double crossing = std::max(-target_[i] / first_[i], 0.0);
        if (crossing < at) {
          at = crossing;
          next = i;
        }
      }
      const double level = length2 - jumps;  // the slope is -level + step * length2
      if (next == n() || at * length2 >= level) {
        if (jumps > 0) {
          step = std::min(std::max(level / length2, 0.0), 1.0);
          result = kBetween;
        }
        break;
      }
      jumps += std::abs(first_[next]) * (p_.upper[next] - p_.lower[next]);
      if (at * length2 + jumps >= length2) {
        step = at;
        result = static_cast<int>(next);
        break;
      }
      flip(next);
    }
    e_ = e_ + step * direction;
    for (std::size_t i = 0; i < n(); ++i) target_[i] += step * first_[i];
    return result;
  }

  void flip(std::size_t i) noexcept {
    const bool up = s_.held[i] == Held::kLower;
    const double width = p_.upper[i] - p_.lower[i];
    kink_c_ = kink_c_ - (up ? width : -width) * p_.column[i];
    s_.x[i] = up ? p_.upper[i] : p_.lower[i];
    s_.held[i] = up ? Held::kUpper : Held::kLower;
  }

  // false when all rows are spanned: nothing is out of reach
  bool add_kink(std::size_t i) noexcept {
    if (rank_ + 1 >= kAxes) return false;
    kink_c_ = kink_c_ + s_.x[i] * p_.column[i];
    s_.held[i] = Held::kFree;
    kink_[rank_] = i;
    return span_kink(rank_);
  }

  // the next direction of the basis, from kink_[s], with its triangular coordinates
  bool span_kink(std::size_t s) noexcept {
    const Vec6& a = p_.column[kink_[s]];
    Vec6 q = a;
    triangle_[s] = {};
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < s; ++j) {
        const double part = dot(q_[j], q);
        triangle_[s][j] += part;
        q = q - part * q_[j];
      }
    const double left = norm(q);
    if (!(left > kIndependent * norm(a))) return false;
    triangle_[s][s] = left;
    q_[s] = (1 / left) * q;
    rank_ = s + 1;
    return true;
  }

  // the free channel that is furthest out goes to its bound; false when all are inside
  bool drop_kink() noexcept {
    Vec6 y;
    for (std::size_t s = 0; s < rank_; ++s) y[s] = dot(q_[s], kink_c_);
    std::size_t worst = rank_;
    double furthest = kInside;
    for (std::size_t s = rank_; s-- > 0;) {
      double x = y[s];
      for (std::size_t j = s + 1; j < rank_; ++j) x -= triangle_[j][s] * y[j];
      y[s] = x / triangle_[s][s];
      const std::size_t i = kink_[s];
      const double out = std::max(p_.lower[i] - y[s], y[s] - p_.upper[i]);
      if (out > furthest) {
        furthest = out;
        worst = s;
      }
    }
    if (worst == rank_) return false;
    const std::size_t i = kink_[worst];
    const bool up = y[worst] > p_.upper[i];
    s_.held[i] = up ? Held::kUpper : Held::kLower;
    s_.x[i] = up ? p_.upper[i] : p_.lower[i];
    kink_c_ = kink_c_ - s_.x[i] * p_.column[i];
    target_[i] = 0;
    const std::size_t count = rank_ - 1;
    for (std::size_t s = worst; s < count; ++s) {
      kink_[s] = kink_[s + 1];
      // was independent with more beside it
      static_cast<void>(span_kink(s));
    }
    rank_ = count;
    return true;
  }

  // nothing left to the demand: that is the other case
  [[nodiscard]] bool finish_kinks() const noexcept {
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) size = std::max(size, std::abs(p_.b[k]));
    return norm(e_) > 1e-12 * size;
  }

  // the reference's descent with this solver's kernels: inside the box, the cost falls each step
  bool descend(int max_iterations) noexcept {
    if (s_.iterations >= max_iterations) return false;
    for (std::size_t i = 0; i < n(); ++i) {
      s_.x[i] = start_[i];
      if (s_.held[i] != Held::kFixed) s_.held[i] = start_held_[i];
      if (s_.held[i] == Held::kFree && start_[i] == p_.lower[i]) s_.held[i] = Held::kLower;
      if (s_.held[i] == Held::kFree && start_[i] == p_.upper[i]) s_.held[i] = Held::kUpper;
    }
    bool moved = true;
    while (++s_.iterations <= max_iterations) {
      if (!solve_free()) return false;
      if (!advance(moved)) continue;
      const int wrong = release(moved);
      if (wrong <= 0) return wrong == 0;
      moved = false;
    }
    return false;
  }

  // moves the free channels towards their targets as far as the box lets them; true when all arrive
  bool advance(bool& moved) noexcept {
    bool blocked = false;
    bool back = false;
    double length = 1;
    std::array<double, kCapacity> goal;
    for (std::size_t f = 0; f < free_count_; ++f) {
      const std::size_t i = free_[f];
      goal[i] = std::clamp(target_[i], p_.lower[i], p_.upper[i]);
      if (std::abs(goal[i] - target_[i]) <= kInside) continue;
      blocked = true;
      if (goal[i] == s_.x[i]) {
        // on its bound and wants out
        s_.held[i] = target_[i] < goal[i] ? Held::kLower : Held::kUpper;
        back = true;
      } else {
        length = std::min(length, (goal[i] - s_.x[i]) / (target_[i] - s_.x[i]));
      }
    }
    if (back) return false;
    if (blocked && !falls(goal)) {
      for (std::size_t f = 0; f < free_count_; ++f) {
        const std::size_t i = free_[f];
        const double step = length * (target_[i] - s_.x[i]);
        // those that reach their bound first end on it bit for bit
        if (goal[i] == target_[i] || std::abs(goal[i] - s_.x[i]) > std::abs(step))
          goal[i] = std::clamp(s_.x[i] + step, p_.lower[i], p_.upper[i]);
      }
    }
    for (std::size_t f = 0; f < free_count_; ++f) {
      const std::size_t i = free_[f];
      moved = moved || std::abs(goal[i] - s_.x[i]) > kMoved;
      s_.x[i] = goal[i];
      if (!blocked) continue;
      if (goal[i] == p_.lower[i] && target_[i] < goal[i]) s_.held[i] = Held::kLower;
      if (goal[i] == p_.upper[i] && target_[i] > goal[i]) s_.held[i] = Held::kUpper;
    }
    return !blocked;
  }

  // whether the cost is safely lower with the free channels there
  [[nodiscard]] bool falls(const std::array<double, kCapacity>& goal) const noexcept {
    Vec6 now = c_;
    Vec6 then = c_;
    double now_r = 0;
    double then_r = 0;
    for (std::size_t f = 0; f < free_count_; ++f) {
      const std::size_t i = free_[f];
      now = now - s_.x[i] * p_.column[i];
      then = then - goal[i] * p_.column[i];
      now_r += s_.x[i] * s_.x[i];
      then_r += goal[i] * goal[i];
    }
    return dot(then, then) + p_.r * then_r < 0.999 * (dot(now, now) + p_.r * now_r);
  }

  // releases all held channels that want in, or only the keenest when the last release moved
  // nothing; how many, -1 when nothing would come of it
  int release(bool all) noexcept {
    int wrong = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      if (!wants_inwards(i, s_.held[i] == Held::kLower ? 1 : -1)) continue;
      ++wrong;
      if (all) s_.held[i] = Held::kFree;
    }
    return !all && wrong > 0 ? -1 : wrong;
  }

  [[nodiscard]] std::size_t n() const noexcept {
    return N > 0 ? static_cast<std::size_t>(N) : p_.n;
  }

  bool solve_free() noexcept {
    free_count_ = 0;
    c_ = p_.b;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] == Held::kFree) {
        free_[free_count_++] = static_cast<std::uint8_t>(i);
      } else {
        s_.x[i] = s_.held[i] == Held::kUpper ? p_.upper[i] : p_.lower[i];
        for (std::size_t k = 0; k < kAxes; ++k) c_[k] -= s_.x[i] * p_.column[i][k];
      }
    }
    spanned_ = free_count_ >= kAxes && solve_rows();
    if (!spanned_ && !solve_span()) return false;
    // what every channel would be with these multipliers: the free ones take it
    times_columns(l_, target_);
    if (!spanned_) times_columns(d_, first_);
    return true;
  }

  void times_columns(const Vec6& v, std::array<double, kCapacity>& out) const noexcept {
    for (std::size_t i = 0; i < n(); ++i) {
      const Vec6& a = p_.column[i];
      out[i] = a[0] * v[0] + a[1] * v[1] + a[2] * v[2] + a[3] * v[3] + a[4] * v[4] + a[5] * v[5];
    }
  }

  // l from the squared system of all rows; false when it is not safely definite
  bool solve_rows() noexcept {
    Definite g;
    for (std::size_t f = 0; f < free_count_; ++f) {
      const Vec6& a = p_.column[free_[f]];
      for (std::size_t j = 0; j < kAxes; ++j)
        for (std::size_t k = 0; k <= j; ++k) g.m[j][k] += a[j] * a[k];
    }
    for (std::size_t j = 0; j < kAxes; ++j) g.m[j][j] += p_.r;
    if (!g.factor(kAxes)) return false;
    // where r carries the system, l holds d / r and drowns x: the other way keeps them apart
    if (p_.r > 0 && g.weakest < kCarriedByR) return false;
    g.solve(kAxes, c_, l_);
    if (g.weakest < kRefineBelow) {
      Vec6 error = c_ - p_.r * l_;
      for (std::size_t f = 0; f < free_count_; ++f) {
        const Vec6& a = p_.column[free_[f]];
        error = error - dot(a, l_) * a;
      }
      Vec6 more;
      g.solve(kAxes, error, more);
      l_ = l_ + more;
    }
    return true;
  }

  // L D L' without pivoting: rounding does not depend on how the rows are scaled
  struct Definite {
    std::array<std::array<double, kAxes>, kAxes> m{};  // lower half; becomes L D
    std::array<double, kAxes> inverse;
    double weakest = 1;

    bool factor(std::size_t size) noexcept {
      for (std::size_t j = 0; j < size; ++j) {
        const double diagonal = m[j][j];
        double pivot = diagonal;
        for (std::size_t k = 0; k < j; ++k) pivot -= m[j][k] * m[j][k] * inverse[k];
        if (!(pivot > kTrustedPivot * diagonal)) return false;
        if (pivot < weakest * diagonal) weakest = pivot / diagonal;
        inverse[j] = 1 / pivot;
        for (std::size_t i = j + 1; i < size; ++i) {
          double x = m[i][j];
          for (std::size_t k = 0; k < j; ++k) x -= m[i][k] * m[j][k] * inverse[k];
          m[i][j] = x;
        }
      }
      return true;
    }
    void solve(std::size_t size, const Vec6& right, Vec6& result) const noexcept {
      for (std::size_t j = 0; j < size; ++j) {
        double y = right[j];
        for (std::size_t k = 0; k < j; ++k) y -= m[j][k] * result[k];
        result[j] = y * inverse[j];
      }
      for (std::size_t j = size; j-- > 0;) {
        double y = 0;
        for (std::size_t i = j + 1; i < size; ++i) y += m[i][j] * result[i];
        result[j] -= y * inverse[j];
      }
    }
  };

  // l and d from an orthonormal basis of the span of the free columns
  bool solve_span() noexcept {
    if (!build_basis()) return false;
    for (std::size_t k = 0; k < kAxes; ++k) size_[k] = std::abs(p_.b[k]);
    for (std::size_t i = 0; i < n(); ++i)
      if (s_.held[i] != Held::kFree)
        for (std::size_t k = 0; k < kAxes; ++k) size_[k] += std::abs(s_.x[i] * p_.column[i][k]);
    d_ = c_;
    l_ = {};
    Vec6 y;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank_; ++s) {
        const double part = dot(q_[s], d_);
        y[s] += part;
        d_ = d_ - part * q_[s];
      }
    Vec6 mu;
    if (rank_ == free_count_ && p_.r == 0) {
      // square and triangular in pivot order: R x = y, R' mu = x
      std::array<double, kAxes> x{};
      for (std::size_t s = rank_; s-- > 0;) {
        double t = y[s];
        for (std::size_t j = s + 1; j < rank_; ++j) t -= rest_[order_[j]].r[s] * x[j];
        x[s] = t / rest_[order_[s]].r[s];
      }
      for (std::size_t s = 0; s < rank_; ++s) {
        double t = x[s];
        for (std::size_t j = 0; j < s; ++j) t -= rest_[order_[s]].r[j] * mu[j];
        mu[s] = t / rest_[order_[s]].r[s];
      }
    } else {
      Definite g;
      for (std::size_t f = 0; f < free_count_; ++f)
        for (std::size_t j = 0; j < rank_; ++j)
          for (std::size_t k = 0; k <= j; ++k) g.m[j][k] += rest_[f].r[j] * rest_[f].r[k];
      for (std::size_t j = 0; j < rank_; ++j) g.m[j][j] += p_.r;
      if (!g.factor(rank_)) return false;
      g.solve(rank_, y, mu);
      if (g.weakest < kRefineBelow) {
        Vec6 error = y - p_.r * mu;
        for (std::size_t f = 0; f < free_count_; ++f) {
          double x = 0;
          for (std::size_t s = 0; s < rank_; ++s) x += rest_[f].r[s] * mu[s];
          for (std::size_t s = 0; s < rank_; ++s) error[s] -= x * rest_[f].r[s];
        }
        Vec6 more;
        g.solve(rank_, error, more);
        mu = mu + more;
      }
    }
    for (std::size_t s = 0; s < rank_; ++s) l_ = l_ + mu[s] * q_[s];
    return true;
  }

  // what is left of a free column, and its coordinates along the basis so far
  struct Rest {
    Vec6 v;
    std::array<double, kAxes> r;
    double original = 0;
    double left = 0;
    bool used = false;
  };

  bool build_basis() noexcept {
    rank_ = 0;
    for (std::size_t f = 0; f < free_count_; ++f) {
      rest_[f].v = p_.column[free_[f]];
      rest_[f].r.fill(0);
      rest_[f].original = rest_[f].left = dot(rest_[f].v, rest_[f].v);
      rest_[f].used = false;
    }
    while (rank_ < kAxes) {
      std::size_t pivot = free_count_;
      bool doubtful = false;
      for (std::size_t f = 0; f < free_count_; ++f) {
        const Rest& rest = rest_[f];
        if (rest.used || !(rest.left > kDependent * kDependent * rest.original)) continue;
        if (!(rest.left > kIndependent * kIndependent * rest.original)) {
          doubtful = true;
          continue;
        }
        if (pivot == free_count_ || rest.left > rest_[pivot].left) pivot = f;
      }
      if (pivot == free_count_) return !doubtful;
      add_to_basis(pivot);
    }
    return true;
  }

  void add_to_basis(std::size_t pivot) noexcept {
    Rest& chosen = rest_[pivot];
    Vec6 q = chosen.v;
    for (std::size_t s = 0; s < rank_; ++s) q = q - dot(q_[s], q) * q_[s];
    q = (1 / norm(q)) * q;
    for (std::size_t f = 0; f < free_count_; ++f) {
      Rest& rest = rest_[f];
      if (rest.used) continue;
      const double part = dot(q, rest.v);
      rest.r[rank_] = part;
      rest.v = rest.v - part * q;
      rest.left = dot(rest.v, rest.v);
    }
    chosen.used = true;
    order_[rank_] = pivot;
    q_[rank_++] = q;
  }

  // puts every channel whose condition fails where it wants to be; how many there were
  int exchange() noexcept {
    int wrong = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      switch (s_.held[i]) {
        case Held::kFixed: break;
        case Held::kFree:
          s_.x[i] = target_[i];
          if (target_[i] < p_.lower[i] - kInside) {
            s_.held[i] = Held::kLower;
            ++wrong;
          } else if (target_[i] > p_.upper[i] + kInside) {
            s_.held[i] = Held::kUpper;
            ++wrong;
          }
          break;
        case Held::kLower:
          if (wants_inwards(i, 1)) {
            s_.held[i] = Held::kFree;
            ++wrong;
          }
          break;
        case Held::kUpper:
          if (wants_inwards(i, -1)) {
            s_.held[i] = Held::kFree;
            ++wrong;
          }
          break;
      }
    }
    return wrong;
  }

  [[nodiscard]] bool wants_inwards(std::size_t i, double inwards) const noexcept {
    const double second = target_[i] - s_.x[i];
    if (spanned_) return inwards * second > 0 && inwards * second > kNoise * second_size(i);
    const double first = inwards * first_multiplier(i);
    if (p_.r > 0) {
      const double gain = first + inwards * p_.r * second;
      return gain > 0 && gain > kNoise * (std::abs(first) + p_.r * second_size(i));
    }
    if (first != 0) return first > 0;
    return inwards * second > kNoise * second_size(i);
  }

  [[nodiscard]] double second_size(std::size_t i) const noexcept {
    double size = std::abs(s_.x[i]);
    for (std::size_t k = 0; k < kAxes; ++k) size += std::abs(p_.column[i][k] * l_[k]);
    return size;
  }

  // a_i' d, or 0 where rounding made it
  [[nodiscard]] double first_multiplier(std::size_t i) const noexcept {
    const Vec6& a = p_.column[i];
    double through = 0;
    for (std::size_t k = 0; k < kAxes; ++k) through += std::abs(a[k]) * size_[k];
    if (std::abs(first_[i]) > kClear * through) return first_[i];

    // close: only what of the column lies outside the span counts
    Vec6 outside = a;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank_; ++s) outside = outside - dot(q_[s], outside) * q_[s];
    if (dot(outside, outside) <= kRankTolerance * kRankTolerance * dot(a, a)) return 0;
    double sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      sum += outside[k] * d_[k];
      size += std::abs(outside[k]) * size_[k] + std::abs(a[k] * d_[k]);
    }
    return std::abs(sum) > kNoise * size ? sum : 0;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  std::size_t free_count_ = 0;
  std::size_t rank_ = 0;
  bool spanned_ = false;  // the free columns span all rows: d is zero
  Vec6 c_, l_, d_;
  Vec6 size_;  // what passes through each row
  Vec6 e_, kink_c_;
  std::array<std::size_t, kAxes> kink_;
  std::array<Vec6, kAxes> triangle_;
  std::array<Vec6, kAxes> q_;
  std::array<std::size_t, kAxes> order_;
  std::array<std::uint8_t, kCapacity> free_;
  std::array<double, kCapacity> target_, first_, start_;
  std::array<Held, kCapacity> start_held_;
  std::array<Rest, kCapacity> rest_;
};

}  // namespace

bool solve_blocks(const BoxProblem& problem, bool warm, int max_iterations,
                  BoxSolution& solution) noexcept {
  switch (problem.n) {
    case 4: return BlockSolver<4>(problem, solution).run(warm, max_iterations);
    case 6: return BlockSolver<6>(problem, solution).run(warm, max_iterations);
    case 8: return BlockSolver<8>(problem, solution).run(warm, max_iterations);
    case 12: return BlockSolver<12>(problem, solution).run(warm, max_iterations);
    case 16: return BlockSolver<16>(problem, solution).run(warm, max_iterations);
    default: return BlockSolver<0>(problem, solution).run(warm, max_iterations);
  }
}

}  // namespace pintle::allocation
