// what comes from outside and means no good, or is merely odd: nothing hangs, nothing is
// overwritten, nothing reaches the terminal that could steer it
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "command.h"
#include "pintle/testing/thorough.h"

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
    // also where this test was begun under nohup
    std::signal(SIGHUP, SIG_DFL);
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
  for (const char* arguments :
       {"matrix vehicles/oogway.yaml", "check missions/pool.yaml", "--help", "schema",
        "matrix vehicles/oogway.yaml --json", "allocate vehicles/oogway.yaml --wrench 1,0,0,0,0,0",
        "trace pid vehicles/oogway.yaml --loop position --axis x",
        "run missions/hover_box.yaml --no-log", "run missions/hover_box.yaml --no-log --json"}) {
    const Said said =
        pintle(std::string(arguments) + " >/dev/full", "error,dt_s,provided_derivative\n1,0.1,0\n");
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

TEST_F(Hostile, ARunIsNeverWrittenOverUnasked) {
  const std::string out = " --out '" + (folder_ / "run").string() + "'";
  const std::string run = "run missions/hover_box.yaml" + out;
  ASSERT_EQ(pintle(run).out, "pass\n");
  const auto size = fs::file_size(folder_ / "run/log.mcap");
  const Said again = pintle(run + " --seed 7");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
  EXPECT_EQ(fs::file_size(folder_ / "run/log.mcap"), size);
  EXPECT_EQ(pintle(run + " --overwrite").code, 0);

  // while one writes there no other does, whatever it is told
  const Said two = shell("exec 9<'" + (folder_ / "run").string() +
                         "'; flock -x 9; '" PINTLE_COMMAND "' " + run + " --overwrite 9<&-");
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("another run writes there"), std::string::npos) << two.err;
}

TEST_F(Hostile, TheNameOfAMissionLeadsNowhere) {
  std::ifstream in(PINTLE_SOURCE_DIR "/missions/pool.yaml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string source = PINTLE_SOURCE_DIR;
  text.replace(text.find("name: pool"), 10, "name: ../../x");
  for (const char* file : {"../vehicles/", "../worlds/"})
    for (std::size_t at = text.find(file); at != std::string::npos; at = text.find(file, at + 99))
      text.replace(at, 2, source);
  fs::create_directories(folder_ / "a/b");
  const Said said = shell("cd '" + (folder_ / "a/b").string() + "'; '" PINTLE_COMMAND "' run '" +
                          write("m.yaml", text) + "' -q --json");
  EXPECT_EQ(said.code, 0) << said.err;
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "a/b/runs")) n += entry.is_directory();
  EXPECT_EQ(n, 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "m.yaml and a";
}

TEST_F(Hostile, ADiskThatIsFullStillLeavesAVerdict) {
  const Said said =
      shell("trap '' XFSZ; ulimit -f 40; '" PINTLE_COMMAND "' run missions/hover_box.yaml --out '" +
            (folder_ / "run").string() + "'");
  EXPECT_EQ(said.code, 4) << said.err;
  EXPECT_EQ(said.out, "pass\n") << said.err;
  EXPECT_NE(said.err.find("disk full"), std::string::npos) << said.err;
}

TEST_F(Hostile, AChangeThatIsRefusedOnTheWayIsToldAndEndsWith2) {
  const std::string out = " --out '" + (folder_ / "run").string() + "'";
  const Said said =
      pintle("run missions/pool.yaml --set control.position.x.max_effort=-5@2 --json" + out);
  EXPECT_EQ(said.code, 2) << said.err;
  EXPECT_NE(said.out.find("\"refused\":[{\"at_s\":2"), std::string::npos) << said.out;
  EXPECT_NE(said.err.find("not set: "), std::string::npos) << said.err;
  std::ifstream in(folder_ / "run/report.html");
  const std::string html{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(html.find("parameter refused"), std::string::npos);
  EXPECT_EQ(pintle("run missions/pool.yaml --no-log --set control.scale=-1").code, 2);
}

TEST_F(Hostile, ALogWithoutATickVerifiesNothing) {
  ASSERT_EQ(pintle("run missions/hover_box.yaml --out '" + folder_.string() + "'").code, 0);
  // cut behind the mission's files and before the first chunk
  const Said said =
      shell("head -c 9000 '" + (folder_ / "log.mcap").string() + "' >'" +
            (folder_ / "cut.mcap").string() + "'; '" PINTLE_COMMAND "' replay --verify '" +
            (folder_ / "cut.mcap").string() + "'");
  EXPECT_NE(said.out.find(" 0 ticks"), std::string::npos) << said.out << said.err;
  EXPECT_EQ(said.code, 5) << said.err;
}

TEST_F(Hostile, AHangUpIsAPoliteRequest) {
  const std::string out = (folder_ / "run").string();
  const Said said =
      shell("bash -c 'set -m; \"" PINTLE_COMMAND "\" run missions/pool.yaml --real-time --out \"" +
            out + "\" & p=$!; until [[ -s \"" + out +
            "/log.mcap\" ]]; do sleep 0.05; done; kill -HUP $p; wait $p'");
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_EQ(said.out, "aborted: stopped by the operator\n");
  EXPECT_TRUE(fs::exists(folder_ / "run/report.html"));
}

TEST_F(Hostile, AHangUpEndsWhatServesOrPlaysByItselfToo) {
  const std::string run = (folder_ / "run").string(), said = (folder_ / "said").string();
  ASSERT_EQ(pintle("run missions/hover_box.yaml -q --out '" + run + "'").code, 0);
  std::vector<std::string> all{"device m5 emulate --line 1", "yarp server --port 0"};
  if (pintle("live --help").code == 0) all.push_back("live '" + run + "/log.mcap' --loop --port 0");
  for (const std::string& arguments : all) {
    const Said end =
        shell("bash '" +
              write("hang_up.sh", "set -m\nexport YARP_CONFIG_HOME='" + folder_.string() +
                                      "'\n'" PINTLE_COMMAND "' " + arguments + " >'" + said +
                                      "' 2>&1 </dev/null & p=$!\n"
                                      "until [[ -s '" +
                                      said +
                                      "' ]]; do sleep 0.05; done\n"
                                      "kill -HUP $p\nwait $p\n") +
              "'");
    EXPECT_EQ(end.code, 0) << arguments << end.err;
    fs::remove(said);
  }
}

/// What a call of the command with these arguments took of a processor and in memory.
struct Took {
  int status = 0;
  double cpu_s = 0;
  long memory_kib = 0;
};

Took call(const std::vector<std::string>& arguments, const std::string& input = "/dev/null") {
  std::vector<char*> argv{const_cast<char*>(PINTLE_COMMAND)};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    (void)freopen(input.c_str(), "r", stdin);
    (void)freopen("/dev/null", "w", stdout);
    (void)freopen("/dev/null", "w", stderr);
    execv(PINTLE_COMMAND, argv.data());
    _exit(127);
  }
  Took out;
  rusage used{};
  EXPECT_EQ(wait4(child, &out.status, 0, &used), child);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  out.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  out.memory_kib = used.ru_maxrss;
  return out;
}

/// A call of the command, and how it must end, in 2 s of a processor and 256 MiB.
struct Read {
  std::vector<std::string> arguments;
  std::string input = "/dev/null";  ///< On stdin.
  int code = 3, or_code = code;

  void expect_in_bounds() const {
    std::string words;
    for (const std::string& a : arguments) words += a + " ";
    // others on the core make the same work last longer: the least of three is what it takes
    double least_s = HUGE_VAL;
    for (int run = 0; run < 3 && least_s > 2; ++run) {
      const Took took = call(arguments, input);
      EXPECT_TRUE(WIFEXITED(took.status) &&
                  (WEXITSTATUS(took.status) == code || WEXITSTATUS(took.status) == or_code))
          << words << input << " " << took.status;
      if (!testing::kThorough) return;  // sanitizers need several times as much of both
      least_s = std::min(least_s, took.cpu_s);
      EXPECT_LE(took.memory_kib, 256 << 10) << words << input;
    }
    if (least_s <= 2) return;
    // they are there all the time: then a craft of five links takes longer, too, which alone takes
    // 0.4 s of this work
    const double craft_s =
        call({"import", PINTLE_SOURCE_DIR "/tests/data/flying-box/model.sdf"}).cpu_s;
    EXPECT_LE(least_s, 2 * std::max(1.0, craft_s / 0.4)) << words << input;
  }
};

/// A picture of 24 million pixels, black where `is_black(u, v)`, in three megabytes.
template <class IsBlack>
std::string picture(IsBlack is_black) {
  std::string all = "P4\n6000 4000\n";
  for (int v = 0; v < 4000; ++v)
    for (int u = 0; u < 6000; u += 8) {
      unsigned bits = 0;
      for (int k = 0; k < 8; ++k) bits = bits << 1 | (is_black(u + k, v) ? 1U : 0U);
      all += static_cast<char>(bits);
    }
  return all;
}

/// Squares, thousands of marker 100 of aruco_original, noise.
std::vector<std::string> pictures() {
  constexpr std::array kMarker{"1111111", "1011111", "1010001", "1101101",
                               "1010001", "1011111", "1111111"};
  std::uint32_t noise = 1;
  return {picture([](int u, int v) { return (u / 8 + v / 8) % 2 == 0; }),
          picture([&](int u, int v) {
            const int c = u % 40 / 4, r = v % 40 / 4;
            return c < 7 && r < 7 && kMarker[std::size_t(r)][c] == '1';
          }),
          picture([&](int, int) { return (noise = 1664525 * noise + 1013904223) >> 31 != 0; })};
}

// four megabytes of brackets, maps, numbers, quotes and keys, of what robots are described in, tables, logs, and
// pictures: each in 2 s and 256 MiB
TEST_F(Hostile, AFileOfFourMegabytesEndsInTimeAndMemory) {
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() + text.size() < (4U << 20)) all += text;
    return all;
  };
  std::vector<std::string> files;
  for (const char* text : {"[", "{a: ", "- [1.5, 2]\n", "# \n", "\\"})
    files.push_back(write("f" + std::to_string(files.size()) + ".yaml", repeated(text)));
  for (const auto& [begins, text] :
       {std::pair{"a: [", "1.5, "}, std::pair{"a: [", "'' "}, std::pair{"a: ", "1"},
        std::pair{"a: \"", "\\x41"}, std::pair{"- {a: [", "x,"}})
    files.push_back(write("f" + std::to_string(files.size()) + ".yaml",
                          (begins + repeated(text)).substr(0, 4U << 20)));
  const auto yaml = static_cast<std::ptrdiff_t>(files.size());
  const std::string itself = "<include><uri>" + (folder_ / "f.sdf").string() + "</uri></include>";
  const std::string sdf = "<sdf version='1.7'><model name='m'>";
  std::string many = sdf;
  for (int i = 0; many.size() < (4U << 20) - 100; ++i)
    many += "<link name='l" + std::to_string(i) + "'><inertial><mass>1</mass></inertial></link>";
  files.push_back(
      write("f.sdf", sdf + repeated(itself).substr(0, 3000 * itself.size()) + "</model></sdf>"));
  files.push_back(write("g.sdf", many + "</model></sdf>"));
  files.push_back(write("h.urdf", "<robot name='r'>" + repeated("<link name='a'>")));
  files.push_back(write("i.xml", "<mujoco><worldbody>" + repeated("<body><geom size='1'/></body>") +
                                     "</worldbody></mujoco>"));
  files.push_back(write("j.ini", "[include \"j.ini\"]\n"));
  files.push_back(write("k.sdf", sdf + "<link name='l'/>" + repeated("<a/>").substr(0, 4'000'000) +
                                     "</model></sdf>"));
  std::string materials = "<mujoco><asset>";
  for (int i = 0; materials.size() < (4U << 20) - 200; ++i)
    materials += "<material name='m" + std::to_string(i) + "'/>";
  files.push_back(write("l.xml", materials + "</asset><worldbody><body><geom size='1'/></body>" +
                                     "</worldbody></mujoco>"));
  std::vector<Read> reads;
  for (const std::string& file : files)
    reads.push_back({{&file - files.data() < yaml ? "check" : "import", file}});
  // the CSV of a matrix beside its robot file, a log, and what comes on stdin
  for (const std::string& text : {repeated("1.5,"), repeated("1,2,3,4,5,6\n"), repeated("\n")}) {
    const std::string folder = "robot" + std::to_string(reads.size());
    fs::create_directories(folder_ / folder);
    const fs::path duke = PINTLE_SOURCE_DIR "/vehicles/original/duke";
    fs::copy(duke, folder_ / folder, fs::copy_options::recursive);
    write(folder + "/data/oogway_wrench_matrix.csv", text);
    // it is warned of, and made from the thrusters
    reads.push_back(
        {{"check", (folder_ / folder / "config/oogway.yaml").string()}, "/dev/null", 0});
  }
  const std::string magic = "\x89MCAP0\r\n";
  for (const std::string& text :
       {magic + repeated(std::string("\x06\0\0\0\0\0\0\0\0", 9)),
        magic + repeated(std::string("\x03\x04\0\0\0\0\0\0\0\1\0\0\0", 13)), repeated(magic)})
    reads.push_back(
        {{"replay", write("log" + std::to_string(reads.size()) + ".mcap", text)}, "/dev/null", 4});
  const std::string header = "error,dt_s,provided_derivative\n";
  for (const std::string& text : {repeated("1,2\n"), header + repeated("1,0.1,x,\n"),
                                  header + repeated("\"\n"), repeated(",")})
    reads.push_back({{"trace", "pid", PINTLE_SOURCE_DIR "/vehicles/oogway.yaml", "--loop",
                      "position", "--axis", "x"},
                     write("stdin" + std::to_string(reads.size()), text)});
  for (const std::string& text :
       {repeated("["), "{\"t_s\":" + std::string(500'000, '[') + std::string(500'000, ']') + "}\n",
        repeated("{\"t_s\":"), repeated("{}\n")})
    reads.push_back({{"trace", "controller", PINTLE_SOURCE_DIR "/vehicles/oogway.yaml"},
                     write("stdin" + std::to_string(reads.size()), text)});
  // what is found in pictures that are too much, nobody needs to know
  const std::string camera =
      write("camera.yaml",
            "image_width: 6000\nimage_height: 4000\ncamera_name: large\n"
            "camera_matrix: {rows: 3, cols: 3, data: [4500, 0, 3000, 0, 4500, 2000, 0, 0, 1]}\n"
            "distortion_model: plumb_bob\n"
            "distortion_coefficients: {rows: 1, cols: 5, data: [0.03, -0.08, 0.004, -0.004, 0]}\n"
            "extrinsic_translation: {rows: 3, cols: 1, data: [0, 0, 0]}\n");
  const std::string out = (folder_ / "out.yaml").string(), files_of = PINTLE_SOURCE_DIR "/vision/";
  if (pintle("calibrate").err.find("searches no pictures") == std::string::npos)
    for (const std::string& bits : pictures()) {
      const std::string file = write("p" + std::to_string(reads.size()) + ".pbm", bits);
      reads.push_back({{"detect", "--camera", camera, "--marker", files_of + "marker.yaml",
                        "--circle", files_of + "circle.yaml", file},
                       "/dev/null",
                       0,
                       1});
      reads.push_back({{"calibrate", "--out", out, file}, "/dev/null", 4});
      reads.push_back(
          {{"calibrate", "--markers", "aruco_original", "--board", "5x7", "--out", out, file},
           "/dev/null",
           4});
    }
  for (const Read& read : reads) read.expect_in_bounds();
}

// what is bounded is searched all the same: a picture of noise is looked at, or said to be too much
TEST_F(Hostile, APictureIsLookedAtWhateverItShows) {
  // a build without OpenCV has none
  if (pintle("calibrate").err.find("searches no pictures") != std::string::npos) return;
  for (const std::string& bits : pictures()) {
    const std::string said =
        pintle("calibrate --out " + (folder_ / "o.yaml").string() + " " + write("p.pbm", bits)).err;
    EXPECT_TRUE(said.find("no board of") != std::string::npos ||
                said.find("the picture takes more than") != std::string::npos ||
                said.find("the picture needs more than") != std::string::npos)
        << said;
  }
}

TEST_F(Hostile, ALineWithoutAnEndEnds) {
  EXPECT_EQ(pintle("trace pid vehicles/oogway.yaml --loop position --axis x </dev/zero").code, 3);
  EXPECT_EQ(pintle("trace controller vehicles/oogway.yaml </dev/zero").code, 3);
  EXPECT_EQ(pintle("allocate vehicles/oogway.yaml -i /dev/zero").code, 3);
}

}  // namespace
}  // namespace pintle
