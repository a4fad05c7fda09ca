#include "pintle/config/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "pintle/config/document.h"

namespace pintle::config {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest() : folder_(fs::temp_directory_path() / ("pintle-file-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~FileTest() override { fs::remove_all(folder_); }
  /// What is said of a file that is refused.
  static std::string refusal(const fs::path& file, std::size_t most = kMaxBytes) {
    try {
      (void)read_file(file, most);
    } catch (const ConfigError& e) {
      return e.problems().front().message;
    }
    return "was read";
  }
  fs::path folder_;
};

TEST_F(FileTest, GivesEveryByteOfARegularFile) {
  const std::string text = std::string("a\0b\r\n", 5) + std::string(200'000, 'x');
  std::ofstream(folder_ / "all", std::ios::binary) << text;
  EXPECT_EQ(read_file(folder_ / "all"), text);
  fs::create_symlink("all", folder_ / "link");
  EXPECT_EQ(read_file(folder_ / "link"), text);
}

TEST_F(FileTest, TheLongestIsReadAndOneByteMoreIsNot) {
  std::ofstream(folder_ / "long") << std::string(1000, 'x');
  EXPECT_EQ(read_file(folder_ / "long", 1000).size(), 1000U);
  EXPECT_EQ(refusal(folder_ / "long", 999), "the file has more than 999 bytes");
}

TEST_F(FileTest, APipeADeviceAndAFolderAreRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal(folder_ / "pipe").find("pipe or a device"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("pipe or a device"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("folder"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "none").find("No such file"), std::string::npos);
  EXPECT_THROW((void)Document::load(folder_ / "pipe"), ConfigError);
  EXPECT_THROW((void)Document::load("/dev/zero"), ConfigError);
}

}  // namespace
}  // namespace pintle::config
