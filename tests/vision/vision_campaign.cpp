// Detectors against pictures with known answers.
//
//   vision_campaign campaign SEED COUNT        figures as one JSON object; 0 when the claims hold
//   vision_campaign peers SEED COUNT FAMILY    of these the part beside OpenCV and AprilTag
//   vision_campaign covariance SEED COUNT      of these how true what is stated of errors is
//   vision_campaign negatives SEED COUNT       of these what is seen where nothing is
//   vision_campaign descents SEED MANY COUNT   of these the streams: so many, of so many pictures
//   vision_campaign render SEED COUNT FOLDER   pictures, labels and attitudes for `pintle detect`
//   vision_campaign score FOLDER DETECTIONS    what `pintle detect` made of them, as a table
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "labelled_set.h"
#include "peers.h"
#include "pintle/base/random.h"
#include "pintle/vision/detector.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/image_file.h"

namespace {

using namespace pintle;
using namespace pintle::testing;
using Json = nlohmann::ordered_json;

constexpr Level kLevels[] = {Level::kEasy, Level::kMedium, Level::kHard};

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double quantile(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, static_cast<std::size_t>(p * static_cast<double>(v.size())))];
}

double rounded(double x) { return std::stod(fmt::format("{:.4g}", x)); }

Drawing drawing(std::uint64_t seed, MarkerFamily family) {
  Drawing d;
  d.seed = seed;
  d.camera = onboard_camera();
  d.markers = {family, 0.15, {100, 152}, {{7, 0.05}}};
  return d;
}

vision::Detector detector_of(const Drawing& d, bool markers, bool ring) {
  vision::DetectorSettings s;
  s.camera = d.camera;
  s.up_sigma_rad = radians(1);  // as the labelled set draws it
  if (markers) s.markers = d.markers;
  if (ring) s.ring = d.ring;
  return vision::Detector(s);
}

void grey_of(const Image& rgb, Image& grey) {
  grey.resize(rgb.width, rgb.height, 1);
  for (std::size_t i = 0; i < grey.pixels.size(); ++i)
    grey.pixels[i] = static_cast<std::uint8_t>(
        (77 * rgb.pixels[3 * i] + 150 * rgb.pixels[3 * i + 1] + 29 * rgb.pixels[3 * i + 2] + 128) >>
        8);
}

/// e^T C^-1 e of a 3 x 3 covariance.
double normalised_squared(const Mat3& C, Vec3 e) {
  const Vec3 a{C(0, 0), C(1, 0), C(2, 0)}, b{C(0, 1), C(1, 1), C(2, 1)},
      c{C(0, 2), C(1, 2), C(2, 2)};
  const double det = dot(a, cross(b, c));
  const Vec3 x{dot(e, cross(b, c)) / det, dot(a, cross(e, c)) / det, dot(a, cross(b, e)) / det};
  return dot(e, x);
}

struct Tally {
  int of = 0, found = 0, wrong = 0;
  std::vector<double> range_error, position_error, nees, corner;
  [[nodiscard]] double recall() const { return of > 0 ? double(found) / of : 0; }
  [[nodiscard]] double nees_mean() const {
    double s = 0;
    for (const double x : nees) s += x;
    return nees.empty() ? 0 : s / static_cast<double>(nees.size());
  }
  /// Of the mean of n chi-squared numbers of three.
  [[nodiscard]] double nees_bound() const {
    return 1.96 * std::sqrt(6.0 / std::max<double>(1, static_cast<double>(nees.size())));
  }
  [[nodiscard]] bool is_consistent() const { return std::abs(nees_mean() - 3) <= nees_bound(); }
  [[nodiscard]] Json json() const {
    Json j{{"of", of}, {"recall", rounded(recall())}, {"wrong", wrong}};
    if (!range_error.empty()) {
      j["range_error_median"] = rounded(quantile(range_error, 0.5));
      j["range_error_p97"] = rounded(quantile(range_error, 0.97));
      j["position_error_median_m"] = rounded(quantile(position_error, 0.5));
      j["nees_mean_of_3"] = rounded(nees_mean());
      j["nees_median"] = rounded(quantile(nees, 0.5));
      j["nees_bound_95"] = rounded(nees_bound());
      j["nees_over_7_8"] = rounded(
          double(std::count_if(nees.begin(), nees.end(), [](double x) { return x > 7.815; })) /
          static_cast<double>(nees.size()));
    }
    return j;
  }
};

bool is_of(const vision::Detection& d, const Label& label) {
  const bool marker = label.subject == Subject::kMarker;
  return (d.kind == vision::Detection::Kind::kMarker) == marker && (!marker || d.id == label.id) &&
         norm(d.X_CT.p - label.X_CT.p) < 0.25 * norm(label.X_CT.p);
}

void count(const vision::Detections& found, const Label& label, Tally& tally) {
  ++tally.of;
  bool hit = false;
  for (const vision::Detection& d : found) {
    if (!is_of(d, label)) {
      ++tally.wrong;
      continue;
    }
    if (hit) continue;
    hit = true;
    ++tally.found;
    const double range = norm(label.X_CT.p);
    tally.range_error.push_back(std::abs(norm(d.X_CT.p) - range) / range);
    tally.position_error.push_back(norm(d.target_B - label.target_B));
    tally.nees.push_back(normalised_squared(d.covariance_B, d.target_B - label.target_B));
  }
}

/// Root mean square over the corners, whichever of them is called the first.
double corner_error(const std::array<Pixel, 4>& found, const Label& label,
                    const CameraModel& camera, double side_m) {
  const double h = 0.5 * side_m;
  const std::array<Vec3, 4> at{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0}, Vec3{-h, -h, 0}};
  std::array<Pixel, 4> truth;
  for (std::size_t k = 0; k < 4; ++k)
    (void)project(camera, label.X_CT.p + rotate(label.X_CT.q, at[k]), truth[k]);
  double best = 1e9;
  for (std::size_t turn = 0; turn < 4; ++turn)
    for (const bool back : {false, true}) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const Pixel d = found[k] - truth[(back ? 4 + turn - k : turn + k) % 4];
        sum += (d.u * d.u + d.v * d.v) / 4;
      }
      best = std::min(best, std::sqrt(sum));
    }
  return best;
}

struct Peer {
  const char* name;
  Tally all;
  std::map<std::string, Tally> cells;
  std::vector<double> time_ms;
};

constexpr double kSides[] = {14, 18, 24, 32, 64, 250};
constexpr double kBlurs[] = {0, 0.8, 1.4, 3};

std::string cell_of(const Label& l) {
  std::size_t i = 0, j = 0;
  while (i + 2 < std::size(kSides) && l.side_px >= kSides[i + 1]) ++i;
  while (j + 2 < std::size(kBlurs) && l.blur_px >= kBlurs[j + 1]) ++j;
  return fmt::format("side {:g} to {:g}, blur {:g} to {:g}", kSides[i], kSides[i + 1], kBlurs[j],
                     kBlurs[j + 1]);
}

/// Everybody on the same pictures.
Json side_by_side(std::uint64_t seed, int n, MarkerFamily family) {
  Drawing d = drawing(seed, family);
  d.markers.nested.clear();
  // all numbers count for the others, so let them count here
  const std::uint32_t many = family == MarkerFamily::kArucoOriginal ? 1024 : 587;
  for (std::uint32_t id = 0; id < many; ++id)
    if (std::count(d.markers.ids.begin(), d.markers.ids.end(), id) == 0)
      d.markers.ids.push_back(id);
  vision::Detector ours = detector_of(d, true, false), both = detector_of(d, true, true);
  OpenCvMarkers cv(family, false), cv_fine(family, true);
  AprilTags tags(1), tags_half(2);
  std::vector<Peer> peers{{"pintle", {}, {}, {}},
                          {"pintle with ring", {}, {}, {}},
                          {"opencv", {}, {}, {}},
                          {"opencv subpix", {}, {}, {}}};
  if (family == MarkerFamily::kTag36h11 && AprilTags::available()) {
    peers.push_back({"apriltag", {}, {}, {}});
    peers.push_back({"apriltag decimate 2", {}, {}, {}});
  }
  world::Renderer renderer(d.camera);
  Image image, grey;
  for (int i = 0; i < n; ++i) {
    const LabelledScene s =
        draw_scene(d, Subject::kMarker, kLevels[i % 3], static_cast<std::uint64_t>(i));
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    grey_of(image, grey);
    for (Peer& p : peers) {
      std::vector<PeerMarker> found;
      vision::Detections detections;
      std::string why;
      const double begin = cpu_ms();
      if (std::strncmp(p.name, "pintle", 6) == 0) {
        auto& detector = std::strlen(p.name) == 6 ? ours : both;
        (void)detector.detect(image.view(), s.label.up_B, detections, why);
      } else if (std::strcmp(p.name, "opencv") == 0) {
        cv.detect(grey.view(), found);
      } else if (std::strcmp(p.name, "opencv subpix") == 0) {
        cv_fine.detect(grey.view(), found);
      } else if (std::strcmp(p.name, "apriltag") == 0) {
        tags.detect(grey.view(), found);
      } else {
        tags_half.detect(grey.view(), found);
      }
      p.time_ms.push_back(cpu_ms() - begin);
      for (const vision::Detection& one : detections)
        if (one.kind == vision::Detection::Kind::kMarker) found.push_back({one.id, one.corners});
      Pixel middle;
      (void)project(d.camera, s.label.X_CT.p, middle);
      Tally& cell = p.cells[cell_of(s.label)];
      ++p.all.of, ++cell.of;
      bool hit = false;
      for (const PeerMarker& m : found) {
        const Pixel at = 0.25 * (m.corners[0] + m.corners[1] + m.corners[2] + m.corners[3]);
        const bool here = std::hypot(at.u - middle.u, at.v - middle.v) < 0.5 * s.label.side_px;
        if (!here) continue;
        if (m.id != s.label.id) {
          ++p.all.wrong, ++cell.wrong;
          continue;
        }
        if (hit) continue;
        hit = true;
        ++p.all.found, ++cell.found;
        const double error = corner_error(m.corners, s.label, d.camera, 0.15);
        p.all.corner.push_back(error);
        cell.corner.push_back(error);
      }
    }
  }
  Json j;
  for (const Peer& p : peers) {
    Json& o = j[p.name];
    o = {{"recall", rounded(p.all.recall())},
         {"wrong_id", p.all.wrong},
         {"corner_error_median_px", rounded(quantile(p.all.corner, 0.5))},
         {"corner_error_p95_px", rounded(quantile(p.all.corner, 0.95))},
         {"time_median_ms", rounded(quantile(p.time_ms, 0.5))}};
    for (const auto& [name, t] : p.cells)
      o["by"][name] = {{"of", t.of},
                       {"found", t.found},
                       {"recall", rounded(t.recall())},
                       {"corner_error_median_px", rounded(quantile(t.corner, 0.5))}};
  }
  return j;
}

/// Where a peer wins: cell by cell, in recall by more than one picture of at least 20, and in the
/// corners of what both found ten times or more.
std::vector<std::string> lost_cells(const Json& family) {
  std::vector<std::string> lost;
  for (const auto& [peer, theirs] : family.items()) {
    if (peer.starts_with("pintle")) continue;
    for (const auto& [cell, t] : theirs["by"].items()) {
      const Json& ours = family["pintle"]["by"][cell];
      const int found = ours["found"], of_them = t["found"];
      if (t["of"] >= 20 && of_them > found + 1)
        lost.push_back(fmt::format("{}, recall, {}", peer, cell));
      if (std::min(found, of_them) >= 10 &&
          !(ours["corner_error_median_px"] < t["corner_error_median_px"]))
        lost.push_back(fmt::format("{}, corners, {}", peer, cell));
    }
  }
  return lost;
}

/// Ways down to a pad, one picture after the other: followed, each alone, and OpenCV's markers.
Json descents(std::uint64_t seed, int many, int pictures) {
  double followed_ms = 0, alone_ms = 0, opencv_ms = 0;
  int both = 0, only_followed = 0, only_alone = 0;
  std::vector<double> apart_px;
  for (int k = 0; k < many; ++k) {
    const Drawing d = drawing(seed + static_cast<std::uint64_t>(k), MarkerFamily::kArucoOriginal);
    vision::Detector alone = detector_of(d, true, true), follower = detector_of(d, true, true);
    OpenCvMarkers cv(MarkerFamily::kArucoOriginal, false);
    world::Renderer renderer(d.camera);
    Image image, grey;
    vision::Detections found, followed;
    std::vector<PeerMarker> theirs;
    std::string why;
    for (int i = 0; i < pictures; ++i) {
      const LabelledScene s = draw_descent(d, i, pictures);
      renderer.render(s.scene, s.X_WC, s.exposure, image);
      grey_of(image, grey);
      const double begin = cpu_ms();
      (void)follower.follow(image.view(), s.label.up_B, followed, why);
      const double first = cpu_ms();
      cv.detect(grey.view(), theirs);
      const double second = cpu_ms();
      (void)alone.detect(image.view(), s.label.up_B, found, why);
      const double third = cpu_ms();
      followed_ms += first - begin, opencv_ms += second - first, alone_ms += third - second;
      for (const vision::Detection& f : followed) {
        const auto same = [&](const vision::Detection& o) {
          return o.kind == f.kind && o.id == f.id &&
                 norm(o.X_CT.p - f.X_CT.p) < 0.25 * norm(f.X_CT.p);
        };
        const auto at = std::find_if(found.begin(), found.end(), same);
        if (at == found.end()) {
          ++only_followed;
          continue;
        }
        ++both;
        Pixel a, b;
        (void)project(d.camera, f.X_CT.p, a), (void)project(d.camera, at->X_CT.p, b);
        apart_px.push_back(std::hypot(a.u - b.u, a.v - b.v));
        found.erase(at);
      }
      only_alone += static_cast<int>(found.size());
    }
  }
  const double n = many * pictures;
  return {{"pictures", many * pictures},
          {"followed_mean_ms", rounded(followed_ms / n)},
          {"alone_mean_ms", rounded(alone_ms / n)},
          {"opencv_mean_ms", rounded(opencv_ms / n)},
          {"followed_of_opencv", rounded(followed_ms / opencv_ms)},
          {"found_by_both", both},
          {"found_only_followed", only_followed},
          {"found_only_alone", only_alone},
          {"apart_p95_px", rounded(quantile(apart_px, 0.95))},
          {"apart_worst_px", rounded(quantile(apart_px, 1))}};
}

/// How true the stated covariances are, in a table.
int covariance(std::uint64_t seed, int n) {
  const Drawing d = drawing(seed, MarkerFamily::kArucoOriginal);
  vision::Detector markers = detector_of(d, true, false), rings = detector_of(d, false, true);
  world::Renderer renderer(d.camera);
  Image image;
  vision::Detections found;
  std::string why;
  for (const Subject subject : {Subject::kMarker, Subject::kRing})
    for (const Level level : kLevels) {
      Tally t;
      for (int i = 0; i < n; ++i) {
        const LabelledScene s = draw_scene(d, subject, level, static_cast<std::uint64_t>(i));
        renderer.render(s.scene, s.X_WC, s.exposure, image);
        (void)(subject == Subject::kMarker ? markers : rings)
            .detect(image.view(), s.label.up_B, found, why);

        count(found, s.label, t);
      }
      const Json j = t.json();
      fmt::print("{:<8} {:<8} {}\n", name_of(subject), name_of(level), j.dump());
    }
  return 0;
}

/// What is stated of errors, over five sets of n pictures: of 95 % bounds one in twenty sets falls
/// out by itself, so one of the five may; all of them together may not.
template <class Claim>
Json consistency(std::uint64_t seed, int n, Claim claim) {
  constexpr int kSets = 5;
  Json j;
  for (const Subject subject : {Subject::kMarker, Subject::kRing}) {
    const std::string name(name_of(subject));
    Tally all;
    int outside = 0;
    for (int set = 0; set < kSets; ++set) {
      const Drawing d =
          drawing(seed + static_cast<std::uint64_t>(set), MarkerFamily::kArucoOriginal);
      vision::Detector detector =
          detector_of(d, subject == Subject::kMarker, subject == Subject::kRing);
      world::Renderer renderer(d.camera);
      Image image;
      vision::Detections found;
      std::string why;
      Tally one;
      for (int i = 0; i < n; ++i) {
        const LabelledScene s =
            draw_scene(d, subject, kLevels[i % 3], static_cast<std::uint64_t>(i / 3));
        renderer.render(s.scene, s.X_WC, s.exposure, image);
        (void)detector.detect(image.view(), s.label.up_B, found, why);
        count(found, s.label, one);
        count(found, s.label, all);
      }
      j[name]["sets"].push_back(
          {{"nees_mean_of_3", rounded(one.nees_mean())}, {"bound_95", rounded(one.nees_bound())}});
      outside += one.is_consistent() ? 0 : 1;
    }
    j[name]["all"] = {{"of", all.nees.size()},
                      {"nees_mean_of_3", rounded(all.nees_mean())},
                      {"bound_95", rounded(all.nees_bound())}};
    claim(all.is_consistent() && outside <= 1, fmt::format("stated covariance of {}s", name));
  }
  return j;
}

/// What is taken for a target where there is none, by the number of its picture.
int negatives(std::uint64_t seed, int n) {
  const Drawing d = drawing(seed, MarkerFamily::kArucoOriginal);
  vision::Detector both = detector_of(d, true, true);
  world::Renderer renderer(d.camera);
  Image image;
  vision::Detections found;
  std::string why;
  int many = 0;
  for (int i = 0; i < n; ++i) {
    const LabelledScene s =
        draw_scene(d, Subject::kNothing, kLevels[i % 3], static_cast<std::uint64_t>(i));
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    (void)both.detect(image.view(), s.label.up_B, found, why);
    for (const vision::Detection& one : found) {
      ++many;
      fmt::print("{}: a {} at {:.2f} m, {:.2f} of it to be seen, confidence {:.4f}\n", i,
                 one.kind == vision::Detection::Kind::kMarker ? "marker" : "ring", norm(one.X_CT.p),
                 one.visible_share, one.confidence);
    }
  }
  fmt::print("{} of {}\n", many, n);
  return many == 0 ? 0 : 1;
}

int campaign(std::uint64_t seed, int n) {
  const Drawing d = drawing(seed, MarkerFamily::kArucoOriginal);
  vision::Detector markers = detector_of(d, true, false), rings = detector_of(d, false, true),
                   both = detector_of(d, true, true);
  world::Renderer renderer(d.camera);
  Image image;
  vision::Detections found;
  std::string why;
  Json j;
  std::vector<std::string> failed;
  const auto claim = [&](bool holds, const std::string& text) {
    if (!holds) failed.push_back(text);
  };
  std::vector<double> render_ms;
  const auto shown = [&](const LabelledScene& s) {
    const double begin = cpu_ms();
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    render_ms.push_back(cpu_ms() - begin);
    return image.view();
  };

  Tally large, all_markers;
  for (const Level level : kLevels) {
    Tally of_level;
    for (int i = 0; i < n / 3; ++i) {
      const LabelledScene s = draw_scene(d, Subject::kMarker, level, static_cast<std::uint64_t>(i));
      (void)markers.detect(shown(s), s.label.up_B, found, why);
      count(found, s.label, of_level);
      if (s.label.side_px >= 24) count(found, s.label, large);
      count(found, s.label, all_markers);
    }
    j["markers"][std::string(name_of(level))] = of_level.json();
  }
  j["markers"]["from_24_px"] = large.json();
  j["markers"]["all"] = all_markers.json();
  claim(large.recall() >= 0.98, "markers from 24 px: 98 % found");
  claim(quantile(large.range_error, 0.5) <= 0.01, "markers: median range error 1 %");
  claim(all_markers.wrong == 0, "no wrong marker");

  Tally whole, part, less, all_rings;
  int whole_good = 0, part_good = 0;
  for (const Level level : kLevels) {
    Tally of_level;
    for (int i = 0; i < n / 3; ++i) {
      const LabelledScene s = draw_scene(d, Subject::kRing, level, static_cast<std::uint64_t>(i));
      (void)rings.detect(shown(s), s.label.up_B, found, why);
      count(found, s.label, of_level);
      count(found, s.label, all_rings);
      Tally& t = s.label.visible_share >= 0.6 ? whole : s.label.visible_share >= 0.2 ? part : less;
      const int before = t.found;
      count(found, s.label, t);
      if (t.found == before) continue;
      if (&t == &whole && t.range_error.back() <= 0.03) ++whole_good;
      if (&t == &part && t.range_error.back() <= 0.08) ++part_good;
    }
    j["rings"][std::string(name_of(level))] = of_level.json();
  }
  j["rings"]["all"] = all_rings.json();
  j["rings"]["from_60_percent"] = whole.json();
  j["rings"]["from_60_percent"]["found_within_3_percent"] =
      rounded(double(whole_good) / std::max(1, whole.of));
  j["rings"]["20_to_60_percent"] = part.json();
  j["rings"]["20_to_60_percent"]["found_within_8_percent"] =
      rounded(double(part_good) / std::max(1, part.of));
  j["rings"]["below_20_percent"] = less.json();
  claim(whole_good >= 0.97 * whole.of, "rings from 60 %: 97 % within 3 %");
  claim(part_good >= 0.85 * part.of, "rings of 20 to 60 %: 85 % within 8 %");

  int false_markers = 0, false_rings = 0;
  for (int i = 0; i < 2 * n; ++i) {
    const LabelledScene s =
        draw_scene(d, Subject::kNothing, kLevels[i % 3], static_cast<std::uint64_t>(i));
    (void)both.detect(shown(s), s.label.up_B, found, why);
    for (const vision::Detection& one : found)
      ++(one.kind == vision::Detection::Kind::kMarker ? false_markers : false_rings);
  }
  j["negatives"] = {{"of", 2 * n}, {"false_markers", false_markers}, {"false_rings", false_rings}};
  claim(false_markers + false_rings == 0, "no false target in the negatives");
  j["stated_errors"] = consistency(seed, n, claim);
  j["render_median_ms"] = rounded(quantile(render_ms, 0.5));

  j["tag36h11"] = side_by_side(seed, n, MarkerFamily::kTag36h11);
  j["aruco_original"] = side_by_side(seed, n, MarkerFamily::kArucoOriginal);
  for (const char* family : {"tag36h11", "aruco_original"}) {
    const Json& f = j[family];
    for (const char* peer : {"opencv", "opencv subpix", "apriltag", "apriltag decimate 2"}) {
      if (!f.contains(peer)) continue;
      claim(f["pintle"]["recall"] > f[peer]["recall"],
            fmt::format("recall of {} above {}", family, peer));
      claim(f["pintle"]["corner_error_median_px"] < f[peer]["corner_error_median_px"],
            fmt::format("corners of {} better than {}", family, peer));
    }
    for (const std::string& lost : lost_cells(f)) claim(false, fmt::format("{}: {}", family, lost));
    claim(f["pintle with ring"]["time_median_ms"] <= f["opencv"]["time_median_ms"],
          fmt::format("both detectors as fast as OpenCV's markers, {}", family));
    claim(f["pintle"]["wrong_id"] == 0, fmt::format("no wrong number, {}", family));
  }
  j["descents"] = descents(seed, 3, std::max(30, n / 3));
  claim(j["descents"]["followed_of_opencv"] <= 0.3, "followed: 0.3 of OpenCV's markers");
  claim(j["descents"]["found_only_followed"] == 0,
        "nothing is followed that the whole picture does not show");
  j["failed_claims"] = failed;
  fmt::print("{}\n", j.dump(1));
  return failed.empty() ? 0 : 1;
}

Json vector_of(Vec3 v) { return {v.x, v.y, v.z}; }

int render(std::uint64_t seed, int n, const std::filesystem::path& folder) {
  const Drawing d = drawing(seed, MarkerFamily::kArucoOriginal);
  std::filesystem::create_directories(folder);
  world::Renderer renderer(d.camera);
  Image image;
  std::ofstream labels(folder / "labels.jsonl"), ups(folder / "attitude.csv");
  ups << "image,roll_deg,pitch_deg\n";
  constexpr Subject kSubjects[] = {Subject::kMarker, Subject::kRing, Subject::kNothing};
  for (int i = 0; i < n; ++i) {
    const LabelledScene s =
        draw_scene(d, kSubjects[i % 3], kLevels[i / 3 % 3], static_cast<std::uint64_t>(i));
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    const std::string name = fmt::format("{:05}.png", i);
    std::string why;
    if (!vision::write_image(folder / name, image, why)) {
      fmt::print(stderr, "{}\n", why);
      return 4;
    }
    const Label& l = s.label;
    Json j{{"image", name},
           {"kind", name_of(l.subject)},
           {"level", name_of(l.level)},
           {"id", l.id},
           {"t_cam_obj_m", vector_of(l.X_CT.p)},
           {"target_body_m", vector_of(l.target_B)},
           {"side_px", l.side_px},
           {"visible_share", l.visible_share},
           {"blur_px", l.blur_px}};
    labels << j.dump() << "\n";
    // up in the body is R^T z: pitch and roll of a craft
    const double pitch = std::asin(std::clamp(-l.up_B.x, -1.0, 1.0)),
                 roll = std::atan2(l.up_B.y, l.up_B.z);
    ups << fmt::format("{},{:.6f},{:.6f}\n", name, degrees(roll), degrees(pitch));
  }
  return 0;
}

int score(const std::filesystem::path& folder, const char* file) {
  std::map<std::string, std::vector<Json>> found;
  std::ifstream detections(file);
  for (std::string line; std::getline(detections, line);) {
    const Json j = Json::parse(line);
    if (j.contains("kind"))
      found[std::filesystem::path(j["image"].get<std::string>()).filename()].push_back(j);
  }
  std::map<std::string, Tally> rows;
  std::ifstream labels(folder / "labels.jsonl");
  if (!labels) {
    fmt::print(stderr, "{}: no labels.jsonl: render the set first\n", folder.string());
    return 2;
  }
  const auto vec = [](const Json& j) { return Vec3{j[0], j[1], j[2]}; };
  for (std::string line; std::getline(labels, line);) {
    const Json l = Json::parse(line);
    const std::string kind = l["kind"];
    Tally& t = rows[fmt::format("{} {}", kind, l["level"].get<std::string>())];
    ++t.of;
    bool hit = false;
    for (const Json& f : found[l["image"]]) {
      const Vec3 at = vec(f["t_cam_obj_m"]), truth = vec(l["t_cam_obj_m"]);
      if (f["kind"] != kind || (kind == "marker" && f["id"] != l["id"]) ||
          !(norm(at - truth) < 0.25 * norm(truth))) {
        ++t.wrong;
        continue;
      }
      if (hit) continue;
      hit = true;
      ++t.found;
      t.range_error.push_back(std::abs(norm(at) - norm(truth)) / norm(truth));
      t.position_error.push_back(norm(vec(f["target_body_m"]) - vec(l["target_body_m"])));
    }
  }
  fmt::print("{:<16} {:>6} {:>8} {:>6} {:>14} {:>14}\n", "what", "of", "found", "wrong",
             "range error", "position, m");
  for (const auto& [name, t] : rows)
    fmt::print("{:<16} {:>6} {:>7.1f}% {:>6} {:>13.2f}% {:>14.4f}\n", name, t.of, 100 * t.recall(),
               t.wrong, 100 * quantile(t.range_error, 0.5), quantile(t.position_error, 0.5));
  return 0;
}

/// The whole argument, of at least so much.
template <class T>
T number(const char* text, T least) {
  T x{};
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, x);
  if (error != std::errc{} || rest != end || x < least)
    throw std::invalid_argument(fmt::format("expected a number from {} on, got {}", least, text));
  return x;
}

int run(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "campaign" && argc == 4)
    return campaign(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1));
  if (verb == "peers" && argc == 5) {
    const bool is_tag = std::strcmp(argv[4], "tag36h11") == 0;
    Json j = side_by_side(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1),
                          is_tag ? MarkerFamily::kTag36h11 : MarkerFamily::kArucoOriginal);
    const std::vector<std::string> lost = lost_cells(j);
    const bool holds = lost.empty() && j["pintle"]["wrong_id"] == 0;
    j["lost"] = lost;
    fmt::print("{}\n", j.dump(1));
    return holds ? 0 : 1;
  }
  if (verb == "negatives" && argc == 4)
    return negatives(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1));
  if (verb == "covariance" && argc == 4)
    return covariance(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1));
  if (verb == "descents" && argc == 5) {
    fmt::print("{}\n", descents(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1),
                                number<int>(argv[4], 1))
                           .dump(1));
    return 0;
  }
  if (verb == "render" && argc == 5)
    return render(number<std::uint64_t>(argv[2], 0), number<int>(argv[3], 1), argv[4]);
  if (verb == "score" && argc == 4) return score(argv[2], argv[3]);
  fmt::print(
      stderr,
      "usage: vision_campaign campaign SEED COUNT | peers SEED COUNT FAMILY | covariance SEED "
      "COUNT | descents "
      "SEED MANY COUNT | render SEED COUNT "
      "FOLDER | score FOLDER "
      "FILE\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& e) {
    fmt::print(stderr, "vision_campaign: {}\n", e.what());
    return 2;
  }
}
