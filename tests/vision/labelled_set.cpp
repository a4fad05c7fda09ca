#include "labelled_set.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"
#include "pintle/vision/dictionary.h"

namespace pintle::testing {
namespace {

using world::Color;
using world::marker_face;
using world::plain_face;
using world::ring_face;

constexpr Color kBlue{20, 60, 190}, kRed{200, 35, 30};

struct Ranges {
  double tilt_deg, least_blur, most_blur, motion, least_noise, most_noise, shadow, glare, clutter;
};
Ranges ranges_of(Level level) {
  switch (level) {
    case Level::kEasy: return {8, 0.3, 0.8, 0, 1, 2, 0, 0, 1};
    case Level::kMedium: return {20, 0.4, 1.2, 2, 1.5, 4, 0.4, 0.3, 3};
    case Level::kHard: return {32, 0.6, 2.0, 5, 3, 7, 0.6, 0.5, 5};
  }
  return {};
}

Pose on_ground(double x, double y, double z, double yaw) {
  return {{x, y, z}, from_rpy({0, 0, yaw})};
}

class Drawer {
 public:
  Drawer(const Drawing& d, Subject subject, Level level, std::uint64_t index)
      : d_(d),
        r_(ranges_of(level)),
        random_(d.seed * 1'000'003 + index,
                std::string(name_of(subject)) + std::string(name_of(level))) {
    out_.label.subject = subject;
    out_.label.level = level;
  }

  LabelledScene draw() {
    surroundings();
    switch (out_.label.subject) {
      case Subject::kMarker: marker(); break;
      case Subject::kRing: ring(); break;
      case Subject::kNothing: nothing(); break;
    }
    return out_;
  }

 private:
  double uniform(double a, double b) { return random_.uniform(a, b); }
  bool chance(double p) { return random_.uniform() < p; }
  int below(int n) { return static_cast<int>(random_.uniform() * n); }

  void surroundings() {
    world::GroundLook& g = out_.scene.ground;
    const double grey = uniform(90, 160);
    g.color = {static_cast<float>(grey * uniform(0.9, 1.1)), static_cast<float>(grey),
               static_cast<float>(grey * uniform(0.85, 1.05))};
    g.contrast = uniform(0.05, 0.2);
    g.tint = uniform(0.01, 0.06);
    g.stain_m = uniform(0.5, 2);
    g.seed = random_.bits() % 8 + 1;
    world::Exposure& e = out_.exposure;
    e.gain = uniform(0.75, 1.1);
    e.white_balance = {static_cast<float>(uniform(0.92, 1.08)), 1,
                       static_cast<float>(uniform(0.92, 1.08))};
    e.blur_px = uniform(r_.least_blur, r_.most_blur);
    const double motion = uniform(0, r_.motion), way = uniform(0, 2 * kPi);
    e.motion = {motion * std::cos(way), motion * std::sin(way)};
    e.noise = uniform(r_.least_noise, r_.most_noise);
    e.seed = random_.bits();
    out_.label.blur_px = std::sqrt(e.blur_px * e.blur_px + motion * motion / 12);
  }

  /// Puts the camera at a height over the ground so that the origin of the world appears at a
  /// pixel.
  void aim(Pixel at, double height) {
    const double tilt = radians(r_.tilt_deg) * std::sqrt(uniform(0, 1)), way = uniform(0, 2 * kPi);
    const Quat q_WB = from_rotation_vector({tilt * std::cos(way), tilt * std::sin(way), 0}) *
                      from_rpy({0, 0, uniform(-kPi, kPi)});
    const Quat q_WC = q_WB * d_.camera.X_BC.q;
    const Vec3 ray = rotate(q_WC, unproject(d_.camera, at));
    out_.X_WC = {-height / -ray.z * ray, q_WC};
    // an attitude measurement: one degree, each way
    const Quat wrong =
        from_rotation_vector(radians(1) * Vec3{random_.normal(), random_.normal(), 0});
    out_.label.up_B = rotate(conjugate(q_WB), rotate(wrong, {0, 0, 1}));
  }

  void light() {
    if (chance(r_.shadow))
      out_.scene.shadow = {{uniform(-0.4, 0.4), uniform(-0.4, 0.4), 0},
                           uniform(0, kPi),
                           uniform(0.3, 1.5),
                           uniform(0.01, 0.1),
                           uniform(0.2, 0.55)};
    if (chance(r_.glare))
      out_.scene.glare = {{uniform(0, 640), uniform(0, 480)}, uniform(30, 100), uniform(20, 110)};
  }

  void label(const Pose& X_WT) {
    out_.label.X_CT = inverse(out_.X_WC) * X_WT;
    out_.label.target_B = d_.camera.X_BC.p + rotate(d_.camera.X_BC.q, out_.label.X_CT.p);
  }

  void marker() {
    const bool nested = !d_.markers.nested.empty() && chance(0.3);
    const auto pick = [&](std::size_t n) {
      return static_cast<std::size_t>(below(static_cast<int>(n)));
    };
    double side = d_.markers.side_m;
    std::uint32_t id = d_.markers.ids[pick(d_.markers.ids.size())];
    if (nested) {
      const MarkerSize& m = d_.markers.nested[pick(d_.markers.nested.size())];
      id = m.id, side = m.side_m;
    }
    const double px = 14 * std::pow(200.0 / 14, uniform(0, 1));
    const double margin = 12 + 0.95 * px;
    aim({uniform(margin, 640 - margin), uniform(margin, 480 - margin)},
        489 * side / px * uniform(0.9, 1));
    clutter(side * 1.5);
    const Pose X_WT = on_ground(0, 0, 0, uniform(-kPi, kPi));
    const int n = vision::cells_along(d_.markers.family);
    out_.scene.faces.push_back(
        marker_face(X_WT, side, n, vision::marker_cells(d_.markers.family, id)));
    light();
    out_.label.id = id;
    label(X_WT);
    // the shortest side as the picture shows it
    const double h = 0.5 * side;
    const std::array<Vec3, 4> corner{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0},
                                     Vec3{-h, -h, 0}};
    double least = 1e9;
    for (std::size_t k = 0; k < 4; ++k) {
      Pixel a, b;
      if (!project(d_.camera, out_.label.X_CT.p + rotate(out_.label.X_CT.q, corner[k]), a) ||
          !project(d_.camera, out_.label.X_CT.p + rotate(out_.label.X_CT.q, corner[(k + 1) % 4]),
                   b))
        return;
      least = std::min(least, std::hypot(a.u - b.u, a.v - b.v));
    }
    out_.label.side_px = least;
  }

  void ring() {
    const double height = 0.7 * std::pow(5 / 0.7, uniform(0, 1)), f = 489;
    const double px = f * d_.ring.outer_m / height;
    // whole rings and those that the picture's border cuts
    const double out = std::min(0.8 * px, 300.0) * uniform(0, 1);
    aim({uniform(std::min(320.0, px) - out, 640 - std::min(320.0, px) + out),
         uniform(std::min(240.0, px) - out, 480 - std::min(240.0, px) + out)},
        height);
    clutter(d_.ring.outer_m * 1.25);
    const Pose X_WT{};
    out_.scene.faces.push_back(ring_face(X_WT, d_.ring.inner_m, d_.ring.outer_m,
                                         d_.ring.color == RingColor::kRed ? kRed : kBlue));
    struct Cover {
      Pose X;
      double w, h;
    };
    std::vector<Cover> covers;
    const int many =
        out_.label.level == Level::kEasy ? 0 : below(out_.label.level == Level::kHard ? 4 : 2);
    for (int i = 0; i < many; ++i) {
      const double a = uniform(0, 2 * kPi), r = uniform(0.3, 0.6);
      Cover c{on_ground(r * std::cos(a), r * std::sin(a), 0, uniform(0, kPi)), uniform(0.1, 0.5),
              uniform(0.05, 0.3)};
      const auto grey = static_cast<float>(uniform(30, 220));
      out_.scene.faces.push_back(plain_face(c.X, c.w, c.h, {grey, grey, grey}));
      covers.push_back(c);
    }
    light();
    label(X_WT);
    int seen = 0;
    for (int k = 0; k < 360; ++k) {
      bool both = true;
      for (const double r : {d_.ring.inner_m, d_.ring.outer_m}) {
        const Vec3 p{r * std::cos(radians(k)), r * std::sin(radians(k)), 0};
        Pixel at;
        both = both && project(d_.camera, (inverse(out_.X_WC) * Pose{p, {}}).p, at) && at.u >= 0 &&
               at.v >= 0 && at.u <= 639 && at.v <= 479;
        for (const Cover& c : covers) {
          const Vec3 in = (inverse(c.X) * Pose{p, {}}).p;
          both = both && !(std::abs(in.x) < 0.5 * c.w && std::abs(in.y) < 0.5 * c.h);
        }
      }
      seen += both ? 1 : 0;
    }
    out_.label.visible_share = seen / 360.0;
  }

  /// Things that are no target, away from the middle.
  void clutter(double away) {
    const int many = below(static_cast<int>(r_.clutter) + 1);
    for (int i = 0; i < many; ++i) {
      const double a = uniform(0, 2 * kPi), r = away + uniform(0.2, 1.2);
      thing(r * std::cos(a), r * std::sin(a), 0.15);
    }
  }

  void nothing() {
    aim({uniform(200, 440), uniform(150, 330)}, uniform(0.8, 4));
    const int many = 1 + below(6);
    for (int i = 0; i < many; ++i) thing(uniform(-1, 1), uniform(-1, 1), uniform(0.08, 0.6));
    light();
  }

  Color any_color() {
    return {static_cast<float>(uniform(10, 240)), static_cast<float>(uniform(10, 240)),
            static_cast<float>(uniform(10, 240))};
  }
  Color wrong_color() {
    const std::array<Color, 5> colors{d_.ring.color == RingColor::kRed ? kBlue : kRed,
                                      Color{30, 160, 50}, Color{220, 190, 30}, Color{130, 40, 150},
                                      Color{40, 40, 40}};
    return colors[static_cast<std::size_t>(below(5))];
  }
  Color right_color() { return d_.ring.color == RingColor::kRed ? kRed : kBlue; }

  /// One thing of about a size that looks like a target and is none.
  void thing(double x, double y, double size) {
    auto& faces = out_.scene.faces;
    const Pose X = on_ground(x, y, 0, uniform(-kPi, kPi));
    const double q = d_.ring.inner_m / d_.ring.outer_m;
    switch (below(9)) {
      case 0: {  // a ring of another ratio
        double other = chance(0.5) ? uniform(0.3, q - 0.1) : 0.5 * (1 + q);
        faces.push_back(ring_face(X, other * size, size, right_color()));
        break;
      }
      case 1: faces.push_back(ring_face(X, q * size, size, wrong_color())); break;
      case 2: faces.push_back(ring_face(X, 0, size, right_color())); break;
      case 3:  // a square frame of the right colour
        faces.push_back(plain_face(X, 2 * size, 2 * size, right_color()));
        faces.push_back(plain_face(X, 2 * q * size, 2 * q * size, any_color()));
        break;
      case 4: faces.push_back(plain_face(X, size, 2 * size, any_color())); break;
      case 5:
      case 6: {  // a marker that does not count
        const int n = vision::cells_along(d_.markers.family);
        const auto id = static_cast<std::uint32_t>(below(n == 7 ? 1024 : 587));
        const auto is_this = [&](const MarkerSize& m) { return m.id == id; };
        if (std::count(d_.markers.ids.begin(), d_.markers.ids.end(), id) > 0 ||
            std::any_of(d_.markers.nested.begin(), d_.markers.nested.end(), is_this))
          break;
        faces.push_back(marker_face(X, size, n, vision::marker_cells(d_.markers.family, id)));
        break;
      }
      case 7: {  // cells at random within a dark border
        const int n = vision::cells_along(d_.markers.family);
        std::vector<std::uint8_t> cells(static_cast<std::size_t>(n * n), 0);
        for (int r = 1; r < n - 1; ++r)
          for (int c = 1; c < n - 1; ++c)
            cells[static_cast<std::size_t>(r * n + c)] = chance(0.5) ? 1 : 0;
        faces.push_back(marker_face(X, size, n, cells));
        break;
      }
      default: {
        std::vector<std::uint8_t> board(64);
        for (std::size_t k = 0; k < 64; ++k) board[k] = (k / 8 + k) % 2;
        faces.push_back(marker_face(X, size, 8, board));
      }
    }
  }

  const Drawing& d_;
  Ranges r_;
  RandomStream random_;
  LabelledScene out_;
};

}  // namespace

CameraModel onboard_camera() {
  CameraModel c;
  c.fx = 489.4777069384356;
  c.fy = 488.1852660517832;
  c.cx = 308.8032768908899;
  c.cy = 268.6371343845645;
  c.distortion = {0.03618971518001553, -0.08383321211248897, 0.004030107525985591,
                  -0.00436503049466556, 0};
  c.X_BC.p = {0.10, 0, 0};
  return c;
}

std::string_view name_of(Level level) {
  return level == Level::kEasy ? "easy" : level == Level::kMedium ? "medium" : "hard";
}
std::string_view name_of(Subject subject) {
  return subject == Subject::kMarker ? "marker" : subject == Subject::kRing ? "circle" : "nothing";
}

LabelledScene draw_descent(const Drawing& d, int index, int of) {
  RandomStream way(d.seed, "descent"),
      picture(d.seed * 1'000'003 + static_cast<std::uint64_t>(index), "descent");
  const double done = static_cast<double>(index) / std::max(1, of - 1), t = index / 30.0;
  const auto sway = [&](double most) {
    const double rate = way.uniform(1.2, 2.6), phase = way.uniform(0, 2 * kPi);
    return most * std::sin(rate * t + phase);
  };
  LabelledScene out;
  out.label.subject = Subject::kRing;
  const double height = 5 * std::pow(0.4 / 5, done);
  const Quat q_WB =
      from_rpy({sway(radians(4)), sway(radians(4)), way.uniform(-kPi, kPi) + sway(0.3)});
  const Vec3 camera{sway(0.06 * (1 + height)), sway(0.06 * (1 + height)), height};
  out.X_WC = {camera, q_WB * d.camera.X_BC.q};
  out.scene.ground.seed = d.seed;
  out.scene.faces.push_back(ring_face({}, d.ring.inner_m, d.ring.outer_m, kBlue));
  const int n = vision::cells_along(d.markers.family);
  const auto face = [&](std::uint32_t id, double side, const Pose& X) {
    out.scene.faces.push_back(marker_face(X, side, n, vision::marker_cells(d.markers.family, id)));
  };
  face(7, 0.05, {});
  face(152, 0.15, on_ground(0, 0.15, 0, 0));
  out.exposure.blur_px = 0.7;
  out.exposure.noise = 3;
  out.exposure.seed = picture.bits();
  out.label.X_CT = inverse(out.X_WC);
  out.label.target_B = d.camera.X_BC.p + rotate(d.camera.X_BC.q, out.label.X_CT.p);
  const Quat wrong = from_rotation_vector(radians(1) * Vec3{picture.normal(), picture.normal(), 0});
  out.label.up_B = rotate(conjugate(q_WB), rotate(wrong, {0, 0, 1}));
  return out;
}

LabelledScene draw_scene(const Drawing& drawing, Subject subject, Level level,
                         std::uint64_t index) {
  return Drawer(drawing, subject, level, index).draw();
}

}  // namespace pintle::testing
