#include "verbs.h"

#ifdef PINTLE_HAS_VISION

#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "csv.h"
#include "one_picture.h"
#include "pintle/config/file.h"
#include "pintle/config/reader.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/detector.h"
#include "pintle/vision/draw.h"
#include "pintle/vision/image_file.h"
#include "pintle/vision/video.h"
#include "printed.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct DetectArguments {
  std::string camera, marker, circle, mode = "both", draw, attitude, video;
  std::vector<std::string> images;
  std::uint64_t frames = 0;
};

template <class T>
T load(void (*read)(config::Reader&, const config::Document&, T&), const std::string& file) {
  const config::Document document = config::Document::load(file);
  config::Reader reader(document);
  T out{};
  read(reader, document, out);
  const std::vector<config::Problem> warnings = reader.finish();
  fmt::print(stderr, "{}", config::to_string(warnings));
  return out;
}

vision::DetectorSettings settings_of(const DetectArguments& a) {
  vision::DetectorSettings s;
  s.camera = load(vehicle::read_camera_file, a.camera).model;
  const bool marker = a.mode != "circle", circle = a.mode != "marker";
  if (marker && a.marker.empty())
    throw CLI::ValidationError("--marker",
                               "mode " + a.mode + " looks for markers: name their file");
  if (circle && a.circle.empty())
    throw CLI::ValidationError("--circle", "mode " + a.mode + " looks for a ring: name its file");
  if (marker) s.markers = load(vehicle::read_marker_file, a.marker);
  if (circle) s.ring = load(vehicle::read_circle_file, a.circle);
  return s;
}

/// Upwards in the body, by the picture's name without folders.
std::map<std::string, Vec3> read_attitudes(const std::string& file) {
  std::map<std::string, Vec3> out;
  if (file.empty()) return out;
  std::istringstream stream(config::read_file(file));
  std::string line;
  if (!std::getline(stream, line) || line != "image,roll_deg,pitch_deg")
    throw CsvError(file + ": expected the header  image,roll_deg,pitch_deg");
  for (int number = 2; std::getline(stream, line); ++number) {
    const std::size_t second = line.rfind(','), first = second == 0 || second == std::string::npos
                                                            ? std::string::npos
                                                            : line.rfind(',', second - 1);
    if (line.empty()) continue;
    std::optional<double> roll, pitch;
    if (first != std::string::npos) {
      roll = config::parse_number(line.substr(first + 1, second - first - 1));
      pitch = config::parse_number(line.substr(second + 1));
    }
    if (!roll || !pitch || !(std::abs(*roll) <= 180 && std::abs(*pitch) <= 90))
      throw CsvError(fmt::format("{}:{}: expected a name and two angles in degrees", file, number));
    const Quat q_WB = from_rpy({radians(*roll), radians(*pitch), 0});
    const std::string image = line.substr(0, first);
    if (!out.emplace(image, rotate(conjugate(q_WB), {0, 0, 1})).second)
      throw CsvError(
          fmt::format("{}:{}: {} has a line already: leave one of them", file, number, image));
  }
  return out;
}

Json list(Vec3 v) { return {v.x, v.y, v.z}; }

std::string as_json(const std::string& image, const vision::Detection& d,
                    std::optional<double> t_s = {}) {
  const bool marker = d.kind == vision::Detection::Kind::kMarker;
  Json j;
  j["image"] = image;
  if (t_s) j["t_s"] = *t_s;
  j["kind"] = marker ? "marker" : "circle";
  if (marker) j["id"] = d.id;
  j["t_cam_obj_m"] = list(d.X_CT.p);
  const Mat3 R = to_matrix(d.X_CT.q);
  for (std::size_t r = 0; r < 3; ++r) j["R_cam_obj"].push_back({R(r, 0), R(r, 1), R(r, 2)});
  j["target_body_m"] = list(d.target_B);
  for (std::size_t r = 0; r < 6; ++r)
    j["covariance"].push_back(
        std::vector<double>(d.covariance.begin() + static_cast<int>(6 * r),
                            d.covariance.begin() + static_cast<int>(6 * r + 6)));
  if (marker)
    for (const Pixel& p : d.corners) j["corners_px"].push_back({p.u, p.v});
  else
    j["conics_px"] = {{"outer", d.conics[0]}, {"inner", d.conics[1]}};
  j["visible_share"] = d.visible_share;
  j["confidence"] = d.confidence;
  return printed(j);
}

/// What is read; nothing is written over it, by whatever name.
class Inputs {
 public:
  explicit Inputs(const DetectArguments& a) : a_(a) {
    for (const std::string& file : {a.camera, a.marker, a.circle, a.attitude, a.video}) add(file);
    for (const std::string& file : a.images) add(file);
  }
  /// Its folder must not be one of the pictures', nor must a name in it lead to what is read.
  void refuse(const fs::path& folder, const std::vector<std::string>& names) const {
    std::error_code error;
    for (const std::string& image : a_.images) {
      const fs::path parent = fs::path(image).parent_path();
      if (fs::equivalent(parent.empty() ? fs::path(".") : parent, folder, error))
        throw CLI::ValidationError("--draw", folder.string() + " is the folder of " + image +
                                                 ": name another one, such as  --draw out");
    }
    for (const std::string& name : names) refuse(folder / name);
  }
  void refuse(const fs::path& file) const {
    if (const auto it = files_.find(identity(file)); it != files_.end() && !it->first.empty())
      throw CLI::ValidationError("--draw", file.string() + " leads to " + it->second +
                                               ", which is read: name an empty folder");
  }

 private:
  /// Of the file itself, behind links; "" where there is none.
  static std::string identity(const fs::path& file) {
    struct stat info {};
    if (file.empty() || ::stat(file.c_str(), &info) != 0) return "";
    return fmt::format("{}:{}", info.st_dev, info.st_ino);
  }
  void add(const std::string& file) { files_.emplace(identity(file), file); }

  const DetectArguments& a_;
  std::map<std::string, std::string> files_;
};

/// Two pictures of the same name in two folders stay two.
std::vector<std::string> drawn_names(const std::vector<std::string>& images) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const std::string& name : images) {
    std::string stem = fs::path(name).stem().string();
    for (int k = 2; !taken.insert(stem).second; ++k)
      stem = fs::path(name).stem().string() + "_" + std::to_string(k);
    out.push_back(stem + ".png");
  }
  return out;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw CLI::ValidationError("--draw", folder.string() + " is no folder: name another one");
  fs::create_directories(folder, error);
  if (error)
    throw CLI::ValidationError("--draw", folder.string() + " cannot be made: " + error.message());
}

/// Frame after frame; the time stands beside the number, where there is one.
int detect_in_video(const DetectArguments& a, const vision::DetectorSettings& settings,
                    const Inputs& inputs) {
  vision::Detector detector(settings);
  vision::Detections found;
  vision::Video video;
  Image image;
  std::string why;
  const auto fail = [&] {
    fmt::print(stderr, "pintle: {}: {}\n", a.video, why);
    return kCheckFailed;
  };
  if (!video.open(a.video, settings.camera.width, settings.camera.height, why)) return fail();
  std::uint64_t untimed = 0;
  for (std::uint64_t n = 0; a.frames == 0 || n < a.frames; ++n) {
    vision::FrameTime time;
    const auto got = video.read(image, time, why);
    if (got == vision::Video::Frame::kEnd) break;
    // a video has one size: what is wrong with a frame is wrong with all
    if (got == vision::Video::Frame::kFailed || !detector.follow(image.view(), {}, found, why))
      return fail();
    const std::string name = fmt::format("{}#{}", a.video, n);
    if (!time.t_s && ++untimed == 1)
      fmt::print(
          stderr,
          "pintle: {}: its times stand still or go back at picture {}, or it has none: t_s is "
          "left out there, and pictures are known by their number\n",
          a.video, n);
    for (const vision::Detection& d : found) fmt::print("{}\n", as_json(name, d, time.t_s));
    std::fflush(stdout);
    if (a.draw.empty() || found.empty()) continue;
    vision::draw(settings.camera, settings.ring ? &*settings.ring : nullptr, found, image);
    const fs::path to = fs::path(a.draw) / fmt::format("{:06}.png", n);
    inputs.refuse(to);
    if (!vision::write_image(to, image, why)) {
      fmt::print(stderr, "pintle: {}: {}\n", to.string(), why);
      return kRunTimeFault;
    }
  }
  if (untimed > 1) fmt::print(stderr, "pintle: {}: {} pictures have no time\n", a.video, untimed);
  return kOk;
}

/// Beside it, until it is whole.
fs::path part_of(const fs::path& to) { return to.parent_path() / ("." + to.filename().string()); }

/// An answer of this picture's process: JSON lines, or what is wrong. `to`: where it is drawn, ""
/// nowhere.
std::string detect_in_picture(vision::Detector& detector, const std::string& name,
                              const std::optional<Vec3>& up_B, const fs::path& to) {
  vision::Detections found;
  Image image;
  std::string why;
  if (!vision::read_image(name, image, why) || !detector.detect(image.view(), up_B, found, why))
    return begin(Answer::kUnread) + why;
  std::string out = begin(Answer::kDone);
  for (const vision::Detection& d : found) out += as_json(name, d) + "\n";
  if (to.empty()) return out;
  const vision::DetectorSettings& settings = detector.settings();
  vision::draw(settings.camera, settings.ring ? &*settings.ring : nullptr, found, image);
  if (!vision::write_image(part_of(to), std::move(image), why))
    return begin(Answer::kUnwritten) + why;
  fs::rename(part_of(to), to);
  return out;
}

int detect(const DetectArguments& a) {
  const vision::DetectorSettings settings = settings_of(a);
  if (a.images.empty() == a.video.empty())
    throw CLI::ValidationError("images", "name pictures, or a video with --video");
  if (!a.video.empty() && !a.attitude.empty())
    throw CLI::ValidationError("--attitude",
                               "it speaks of pictures, and --video has none by name: leave it out, "
                               "or save the video's pictures and name them instead");
  const std::map<std::string, Vec3> attitudes = read_attitudes(a.attitude);
  const Inputs inputs(a);
  const std::vector<std::string> names = drawn_names(a.images);
  if (!a.draw.empty()) {
    make_folder(a.draw);
    inputs.refuse(a.draw, names);
  }
  if (!a.video.empty()) return detect_in_video(a, settings, inputs);
  vision::Detector detector(settings);
  int exit_code = kOk;
  for (std::size_t i = 0; i < a.images.size(); ++i) {
    const std::string& name = a.images[i];
    std::optional<Vec3> up_B;
    if (const auto at = attitudes.find(fs::path(name).filename().string()); at != attitudes.end())
      up_B = at->second;
    else if (!a.attitude.empty())
      fmt::print(stderr, "pintle: {}: {} says nothing about it\n", name, a.attitude);
    const fs::path to = a.draw.empty() ? fs::path() : fs::path(a.draw) / names[i];
    std::string said;
    switch (answer_of([&] { return detect_in_picture(detector, name, up_B, to); },
                      a.draw.empty() ? kOnePicture : kOnePictureDrawn, said)) {
      case Answer::kUnread:
        if (std::error_code none; !to.empty()) fs::remove(part_of(to), none);
        fmt::print(stderr, "pintle: {}: {}\n", name, said);
        exit_code = kCheckFailed;
        break;
      case Answer::kUnwritten:
        fmt::print(stderr, "pintle: {}: {}\n", to.string(), said);
        return kRunTimeFault;
      default: fmt::print("{}", said);
    }
  }
  return exit_code;
}

}  // namespace

void add_detect(CLI::App& app, Session& session) {
  auto a = std::make_shared<DetectArguments>();
  CLI::App* verb = app.add_subcommand("detect", "Markers and ring pads in pictures, to poses.");
  verb->add_option("images", a->images, "Pictures: PNG, JPEG, BMP, PNM");
  verb->add_option("--camera", a->camera, "The camera's file")->required();
  verb->add_option("--marker", a->marker, "File of the markers that count");
  verb->add_option("--circle", a->circle, "File of the ring");
  verb->add_option("--mode", a->mode, "marker, circle or both (default)")
      ->check(CLI::IsMember({"marker", "circle", "both"}));
  verb->add_option("--attitude", a->attitude,
                   "CSV image,roll_deg,pitch_deg: how the craft was tilted");
  CLI::Option* video =
      verb->add_option("--video", a->video, "A video file, or a camera such as /dev/video0");
  verb->add_option("--frames", a->frames, "Of a video so many; 0, the default: to its end")
      ->check(CLI::NonNegativeNumber)
      ->needs(video);
  verb->add_option("--draw", a->draw, "Folder for pictures with what was found drawn in");
  verb->footer(
      "Examples:\n"
      "  pintle detect --camera camera.yaml --marker marker.yaml --mode marker *.png\n"
      "  pintle detect --camera camera.yaml --marker marker.yaml --circle circle.yaml --draw out "
      "*.jpg\n"
      "One JSON line per target. Exit codes: 0 ok, 1 a picture could not be read (the others "
      "were),\n"
      "2 --draw would write over what is read, or arguments do not go together, 3 a file is "
      "wrong.");
  verb->callback([a, &session] { session.exit_code = detect(*a); });
}

}  // namespace pintle::app

#else

namespace pintle::app {

void add_detect(CLI::App& app, Session&) {
  CLI::App* verb = app.add_subcommand("detect", "Markers and ring pads in pictures, to poses.");
  verb->allow_extras();
  verb->callback([] {
    throw std::runtime_error(
        "this build searches no pictures (pintle-full is not there): install OpenCV (scripts/setup "
        "--vision) and build again");
  });
}

}  // namespace pintle::app

#endif
