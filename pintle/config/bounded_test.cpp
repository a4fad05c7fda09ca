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
                {1, 256 << 20}),
            "takes more than 1 s");
}

TEST(TryOut, WhatGrowsIsEnded) {
  EXPECT_EQ(try_out(
                [] {
                  std::vector<std::vector<char>> all;
                  while (true) all.emplace_back(1 << 20, 'x');
                },
                {60, 64 << 20}),
            "needs more than 64 MiB");
}

TEST(TryOut, WhatWaitsForNothingIsEnded) {
  EXPECT_EQ(try_out([] { pause(); }), "waits for what does not come (a pipe?)");
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
