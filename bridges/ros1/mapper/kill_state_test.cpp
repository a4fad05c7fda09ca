#include "mapper/kill_state.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

using Alarm = KillState::Alarm;

bool may_move(const KillState& s) { return s.is_known() && !s.killed(); }

TEST(KillState, NothingMovesBeforeBothAreKnownToBeClear) {
  KillState s;
  EXPECT_FALSE(may_move(s));
  s.answered(Alarm::kKill, false);
  EXPECT_FALSE(may_move(s));
  s.answered(Alarm::kPower, false);
  EXPECT_TRUE(may_move(s));
}

TEST(KillState, WhatStoodBeforeTheStartStands) {
  KillState s;
  s.answered(Alarm::kKill, true);
  s.answered(Alarm::kPower, false);
  EXPECT_TRUE(s.is_known() && s.killed());
  EXPECT_FALSE(may_move(s) || s.power_is_cut());
  s.said(Alarm::kPower, true);
  s.said(Alarm::kKill, false);
  EXPECT_TRUE(s.killed() && s.power_is_cut());
  s.said(Alarm::kPower, false);
  EXPECT_TRUE(may_move(s));
}

TEST(KillState, WhatIsSaidMeanwhileCountsMoreThanTheAnswer) {
  KillState s;
  s.said(Alarm::kKill, true);
  s.said(Alarm::kPower, false);
  s.answered(Alarm::kKill, false);
  s.answered(Alarm::kPower, true);
  EXPECT_TRUE(s.killed());
  EXPECT_FALSE(s.power_is_cut());
}

}  // namespace
}  // namespace pintle::ros1
