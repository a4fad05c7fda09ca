/// Picture files into memory and back.
///
/// The size is read from the file's first bytes before anything is decoded, so that a small file
/// cannot ask for much memory: PNG, JPEG, BMP and PNM of at most 8192 px each way, 24 million px in
/// all and 64 MB on disk. Grey pictures come as red = green = blue. The orientation that a camera
/// may have noted in a JPEG is not applied: the camera model is for the sensor's own rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pintle/base/image.h"

namespace pintle::vision {

inline constexpr std::size_t kMostFileBytes = 64u << 20;
inline constexpr std::int64_t kMostPixels = 24'000'000;

struct PictureSize {
  std::int64_t width = 0, height = 0;
};

/// From the first bytes; false: not one of these formats, or cut before its size.
[[nodiscard]] bool picture_size(std::span<const std::uint8_t> file, PictureSize& out) noexcept;

/// Bytes of a file into red, green, blue. A JPEG without its end is damaged. False: `why` says why, and `out` is as it was.
[[nodiscard]] bool decode_image(std::span<const std::uint8_t> file, Image& out, std::string& why);
/// The same from a file, which must be a plain one.
[[nodiscard]] bool read_image(const std::filesystem::path& path, Image& out, std::string& why);

/// PNG, JPEG or PPM, by the ending.
[[nodiscard]] bool write_image(const std::filesystem::path& path, Image image, std::string& why);

/// The bytes of a JPEG file; `quality` 1 to 100. `out` keeps its memory when it has enough. False:
/// it could not be encoded.
[[nodiscard]] bool encode_jpeg(const ImageView& rgb, int quality, std::vector<std::uint8_t>& out);

}  // namespace pintle::vision
