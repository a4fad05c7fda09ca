#include "pintle/vision/detector.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "pintle/vision/dictionary.h"
#include "pintle/vision/face_fit.h"
#include "pintle/vision/marker_decode.h"
#include "pintle/vision/pixel_noise.h"
#include "pintle/vision/plane.h"
#include "pintle/vision/pose_covariance.h"
#include "pintle/vision/quads.h"
#include "pintle/vision/ring.h"
#include "pintle/vision/solve6.h"
#include "pintle/vision/square_pose.h"

namespace pintle::vision {
namespace {

constexpr double kBlueHue_deg = 224, kRedHue_deg = 346;  // the middles of what the original took
constexpr std::size_t kMostRingSamples = 320, kMostThinRingSamples = 1800;
/// Of a marker: the more the longer its side is than so many px. Its edges are long, and where blur
/// makes them wide many pixels are needed to place them. One that is followed is seen again in the
/// next picture.
constexpr double kLeastMarkerSamples = 160, kMostMarkerSamples = 480, kMoreSamplesByPx = 5,
                 kMoreSamplesFrom_px = 64;
constexpr int kIterations = 12;
using Blur = std::array<double, 3>;
constexpr Blur kNarrow_px2{0.5, 0, 0.5};
/// Sharper than square pixels no picture is.
bool has_blur(const Blur& b) { return std::min(b[0], b[2]) > 0.1; }
constexpr double kLeastMarkerAgreement = 0.75, kLeastRingAgreement = 0.85;
constexpr float kBrightest = 253;
constexpr std::array<float, 3> kGreyAxis{0.299F, 0.587F, 0.114F};
/// Beyond this (one in a hundred, of two numbers) a marker's tilt contradicts the attitude.
constexpr double kMostMismatch = 9.2;
/// Beyond this (4e-8 of two numbers) it is less likely than an attitude that is wrong altogether.
constexpr double kMostOffAttitude = 34;
/// Pixels beside each other, and a bell for a lens, do not tell poses apart as well as they seem to.
constexpr double kIndependent = 0.5;
/// The corner of a frame looks like a short arc, but for what a round one leaves of it.
constexpr double kShortArc = 0.5, kLeastShortAgreement = 0.94;
/// How far off the inner radius can be, with two sigma, in widths of the band: under a blur as wide
/// as the band one of half its width comes near.
constexpr double kMostInnerOff = 0.27, kMostThinInnerOff = 0.16;
/// Where one step of the inner radius ends within this share of that, it needs no fit of its own.
constexpr double kClearly = 0.5;
/// Of a stream: the whole picture every so many, how long a lost target is looked for where it was,
/// and the room about where one should be, in sides of it and at least.
constexpr int kWholeEvery = 30, kMostMissed = 5;
constexpr double kRoom = 0.3, kLeastRoom_px = 8;
constexpr double kFewAcross_px = 6;
/// Of larger pictures there is no table of rays: it would be larger than the picture.
constexpr int kMostInTable_px = 2'500'000;

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

/// Makes what rounding has left of a covariance symmetric. False: it is none.
bool make_whole(std::array<double, 36>& C) {
  std::array<double, 36> scaled{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      C[6 * i + j] = C[6 * j + i] = 0.5 * (C[6 * i + j] + C[6 * j + i]);
      scaled[6 * i + j] = C[6 * i + j] / std::sqrt(C[7 * i] * C[7 * j]);
    }
  std::array<double, 6> none{};
  return solve6(scaled, none, none);
}

}  // namespace

/// A target in the pictures of a stream.
struct Track {
  Detection::Kind kind = Detection::Kind::kMarker;
  std::uint32_t id = 0;
  Pose X_CT;
  std::array<Pixel, 4> corners{};
  Blur blur_px2{};
  Vec3 step;       ///< What it moved by from the picture before, m.
  int missed = 0;  ///< Pictures since it was seen.
};

struct Detector::Impl {
  DetectorSettings settings;
  std::vector<float> rays;  ///< Of every pixel; empty: of a larger picture.
  Dictionary dictionary;
  QuadFinder quads;
  std::optional<RingFinder> rings;

  std::vector<std::uint8_t> grey;
  std::vector<Quad> found;
  std::vector<FaceSample> samples;
  /// Of rings that may be there, and the noise along it in this picture.
  struct Hue {
    HueAxes axes;
    double noise2;
  };
  std::vector<Hue> hues;
  double grey_noise2 = 0;
  std::vector<RingCandidate> candidates;
  std::vector<Track> tracks;
  int since_whole = 0;  ///< Pictures of the stream since one was searched as a whole.

  explicit Impl(const DetectorSettings& s) : settings(s) {
    if (s.camera.width * s.camera.height <= kMostInTable_px) rays = ray_table(s.camera);
    if (s.markers) dictionary = Dictionary(*s.markers);
    if (s.ring) rings.emplace(settings.camera, *s.ring);
  }

  [[nodiscard]] ImageView grey_view() const {
    const CameraModel& c = settings.camera;
    return {grey.data(), c.width, c.height, 1, static_cast<std::size_t>(c.width)};
  }

  /// x and y, at z = 1, of what appears at a pixel.
  [[nodiscard]] std::array<float, 2> ray_at(int u, int v) const {
    if (rays.empty()) {
      const Vec3 ray = unproject(settings.camera, {double(u), double(v)});
      return {static_cast<float>(ray.x), static_cast<float>(ray.y)};
    }
    const std::size_t at =
        static_cast<std::size_t>(v) * static_cast<std::size_t>(settings.camera.width) +
        static_cast<std::size_t>(u);
    return {rays[2 * at], rays[2 * at + 1]};
  }

  /// The pixels of a face: those near its edges, and some of the others. `value(u, v)` is what
  /// they show, `takes(X, Y)` whether they belong.
  template <class Value, class Takes>
  void gather(const Pattern& pattern, double size_m, const Pose& X_CF, double blur_px, double reach,
              std::size_t most, bool is_followed, Value value, Takes takes) {
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
    // a lattice that gives enough of them and leaves out no row and no column: an edge lies in few;
    // of a ring's surroundings most are none of it
    const double dense = (is_followed ? 3 : 6) * (pattern.kind == Pattern::Kind::kRing ? 2 : 1);
    const double all = double(u1 - u0 + 1) * (v1 - v0 + 1);
    const int one_in = std::max(1, static_cast<int>(all / (dense * static_cast<double>(most))));
    int shift = static_cast<int>(std::lround(0.618 * one_in));
    while (std::gcd(shift, one_in) != 1) ++shift;
    const Plane plane(X_CF, size_m, c.fx, c.fy);
    OnPlane o;
    int plain = 0;
    const double blur2 = (blur_px + 0.7) * (blur_px + 0.7);
    for (int v = v0, first = 0; v <= v1; ++v, first = (first + shift) % one_in)
      for (int u = u0 + first; u <= u1; u += one_in) {
        const auto [x, y] = ray_at(u, v);
        if (!plane.meet(x, y, o) || !takes(o.X, o.Y)) continue;
        const Drawn d = pattern.at(o.X, o.Y, blur2 * (o.Xu * o.Xu + o.Xv * o.Xv),
                                   blur2 * (o.Yu * o.Yu + o.Yv * o.Yv));
        const double by_u = d.x * o.Xu + d.y * o.Yu, by_v = d.x * o.Xv + d.y * o.Yv;
        // where nothing changes a few tell the light
        if (by_u * by_u + by_v * by_v < 0.0016 && ++plain % 6 != 0) continue;
        const auto shown = static_cast<float>(value(u, v));
        // what is as bright as a picture can be would be brighter: it moves edges
        if (shown > kBrightest) continue;
        samples.push_back({x, y, shown});
      }
    if (samples.size() <= most) return;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < most; ++k) samples[kept++] = samples[k * samples.size() / most];
    samples.resize(kept);
  }

  /// Where it is in the body; false: nobody knows how sure that is.
  [[nodiscard]] bool place(Detection& d) const {
    if (!make_whole(d.covariance)) return false;
    const Pose& X_BC = settings.camera.X_BC;
    d.target_B = X_BC.p + rotate(X_BC.q, d.X_CT.p);
    const Mat3 R = to_matrix(X_BC.q);
    Mat3 C;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) C(i, j) = d.covariance[6 * i + j];
    d.covariance_B = R * C * transpose(R);
    return true;
  }

  /// Whether a marker with one of the numbers is there. `track`: with its number alone, and of two
  /// poses that are possible the one that goes on from its.
  bool marker_at(Quad q, const UpPrior& up, const Track* track, Detections& out) {
    const CameraModel& c = settings.camera;
    const ImageView view = grey_view();
    if (!refine_corners(view, q)) return false;
    const auto read = decode(view, q, dictionary);
    if (!read || (track != nullptr && read->match.id != track->id)) return false;
    const auto turns = static_cast<std::size_t>(read->match.turns);
    std::array<Pixel, 4> corner, ray;
    for (std::size_t k = 0; k < 4; ++k) {
      corner[k] = q[(k + turns) % 4];
      const Vec3 r = unproject(c, corner[k]);
      ray[k] = {r.x, r.y};
    }
    std::vector<SquarePose> poses = square_poses(ray, read->match.side_m);
    if (poses.empty()) return false;

    const Pattern pattern =
        Pattern::of_cells(dictionary.cells(), dictionary.cells_of(read->match.id));
    const Pixel d1 = corner[2] - corner[0], d2 = corner[3] - corner[1];
    const double cell_px = 0.35 * (std::hypot(d1.u, d1.v) + std::hypot(d2.u, d2.v)) / pattern.cells;
    const double blur = std::clamp(read->blur_cells * cell_px, 0.6, 3.0);
    // not as far as where blur brings in what surrounds the quiet zone
    const double edge =
        0.5 + std::clamp(1 - 2.2 * std::hypot(blur, 0.3) / cell_px, 0.12, 0.45) / pattern.cells;
    const double longer_px = track != nullptr ? 0 : cell_px * pattern.cells - kMoreSamplesFrom_px,
                 most = std::clamp(kLeastMarkerSamples + kMoreSamplesByPx * longer_px,
                                   kLeastMarkerSamples, kMostMarkerSamples);
    gather(
        pattern, read->match.side_m, poses[0].X_CT, blur, 1.42 * edge,
        static_cast<std::size_t>(most), track != nullptr,
        [&](int u, int v) { return double(view.row(v)[u]); },
        [&](double X, double Y) { return std::abs(X) < edge && std::abs(Y) < edge; });

    // how far the attitude is from the one that is known, in deviations, squared; 0 where none is
    const auto off_attitude = [&](const Quat& q_CT) {
      if (!(up.sigma_rad > 0)) return 0.0;
      const Vec3 off = rotate(q_CT, {0, 0, 1}) - up.up_C;
      return dot(off, off) / (up.sigma_rad * up.sigma_rad);
    };
    // beyond this it is the attitude that is in doubt; and the corners' errors in px of a fifth
    const auto misfit = [&](const Pose& X_CT, double error) {
      const double e = 5 * c.fx * error;
      return 4 * e * e + std::min(off_attitude(X_CT.q), kMostOffAttitude);
    };
    double lowest = 1e9;
    for (const SquarePose& p : poses) lowest = std::min(lowest, misfit(p.X_CT, p.error));
    std::erase_if(poses, [&](const SquarePose& p) {
      // both only where corners and attitude leave it open
      return misfit(p.X_CT, p.error) > lowest + 25;
    });
    // which of the two it is has been settled, and is again with the next whole picture
    if (track != nullptr && poses.size() == 2 && since_whole < kWholeEvery) {
      const Vec3 before = rotate(track->X_CT.q, {0, 0, 1});
      const auto along = [&](const SquarePose& p) {
        return dot(rotate(p.X_CT.q, {0, 0, 1}), before);
      };
      poses.erase(poses.begin() + (along(poses[0]) > along(poses[1]) ? 1 : 0));
    }
    struct Fitted {
      FaceFit fit;
      double cost;
    };
    std::vector<Fitted> fits;  // the best first
    const auto fit_from = [&](const Pose& X_CF, const UpPrior& prior) {
      const auto fit_with = [&](const Blur& blur_px2) {
        FaceFit start;
        start.X_CF = X_CF;
        start.blur_px2 = blur_px2;
        start.white2 = grey_noise2;
        return fit_face(pattern, read->match.side_m, c.fx, c.fy, samples, start, prior,
                        kIterations);
      };
      const bool is_blurred = track != nullptr && has_blur(track->blur_px2);
      FaceFit fit = fit_with(is_blurred         ? track->blur_px2
                             : track != nullptr ? kNarrow_px2
                                                : Blur{blur * blur, 0, blur * blur});
      // cells tell no blur that is much narrower than they are: from too wide a one it overshoots
      if (!fit.converged || (track == nullptr && !has_blur(fit.blur_px2))) {
        const FaceFit again = fit_with(kNarrow_px2);
        if (again.converged && (!fit.converged || again.residual < fit.residual)) fit = again;
      }
      if (!fit.converged || !(fit.contrast > 8)) return;
      // squares left over, and how far the attitude is from the one that is known
      const double off = off_attitude(fit.X_CF.q),
                   cost = static_cast<double>(samples.size()) * std::log(fit.residual) +
                          0.5 * (prior.sigma_rad > 0 ? off : std::min(off, kMostOffAttitude));
      const auto is_worse = [&](const Fitted& o) { return o.cost > cost; };
      fits.insert(std::find_if(fits.begin(), fits.end(), is_worse), {fit, cost});
    };
    for (const SquarePose& p : poses) {
      fit_from(p.X_CT, up);
      // one that the attitude speaks against may be the right one all the same
      if (off_attitude(p.X_CT.q) > kMostOffAttitude) fit_from(p.X_CT, {up.up_C, 0});
    }
    const auto mismatch = [&] { return fits.empty() ? 0 : off_attitude(fits[0].fit.X_CF.q); };
    // a fit that went astray: once more from a face that lies level
    if (mismatch() > kMostMismatch) {
      const Pose& X_CF = fits[0].fit.X_CF;
      const Vec3 n = rotate(X_CF.q, {0, 0, 1}), axis = cross(n, up.up_C);
      const double sine = norm(axis), angle = std::atan2(sine, dot(n, up.up_C));
      if (sine > 1e-9)
        fit_from({X_CF.p, normalized(from_rotation_vector(angle / sine * axis) * X_CF.q)}, up);
    }
    if (fits.empty() || !(fits[0].fit.agreement > kLeastMarkerAgreement)) return false;

    const FaceFit& best = fits[0].fit;
    Detection d;
    d.id = read->match.id;
    d.X_CT = best.X_CF;
    d.covariance = best.covariance;
    d.blur_px2 = best.blur_px2;
    // what still contradicts the attitude is known as much worse; so is which of them it is
    const double contradiction = std::max(1.0, mismatch() / kMostMismatch);
    for (double& x : d.covariance) x *= contradiction;
    double all = 0;
    const auto weight = [&](const Fitted& f) {
      return std::exp(kIndependent * std::max(fits[0].cost - f.cost, -100.0));
    };
    for (const Fitted& f : fits) all += weight(f);
    for (const Fitted& f : fits)
      add_other_pose(best.X_CF, f.fit.X_CF, weight(f) / all, d.covariance);
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
    if (!whole || !place(d)) return false;
    // the same one by another outline: the better fit stays
    const auto twin = std::find_if(out.begin(), out.end(), [&](const Detection& o) {
      return o.id == d.id && norm(o.X_CT.p - d.X_CT.p) < read->match.side_m;
    });
    if (twin == out.end())
      out.push_back(d);
    else if (d.confidence > twin->confidence)
      *twin = d;
    return true;
  }

  /// In the whole picture, what `out` does not have already.
  void markers(const UpPrior& up, Detections& out) {
    quads.find(grey_view(), settings.min_side_px, found);
    for (const Quad& q : found) {
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
      if (std::none_of(out.begin(), out.end(), is_known)) (void)marker_at(q, up, nullptr, out);
    }
  }

  /// Where a marker should be now, with room about it: some of its side for what the craft does
  /// between two pictures.
  bool marker_near(const ImageView& rgb, const Track& track, const UpPrior& up, Detections& out) {
    const CameraModel& c = settings.camera;
    Pixel before, now, low{1e9, 1e9}, high{-1e9, -1e9};
    if (!project(c, track.X_CT.p, before) || !project(c, track.X_CT.p + track.step, now))
      return false;
    for (const Pixel corner : track.corners) {
      const Pixel p = corner + (now - before);
      low = {std::min(low.u, p.u), std::min(low.v, p.v)};
      high = {std::max(high.u, p.u), std::max(high.v, p.v)};
    }
    const double wide = high.u - low.u, tall = high.v - low.v,
                 room = std::max(kLeastRoom_px, kRoom * std::max(wide, tall));
    const auto cut = [](double x, int most) {
      return static_cast<int>(std::clamp(x, 0.0, static_cast<double>(most)));
    };
    const auto window = [&](double more) {
      return Window{cut(low.u - more, c.width), cut(low.v - more, c.height),
                    cut(high.u + more + 1, c.width), cut(high.v + more + 1, c.height)};
    };
    const Window in = window(room);
    if (in.right - in.left < wide || in.bottom - in.top < tall) return false;
    // fits look a little further than outlines
    to_grey(rgb, window(1.5 * room), grey);
    const auto twice_area = [](const Quad& q) {
      const Pixel s = q[2] - q[0], t = q[3] - q[1];
      return std::abs(s.u * t.v - s.v * t.u);
    };
    const double area = twice_area(track.corners);
    quads.find_in(grey_view(), in, std::sqrt(0.5 * area), settings.min_side_px, found);
    const auto unlike = [&](const Quad& q) { return std::abs(twice_area(q) - area); };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Quad& a, const Quad& b) { return unlike(a) < unlike(b); });
    return std::any_of(found.begin(), found.end(),
                       [&](const Quad& q) { return marker_at(q, up, &track, out); });
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

  void measure_hues(const ImageView& rgb) {
    hues.clear();
    for (const double deg : {kBlueHue_deg, kRedHue_deg}) {
      const RingColor other = deg == kBlueHue_deg ? RingColor::kRed : RingColor::kBlue;
      if (settings.ring->color == other) continue;
      const HueAxes axes = hue_axes(deg);
      hues.push_back({axes, pixel_noise2(rgb, axes.along)});
    }
  }

  /// In the whole picture, what `out` does not have already.
  void find_rings(const ImageView& rgb, const UpPrior& up, Detections& out) {
    for (const Hue& hue : hues) {
      candidates.clear();
      for (const Detection& d : out)
        if (d.kind == Detection::Kind::kCircle) candidates.push_back({d.X_CT, 0, {}, 0});
      const std::size_t known = candidates.size();
      rings->find(rgb, hue.axes, up, candidates);
      for (std::size_t k = known; k < candidates.size(); ++k)
        (void)ring_at(rgb, hue, candidates[k], up, false, out);
    }
  }

  bool ring_near(const ImageView& rgb, const Track& track, const UpPrior& up, Detections& out) {
    const Pose expected{track.X_CT.p + track.step, track.X_CT.q};
    for (const Hue& hue : hues) {
      RingCandidate candidate;
      if (rings->find_near(rgb, hue.axes, up, expected, candidate) &&
          ring_at(rgb, hue, candidate, up, true, out))
        return true;
    }
    return false;
  }

  bool ring_at(const ImageView& rgb, const Hue& hue, const RingCandidate& candidate,
               const UpPrior& up, bool is_followed, Detections& out) {
    const CameraModel& c = settings.camera;
    const RingTarget& target = *settings.ring;
    Pattern pattern;
    pattern.kind = Pattern::Kind::kRing;
    pattern.inner = target.inner_m / target.outer_m;
    const double band = 1 - pattern.inner, nearest = pattern.inner - 0.8 * band,
                 farthest = 1 + 0.8 * band;
    const double n = static_cast<double>(candidate.seen.size());
    const double across_px = c.fx * target.outer_m * band / norm(candidate.X_CF.p);
    // where blur is as wide as the ring, its width takes many pixels to tell
    const bool is_thin = across_px < kFewAcross_px;
    gather(
        pattern, target.outer_m, candidate.X_CF, candidate.blur_px, 1 + band,
        is_thin ? kMostThinRingSamples : kMostRingSamples, is_followed,
        [&](int u, int v) {
          const std::uint8_t* p = rgb.row(v) + 3 * u;
          const auto& along = hue.axes.along;
          return double(along[0] * p[0] + along[1] * p[1] + along[2] * p[2]);
        },
        [&](double X, double Y) {
          const double rr = X * X + Y * Y;
          if (!(rr > nearest * nearest && rr < farthest * farthest)) return false;
          const double angle = std::atan2(Y, X) / (2 * kPi);
          const int k = static_cast<int>(std::lround((angle < 0 ? angle + 1 : angle) * n));
          return bool(candidate.seen[static_cast<std::size_t>(k) % candidate.seen.size()]);
        });
    FaceFit start;
    start.X_CF = candidate.X_CF;
    const double blur2 = candidate.blur_px * candidate.blur_px;
    start.blur_px2 = {blur2, 0, blur2};
    start.white2 = hue.noise2;
    const FaceFit fit =
        fit_face(pattern, target.outer_m, c.fx, c.fy, samples, start, up, kIterations);
    if (!fit.converged || !(fit.contrast > 10) || !(fit.agreement > kLeastRingAgreement))
      return false;
    if (candidate.visible_share < kShortArc && !(fit.agreement > kLeastShortAgreement))
      return false;
    if (!(norm(fit.X_CF.p - candidate.X_CF.p) < 0.2 * norm(candidate.X_CF.p))) return false;
    // the proof once more, on the pixels: how wide the ring is, and whether that can be told; one step
    // of the inner radius says it where it says it clearly
    const auto is_this = [&](const FaceFit& f, double share) {
      // few pixels across tell blur and width less apart than the fit believes
      return f.converged && f.inner_sigma < std::min(0.1, 0.018 * across_px) * band &&
             std::abs(f.inner - pattern.inner) + 2 * f.inner_sigma <
                 share * (is_thin ? kMostThinInnerOff : kMostInnerOff) * band;
    };
    if (!is_this(fit, kClearly) &&
        !is_this(fit_face(pattern, target.outer_m, c.fx, c.fy, samples, fit, up, kIterations, true),
                 1))
      return false;
    Detection d;
    d.kind = Detection::Kind::kCircle;
    d.X_CT = fit.X_CF;
    d.covariance = fit.covariance;
    d.blur_px2 = fit.blur_px2;
    d.visible_share = candidate.visible_share;
    d.confidence = fit.agreement;
    d.conics = {edge_conic(c, d.X_CT, target.outer_m), edge_conic(c, d.X_CT, target.inner_m)};
    if (!place(d)) return false;
    out.push_back(d);
    return true;
  }

  /// One picture, of a stream or alone.
  void look(const ImageView& picture, const UpPrior& marker, const UpPrior& ring, bool is_stream,
            Detections& out) {
    if (settings.markers) grey_noise2 = pixel_noise2(picture, kGreyAxis);
    if (settings.ring) measure_hues(picture);
    // of a stream, what is followed needs the whole picture now and then, or when it has been lost
    const bool is_due = !is_stream || tracks.empty() || ++since_whole >= kWholeEvery;
    bool all_markers = is_due, all_rings = is_due;
    if (is_stream)
      for (Track& t : tracks) {
        const bool is_marker = t.kind == Detection::Kind::kMarker;
        const bool is_there =
            is_marker ? marker_near(picture, t, marker, out) : ring_near(picture, t, ring, out);
        // what has just been lost is looked for everywhere at once
        if (!is_there && t.missed == 0) (is_marker ? all_markers : all_rings) = true;
      }
    if (all_markers && settings.markers) {
      const CameraModel& c = settings.camera;
      to_grey(picture, {0, 0, c.width, c.height}, grey);
      markers(marker, out);
    }
    leave_out_contradictions(out);
    if (all_rings && settings.ring) find_rings(picture, ring, out);
    if (is_stream && is_due) since_whole = 0;
    if (is_stream) follow(out);
  }

  /// Targets and tracks that belong together are the nearest of a kind and number.
  void follow(const Detections& seen) {
    std::vector<Track> next;
    for (const Detection& d : seen) {
      Track t{d.kind, d.id, d.X_CT, d.corners, d.blur_px2, {}, 0};
      const Track* before = nullptr;
      for (const Track& o : tracks)
        if (o.kind == t.kind && o.id == t.id &&
            (before == nullptr || norm(o.X_CT.p - t.X_CT.p) < norm(before->X_CT.p - t.X_CT.p)))
          before = &o;
      if (before != nullptr) t.step = (1.0 / (1 + before->missed)) * (t.X_CT.p - before->X_CT.p);
      next.push_back(t);
    }
    for (Track& o : tracks) {
      const auto is_again = [&](const Track& t) { return t.kind == o.kind && t.id == o.id; };
      if (std::any_of(next.begin(), next.end(), is_again) || ++o.missed > kMostMissed) continue;
      next.push_back(o);
    }
    tracks = std::move(next);
  }
};

Detector::Detector(const DetectorSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
const DetectorSettings& Detector::settings() const noexcept { return impl_->settings; }

bool Detector::detect(const ImageView& picture, const std::optional<Vec3>& up_B, Detections& out,
                      std::string& why) {
  return look(picture, up_B, false, out, why);
}

bool Detector::follow(const ImageView& picture, const std::optional<Vec3>& up_B, Detections& out,
                      std::string& why) {
  return look(picture, up_B, true, out, why);
}

bool Detector::look(const ImageView& picture, const std::optional<Vec3>& up_B, bool is_stream,
                    Detections& out, std::string& why) {
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
    impl_->look(picture, marker, ring, is_stream, out);
  } catch (const std::exception& e) {
    out.clear();
    why = e.what();
    return false;
  }
  return true;
}

}  // namespace pintle::vision
