// what comes from outside and means no good, or is merely odd: nothing hangs, nothing is
// overwritten, nothing reaches the terminal that could steer it
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

namespace pintle {
namespace {

namespace fs = std::filesystem;
using testing::pintle;
using testing::Said;
using testing::shell;

class Hostile : public ::testing::Test {
 protected:
  Hostile()
      : folder_(fs::temp_directory_path() /
                ("pintle-hostile-" + std::to_string(getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~Hostile() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string pipe() const {
    EXPECT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    return (folder_ / "pipe").string();
  }

  fs::path folder_;
};

constexpr const char* kRov =
    "format: pintle/vehicle/1\nname: rov\n"
    "body: {mass_kg: 11, inertia_kgm2: [0.2, 0.3, 0.4], volume_m3: 0.011}\n"
    "thruster_types: [{name: T200, thruster: {library: t200}}]\n"
    "propulsors:\n"
    "  - {name: \"left, \\\"old\\\"\", use: T200, position_m: [0, 0.2, 0], direction: [1, 0, 0]}\n"
    "  - {name: right, use: T200, position_m: [0, -0.2, 0], direction: [1, 0, 0]}\n";

TEST_F(Hostile, APipeIsNoFileWhereverItIsNamed) {
  const std::string p = pipe();
  for (const std::string& arguments :
       {"check '" + p + "'", "matrix '" + p + "'", "import '" + p + "'", "run '" + p + "'",
        "check '" + write("m.yaml", "format: pintle/mission/1\nvehicle: " + p + "\n") + "'",
        "import '" + write("i.ini", "[include \"" + p + "\"]\n") + "'"}) {
    const Said said = pintle(arguments);
    EXPECT_EQ(said.code, 3) << arguments << said.err;
    EXPECT_NE(said.err.find("pipe or a device"), std::string::npos) << arguments << said.err;
  }
  for (const std::string& arguments : {"replay '" + p + "'", "report '" + p + "'"})
    EXPECT_EQ(pintle(arguments).code, 4) << arguments;
}

TEST_F(Hostile, ResultsThatCannotBeWrittenAreARunTimeFault) {
  for (const char* arguments : {"matrix vehicles/oogway.yaml", "check missions/pool.yaml", "--help",
                                "schema vehicle", "matrix vehicles/oogway.yaml --json"}) {
    const Said said = pintle(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(said.code, 4) << arguments;
    EXPECT_NE(said.err.find("pintle: "), std::string::npos) << arguments;
  }
}

TEST_F(Hostile, NothingSteersTheTerminal) {
  const std::string escape = "\033[2J";
  for (const std::string& arguments :
       {"'" + escape + "'", "check '" + escape + "'", "matrix --" + escape + " x",
        "import '" + escape + "'", "replay '" + escape + "'",
        "trace pid vehicles/oogway.yaml --loop position --axis '" + escape + "'",
        "check '" + write("v.yaml", "format: pintle/vehicle/1\nname: \"a\\e[2J\"\n") + "'"}) {
    const Said said = pintle(arguments);
    EXPECT_NE(said.code, 0) << arguments;
    EXPECT_EQ((said.out + said.err).find('\033'), std::string::npos) << arguments;
  }
  const Said said =
      pintle("trace pid vehicles/oogway.yaml --loop position --axis x", escape + ",dt_s\n1,2\n");
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.err.find('\033'), std::string::npos);
}

TEST_F(Hostile, ACommaInANameStaysInItsCell) {
  const std::string rov = write("rov.yaml", kRov);
  const Said said = pintle("allocate '" + rov + "' --wrench 1,0,0,0,0,0");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.lines()[0].find("\"left, \"\"old\"\"\",right,achieved_fx_N,"), 0U)
      << said.lines()[0];
  // and such a table is read
  const Said traced =
      pintle("trace thruster '" + rov + "'", "\"left, \"\"old\"\"_N\",right_N\n1,2\n");
  EXPECT_EQ(traced.code, 0) << traced.err;
  EXPECT_EQ(pintle("trace thruster '" + rov + "'", "\"left,right_N\n1,2\n").code, 3);
}

TEST_F(Hostile, AMistypedOptionIsAnsweredWithTheNearest) {
  EXPECT_NE(pintle("run missions/pool.yaml --sed 3").err.find("did you mean  --seed"),
            std::string::npos);
  EXPECT_NE(pintle("matrix vehicles/oogway.yaml --faluts").err.find("did you mean  --faults"),
            std::string::npos);
  EXPECT_EQ(pintle("run missions/pool.yaml --zzz 3").err.find("did you mean"), std::string::npos);
}

TEST_F(Hostile, ALineWithoutAnEndEnds) {
  EXPECT_EQ(pintle("trace pid vehicles/oogway.yaml --loop position --axis x </dev/zero").code, 3);
  EXPECT_EQ(pintle("trace controller vehicles/oogway.yaml </dev/zero").code, 3);
  EXPECT_EQ(pintle("allocate vehicles/oogway.yaml -i /dev/zero").code, 3);
}

}  // namespace
}  // namespace pintle
