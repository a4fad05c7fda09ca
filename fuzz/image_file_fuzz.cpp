// Any bytes as a picture's file: a picture within the limits, or a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "pintle/vision/image_file.h"

using namespace pintle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> file(data, size);
  vision::PictureSize told;
  // large ones are decoded alike, and only slower
  if (vision::picture_size(file, told) && told.width <= 8192 && told.height <= 8192 &&
      told.width * told.height > 1'000'000)
    return 0;
  Image image;
  std::string why;
  if (vision::decode_image(file, image, why)) {
    const std::int64_t pixels = std::int64_t{image.width} * image.height;
    if (image.channels != 3 || !(pixels > 0) || pixels > vision::kMostPixels ||
        image.pixels.size() != static_cast<std::size_t>(3 * pixels))
      std::abort();
  } else if (why.empty() || !image.pixels.empty()) {
    std::abort();
  }
  return 0;
}
