#include "pintle/vision/face_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "pintle/vision/plane.h"

namespace pintle::vision {
namespace {

constexpr int kPose = 6, kLight = 6, kBlur = 3, kInner = 1, kAll = kPose + kLight + kBlur + kInner;
using Vector = Eigen::Matrix<double, kAll, 1>;
using Matrix = Eigen::Matrix<double, kAll, kAll>;

/// Bell and its integral by a table: a fit asks for them some hundred thousand times.
class Bell {
 public:
  static constexpr double kReach = 3.5;
  static constexpr int kSteps = 64;  // per unit
  Bell() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double x = static_cast<double>(i) / kSteps - kReach;
      table_[i] = {0.5 * std::erfc(-x / std::sqrt(2.0)),
                   std::exp(-0.5 * x * x) / std::sqrt(2 * kPi)};
    }
  }
  struct Value {
    double integral, density;
  };
  [[nodiscard]] Value at(double x) const noexcept {
    if (!(x > -kReach)) return {0, 0};
    if (!(x < kReach)) return {1, 0};
    const double s = (x + kReach) * kSteps;
    const auto i = static_cast<std::size_t>(s);
    const double a = s - static_cast<double>(i);
    const Value &p = table_[i], &q = table_[i + 1];
    return {p.integral + a * (q.integral - p.integral), p.density + a * (q.density - p.density)};
  }

 private:
  std::array<Value, static_cast<std::size_t>(2 * kReach * kSteps) + 2> table_;
};
const Bell kBell;

/// An edge at e, blurred: how much of it is reached at x, by x, and by the variance.
struct Step {
  double t, x, var;
};
Step step(double x, double e, double sigma) noexcept {
  const double z = (x - e) / sigma;
  const auto [integral, density] = kBell.at(z);
  return {integral, density / sigma, -0.5 * density * z / (sigma * sigma)};
}

/// What each cell along one axis weighs at g (in cells), from -1 (all before) to n (all after).
struct Along {
  int first = 0, count = 0;
  std::array<Step, 12> weight{};
};
Along along(double g, double sigma, int n) noexcept {
  Along a;
  const int low = std::clamp(static_cast<int>(std::floor(g - Bell::kReach * sigma)), -1, n);
  const int high = std::clamp(static_cast<int>(std::floor(g + Bell::kReach * sigma)), -1, n);
  a.first = low;
  a.count = std::min(high - low + 1, static_cast<int>(a.weight.size()));
  Step before{1, 0, 0};  // everything to the left of here
  for (int i = 0; i < a.count; ++i) {
    const int cell = low + i;
    const Step after = cell >= n || i + 1 == a.count ? Step{0, 0, 0} : step(g, cell + 1, sigma);
    a.weight[static_cast<std::size_t>(i)] = {before.t - after.t, before.x - after.x,
                                             before.var - after.var};
    before = after;
  }
  return a;
}

Drawn cells_at(const Pattern& p, double X, double Y, double var_x, double var_y) noexcept {
  const int n = p.cells;
  const double gx = (X + 0.5) * n, gy = (0.5 - Y) * n;
  const double sx = std::clamp(std::sqrt(var_x) * n, 0.02, 1.2);
  const double sy = std::clamp(std::sqrt(var_y) * n, 0.02, 1.2);
  const Along ax = along(gx, sx, n), ay = along(gy, sy, n);
  Drawn d;
  for (int j = 0; j < ay.count; ++j) {
    const int row = ay.first + j;
    Step sum{0, 0, 0};
    for (int i = 0; i < ax.count; ++i) {
      const int column = ax.first + i;
      const bool light = row < 0 || row >= n || column < 0 || column >= n ||
                         p.light[static_cast<std::size_t>(row * n + column)] != 0;
      if (!light) continue;
      const Step& w = ax.weight[static_cast<std::size_t>(i)];
      sum.t += w.t;
      sum.x += w.x;
      sum.var += w.var;
    }
    const Step& w = ay.weight[static_cast<std::size_t>(j)];
    d.t += w.t * sum.t;
    d.x += w.t * sum.x;
    d.y += w.x * sum.t;
    d.var_x += w.t * sum.var;
    d.var_y += w.var * sum.t;
  }
  d.x *= n;
  d.y *= -n;
  d.var_x *= n * n;
  d.var_y *= n * n;
  return d;
}

Drawn ring_at(const Pattern& p, double X, double Y, double var) noexcept {
  const double r = std::sqrt(X * X + Y * Y), sigma = std::max(1e-4, std::sqrt(var));
  const Step in = step(r, p.inner, sigma), out = step(r, 1, sigma);
  Drawn d;
  d.t = in.t - out.t;
  const double by_r = in.x - out.x;
  if (r > 1e-9) {
    d.x = by_r * X / r;
    d.y = by_r * Y / r;
  }
  d.var_x = in.var - out.var;
  d.inner = -in.x;
  return d;
}

struct Estimate {
  Pose X_CF;
  std::array<double, 6> light{};
  std::array<double, 3> blur{};
  double inner = 0;
};

/// The variances of the blur along X and Y (of a ring: along the radius) at a point, and by uu,
/// uv, vv.
struct BlurAt {
  double x, y;
  std::array<double, 3> dx, dy;
};
BlurAt blur_at(const Pattern& pattern, const OnPlane& o, const std::array<double, 3>& s) noexcept {
  BlurAt b{};
  double gu = o.Xu, gv = o.Xv;
  if (pattern.kind == Pattern::Kind::kRing) {
    const double r = std::max(1e-9, std::sqrt(o.X * o.X + o.Y * o.Y));
    gu = (o.X * o.Xu + o.Y * o.Yu) / r;
    gv = (o.X * o.Xv + o.Y * o.Yv) / r;
  } else {
    b.dy = {o.Yu * o.Yu, 2 * o.Yu * o.Yv, o.Yv * o.Yv};
    b.y = s[0] * b.dy[0] + s[1] * b.dy[1] + s[2] * b.dy[2];
  }
  b.dx = {gu * gu, 2 * gu * gv, gv * gv};
  b.x = s[0] * b.dx[0] + s[1] * b.dx[1] + s[2] * b.dx[2];
  return b;
}

class Problem {
 public:
  Problem(const Pattern& pattern, double size_m, double fx, double fy,
          const std::vector<FaceSample>& samples, const UpPrior& prior, bool inner_is_free)
      : pattern_(pattern),
        size_(size_m),
        fx_(fx),
        fy_(fy),
        samples_(samples),
        prior_(prior),
        inner_is_free_(inner_is_free) {}

  /// Sum of what the weights leave of the squares; with `H` and `g` also the normal equations.
  double cost(const Estimate& e, double scale, Matrix* H, Vector* g, double* weights,
              double* squares) const {
    const Plane plane(e.X_CF, size_, fx_, fy_);
    Pattern pattern = pattern_;
    pattern.inner = e.inner;
    double sum = 0, w_sum = 0, s_sum = 0;
    if (H != nullptr) H->setZero(), g->setZero();
    OnPlane o;
    Vector J;
    const double c2 = 9 * scale * scale;
    for (const FaceSample& p : samples_) {
      if (!plane.at(p.x, p.y, o)) {
        sum += c2;
        continue;
      }
      const BlurAt blur = blur_at(pattern, o, e.blur);
      const Drawn d = pattern.at(o.X, o.Y, std::max(blur.x, 1e-8), std::max(blur.y, 1e-8));
      const auto& l = e.light;
      const double high = l[3] + l[4] * o.X + l[5] * o.Y;
      const double r = l[0] + l[1] * o.X + l[2] * o.Y + high * d.t - p.value;
      // Geman and McClure: what is far off has no say
      const double q = 1 / (1 + r * r / c2), w = q * q;
      sum += r * r * q;
      w_sum += w;
      s_sum += w * r * r;
      if (H == nullptr) continue;
      const double by_X = high * d.x + l[1] + l[4] * d.t, by_Y = high * d.y + l[2] + l[5] * d.t;
      for (int i = 0; i < 6; ++i)
        J[i] = by_X * o.X_by_pose[static_cast<std::size_t>(i)] +
               by_Y * o.Y_by_pose[static_cast<std::size_t>(i)];
      J.segment<6>(6) << 1, o.X, o.Y, d.t, d.t * o.X, d.t * o.Y;
      for (int i = 0; i < 3; ++i)
        J[12 + i] = high * (d.var_x * blur.dx[static_cast<std::size_t>(i)] +
                            d.var_y * blur.dy[static_cast<std::size_t>(i)]);
      J[15] = inner_is_free_ ? high * d.inner : 0;
      for (int i = 0; i < kAll; ++i) H->col(i) += (w * J[i]) * J;
      *g += w * r * J;
    }
    if (weights != nullptr) *weights = w_sum;
    if (squares != nullptr) *squares = s_sum;
    return sum + prior(e, scale, H, g);
  }

 private:
  /// What is known beforehand, in the unit of the squares.
  double prior(const Estimate& e, double scale, Matrix* H, Vector* g) const {
    const double unit = scale * scale;
    double sum = 0;
    const Mat3 R = to_matrix(e.X_CF.q);
    const Vec3 n{R(0, 2), R(1, 2), R(2, 2)};
    if (prior_.sigma_rad > 0) {
      const double w = unit / (prior_.sigma_rad * prior_.sigma_rad);
      const Vec3 r = n - prior_.up_C;
      sum += w * dot(r, r);
      if (H != nullptr) {
        const Mat3 k = skew(n);  // n turns by omega x n = -skew(n) omega
        const Mat3 kk = transpose(k) * k;
        const Vec3 kr = transpose(k) * r;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j <= i; ++j)
            (*H)(3 + i, 3 + j) += w * kk(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
          (*g)[3 + i] -= w * kr[static_cast<std::size_t>(i)];
        }
      }
    }
    if (H == nullptr) return sum;
    // a ring does not say how it is turned about its axis
    if (pattern_.kind == Pattern::Kind::kRing)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
          (*H)(3 + i, 3 + j) +=
              1e4 * unit * n[static_cast<std::size_t>(i)] * n[static_cast<std::size_t>(j)];
    // the blur within reason: it is told apart from contrast only where there are enough pixels
    for (int i = 0; i < 3; ++i) (*H)(12 + i, 12 + i) += 0.05 * unit;
    (*H)(15, 15) += inner_is_free_ ? 0 : 1;
    return sum;
  }

  const Pattern& pattern_;
  double size_, fx_, fy_;
  const std::vector<FaceSample>& samples_;
  UpPrior prior_;
  bool inner_is_free_;
};

Estimate moved(const Estimate& e, const Vector& d) {
  Estimate m = e;
  m.X_CF.p += Vec3{d[0], d[1], d[2]};
  m.X_CF.q = normalized(from_rotation_vector({d[3], d[4], d[5]}) * e.X_CF.q);
  for (std::size_t i = 0; i < 6; ++i) m.light[i] += d[static_cast<int>(6 + i)];
  for (std::size_t i = 0; i < 3; ++i) m.blur[i] += d[static_cast<int>(12 + i)];
  m.inner = std::clamp(m.inner + d[15], 0.1, 0.995);
  // a covariance stays one
  m.blur[0] = std::clamp(m.blur[0], 0.08, 60.0);
  m.blur[2] = std::clamp(m.blur[2], 0.08, 60.0);
  const double most = 0.95 * std::sqrt(m.blur[0] * m.blur[2]);
  m.blur[1] = std::clamp(m.blur[1], -most, most);
  return m;
}

/// The light that goes best with a pose, by least squares.
bool find_light(const Pattern& pattern, double size_m, double fx, double fy,
                const std::vector<FaceSample>& samples, Estimate& e, double& variance) {
  const Plane plane(e.X_CF, size_m, fx, fy);
  Eigen::Matrix2d H = Eigen::Matrix2d::Zero();
  Eigen::Vector2d g = Eigen::Vector2d::Zero();
  double sum = 0, sum2 = 0, n = 0;
  OnPlane o;
  for (const FaceSample& p : samples) {
    if (!plane.meet(p.x, p.y, o)) continue;
    const BlurAt blur = blur_at(pattern, o, e.blur);
    const double t = pattern.at(o.X, o.Y, std::max(blur.x, 1e-8), std::max(blur.y, 1e-8)).t;
    const Eigen::Vector2d J(1, t);
    H += J * J.transpose();
    g += J * double(p.value);
    sum += p.value;
    sum2 += double(p.value) * p.value;
    n += 1;
  }
  if (!(n >= 2 * kAll) || !(H.determinant() > 1e-6 * n * n)) return false;
  const Eigen::Vector2d l = H.ldlt().solve(g);
  e.light = {l[0], 0, 0, l[1], 0, 0};
  variance = sum2 / n - sum / n * (sum / n);
  return std::isfinite(l[0]) && std::isfinite(l[1]);
}

}  // namespace

Drawn Pattern::at(double X, double Y, double var_x, double var_y) const noexcept {
  return kind == Kind::kCells ? cells_at(*this, X, Y, var_x, var_y) : ring_at(*this, X, Y, var_x);
}

FaceFit fit_face(const Pattern& pattern, double size_m, double fx, double fy,
                 const std::vector<FaceSample>& samples, const FaceFit& start, const UpPrior& prior,
                 int iterations, bool inner_is_free) {
  FaceFit out = start;
  out.converged = false;
  Estimate e{start.X_CF, {}, start.blur_px2, pattern.inner};
  double variance = 0;
  if (!find_light(pattern, size_m, fx, fy, samples, e, variance)) return out;
  const Problem problem(pattern, size_m, fx, fy, samples, prior, inner_is_free);

  // first everything has a say, then less and less of what is far off
  double scale = std::max(2.0, 0.3 * std::abs(e.light[3]));
  double damping = 1e-3, weights = 0, squares = 0;
  Matrix H;
  Vector g;
  double cost = problem.cost(e, scale, &H, &g, &weights, &squares);
  for (int i = 0; i < iterations; ++i) {
    Matrix damped = H;
    damped.diagonal() *= 1 + damping;
    damped.diagonal().array() += 1e-9;
    const Vector d = -damped.selfadjointView<Eigen::Lower>().ldlt().solve(g);
    if (!d.allFinite()) return out;
    const Estimate next = moved(e, d);
    Matrix next_H;
    Vector next_g;
    double next_weights = 0, next_squares = 0;
    const double next_cost =
        problem.cost(next, scale, &next_H, &next_g, &next_weights, &next_squares);
    if (!(next_cost <= cost)) {
      damping = std::min(1e4, damping * 10);
      if (damping > 1e3) break;
      continue;
    }
    const bool little = next_cost > cost * (1 - 3e-4);
    e = next;
    H = next_H, g = next_g, weights = next_weights, squares = next_squares;
    cost = next_cost;
    damping = std::max(1e-6, damping * 0.1);
    const double left = std::sqrt(squares / std::max(1.0, weights));
    const double new_scale = std::max(0.8, 1.3 * left);
    if (little && new_scale > 0.8 * scale) break;
    if (new_scale < scale) {
      scale = new_scale;
      cost = problem.cost(e, scale, &H, &g, &weights, &squares);
    }
  }

  out.X_CF = e.X_CF;
  out.light = e.light;
  out.blur_px2 = e.blur;
  out.contrast = e.light[3];
  // the weights shrink the residual of those that belong: by 1 - 3 / 9 at this scale
  const double left2 = squares / std::max(1.0, weights - kAll) * 1.15;
  // the shape of pixels and of the blur is known to about a hundredth of the contrast
  const double model = 0.009 * out.contrast;
  const double s2 = left2 + model * model;
  out.residual = std::sqrt(left2);
  out.agreement = variance > 0 ? 1 - left2 / variance : 0;
  Matrix whole = H.selfadjointView<Eigen::Lower>();
  whole.diagonal().array() += 1e-12;
  // priors were weighted with scale^2, data with 1: back to the unit of the residual
  const Matrix inverse = whole.ldlt().solve(Matrix::Identity());
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      out.covariance[static_cast<std::size_t>(6 * i + j)] = s2 * inverse(i, j);
  out.inner = e.inner;
  out.inner_sigma = inner_is_free ? std::sqrt(s2 * inverse(15, 15)) : 0;
  out.converged = inverse.allFinite() && is_finite(e.X_CF) && weights > 2 * kAll;
  return out;
}

}  // namespace pintle::vision
