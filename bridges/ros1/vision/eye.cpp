#include "vision/eye.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pintle/base/rotation.h"
#include "pintle/config/reader.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/draw.h"
#include "pintle/vision/sightings.h"
#include "vision/pixels.h"

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;
using config::Document;

/// `notes`: of what is strange and taken all the same.
template <class T>
T read(void (*how)(config::Reader&, const Document&, T&), const Document& document,
       std::vector<std::string>& notes) {
  config::Reader reader(document);
  T out{};
  how(reader, document, out);
  for (const config::Problem& p : reader.finish()) notes.push_back(to_string(p));
  return out;
}

/// Of detection modes in a parameter, where a list that was not set is not there: half of them would
/// be switched off. @throws std::runtime_error
void expect_both(const Document& document) {
  const config::Node* modes = document.root().find("detection_mode");
  for (const char* key : {"marker", "circle"})
    if (modes != nullptr && modes->is_map() && modes->find(key) == nullptr)
      throw std::runtime_error(std::string("detection_mode: ") + key +
                               " is missing: set both lists, [] for none");
}

struct Files {
  vehicle::CameraFile camera;
  MarkerTargets marker;
  std::optional<MarkerTargets> pad_marker;
  RingTarget circle;
  vehicle::DetectionModes modes;
};

/// @throws std::runtime_error
void refuse(const Findings& findings) {
  for (const Finding& f : findings)
    if (f.is_error) throw std::runtime_error(f.path + ": " + f.message + "; " + f.fix);
}

/// Forward, left, up and forward, right, down: both ways the same.
constexpr Mat3 kFlip{{1, 0, 0, 0, -1, 0, 0, 0, -1}};

Four orientation_of(const vision::Detection& d, const Pose& X_BC) {
  const Mat3 R_BT = to_matrix(X_BC.q * d.X_CT.q);
  Quat q;
  if (d.kind == vision::Detection::Kind::kMarker) {
    // to its top, to its right, into its face
    constexpr Mat3 kTopRightIn{{0, 1, 0, 1, 0, 0, 0, 0, -1}};
    q = to_quaternion(kFlip * R_BT * kTopRightIn);
  } else {
    const Vec3 in{-R_BT(0, 2), R_BT(1, 2), R_BT(2, 2)};
    const Vec3 axis = cross({0, 0, 1}, in);
    const double sine = norm(axis), angle = std::atan2(sine, in.z);
    q = sine > 1e-9 ? from_rotation_vector((angle / sine) * axis) : Quat{};
  }
  return {q.x, q.y, q.z, q.w};
}

bool is_same(const PlainCameraInfo& a, const PlainCameraInfo& b) {
  return a.width == b.width && a.height == b.height && a.distortion_model == b.distortion_model &&
         a.D == b.D && a.K == b.K && a.P == b.P;
}

std::string size_of(std::uint32_t width, std::uint32_t height) {
  return std::to_string(width) + " x " + std::to_string(height) + " px";
}

bool has(const std::vector<std::uint32_t>& list, int state) {
  return state >= 0 && std::count(list.begin(), list.end(), static_cast<std::uint32_t>(state)) > 0;
}

}  // namespace

struct Eye::Impl {
  EyeOptions options;
  Files files;
  int state = -1;
  std::optional<PlainCameraInfo> told;  ///< With the pictures.
  std::uint32_t width = 0, height = 0;  ///< Of the newest picture; 0: none has come.
  CameraModel camera;                   ///< That counts.
  vision::Targets car_targets, pad_targets;
  std::optional<vision::Detector> car, pad;  ///< Made when they are needed.
  Image image;
  vision::Detections found;
  std::vector<std::string> notes;

  explicit Impl(const EyeOptions& o) : options(o) {
    const fs::path folder = o.config_dir;
    files.camera = read(vehicle::read_camera_file, Document::load(o.camera_file), notes);
    files.circle = read(vehicle::read_circle_file, Document::load(folder / "circle.yaml"), notes);
    files.modes = read(vehicle::read_detection_mode_file,
                       Document::load(folder / "detection_mode.yaml"), notes);
    files.marker = read(vehicle::read_marker_file, Document::load(folder / "marker.yaml"), notes);
    files.pad_marker = pad_marker();
    adopt(files);
  }

  /// A pad without markers has no such file; one that was there and has gone is no such pad.
  [[nodiscard]] std::optional<MarkerTargets> pad_marker() {
    const fs::path file = fs::path(options.config_dir) / "pad_marker.yaml";
    const bool exists = fs::exists(fs::symlink_status(file));
    if (!exists && !files.pad_marker) return std::nullopt;
    return read(vehicle::read_marker_file, Document::load(file), notes);
  }

  /// With the calibration told, where one is. @throws std::runtime_error
  [[nodiscard]] CameraModel camera_of(const vehicle::CameraFile& file,
                                      const std::optional<PlainCameraInfo>& info) const {
    CameraModel m = file.model;
    if (!info) return m;
    m.width = static_cast<int>(info->width);
    m.height = static_cast<int>(info->height);
    m.distortion = {};
    if (options.image_is_rectified) {
      const auto& P = info->P;
      m.fx = P[0], m.cx = P[2], m.fy = P[5], m.cy = P[6];
    } else {
      if (info->distortion_model != "plumb_bob" || (info->D.size() != 5 && info->D.size() != 4))
        throw std::runtime_error("expected plumb_bob with five coefficients, got \"" +
                                 info->distortion_model + "\" with " +
                                 std::to_string(info->D.size()));
      std::copy(info->D.begin(), info->D.end(), m.distortion.begin());
      const auto& K = info->K;
      m.fx = K[0], m.cx = K[2], m.fy = K[4], m.cy = K[5];
    }
    refuse(check(m));
    return m;
  }

  /// All or nothing. @throws std::runtime_error
  void adopt(const Files& next) {
    const CameraModel m = camera_of(next.camera, told);
    vision::Targets of_car, of_pad;
    of_car.car = next.marker;
    of_pad.pad = next.pad_marker;
    if (options.markers_only && !of_pad.pad) of_pad.pad = next.marker;
    if (!options.markers_only) of_pad.ring = next.circle;
    refuse(check(of_car));
    refuse(check(of_pad));
    files = next;
    camera = m;
    car_targets = std::move(of_car);
    pad_targets = std::move(of_pad);
    car.reset();
    pad.reset();
  }
};

Eye::Eye(const EyeOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Eye::~Eye() = default;

std::string Eye::reload(EyePart part, const std::string* text) {
  Impl& s = *impl_;
  const auto document = [&](const fs::path& file) {
    return text != nullptr ? Document::parse(*text, "the ROS parameters") : Document::load(file);
  };
  const fs::path folder = s.options.config_dir;
  try {
    Files next = s.files;
    switch (part) {
      case EyePart::kCamera:
        next.camera = read(vehicle::read_camera_file, document(s.options.camera_file), s.notes);
        break;
      case EyePart::kCircle:
        next.circle = read(vehicle::read_circle_file, document(folder / "circle.yaml"), s.notes);
        break;
      case EyePart::kDetectionMode:
        if (text != nullptr) expect_both(document({}));
        next.modes = read(vehicle::read_detection_mode_file,
                          document(folder / "detection_mode.yaml"), s.notes);
        break;
      case EyePart::kMarker:
        next.marker = read(vehicle::read_marker_file, document(folder / "marker.yaml"), s.notes);
        next.pad_marker = s.pad_marker();
        break;
    }
    s.adopt(next);
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::vector<std::string> Eye::take_notes() { return std::exchange(impl_->notes, {}); }

void Eye::state(int number) { impl_->state = number; }

int Eye::capture() const {
  const Impl& s = *impl_;
  if (s.state < 0) return -1;
  return has(s.files.modes.marker, s.state) || has(s.files.modes.circle, s.state) ? 1 : 0;
}

std::string Eye::calibration(const PlainCameraInfo& info) {
  Impl& s = *impl_;
  if (s.told && is_same(*s.told, info)) return "";
  if (s.width > 0 && (info.width != s.width || info.height != s.height))
    return "it is for " + size_of(info.width, info.height) + ", and the pictures are " +
           size_of(s.width, s.height);
  const auto before = std::exchange(s.told, info);
  try {
    s.adopt(s.files);
    return "";
  } catch (const std::exception& e) {
    s.told = before;
    return e.what();
  }
}

bool Eye::has_calibration() const { return impl_->told.has_value(); }

EyeLook Eye::look(const PlainPicture& picture, const Four* attitude, PlainImage* drawn) {
  Impl& s = *impl_;
  EyeLook out;
  if (capture() != 1) return out;
  s.width = picture.width;
  s.height = picture.height;
  if (s.camera.width != static_cast<int>(picture.width) ||
      s.camera.height != static_cast<int>(picture.height)) {
    out.why = "they are " + size_of(picture.width, picture.height) +
              ", and their calibration is for " + std::to_string(s.camera.width) + " x " +
              std::to_string(s.camera.height);
    return out;
  }
  const bool is_marker = has(s.files.modes.marker, s.state);
  const vision::Targets& targets = is_marker ? s.car_targets : s.pad_targets;
  std::optional<vision::Detector>& detector = is_marker ? s.car : s.pad;
  out.why = copy_pixels(picture, s.image);
  if (!out.why.empty()) return out;
  if (!detector) detector.emplace(vision::settings_of(s.camera, targets));
  std::optional<Vec3> up_B;
  if (attitude != nullptr) {
    const Quat q{(*attitude)[0], (*attitude)[1], (*attitude)[2], (*attitude)[3]};
    const Vec3 up = rotate(conjugate(q), {0, 0, 1});
    if (std::abs(norm(up) - 1) < 1e-3) up_B = up;
  }
  if (!detector->follow(s.image.view(), up_B, s.found, out.why)) return out;
  out.has_looked = true;
  if (const auto best = vision::surest(s.found, targets, s.camera.X_BC)) {
    const vision::Detection& d = s.found[*best];
    const TargetSighting seen = vision::sighting_of(d, targets, s.camera.X_BC, {});
    out.has_target = true;
    out.target = {!is_marker,
                  {seen.p_BT_B.x, -seen.p_BT_B.y, -seen.p_BT_B.z},
                  orientation_of(d, s.camera.X_BC)};
  }
  if (drawn == nullptr) return out;
  vision::draw(s.camera, targets.ring ? &*targets.ring : nullptr, s.found, s.image);
  drawn->width = picture.width;
  drawn->height = picture.height;
  drawn->rgb = s.image.pixels;
  return out;
}

}  // namespace pintle::ros1
