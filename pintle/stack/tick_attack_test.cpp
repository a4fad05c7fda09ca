// Every shipped vehicle under an attack on its inputs, see testing_attack.h. Many more ticks, and every law:
// tests/soak/random_ticks.
#include <gtest/gtest.h>

#include "pintle/stack/testing_attack.h"

namespace pintle::stack {
namespace {

class TickAttack : public ::testing::TestWithParam<std::string> {};

TEST_P(TickAttack, WhatGoesOutIsSoundAndSilenceIsSafeInTime) {
  AnyCraft craft(GetParam());
  long armed = 0;
  EXPECT_EQ(attack(craft, 7, 6000, armed), "");
  EXPECT_GT(armed, 0) << "or nothing was attacked";
}

TEST_P(TickAttack, WithEveryFailsafeItIsSoundAndSafeInTimeAsWell) {
  VehicleFile file = craft_file(GetParam());
  file.failsafes = every_failsafe(3);
  AnyCraft craft(file);
  long armed = 0;
  EXPECT_EQ(attack(craft, 5, 4000, armed), "");
  EXPECT_GT(armed, 0) << "or nothing was attacked";
}

INSTANTIATE_TEST_SUITE_P(Shipped, TickAttack,
                         ::testing::ValuesIn(every_craft(PINTLE_SOURCE_DIR "/vehicles")),
                         [](const auto& craft) { return craft_name(craft.param); });

}  // namespace
}  // namespace pintle::stack
