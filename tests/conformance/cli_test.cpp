#ifdef PINTLE_COMMAND
#include <gtest/gtest.h>

#include <cmath>

#include "command.h"

namespace pintle::testing {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone afterwards.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("pintle-cli-out-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

TEST(CommandLine, AloneSaysWhatItIsAndWhatToDoNext) {
  const Said s = pintle("");
  EXPECT_EQ(s.code, 0);
  EXPECT_NE(s.out.find("pintle run missions/pool.yaml"), std::string::npos);
  EXPECT_LE(s.lines().size(), 8U);
}

TEST(CommandLine, AnswersAMistypedVerbWithTheNearestOneAndExitCode2) {
  const Said s = pintle("mtarix vehicles/oogway.yaml");
  EXPECT_EQ(s.code, 2);
  EXPECT_NE(s.err.find("pintle matrix"), std::string::npos) << s.err;
  EXPECT_TRUE(s.out.empty());
}

TEST(CommandLine, HelpOfEveryVerbShowsAnExample) {
  for (const char* verb : {"run", "check", "matrix", "allocate", "trace", "replay", "report",
                           "doctor", "completion"}) {
    const Said s = pintle(std::string(verb) + " --help");
    EXPECT_EQ(s.code, 0) << verb;
    EXPECT_NE(s.out.find("Examples:"), std::string::npos) << verb;
  }
}

TEST(CommandLine, SaysWhatAFileThatDoesNotExistIsWithExitCode3) {
  for (const char* verb : {"run nowhere.yaml", "check nowhere.yaml", "matrix nowhere.yaml",
                           "allocate nowhere.yaml -w 0,0,0,0,0,0", "trace pid nowhere.yaml"}) {
    const Said s = pintle(verb);
    EXPECT_EQ(s.code, 3) << verb << s.err;
    EXPECT_NE(s.err.find("nowhere.yaml"), std::string::npos) << s.err;
  }
}

// a folder's name, the log of a run, a picture from somebody's stick: each is said again
TEST(CommandLine, AWordThatWouldSteerTheTerminalIsRefusedAndSaidSafely) {
  for (const std::string word : {"\033[2J", "a\033[2J.yaml", "\007", "x\x7f",
                                 "\xc2\x9b"
                                 "2J",
                                 "\r"}) {
    for (const std::string verb : {"schema", "run --out", "report nowhere.mcap -o", "detect"}) {
      const Said s = pintle(verb + " '" + word + "'");
      EXPECT_EQ(s.code, 2) << verb << s.err;
      EXPECT_EQ((s.out + s.err).find(word), std::string::npos) << verb;
      EXPECT_NE(s.err.find("control character"), std::string::npos) << verb << s.err;
    }
  }
  const Folder folder;
  const std::string named = (folder.path / "größe, mine").string();
  EXPECT_EQ(pintle("schema '" + named + "'").code, 0);
  EXPECT_EQ(pintle("command pause 'a\tb\nc'").err.find("control character"), std::string::npos);
}

// the parser takes a sign and any length, for another number than was said
TEST(CommandLine, ASeedIsTheNumberThatWasSaidOrRefused) {
  for (const std::string& seed :
       {std::string("-1"), std::string("18446744073709551616"), std::string(40'000, '9'),
        std::string("0x10"), std::string("1.5"), std::string("7 ")})
    for (const char* verb : {"run missions/pool.yaml --no-log", "console missions/pool.yaml"}) {
      const Said s = pintle(std::string(verb) + " --seed '" + seed + "'");
      EXPECT_EQ(s.code, 2) << seed.substr(0, 30) << s.err;
      EXPECT_NE(s.err.find("expected a whole number from 0 to"), std::string::npos) << s.err;
      EXPECT_LT(s.err.size(), 1000U);
    }
  const Said s = pintle("run missions/hover_box.yaml --no-log --json --seed 18446744073709551615");
  EXPECT_NE(s.out.find("\"seed\":18446744073709551615"), std::string::npos) << s.out << s.err;
}

TEST(Matrix, WritesTheOneFileThatIsNamed) {
  const Folder folder;
  const fs::path file = folder.path / "box.yaml";
  fs::copy_file(fs::path(PINTLE_SOURCE_DIR) / "vehicles" / "bluerov2_heavy.yaml", file);
  const std::string command = "matrix '" + file.string() + "' --write";
  const Said none = pintle(command);
  EXPECT_EQ(none.code, 3) << none.err;
  EXPECT_NE(none.err.find("names no wrench matrix files"), std::string::npos) << none.err;
  std::ofstream(file, std::ios::app) << "wrench_matrix_file: fine.csv\n";
  const Said one = pintle(command);
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.err.find("nothing written"), std::string::npos) << one.err;
  EXPECT_TRUE(fs::exists(folder.path / "fine.csv"));
  // no matrix is there: what it is stays, and that is a failure of writing
  std::ofstream(folder.path / "fine.csv") << "mine\n";
  const Said refused = pintle(command);
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_NE(refused.err.find("is no matrix"), std::string::npos) << refused.err;
}

TEST(CommandLine, WhatAFileSaysSteersNoTerminalAsJsonEither) {
  const Folder folder;
  const std::string file = (folder.path / "steers.yaml").string();
  for (const auto& [text, shown] :
       std::initializer_list<std::pair<const char*, const char*>>{{"\xc2\x9b"
                                                                   "2J",
                                                                   "\\u009b"
                                                                   "2J"},
                                                                  {"gr\xc3\xb6\xc3\x9f"
                                                                   "er",
                                                                   "gr\xc3\xb6\xc3\x9f"
                                                                   "er"}}) {
    std::ofstream(file) << "format: pintle/mission" << text << "\n";
    const Said s = pintle("check --json '" + file + "'");
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_NE(s.out.find(std::string("pintle/mission") + shown), std::string::npos) << s.out;
  }
}

TEST(Run, GivesVerdictStatesFiguresLogAndReportAsJson) {
  const Folder folder;
  const Said s = pintle("run missions/pool.yaml --json --out '" + folder.path.string() + "'");
  EXPECT_EQ(s.code, 0) << s.err;
  ASSERT_EQ(s.lines().size(), 1U);
  EXPECT_TRUE(s.out.starts_with("{\"verdict\":\"pass\""));
  for (const char* key :
       {"\"states\":[{\"name\":\"submerge\"", "\"log\":", "\"report\":", "\"duration_s\":"})
    EXPECT_NE(s.out.find(key), std::string::npos) << key;
  EXPECT_TRUE(fs::exists(folder.path / "log.mcap"));
  EXPECT_GT(fs::file_size(folder.path / "report.html"), 10000U);
  // no progress line when nobody sits at a terminal
  EXPECT_EQ(s.err.find('\r'), std::string::npos);

  const std::string log = "'" + (folder.path / "log.mcap").string() + "'";
  const Said back = pintle("replay --verify " + log);
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(pintle("report " + log + " -o '" + (folder.path / "again.html").string() + "'").code,
            0);
  EXPECT_TRUE(fs::exists(folder.path / "again.html"));
}

TEST(Run, StopsSafelyOnCtrlCAndStillWritesLogAndReport) {
  const Folder folder;
  const std::string out = folder.path.string();
  // twice at once, as from a wrapper that signals the program and its group: one wish
  const Said s = shell(
      "bash -c 'set -m; \"" PINTLE_COMMAND "\" run missions/pool.yaml --real-time --out \"" + out +
      "\" --listen \"" + out +
      "/ear\" & p=$!; until \"" PINTLE_COMMAND "\" command status --to \"" + out +
      "/ear\" 2>&1 | grep running >/dev/null || ! kill -0 $p 2>/dev/null; do sleep 0.05; done; "
      "kill -INT $p; kill -INT $p; wait $p'");
  EXPECT_EQ(s.code, 1) << s.err;
  EXPECT_EQ(s.out, "aborted: stopped by the operator\n") << s.err;
  EXPECT_TRUE(fs::exists(folder.path / "report.html"));
  const Said back = pintle("replay --verify '" + (folder.path / "log.mcap").string() + "'");
  EXPECT_EQ(back.code, 0) << back.err;
}

TEST(Run, TakesAnOperatorsScheduleTheSameInEveryRunAndReplaysIt) {
  const Folder folder;
  const auto run = [&](const char* name) {
    return pintle(
        "run missions/pool.yaml --json -q --at 10:pause --at \"14:select return\" --at 12:"
        "resume --at '15:abort' --out '" +
        (folder.path / name).string() + "'");
  };
  const Said a = run("a"), b = run("b");
  EXPECT_EQ(a.code, 1) << a.err;
  EXPECT_NE(a.out.find("\"command\":\"pause\",\"accepted\":true"), std::string::npos) << a.out;
  const auto facts = [](const Said& s) { return s.out.substr(0, s.out.find("\"log\"")); };
  EXPECT_EQ(facts(a), facts(b));
  const Said back = pintle("replay --verify '" + (folder.path / "a/log.mcap").string() + "'");
  EXPECT_EQ(back.code, 0) << back.err;
}

TEST(Run, RefusesAScheduleThatItDoesNotUnderstandBeforeItStarts) {
  const Said s = pintle("run missions/pool.yaml --no-log --at 5:paus");
  EXPECT_EQ(s.code, 2);
  EXPECT_NE(s.err.find("did you mean \"pause\""), std::string::npos) << s.err;
  EXPECT_EQ(pintle("run missions/pool.yaml --no-log --at pause").code, 2);
}

TEST(Run, RefusesAFolderThatNothingWouldBeWrittenToAndOneThatIsNotNamed) {
  const Folder folder;
  const std::string out = " --out '" + (folder.path / "run").string() + "'";
  const auto refused = [](const std::string& words, const char* reason, const char* fix) {
    const Said s = pintle(words);
    EXPECT_EQ(s.code, 2) << words;
    EXPECT_NE(s.err.find(reason), std::string::npos) << s.err;
    EXPECT_NE(s.err.find(fix), std::string::npos) << s.err;
  };
  refused("run missions/pool.yaml --no-log" + out, "--out: with --no-log nothing is written",
          "leave one of the two out");
  refused("run missions/pool.yaml --no-log --overwrite", "--overwrite: with --no-log",
          "leave one of the two out");
  for (const char* verb : {"run", "console"})
    refused(std::string(verb) + " missions/pool.yaml --overwrite",
            "--overwrite: replaces a run in a folder that you name", "--out FOLDER");
  EXPECT_FALSE(fs::exists(folder.path / "run"));
}

TEST(Run, ExitsWith5WhenAReplayDiffersAnd4WhenTheFileIsNoLog) {
  const Folder folder;
  EXPECT_EQ(pintle("replay README.md").code, 4);
  EXPECT_EQ(pintle("report README.md -o '" + (folder.path / "x.html").string() + "'").code, 4);
  EXPECT_FALSE(fs::exists(folder.path / "x.html"));
}

TEST(Report, ReplacesAnEarlierReportAndNothingElseUnasked) {
  const Folder folder;
  const auto at = [&folder](const char* name) { return "'" + (folder.path / name).string() + "'"; };
  ASSERT_EQ(pintle("run missions/hover_box.yaml -q --out " + at("run")).code, 0);
  const std::string log = at("run/log.mcap"), both = log + " " + log;
  std::ofstream(folder.path / "notes.md") << "# mine\n";
  const Said other = pintle("report " + log + " -o " + at("notes.md"));
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("notes.md exists: name another file, or add --overwrite"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(shell("cat " + at("notes.md")).out, "# mine\n");
  EXPECT_EQ(pintle("report " + log + " -o " + folder.path.string()).code, 2);
  EXPECT_EQ(pintle("report " + log + " --overwrite -o " + log).code, 2) << "it is read";
  EXPECT_EQ(pintle("replay " + log).code, 0);
  // of one run, of two, and what somebody means
  for (const std::string& logs : {log, log, both, both, log})
    EXPECT_EQ(pintle("report " + logs + " -o " + at("again.html")).code, 0) << logs;
  EXPECT_EQ(pintle("report " + log).code, 0) << "beside the log";
  EXPECT_EQ(pintle("report " + log + " --overwrite -o " + at("notes.md")).code, 0);
  EXPECT_EQ(shell("head -c 15 " + at("notes.md")).out, "<!DOCTYPE html>");
  // beside the log, too
  std::ofstream(folder.path / "run/report.html") << "<!DOCTYPE html>\n<html>mine</html>\n";
  EXPECT_EQ(pintle("report " + log).code, 2);
}

TEST(Run, RefusesAParameterThatDoesNotExistBeforeItStarts) {
  const Said s = pintle("run missions/pool.yaml --no-log --set control.scal=0.5");
  EXPECT_EQ(s.code, 2) << s.err;
  EXPECT_NE(s.err.find("scale"), std::string::npos) << s.err;
  EXPECT_EQ(pintle("run missions/pool.yaml --no-log --set control.scale").code, 2);
}

TEST(Matrix, GivesSixRowsOfTenDecimalsAsTheOriginalScript) {
  const Said s = pintle("matrix vehicles/oogway.yaml");
  ASSERT_EQ(s.code, 0) << s.err;
  ASSERT_EQ(s.lines().size(), 6U);
  EXPECT_EQ(cells(s.lines()[0]).size(), 8U);
  // top_front_left looks to -45 degrees and is flipped: it pushes back and to the left
  EXPECT_NEAR(std::stod(cells(s.lines()[0])[1]), -std::sqrt(0.5), 1e-10);
  EXPECT_NEAR(std::stod(cells(s.lines()[1])[1]), std::sqrt(0.5), 1e-10);
  // bottom_front_left looks down
  EXPECT_NEAR(std::stod(cells(s.lines()[2])[0]), -1, 1e-10);
  EXPECT_NEAR(std::stod(cells(s.lines()[3])[0]), -0.397763, 1e-10);
  EXPECT_NEAR(std::stod(cells(s.lines()[4])[0]), 0.20528, 1e-10);
  EXPECT_EQ(s.out.find("-0,"), std::string::npos);
  EXPECT_EQ(pintle("matrix vehicles/oogway.yaml --pinv").lines().size(), 8U);
}

TEST(Matrix, ReproducesTheFilesThatShipWithTheOriginal) {
  for (const std::string robot : {"oogway", "cthulhu"}) {
    const std::string file = "vehicles/original/duke/config/" + robot + ".yaml";
    const Said s = pintle("matrix " + file);
    EXPECT_EQ(s.code, 0);
    EXPECT_EQ(s.err, "");  // what is on disk agrees
  }
}

TEST(Allocate, NamesTheColumnsAndKeepsTheUnitsOfTheVehicle) {
  const Said s = pintle("allocate vehicles/oogway.yaml",
                        "t_s,fx,fy,fz,tx,ty,tz\n0,0.5,0,0,0,0,0\n1,9,0,0,0,0,0\n");
  ASSERT_EQ(s.code, 0) << s.err;
  ASSERT_EQ(s.lines().size(), 3U);
  const auto header = cells(s.lines()[0]);
  EXPECT_EQ(header[0], "bottom_front_left");
  EXPECT_EQ(header[8], "achieved_fx");
  EXPECT_EQ(header.back(), "iterations");
  EXPECT_NEAR(std::stod(cells(s.lines()[1])[8]), 0.5, 1e-12);
  EXPECT_EQ(cells(s.lines()[1])[15], "exact");
  EXPECT_EQ(cells(s.lines()[2])[15], "bounded");

  const Said si = pintle("allocate vehicles/subjugator8.yaml --wrench 10,0,0,0,0,0");
  EXPECT_NE(si.out.find("achieved_fx_N"), std::string::npos) << si.err;
  const Said wrong = pintle("allocate vehicles/oogway.yaml", "fx_N,fy,fz,tx,ty,tz\n");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_NE(wrong.err.find("missing columns: fx"), std::string::npos) << wrong.err;
}

TEST(Allocate, LeavesFailedThrustersAtZeroAndAnswersNanWithTheSafeEfforts) {
  const Said s = pintle("allocate vehicles/oogway.yaml --failed top_front_left -w 0.5,0,0,0,0,0");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(cells(s.lines()[1])[1], "0");
  const Said typo = pintle("allocate vehicles/oogway.yaml --failed top_front_lef -w 0.5,0,0,0,0,0");
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("top_front_left"), std::string::npos) << typo.err;
  const Said nan = pintle("allocate vehicles/oogway.yaml", "fx,fy,fz,tx,ty,tz\nnan,0,0,0,0,0\n");
  EXPECT_EQ(nan.code, 1);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(cells(nan.lines()[1])[i], "0");
}

TEST(Allocate, ExplainsWhatHoldsWhatIsMissingAndWhyNothingIsBetter) {
  const Said s = pintle("allocate vehicles/oogway.yaml -w 4,0,0,0,0,0 --explain");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_NE(s.out.find("at its upper limit; 1 more upwards would take"), std::string::npos);
  EXPECT_NE(s.out.find("Proof: |missing| is"), std::string::npos) << s.out;
  EXPECT_NE(s.out.find("Grade bounded"), std::string::npos);
  const Said met = pintle(
      "allocate vehicles/oogway.yaml -w 0.5,0,0,0,0,0 --explain --failed "
      "top_front_left");
  EXPECT_NE(met.out.find("out: gives nothing"), std::string::npos) << met.out;
  EXPECT_NE(met.out.find("nothing is missing"), std::string::npos) << met.out;
  const Said json = pintle("allocate vehicles/oogway.yaml -w 4,0,0,0,0,0 --explain --json");
  EXPECT_EQ(json.lines().size(), 1U);
  EXPECT_NE(json.out.find("\"multiplier\":"), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"held\":\"upper\""), std::string::npos) << json.out;
}

TEST(Matrix, SaysWhatEveryFailureAndEveryPairLeaves) {
  const Said s = pintle("matrix vehicles/oogway.yaml --faults");
  ASSERT_EQ(s.code, 0) << s.err;
  // a heading, the whole vehicle, 8 single failures, 28 pairs, an empty line, two of words
  EXPECT_EQ(s.lines().size(), 1U + 1 + 8 + 28 + 1 + 2) << s.out;
  EXPECT_NE(s.out.find("8 of 8 single failures"), std::string::npos) << s.out;
  const Said json = pintle("matrix vehicles/oogway.yaml --faults --json");
  EXPECT_NE(json.out.find("{\"out\":[\"bottom_front_left\"],\"kept\":[\"x\""), std::string::npos);
}

TEST(TracePid, ReproducesTheFirstStepsOfTheOriginalByHand) {
  // position x of oogway: kp 1.8, ki 0, kd 1.2, derivative provided
  const Said s =
      pintle("trace pid vehicles/original/duke/config/oogway.yaml --loop position --axis x",
             "error,dt_s,provided_derivative,reset\n0.5,0.05,-0.2,0\n0.5,0.05,-0.2,0\n0.5,0,0,0\n0."
             "5,0.05,-0.2,1\n");
  ASSERT_EQ(s.code, 0) << s.err;
  ASSERT_EQ(s.lines().size(), 5U);
  EXPECT_EQ(s.lines()[0],
            "output,p,i,d,ff,filtered_error,integral,filtered_derivative,calculated_derivative");
  const auto first = cells(s.lines()[1]);
  const double f = 1 / 3.414;
  EXPECT_NEAR(std::stod(first[5]), 0.5 * f, 1e-12);
  EXPECT_NEAR(std::stod(first[1]), 1.8 * 0.5 * f, 1e-12);
  EXPECT_NEAR(std::stod(first[3]), 1.2 * -0.2 * f, 1e-12);
  EXPECT_NEAR(std::stod(first[6]), 0.025, 1e-15);
  EXPECT_NEAR(std::stod(first[8]), 10, 1e-12);
  const auto second = cells(s.lines()[2]);
  EXPECT_NEAR(std::stod(second[5]), 3 * 0.5 * f, 1e-12);
  // dt of zero: output 0, everything else as it was
  const auto third = cells(s.lines()[3]);
  EXPECT_EQ(third[0], "0");
  EXPECT_EQ(third[5], second[5]);
  // reset clears the integral only
  const auto fourth = cells(s.lines()[4]);
  EXPECT_NEAR(std::stod(fourth[6]), 0.025, 1e-15);
  EXPECT_NE(fourth[5], first[5]);
}

TEST(TracePid, NeedsOnlyTheGainsOfTheFile) {
  const Folder folder;
  const fs::path file = folder.path / "robot.yaml";
  std::ofstream(file) << "pid:\n  velocity:\n";
  std::ofstream out(file);
  out << "pid:\n  velocity:\n";
  for (const char* axis : {"x", "y", "z", "roll", "pitch", "yaw"})
    out << "    " << axis
        << ": {Kp: 2, Ki: 0, Kd: 0, Ff: 0.1, control_effort: {min: -1, max: 1}, derivative_type: "
           "0, error_ramp_rate: 1000}\n";
  out << "wrench_matrix_file_path: data/none.csv\nwrench_matrix_pinv_file_path: "
         "data/none_pinv.csv\n";
  out.close();
  const Said s = pintle("trace pid '" + file.string() + "' --loop velocity --axis yaw",
                        "error,dt_s,provided_derivative\n0.1,0.05,0\n");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_NEAR(std::stod(cells(s.lines()[1])[0]), 2 * 0.1 / 3.414 + 0.1, 1e-12);
}

TEST(TracePid, TakesTheGainsOfAVehicleFile) {
  const Said s = pintle("trace pid vehicles/oogway.yaml --loop position_cascaded --axis y",
                        "error,dt_s,provided_derivative\n0.1,0.05,-0.02\n");
  ASSERT_EQ(s.code, 0) << s.err;
  const auto first = cells(s.lines()[1]);
  EXPECT_GT(std::stod(first[5]), 0.01);
  EXPECT_NEAR(std::stod(first[1]), 3.5 * std::stod(first[5]), 1e-12);
}

TEST(TraceController, SpeaksInTheTopicsOfTheOriginal) {
  const std::string identity = R"("orientation":{"x":0,"y":0,"z":0,"w":1})";
  const std::string still =
      R"("twist":{"twist":{"linear":{"x":0,"y":0,"z":0},"angular":{"x":0,"y":0,"z":0}}})";
  const std::string state = R"("state":{"pose":{"pose":{"position":{"x":0,"y":0,"z":0},)" +
                            identity + "}}," + still + "}";
  const Said s =
      pintle("trace controller vehicles/original/duke/config/oogway.yaml",
             R"({"t_s":0,"desired_position":{"position":{"x":0.1,"y":0,"z":0},)" + identity + "}," +
                 state + "}\n" + R"({"t_s":0.05,)" + state + R"(,"tick":true})" + "\n" +
                 R"({"t_s":0.1,"enable":true,"scale":0.5,"tick":true})" + "\n");
  ASSERT_EQ(s.code, 0) << s.err;
  ASSERT_EQ(s.lines().size(), 2U);
  const std::string first = s.lines()[0], second = s.lines()[1];
  for (const char* topic : {"constrained_thruster_allocs",
                            "unconstrained_thruster_allocs",
                            "base_power",
                            "set_power_unscaled",
                            "set_power",
                            "actual_power",
                            "power_disparity",
                            "power_disparity_norm",
                            "control_types",
                            "status",
                            "pid_gains",
                            "static_power_global",
                            "power_scale_factor",
                            "delta_time",
                            "position_error",
                            "position_efforts",
                            "position_pid_infos",
                            "velocity_error",
                            "velocity_efforts",
                            "velocity_pid_infos",
                            "static_power_local"})
    EXPECT_NE(first.find("\"" + std::string(topic) + "\":"), std::string::npos) << topic;
  // allocations leave only while it is enabled
  EXPECT_EQ(first.find("\"thruster_allocs\":"), std::string::npos);
  EXPECT_NE(second.find("\"thruster_allocs\":"), std::string::npos);
  // kp 1.8 times the filtered error of 0.1
  EXPECT_NE(first.find("\"position_efforts\":{\"linear\":{\"x\":0.052724"), std::string::npos)
      << first;
  EXPECT_NE(first.find("\"static_power_local\":{\"x\":0.0,\"y\":0.0,\"z\":-0.1625}"),
            std::string::npos)
      << first;
  EXPECT_NE(second.find("\"set_power\":{\"linear\":{\"x\":0.026362"), std::string::npos) << second;
}

TEST(TraceController, NamesTheLineOfABadInput) {
  const Said s =
      pintle("trace controller vehicles/oogway.yaml", "{\"t_s\":0}\n{\"t_s\":1,\"stat\":{}}\n");
  EXPECT_EQ(s.code, 3);
  EXPECT_NE(s.err.find("stdin:2"), std::string::npos) << s.err;
  EXPECT_NE(s.err.find("state"), std::string::npos) << s.err;
}

TEST(TraceThruster, GivesThePulseWidthsOfTheOriginalsTables) {
  std::string header = "bus_V", ones = "14", minus = "16", zero = "18";
  for (const char* name :
       {"bottom_front_left", "top_front_left", "top_front_right", "bottom_front_right",
        "bottom_back_left", "top_back_left", "bottom_back_right", "top_back_right"}) {
    header += std::string(",") + name;
    ones += ",-1";
    minus += ",-1";
    zero += ",0";
  }
  const Said s = pintle("trace thruster vehicles/oogway.yaml",
                        header + "\n" + ones + "\n" + minus + "\n" + zero + "\n");
  ASSERT_EQ(s.code, 0) << s.err;
  const auto names = cells(s.lines()[0]);
  EXPECT_EQ(names[1], "bottom_front_left_pwm_us");
  EXPECT_EQ(cells(s.lines()[1])[1], "1104");
  EXPECT_EQ(cells(s.lines()[2])[1], "1152");
  EXPECT_EQ(cells(s.lines()[3])[1], "1512");
}

TEST(Doctor, AnswersWithoutRightsOrDevices) {
  const Said s = pintle("doctor --seconds 0.05 --json");
  EXPECT_TRUE(s.code == 0 || s.code == 1);
  EXPECT_TRUE(s.out.starts_with("{"));
}

}  // namespace
}  // namespace pintle::testing
#endif
