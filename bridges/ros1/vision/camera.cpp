#include "vision/camera.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/video.h"

namespace pintle::ros1 {
namespace {

using config::Document;

vehicle::CameraFile read(const Document& document) {
  config::Reader reader(document);
  vehicle::CameraFile out;
  vehicle::read_camera_file(reader, document, out);
  (void)reader.finish();
  return out;
}

/// Number by number, so that comments and whatever else is there stay.
template <class Numbers>
Document with(Document document, const std::string& key, const Numbers& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    document = document.with(key + ".data[" + std::to_string(i) + "]", numbers[i]);
  return document;
}

}  // namespace

PlainCameraInfo load_calibration(const std::string& file) {
  const Document document = Document::load(file);
  const CameraModel m = read(document).model;
  PlainCameraInfo out;
  out.width = static_cast<std::uint32_t>(m.width);
  out.height = static_cast<std::uint32_t>(m.height);
  out.D.assign(m.distortion.begin(), m.distortion.end());
  out.K = {m.fx, 0, m.cx, 0, m.fy, m.cy, 0, 0, 1};
  out.P = {m.fx, 0, m.cx, 0, 0, m.fy, m.cy, 0, 0, 0, 1, 0};
  const auto take = [&](const std::string& key, auto& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const config::Node* n = document.at(key + ".data[" + std::to_string(i) + "]");
      const auto number = n != nullptr ? config::parse_number(n->scalar) : std::nullopt;
      if (!number) return;
      to[i] = *number;
    }
  };
  take("rectification_matrix", out.R);
  take("projection_matrix", out.P);
  return out;
}

std::string save_calibration(const std::string& file, const PlainCameraInfo& info) {
  try {
    if (info.distortion_model != "plumb_bob" || info.D.size() != 5)
      return "expected plumb_bob with five coefficients, got \"" + info.distortion_model +
             "\" with " + std::to_string(info.D.size());
    Document d = Document::load(file);
    d = d.with("image_width", double(info.width)).with("image_height", double(info.height));
    d = with(with(std::move(d), "camera_matrix", info.K), "distortion_coefficients", info.D);
    if (d.at("rectification_matrix") != nullptr)
      d = with(std::move(d), "rectification_matrix", info.R);
    if (d.at("projection_matrix") != nullptr) d = with(std::move(d), "projection_matrix", info.P);
    (void)read(d);  // what could not be read again is not written
    const config::SaveResult saved = config::save_atomically(file, d.text());
    return saved.saved ? "" : saved.reason;
  } catch (const std::exception& e) {
    return e.what();
  }
}

namespace {

struct PixelFormat {
  const char* name;
  const char* letters;  ///< V4L2's.
};
// ten bits of grey: the original asks for YUYV, which some such cameras say that they give, and
// reads it as what it is
constexpr PixelFormat kPixelFormats[] = {{"yuyv", "YUYV"},  {"uyvy", "UYVY"},
                                         {"mjpeg", "MJPG"}, {"rgb24", "RGB3"},
                                         {"grey", "GREY"},  {"yuvmono10", "Y10 "}};

}  // namespace

std::vector<std::string> pixel_formats() {
  std::vector<std::string> names;
  for (const PixelFormat& f : kPixelFormats) names.emplace_back(f.name);
  return names;
}

std::vector<std::pair<std::string, double>> settings_of(const CameraControls& c) {
  std::vector<std::pair<std::string, double>> out;
  const auto unless_left = [&](const char* name, int value) {
    if (value >= 0) out.emplace_back(name, value);
  };
  for (const PixelFormat& f : kPixelFormats)
    if (c.pixel_format == f.name) out.emplace_back("pixel_format", vision::four_letters(f.letters));
  out.emplace_back("framerate", c.framerate_Hz);
  unless_left("brightness", c.brightness);
  unless_left("contrast", c.contrast);
  unless_left("saturation", c.saturation);
  unless_left("sharpness", c.sharpness);
  unless_left("gain", c.gain);
  out.emplace_back("auto_white_balance", c.auto_white_balance ? 1 : 0);
  if (!c.auto_white_balance) unless_left("white_balance", c.white_balance);
  // V4L2: 1 by hand, 3 the camera chooses the time and nobody the aperture
  out.emplace_back("autoexposure", c.autoexposure ? 3 : 1);
  if (!c.autoexposure) unless_left("exposure", c.exposure);
  out.emplace_back("autofocus", c.autofocus ? 1 : 0);
  if (!c.autofocus) unless_left("focus", c.focus);
  return out;
}

bool is_file(const std::string& device) { return std::filesystem::is_regular_file(device); }

struct VideoDevice::Impl {
  std::optional<vision::Video> video;
  std::string device;
  int width = 0, height = 0;
  CameraControls controls;
  Image image;
};

VideoDevice::VideoDevice() : impl_(std::make_unique<Impl>()) {}
VideoDevice::~VideoDevice() = default;

std::string VideoDevice::open(const std::string& device, int width, int height,
                              const CameraControls& controls) {
  Impl& s = *impl_;
  std::string why;
  s.device = device;
  s.width = width;
  s.height = height;
  s.controls = controls;
  s.video.emplace();
  if (s.video->open(device, width, height, why, settings_of(controls))) return "";
  s.video.reset();
  return device + ": " + why;
}

std::string VideoDevice::refused() const {
  std::string list;
  if (!impl_->video) return list;
  for (const auto& [name, value] : impl_->video->refused()) {
    const bool is_format = name == "pixel_format";
    list += (list.empty() ? "" : ", ") + name + " = " +
            (is_format ? impl_->controls.pixel_format : std::to_string(std::lround(value)));
  }
  return list;
}

void VideoDevice::close() { impl_->video.reset(); }

std::string VideoDevice::read(PlainImage& out, std::optional<double>& taken_s) {
  Impl& s = *impl_;
  if (!s.video) return s.device + ": it is closed";
  std::string why;
  vision::FrameTime time;
  auto got = s.video->read(s.image, time, why);
  if (got == vision::Video::Frame::kEnd) {
    if (why = open(s.device, s.width, s.height, s.controls); !why.empty()) return why;
    got = s.video->read(s.image, time, why);
  }
  if (got != vision::Video::Frame::kRead) return s.device + ": " + why;
  if (s.image.width != s.width || s.image.height != s.height)
    return s.device + ": pictures of " + std::to_string(s.image.width) + " x " +
           std::to_string(s.image.height) + " px, but its calibration is for " +
           std::to_string(s.width) + " x " + std::to_string(s.height);
  out.width = static_cast<std::uint32_t>(s.image.width);
  out.height = static_cast<std::uint32_t>(s.image.height);
  out.rgb = s.image.pixels;
  taken_s = time.steady_s;
  return "";
}

}  // namespace pintle::ros1
