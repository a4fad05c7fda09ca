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
#include <string_view>
#include <utility>
#include <vector>

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

/// What a camera is told, in this order: a name and V4L2's own number. Of a pixel_format it is the
/// four letters as code.
using CameraSettings = std::vector<std::pair<std::string, double>>;

/// Of four letters, as V4L2 packs them.
[[nodiscard]] constexpr double four_letters(std::string_view s) noexcept {
  std::uint32_t code = 0;
  for (std::size_t i = 4; i-- > 0;) code = code << 8 | static_cast<unsigned char>(s[i]);
  return code;
}

/// The number of a setting's name among OpenCV's properties; -1: there is no such setting.
[[nodiscard]] int camera_property(std::string_view name) noexcept;

class Video {
 public:
  Video();
  ~Video();
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;

  /// A camera is asked for pictures of that size, and told the settings; a file is not.
  [[nodiscard]] bool open(const std::string& source, int width, int height, std::string& why,
                          const CameraSettings& settings = {});
  /// Settings that the camera has not taken at the last open: it runs without them.
  [[nodiscard]] const CameraSettings& refused() const;

  enum class Frame { kRead, kEnd, kFailed };
  /// The next one. A file without any has failed, and is not at its end.
  [[nodiscard]] Frame read(Image& out, FrameTime& time, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::vision
