#include "pintle/config/bounded.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace pintle::config {
namespace {

TEST(TryOut, WhatComesToAnEndIsFine) {
  EXPECT_EQ(try_out([] {}), "");
  EXPECT_EQ(try_out([] { throw std::runtime_error("wrong"); }), "");
  int here = 1;
  EXPECT_EQ(try_out([&] { here = 2; }), "");
  EXPECT_EQ(here, 1) << "it ran in a process of its own";
}

TEST(TryOut, WhatNeverEndsIsEnded) {
  EXPECT_EQ(try_out(
                [] {
                  std::atomic<unsigned> n{0};
                  while (n.load() != 1) n.store(2);
                },
                {300, 256 << 20}),
            "takes more than 0.3 s");
}

TEST(TryOut, WhatGrowsIsEnded) {
  EXPECT_EQ(try_out(
                [] {
                  std::vector<std::vector<char>> all;
                  while (true) all.emplace_back(1 << 20, 'x');
                },
                {60'000, 64 << 20}),
            "needs more than 64 MiB");
}

TEST(TryOut, WhatWaitsForNothingIsEnded) {
  EXPECT_EQ(try_out([] { pause(); }), "waits for what does not come (a pipe?)");
}

TEST(DoApart, WhatIsDoneOnceTellsItsResult) {
  const Bounds bounds{1'000, 64 << 20};
  std::string result = "of before";
  // more than a pipe holds, and every byte
  EXPECT_EQ(do_apart([] { return std::string(1'000'000, '\0') + "end"; }, result, bounds), "");
  EXPECT_EQ(result, std::string(1'000'000, '\0') + "end");
  EXPECT_EQ(do_apart([]() -> std::string { throw std::runtime_error("wrong"); }, result, bounds),
            "ends the program");
  EXPECT_EQ(result, "");
}

TEST(TryOut, WhatEndsTheProgramOrAsksThePersonDoesNeither) {
  EXPECT_EQ(try_out([] { std::abort(); }), "ends the program");
  EXPECT_EQ(try_out([] { std::exit(1); }), "ends the program");
  EXPECT_EQ(try_out([] {
              if (std::getchar() != EOF) std::abort();
            }),
            "");
}

}  // namespace
}  // namespace pintle::config
