#include "pintle/vision/detector.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "pintle/vision/dictionary.h"
#include "pintle/vision/face_fit.h"
#include "pintle/vision/marker_decode.h"
#include "pintle/vision/plane.h"
#include "pintle/vision/pose_covariance.h"
#include "pintle/vision/quads.h"
#include "pintle/vision/ring.h"
#include "pintle/vision/square_pose.h"

namespace pintle::vision {
namespace {

constexpr double kBlueHue_deg = 224, kRedHue_deg = 346;  // the middles of what the original took
constexpr std::size_t kMostMarkerSamples = 320, kMostRingSamples = 700;
constexpr int kIterations = 12;
constexpr double kLeastMarkerAgreement = 0.75, kLeastRingAgreement = 0.7;
/// How far off corners can be together, px: at best, and by the share of the contrast that the fit
/// could not explain. What is not noise (cells that are covered, glare, a shake) moves corners by as
/// much of the blur; from 1500 pictures of another seed than the one that is reported.
constexpr double kCornerError_px = 0.005, kCornerErrorOfMisfit = 45;
constexpr double kRingInflation = 1.4;

Conic edge_conic(const CameraModel& camera, const Pose& X_CF, double radius) {
  // d^T (M^-T diag(1, 1, -r^2) M^-1) d with d = K^-1 (u, v, 1)
  const Vec3 a = rotate(X_CF.q, {1, 0, 0}), b = rotate(X_CF.q, {0, 1, 0}), t = X_CF.p;
  const double det = dot(a, cross(b, t));
  const std::array<Vec3, 3> row{cross(b, t) / det, cross(t, a) / det, cross(a, b) / det};
  Mat3 C;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      C(i, j) =
          row[0][i] * row[0][j] + row[1][i] * row[1][j] - radius * radius * row[2][i] * row[2][j];
  const Mat3 K_inverse{{1 / camera.fx, 0, -camera.cx / camera.fx, 0, 1 / camera.fy,
                        -camera.cy / camera.fy, 0, 0, 1}};
  const Mat3 P = transpose(K_inverse) * C * K_inverse;
  Conic c{P(0, 0), 2 * P(0, 1), P(1, 1), 2 * P(0, 2), 2 * P(1, 2), P(2, 2)};
  double size = 0;
  for (const double x : c) size = std::max(size, std::abs(x));
  for (double& x : c) x /= size;
  return c;
}

}  // namespace

struct Detector::Impl {
  DetectorSettings settings;
  std::vector<float> rays;
  Dictionary dictionary;
  QuadFinder quads;
  std::optional<RingFinder> rings;

  std::vector<std::uint8_t> grey;
  std::vector<Quad> found;
  std::vector<FaceSample> samples;
  std::vector<RingCandidate> candidates;

  explicit Impl(const DetectorSettings& s) : settings(s), rays(ray_table(s.camera)) {
    if (s.markers) dictionary = Dictionary(*s.markers);
    if (s.ring) rings.emplace(settings.camera, rays, *s.ring);
  }

  [[nodiscard]] ImageView grey_view() const {
    const CameraModel& c = settings.camera;
    return {grey.data(), c.width, c.height, 1, static_cast<std::size_t>(c.width)};
  }

  /// The pixels of a face: those near its edges, and some of the others. `value(u, v)` is what
  /// they show, `takes(X, Y)` whether they belong.
  template <class Value, class Takes>
  void gather(const Pattern& pattern, double size_m, const Pose& X_CF, double blur_px, double reach,
              std::size_t most, Value value, Takes takes) {
    const CameraModel& c = settings.camera;
    samples.clear();
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (int k = 0; k < 16; ++k) {
      // around the circle about the face's square, or the ring
      const double a = 2 * kPi * k / 16;
      const Vec3 p =
          X_CF.p + rotate(X_CF.q, 1.1 * reach * size_m * Vec3{std::cos(a), std::sin(a), 0});
      Pixel at;
      if (!project(c, p, at)) at = {k % 2 ? 1e6 : -1e6, k % 2 ? 1e6 : -1e6};
      left = std::min(left, at.u), right = std::max(right, at.u);
      top = std::min(top, at.v), bottom = std::max(bottom, at.v);
    }
    const int u0 = static_cast<int>(std::clamp(left, 0.0, c.width - 1.0)),
              u1 = static_cast<int>(std::clamp(right + 1, 0.0, c.width - 1.0)),
              v0 = static_cast<int>(std::clamp(top, 0.0, c.height - 1.0)),
              v1 = static_cast<int>(std::clamp(bottom + 1, 0.0, c.height - 1.0));
    // a lattice that gives enough of them, its rows shifted against each other
    const double all = double(u1 - u0 + 1) * (v1 - v0 + 1);
    const int step =
        std::max(1, static_cast<int>(std::sqrt(all / (6.0 * static_cast<double>(most)))));
    const Plane plane(X_CF, size_m, c.fx, c.fy);
    OnPlane o;
    int plain = 0;
    const double blur2 = (blur_px + 0.7) * (blur_px + 0.7);
    for (int v = v0; v <= v1; v += step)
      for (int u = u0 + (v / step % 2) * (step / 2); u <= u1; u += step) {
        const std::size_t at = static_cast<std::size_t>(v) * static_cast<std::size_t>(c.width) +
                               static_cast<std::size_t>(u);
        if (!plane.meet(rays[2 * at], rays[2 * at + 1], o) || !takes(o.X, o.Y)) continue;
        const Drawn d = pattern.at(o.X, o.Y, blur2 * (o.Xu * o.Xu + o.Xv * o.Xv),
                                   blur2 * (o.Yu * o.Yu + o.Yv * o.Yv));
        const double by_u = d.x * o.Xu + d.y * o.Yu, by_v = d.x * o.Xv + d.y * o.Yv;
        // where nothing changes a few tell the light
        if (by_u * by_u + by_v * by_v < 0.0016 && ++plain % 6 != 0) continue;
        samples.push_back({rays[2 * at], rays[2 * at + 1], static_cast<float>(value(u, v))});
      }
    if (samples.size() <= most) return;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < most; ++k) samples[kept++] = samples[k * samples.size() / most];
    samples.resize(kept);
  }

  void place(Detection& d) const {
    const Pose& X_BC = settings.camera.X_BC;
    d.target_B = X_BC.p + rotate(X_BC.q, d.X_CT.p);
    const Mat3 R = to_matrix(X_BC.q);
    Mat3 C;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) C(i, j) = d.covariance[6 * i + j];
    d.covariance_B = R * C * transpose(R);
  }

  void markers(const UpPrior& up, Detections& out) {
    const CameraModel& c = settings.camera;
    const ImageView view = grey_view();
    quads.find(view, settings.min_side_px, found);
    for (Quad q : found) {
      // what has been read need not be read again
      const Pixel middle = 0.25 * (q[0] + q[1] + q[2] + q[3]);
      const auto is_known = [&](const Detection& d) {
        const Pixel m = 0.25 * (d.corners[0] + d.corners[1] + d.corners[2] + d.corners[3]);
        const Pixel s = d.corners[2] - d.corners[0], t = q[2] - q[0];
        const double size = std::hypot(s.u, s.v), other = std::hypot(t.u, t.v);
        return d.kind == Detection::Kind::kMarker &&
               std::hypot(m.u - middle.u, m.v - middle.v) < 0.2 * size && other > 0.7 * size &&
               other < 1.4 * size;
      };
      if (std::any_of(out.begin(), out.end(), is_known)) continue;
      if (!refine_corners(view, q)) continue;
      const auto read = decode(view, q, dictionary);
      if (!read) continue;
      const auto turns = static_cast<std::size_t>(read->match.turns);
      std::array<Pixel, 4> corner, ray;
      for (std::size_t k = 0; k < 4; ++k) {
        corner[k] = q[(k + turns) % 4];
        const Vec3 r = unproject(c, corner[k]);
        ray[k] = {r.x, r.y};
      }
      const std::vector<SquarePose> poses = square_poses(ray, read->match.side_m);
      if (poses.empty()) continue;

      Pattern pattern;
      pattern.cells = dictionary.cells();
      pattern.light = dictionary.cells_of(read->match.id).data();
      const Pixel d1 = corner[2] - corner[0], d2 = corner[3] - corner[1];
      const double cell_px =
          0.35 * (std::hypot(d1.u, d1.v) + std::hypot(d2.u, d2.v)) / pattern.cells;
      const double blur = std::clamp(read->blur_cells * cell_px, 0.6, 3.0);
      // not as far as where blur brings in what surrounds the quiet zone
      const double edge =
          0.5 + std::clamp(1 - 2.2 * std::hypot(blur, 0.3) / cell_px, 0.12, 0.45) / pattern.cells;
      gather(
          pattern, read->match.side_m, poses[0].X_CT, blur, 1.42 * edge, kMostMarkerSamples,
          [&](int u, int v) { return double(view.row(v)[u]); },
          [&](double X, double Y) { return std::abs(X) < edge && std::abs(Y) < edge; });

      // the corners' errors in px of a tenth, and how far the attitude is from the one that is
      // known
      const auto misfit = [&](const Pose& X_CT, double error) {
        const double e = 10 * c.fx * error;
        if (!(up.sigma_rad > 0)) return 4 * e * e;
        const Vec3 off = rotate(X_CT.q, {0, 0, 1}) - up.up_C;
        return 4 * e * e + dot(off, off) / (up.sigma_rad * up.sigma_rad);
      };
      double lowest = 1e9;
      for (const SquarePose& p : poses) lowest = std::min(lowest, misfit(p.X_CT, p.error));
      FaceFit best;
      double least = 0;
      for (std::size_t k = 0; k < poses.size(); ++k) {
        // both only where corners and attitude leave it open
        if (misfit(poses[k].X_CT, poses[k].error) > lowest + 25) continue;
        FaceFit start;
        start.X_CF = poses[k].X_CT;
        start.blur_px2 = {blur * blur, 0, blur * blur};
        const FaceFit fit =
            fit_face(pattern, read->match.side_m, c.fx, c.fy, samples, start, {}, kIterations);
        if (!fit.converged || !(fit.contrast > 8)) continue;
        // squares left over, and how far the attitude is from the one that is known
        double cost = static_cast<double>(samples.size()) * std::log(fit.residual);
        if (up.sigma_rad > 0) {
          const Vec3 off = rotate(fit.X_CF.q, {0, 0, 1}) - up.up_C;
          cost += 0.5 * dot(off, off) / (up.sigma_rad * up.sigma_rad);
        }
        if (!best.converged || cost < least) best = fit, least = cost;
      }
      if (!best.converged || !(best.agreement > kLeastMarkerAgreement)) continue;

      Detection d;
      d.id = read->match.id;
      d.X_CT = best.X_CF;
      d.covariance = best.covariance;
      const double misfit_share = best.residual / best.contrast,
                   wide = std::sqrt(0.5 * (best.blur_px2[0] + best.blur_px2[2])),
                   corner_px = std::hypot(
                       kCornerError_px, kCornerErrorOfMisfit * misfit_share * misfit_share * wide);
      if (!add_corner_error(c, d.X_CT, read->match.side_m, corner_px, d.covariance)) continue;
      if (up.sigma_rad > 0) use_attitude(up.up_C, up.sigma_rad, d.X_CT, d.covariance);
      d.confidence = best.agreement;
      const double h = 0.5 * read->match.side_m;
      const std::array<Vec3, 4> at{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0}, Vec3{-h, -h, 0}};
      bool whole = true;
      for (std::size_t k = 0; k < 4; ++k) {
        whole = whole && project(c, d.X_CT.p + rotate(d.X_CT.q, at[k]), d.corners[k]);
        // a fit that has left the corners has found something else
        const Pixel off = d.corners[k] - corner[k];
        whole = whole && std::hypot(off.u, off.v) < 1.5 + 0.5 * cell_px;
      }
      if (!whole) continue;
      place(d);
      // the same one by another outline: the better fit stays
      const auto twin = std::find_if(out.begin(), out.end(), [&](const Detection& o) {
        return o.id == d.id && norm(o.X_CT.p - d.X_CT.p) < read->match.side_m;
      });
      if (twin == out.end())
        out.push_back(d);
      else if (d.confidence > twin->confidence)
        *twin = d;
    }
    leave_out_contradictions(out);
  }

  /// Two numbers in one place cannot both be right, unless one is nested in the other.
  static void leave_out_contradictions(Detections& found) {
    constexpr double kNested = 2.5;  // times as large, at least
    const auto side = [](const Detection& d) {
      return std::hypot(d.corners[2].u - d.corners[0].u, d.corners[2].v - d.corners[0].v);
    };
    const auto middle = [](const Detection& d) {
      return 0.25 * (d.corners[0] + d.corners[1] + d.corners[2] + d.corners[3]);
    };
    std::vector<bool> doubtful(found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t k = i + 1; k < found.size(); ++k) {
        const double a = side(found[i]), b = side(found[k]);
        const Pixel off = middle(found[i]) - middle(found[k]);
        if (found[i].id == found[k].id || std::max(a, b) > kNested * std::min(a, b)) continue;
        if (std::hypot(off.u, off.v) < 0.4 * std::max(a, b)) doubtful[i] = doubtful[k] = true;
      }
    std::size_t at = 0;
    std::erase_if(found, [&](const Detection&) { return doubtful[at++]; });
  }

  void ring(const ImageView& rgb, double hue_deg, const UpPrior& up, Detections& out) {
    const CameraModel& c = settings.camera;
    const RingTarget& target = *settings.ring;
    const HueAxes hue = hue_axes(hue_deg);
    candidates.clear();
    rings->find(rgb, hue, up, candidates);
    Pattern pattern;
    pattern.kind = Pattern::Kind::kRing;
    pattern.inner = target.inner_m / target.outer_m;
    const double band = 1 - pattern.inner;
    for (const RingCandidate& candidate : candidates) {
      const double n = static_cast<double>(candidate.seen.size());
      gather(
          pattern, target.outer_m, candidate.X_CF, candidate.blur_px, 1 + band, kMostRingSamples,
          [&](int u, int v) {
            const std::uint8_t* p = rgb.row(v) + 3 * u;
            return double(hue.along[0] * p[0] + hue.along[1] * p[1] + hue.along[2] * p[2]);
          },
          [&](double X, double Y) {
            const double r = std::sqrt(X * X + Y * Y);
            if (!(r > pattern.inner - 0.8 * band && r < 1 + 0.8 * band)) return false;
            const double angle = std::atan2(Y, X) / (2 * kPi);
            const int k = static_cast<int>(std::lround((angle < 0 ? angle + 1 : angle) * n));
            return bool(candidate.seen[static_cast<std::size_t>(k) % candidate.seen.size()]);
          });
      FaceFit start;
      start.X_CF = candidate.X_CF;
      start.blur_px2 = {candidate.blur_px * candidate.blur_px, 0,
                        candidate.blur_px * candidate.blur_px};
      const FaceFit fit =
          fit_face(pattern, target.outer_m, c.fx, c.fy, samples, start, up, kIterations);
      if (!fit.converged || !(fit.contrast > 10) || !(fit.agreement > kLeastRingAgreement))
        continue;
      if (!(norm(fit.X_CF.p - candidate.X_CF.p) < 0.2 * norm(candidate.X_CF.p))) continue;
      // the proof once more, on the pixels: how wide the ring is, and whether that can be told
      const FaceFit free =
          fit_face(pattern, target.outer_m, c.fx, c.fy, samples, fit, up, kIterations, true);
      // few pixels across tell blur and width less apart than the fit believes
      const double across_px = c.fx * target.outer_m * band / norm(fit.X_CF.p);
      if (!free.converged || !(free.inner_sigma < std::min(0.1, 0.018 * across_px) * band) ||
          !(std::abs(free.inner - pattern.inner) + 2 * free.inner_sigma < 0.27 * band))
        continue;
      Detection d;
      d.kind = Detection::Kind::kCircle;
      d.X_CT = fit.X_CF;
      d.covariance = fit.covariance;
      for (double& x : d.covariance) x *= kRingInflation;
      d.visible_share = candidate.visible_share;
      d.confidence = fit.agreement;
      d.conics = {edge_conic(c, d.X_CT, target.outer_m), edge_conic(c, d.X_CT, target.inner_m)};
      place(d);
      out.push_back(d);
    }
  }
};

Detector::Detector(const DetectorSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
const DetectorSettings& Detector::settings() const noexcept { return impl_->settings; }

bool Detector::detect(const ImageView& picture, const std::optional<Vec3>& up_B, Detections& out,
                      std::string& why) {
  out.clear();
  const DetectorSettings& s = impl_->settings;
  if (picture.channels != 3 || picture.width != s.camera.width ||
      picture.height != s.camera.height) {
    why = "the picture is " + std::to_string(picture.width) + " x " +
          std::to_string(picture.height) + ", the camera file says " +
          std::to_string(s.camera.width) + " x " + std::to_string(s.camera.height);
    return false;
  }
  try {
    // without an attitude: somewhere around level, for rings; nothing, for markers
    UpPrior known{rotate(conjugate(s.camera.X_BC.q), up_B.value_or(Vec3{0, 0, 1})), s.up_sigma_rad};
    UpPrior marker = known, ring = known;
    if (!up_B) {
      marker.sigma_rad = 0;
      ring.sigma_rad = 0.3;
    }
    if (s.markers) {
      to_grey(picture, impl_->grey);
      impl_->markers(marker, out);
    }
    if (s.ring) {
      if (s.ring->color != RingColor::kRed) impl_->ring(picture, kBlueHue_deg, ring, out);
      if (s.ring->color != RingColor::kBlue) impl_->ring(picture, kRedHue_deg, ring, out);
    }
  } catch (const std::exception& e) {
    out.clear();
    why = e.what();
    return false;
  }
  return true;
}

}  // namespace pintle::vision
