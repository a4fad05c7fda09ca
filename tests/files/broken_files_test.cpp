// tests/broken holds one file for each mistake that people make. Its first lines say what must be
// answered:  # expect LINE:COLUMN text of the message or the fix

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pintle/config/reader.h"
#include "pintle/craft/check_file.h"
#include "pintle/craft/load.h"
#include "pintle/testing/thorough.h"

namespace pintle::craft {
namespace {

namespace fs = std::filesystem;
using config::Problem;

const fs::path kSource = PINTLE_SOURCE_DIR;
const fs::path kBroken = kSource / "tests/broken";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".yaml")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Expectation {
  std::string file;  ///< Name alone.
  int line = 0, column = 0;
  std::string text;
};

std::vector<Expectation> expectations_of(const fs::path& file) {
  constexpr std::string_view kMark = "# expect ";
  std::vector<Expectation> all;
  for (const std::string& line : lines_of(text_of(file))) {
    if (!line.starts_with(kMark)) continue;
    Expectation e{file.filename().string(), 0, 0, {}};
    std::istringstream in(line.substr(kMark.size()));
    std::string place;
    in >> place;
    // another file's name may stand in front
    if (const std::size_t name = place.find(".yaml:"); name != std::string::npos) {
      e.file = place.substr(0, name + 5);
      place = place.substr(name + 6);
    }
    char colon = 0;
    std::istringstream(place) >> e.line >> colon >> e.column;
    std::getline(in >> std::ws, e.text);
    all.push_back(e);
  }
  return all;
}

bool answers(const Problem& p, const Expectation& e) {
  return fs::path(p.where.file).filename() == e.file && p.where.line == e.line &&
         p.where.column == e.column && (p.message + "\n" + p.fix).find(e.text) != std::string::npos;
}

/// What makes an answer usable, whatever is wrong.
void expect_usable(const Problem& p, const std::string& text) {
  EXPECT_FALSE(p.message.empty());
  EXPECT_FALSE(p.fix.empty()) << to_string(p);
  EXPECT_FALSE(p.fix.ends_with(".")) << to_string(p);
  ASSERT_GE(p.where.line, 1) << to_string(p);
  ASSERT_GE(p.where.column, 1) << to_string(p);
  const std::vector<std::string> lines = lines_of(text);
  const auto number = static_cast<std::size_t>(p.where.line);
  // the end of a file without lines is its first line
  const std::string line = number <= lines.size() ? lines[number - 1] : "";
  EXPECT_LE(static_cast<std::size_t>(p.where.column), line.size() + 1) << to_string(p);
  const bool printed = p.message.starts_with("byte 0x");
  if (!printed) {
    EXPECT_EQ(p.excerpt, line) << to_string(p);
  }
  for (const char c : to_string(p))
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') << to_string(p);
}

TEST(BrokenFiles, AreEachAnsweredWithLineColumnAndFixInOneGo) {
  std::size_t files = 0, with_several = 0;
  for (const fs::path& file : files_in(kBroken)) {
    SCOPED_TRACE(file.filename().string());
    const std::vector<Expectation> expected = expectations_of(file);
    const std::vector<Problem> found = problems_of(file);
    ++files;
    with_several += expected.size() >= 3 ? 1 : 0;
    EXPECT_FALSE(expected.empty()) << "say in its first lines what must be reported";
    EXPECT_TRUE(
        std::any_of(found.begin(), found.end(), [](const Problem& p) { return p.is_error; }));
    for (const Expectation& e : expected)
      EXPECT_TRUE(
          std::any_of(found.begin(), found.end(), [&e](const Problem& p) { return answers(p, e); }))
          << "not reported: " << e.file << ":" << e.line << ":" << e.column << " " << e.text
          << "\nbut:\n"
          << to_string(found);
    for (const Problem& p : found) {
      expect_usable(p, text_of(p.where.file));
      // nothing that is right is accused, and nothing is told twice
      EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                              [&p](const Expectation& e) { return answers(p, e); }))
          << "not expected:\n"
          << to_string(p);
    }
  }
  EXPECT_GE(files, 80U);
  EXPECT_GE(with_several, 20U);
}

TEST(BrokenFiles, AreRefusedBeforeAnythingIsBuiltOrTouched) {
  for (const fs::path& file : files_in(kBroken)) {
    SCOPED_TRACE(file.filename().string());
    const std::string before = text_of(file);
    const auto written = fs::last_write_time(file);
    // whichever way it is loaded, there is no object afterwards and nothing in the list of warnings
    std::vector<Problem> warnings;
    EXPECT_THROW((void)load_vehicle(file, &warnings), config::ConfigError);
    EXPECT_THROW((void)load_mission(file), config::ConfigError);
    EXPECT_THROW((void)load_world(file, &warnings), config::ConfigError);
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(text_of(file), before);
    EXPECT_EQ(fs::last_write_time(file), written);
  }
}

// ---------------------------------------------------------------------------------------------
// files that are no files

/// A folder that is gone afterwards.
class OddFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& text) {
    const fs::path file = folder_ / "odd.yaml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  fs::path folder_ = fs::temp_directory_path() / ("pintle-odd-" + std::to_string(::getpid()));
};

TEST_F(OddFiles, OfNoBytesAreAnsweredAtTheirFirstLine) {
  for (const char* text : {"", "\n", "   \n\n", "---\n", "\xEF\xBB\xBF"}) {
    const std::vector<Problem> found = problems_of(write(text));
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].message, "the file is empty");
    EXPECT_EQ(found[0].where.line, 1);
    EXPECT_EQ(found[0].where.column, 1);
    EXPECT_NE(found[0].fix.find("format: pintle/vehicle/1"), std::string::npos);
  }
}

TEST_F(OddFiles, ThatAreFoldersMissingOrFarTooLongAreAnsweredWithTheirName) {
  const fs::path missing = folder_ / "missing.yaml";
  const fs::path huge = write("name: " + std::string(config::kMaxBytes, 'x'));
  for (const fs::path& file : {folder_, missing, huge}) {
    const std::vector<Problem> found = problems_of(file);
    ASSERT_EQ(found.size(), 1U) << file;
    EXPECT_TRUE(found[0].is_error);
    EXPECT_EQ(found[0].where.file, file.string());
    EXPECT_FALSE(found[0].fix.empty()) << found[0].message;
  }
}

// ---------------------------------------------------------------------------------------------
// every slip of one line in a file that ships

/// The same slip made in one line of a text.
struct Slip {
  const char* name;
  void (*make)(std::vector<std::string>& lines, std::size_t i);
};

void swap_line_letters(std::vector<std::string>& lines, std::size_t i) {
  const std::size_t at = lines[i].find_first_not_of(" -{");
  if (at != std::string::npos && at + 1 < lines[i].size())
    std::swap(lines[i][at], lines[i][at + 1]);
}

const std::vector<Slip> kSlips{
    {"the line is lost", [](auto& lines, std::size_t i) { lines[i].clear(); }},
    {"the file ends here", [](auto& lines, std::size_t i) { lines.resize(i); }},
    {"the line ends in its middle",
     [](auto& lines, std::size_t i) { lines[i].resize(lines[i].size() / 2); }},
    {"the line is there twice",
     [](auto& lines, std::size_t i) {
       lines.insert(lines.begin() + static_cast<long>(i), std::string(lines[i]));
     }},
    {"two blanks too many", [](auto& lines, std::size_t i) { lines[i].insert(0, "  "); }},
    {"a tab in front", [](auto& lines, std::size_t i) { lines[i].insert(0, "\t"); }},
    {"the first colon is lost",
     [](auto& lines, std::size_t i) {
       if (const std::size_t at = lines[i].find(':'); at != std::string::npos)
         lines[i].erase(at, 1);
     }},
    {"two letters swapped", swap_line_letters},
    {"the minus signs are lost", [](auto& lines, std::size_t i) { std::erase(lines[i], '-'); }},
    {"the numbers are texts", [](auto& lines, std::size_t i) {
       for (char& c : lines[i]) c = c >= '0' && c <= '9' ? 'O' : c;
     }}};

TEST(SlipsInShippedFiles, AreAcceptedOrAnsweredButNeverBringItDown) {
  std::size_t refused = 0;
  for (const char* name :
       {"vehicles/oogway.yaml", "vehicles/subjugator8.yaml", "missions/pool.yaml",
        "worlds/pool.yaml", "vehicles/original/duke/config/oogway.yaml",
        "vehicles/original/subjugator/thruster_layout.yaml",
        "vehicles/original/subjugator/busses.yaml"}) {
    const fs::path file = kSource / name;
    const std::vector<std::string> lines = lines_of(text_of(file));
    // long files repeat themselves: a step that is no divisor of their pattern sees all of it
    const std::size_t step = lines.size() > 150 || !testing::kThorough ? 5 : 1;
    for (const Slip& slip : kSlips)
      for (std::size_t i = 0; i < lines.size(); i += step) {
        if (lines[i].empty() || lines[i].starts_with('#')) continue;
        std::vector<std::string> wrong = lines;
        slip.make(wrong, i);
        std::string text;
        for (const std::string& line : wrong) text += line + "\n";
        const FileSource open = [&](const fs::path& path) {
          return path == file ? config::Document::parse(text, path.string()) : open_from_disk(path);
        };
        SCOPED_TRACE(std::string(name) + ":" + std::to_string(i + 1) + ", " + slip.name);
        const std::vector<Problem> found = problems_of(file, open);
        for (const Problem& p : found)
          if (p.where.file == file.string()) expect_usable(p, text);
        refused +=
            std::any_of(found.begin(), found.end(), [](const Problem& p) { return p.is_error; })
                ? 1
                : 0;
      }
  }
  EXPECT_GT(refused, testing::few(1000U));
}

// what is latched or hurt in the air is landed by its flight controller, if anything says so
TEST(BrokenFiles, AnAbortPathThatLandsNothingIsAskedForALanding) {
  const fs::path file = kSource / "missions/delivery.yaml";
  std::string text = text_of(file);
  for (const bool lands : {true, false}) {
    const std::string line = "      request: land\n";
    if (!lands)
      for (std::size_t at = 0; (at = text.find(line)) != std::string::npos;)
        text.erase(at, line.size());
    const FileSource open = [&](const fs::path& path) {
      return path == file ? config::Document::parse(text, path.string()) : open_from_disk(path);
    };
    const std::vector<Problem> found = problems_of(file, open);
    EXPECT_EQ(lands, std::none_of(found.begin(), found.end(), [](const Problem& p) {
                return p.message.find("nothing on it lands") != std::string::npos;
              }));
  }
}

// one coordinate alone can be past a fence, whatever the other is
TEST(BrokenFiles, AGoalThatNamesOneCoordinateIsHeldAgainstTheFenceToo) {
  const fs::path folder = fs::path(::testing::TempDir()) / "fence_of_one_axis";
  fs::create_directories(folder);
  std::string vehicle = text_of(kSource / "vehicles/oogway.yaml");
  const std::string section = "\nfailsafes:\n";
  vehicle.insert(vehicle.find(section) + section.size(),
                 "  fence: {center_x_m: 100, radius_m: 50, action: hold}\n");
  std::ofstream(folder / "craft.yaml") << vehicle;
  for (const auto& [go, fits] : {std::pair{"{x_m: 500}", false}, std::pair{"{y_m: -60}", false},
                                 std::pair{"{x_m: 140}", true}, std::pair{"{y_m: 40}", true}}) {
    std::ofstream(folder / "mission.yaml")
        << "format: pintle/mission/1\nname: one\nvehicle: craft.yaml\nmission:\n  start: go\n"
           "  states:\n    - name: go\n      go: "
        << go
        << "\n      success: {position_m: 0.2, settle_s: 1}\n      timeout_s: 30\n"
           "      on_success: pass\n";
    std::string said;
    try {
      (void)load_mission(folder / "mission.yaml");
    } catch (const std::exception& e) {
      said = e.what();
    }
    if (fits)
      EXPECT_EQ(said, "") << go;
    else
      EXPECT_NE(said.find("past the vehicle's failsafes.fence"), said.npos) << go << said;
  }
  fs::remove_all(folder);
}

TEST(BrokenFiles, HeightsOfServoAndSearchAreHeldAgainstTheFailsafesToo) {
  const FileSource with_a_low_ceiling = [](const fs::path& file) {
    std::string text = text_of(file);
    const std::string row = "height: {limit_m: 30";
    if (const std::size_t at = text.find(row); at != text.npos)
      text.replace(at, row.size(), "height: {limit_m: 0.3");
    return config::Document::parse(text, file.string());
  };
  std::string said;
  try {
    (void)load_mission(kSource / "missions/delivery.yaml", with_a_low_ceiling);
  } catch (const std::exception& e) {
    said = e.what();
  }
  for (const char* key : {"height_m", "climb_to_m"})
    EXPECT_NE(said.find(std::string(key) + ": past the vehicle's failsafes.height"), said.npos)
        << said;
}

}  // namespace
}  // namespace pintle::craft
