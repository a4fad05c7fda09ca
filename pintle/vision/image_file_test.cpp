#include "pintle/vision/image_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>

#include "pintle/base/random.h"

namespace pintle::vision {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

struct ImageFile : ::testing::Test {
  ImageFile() {
    folder = fs::path(::testing::TempDir()) /
             (std::string("image_file_") +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
    image.resize(40, 30, 3);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      image.pixels[i] = static_cast<std::uint8_t>(i * 7);
  }
  ~ImageFile() override { fs::remove_all(folder); }

  Bytes written(const std::string& name) {
    std::string why;
    EXPECT_TRUE(write_image(folder / name, image, why)) << why;
    std::ifstream in(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder;
  Image image;
};

TEST_F(ImageFile, WhatWasWrittenIsReadInTheOrderRedGreenBlue) {
  for (const char* name : {"a.png", "a.ppm", "a.bmp"}) {
    (void)written(name);
    Image back;
    std::string why;
    ASSERT_TRUE(read_image(folder / name, back, why)) << name << why;
    EXPECT_EQ(back.pixels, image.pixels) << name;
  }
  // P6 has red first
  const Bytes ppm = written("b.ppm");
  EXPECT_EQ(ppm[ppm.size() - image.pixels.size()], image.pixels[0]);
}

// each has a size, and nothing that could be decoded
TEST_F(ImageFile, ADamagedPictureIsNoBlackOne) {
  const auto changed = [this](const char* name, std::size_t at, std::uint8_t to) {
    Bytes file = written(name);
    file[at] = to;
    return file;
  };
  Bytes no_data = written("a.png");
  no_data.erase(no_data.begin() + 33, no_data.end() - 12);
  const std::string text = "P6\n4 4\n70000\n" + std::string(96, 'x');
  const std::vector<Bytes> damaged{changed("a.png", 29, 0), changed("a.png", 24, 7), no_data,
                                   changed("a.bmp", 28, 13), Bytes(text.begin(), text.end())};
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    PictureSize size;
    EXPECT_TRUE(picture_size(damaged[i], size)) << i;
    Image read;
    std::string why;
    EXPECT_FALSE(decode_image(damaged[i], read, why)) << i;
    EXPECT_EQ(why, "the picture is damaged or cut short") << i;
    EXPECT_TRUE(read.pixels.empty()) << i;
  }
}

TEST_F(ImageFile, TheSizeIsKnownBeforeAnythingIsDecoded) {
  for (const char* name : {"a.png", "a.jpg", "a.ppm", "a.bmp"}) {
    PictureSize size;
    ASSERT_TRUE(picture_size(written(name), size)) << name;
    EXPECT_EQ(size.width, 40) << name;
    EXPECT_EQ(size.height, 30) << name;
  }
}

TEST_F(ImageFile, ASmallFileCannotAskForMuchMemory) {
  Image out;
  std::string why;
  Bytes png = written("a.png");
  png[16] = 0x7f;  // two thousand million columns
  EXPECT_FALSE(decode_image(png, out, why));
  EXPECT_NE(why.find("at most 8192"), std::string::npos) << why;
  const std::string ppm = "P6\n8192 8192\n255\n";
  EXPECT_FALSE(decode_image(Bytes(ppm.begin(), ppm.end()), out, why));
  EXPECT_NE(why.find("24 million"), std::string::npos) << why;
  EXPECT_EQ(out.width, 0);
}

TEST_F(ImageFile, FilesThatAreNoneOrAreCutGiveOneReason) {
  Image out;
  std::string why;
  EXPECT_FALSE(read_image(folder / "none.png", out, why));
  EXPECT_EQ(why, "there is no such file");
  EXPECT_FALSE(read_image(folder, out, why));
  EXPECT_EQ(why, "this is a folder");
  EXPECT_FALSE(read_image("/dev/null", out, why));
  EXPECT_EQ(why, "this is no plain file");
  for (const char* name : {"a.png", "a.jpg", "a.ppm", "a.bmp"}) {
    const Bytes whole = written(name);
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{25}, whole.size() / 4}) {
      why.clear();
      if (!decode_image(std::span(whole).first(n), out, why)) {
        EXPECT_FALSE(why.empty());
      }
    }
  }
}

TEST_F(ImageFile, OnlyTheFormatsThatAreNamedReachADecoder) {
  // the digit of a PNM runs on, what follows is a size: OpenCV would ask its decoders of medical and
  // geographic formats, and one of those ends the program
  for (const std::string head : {"P2232\r5", "P3#\n4 4", "P55 5\n255"}) {
    std::string file = head;
    file.resize(132, '\xff');
    file[head.size()] = '\0';
    file.replace(128, 4, "DICM");
    PictureSize size;
    EXPECT_FALSE(picture_size(Bytes(file.begin(), file.end()), size)) << head;
  }
}

TEST_F(ImageFile, APictureThatIsCutShortIsNeverSearched) {
  cv::Mat pixels(300, 400, CV_8UC3);
  cv::randu(pixels, 0, 255);
  Bytes plain, progressive;
  ASSERT_TRUE(cv::imencode(".jpg", pixels, plain));
  ASSERT_TRUE(cv::imencode(".jpg", pixels, progressive,
                           {cv::IMWRITE_JPEG_PROGRESSIVE, 1, cv::IMWRITE_JPEG_RST_INTERVAL, 4}));
  // a thumbnail before the picture has a scan and an end of its own
  Bytes noted = plain;
  const std::uint8_t thumbnail[] = {0xff, 0xe1, 0, 10, 0xff, 0xd8, 0xff, 0xda, 1, 2, 0xff, 0xd9};
  noted.insert(noted.begin() + 2, std::begin(thumbnail), std::end(thumbnail));
  Image out;
  for (const Bytes& whole : {plain, progressive, noted}) {
    std::string why;
    EXPECT_TRUE(decode_image(whole, out, why)) << why;
    for (std::size_t n = whole.size() - 1; n > whole.size() / 50; n -= 1 + n / 20) {
      why.clear();
      EXPECT_FALSE(decode_image(std::span(whole).first(n), out, why)) << n;
      EXPECT_FALSE(why.empty());
    }
    // what stands behind the end is none of the picture's business
    Bytes more = whole;
    more.insert(more.end(), {0, 0xff, 0xda, 0, 8, 1, 2, 3});
    EXPECT_TRUE(decode_image(more, out, why)) << why;
  }
  for (const char* name : {"a.png", "a.ppm", "a.bmp"}) {
    const Bytes whole = written(name);
    std::string why;
    EXPECT_FALSE(decode_image(std::span(whole).first(whole.size() / 2), out, why)) << name;
  }
}

TEST_F(ImageFile, SpoiltFilesAreRefusedOrGiveAPictureOfTheSizeTheySay) {
  RandomStream random(5, "spoil");
  for (const char* name : {"a.png", "a.jpg", "a.ppm", "a.bmp"}) {
    const Bytes whole = written(name);
    for (int i = 0; i < 300; ++i) {
      Bytes spoilt = whole;
      for (int k = 0; k < 1 + i % 4; ++k)
        spoilt[static_cast<std::size_t>(random.uniform() * static_cast<double>(spoilt.size()))] =
            static_cast<std::uint8_t>(random.bits());
      Image out;
      std::string why;
      PictureSize size;
      if (!decode_image(spoilt, out, why)) {
        EXPECT_FALSE(why.empty());
      } else {
        ASSERT_TRUE(picture_size(spoilt, size));
        EXPECT_EQ(out.width, size.width);
        EXPECT_EQ(out.height, size.height);
      }
    }
  }
}

}  // namespace
}  // namespace pintle::vision
