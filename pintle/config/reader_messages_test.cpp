// what the reader says to the person who has to mend the file

#include <gtest/gtest.h>

#include "pintle/config/craft_test.h"

namespace pintle::config {
namespace {

// the problems of one line below a complete file
std::string problem_of(const std::string& line) { return read("mass_kg: 1\n" + line + "\n").all(); }

struct Case {
  const char* line;
  const char* answer;
};

TEST(ReaderMessagesTest, AnswersNumbersThatAreNotNumbers) {
  const Case cases[] = {
      {"max_thrust_N: fifty",
       "2:15 max_thrust_N: expected a number above 0, got \"fifty\" => write a number in newtons, "
       "such as  max_thrust_N: 50\n"},
      {"max_thrust_N: 50 kgf",
       "2:15 max_thrust_N: expected a number above 0, got \"50 kgf\" => write the number alone, in "
       "newtons:  max_thrust_N: 490.3325\n"},
      {"max_thrust_N: 10lbf",
       "2:15 max_thrust_N: expected a number above 0, got \"10lbf\" => write the number alone, in "
       "newtons:  max_thrust_N: 44.48221615\n"},
      {"max_thrust_N: 50 N",
       "2:15 max_thrust_N: expected a number above 0, got \"50 N\" => write the number alone, in "
       "newtons:  max_thrust_N: 50\n"},
      {"angle_rad: 30 deg",
       "2:12 angle_rad: expected a number, got \"30 deg\" => write the number alone, in radians:  "
       "angle_rad: 0.5235987756\n"},
      {"angle_rad: 180°",
       "2:12 angle_rad: expected a number, got \"180°\" => write the number alone, in radians:  "
       "angle_rad: 3.141592654\n"},
      {"speed_m_s: 36 km/h",
       "2:12 speed_m_s: expected a number, got \"36 km/h\" => write the number alone, in metres "
       "per "
       "second:  speed_m_s: 10\n"},
      {"after_s: 30 ms",
       "2:10 after_s: expected a number of at least 0, got \"30 ms\" => write the number alone, in "
       "seconds:  after_s: 0.03\n"},
      {"after_s: 3 kg",
       "2:10 after_s: expected a number of at least 0, got \"3 kg\" => write a number in seconds, "
       "such as  after_s: 1\n"},
      {"angle_rad: 1,5",
       "2:12 angle_rad: expected a number, got \"1,5\" => use a point for decimals:  angle_rad: "
       "1.5\n"},
      {"angle_rad: 1_000",
       "2:12 angle_rad: expected a number, got \"1_000\" => write  angle_rad: 1000\n"},
      {"angle_rad: 0.00000000000000000000000000000000000000000000000000000000000000001",
       "2:12 angle_rad: expected a number, got "
       "\"0.0000000000000000000000000000000000000000000000000000000000…\" => a number has 64 "
       "characters at most: write fewer digits\n"},
      {"angle_rad: '2'",
       "2:12 angle_rad: expected a number, got \"2\" => remove the quotes:  angle_rad: 2\n"},
      {"angle_rad: [1]",
       "2:1 angle_rad: expected a number, got a list => write a number in radians, such as  "
       "angle_rad: 1\n"},
      {"angle_rad:",
       "2:1 angle_rad: expected a number, got nothing => write a number in radians, such as  "
       "angle_rad: 1\n"},
      {"max_thrust_N: 0",
       "2:15 max_thrust_N: expected a number above 0, got \"0\" => write a number in newtons, such "
       "as  max_thrust_N: 50\n"},
      {"count: 1.0",
       "2:8 count: expected a whole number from 0 to 10, got \"1.0\" => write it without point and "
       "exponent:  count: 1\n"},
      {"count: 0000000000000000000000000000000000000000000000000000000000000000000000000009",
       "2:8 count: expected a whole number from 0 to 10, got "
       "\"000000000000000000000000000000000000000000000000000000000000…\" => a number has 64 "
       "characters at most: write fewer digits\n"},
      {"count: 1e0",
       "2:8 count: expected a whole number from 0 to 10, got \"1e0\" => write it without point and "
       "exponent:  count: 1\n"},
      {"count: 11",
       "2:8 count: expected a whole number from 0 to 10, got \"11\" => write a number, such as  "
       "count: 3\n"},
      {"small: 256",
       "2:8 small: expected a whole number from 0 to 255, got \"256\" => write a number, such as  "
       "small: 1\n"},
      {"seed: -1",
       "2:7 seed: expected a whole number of at least 0, got \"-1\" => write a number, such as  "
       "seed: 1\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
}

TEST(ReaderMessagesTest, NeverAcceptsANumberThatIsNotFinite) {
  for (const char* text : {".nan", ".inf", "-.inf", "1e999", "nan", "inf"}) {
    EXPECT_EQ(read(std::string("mass_kg: 1\nangle_rad: ") + text).problems.size(), 1U) << text;
    EXPECT_EQ(read(std::string("mass_kg: 1\nafter_s: ") + text).problems.size(), 1U) << text;
  }
  // a float has its own largest
  EXPECT_EQ(read("mass_kg: 1\nrough: 1e39").problems.size(), 1U);
  for (const char* text : {"18446744073709551616", "99999999999999999999999", "-0x1"})
    EXPECT_EQ(read(std::string("mass_kg: 1\nseed: ") + text).problems.size(), 1U) << text;
  EXPECT_EQ(read("mass_kg: 1\nstart_ns: 9223372036854775808").problems.size(), 1U);
}

TEST(ReaderMessagesTest, AnswersWordsThatAreNotTheOnesExpected) {
  const Case cases[] = {
      {"on: yes", "2:5 on: expected true or false, got \"yes\" => write  on: true\n"},
      {"on: Off", "2:5 on: expected true or false, got \"Off\" => write  on: false\n"},
      {"on: True", "2:5 on: expected true or false, got \"True\" => write  on: true\n"},
      {"on: 'true'", "2:5 on: expected true or false, got \"true\" => write  on: true\n"},
      {"on: 2", "2:5 on: expected true or false, got \"2\" => write  on: true  or  on: false\n"},
      {"gains: {x: {kp: 1, derivative_type: provded}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"provded\" => did you "
       "mean  provided\n"},
      {"gains: {x: {kp: 1, derivative_type: 1.0}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"1.0\" => write  "
       "derivative_type: provided\n"},
      {"gains: {x: {kp: 1, derivative_type: 2}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"2\" => write one of "
       "these, such as  derivative_type: calculated\n"},
      {"code: abcdef",
       "2:7 code: expected a text that fits, got 6 bytes => write a shorter text\n"},
      {"note: [a]", "2:1 note: expected text, got a list => write text, such as  note: name\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
}

TEST(ReaderMessagesTest, FindsTheKeyThatWasMeant) {
  const Case cases[] = {
      {"max_thurst_N: 1", "2:1 max_thurst_N: unknown key => did you mean  max_thrust_N\n"},
      {"max_thrust: 1", "2:1 max_thrust: unknown key => did you mean  max_thrust_N\n"},
      {"max_thrust_kgf: 5", "2:1 max_thrust_kgf: unknown key => write  max_thrust_N: 49.03325\n"},
      {"angle_deg: 90", "2:1 angle_deg: unknown key => write  angle_rad: 1.570796327\n"},
      {"angle: 90", "2:1 angle: unknown key => did you mean  angle_rad\n"},
      {"speed_km/h: 36", "2:1 speed_km/h: unknown key => write  speed_m_s: 10\n"},
      {"Count: 3", "2:1 Count: unknown key => did you mean  count\n"},
      {"gains: {X: {kp: 1}}", "2:9 X: unknown key in gains => did you mean  x\n"},
      {"gains: {heave: {kp: 1}}",
       "2:9 heave: unknown key in gains => use x, y, z, roll, pitch or yaw\n"},
      {"spare: {name: a, tau_ms: 20}", "2:18 tau_ms: unknown key in spare => write  tau_s: 0.02\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
  // the misspelt required key is not reported as missing a second time
  EXPECT_EQ(read("mass: 3\n").all(), "1:1 mass: unknown key => did you mean  mass_kg\n");
  EXPECT_EQ(read("mass_kg: 3\nmass_kgs: 3\n").all(),
            "2:1 mass_kgs: unknown key => remove it: mass_kg is there already\n");
}

TEST(ReaderMessagesTest, SaysWhichRequiredKeysAreMissingAndWhere) {
  EXPECT_EQ(read("count: 1\nparts:\n  - tau_s: 1\n").all(),
            "3:5 name: missing in parts[0]; expected text => write text, such as  name: name\n"
            "1:1 mass_kg: missing; expected a number above 0 => write a number in kilograms, such "
            "as  mass_kg: 5\n");
  EXPECT_EQ(read("mass_kg: 1\ngains:\n  roll:\n    ki: 2\n").all(),
            "3:3 kp: missing in roll; expected a number => write a number, such as  kp: 0\n");
}

TEST(ReaderMessagesTest, CountsTheItemsOfLists) {
  const Case cases[] = {
      {"curve: [1, 2, 3, 4, 5]",
       "2:21 curve: expected at most 4 items, got 5 => remove the items from here on\n"},
      {"parts: []",
       "2:1 parts: expected at least 1 item, got 0 => write it, such as  parts: [{name: name}]\n"},
      {"limits: [1, 2]",
       "2:9 limits: expected a list of 6 items or a map, got 2 => write a number in newtons, such "
       "as  limits: [1, 1, 1, 1, 1, 1]\n"},
      {"spare: {name: a, position_m: [1, 2]}",
       "2:30 position_m: expected 3 items (x, y and z), got 2 => write  position_m: [1, 1, 1]\n"},
      {"spare: {name: a, position_m: [1, 2, 11]}",
       "2:37 position_m[2]: expected a number from -10 to 10, got \"11\" => write a number in "
       "metres, such as  3\n"},
      {"curve: [1 2  3]",
       "2:9 curve[0]: expected a number, got \"1 2  3\" => put commas between the numbers:  [1, 2, "
       "3]\n"},
      {"names: u", "2:8 names: expected a list, got \"u\" => write  names: [u]\n"},
      {"names:", "2:1 names: expected a list, got nothing => write  names: []  for none\n"},
      {"parts: {name: a}", "2:8 parts: expected a list, got a map => begin every item with  - \n"},
      {"spare: a",
       "2:8 spare: expected a map, got \"a\" => write keys below it, such as  name, "
       "position_m, tau_s and band\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
  std::string many = "mass_kg: 1\nnames: [a";
  for (std::size_t i = 0; i < kMaxItems; ++i) many += ",a";
  EXPECT_EQ(read(many + "]").problems.size(), 1U);
}

}  // namespace
}  // namespace pintle::config
