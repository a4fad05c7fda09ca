#include "pintle/vision/ring.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/base/random.h"
#include "pintle/vision/plane.h"
#include "pintle/vision/solve6.h"

namespace pintle::vision {
namespace {

constexpr double kLeastRange = 0.2, kMostRange = 25;  // in m, of a ring of half a metre
constexpr int kLeastPiece = 12;                       // edge points
constexpr int kMostEdges = 700;
constexpr int kBins = 64;

Mat3 level_axes(Vec3 up) {
  const Vec3 z = -up;
  const Vec3 start = std::abs(z.x) < 0.8 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  Vec3 x = start - dot(start, z) * z;
  x = x / norm(x);
  const Vec3 y = cross(z, x);
  return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}};
}

}  // namespace

HueAxes hue_axes(double hue_deg) noexcept {
  const double c = std::cos(radians(hue_deg)), s = std::sin(radians(hue_deg));
  const double h = std::sqrt(0.75);
  const auto axis = [&](double a, double b) {
    return std::array<float, 3>{static_cast<float>(a), static_cast<float>(-0.5 * a + h * b),
                                static_cast<float>(-0.5 * a - h * b)};
  };
  return {axis(c, s), axis(-s, c)};
}

RingFinder::RingFinder(const CameraModel& camera, const RingTarget& ring)
    : camera_(camera), ring_(ring), width_(camera.width / 2), height_(camera.height / 2) {}

RingFinder::Hue::Hue(const ImageView& rgb, const HueAxes& hue) {
  for (std::size_t c = 0; c < 3; ++c) {
    along[c] = static_cast<int>(std::lround(256 * hue.along[c]));
    across[c] = static_cast<int>(std::lround(256 * hue.across[c]));
  }
  // ground is seldom without any colour: what counts is how much more of the hue a place has
  std::array<int, 512> histogram{};
  const auto level_at = [this](const std::uint8_t* p) {
    return (along[0] * p[0] + along[1] * p[1] + along[2] * p[2]) / 256;
  };
  int all = 0;
  for (int v = 8; v < rgb.height; v += 16)
    for (int u = 8; u < rgb.width; u += 16, ++all)
      ++histogram[static_cast<std::size_t>(std::clamp(level_at(rgb.row(v) + 3 * u) + 256, 0, 511))];
  int ground = 0;
  for (int below = 0;
       ground < 511 && 2 * (below += histogram[static_cast<std::size_t>(ground)]) < all;)
    ++ground;
  // at most a share of what could be there
  usual = 4 * 256 * std::clamp(ground - 256, -20, 60);
}

bool RingFinder::Hue::is(const std::uint8_t* a, const std::uint8_t* b, int& level) const noexcept {
  const int R = a[0] + a[3] + b[0] + b[3], G = a[1] + a[4] + b[1] + b[4],
            B = a[2] + a[5] + b[2] + b[5];
  const int l = along[0] * R + along[1] * G + along[2] * B;
  const int p = across[0] * R + across[1] * G + across[2] * B;
  const int brightest = std::max({R, G, B});
  level = l / 1024;
  // saturated enough, and nearer to this hue than some forty degrees
  return l > 256 * 4 * 14 && l - usual > 256 * 4 * 14 && 7 * (l - usual) > 256 * brightest &&
         5 * std::abs(p) < 4 * l;
}

bool RingFinder::mark(const ImageView& rgb, const Hue& hue) {
  const auto n = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  level_.resize(n);
  marked_.resize(n);
  piece_.resize(n);
  int count = 0;
  for (int v = 0; v < height_; ++v) {
    const std::uint8_t *a = rgb.row(2 * v), *b = rgb.row(2 * v + 1);
    const std::size_t row = static_cast<std::size_t>(v) * static_cast<std::size_t>(width_);
    for (int u = 0; u < width_; ++u, a += 6, b += 6) {
      int level = 0;
      const bool is = hue.is(a, b, level);
      const std::size_t at = row + static_cast<std::size_t>(u);
      level_[at] = static_cast<std::int16_t>(level);
      marked_[at] = is ? 1 : 0;
      count += is ? 1 : 0;
    }
  }
  return count >= 40;
}

void RingFinder::collect_edges() {
  edges_.clear();
  pieces_.clear();
  std::fill(piece_.begin(), piece_.end(), -1);
  std::vector<int> stack;
  std::vector<std::pair<int, int>> found;  // pixel, piece
  for (int start = 0; start < static_cast<int>(marked_.size()); ++start) {
    if (marked_[static_cast<std::size_t>(start)] == 0 ||
        piece_[static_cast<std::size_t>(start)] >= 0)
      continue;
    const int piece = static_cast<int>(pieces_.size());
    const std::size_t first = found.size();
    stack.assign(1, start);
    piece_[static_cast<std::size_t>(start)] = piece;
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      const int u = at % width_, v = at / width_;
      bool edge = false;
      for (int dv = -1; dv <= 1; ++dv)
        for (int du = -1; du <= 1; ++du) {
          if (u + du < 0 || v + dv < 0 || u + du >= width_ || v + dv >= height_) continue;
          const int next = at + dv * width_ + du;
          if (marked_[static_cast<std::size_t>(next)] == 0) {
            edge = edge || du == 0 || dv == 0;
          } else if (piece_[static_cast<std::size_t>(next)] < 0) {
            piece_[static_cast<std::size_t>(next)] = piece;
            stack.push_back(next);
          }
        }
      if (edge && u > 0 && v > 0 && u < width_ - 1 && v < height_ - 1)
        found.emplace_back(at, piece);
    }
    if (static_cast<int>(found.size() - first) < kLeastPiece) {
      found.resize(first);
      continue;
    }
    pieces_.emplace_back();
  }
  // evenly thinned
  const std::size_t step = 1 + found.size() / kMostEdges;
  for (std::size_t i = 0; i < found.size(); i += step) {
    const auto [at, piece] = found[i];
    const int u = at % width_, v = at / width_;
    const auto L = [this, at = at](int du, int dv) {
      return double(level_[static_cast<std::size_t>(at + dv * width_ + du)]);
    };
    const double gu = 2 * (L(1, 0) - L(-1, 0)) + L(1, 1) - L(-1, 1) + L(1, -1) - L(-1, -1);
    const double gv = 2 * (L(0, 1) - L(0, -1)) + L(1, 1) - L(1, -1) + L(-1, 1) - L(-1, -1);
    const double g = std::hypot(gu, gv);
    if (!(g > 8)) continue;
    // the edge is half a pixel further out
    const double nu = -gu / g, nv = -gv / g;
    const double pu = 2 * u + 0.5 + nu, pv = 2 * v + 0.5 + nv;
    const Vec3 ray = unproject(camera_, {pu, pv});
    Edge e{};
    e.x = static_cast<float>(ray.x);
    e.y = static_cast<float>(ray.y);
    e.nx = static_cast<float>(2 * nu / camera_.fx);
    e.ny = static_cast<float>(2 * nv / camera_.fy);
    e.piece = piece;
    // pieces that were too small have given their number to the next one
    pieces_[static_cast<std::size_t>(piece)].push_back(static_cast<int>(edges_.size()));
    edges_.push_back(e);
  }
}

double RingFinder::score(const std::vector<OnGround>& edges, const Circle& c, double slack,
                         bool both_edges) const {
  const double q = ring_.inner_m / ring_.outer_m;
  std::uint64_t outer = 0, inner = 0;
  for (const OnGround& e : edges) {
    const double dx = e.x - c.x, dy = e.y - c.y, d = std::sqrt(dx * dx + dy * dy);
    const double turn = (dx * e.nx + dy * e.ny);
    const double pixel = std::sqrt(e.nx * e.nx + e.ny * e.ny);
    const double near = std::max(slack * c.r, 0.8 * pixel);
    // seen along the radius, within some thirty degrees
    const bool out = turn > 0.85 * d * pixel, in = turn < -0.85 * d * pixel;
    if (!(out && std::abs(d - c.r) < near) && !(in && std::abs(d - q * c.r) < near)) continue;
    const double angle = std::atan2(dy, dx) / (2 * kPi) + 0.5;
    const std::uint64_t bin = std::uint64_t{1}
                              << std::min(kBins - 1, static_cast<int>(kBins * angle));
    (out ? outer : inner) |= bin;
  }
  if (!both_edges) return std::popcount(outer | inner);
  return std::popcount(outer) + std::popcount(inner) + 2 * std::popcount(outer & inner);
}

void RingFinder::circles_by_three_points(const Mat3& Q, double slack, bool both_edges,
                                         std::vector<Circle>& out) const {
  std::vector<OnGround> ground(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& e = edges_[i];
    const Vec3 a = Q * Vec3{e.x, e.y, 1}, b = Q * Vec3{double(e.x) + e.nx, double(e.y) + e.ny, 1};
    if (!(a.z > 0.15 && b.z > 0.15)) {
      ground[i] = {1e6, 1e6, 1, 0};
      continue;
    }
    ground[i] = {a.x / a.z, a.y / a.z, b.x / b.z - a.x / a.z, b.y / b.z - a.y / a.z};
  }
  const double q = ring_.inner_m / ring_.outer_m;
  RandomStream random(7, "ring");
  for (const std::vector<int>& piece : pieces_) {
    if (static_cast<int>(piece.size()) < 8) continue;
    const int tries = std::clamp(static_cast<int>(piece.size()), 40, 160);
    for (int k = 0; k < tries; ++k) {
      std::array<OnGround, 3> p;
      for (OnGround& one : p)
        one = ground[static_cast<std::size_t>(
            piece[static_cast<std::size_t>(random.uniform() * static_cast<double>(piece.size()))])];
      const double ax = p[1].x - p[0].x, ay = p[1].y - p[0].y, bx = p[2].x - p[0].x,
                   by = p[2].y - p[0].y;
      const double det = 2 * (ax * by - ay * bx), aa = ax * ax + ay * ay, bb = bx * bx + by * by;
      const double cc = (ax - bx) * (ax - bx) + (ay - by) * (ay - by);
      if (!(det * det > 1e-3 * aa * bb) || !(std::min({aa, bb, cc}) > 1e-6)) continue;
      Circle c;
      const double ox = (by * aa - ay * bb) / det, oy = (ax * bb - bx * aa) / det;
      c.x = p[0].x + ox;
      c.y = p[0].y + oy;
      c.r = std::sqrt(ox * ox + oy * oy);
      // all three look outwards, or all inwards
      int sign = 0;
      for (const OnGround& one : p)
        sign += (one.x - c.x) * one.nx + (one.y - c.y) * one.ny > 0 ? 1 : -1;
      if (std::abs(sign) != 3) continue;
      if (sign < 0) c.r /= q;
      const double range = ring_.outer_m / c.r, unit = ring_.outer_m / 0.5;
      if (!(range > kLeastRange * unit && range < kMostRange * unit)) continue;
      c.score = score(ground, c, slack, both_edges);
      if (c.score < (both_edges ? 24 : 10)) continue;
      out.push_back(c);
    }
  }
}

bool RingFinder::prove(const ImageView& rgb, const HueAxes& hue, const Hue& is_of,
                       const UpPrior& up, int first_round, RingCandidate& c) const {
  constexpr int kAngles = 72, kMostSamples = 41;
  const double q = ring_.inner_m / ring_.outer_m, band = 1 - q;
  const auto value = [&](Pixel p, const std::array<float, 3>& axis) {
    const int u = static_cast<int>(p.u), v = static_cast<int>(p.v);
    const double a = p.u - u, b = p.v - v;
    const std::uint8_t *r = rgb.row(v) + 3 * u, *s = rgb.row(v + 1) + 3 * u;
    const auto at = [&](const std::uint8_t* x) {
      return double(axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]);
    };
    return (at(r) * (1 - a) + at(r + 3) * a) * (1 - b) + (at(s) * (1 - a) + at(s + 3) * a) * b;
  };

  struct Hit {
    int angle;
    Pixel top;                 // where it has most of the colour
    double outer, inner;       // where the edges are, in outer radii
    Pixel at_outer, at_inner;  // as rays
    double width_px;
  };
  std::vector<Hit> hits;
  // across the band and what is beside it, somewhat closer than pixels; an odd number
  const double band_px = camera_.fx * ring_.outer_m * band / norm(c.X_CF.p);
  int in_picture = 0;
  double sigma = 0;
  for (int round = first_round; round < 5; ++round) {
    hits.clear();
    in_picture = 0;
    // wide at first, then close around the ring
    const double margin = (round == 0 ? 1.6 : round == 1 ? 1.2 : 0.9) * band;
    const int samples =
        1 + 2 * std::clamp(static_cast<int>(0.75 * band_px * (1 + 2 * margin / band)), 10,
                           kMostSamples / 2);
    // the first look only shows the way
    const int every = round == first_round && first_round > 0 ? 2 : 1;
    for (int k = 0; k < kAngles; k += every) {
      const double angle = 2 * kPi * k / kAngles, ca = std::cos(angle), sa = std::sin(angle);
      std::array<double, kMostSamples> l;
      std::array<Pixel, kMostSamples> at;
      // from a little inside of the inner edge to a little outside of the outer one it must be in
      // the picture; what is further is taken as far as it goes
      const double unit = (band + 2 * margin) / (samples - 1);
      const int inmost = static_cast<int>((margin - 0.35 * band) / unit);
      const auto pixel = [&](int i, Pixel& p) {
        const Vec3 p_F = ring_.outer_m * (q - margin + unit * i) * Vec3{ca, sa, 0};
        return project(camera_, c.X_CF.p + rotate(c.X_CF.q, p_F), p);
      };
      // a parabola through both ends and the middle, where they can be seen, is as good
      const int mid = samples / 2;
      Pixel low, middle, high_end;
      const bool all = pixel(0, low) && pixel(mid, middle) && pixel(samples - 1, high_end);
      const Pixel slope = 0.5 * (high_end - low), bend = 0.5 * (high_end + low) - middle;
      int begin = mid, end = mid;  // the last ones that are in it
      for (const int way : {-1, 1})
        for (int i = mid; i >= 0 && i < samples; i += way) {
          Pixel p;
          const double x = static_cast<double>(i - mid) / mid;
          if (all)
            p = middle + x * slope + x * x * bend;
          else if (!pixel(i, p))
            break;
          if (!(p.u >= 0 && p.v >= 0 && p.u < camera_.width - 1.001 &&
                p.v < camera_.height - 1.001))
            break;
          l[static_cast<std::size_t>(i)] = value(p, hue.along);
          at[static_cast<std::size_t>(i)] = p;
          (way < 0 ? begin : end) = i;
        }
      if (!(begin <= inmost && end >= samples - 1 - inmost)) continue;
      const Pixel first = at[static_cast<std::size_t>(begin)],
                  last = at[static_cast<std::size_t>(end)];
      ++in_picture;
      // the highest part of the profile, and what is around it
      const auto L = [&](int i) { return l[static_cast<std::size_t>(i)]; };
      int top = begin + 1;
      for (int i = begin + 1; i < end; ++i)
        if (L(i) > L(top)) top = i;
      const double high = L(top);
      const Pixel summit = at[static_cast<std::size_t>(top)];
      if (!(high > 14) || !(std::abs(value(summit, hue.across)) < 0.9 * high)) continue;
      const double before = (L(begin) + L(begin + 1)) / 2, after = (L(end) + L(end - 1)) / 2;
      if (!(high - before > 10 && high - after > 10)) continue;
      int i = top;
      const double low_half = 0.5 * (high + before), high_half = 0.5 * (high + after);
      while (i > begin && L(i - 1) > low_half) --i;
      int j = top;
      while (j < end && L(j + 1) > high_half) ++j;
      if (i == begin || j == end) continue;
      const double in =
          q - margin + unit * (i - (L(i) - low_half) / std::max(1e-9, L(i) - L(i - 1)));
      const double outer =
          q - margin + unit * (j + (L(j) - high_half) / std::max(1e-9, L(j) - L(j + 1)));
      Hit h{k, summit, outer, in, {}, {}, 0};
      const auto ray = [&](double rho) {
        const Vec3 p = c.X_CF.p + rotate(c.X_CF.q, ring_.outer_m * rho * Vec3{ca, sa, 0});
        return Pixel{p.x / p.z, p.y / p.z};
      };
      h.at_outer = ray(outer);
      h.at_inner = ray(in);
      h.width_px = std::hypot(last.u - first.u, last.v - first.v) * band / (unit * (end - begin));
      hits.push_back(h);
    }
    if (every * static_cast<int>(hits.size()) < kAngles / 7) return false;

    // five numbers, the turn about the ring's own axis held
    std::array<double, 36> H{};
    std::array<double, 6> g{};
    const double pixel = 0.5 * band;  // what counts as far off, in outer radii
    double sum = 0, weight_sum = 0;
    const Plane plane(c.X_CF, ring_.outer_m, camera_.fx, camera_.fy);
    for (const Hit& h : hits)
      for (const bool is_outer : {true, false}) {
        const Pixel ray = is_outer ? h.at_outer : h.at_inner;
        OnPlane o;
        if (!plane.at(ray.u, ray.v, o)) continue;
        const double rho = std::sqrt(o.X * o.X + o.Y * o.Y), r = rho - (is_outer ? 1 : q);
        const double far = round == 0 ? 2 * pixel : std::max(3 * sigma, 0.1 * band);
        const double k = 1 / (1 + r * r / (far * far)), w = k * k;
        sum += w * r * r;
        weight_sum += w;
        for (std::size_t a = 0; a < 6; ++a) {
          const double Ja = (o.X * o.X_by_pose[a] + o.Y * o.Y_by_pose[a]) / rho;
          g[a] += w * r * Ja;
          for (std::size_t b = 0; b <= a; ++b)
            H[6 * a + b] += w * Ja * (o.X * o.X_by_pose[b] + o.Y * o.Y_by_pose[b]) / rho;
        }
      }
    sigma = std::sqrt(sum / std::max(1.0, weight_sum));
    // the attitude, in the same unit
    const double noise = std::max(sigma, 0.02 * band);
    const Vec3 n = rotate(c.X_CF.q, {0, 0, 1});
    const Mat3 k = skew(n), kk = transpose(k) * k;
    const Vec3 kr = transpose(k) * (n - up.up_C);
    const double w = noise * noise / (up.sigma_rad * up.sigma_rad);
    for (std::size_t a = 0; a < 3; ++a) {
      g[3 + a] -= w * kr[a];
      for (std::size_t b = 0; b <= a; ++b)
        H[6 * (3 + a) + 3 + b] += w * kk(a, b) + 10 * n[a] * n[b];
      H[6 * a + a] *= 1 + 1e-6;
    }
    std::array<double, 6> d{};
    if (!solve6(H, g, d)) return false;
    c.X_CF.p -= Vec3{d[0], d[1], d[2]};
    c.X_CF.q = normalized(from_rotation_vector(-Vec3{d[3], d[4], d[5]}) * c.X_CF.q);
    if (!is_finite(c.X_CF) || !(c.X_CF.p.z > 0.05) || !(rotate(c.X_CF.q, {0, 0, 1}).z < -0.1))
      return false;
    if (round > first_round && norm(Vec3{d[0], d[1], d[2]}) < 0.01 * band * ring_.outer_m) break;
  }

  // the proof: both edges where the ratio says, on one round, for long enough, and of the colour
  c.seen.assign(kAngles, false);
  double outer = 0, inner = 0, width = 0;
  int good = 0, colored = 0;
  for (const Hit& h : hits) {
    const double far = std::max(3 * sigma, 0.12 * band);
    if (std::abs(h.outer - 1) > far || std::abs(h.inner - q) > far) continue;
    c.seen[static_cast<std::size_t>(h.angle)] = true;
    const int u = static_cast<int>(h.top.u) / 2 * 2, v = static_cast<int>(h.top.v) / 2 * 2;
    int level = 0;
    colored += is_of.is(rgb.row(v) + 3 * u, rgb.row(v + 1) + 3 * u, level) ? 1 : 0;
    outer += h.outer;
    inner += h.inner;
    width += h.width_px;
    ++good;
  }
  if (good < kAngles / 7 || 2 * colored < good) return false;
  width /= good;
  const double ratio = inner / outer;
  c.visible_share = static_cast<double>(good) / kAngles;
  c.blur_px = std::clamp(0.25 * width, 0.7, 2.0);
  return std::abs(ratio - q) < 0.15 * band + 0.1 * band * 4 / std::max(1.0, width) &&
         sigma < 0.12 * band + 0.6 * band / std::max(1.0, width) && 3 * good >= in_picture &&
         width > 2.5;
}

void RingFinder::find(const ImageView& rgb, const HueAxes& hue, const UpPrior& up,
                      std::vector<RingCandidate>& out) {
  const Hue is_of(rgb, hue);
  if (!mark(rgb, is_of)) return;
  collect_edges();
  if (edges_.size() < 16) return;

  // the attitude, or what it could be
  std::vector<Vec3> ups{up.up_C};
  const bool known = up.sigma_rad < 0.1;
  if (!known)
    for (const double tilt : {0.25, 0.5})
      for (int k = 0; k < 8; ++k) {
        const double a = kPi / 4 * k;
        const Vec3 side = transpose(level_axes(up.up_C)) * Vec3{std::cos(a), std::sin(a), 0};
        ups.push_back(std::cos(tilt) * up.up_C + std::sin(tilt) * side);
      }
  struct Start {
    Circle circle;
    Vec3 up_C;
  };
  std::vector<Start> starts;
  for (const Vec3& one : ups) {
    const Mat3 Q = level_axes(one);
    std::vector<Circle> circles;
    if (ring_.method == RingMethod::kHough)
      circles_by_gradients(Q, circles);
    else
      circles_by_three_points(Q, known ? 0.02 : 0.03, ring_.method == RingMethod::kBest, circles);
    std::stable_sort(circles.begin(), circles.end(),
                     [](const Circle& a, const Circle& b) { return a.score > b.score; });
    int taken = 0;
    for (std::size_t i = 0; i < circles.size() && taken < 4; ++i) {
      bool again = false;
      for (std::size_t j = starts.size() - static_cast<std::size_t>(taken); j < starts.size();
           ++j) {
        const Circle& s = starts[j].circle;
        again = again || (std::hypot(s.x - circles[i].x, s.y - circles[i].y) < 0.05 * s.r &&
                          std::abs(s.r - circles[i].r) < 0.05 * s.r);
      }
      if (again) continue;
      starts.push_back({circles[i], one});
      ++taken;
    }
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.circle.score > b.circle.score; });
  if (starts.size() > 8) starts.resize(8);

  for (const Start& s : starts) {
    bool again = false;
    const Mat3 Q = level_axes(s.up_C);
    const double height = ring_.outer_m / s.circle.r;
    RingCandidate c;
    c.X_CF.p = height * (transpose(Q) * Vec3{s.circle.x, s.circle.y, 1});
    // z of the face is up: turn level axes (z down) over
    const Mat3 R_CF = transpose(Q) * Mat3::diagonal({1, -1, -1});
    c.X_CF.q = to_quaternion(R_CF);
    for (const RingCandidate& o : out)
      again = again || norm(o.X_CF.p - c.X_CF.p) < 0.5 * ring_.outer_m;
    if (again || !prove(rgb, hue, is_of, up, 0, c)) continue;
    for (const RingCandidate& o : out)
      again = again || norm(o.X_CF.p - c.X_CF.p) < 0.5 * ring_.outer_m;
    if (!again) out.push_back(std::move(c));
  }
}

bool RingFinder::find_near(const ImageView& rgb, const HueAxes& hue, const UpPrior& up,
                           const Pose& X_CF, RingCandidate& out) const {
  out.X_CF = X_CF;
  return prove(rgb, hue, Hue(rgb, hue), up, 1, out);
}

}  // namespace pintle::vision
