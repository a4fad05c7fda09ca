#include "pintle/vision/marker_decode.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace pintle::vision {
namespace {

bool inside(const ImageView& g, Pixel p) {
  return p.u >= 0 && p.v >= 0 && p.u <= g.width - 1.001 && p.v <= g.height - 1.001;
}

double value(const ImageView& g, Pixel p) {
  const int u = static_cast<int>(p.u), v = static_cast<int>(p.v);
  const double a = p.u - u, b = p.v - v;
  const std::uint8_t *r = g.row(v) + u, *s = g.row(v + 1) + u;
  return (r[0] * (1 - a) + r[1] * a) * (1 - b) + (s[0] * (1 - a) + s[1] * a) * b;
}

/// A line as a point and a unit direction.
struct Line {
  Pixel p, d;
};

/// Through weighted points, by total least squares.
bool fit_line(const std::vector<Pixel>& points, std::vector<double> weights, Line& out) {
  for (int round = 0; round < 2; ++round) {
    double w = 0, u = 0, v = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      w += weights[i];
      u += weights[i] * points[i].u;
      v += weights[i] * points[i].v;
    }
    if (!(w > 0)) return false;
    const Pixel m{u / w, v / w};
    double uu = 0, uv = 0, vv = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Pixel d = points[i] - m;
      uu += weights[i] * d.u * d.u;
      uv += weights[i] * d.u * d.v;
      vv += weights[i] * d.v * d.v;
    }
    const double angle = 0.5 * std::atan2(2 * uv, uu - vv);
    out = {m, {std::cos(angle), std::sin(angle)}};
    if (round == 1) break;
    // what is off the line counts less the second time
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Pixel d = points[i] - m;
      const double off = d.u * out.d.v - d.v * out.d.u;
      weights[i] /= 1 + off * off / 0.25;
    }
  }
  return true;
}

/// Where a side is along its normal at one point: the middle of the change from dark to light.
bool edge_at(const ImageView& g, Pixel at, Pixel outward, double reach, double& off,
             double& weight) {
  const int n = std::max(3, static_cast<int>(std::ceil(2 * reach / 0.5)));
  double sum = 0, moment = 0;
  double before = 0;
  for (int i = 0; i <= n; ++i) {
    const double s = -reach + 2 * reach * i / n;
    const Pixel p = at + s * outward;
    if (!inside(g, p)) return false;
    const double now = value(g, p);
    if (i > 0) {
      const double rise = std::max(0.0, now - before);
      const double w = rise * rise;
      sum += w;
      moment += w * (s - reach / n);
    }
    before = now;
  }
  if (!(sum > 4)) return false;
  off = moment / sum;
  weight = std::sqrt(sum);
  return true;
}

/// Turns points of the unit square, (0, 0) to (1, 1) by way of (1, 0), into the picture.
Eigen::Matrix3d homography(const Quad& q) {
  Eigen::Matrix<double, 8, 8> A;
  Eigen::Matrix<double, 8, 1> b;
  constexpr std::array<Pixel, 4> unit{Pixel{0, 0}, Pixel{1, 0}, Pixel{1, 1}, Pixel{0, 1}};
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double x = unit[k].u, y = unit[k].v, u = q[k].u, v = q[k].v;
    A.row(2 * i) << x, y, 1, 0, 0, 0, -u * x, -u * y;
    A.row(2 * i + 1) << 0, 0, 0, x, y, 1, -v * x, -v * y;
    b[2 * i] = u;
    b[2 * i + 1] = v;
  }
  const Eigen::Matrix<double, 8, 1> h = A.partialPivLu().solve(b);
  Eigen::Matrix3d H;
  H << h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1;
  return H;
}

constexpr int kMostGrid = kMostCells + 2;
using Grid = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostGrid, kMostGrid>;

/// How blur of `sigma` cells mixes n cells in a row, undone with damping. The first and the last go
/// on outside.
Grid unmix(int n, double sigma) {
  const auto upto = [&](double x) { return 0.5 * std::erfc(-x / (sigma * std::sqrt(2.0))); };
  Grid A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double c = i + 0.5;
      A(i, j) = (j == n - 1 ? 1 : upto(j + 1 - c)) - (j == 0 ? 0 : upto(j - c));
    }
  Grid damped = A.transpose() * A;
  damped.diagonal().array() += 0.01;
  const Grid inverse = damped.ldlt().solve(Grid(A.transpose()));
  return inverse;
}

/// Clear bits have a margin of a half each, and markers of a family differ in three or more.
constexpr double kLeastRivalMargin = 0.5;
constexpr std::array<double, 4> kBlurs{0.22, 0.4, 0.58, 0.75};

/// The inverses for both sizes of grid, made once.
struct Inverses {
  std::array<std::array<Grid, kBlurs.size()>, 2> of;
  Inverses() {
    for (int size = 0; size < 2; ++size)
      for (std::size_t i = 0; i < kBlurs.size(); ++i)
        of[static_cast<std::size_t>(size)][i] = unmix(9 + size, kBlurs[i]);
  }
};
const Inverses kInverses;

/// A plane a + b x + c y through some cells of a grid, by least squares.
struct Slope {
  Eigen::Matrix3d H = Eigen::Matrix3d::Zero();
  Eigen::Vector3d g = Eigen::Vector3d::Zero();
  void add(int x, int y, double z) {
    const Eigen::Vector3d J(1, x, y);
    H += J * J.transpose();
    g += z * J;
  }
  [[nodiscard]] Eigen::Vector3d solve() const { return H.ldlt().solve(g); }
};

/// Reads the bits of a grid whose outermost ring is what surrounds the marker, and by how much each
/// is on its side of the middle, as a share of the contrast.
bool read_bits(const Grid& grid, std::uint64_t& pattern, std::array<double, 64>& margins) {
  const int n = static_cast<int>(grid.rows());
  Slope light, dark;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const int ring = std::min({r, c, n - 1 - r, n - 1 - c});
      if (ring == 0) light.add(c, r, grid(r, c));
      if (ring == 1) dark.add(c, r, grid(r, c));
    }
  const Eigen::Vector3d white = light.solve(), black = dark.solve();
  int wrong = 0, stains = 0, bit = (n - 4) * (n - 4);
  pattern = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const Eigen::Vector3d J(1, c, r);
      const double w = white.dot(J), b = black.dot(J);
      if (!(w - b > 10)) return false;
      const bool is_light = grid(r, c) > 0.5 * (w + b);
      const int ring = std::min({r, c, n - 1 - r, n - 1 - c});
      if (ring == 1 && is_light) ++wrong;
      if (ring == 0 && !is_light) ++stains;
      if (ring < 2) continue;
      pattern = pattern << 1 | (is_light ? 1u : 0u);
      margins[static_cast<std::size_t>(--bit)] = std::abs(grid(r, c) - 0.5 * (w + b)) / (w - b);
    }
  // cells inside of another marker can look like one, but for the light around it
  return wrong <= 1 && stains <= 1;
}

}  // namespace

bool refine_corners(const ImageView& g, Quad& quad) {
  for (int round = 0; round < 2; ++round) {
    std::array<Line, 4> lines;
    const Pixel middle = 0.25 * (quad[0] + quad[1] + quad[2] + quad[3]);
    for (std::size_t i = 0; i < 4; ++i) {
      const Pixel a = quad[i], b = quad[(i + 1) % 4];
      const double length = std::hypot(b.u - a.u, b.v - a.v);
      if (!(length > 4)) return false;
      Pixel outward{(b.v - a.v) / length, -(b.u - a.u) / length};
      const Pixel from = 0.5 * (a + b) - middle;
      if (from.u * outward.u + from.v * outward.v < 0) outward = -1.0 * outward;
      const double reach = std::clamp((round == 0 ? 0.14 : 0.1) * length, 1.5, 5.0);
      const int n = std::clamp(static_cast<int>(length / 1.5), 6, round == 0 ? 12 : 24);
      std::vector<Pixel> points;
      std::vector<double> weights;
      for (int k = 0; k < n; ++k) {
        const double s = 0.08 + 0.84 * (k + 0.5) / n;
        const Pixel at = a + s * (b - a);
        double off = 0, weight = 0;
        if (!edge_at(g, at, outward, reach, off, weight)) continue;
        points.push_back(at + off * outward);
        weights.push_back(weight);
      }
      if (static_cast<int>(points.size()) < n / 2) return false;
      if (!fit_line(points, weights, lines[i])) return false;
    }
    Quad next;
    for (std::size_t i = 0; i < 4; ++i) {
      const Line &l = lines[(i + 3) % 4], &m = lines[i];
      const double cross = l.d.u * m.d.v - l.d.v * m.d.u;
      if (!(std::abs(cross) > 0.2)) return false;
      const Pixel d = m.p - l.p;
      next[i] = l.p + ((d.u * m.d.v - d.v * m.d.u) / cross) * l.d;
      const Pixel moved = next[i] - quad[i];
      const double side =
          std::hypot(quad[(i + 1) % 4].u - quad[i].u, quad[(i + 1) % 4].v - quad[i].v);
      if (!(std::hypot(moved.u, moved.v) < 3 + 0.25 * side)) return false;
    }
    quad = next;
  }
  return true;
}

std::optional<Decoded> decode(const ImageView& g, const Quad& quad, const Dictionary& dictionary) {
  const int n = dictionary.cells(), all = n + 2;
  const Eigen::Matrix3d H = homography(quad);
  Grid grid(all, all);
  for (int r = 0; r < all; ++r)
    for (int c = 0; c < all; ++c) {
      double sum = 0;
      int count = 0;
      for (const double dy : {-0.25, 0.0, 0.25})
        for (const double dx : {-0.25, 0.0, 0.25}) {
          const Eigen::Vector3d p = H * Eigen::Vector3d((c - 0.5 + dx) / n, (r - 0.5 + dy) / n, 1);
          const Pixel at{p[0] / p[2], p[1] / p[2]};
          if (!(p[2] > 0) || !inside(g, at)) continue;
          sum += value(g, at);
          ++count;
        }
      // surroundings may end with the picture; the marker may not
      if (count == 0) {
        if (r > 0 && c > 0 && r < all - 1 && c < all - 1) return std::nullopt;
        grid(r, c) = -1;
        continue;
      }
      grid(r, c) = sum / count;
    }
  const double lightest = grid.maxCoeff();
  for (int r = 0; r < all; ++r)
    for (int c = 0; c < all; ++c)
      if (grid(r, c) < 0) grid(r, c) = lightest;

  const double mean = grid.mean();
  grid.array() -= mean;
  for (std::size_t i = 0; i < kBlurs.size(); ++i) {
    const Grid& inverse = kInverses.of[static_cast<std::size_t>(all - 9)][i];
    Grid sharp = inverse * grid * inverse.transpose();
    std::uint64_t pattern = 0;
    std::array<double, 64> margins{};
    if (!read_bits(sharp, pattern, margins)) continue;
    const auto match = dictionary.find(pattern);
    if (match && dictionary.nearest_rival(pattern, match->id, margins) > kLeastRivalMargin)
      return Decoded{*match, kBlurs[i]};
  }
  return std::nullopt;
}

}  // namespace pintle::vision
