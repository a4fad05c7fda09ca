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
using Some = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kAll, kAll>;
using SomeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kAll, 1>;

/// So many show the way; of a ring most are not on its edges.
constexpr std::size_t kFewOnCells = 80, kFewOnRing = 160;
/// What the fit's own weights make of the variance that is left, and over how many samples at most
/// what is no noise of the camera (shadows' borders, stains, moved pictures) is averaged.
constexpr double kOfWeightsOnRing = 1.05, kOfWeightsOnCells = 1.03, kApartOnCells = 40,
                 kApartOnRing = 220;
/// Of a marker's pixels more than these share what a bell is off from a lens.
constexpr double kUnlike = 160;
/// Of so many pixels noise is known to about a tenth.
constexpr double kSurely = 1.15;
/// No scale of the weights is below this share of the contrast: small errors of a sharp picture's
/// model would leave out the edges, which are all that counts.
constexpr double kLeastScale = 0.01;
/// The variance of a picture whose pixels are whole steps; how good its rows are.
constexpr double kRounding = 1.0 / 12, kOfRows = 1e-6;
/// A step that gains less of the noise's variance is the last one.
constexpr double kLeastGain = 0.3;
/// Blur closes by no more than this in a step: a sharp edge sees nothing beside it.
constexpr double kClose = 0.4;
/// How unlike blur is along two directions, of its mean.
constexpr double kBlurApart = 0.5;

/// Bell and its integral by a table: a fit asks for them some hundred thousand times.
class Bell {
 public:
  static constexpr double kReach = 3;
  static constexpr int kSteps = 64;  // per unit
  Bell() {
    // what is beyond its reach belongs to what is within
    const double beyond = 0.5 * std::erfc(kReach / std::sqrt(2.0)), all = 1 - 2 * beyond;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double x = static_cast<double>(i) / kSteps - kReach;
      table_[i] = {(0.5 * std::erfc(-x / std::sqrt(2.0)) - beyond) / all,
                   std::exp(-0.5 * x * x) / std::sqrt(2 * kPi) / all};
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

/// An edge at e, blurred by a bell of sigma 1 / sharp: how much of it is reached at x, by x, and by the variance.
struct Step {
  double t, x, var;
};
Step step(double x, double e, double sharp) noexcept {
  const double z = (x - e) * sharp;
  const auto [integral, density] = kBell.at(z);
  const double by_x = density * sharp;
  return {integral, by_x, -0.5 * by_x * z * sharp};
}

/// What each cell along one axis weighs at g (in cells), from -1 (all before) to n (all after).
struct Along {
  int first, count;
  std::array<Step, 12> weight;  // the first `count` of them
};
Along along(double g, double sigma, int n) noexcept {
  Along a;  // not cleared: this is asked for some thousand times a picture
  const int low = std::clamp(static_cast<int>(std::floor(g - Bell::kReach * sigma)), -1, n);
  const int high = std::clamp(static_cast<int>(std::floor(g + Bell::kReach * sigma)), -1, n);
  a.first = low;
  a.count = std::min(high - low + 1, static_cast<int>(a.weight.size()));
  const double sharp = 1 / sigma;
  Step before{1, 0, 0};  // everything to the left of here
  for (int i = 0; i < a.count; ++i) {
    const int cell = low + i;
    const Step after = cell >= n || i + 1 == a.count ? Step{0, 0, 0} : step(g, cell + 1, sharp);
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
    const float* light = p.light.data() + (ay.first + j + 1) * (n + 2) + ax.first + 1;
    double t = 0, x = 0, var = 0;
    for (int i = 0; i < ax.count; ++i) {
      const Step& w = ax.weight[static_cast<std::size_t>(i)];
      t += double(light[i]) * w.t;
      x += double(light[i]) * w.x;
      var += double(light[i]) * w.var;
    }
    const Step& w = ay.weight[static_cast<std::size_t>(j)];
    d.t += w.t * t;
    d.x += w.t * x;
    d.y += w.x * t;
    d.var_x += w.t * var;
    d.var_y += w.var * t;
  }
  d.x *= n;
  d.y *= -n;
  d.var_x *= n * n;
  d.var_y *= n * n;
  return d;
}

/// Blur along the edge moves a round edge towards its middle: by half the variance over the radius.
Drawn ring_at(const Pattern& p, double X, double Y, double var, double var_along) noexcept {
  const double r = std::sqrt(X * X + Y * Y), sharp = 1 / std::max(1e-4, std::sqrt(var));
  const double in_by_var = -0.5 / p.inner, out_by_var = -0.5;
  const Step in = step(r, p.inner + in_by_var * var_along, sharp),
             out = step(r, 1 + out_by_var * var_along, sharp);
  Drawn d;
  d.t = in.t - out.t;
  const double by_r = in.x - out.x;
  if (r > 1e-9) {
    d.x = by_r * X / r;
    d.y = by_r * Y / r;
  }
  d.var_x = in.var - out.var;
  d.var_y = out.x * out_by_var - in.x * in_by_var;
  d.inner = -in.x;
  return d;
}

// A row is good to some 1e-7, which is far below what its pixel is; sums of many rows are double.
using RowVector = Eigen::Matrix<float, kAll, 1>;
using RowMatrix = Eigen::Matrix<float, kAll, kAll>;
constexpr int kRowsInOne = 16;

/// H += w J J^T, of H no more than its lower half and what makes fours of columns whole.
inline void add_lower(float w, const RowVector& J, RowMatrix& H) noexcept {
  const RowVector wJ = w * J;
  [&]<int... k>(std::integer_sequence<int, k...>) {
    const auto four = [&]<int at>(std::integral_constant<int, at>) {
      for (int i = at; i < at + 4; ++i) H.col(i).tail<kAll - at>() += wJ[i] * J.tail<kAll - at>();
    };
    (four(std::integral_constant<int, 4 * k>{}), ...);
  }
  (std::make_integer_sequence<int, kAll / 4>{});
}

struct Estimate {
  Pose X_CF;
  std::array<double, 6> light{};
  std::array<double, 3> blur{};
  double inner = 0;
};

/// The variances of the blur along X and Y (of a ring: along the radius and the round) at a point,
/// and by uu, uv, vv.
struct BlurAt {
  double x, y;
  std::array<double, 3> dx, dy;
};
BlurAt blur_at(const Pattern& pattern, const OnPlane& o, const std::array<double, 3>& s) noexcept {
  BlurAt b{};
  double gu = o.Xu, gv = o.Xv, hu = o.Yu, hv = o.Yv;
  if (pattern.kind == Pattern::Kind::kRing) {
    const double r = std::max(1e-9, std::sqrt(o.X * o.X + o.Y * o.Y));
    gu = (o.X * o.Xu + o.Y * o.Yu) / r;
    gv = (o.X * o.Xv + o.Y * o.Yv) / r;
    hu = (o.X * o.Yu - o.Y * o.Xu) / r;
    hv = (o.X * o.Yv - o.Y * o.Xv) / r;
  }
  b.dy = {hu * hu, 2 * hu * hv, hv * hv};
  b.y = s[0] * b.dy[0] + s[1] * b.dy[1] + s[2] * b.dy[2];
  b.dx = {gu * gu, 2 * gu * gv, gv * gv};
  b.x = s[0] * b.dx[0] + s[1] * b.dx[1] + s[2] * b.dx[2];
  return b;
}

/// The samples against an estimate: what they leave, and by what it changes.
class Problem {
 public:
  Problem(const Pattern& pattern, double size_m, double fx, double fy,
          const std::vector<FaceSample>& samples, const UpPrior& prior)
      : pattern_(pattern), size_(size_m), fx_(fx), fy_(fy), samples_(samples), prior_(prior) {
    rows_.reserve(samples.size());
  }

  /// Of every `stride`-th sample.
  void evaluate(const Estimate& e, std::size_t stride) {
    pattern_.inner = e.inner;
    const Plane plane(e.X_CF, size_, fx_, fy_);
    const bool is_ring = pattern_.kind == Pattern::Kind::kRing;
    q_CF_ = e.X_CF.q;
    blur_ = e.blur;
    rows_.clear();
    beside_ = 0;
    OnPlane o;
    for (std::size_t k = 0; k < samples_.size(); k += stride) {
      const FaceSample& p = samples_[k];
      if (!plane.at(p.x, p.y, o)) {
        ++beside_;
        continue;
      }
      const BlurAt blur = blur_at(pattern_, o, e.blur);
      const Drawn d = pattern_.at(o.X, o.Y, std::max(blur.x, 1e-8), std::max(blur.y, 1e-8));
      const auto& l = e.light;
      const double high = l[3] + l[4] * o.X + l[5] * o.Y;
      Row& row = rows_.emplace_back();
      RowVector& J = row.J;
      row.r = l[0] + l[1] * o.X + l[2] * o.Y + high * d.t - p.value;
      const double by_X = high * d.x + l[1] + l[4] * d.t, by_Y = high * d.y + l[2] + l[5] * d.t;
      const auto put = [&J](int at, double x) { J[at] = static_cast<float>(x); };
      for (std::size_t i = 0; i < 6; ++i)
        put(static_cast<int>(i), by_X * o.X_by_pose[i] + by_Y * o.Y_by_pose[i]);
      const std::array<double, 6> light{1, o.X, o.Y, d.t, d.t * o.X, d.t * o.Y};
      for (std::size_t i = 0; i < 6; ++i) put(static_cast<int>(6 + i), light[i]);
      for (std::size_t i = 0; i < 3; ++i)
        put(static_cast<int>(12 + i), high * (d.var_x * blur.dx[i] + d.var_y * blur.dy[i]));
      put(15, is_ring ? high * d.inner : 0);
    }
  }

  [[nodiscard]] double root_mean_square() const {
    double sum = 0;
    for (const Row& row : rows_) sum += row.r * row.r;
    return std::sqrt(sum / std::max(1.0, static_cast<double>(rows_.size())));
  }

  /// Sum of what the weights leave of the squares.
  [[nodiscard]] double cost(double scale) const {
    const double c2 = 9 * scale * scale;
    double sum = static_cast<double>(beside_) * c2;
    // Geman and McClure: what is far off has no say
    for (const Row& row : rows_) sum += row.r * row.r / (1 + row.r * row.r / c2);
    const Vec3 off = up() - prior_.up_C;
    return prior_.sigma_rad > 0
               ? sum + scale * scale / (prior_.sigma_rad * prior_.sigma_rad) * dot(off, off)
               : sum;
  }

  /// The normal equations: of H, which the pixels tell, and of `known`, which was known beforehand,
  /// in its own unit, the lower halves; g of both; the sums of weights and of weighted squares.
  void weigh(double scale, Matrix& H, Vector& g, Matrix& known, double& weights,
             double& squares) const {
    const double c2 = 9 * scale * scale;
    weights = squares = 0;
    H.setZero(), g.setZero(), known.setZero();
    for (std::size_t first = 0; first < rows_.size(); first += kRowsInOne) {
      RowMatrix some_H = RowMatrix::Zero();
      RowVector some_g = RowVector::Zero();
      for (std::size_t k = first; k < std::min(rows_.size(), first + kRowsInOne); ++k) {
        const Row& row = rows_[k];
        const double q = 1 / (1 + row.r * row.r / c2), w = q * q;
        weights += w;
        squares += w * row.r * row.r;
        add_lower(static_cast<float>(w), row.J, some_H);
        some_g += static_cast<float>(w * row.r) * row.J;
      }
      H += some_H.cast<double>();
      g += some_g.cast<double>();
    }
    prior(scale, known, g);
  }

 private:
  struct Row {
    RowVector J;
    double r = 0;
  };

  [[nodiscard]] Vec3 up() const { return rotate(q_CF_, {0, 0, 1}); }

  /// What is known beforehand: of g in the unit of the squares.
  void prior(double scale, Matrix& H, Vector& g) const {
    const Vec3 n = up();
    if (prior_.sigma_rad > 0) {
      const double w = 1 / (prior_.sigma_rad * prior_.sigma_rad);
      const Mat3 k = skew(n);  // n turns by omega x n = -skew(n) omega
      const Mat3 kk = transpose(k) * k;
      const Vec3 kr = transpose(k) * (n - prior_.up_C);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j)
          H(3 + i, 3 + j) += w * kk(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
        g[3 + i] -= scale * scale * w * kr[static_cast<std::size_t>(i)];
      }
    }
    // a ring does not say how it is turned about its axis
    if (pattern_.kind == Pattern::Kind::kRing)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
          H(3 + i, 3 + j) += 1e4 * n[static_cast<std::size_t>(i)] * n[static_cast<std::size_t>(j)];
    // the blur within reason: it is told apart from contrast only where there are enough pixels
    for (int i = 0; i < 3; ++i) H(12 + i, 12 + i) += 0.05;
    // and about as wide one way as the other
    if (pattern_.kind == Pattern::Kind::kCells) {
      const double wide = 0.5 * (blur_[0] + blur_[2]), d = 0.5 * (blur_[0] - blur_[2]);
      const double b = 1 / (kBlurApart * kBlurApart * wide * wide), gb = scale * scale * b;
      H(12, 12) += 0.25 * b, H(14, 14) += 0.25 * b, H(14, 12) -= 0.25 * b, H(13, 13) += b;
      g[12] += 0.5 * gb * d, g[14] -= 0.5 * gb * d, g[13] += gb * blur_[1];
    }
  }

  Pattern pattern_;
  double size_, fx_, fy_;
  const std::vector<FaceSample>& samples_;
  UpPrior prior_;
  Quat q_CF_;
  std::array<double, 3> blur_{};
  std::vector<Row> rows_;
  std::size_t beside_ = 0;
};

/// A damped step; what is not `free` stays.
Vector solve(const Matrix& H, const Vector& g, double damping, const std::array<bool, kAll>& free) {
  Matrix damped = H;
  damped.diagonal() *= 1 + damping;
  damped.diagonal().array() += 1e-9;
  Vector right = -g;
  for (int i = 0; i < kAll; ++i) {
    if (free[static_cast<std::size_t>(i)]) continue;
    damped.row(i).head(i).setZero();
    damped.col(i).tail(kAll - i).setZero();
    damped(i, i) = 1;
    right[i] = 0;
  }
  return damped.selfadjointView<Eigen::Lower>().ldlt().solve(right);
}

Estimate moved(const Estimate& e, const Vector& d) {
  Estimate m = e;
  m.X_CF.p += Vec3{d[0], d[1], d[2]};
  m.X_CF.q = normalized(from_rotation_vector({d[3], d[4], d[5]}) * e.X_CF.q);
  for (std::size_t i = 0; i < 6; ++i) m.light[i] += d[static_cast<int>(6 + i)];
  for (std::size_t i = 0; i < 3; ++i) m.blur[i] += d[static_cast<int>(12 + i)];
  m.inner = std::clamp(m.inner + d[15], 0.1, 0.995);
  // a covariance stays one
  for (const std::size_t i : {0UL, 2UL})
    m.blur[i] = std::clamp(m.blur[i], std::max(0.08, kClose * e.blur[i]), 60.0);
  const double most = 0.95 * std::sqrt(m.blur[0] * m.blur[2]);
  m.blur[1] = std::clamp(m.blur[1], -most, most);
  return m;
}

/// The light that goes best with a pose, by least squares, from every `stride`-th sample; and the
/// variance of all.
bool find_light(const Pattern& pattern, double size_m, double fx, double fy,
                const std::vector<FaceSample>& samples, std::size_t stride, Estimate& e,
                double& variance) {
  const Plane plane(e.X_CF, size_m, fx, fy);
  Eigen::Matrix2d H = Eigen::Matrix2d::Zero();
  Eigen::Vector2d g = Eigen::Vector2d::Zero();
  OnPlane o;
  for (std::size_t k = 0; k < samples.size(); k += stride) {
    const FaceSample& p = samples[k];
    if (!plane.meet(p.x, p.y, o)) continue;
    const BlurAt blur = blur_at(pattern, o, e.blur);
    const double t = pattern.at(o.X, o.Y, std::max(blur.x, 1e-8), std::max(blur.y, 1e-8)).t;
    const Eigen::Vector2d J(1, t);
    H += J * J.transpose();
    g += J * double(p.value);
  }
  const double n = H(0, 0);
  if (!(n >= 2 * kAll) || !(H.determinant() > 1e-6 * n * n)) return false;
  const Eigen::Vector2d l = H.ldlt().solve(g);
  e.light = {l[0], 0, 0, l[1], 0, 0};
  double sum = 0, sum2 = 0;
  for (const FaceSample& p : samples) {
    sum += p.value;
    sum2 += double(p.value) * p.value;
  }
  const double mean = sum / static_cast<double>(samples.size());
  variance = sum2 / static_cast<double>(samples.size()) - mean * mean;
  return std::isfinite(l[0]) && std::isfinite(l[1]);
}

}  // namespace

Pattern Pattern::of_cells(int n, const std::vector<std::uint8_t>& light) {
  Pattern p;
  p.cells = n;
  p.light.fill(1);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      p.light[static_cast<std::size_t>((r + 1) * (n + 2) + c + 1)] =
          light[static_cast<std::size_t>(r * n + c)] != 0 ? 1.0F : 0.0F;
  return p;
}

Drawn Pattern::at(double X, double Y, double var_x, double var_y) const noexcept {
  return kind == Kind::kCells ? cells_at(*this, X, Y, var_x, var_y)
                              : ring_at(*this, X, Y, var_x, var_y);
}

FaceFit fit_face(const Pattern& pattern, double size_m, double fx, double fy,
                 const std::vector<FaceSample>& samples, const FaceFit& start, const UpPrior& prior,
                 int iterations, bool inner_is_free) {
  FaceFit out = start;
  out.converged = false;
  Estimate e{start.X_CF, {}, start.blur_px2, pattern.inner};
  double variance = 0;
  const std::size_t few = std::max<std::size_t>(
      1, samples.size() / (pattern.kind == Pattern::Kind::kRing ? kFewOnRing : kFewOnCells));
  if (!find_light(pattern, size_m, fx, fy, samples, few, e, variance)) return out;
  Problem problem(pattern, size_m, fx, fy, samples, prior);

  // first everything has a say, then less and less of what is far off; few samples show the way,
  // all of them decide
  double scale = 0;
  double weights = 0, squares = 0;
  const int free = inner_is_free ? kAll : kAll - kInner;
  Matrix H, known;
  Vector g;
  for (const std::size_t stride : {few, std::size_t{1}}) {
    double damping = 1e-3;
    std::array<bool, kAll> is_free{};
    is_free.fill(true);
    is_free[kAll - 1] = inner_is_free;
    problem.evaluate(e, stride);
    if (scale == 0)
      scale = std::clamp(1.3 * problem.root_mean_square(), 2.0,
                         std::max(2.0, 0.3 * std::abs(e.light[3])));
    problem.weigh(scale, H, g, known, weights, squares);
    double cost = problem.cost(scale);
    for (int i = 0; i < iterations; ++i) {
      const Vector d = solve(H + scale * scale * known, g, damping, is_free);
      if (!d.allFinite()) return out;
      const Estimate next = moved(e, d);
      // a step that gains little more than noise does is made without looking
      const double gain = -g.dot(d);
      if (i > 0 && gain < kLeastGain * squares / std::max(1.0, weights)) {
        e = next;
        squares -= gain;
        break;
      }
      problem.evaluate(next, stride);
      const double next_cost = problem.cost(scale);
      if (getenv("TRACE") && i == 0) {
        const Vec3 n = rotate(e.X_CF.q, {0, 0, 1});
        fprintf(stderr, "up %.5f %.5f %.5f prior %.5f %.5f %.5f\n", n.x, n.y, n.z, prior.up_C.x,
                prior.up_C.y, prior.up_C.z);
      }
      if (!(next_cost <= cost)) {
        damping = std::min(1e4, damping * 10);
        if (damping > 1e3) break;
        continue;
      }
      e = next;
      damping = std::max(1e-6, damping * 0.1);
      problem.weigh(scale, H, g, known, weights, squares);
      cost = next_cost;
      const double new_scale = std::max({0.8, kLeastScale * std::abs(e.light[3]),
                                         1.3 * std::sqrt(squares / std::max(1.0, weights))});
      if (new_scale < 0.9 * scale) {
        scale = new_scale;
        problem.weigh(scale, H, g, known, weights, squares);
        cost = problem.cost(scale);
      }
    }
    if (stride == 1) break;
  }

  out.X_CF = e.X_CF;
  out.light = e.light;
  out.blur_px2 = e.blur;
  out.contrast = e.light[3];
  // the weights shrink the residual of those that belong, the less the wider they are
  const double weighted2 = squares / std::max(1.0, weights - kAll),
               left2 = weighted2 * (1 + 0.25 * weighted2 / (scale * scale));
  out.residual = std::sqrt(left2);
  out.agreement = variance > 0 ? 1 - left2 / variance : 0;
  // pixels tell as much as the noise in them lets, what was known beforehand tells what it told
  const bool is_ring = pattern.kind == Pattern::Kind::kRing;
  const double n = static_cast<double>(samples.size()),
               apart = is_ring ? kApartOnRing : kApartOnCells,
               share = is_ring ? kOfWeightsOnRing
                               : kOfWeightsOnCells * std::cbrt(std::max(1.0, n / kUnlike));
  const double noise2 = std::max(
      kRounding, share * left2 + std::max(0.0, left2 - kSurely * start.white2) * n / apart);
  Some told = (H / noise2 + known)
                  .topLeftCorner(kPose + kLight + kBlur, kPose + kLight + kBlur)
                  .selfadjointView<Eigen::Lower>();
  told.diagonal() *= 1 + kOfRows;
  const Eigen::LLT<Some> factors(told);
  if (factors.info() != Eigen::Success) return out;
  const Some covariance = factors.solve(Some::Identity(told.rows(), told.cols()));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      out.covariance[static_cast<std::size_t>(6 * i + j)] = covariance(i, j);
  // how far a ring's inner radius can be told: the shape of pixels and of the blur is known to
  // about a hundredth of the contrast
  const double model = 0.009 * out.contrast, s2 = left2 + model * model;
  H += scale * scale * known;
  Some whole = H.topLeftCorner(free, free).selfadjointView<Eigen::Lower>();
  whole.diagonal().array() += 1e-12;
  const Some inverse = whole.ldlt().solve(Some::Identity(free, free));
  if (pattern.kind == Pattern::Kind::kRing) {
    out.inner = e.inner;
    if (inner_is_free) {
      out.inner_sigma = std::sqrt(s2 * inverse(15, 15));
    } else {
      // one more step, with the inner radius free
      const SomeVector by_inner = H.row(free).head(free), goes_with = inverse * by_inner;
      const double own = H(free, free) - by_inner.dot(goes_with);
      out.inner -= (g[free] - goes_with.dot(g.head(free))) / own;
      out.inner_sigma = own > 0 ? std::sqrt(s2 / own) : 1;
    }
  }
  out.converged =
      inverse.allFinite() && covariance.allFinite() && is_finite(e.X_CF) && weights > 2 * kAll;
  return out;
}

}  // namespace pintle::vision
