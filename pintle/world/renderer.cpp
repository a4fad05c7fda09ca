#include "pintle/world/renderer.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"

namespace pintle::world {
namespace {

constexpr int kTexture = 256;  // cells each way, then it repeats
constexpr Color kSky{190, 205, 225};

std::size_t index(int v, int u, int width) {
  return static_cast<std::size_t>(v) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(u);
}

float value_at(const std::vector<float>& texture, float x, float y) {
  // far away it does not matter which cell it is; std::floor is a call on plain x86-64
  x = std::clamp(x, -60000.f, 60000.f) + 65536.f;
  y = std::clamp(y, -60000.f, 60000.f) + 65536.f;
  const int ix = static_cast<int>(x), iy = static_cast<int>(y);
  const float ax = x - static_cast<float>(ix), ay = y - static_cast<float>(iy);
  const int x0 = ix & (kTexture - 1), x1 = (ix + 1) & (kTexture - 1);
  const int y0 = iy & (kTexture - 1), y1 = (iy + 1) & (kTexture - 1);
  const float a = texture[static_cast<std::size_t>(y0 * kTexture + x0)];
  const float b = texture[static_cast<std::size_t>(y0 * kTexture + x1)];
  const float c = texture[static_cast<std::size_t>(y1 * kTexture + x0)];
  const float d = texture[static_cast<std::size_t>(y1 * kTexture + x1)];
  return (a + (b - a) * ax) * (1 - ay) + (c + (d - c) * ax) * ay;
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

Renderer::Renderer(const CameraModel& camera)
    : camera_(camera), rays_(ray_table(camera)), texture_seed_(0) {
  const std::size_t n = rays_.size() / 2;
  light_.resize(n);
  scratch_.resize(n);
  for (auto& p : plane_) p.resize(n);
  // a face counts in a pixel that it only touches
  const double room_x = 4 / camera.fx, room_y = 4 / camera.fy;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = rays_[2 * i], y = rays_[2 * i + 1];
    view_.x_least = std::min(view_.x_least, x - room_x);
    view_.x_most = std::max(view_.x_most, x + room_x);
    view_.y_least = std::min(view_.y_least, y - room_y);
    view_.y_most = std::max(view_.y_most, y + room_y);
  }
  texture_.resize(std::size_t{kTexture} * kTexture);
  normals_.resize(std::size_t{1} << 16);
  for (std::size_t i = 0; i < normals_.size(); ++i)
    normals_[i] = static_cast<float>(
        normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(normals_.size())));
}

void Renderer::ground(const Scene& scene, const Pose& X_WC, double gain) {
  const GroundLook& g = scene.ground;
  if (texture_seed_ != g.seed || texture_[0] == 0) {
    RandomStream random(g.seed, "ground");
    for (float& t : texture_) t = static_cast<float>(random.normal());
    texture_seed_ = g.seed;
  }
  const Mat3 R = to_matrix(X_WC.q);
  const Shadow& s = scene.shadow;
  const double nx = -std::sin(s.direction_rad), ny = std::cos(s.direction_rad);
  const auto large = static_cast<float>(1 / g.stain_m), small = static_cast<float>(30 / g.stain_m);
  const auto contrast = static_cast<float>(g.contrast), tint = static_cast<float>(g.tint);
  std::array<float, 9> r{};
  for (std::size_t i = 0; i < 9; ++i) r[i] = static_cast<float>(R.m[i]);
  const auto px = static_cast<float>(X_WC.p.x), py = static_cast<float>(X_WC.p.y),
             pz = static_cast<float>(X_WC.p.z);
  const auto bright = static_cast<float>(gain);
  for (std::size_t i = 0; i < light_.size(); ++i) {
    const float x = rays_[2 * i], y = rays_[2 * i + 1];
    const float down = -(r[6] * x + r[7] * y + r[8]);
    light_[i] = 1;
    if (!(down > 0.02f)) {
      for (std::size_t c = 0; c < 3; ++c) plane_[c][i] = kSky[c] * bright;
      continue;
    }
    const float range = pz / down;
    const float wx = px + range * (r[0] * x + r[1] * y + r[2]);
    const float wy = py + range * (r[3] * x + r[4] * y + r[5]);
    if (s.width_m > 0) {
      const double off = (wx - s.through.x) * nx + (wy - s.through.y) * ny;
      const double in =
          std::clamp(0.5 + (0.5 * s.width_m - std::abs(off)) / (2 * s.soft_m), 0., 1.);
      light_[i] = static_cast<float>(1 - s.darkness * in);
    }
    const float stain = value_at(texture_, wx * large, wy * large);
    const float grain = value_at(texture_, wx * small + 37, wy * small + 91);
    const float b =
        std::max(0.f, 1 + contrast * (0.7f * stain + 0.7f * grain)) * bright * light_[i];
    const float t = tint * stain;
    plane_[0][i] = g.color[0] * b * (1 + t);
    plane_[1][i] = g.color[1] * b;
    plane_[2][i] = g.color[2] * b * (1 - t);
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
      if (!to_face.at(rays_[2 * at], rays_[2 * at + 1], o)) continue;
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
      if (!to_face.at(rays_[2 * at], rays_[2 * at + 1], o)) continue;
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
  out.resize(camera_.width, camera_.height, 3);
  RandomStream random(e.seed, "camera noise");
  const auto sigma = static_cast<float>(e.noise);
  std::uint64_t bits = 0;
  int left = 0;
  for (std::size_t i = 0; i < light_.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      if (left == 0) {
        bits = random.bits();
        left = 4;
      }
      const float value = plane_[c][i] * e.white_balance[c] + sigma * normals_[bits & 0xffff];
      bits >>= 16;
      --left;
      out.pixels[3 * i + c] = static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.f, 255.f));
    }
}

void Renderer::render(const Scene& scene, const Pose& X_WC, const Exposure& exposure, Image& out) {
  // edges have the lens's blur as far as that goes by itself, the rest of it comes over the picture
  const double of_edge = std::clamp(exposure.blur_px, 0.0, kMostOfEdge_px);
  if (edge_sigma_ != of_edge) edge_ = SoftEdge(edge_sigma_ = of_edge);
  ground(scene, X_WC, exposure.gain);
  const auto gain = static_cast<float>(exposure.gain);
  for (const Face& f : scene.faces)
    f.kind == Face::Kind::kRing ? paint(f.ring, X_WC, gain) : paint(f.cells, X_WC, gain);
  add_glare(scene.glare);
  move(exposure.motion);
  blur(std::sqrt(std::max(0.0, exposure.blur_px * exposure.blur_px - of_edge * of_edge)));
  develop(exposure, out);
}

}  // namespace pintle::world
