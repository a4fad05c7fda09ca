/// Pictures one after the other: from a video file, or from a camera at /dev/videoN (V4L2).
///
/// Frames come as red, green, blue and are of one size, at most 8192 px each way. Nothing is
/// thrown; what cannot be opened or read says why. A file has to be one that holds pictures itself:
/// lists of other files and addresses are refused.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pintle/base/image.h"

namespace pintle::vision {

/// When a picture was taken.
struct FrameTime {
  /// From the first: as the file has it, or as the camera says. None: the file's times stand still
  /// or go back there, or it has none.
  std::optional<double> t_s;
  std::optional<double> steady_s;  ///< Of a camera whose driver says it: by the steady clock.
};

/// The time that a driver gave with a picture, where it is of the steady clock. V4L2 has drivers that
/// give the wall clock's, or nothing, and OpenCV does not pass on the flag that tells: a time of the
/// last two seconds of the steady clock is of that clock.
[[nodiscard]] std::optional<double> steady_time(double buffer_s, double now_s) noexcept;

/// From the first bytes of a file (64 are enough): "" for a container or stream of pictures that is known, or
/// what it is instead.
[[nodiscard]] std::string why_no_video(std::span<const std::uint8_t> begin);

/// Times of a file as they are said: each has to be later than those before it.
class FileTimes {
 public:
  /// Of the next picture; none for one that is not later than those before.
  [[nodiscard]] std::optional<double> take(double t_s) noexcept;

 private:
  std::optional<double> last_s_;
};

class Video {
 public:
  Video();
  ~Video();
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;

  /// A camera is asked for pictures of that size.
  [[nodiscard]] bool open(const std::string& source, int width, int height, std::string& why);

  enum class Frame { kRead, kEnd, kFailed };
  /// The next one.
  [[nodiscard]] Frame read(Image& out, FrameTime& time, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::vision
