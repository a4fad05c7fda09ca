#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pintle/config/problem.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/vehicle/load_for_test.h"

namespace pintle::vehicle {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class MatrixCsv : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pintle_csv_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::vector<std::vector<double>> rows(const std::string& text) const {
    return read_matrix_csv(write("m.csv", text));
  }
  /// Line and column of the refusal.
  std::pair<int, int> refused_at(const std::string& text) const {
    try {
      (void)rows(text);
    } catch (const config::ConfigError& e) {
      EXPECT_FALSE(e.problems()[0].message.empty());
      return {e.problems()[0].where.line, e.problems()[0].where.column};
    }
    return {-1, -1};
  }
  static std::string text_of(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }

  fs::path folder_;
};

using Rows = std::vector<std::vector<double>>;
const Rows kTwoByTwo{{1, 2}, {3, -0.5}};

TEST_F(MatrixCsv, AcceptsWhatTheOriginalReaderAccepts) {
  EXPECT_EQ(rows("1,2\n3,-0.5\n"), kTwoByTwo);
  EXPECT_EQ(rows("1,2\n3,-0.5"), kTwoByTwo);               // no last newline
  EXPECT_EQ(rows("1,2\r\n3,-0.5\r\n"), kTwoByTwo);         // CRLF
  EXPECT_EQ(rows("  1 ,\t2 \n 3,  -0.5  \n"), kTwoByTwo);  // whitespace around values
  EXPECT_EQ(rows("1,2,\n3,-0.5,\n"), kTwoByTwo);           // trailing comma
  EXPECT_EQ(rows("1e0,20E-1\n3.0,-5e-1\n"), kTwoByTwo);    // scientific
  EXPECT_EQ(rows("7"), (Rows{{7}}));
}

TEST_F(MatrixCsv, RefusesWhatTheOriginalReaderRefusesAndSaysWhere) {
  EXPECT_EQ(refused_at("1,2\n3,4\n\n"), std::pair(3, 1));  // blank line at the end
  EXPECT_EQ(refused_at("1,2\n\n3,4\n"), std::pair(2, 1));  // blank line between
  EXPECT_EQ(refused_at("1,2\n3\n"), std::pair(2, 1));      // ragged
  EXPECT_EQ(refused_at("1,2\n3,4,5\n"), std::pair(2, 1));
  EXPECT_EQ(refused_at(""), std::pair(1, 1));    // nothing
  EXPECT_EQ(refused_at("\n"), std::pair(1, 1));  // only a blank line
  EXPECT_EQ(refused_at("1;2\n3;4\n"), std::pair(1, 1));
  EXPECT_EQ(refused_at("1 2\n3 4\n"), std::pair(1, 1));
  EXPECT_EQ(refused_at("x,y\n1,2\n"), std::pair(1, 1));  // header
  EXPECT_EQ(refused_at("1,,2\n"), std::pair(1, 3));      // empty field
  EXPECT_EQ(refused_at(",1\n"), std::pair(1, 1));        // empty first field
  EXPECT_EQ(refused_at("1,nan\n"), std::pair(1, 3));     // not finite, in any spelling
  EXPECT_EQ(refused_at("1,.inf\n"), std::pair(1, 3));
  EXPECT_EQ(refused_at("1,-inf\n"), std::pair(1, 3));
  EXPECT_EQ(refused_at("1,1e999\n"), std::pair(1, 3));
  EXPECT_THROW((void)read_matrix_csv(folder_ / "none.csv"), config::ConfigError);
}

TEST_F(MatrixCsv, WritesTenDecimalsWithoutMinusZero) {
  MatrixReport report;
  report.columns = {Vec6{{-0.0, 1, std::sqrt(0.5), -2e-11, 1e-10, -12.5}}, Vec6{}};
  report.pinv_rows = {Vec6{{0.25, -1.0 / 3, 0, 0, 0, 0}}};
  EXPECT_EQ(matrix_csv(report),
            "0.0,0.0\n1.0,0.0\n0.7071067812,0.0\n0.0,0.0\n0.0000000001,0.0\n-12.5,0.0\n");
  EXPECT_EQ(pinv_csv(report), "0.25,-0.3333333333,0.0,0.0,0.0,0.0\n");
}

TEST_F(MatrixCsv, WhatIsWrittenReadsBackWithinItsRounding) {
  const MatrixReport report = analyse(build(load_spec(shipped("oogway.yaml"))));
  const Rows read = rows(pinv_csv(report));
  ASSERT_EQ(read.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t a = 0; a < 6; ++a) EXPECT_NEAR(read[i][a], report.pinv_rows[i][a], 5.1e-11);
}

TEST_F(MatrixCsv, PathsCountFromTheFolderAboveConfig) {
  EXPECT_EQ(resolve_beside("/robot/config/oogway.yaml", "data/m.csv"), "/robot/data/m.csv");
  EXPECT_EQ(resolve_beside("/robot/oogway.yaml", "data/m.csv"), "/robot/data/m.csv");
  EXPECT_EQ(resolve_beside("config/oogway.yaml", "data/m.csv"), "data/m.csv");
  EXPECT_EQ(resolve_beside("oogway.yaml", "m.csv"), "m.csv");
}

TEST_F(MatrixCsv, WritingPutsBothFilesWhereTheVehicleFileSays) {
  const fs::path file = folder_ / "config" / "oogway.yaml";
  fs::create_directories(file.parent_path());
  fs::copy_file(shipped("original/duke/config/oogway.yaml"), file);
  const VehicleSpec spec = load_spec(file);

  // missing: said, and not an error
  Findings findings = check_matrices(spec, file, {kDukeMatrixKey, "wrench_matrix_pinv_file_path"});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].path, "wrench_matrix_file_path");
  EXPECT_FALSE(findings[0].is_error);
  EXPECT_NE(findings[0].message.find("computed"), std::string::npos);

  const MatrixFiles files = write_matrices(spec, file);
  EXPECT_TRUE(files.matrix.saved && files.pinv.saved) << files.matrix.reason << files.pinv.reason;
  EXPECT_EQ(files.matrix.path, folder_ / "data" / "oogway_wrench_matrix.csv");
  EXPECT_EQ(text_of(files.matrix.path),
            text_of(shipped("original/duke/data/oogway_wrench_matrix.csv")));
  EXPECT_EQ(text_of(files.pinv.path),
            text_of(shipped("original/duke/data/oogway_wrench_matrix_pinv.csv")));
  EXPECT_TRUE(check_matrices(spec, file).empty());
}

TEST_F(MatrixCsv, WritesNothingOutsideTheFolderOfTheVehicle) {
  const fs::path file = write("robot/config/cthulhu.yaml", "");
  VehicleSpec spec = load_spec(shipped("original/duke/config/cthulhu.yaml"));
  fs::create_directories(folder_ / "other");
  fs::create_directory_symlink(folder_ / "other", folder_ / "robot" / "data");
  spec.wrench_matrix_file = "../m.csv";
  spec.wrench_matrix_pinv_file = (folder_ / "other" / "p.csv").string();
  for (int round = 0; round < 2; ++round) {
    const MatrixFiles files = write_matrices(spec, file);
    EXPECT_FALSE(files.matrix.saved || files.pinv.saved);
    EXPECT_NE(files.matrix.reason.find("lies outside"), std::string::npos) << files.matrix.reason;
    EXPECT_NE(files.pinv.reason.find("lies outside"), std::string::npos) << files.pinv.reason;
    // by a link that stands inside
    spec.wrench_matrix_pinv_file = "data/p.csv";
  }
  EXPECT_FALSE(fs::exists(folder_ / "m.csv") || fs::exists(folder_ / "other" / "p.csv"));
}

TEST_F(MatrixCsv, NeverReplacesWhatIsNoMatrix) {
  const fs::path file = write("config/cthulhu.yaml", "");
  VehicleSpec spec = load_spec(shipped("original/duke/config/cthulhu.yaml"));
  spec.wrench_matrix_file = "config/cthulhu.yaml";
  spec.wrench_matrix_pinv_file = "notes.txt";
  write("config/cthulhu.yaml", "format: pintle/vehicle/1\n");
  write("notes.txt", "pool: 12 to 14 h\n");
  const MatrixFiles files = write_matrices(spec, file);
  EXPECT_FALSE(files.matrix.saved || files.pinv.saved);
  EXPECT_NE(files.matrix.reason.find("is no matrix"), std::string::npos) << files.matrix.reason;
  EXPECT_EQ(text_of(file), "format: pintle/vehicle/1\n");
  EXPECT_EQ(text_of(folder_ / "notes.txt"), "pool: 12 to 14 h\n");
  write("notes.txt", "1,2\n");
  EXPECT_TRUE(write_matrices(spec, file).pinv.saved);
}

TEST_F(MatrixCsv, AMatrixHasAThousandRowsAndColumnsAtMost) {
  std::string row = "1";
  for (int i = 1; i < 1000; ++i) row += ",1";
  EXPECT_EQ(rows(row).front().size(), 1000U);
  EXPECT_EQ(refused_at(row + ",1").first, 1);
  std::string column;
  for (int i = 0; i < 1001; ++i) column += "1\n";
  EXPECT_EQ(refused_at(column).first, 1001);
  EXPECT_THROW((void)read_matrix_csv("/dev/zero"), config::ConfigError);
}

TEST_F(MatrixCsv, AFileThatDisagreesIsWarnedAboutWithItsFirstEntry) {
  const fs::path file = write("config/cthulhu.yaml", "");
  const VehicleSpec spec = load_spec(shipped("original/duke/config/cthulhu.yaml"));
  const MatrixFiles files = write_matrices(spec, file);
  std::string text = text_of(files.matrix.path);
  text.replace(text.find("0.1651"), 6, "0.1652");
  write("data/cthulhu_wrench_matrix.csv", text);
  const Findings findings = check_matrices(spec, file);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_FALSE(findings[0].is_error);
  EXPECT_NE(findings[0].message.find("row 4, column 5"), std::string::npos) << findings[0].message;
}

TEST_F(MatrixCsv, AnotherVehiclesFileOrADamagedOneIsWarnedAbout) {
  const fs::path file = write("config/cthulhu.yaml", "");
  const VehicleSpec spec = load_spec(shipped("original/duke/config/cthulhu.yaml"));
  write("data/cthulhu_wrench_matrix.csv", "1,2\n3,4\n");
  write("data/cthulhu_wrench_matrix_pinv.csv", "1,2\n3,oops\n");
  const Findings findings = check_matrices(spec, file);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_NE(findings[0].message.find("2 rows of 2"), std::string::npos);
  EXPECT_NE(findings[1].message.find(":2:3:"), std::string::npos) << findings[1].message;
  EXPECT_FALSE(findings[0].is_error || findings[1].is_error);
}

TEST_F(MatrixCsv, RoundingAloneIsNoDisagreement) {
  const fs::path file = write("config/oogway.yaml", "");
  const VehicleSpec spec = load_spec(shipped("original/duke/config/oogway.yaml"));
  (void)write_matrices(spec, file);
  EXPECT_TRUE(check_matrices(spec, file).empty());
}

TEST_F(MatrixCsv, AVehicleWithoutPathsSavesNothing) {
  const MatrixFiles files =
      write_matrices(load_spec(shipped("bluerov2_heavy.yaml")), folder_ / "v.yaml");
  EXPECT_FALSE(files.matrix.saved || files.pinv.saved);
  EXPECT_TRUE(files.matrix.path.empty());
}

TEST_F(MatrixCsv, AMatrixThatSaysSomethingElseIsTheVehicleThatItSays) {
  const fs::path file = folder_ / "oogway.yaml";
  VehicleSpec spec = load_spec(shipped("original/duke/config/oogway.yaml"));
  spec.wrench_matrix_file = "m.csv";
  const MatrixReport report = analyse(build(spec));
  write("m.csv", matrix_csv(report));
  EXPECT_EQ(claim_of_matrix(spec, file).difference, "");
  write("m.csv", "nonsense");
  EXPECT_EQ(claim_of_matrix(spec, file).difference, "") << "no matrix claims nothing";

  // all thrusters 0.1 m to the left of where the file has them
  MatrixReport moved = report;
  for (Vec6& c : moved.columns) {
    const Wrench w = to_wrench(c);
    c = to_vec6(Wrench{w.force, w.torque + cross({0, 0.1, 0}, w.force)});
  }
  write("m.csv", matrix_csv(moved));
  const MatrixClaim claim = claim_of_matrix(spec, file);
  EXPECT_NE(claim.difference.find("row "), std::string::npos) << claim.difference;
  ASSERT_TRUE(claim.spec);
  const Effectiveness e = effectiveness_of(build(*claim.spec));
  ASSERT_EQ(e.n, 8u);
  for (std::size_t i = 0; i < e.n; ++i)
    for (std::size_t a = 0; a < kAxes; ++a)
      EXPECT_NEAR(e.column[i][a], moved.columns[i][a], 1e-9) << i << " " << a;
  EXPECT_EQ(claim.spec->propulsors[3].name, spec.propulsors[3].name);

  // six of them, and one that no thruster gives
  MatrixReport fewer = report;
  fewer.columns.resize(6);
  write("m.csv", matrix_csv(fewer));
  EXPECT_NE(claim_of_matrix(spec, file).difference.find("6 columns"), std::string::npos);
  EXPECT_EQ(claim_of_matrix(spec, file).spec->propulsors.size(), 6u);
  fewer.columns[2] = Vec6{{0, 0, 0, 0, 0, 1}};
  write("m.csv", matrix_csv(fewer));
  EXPECT_FALSE(claim_of_matrix(spec, file).spec);
}

}  // namespace
}  // namespace pintle::vehicle
