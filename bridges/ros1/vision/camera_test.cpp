#include "vision/camera.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "pintle/vision/image_file.h"

namespace pintle::ros1 {
namespace {

using Settings = std::vector<std::pair<std::string, double>>;

double code(const char* s) {
  const auto byte = [&](int i) { return static_cast<double>(static_cast<unsigned char>(s[i])); };
  return byte(0) + 256 * (byte(1) + 256 * (byte(2) + 256 * byte(3)));
}

TEST(Controls, AsTheOriginalHasThemWhenNothingIsGiven) {
  EXPECT_EQ(settings_of({}), (Settings{{"pixel_format", code("YUYV")},
                                       {"framerate", 30},
                                       {"auto_white_balance", 1},
                                       {"autoexposure", 3},
                                       {"autofocus", 0}}));
}

TEST(Controls, NumbersCountWhereTheCameraFindsNoneAndMinusOneLeavesThem) {
  CameraControls c;
  c.pixel_format = "mjpeg";
  c.framerate_Hz = 15;
  c.brightness = 0;
  c.contrast = 32;
  c.saturation = 64;
  c.sharpness = 3;
  c.gain = 7;
  c.auto_white_balance = false;
  c.white_balance = 4600;
  c.autoexposure = false;
  c.exposure = 100;
  c.focus = 20;
  EXPECT_EQ(settings_of(c), (Settings{{"pixel_format", code("MJPG")},
                                      {"framerate", 15},
                                      {"brightness", 0},
                                      {"contrast", 32},
                                      {"saturation", 64},
                                      {"sharpness", 3},
                                      {"gain", 7},
                                      {"auto_white_balance", 0},
                                      {"white_balance", 4600},
                                      {"autoexposure", 1},
                                      {"exposure", 100},
                                      {"autofocus", 0},
                                      {"focus", 20}}));
  // what the camera finds by itself is not set
  c.auto_white_balance = c.autoexposure = c.autofocus = true;
  c.brightness = c.contrast = c.saturation = c.sharpness = c.gain = -1;
  EXPECT_EQ(settings_of(c), (Settings{{"pixel_format", code("MJPG")},
                                      {"framerate", 15},
                                      {"auto_white_balance", 1},
                                      {"autoexposure", 3},
                                      {"autofocus", 1}}));
}

TEST(Controls, PixelFormatsAreV4l2sLetters) {
  EXPECT_EQ(pixel_formats(),
            (std::vector<std::string>{"yuyv", "uyvy", "mjpeg", "rgb24", "grey", "yuvmono10"}));
  const std::pair<const char*, const char*> all[] = {{"yuyv", "YUYV"},  {"uyvy", "UYVY"},
                                                     {"mjpeg", "MJPG"}, {"rgb24", "RGB3"},
                                                     {"grey", "GREY"},  {"yuvmono10", "Y10 "}};
  for (const auto& [name, letters] : all) {
    CameraControls c;
    c.pixel_format = name;
    EXPECT_EQ(settings_of(c).front().second, code(letters)) << name;
  }
}

TEST(Jpeg, IsThePictureWithItsColoursInPlace) {
  // left half red, right half blue, with a gap after each row
  constexpr std::uint32_t kWidth = 32, kHeight = 16;
  constexpr std::size_t kStep = 3 * kWidth + 5;
  const auto bytes_of = [&](bool is_bgr) {
    std::vector<std::uint8_t> bytes(kStep * kHeight, 0);
    for (std::size_t v = 0; v < kHeight; ++v)
      for (std::size_t u = 0; u < kWidth; ++u)
        bytes[v * kStep + 3 * u + ((u < kWidth / 2) != is_bgr ? 0 : 2)] = 200;
    return bytes;
  };
  for (const char* encoding : {"rgb8", "bgr8"}) {
    const auto bytes = bytes_of(encoding[0] == 'b');
    std::vector<std::uint8_t> jpeg;
    ASSERT_EQ(jpeg_of({kWidth, kHeight, kStep, encoding, bytes.data(), bytes.size()}, 95, jpeg),
              "");
    Image image;
    std::string why;
    ASSERT_TRUE(vision::decode_image(jpeg, image, why)) << why;
    ASSERT_EQ(image.width, static_cast<int>(kWidth));
    ASSERT_EQ(image.height, static_cast<int>(kHeight));
    const auto at = [&](std::size_t u, std::size_t channel) {
      return int{image.pixels[(8 * kWidth + u) * 3 + channel]};
    };
    EXPECT_NEAR(at(3, 0), 200, 8) << encoding;
    EXPECT_NEAR(at(3, 2), 0, 8) << encoding;
    EXPECT_NEAR(at(28, 0), 0, 8) << encoding;
    EXPECT_NEAR(at(28, 2), 200, 8) << encoding;
  }
}

TEST(Jpeg, IsSmallerWhereItMayBeWorseAndSaysWhatItCannot) {
  std::vector<std::uint8_t> bytes(3 * 64 * 64);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i / 7);
  const PlainPicture picture{64, 64, 3 * 64, "rgb8", bytes.data(), bytes.size()};
  std::vector<std::uint8_t> good, bad;
  ASSERT_EQ(jpeg_of(picture, 95, good), "");
  ASSERT_EQ(jpeg_of(picture, 20, bad), "");
  EXPECT_LT(bad.size(), good.size());
  PlainPicture odd = picture;
  odd.encoding = "yuv422";
  EXPECT_NE(jpeg_of(odd, 80, good).find("yuv422"), std::string::npos);
  odd = picture;
  odd.size -= 1;
  EXPECT_NE(jpeg_of(odd, 80, good).find("cut short"), std::string::npos);
}

}  // namespace
}  // namespace pintle::ros1
