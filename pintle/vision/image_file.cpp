#include "pintle/vision/image_file.h"

#include <cstring>
#include <exception>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <system_error>
#include <vector>

#include "pintle/base/camera_model.h"

namespace pintle::vision {
namespace {

using Bytes = std::span<const std::uint8_t>;

std::int64_t big(Bytes f, std::size_t at, int n) {
  std::int64_t x = 0;
  for (int i = 0; i < n; ++i) x = x << 8 | f[at + static_cast<std::size_t>(i)];
  return x;
}
std::int64_t little32(Bytes f, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 4; i-- > 0;) x = x << 8 | f[at + i];
  return static_cast<std::int32_t>(x);
}

bool jpeg_size(Bytes f, PictureSize& out) {
  std::size_t at = 2;
  while (at + 9 <= f.size()) {
    if (f[at] != 0xff) return false;
    const int marker = f[at + 1];
    if (marker == 0xff) {  // filling
      ++at;
      continue;
    }
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    // start of frame, but not tables of Huffman codes, arithmetic codes or their reserve
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      out = {big(f, at + 7, 2), big(f, at + 5, 2)};
      return true;
    }
    const std::int64_t length = big(f, at + 2, 2);
    if (length < 2) return false;
    at += 2 + static_cast<std::size_t>(length);
  }
  return false;
}

/// Whether the end marker stands behind the last scan: the decoder fills up with grey what is missing.
/// A thumbnail in a segment has an end of its own; what comes behind the end does not count.
bool is_whole_jpeg(Bytes f) {
  for (std::size_t at = 2; at + 1 < f.size();) {
    const int marker = f[at] == 0xff ? f[at + 1] : 0;
    if (marker == 0xd9) return true;
    // the pixels of a scan with their restarts, filling, and markers without a length
    if (marker <= 0x01 || marker == 0xff || (marker >= 0xd0 && marker <= 0xd8)) {
      ++at;
      continue;
    }
    if (at + 4 > f.size()) return false;
    at += 2 + static_cast<std::size_t>(big(f, at + 2, 2));
  }
  return false;
}

/// Whether a PNM's digit stands alone: without, OpenCV hands it to decoders of other formats, of which
/// one ends the program.
bool is_pnm(Bytes f) {
  return f[0] == 'P' && f[1] >= '1' && f[1] <= '6' &&
         (f[2] == ' ' || f[2] == '\t' || f[2] == '\r' || f[2] == '\n');
}

bool pnm_size(Bytes f, PictureSize& out) {
  std::size_t at = 2;
  std::int64_t number[2] = {0, 0};
  for (std::int64_t& x : number) {
    for (;;) {
      if (at >= f.size()) return false;
      if (f[at] == '#') {
        while (at < f.size() && f[at] != '\n') ++at;
      } else if (f[at] == ' ' || f[at] == '\t' || f[at] == '\r' || f[at] == '\n') {
        ++at;
      } else {
        break;
      }
    }
    if (f[at] < '0' || f[at] > '9') return false;
    for (; at < f.size() && f[at] >= '0' && f[at] <= '9'; ++at)
      x = x > 1'000'000'000 ? x : 10 * x + (f[at] - '0');
  }
  out = {number[0], number[1]};
  return at < f.size();
}

constexpr const char* kDamaged = "the picture is damaged or cut short";

/// Red, green, blue as the library has them, or back.
void exchange_red_and_blue(Image& image) {
  for (std::size_t k = 0; k + 2 < image.pixels.size(); k += 3)
    std::swap(image.pixels[k], image.pixels[k + 2]);
}

bool fail(std::string& why, std::string text) {
  why = std::move(text);
  return false;
}

}  // namespace

bool picture_size(Bytes f, PictureSize& out) noexcept {
  constexpr std::uint8_t kPng[] = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};
  if (f.size() < 26) return f.size() > 7 && is_pnm(f) && pnm_size(f, out);
  if (std::memcmp(f.data(), kPng, sizeof kPng) == 0) {
    out = {big(f, 16, 4), big(f, 20, 4)};
    return true;
  }
  if (f[0] == 0xff && f[1] == 0xd8) return jpeg_size(f, out);
  if (f[0] == 'B' && f[1] == 'M') {
    out = {little32(f, 18), little32(f, 22)};
    if (out.height < 0) out.height = -out.height;  // rows from the top
    return true;
  }
  return is_pnm(f) && pnm_size(f, out);
}

bool decode_image(Bytes file, Image& out, std::string& why) {
  if (file.size() > kMostFileBytes) return fail(why, "larger than 64 MB");
  PictureSize size;
  if (!picture_size(file, size)) return fail(why, "not a whole PNG, JPEG, BMP or PNM picture");
  if (size.width < 1 || size.height < 1 || size.width > kLargestPicture_px ||
      size.height > kLargestPicture_px || size.width * size.height > kMostPixels)
    return fail(why, "it says that it is " + std::to_string(size.width) + " x " +
                         std::to_string(size.height) +
                         " px; at most 8192 each way, 24 million in all");
  if (file[0] == 0xff && !is_whole_jpeg(file)) return fail(why, kDamaged);
  try {
    const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8UC1,
                        const_cast<std::uint8_t*>(file.data()));
    // into a place of its own: what cannot be decoded leaves that empty, and ours as it was
    const cv::Mat image = cv::imdecode(bytes, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION);
    if (image.empty() || image.type() != CV_8UC3 || image.cols != size.width ||
        image.rows != size.height || !image.isContinuous())
      return fail(why, kDamaged);
    out.resize(image.cols, image.rows, 3);
    std::copy_n(image.data, out.pixels.size(), out.pixels.data());
    exchange_red_and_blue(out);
  } catch (const cv::Exception&) {
    return fail(why, kDamaged);
  }
  return true;
}

bool read_image(const std::filesystem::path& path, Image& out, std::string& why) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) return fail(why, "there is no such file");
  if (kind == std::filesystem::file_type::directory) return fail(why, "this is a folder");
  if (kind != std::filesystem::file_type::regular) return fail(why, "this is no plain file");
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > kMostFileBytes) return fail(why, "larger than 64 MB");
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) return fail(why, "it cannot be read");
  return decode_image(bytes, out, why);
}

namespace {

/// A copy in the library's order of channels.
cv::Mat as_mat(const ImageView& image) {
  cv::Mat m(image.height, image.width, image.channels == 3 ? CV_8UC3 : CV_8UC1);
  for (int v = 0; v < image.height; ++v) {
    const std::uint8_t* from = image.row(v);
    std::uint8_t* to = m.ptr(v);
    for (std::size_t u = 0; u < static_cast<std::size_t>(image.width); ++u)
      for (std::size_t c = 0, n = static_cast<std::size_t>(image.channels); c < n; ++c)
        to[n * u + c] = from[n * u + n - 1 - c];
  }
  return m;
}

}  // namespace

bool encode_jpeg(const ImageView& rgb, int quality, std::vector<std::uint8_t>& out) {
  try {
    return cv::imencode(".jpg", as_mat(rgb), out, {cv::IMWRITE_JPEG_QUALITY, quality});
  } catch (const std::exception&) {
    return false;
  }
}

bool write_image(const std::filesystem::path& path, Image image, std::string& why) {
  if (image.channels == 3) exchange_red_and_blue(image);
  const cv::Mat mat(image.height, image.width, image.channels == 3 ? CV_8UC3 : CV_8UC1,
                    image.pixels.data());
  try {
    if (cv::imwrite(path.string(), mat)) return true;
    why = "it cannot be written";
  } catch (const cv::Exception&) {
    why = "it cannot be written; end its name in .png, .jpg or .ppm";
  }
  return false;
}

}  // namespace pintle::vision
