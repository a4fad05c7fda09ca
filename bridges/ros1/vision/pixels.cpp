#include "vision/pixels.h"

#include <cstring>

#include "pintle/base/camera_model.h"
#include "pintle/config/text.h"
#include "pintle/vision/image_file.h"

namespace pintle::ros1 {

std::string copy_pixels(const PlainPicture& p, Image& out) {
  const bool is_grey = p.encoding == "mono8", is_bgr = p.encoding == "bgr8";
  if (!is_grey && !is_bgr && p.encoding != "rgb8")
    return "pictures are " + config::in_quotes(p.encoding) + ": expected rgb8, bgr8 or mono8";
  const std::size_t channels = is_grey ? 1 : 3;
  if (p.width < 1 || p.height < 1 || p.width > kLargestPicture_px || p.height > kLargestPicture_px)
    return "a picture of " + std::to_string(p.width) + " x " + std::to_string(p.height) + " px";
  if (p.step < p.width * channels || p.size / p.height < p.step)
    return "a picture with " + std::to_string(p.size) + " bytes, " + std::to_string(p.step) +
           " a row, is cut short";
  out.resize(static_cast<int>(p.width), static_cast<int>(p.height), 3);
  std::uint8_t* to = out.pixels.data();
  for (std::size_t v = 0; v < p.height; ++v) {
    const std::uint8_t* from = p.data + v * p.step;
    if (!is_grey && !is_bgr) {
      std::memcpy(to, from, std::size_t{3} * p.width);
      to += std::size_t{3} * p.width;
      continue;
    }
    for (std::size_t u = 0; u < p.width; ++u, from += channels, to += 3) {
      to[0] = from[is_bgr ? 2 : 0];
      to[1] = from[is_bgr ? 1 : 0];
      to[2] = from[0];
    }
  }
  return "";
}

std::string jpeg_of(const PlainPicture& picture, int quality, std::vector<std::uint8_t>& out) {
  Image image;
  std::string why = copy_pixels(picture, image);
  if (why.empty() && !vision::encode_jpeg(image.view(), quality, out))
    why = "it cannot be encoded as JPEG";
  return why;
}

}  // namespace pintle::ros1
