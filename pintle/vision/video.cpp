#include "pintle/vision/video.h"

#include <chrono>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "pintle/base/camera_model.h"

namespace pintle::vision {

struct Video::Impl {
  cv::VideoCapture capture;
  cv::Mat frame;
  bool is_camera = false, has_read = false;
  std::chrono::steady_clock::time_point first;
};

Video::Video() : impl_(std::make_unique<Impl>()) {}
Video::~Video() = default;
Video::Video(Video&&) noexcept = default;
Video& Video::operator=(Video&&) noexcept = default;

bool Video::open(const std::string& source, int width, int height, std::string& why) {
  Impl& v = *impl_;
  std::error_code none;
  const auto kind = std::filesystem::status(source, none).type();
  v.is_camera = kind == std::filesystem::file_type::character;
  if (!v.is_camera && kind != std::filesystem::file_type::regular) {
    why = "expected a video file or a camera such as /dev/video0";
    return false;
  }
  try {
    // what a file names further files by stays closed: decoders that read nothing else
    const bool opened =
        v.is_camera ? v.capture.open(source, cv::CAP_V4L2) : v.capture.open(source, cv::CAP_FFMPEG);
    if (!opened) {
      why = v.is_camera ? "no V4L2 camera that gives pictures" : "not a video that can be decoded";
      return false;
    }
    if (v.is_camera) {
      v.capture.set(cv::CAP_PROP_FRAME_WIDTH, width);
      v.capture.set(cv::CAP_PROP_FRAME_HEIGHT, height);
    }
    const double w = v.capture.get(cv::CAP_PROP_FRAME_WIDTH),
                 h = v.capture.get(cv::CAP_PROP_FRAME_HEIGHT);
    if (w >= 1 && w <= kLargestPicture_px && h >= 1 && h <= kLargestPicture_px) return true;
    why = "its pictures are larger than 8192 px";
    v.capture.release();
  } catch (const std::exception& e) {
    why = e.what();
  }
  return false;
}

Video::Frame Video::read(Image& out, double& t_s, std::string& why) {
  Impl& v = *impl_;
  try {
    t_s = 1e-3 * v.capture.get(cv::CAP_PROP_POS_MSEC);
    if (!v.capture.read(v.frame)) {
      if (!v.is_camera) return Frame::kEnd;
      why = "the camera gives no more pictures";
      return Frame::kFailed;
    }
    if (v.frame.type() != CV_8UC3 || v.frame.cols > kLargestPicture_px ||
        v.frame.rows > kLargestPicture_px) {
      why = "a frame of another kind than eight bits a colour";
      return Frame::kFailed;
    }
    if (v.is_camera) {
      const auto now = std::chrono::steady_clock::now();
      if (!v.has_read) v.first = now;
      t_s = std::chrono::duration<double>(now - v.first).count();
    }
    v.has_read = true;
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
