#include "pintle/world/renderer.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"

namespace pintle::world {
namespace {

constexpr int kNormals = 4096;  // as many as 12 bits choose between, and as stay near the processor
constexpr Color kSky{190, 205, 225};
constexpr std::size_t kRoom = 4;     // of a row: noise is drawn for five pixels together
constexpr float kLeastDown = 0.02f;  // of a ray that meets the ground, at z = 1

std::size_t index(int v, int u, int width) {
  return static_cast<std::size_t>(v) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(u);
}

/// Where the ray of a pixel meets the plane of a face, in the coordinates of the face.
struct OnFace {
  double x, y;
  double s;                         // by how much further than the plane z = 1 of the camera
  double most_wide_x, most_wide_y;  // no pixel is wider there
};

/// The same, by the pixel.
struct Slopes {
  double xu, xv, yu, yv;
};

/// Rays into the plane z = 0 of a frame F: [r1 r2 p] of X_CF, inverted.
class ToFace {
 public:
  ToFace(const Pose& X_CF, double fx, double fy) : px_(1 / fx), py_(1 / fy) {
    const Mat3 R = to_matrix(X_CF.q);
    const Vec3 a{R(0, 0), R(1, 0), R(2, 0)}, b{R(0, 1), R(1, 1), R(2, 1)}, t = X_CF.p;
    const Vec3 bt = cross(b, t), ta = cross(t, a), ab = cross(a, b);
    const double det = dot(a, bt);
    visible_ = det < -1e-9;  // seen from the side its z points to
    rows_[0] = bt / det;
    rows_[1] = ta / det;
    rows_[2] = ab / det;
    constexpr double kRounding = 1 + 1e-9;
    for (std::size_t i = 0; i < 3; ++i)
      turn_[i] = kRounding * (std::abs(rows_[i].x) * px_ + std::abs(rows_[i].y) * py_);
  }
  [[nodiscard]] bool visible() const { return visible_; }
  [[nodiscard]] bool at(double x, double y, OnFace& o) const {
    const Vec3 d{x, y, 1};
    const double w = dot(rows_[2], d);
    if (!(w > 1e-9)) return false;
    o.s = 1 / w;
    o.x = dot(rows_[0], d) * o.s;
    o.y = dot(rows_[1], d) * o.s;
    o.most_wide_x = o.s * (turn_[0] + std::abs(o.x) * turn_[2]);
    o.most_wide_y = o.s * (turn_[1] + std::abs(o.y) * turn_[2]);
    return true;
  }
  [[nodiscard]] Slopes slopes(const OnFace& o) const {
    const double su = o.s * px_, sv = o.s * py_;
    return {(rows_[0].x - o.x * rows_[2].x) * su, (rows_[0].y - o.x * rows_[2].y) * sv,
            (rows_[1].x - o.y * rows_[2].x) * su, (rows_[1].y - o.y * rows_[2].y) * sv};
  }

 private:
  std::array<Vec3, 3> rows_{};
  std::array<double, 3> turn_{};
  double px_, py_;
  bool visible_;
};

/// As std::clamp, but compiled without a branch.
float between(float x, float least, float most) {
  const float y = least < x ? x : least;
  return y < most ? y : most;
}

/// Without hypot's care for numbers that no picture has, and a tenth of its time.
double length(double x, double y) { return std::sqrt(x * x + y * y); }

/// Up to this sigma in px the lens's blur is part of each edge; what is beyond follows as a filter, once edges are wide enough to be filtered by whole pixels.
constexpr double kMostOfEdge_px = 0.8;

}  // namespace

SoftEdge::SoftEdge(double sigma_px) : reach_(0.5 + kSigmas * sigma_px) {
  // the integral of a blurred step: its difference over a pixel is what the pixel gets
  const auto sum = [&](double x) {
    if (!(sigma_px > 0)) return std::max(x, 0.0);
    const double z = x / sigma_px;
    return x * 0.5 * std::erfc(-z / std::sqrt(2.0)) +
           sigma_px * std::exp(-0.5 * z * z) / std::sqrt(2 * kPi);
  };
  for (int i = 0; i <= kSteps; ++i) {
    const double x = reach_ * (2.0 * i / kSteps - 1);
    table_[static_cast<std::size_t>(i)] = std::clamp(sum(x + 0.5) - sum(x - 0.5), 0.0, 1.0);
  }
  table_[0] = 0;
  table_[kSteps] = table_[kSteps + 1] = 1;
}

Renderer::Renderer(const CameraModel& camera) : camera_(camera) {
  const std::vector<float> rays = ray_table(camera);
  const std::size_t n = rays.size() / 2;
  ray_x_.resize(n);
  ray_y_.resize(n);
  light_.resize(n);
  scratch_.resize(n);
  for (auto& p : plane_) p.resize(n);
  // a face counts in a pixel that it only touches
  const double room_x = 4 / camera.fx, room_y = 4 / camera.fy;
  for (std::size_t i = 0; i < n; ++i) {
    ray_x_[i] = rays[2 * i];
    ray_y_[i] = rays[2 * i + 1];
    const double x = ray_x_[i], y = ray_y_[i];
    view_.x_least = std::min(view_.x_least, x - room_x);
    view_.x_most = std::max(view_.x_most, x + room_x);
    view_.y_least = std::min(view_.y_least, y - room_y);
    view_.y_most = std::max(view_.y_most, y + room_y);
  }
  for (auto& r : row_) r.resize(3 * static_cast<std::size_t>(camera.width) + kRoom);
  normals_.resize(kNormals);
  for (std::size_t i = 0; i < kNormals; ++i)
    normals_[i] = static_cast<float>(normal_quantile((static_cast<double>(i) + 0.5) / kNormals));
}

GroundTexture::GroundTexture(std::uint64_t seed) : seed_(seed), cells_(kCells * kCells) {
  RandomStream random(seed, "ground");
  std::vector<float> corner(cells_.size());
  for (float& t : corner) t = static_cast<float>(random.normal());
  for (std::size_t y = 0; y < kCells; ++y)
    for (std::size_t x = 0; x < kCells; ++x) {
      const std::size_t right = (x + 1) % kCells, row = y * kCells,
                        below = (y + 1) % kCells * kCells;
      const float a = corner[row + x], b = corner[row + right], c = corner[below + x],
                  d = corner[below + right];
      cells_[row + x] = {a, b - a, c - a, a - b - c + d};
    }
}

void GroundTexture::look(double middle_x, double middle_y, const float* ahead_x,
                         const float* ahead_y, double per_m, float* out, int n) const {
  // it repeats: what is looked up is positive, and as fine wherever the camera is
  constexpr int kFar = 32 * int{kCells};
  constexpr auto kMost = static_cast<float>(kFar - int{kCells});
  const auto from = [](double cell) {
    return static_cast<float>(cell - kCells * std::floor(cell / kCells) + kFar);
  };
  const float x0 = from(middle_x), y0 = from(middle_y), scale = static_cast<float>(per_m);
  constexpr int kTogether = 64;
  std::uint32_t cell[kTogether];
  float along_x[kTogether], along_y[kTogether];
  for (int first = 0; first < n; first += kTogether) {
    const int m = std::min(kTogether, n - first);
    for (int i = 0; i < m; ++i) {
      // far away it does not matter which cell it is
      const float x = x0 + between(scale * ahead_x[first + i], -kMost, kMost),
                  y = y0 + between(scale * ahead_y[first + i], -kMost, kMost);
      const int ix = static_cast<int>(x), iy = static_cast<int>(y);
      along_x[i] = x - static_cast<float>(ix);
      along_y[i] = y - static_cast<float>(iy);
      cell[i] = static_cast<std::uint32_t>(iy) % kCells * kCells +
                static_cast<std::uint32_t>(ix) % kCells;
    }
    for (int i = 0; i < m; ++i) {
      const auto& c = cells_[cell[i]];
      out[first + i] = c[0] + c[1] * along_x[i] + (c[2] + c[3] * along_x[i]) * along_y[i];
    }
  }
}

namespace {

/// Where a row of rays meets the ground: from the camera, m, across it; and how steeply they go down.
void meet_ground(const float* x, const float* y, const Pose& X_WC, float* down, float* ahead_x,
                 float* ahead_y, int n) {
  const Mat3 R = to_matrix(X_WC.q);
  std::array<float, 9> r{};
  for (std::size_t i = 0; i < 9; ++i) r[i] = static_cast<float>(R.m[i]);
  const auto height = static_cast<float>(X_WC.p.z);
  for (int i = 0; i < n; ++i) {
    const float d = -(r[6] * x[i] + r[7] * y[i] + r[8]);
    const float range = height / std::max(d, kLeastDown);
    down[i] = d;
    ahead_x[i] = range * (r[0] * x[i] + r[1] * y[i] + r[2]);
    ahead_y[i] = range * (r[3] * x[i] + r[4] * y[i] + r[5]);
  }
}

void cast_shadow(const Shadow& s, Vec3 from, const float* ahead_x, const float* ahead_y,
                 float* light, int n) {
  const auto nx = static_cast<float>(-std::sin(s.direction_rad)),
             ny = static_cast<float>(std::cos(s.direction_rad)),
             off = nx * static_cast<float>(from.x - s.through.x) +
                   ny * static_cast<float>(from.y - s.through.y),
             half = static_cast<float>(0.5 * s.width_m),
             per_m = static_cast<float>(1 / (2 * s.soft_m)),
             darkness = static_cast<float>(s.darkness);
  for (int i = 0; i < n; ++i) {
    const float away = std::abs(off + nx * ahead_x[i] + ny * ahead_y[i]);
    light[i] = 1 - darkness * between(0.5f + (half - away) * per_m, 0, 1);
  }
}

/// `bright` and `stain` of the ground, with this much of the colour more for each of `stain`.
void color_row(const float* bright, const float* stain, float color, float tint, float* out,
               int n) {
  for (int i = 0; i < n; ++i) out[i] = color * bright[i] * (1 + tint * stain[i]);
}

}  // namespace

void Renderer::ground(const Scene& scene, const Pose& X_WC, float gain) {
  const GroundLook& g = scene.ground;
  if (texture_.seed() != g.seed) texture_ = GroundTexture(g.seed);
  const int width = camera_.width;
  float *const down = row_[0].data(), *const x = row_[1].data(), *const y = row_[2].data(),
               *const stain = row_[3].data(), *const bright = row_[4].data();
  const double large = 1 / g.stain_m, small = 30 / g.stain_m;
  const auto contrast = static_cast<float>(0.7 * g.contrast), tint = static_cast<float>(g.tint);
  std::fill(light_.begin(), light_.end(), 1.f);
  bool has_sky = false;
  for (const double x_end : {view_.x_least, view_.x_most})
    for (const double y_end : {view_.y_least, view_.y_most})
      has_sky |= rotate(X_WC.q, Vec3{x_end, y_end, 1}).z > -kLeastDown;
  for (int v = 0; v < camera_.height; ++v) {
    const std::size_t first = index(v, 0, width);
    float* const light = &light_[first];
    meet_ground(&ray_x_[first], &ray_y_[first], X_WC, down, x, y, width);
    if (scene.shadow.width_m > 0) cast_shadow(scene.shadow, X_WC.p, x, y, light, width);
    texture_.look(large * X_WC.p.x, large * X_WC.p.y, x, y, large, stain, width);
    texture_.look(small * X_WC.p.x + 37, small * X_WC.p.y + 91, x, y, small, bright, width);
    for (int u = 0; u < width; ++u)
      bright[u] = std::max(0.f, 1 + contrast * (stain[u] + bright[u])) * gain * light[u];
    for (std::size_t c = 0; c < 3; ++c)
      color_row(bright, stain, g.color[c], tint * static_cast<float>(1 - int(c)), &plane_[c][first],
                width);
    for (int u = 0; u < width && has_sky; ++u)
      for (std::size_t c = 0; c < 3 && down[u] <= kLeastDown; ++c)
        plane_[c][first + static_cast<std::size_t>(u)] = kSky[c] * gain;
  }
}

/// That no ray of the picture meets the face: all of it lies behind the camera, or beyond one side of the view.
bool Renderer::is_beside(const Pose& X_CF, double half_width, double half_height) const {
  std::array<int, 5> beyond{};
  for (const double x : {-half_width, half_width})
    for (const double y : {-half_height, half_height}) {
      const Vec3 p = X_CF.p + rotate(X_CF.q, Vec3{x, y, 0});
      beyond[0] += p.z <= 0;
      beyond[1] += p.x < view_.x_least * p.z;
      beyond[2] += p.x > view_.x_most * p.z;
      beyond[3] += p.y < view_.y_least * p.z;
      beyond[4] += p.y > view_.y_most * p.z;
    }
  return std::find(beyond.begin(), beyond.end(), 4) != beyond.end();
}

bool Renderer::area_of(const Pose& X_CF, double half_width, double half_height, Area& area) const {
  if (is_beside(X_CF, half_width, half_height)) return false;
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  constexpr int kSteps = 8;  // along each side: distortion bends it
  bool whole = true;
  for (int i = 0; i < 4 * kSteps; ++i) {
    const double s = 2.0 * (i % kSteps) / kSteps - 1;
    const std::array<Vec3, 4> around{
        Vec3{s * half_width, -half_height, 0}, Vec3{half_width, s * half_height, 0},
        Vec3{-s * half_width, half_height, 0}, Vec3{-half_width, -s * half_height, 0}};
    Pixel p;
    if (!project(camera_, X_CF.p + rotate(X_CF.q, around[static_cast<std::size_t>(i / kSteps)]),
                 p)) {
      whole = false;
      break;
    }
    left = std::min(left, p.u);
    right = std::max(right, p.u);
    top = std::min(top, p.v);
    bottom = std::max(bottom, p.v);
  }
  area = {0, 0, camera_.width - 1, camera_.height - 1};
  if (!whole) return true;
  const double room = 2.5 + edge_.reach() + 0.03 * std::max(right - left, bottom - top);
  if (right + room < 0 || bottom + room < 0 || left - room > area.right || top - room > area.bottom)
    return false;
  area = {static_cast<int>(std::max(0.0, left - room)), static_cast<int>(std::max(0.0, top - room)),
          static_cast<int>(std::min(double(area.right), right + room)),
          static_cast<int>(std::min(double(area.bottom), bottom + room))};
  return true;
}

void Renderer::blend(std::size_t at, float share, const Color& color, float gain) {
  const float bright = gain * light_[at];
  for (std::size_t c = 0; c < 3; ++c) plane_[c][at] += share * (color[c] * bright - plane_[c][at]);
}

void Renderer::paint(const RingFace& ring, const Pose& X_WC, float gain) {
  const Pose X_CF = inverse(X_WC) * ring.X_WF;
  const ToFace to_face(X_CF, camera_.fx, camera_.fy);
  Area a;
  if (!to_face.visible() || !area_of(X_CF, ring.outer_m, ring.outer_m, a)) return;
  OnFace o;
  for (int v = a.top; v <= a.bottom; ++v)
    for (int u = a.left; u <= a.right; ++u) {
      const std::size_t at = index(v, u, camera_.width);
      if (!to_face.at(ray_x_[at], ray_y_[at], o)) continue;
      // most are far from both edges
      const double r2 = o.x * o.x + o.y * o.y,
                   reach = edge_.reach() * (o.most_wide_x + o.most_wide_y);
      const double most = ring.outer_m + reach, least = ring.inner_m - reach;
      if (r2 > most * most || (least > 0 && r2 < least * least)) continue;
      const double r = std::sqrt(r2);
      if (!(r > 1e-9)) {
        if (ring.inner_m <= 0) blend(at, 1, ring.color, gain);
        continue;
      }
      // of a pixel, radially
      const Slopes by = to_face.slopes(o);
      const double width = length(o.x * by.xu + o.y * by.yu, o.x * by.xv + o.y * by.yv) / r;
      // blur along a round edge moves it inwards
      const double along = length(o.x * by.yu - o.y * by.xu, o.x * by.yv - o.y * by.xv) / r;
      const double inwards = 0.5 * (edge_sigma_ * edge_sigma_ + 1.0 / 12) * along * along / r;
      double share = edge_.at((ring.outer_m - inwards - r) / width);
      if (ring.inner_m > 0) share -= edge_.at((ring.inner_m - inwards - r) / width);
      if (share > 0) blend(at, static_cast<float>(share), ring.color, gain);
    }
}

void Renderer::paint(const CellFace& cells, const Pose& X_WC, float gain) {
  const Pose X_CF = inverse(X_WC) * cells.X_WF;
  const ToFace to_face(X_CF, camera_.fx, camera_.fy);
  Area a;
  if (!to_face.visible() || !area_of(X_CF, 0.5 * cells.width_m, 0.5 * cells.height_m, a)) return;
  const double per_x = cells.columns / cells.width_m, per_y = cells.rows / cells.height_m;
  const double columns = cells.columns, rows = cells.rows;
  OnFace o;
  for (int v = a.top; v <= a.bottom; ++v)
    for (int u = a.left; u <= a.right; ++u) {
      const std::size_t at = index(v, u, camera_.width);
      if (!to_face.at(ray_x_[at], ray_y_[at], o)) continue;
      // in cells from the upper left corner, and the box that the pixel is there
      const double gx = o.x * per_x + 0.5 * columns, gy = 0.5 * rows - o.y * per_y;
      const double far_x = edge_.reach() * o.most_wide_x * per_x,
                   far_y = edge_.reach() * o.most_wide_y * per_y;
      if (gx < -far_x || gx > columns + far_x || gy < -far_y || gy > rows + far_y) continue;
      // most lie in one cell
      if (gx > far_x && gx + far_x < columns && gy > far_y && gy + far_y < rows) {
        const int c = static_cast<int>(gx - far_x), r = static_cast<int>(gy - far_y);
        if (gx + far_x < c + 1 && gy + far_y < r + 1) {
          const bool is_light = cells.light[static_cast<std::size_t>(r * cells.columns + c)] != 0;
          blend(at, 1, is_light ? cells.light_color : cells.dark_color, gain);
          continue;
        }
      }
      const Slopes by = to_face.slopes(o);
      const double wx = length(by.xu, by.xv) * per_x, wy = length(by.yu, by.yv) * per_y;
      const auto first = [&](double g, double w, double n) {
        return static_cast<int>(std::clamp(g - edge_.reach() * w, 0.0, n - 1));
      };
      const auto last = [&](double g, double w, double n) {
        return static_cast<int>(std::clamp(g + edge_.reach() * w, 0.0, n - 1));
      };
      const int c0 = first(gx, wx, columns), c1 = last(gx, wx, columns);
      const int r0 = first(gy, wy, rows), r1 = last(gy, wy, rows);
      double light = 0, across = 0, down = 0;
      double above = edge_.at((gy - r0) / wy);
      for (int r = r0; r <= r1; ++r) {
        const double below = edge_.at((gy - r - 1) / wy);
        double in_row = 0;
        across = 0;
        double left = edge_.at((gx - c0) / wx);
        for (int c = c0; c <= c1; ++c) {
          const double right = edge_.at((gx - c - 1) / wx);
          across += left - right;
          if (cells.light[static_cast<std::size_t>(r * cells.columns + c)] != 0)
            in_row += left - right;
          left = right;
        }
        down += above - below;
        light += in_row * (above - below);
        above = below;
      }
      const double covered = across * down;
      if (!(covered > 0)) continue;
      const auto share = static_cast<float>(light / covered);
      Color mixed;
      for (std::size_t k = 0; k < 3; ++k)
        mixed[k] = share * cells.light_color[k] + (1 - share) * cells.dark_color[k];
      blend(at, static_cast<float>(covered), mixed, gain);
    }
}

void Renderer::add_glare(const Glare& g) {
  if (!(g.radius_px > 0) || !(g.strength > 0)) return;
  for (int v = 0; v < camera_.height; ++v)
    for (int u = 0; u < camera_.width; ++u) {
      const double d2 =
          ((u - g.middle.u) * (u - g.middle.u) + (v - g.middle.v) * (v - g.middle.v)) /
          (g.radius_px * g.radius_px);
      if (d2 > 16) continue;
      const auto add = static_cast<float>(g.strength * std::exp(-0.5 * d2));
      for (auto& p : plane_) p[index(v, u, camera_.width)] += add;
    }
}

namespace {

/// to[x] = sum of taps times rows[…], all rows of one width.
void add_row(float* to, const float* from, float weight, int n) {
  for (int i = 0; i < n; ++i) to[i] += weight * from[i];
}

void set_row(float* to, const float* from, float weight, int n) {
  for (int i = 0; i < n; ++i) to[i] = weight * from[i];
}

/// What lies as far to the one side as to the other.
void add_pair(float* to, const float* one, const float* other, float weight, int n) {
  for (int i = 0; i < n; ++i) to[i] += weight * (one[i] + other[i]);
}

/// Rows and columns outside of the picture are those at its border.
const float* row_of(const std::vector<float>& plane, int v, int width, int height) {
  return plane.data() + index(std::clamp(v, 0, height - 1), 0, width);
}

/// A row that is moved to the left by `shift` whole pixels, its ends repeated.
void add_shifted(float* to, const float* from, float weight, int shift, int n) {
  const int begin = std::clamp(-shift, 0, n), end = std::clamp(n - shift, 0, n);
  for (int i = 0; i < begin; ++i) to[i] += weight * from[0];
  if (begin < end) add_row(to + begin, from + begin + shift, weight, end - begin);
  for (int i = end; i < n; ++i) to[i] += weight * from[n - 1];
}

}  // namespace

void Renderer::blur(double sigma) {
  if (!(sigma > 0.05)) return;
  const int width = camera_.width, height = camera_.height;
  const int reach = std::min(64, static_cast<int>(std::ceil(3 * sigma)));
  std::vector<float> taps(static_cast<std::size_t>(reach) + 1);
  // each tap is the bell over one pixel
  const auto upto = [&](double x) { return 0.5 * std::erf(x / (sigma * std::sqrt(2.0))); };
  double sum = 0;
  for (int i = 0; i <= reach; ++i) {
    const double tap = upto(i + 0.5) - upto(i - 0.5);
    taps[static_cast<std::size_t>(i)] = static_cast<float>(tap);
    sum += i == 0 ? tap : 2 * tap;
  }
  for (float& t : taps) t = static_cast<float>(t / sum);
  for (auto& plane : plane_) {
    for (int v = 0; v < height; ++v) {
      float* to = scratch_.data() + index(v, 0, width);
      set_row(to, row_of(plane, v, width, height), taps[0], width);
      for (int i = 1; i <= reach; ++i)
        add_pair(to, row_of(plane, v - i, width, height), row_of(plane, v + i, width, height),
                 taps[static_cast<std::size_t>(i)], width);
    }
    for (int v = 0; v < height; ++v) {
      const float* from = scratch_.data() + index(v, 0, width);
      float* to = plane.data() + index(v, 0, width);
      set_row(to, from, taps[0], width);
      for (int i = 1; i <= reach; ++i) {
        const float tap = taps[static_cast<std::size_t>(i)];
        const int inner = width - 2 * i;
        if (inner > 0) add_pair(to + i, from, from + 2 * i, tap, inner);
        // near its ends a row goes on as it ends
        for (int u = 0; u < width; ++u) {
          if (u == i && inner > 0) u = width - i;
          to[u] += tap * (from[std::max(u - i, 0)] + from[std::min(u + i, width - 1)]);
        }
      }
    }
  }
}

void Renderer::move(Pixel motion) {
  const double length = std::max(std::abs(motion.u), std::abs(motion.v));
  if (!(length > 0.05)) return;
  const int width = camera_.width, height = camera_.height;
  const bool sideways = std::abs(motion.u) >= std::abs(motion.v);
  const double slope = sideways ? motion.v / motion.u : motion.u / motion.v;
  const int reach = std::min(200, static_cast<int>(std::ceil(0.5 * length)));
  for (auto& plane : plane_) {
    std::fill(scratch_.begin(), scratch_.end(), 0.f);
    for (int i = -reach; i <= reach; ++i) {
      const double share =
          std::max(0.0, std::min(i + 0.5, 0.5 * length) - std::max(i - 0.5, -0.5 * length)) /
          length;
      const double aside = i * slope, low = std::floor(aside);
      const auto far = static_cast<float>(share * (aside - low)),
                 near = static_cast<float>(share) - far;
      const int step = static_cast<int>(low);
      for (int v = 0; v < height; ++v) {
        float* to = scratch_.data() + index(v, 0, width);
        if (sideways) {
          add_shifted(to, row_of(plane, v + step, width, height), near, i, width);
          add_shifted(to, row_of(plane, v + step + 1, width, height), far, i, width);
        } else {
          add_shifted(to, row_of(plane, v + i, width, height), near, step, width);
          add_shifted(to, row_of(plane, v + i, width, height), far, step + 1, width);
        }
      }
    }
    plane.swap(scratch_);
  }
}

void Renderer::develop(const Exposure& e, Image& out) {
  constexpr int kOfOneDraw = 4, kBits = 16, kTooFine = 4;
  static_assert(kNormals << kTooFine == 1 << kBits);
  const int width = camera_.width;
  out.resize(width, camera_.height, 3);
  RandomStream random(e.seed, "camera noise");
  const auto sigma = static_cast<float>(e.noise);
  float* const noise = row_[0].data();
  for (int v = 0; v < camera_.height; ++v) {
    for (int i = 0; i < 3 * width; i += kOfOneDraw) {
      std::uint64_t bits = random.bits() >> kTooFine;
      for (int k = 0; k < kOfOneDraw; ++k, bits >>= kBits) noise[i + k] = normals_[bits % kNormals];
    }
    const std::size_t first = index(v, 0, width);
    std::uint8_t* const to = &out.pixels[3 * first];
    for (std::size_t c = 0; c < 3; ++c) {
      const float *const plane = &plane_[c][first], white = e.white_balance[c];
      for (int u = 0, i = static_cast<int>(c); u < width; ++u, i += 3)
        to[i] =
            static_cast<std::uint8_t>(between(plane[u] * white + sigma * noise[i] + 0.5f, 0, 255));
    }
  }
}

void Renderer::render(const Scene& scene, const Pose& X_WC, const Exposure& exposure, Image& out) {
  // edges have the lens's blur as far as that goes by itself, the rest of it comes over the picture
  const double of_edge = std::clamp(exposure.blur_px, 0.0, kMostOfEdge_px);
  if (edge_sigma_ != of_edge) edge_ = SoftEdge(edge_sigma_ = of_edge);
  const auto gain = static_cast<float>(exposure.gain);
  ground(scene, X_WC, gain);
  for (const Face& f : scene.faces)
    f.kind == Face::Kind::kRing ? paint(f.ring, X_WC, gain) : paint(f.cells, X_WC, gain);
  add_glare(scene.glare);
  move(exposure.motion);
  blur(std::sqrt(std::max(0.0, exposure.blur_px * exposure.blur_px - of_edge * of_edge)));
  develop(exposure, out);
}

}  // namespace pintle::world
