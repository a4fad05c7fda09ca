/// Pictures and calibrations in plain values: the border of the nodes vision and usb_cam. Clean
/// C++17; see common/plain.h.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pintle::ros1 {

/// Somebody else's pixels, as sensor_msgs/Image has them.
struct PlainPicture {
  std::uint32_t width = 0, height = 0;
  std::size_t step = 0;  ///< Bytes from row to row.
  std::string encoding;  ///< rgb8, bgr8 or mono8.
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

/// As the bytes of a JPEG file in colour; `quality` 1 to 100. Answers "", or why not.
[[nodiscard]] std::string jpeg_of(const PlainPicture& picture, int quality,
                                  std::vector<std::uint8_t>& out);

/// Red, green, blue, rows without gaps.
struct PlainImage {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// As sensor_msgs/CameraInfo.
struct PlainCameraInfo {
  std::uint32_t width = 0, height = 0;
  std::string distortion_model = "plumb_bob";
  std::vector<double> D;
  std::array<double, 9> K{};
  std::array<double, 9> R{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 12> P{};
};

}  // namespace pintle::ros1
