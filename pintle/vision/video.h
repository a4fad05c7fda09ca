/// Pictures one after the other: from a video file, or from a camera at /dev/videoN (V4L2).
///
/// Frames come as red, green, blue and are of one size, at most 8192 px each way. Nothing is
/// thrown; what cannot be opened or read says why.
#pragma once
#include <memory>
#include <string>

#include "pintle/base/image.h"

namespace pintle::vision {

class Video {
 public:
  Video();
  ~Video();
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;

  /// A camera is asked for pictures of that size.
  [[nodiscard]] bool open(const std::string& source, int width, int height, std::string& why);

  enum class Frame { kRead, kEnd, kFailed };
  /// The next one, with its time from the first: as the file has it, or as it came.
  [[nodiscard]] Frame read(Image& out, double& t_s, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::vision
