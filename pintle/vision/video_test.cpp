#include "pintle/vision/video.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <opencv2/videoio.hpp>

namespace pintle::vision {
namespace {

namespace fs = std::filesystem;

TEST(SteadyTime, IsTheDriversWhereItIsOfThatClock) {
  const double now = 5000;
  EXPECT_EQ(steady_time(4999.96, now), 4999.96);
  EXPECT_EQ(steady_time(now, now), now);
  // the wall clock's, none, of another start of the machine, yet to come, no number
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double other : {1.7e9, 0.0, -1.0, 4990.0, 5000.1, 9000.0, nan})
    EXPECT_EQ(steady_time(other, now), std::nullopt) << other;
  // a driver without times, soon after the start
  EXPECT_EQ(steady_time(0, 1), std::nullopt);
}

TEST(FileTimes, EachIsLaterThanThoseBeforeItOrNone) {
  FileTimes times;
  EXPECT_EQ(times.take(0), 0);
  EXPECT_EQ(times.take(0.04), 0.04);
  for (const double bad : {0.04, 0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    EXPECT_EQ(times.take(bad), std::nullopt) << bad;
  EXPECT_EQ(times.take(0.08), 0.08);
}

TEST(CameraSettings, AreOpenCvsPropertiesOfV4l2) {
  const std::pair<const char*, int> all[] = {{"pixel_format", cv::CAP_PROP_FOURCC},
                                             {"framerate", cv::CAP_PROP_FPS},
                                             {"brightness", cv::CAP_PROP_BRIGHTNESS},
                                             {"contrast", cv::CAP_PROP_CONTRAST},
                                             {"saturation", cv::CAP_PROP_SATURATION},
                                             {"sharpness", cv::CAP_PROP_SHARPNESS},
                                             {"gain", cv::CAP_PROP_GAIN},
                                             {"auto_white_balance", cv::CAP_PROP_AUTO_WB},
                                             {"white_balance", cv::CAP_PROP_WB_TEMPERATURE},
                                             {"autoexposure", cv::CAP_PROP_AUTO_EXPOSURE},
                                             {"exposure", cv::CAP_PROP_EXPOSURE},
                                             {"autofocus", cv::CAP_PROP_AUTOFOCUS},
                                             {"focus", cv::CAP_PROP_FOCUS}};
  for (const auto& [name, number] : all) EXPECT_EQ(camera_property(name), number) << name;
  EXPECT_EQ(camera_property("zoom"), -1);
  EXPECT_EQ(four_letters("YUYV"), cv::VideoWriter::fourcc('Y', 'U', 'Y', 'V'));
  EXPECT_EQ(four_letters("Y10 "), cv::VideoWriter::fourcc('Y', '1', '0', ' '));
}

TEST(CameraSettings, AreNothingToAFile) {
  const fs::path file = fs::temp_directory_path() / "pintle_settings.avi";
  {
    cv::VideoWriter out(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10, {64, 48});
    out.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0)));
  }
  Video video;
  std::string why;
  ASSERT_TRUE(video.open(file.string(), 64, 48, why, {{"pixel_format", 1}, {"zoom", 2}})) << why;
  EXPECT_TRUE(video.refused().empty());
  fs::remove(file);
}

/// Thirty pictures at 10 Hz.
fs::path small_video(const char* name) {
  const fs::path file = fs::temp_directory_path() / name;
  cv::VideoWriter out(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10, {64, 48});
  EXPECT_TRUE(out.isOpened());
  for (int i = 0; i < 30; ++i) out.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(8 * i, 0, 0)));
  return file;
}

TEST(Video, TimesAreTheFilesOwnFromTheFirstPicture) {
  const fs::path file = small_video("pintle_times.avi");
  Video video;
  std::string why;
  ASSERT_TRUE(video.open(file.string(), 64, 48, why)) << why;
  Image image;
  FrameTime time;
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(video.read(image, time, why), Video::Frame::kRead) << i << why;
    ASSERT_TRUE(time.t_s) << i;
    EXPECT_NEAR(*time.t_s, 0.1 * i, 1e-6) << i;
    EXPECT_FALSE(time.steady_s);
    // blue grows from picture to picture
    EXPECT_NEAR(image.pixels[2], 8 * i, 8) << i;
  }
  EXPECT_EQ(video.read(image, time, why), Video::Frame::kEnd);
  fs::remove(file);
}

TEST(Video, OneWithoutAPictureThatCanBeDecodedSaysSo) {
  const fs::path file = small_video("pintle_empty.avi");
  Image image;
  FrameTime time;
  for (const std::uintmax_t bytes : {600u, 5'000u}) {
    // the head alone, and a head behind which no picture is one
    std::string text(bytes, '\0');
    std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(bytes));
    for (std::size_t i = text.find("movi"); i < text.size(); ++i) text[i] = 0;
    const fs::path spoilt = fs::temp_directory_path() / "pintle_spoilt.avi";
    std::ofstream(spoilt, std::ios::binary) << text;
    Video video;
    std::string why;
    const bool opened = video.open(spoilt.string(), 64, 48, why);
    if (opened) {
      EXPECT_EQ(video.read(image, time, why), Video::Frame::kFailed) << bytes;
    }
    EXPECT_NE(why.find("can be decoded"), std::string::npos) << why;
    fs::remove(spoilt);
  }
  fs::remove(file);
  // a stream that says nothing of its size
  const fs::path stream = fs::temp_directory_path() / "pintle_empty.mjpeg";
  std::ofstream(stream, std::ios::binary) << "\xff\xd8\xff\xd9" << std::string(5000, '\0');
  Video video;
  std::string why;
  if (video.open(stream.string(), 64, 48, why)) {
    EXPECT_EQ(video.read(image, time, why), Video::Frame::kFailed);
  }
  EXPECT_NE(why.find("can be decoded"), std::string::npos) << why;
  fs::remove(stream);
}

TEST(Video, ListsOfOtherFilesAndWhatIsNoVideoAreRefused) {
  const fs::path video = small_video("pintle_listed.avi");
  const fs::path file = fs::temp_directory_path() / "pintle_list";
  const auto why_of = [&](const std::string& text) {
    std::ofstream(file) << text;
    std::string why;
    Video v;
    EXPECT_FALSE(v.open(file.string(), 64, 48, why)) << text;
    return why;
  };
  for (const std::string list : {"ffconcat version 1.0\nfile pintle_listed.avi\n",
                                 "#EXTM3U\npintle_listed.avi\n", "\xef\xbb\xbf#EXTM3U\n"})
    EXPECT_NE(why_of(list).find("a list of other files"), std::string::npos) << list;
  for (const std::string& text :
       {std::string("hello"), std::string(), std::string("http://host/a.avi"),
        std::string(600, '\0'), std::string("RIFF")})
    EXPECT_NE(why_of(text).find("not a video"), std::string::npos) << text;
  std::string why;
  Video v;
  EXPECT_FALSE(v.open("http://127.0.0.1:1/a.avi", 64, 48, why));
  EXPECT_NE(why.find("addresses are not read"), std::string::npos) << why;
  for (const char* absent : {"concat:pintle_list", "pipe:0", "/dev/video_none", ""}) {
    EXPECT_FALSE(v.open(absent, 64, 48, why));
    EXPECT_NE(why.find("no such file: expected a video file or a camera"), std::string::npos)
        << why;
  }
  EXPECT_FALSE(v.open(fs::temp_directory_path().string(), 64, 48, why));
  EXPECT_NE(why.find("this is a folder"), std::string::npos) << why;
  // a folder of that name makes it a file, and an address it is not
  const fs::path before = fs::current_path(), odd = fs::temp_directory_path() / "pintle_odd";
  fs::create_directories(odd / "http:");
  fs::copy_file(video, odd / "http:" / "a.avi", fs::copy_options::overwrite_existing);
  fs::current_path(odd);
  EXPECT_TRUE(v.open("http://a.avi", 64, 48, why)) << why;
  fs::current_path(before);
  fs::remove_all(odd);
  fs::remove(file);
  fs::remove(video);
}

}  // namespace
}  // namespace pintle::vision
