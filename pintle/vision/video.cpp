#include "pintle/vision/video.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string_view>

#include "pintle/base/camera_model.h"

namespace pintle::vision {

namespace {

/// Longer than a driver keeps a buffer.
constexpr double kLongestAge_s = 2;
constexpr std::size_t kBegin = 512;
constexpr const char* kNothing = "no picture in it can be decoded";

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Property {
  std::string_view name;
  int number;
};
constexpr std::array kProperties{Property{"pixel_format", cv::CAP_PROP_FOURCC},
                                 Property{"framerate", cv::CAP_PROP_FPS},
                                 Property{"brightness", cv::CAP_PROP_BRIGHTNESS},
                                 Property{"contrast", cv::CAP_PROP_CONTRAST},
                                 Property{"saturation", cv::CAP_PROP_SATURATION},
                                 Property{"sharpness", cv::CAP_PROP_SHARPNESS},
                                 Property{"gain", cv::CAP_PROP_GAIN},
                                 Property{"auto_white_balance", cv::CAP_PROP_AUTO_WB},
                                 Property{"white_balance", cv::CAP_PROP_WB_TEMPERATURE},
                                 Property{"autoexposure", cv::CAP_PROP_AUTO_EXPOSURE},
                                 Property{"exposure", cv::CAP_PROP_EXPOSURE},
                                 Property{"autofocus", cv::CAP_PROP_AUTOFOCUS},
                                 Property{"focus", cv::CAP_PROP_FOCUS}};

/// Whether it has it now.
bool tell(cv::VideoCapture& camera, const std::string& name, double value) {
  const int number = camera_property(name);
  if (number < 0 || !camera.set(number, value)) return false;
  // in place of a format that it has not, OpenCV takes one that it has, and says nothing
  return number != cv::CAP_PROP_FOURCC || camera.get(number) == value;
}

}  // namespace

int camera_property(std::string_view name) noexcept {
  for (const Property& p : kProperties)
    if (p.name == name) return p.number;
  return -1;
}

struct Video::Impl {
  cv::VideoCapture capture;
  cv::Mat frame;
  bool is_camera = false, any_read = false;
  CameraSettings refused;
  std::optional<double> first_s;  ///< Of a camera, by the steady clock.
  FileTimes times;
};

std::optional<double> steady_time(double buffer_s, double now_s) noexcept {
  const double age_s = now_s - buffer_s;
  // 0 is what a driver without times gives, also soon after the machine was started
  if (!(buffer_s > 0 && age_s >= 0 && age_s <= kLongestAge_s)) return std::nullopt;
  return buffer_s;
}

std::optional<double> FileTimes::take(double t_s) noexcept {
  if (!(t_s >= 0) || !std::isfinite(t_s) || (last_s_ && t_s <= *last_s_)) return std::nullopt;
  last_s_ = t_s;
  return t_s;
}

std::string why_no_video(std::span<const std::uint8_t> b) {
  const auto has = [&](std::size_t at, std::string_view bytes) {
    return b.size() >= at + bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), b.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char x, std::uint8_t y) { return static_cast<std::uint8_t>(x) == y; });
  };
  using namespace std::string_view_literals;
  const bool is_riff = has(0, "RIFF") && has(8, "AVI ");
  const bool is_mp4 =
      has(4, "ftyp") || has(4, "moov") || has(4, "mdat") || has(4, "wide") || has(4, "free");
  const bool is_stream = has(0, "\x00\x00\x01"sv) || has(0, "\x00\x00\x00\x01"sv) ||
                         has(0, "\xff\xd8\xff"sv) || (has(0, "G") && has(188, "G"));
  const bool is_other = has(0, "\x1a\x45\xdf\xa3"sv) || has(0, "OggS") || has(0, "FLV\x01"sv) ||
                        has(0, "\x30\x26\xb2\x75"sv) || has(0, "YUV4MPEG2") || has(0, "DKIF");
  if (is_riff || is_mp4 || is_stream || is_other) return "";
  if (has(0, "ffconcat") || has(0, "#EXTM3U") || has(0, "\xef\xbb\xbf#EXTM3U"sv))
    return "this is a list of other files: name one of the videos in it";
  return "not a video: expected AVI, MP4, Matroska, MPEG, Ogg, FLV, ASF or a raw stream";
}

Video::Video() : impl_(std::make_unique<Impl>()) {}
Video::~Video() = default;
Video::Video(Video&&) noexcept = default;
Video& Video::operator=(Video&&) noexcept = default;

bool Video::open(const std::string& source, int width, int height, std::string& why,
                 const CameraSettings& settings) {
  Impl& v = *impl_;
  std::error_code none;
  const auto kind = std::filesystem::status(source, none).type();
  v.is_camera = kind == std::filesystem::file_type::character;
  if (!v.is_camera && kind != std::filesystem::file_type::regular) {
    const std::string expected = "expected a video file or a camera such as /dev/video0";
    if (kind == std::filesystem::file_type::directory)
      why = "this is a folder: name a video in it";
    else if (kind != std::filesystem::file_type::not_found)
      why = expected;
    else if (source.find("://") != std::string::npos)
      why = "addresses are not read: " + expected;
    else
      why = "there is no such file: " + expected;
    return false;
  }
  v.any_read = false;
  v.first_s.reset();
  v.times = {};
  v.refused.clear();
  try {
    if (!v.is_camera) {
      std::array<char, kBegin> begin{};
      std::ifstream file(source, std::ios::binary);
      file.read(begin.data(), begin.size());
      const auto n = static_cast<std::size_t>(file.gcount());
      why = why_no_video({reinterpret_cast<const std::uint8_t*>(begin.data()), n});
      if (!why.empty()) return false;
    }
    // from the root: a name with a colon in it is no address
    const bool opened =
        v.is_camera ? v.capture.open(source, cv::CAP_V4L2)
                    : v.capture.open(std::filesystem::absolute(source).string(), cv::CAP_FFMPEG);
    if (!opened) {
      why = v.is_camera ? "no V4L2 camera that gives pictures" : "not a video that can be decoded";
      return false;
    }
    if (v.is_camera) {
      // which sizes there are hangs on the format
      const auto tell_all = [&](bool formats) {
        for (const auto& [name, value] : settings)
          if ((name == "pixel_format") == formats && !tell(v.capture, name, value))
            v.refused.emplace_back(name, value);
      };
      tell_all(true);
      v.capture.set(cv::CAP_PROP_FRAME_WIDTH, width);
      v.capture.set(cv::CAP_PROP_FRAME_HEIGHT, height);
      tell_all(false);
    }
    const double w = v.capture.get(cv::CAP_PROP_FRAME_WIDTH),
                 h = v.capture.get(cv::CAP_PROP_FRAME_HEIGHT);
    if (w >= 1 && w <= kLargestPicture_px && h >= 1 && h <= kLargestPicture_px) return true;
    why = w >= 1 && h >= 1 ? "its pictures are larger than 8192 px" : kNothing;
    v.capture.release();
  } catch (const std::exception& e) {
    why = e.what();
  }
  return false;
}

const CameraSettings& Video::refused() const { return impl_->refused; }

Video::Frame Video::read(Image& out, FrameTime& time, std::string& why) {
  Impl& v = *impl_;
  try {
    if (!v.capture.read(v.frame)) {
      if (!v.is_camera && v.any_read) return Frame::kEnd;
      why = v.is_camera ? "the camera gives no more pictures" : kNothing;
      return Frame::kFailed;
    }
    v.any_read = true;
    if (v.frame.type() != CV_8UC3 || v.frame.cols > kLargestPicture_px ||
        v.frame.rows > kLargestPicture_px) {
      why = "a frame of another kind than eight bits a colour";
      return Frame::kFailed;
    }
    const double said_s = 1e-3 * v.capture.get(cv::CAP_PROP_POS_MSEC);
    if (v.is_camera) {
      const double now_s = steady_s();
      time.steady_s = steady_time(said_s, now_s);
      const double taken_s = time.steady_s.value_or(now_s);
      if (!v.first_s) v.first_s = taken_s;
      time.t_s = taken_s - *v.first_s;
    } else {
      time = {v.times.take(said_s), std::nullopt};
    }
    out.resize(v.frame.cols, v.frame.rows, 3);
    cv::Mat to(v.frame.rows, v.frame.cols, CV_8UC3, out.pixels.data());
    cv::cvtColor(v.frame, to, cv::COLOR_BGR2RGB);
    return Frame::kRead;
  } catch (const std::exception& e) {
    why = e.what();
    return Frame::kFailed;
  }
}

}  // namespace pintle::vision
