#include "pintle/config/save.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>

#include "pintle/config/document.h"
#include "pintle/testing/thorough.h"

namespace pintle::config {
namespace {

namespace fs = std::filesystem;

class SaveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::path(::testing::TempDir()) / "pintle_save_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "craft.yaml";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& file, std::string_view text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  [[nodiscard]] fs::path generation(int n) const {
    return file_.string() + "." + std::to_string(n);
  }
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_, file_;
};

TEST_F(SaveTest, WritesANewFile) {
  const SaveResult result = save_atomically(file_, "a: 1\n");
  EXPECT_TRUE(result.saved) << result.reason;
  EXPECT_EQ(read(file_), "a: 1\n");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(SaveTest, KeepsTheLastGenerations) {
  for (const char* text : {"1", "2", "3", "4", "5"})
    EXPECT_TRUE(save_atomically(file_, text).saved);
  EXPECT_EQ(read(file_), "5");
  EXPECT_EQ(read(generation(1)), "4");
  EXPECT_EQ(read(generation(2)), "3");
  EXPECT_EQ(read(generation(3)), "2");
  EXPECT_FALSE(fs::exists(generation(4)));
  EXPECT_EQ(files_in_folder(), 4U);
}

TEST_F(SaveTest, KeepsAsManyGenerationsAsAsked) {
  for (const char* text : {"1", "2", "3"})
    EXPECT_TRUE(save_atomically(file_, text, {.generations = 1, .sync = false}).saved);
  EXPECT_EQ(read(generation(1)), "2");
  EXPECT_EQ(files_in_folder(), 2U);
  EXPECT_TRUE(save_atomically(file_, "4", {.generations = 0, .sync = false}).saved);
  EXPECT_EQ(read(generation(1)), "2");
}

TEST_F(SaveTest, FillsAGapInTheGenerationsBeforeItDropsOne) {
  write(file_, "new");
  write(generation(2), "two");
  write(generation(3), "three");
  EXPECT_TRUE(save_atomically(file_, "newer", {.sync = false}).saved);
  EXPECT_EQ(read(generation(1)), "new");
  EXPECT_EQ(read(generation(2)), "two");
  EXPECT_EQ(read(generation(3)), "three");
}

TEST_F(SaveTest, SpendsNoGenerationOnTheSameText) {
  write(file_, "a: 1\n");
  EXPECT_TRUE(save_atomically(file_, "a: 1\n").saved);
  EXPECT_FALSE(fs::exists(generation(1)));
  EXPECT_TRUE(save_atomically(file_, "a: 1").saved);
  EXPECT_EQ(read(file_), "a: 1");
  EXPECT_EQ(read(generation(1)), "a: 1\n");
}

TEST_F(SaveTest, KeepsTheModeAndTheOlderFilesOwn) {
  write(file_, "1");
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_TRUE(save_atomically(file_, "2").saved);
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  ASSERT_EQ(::stat(generation(1).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(SaveTest, SavesWhatALinkPointsTo) {
  fs::create_directory(folder_ / "real");
  const fs::path target = folder_ / "real" / "target.yaml";
  write(target, "1");
  fs::create_symlink("real/target.yaml", file_);
  ASSERT_TRUE(save_atomically(file_, "2").saved);
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(read(target), "2");
  EXPECT_EQ(read(target.string() + ".1"), "1");

  const fs::path circle = folder_ / "circle";
  fs::create_symlink("circle", circle);
  EXPECT_NE(save_atomically(circle, "x").reason.find("circle"), std::string::npos);
}

TEST_F(SaveTest, SaysWhyItCouldNotSaveAndLeavesNothingBehind) {
  write(file_, "old");
  const SaveResult missing = save_atomically(folder_ / "no" / "such.yaml", "x");
  EXPECT_FALSE(missing.saved);
  EXPECT_NE(missing.reason.find("such.yaml: No such file or directory"), std::string::npos)
      << missing.reason;

  const SaveResult inside = save_atomically(file_ / "x.yaml", "x");
  EXPECT_FALSE(inside.saved);
  EXPECT_NE(inside.reason.find("Not a directory"), std::string::npos) << inside.reason;

  const SaveResult folder = save_atomically(folder_, "x");
  EXPECT_NE(folder.reason.find("not a plain file"), std::string::npos) << folder.reason;
  EXPECT_FALSE(save_atomically("", "x").saved);
  EXPECT_FALSE(save_atomically("/dev/full", "x").saved);
  EXPECT_FALSE(save_atomically(folder_ / std::string(300, 'n'), "x").saved);
  EXPECT_EQ(read(file_), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

// runs in a child of its own and returns its exit code
template <class F>
int in_child(F body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(SaveTest, AFullDiskLeavesTheOldFileAndNoOther) {
  write(file_, "old");
  write(generation(1), "older");
  const int code = in_child([&] {
    // writing beyond this size fails as on a full disk
    const rlimit limit{1000, 1000};
    if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR || ::setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 2;
    const SaveResult result = save_atomically(file_, std::string(100'000, 'x'));
    return !result.saved && result.reason.find("cannot write") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(read(file_), "old");
  EXPECT_EQ(read(generation(1)), "older");
  EXPECT_EQ(files_in_folder(), 2U);
}

TEST_F(SaveTest, NeedsTheFolderToBeWritable) {
  write(file_, "old");
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const int code = in_child([&] {
    // root may write anywhere: be somebody else
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::seteuid(kNobody) != 0) return 2;
    const SaveResult result = save_atomically(file_, "new");
    return !result.saved && result.reason.find("Permission denied") != std::string::npos ? 0 : 1;
  });
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(read(file_), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(SaveTest, UsesUpWhatACrashLeftBehind) {
  write(file_, "old");
  write(folder_ / ".craft.yaml.saving", "half of somethi");
  EXPECT_TRUE(save_atomically(file_, "new").saved);
  EXPECT_EQ(read(file_), "new");
  EXPECT_EQ(files_in_folder(), 2U);
}

// every number of the file says the same, so that a mixture of two saves shows
constexpr std::size_t kKeys = 60;

std::string text_of(int value) {
  std::ostringstream out;
  for (std::size_t i = 0; i < kKeys; ++i) out << "key_" << i << ": " << value << "  # comment\n";
  return out.str();
}

int value_in(const Document& document) {
  EXPECT_EQ(document.root().entries.size(), kKeys);
  const std::string first = document.root().entries.at(0).value.scalar;
  for (const Node::Entry& entry : document.root().entries) EXPECT_EQ(entry.value.scalar, first);
  return std::stoi(first);
}

// a child saves 1, 2, 3 … and is killed at a random moment after its fifth save, again and again
void kill_while_saving(const fs::path& file, bool sync, int kills) {
  constexpr int kSaves = 5;
  std::minstd_rand random(5);
  int value = 0;
  ASSERT_TRUE(save_atomically(file, text_of(0), {.sync = false}).saved);
  for (int i = 0; i < kills; ++i) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0)
      for (int next = value + 1;; ++next) {
        if (!save_atomically(file, text_of(next), {.sync = sync}).saved) ::_exit(1);
        if (next == value + kSaves && ::write(pipe[1], "x", 1) != 1) ::_exit(2);
      }
    ::close(pipe[1]);
    char progress = 0;
    EXPECT_EQ(::read(pipe[0], &progress, 1), 1);
    ::close(pipe[0]);
    // somewhere in the next few saves
    const timespec pause{0, static_cast<long>(random() % 500'000)};
    ::nanosleep(&pause, nullptr);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a save failed";

    // whatever the moment was: the file is there, whole, and not older than before
    const Document document = Document::load(file);
    const int now = value_in(document);
    ASSERT_GE(now, value + kSaves);
    value = now;
    for (int n = 1; n <= 3; ++n) {
      const fs::path older = file.string() + "." + std::to_string(n);
      if (fs::exists(older)) {
        ASSERT_LE(value_in(Document::load(older)), now);
      }
    }
  }
}

TEST_F(SaveTest, AKillAtAnyMomentLeavesTheOldOrTheNewFile) {
  kill_while_saving(file_, /*sync=*/false, testing::few(200));
  EXPECT_LE(files_in_folder(), 5U);
}

TEST_F(SaveTest, AKillAtAnyMomentLeavesTheOldOrTheNewFileOnTheDiskToo) {
  kill_while_saving(file_, /*sync=*/true, 20);
  EXPECT_LE(files_in_folder(), 5U);
}

TEST_F(SaveTest, TwoProgramsThatSaveTheSameFileNeverMixTheirTexts) {
  const auto saver = [&](int first) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 100; ++i)
        if (!save_atomically(file_, text_of(first + i), {.sync = false}).saved) ::_exit(1);
      ::_exit(0);
    }
    return child;
  };
  const pid_t children[] = {saver(1000), saver(2000)};
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const int last = value_in(Document::load(file_));
  EXPECT_TRUE(last == 1099 || last == 2099) << last;
}

}  // namespace
}  // namespace pintle::config
