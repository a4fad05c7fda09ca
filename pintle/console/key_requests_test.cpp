#include "pintle/console/key_requests.h"

#include <gtest/gtest.h>

namespace pintle::console {
namespace {

using namespace std::chrono_literals;
using stack::CommandCode;

class KeyRequestsTest : public ::testing::Test {
 protected:
  using Codes = std::vector<CommandCode>;
  void asks(const Codes& codes) {
    KeyRequests::Commands commands;
    for (const CommandCode c : codes) commands.push_back({c, 3, mission::Operator::kNobody});
    requests_.add(commands, now_);
  }
  Codes taken() {
    to_.clear();
    requests_.take(to_, now_);
    Codes codes;
    for (const stack::OperatorCommand& c : to_) {
      codes.push_back(c.code);
      EXPECT_EQ(c.from, mission::Operator::kConsole);
      EXPECT_EQ(c.argument, 3);
    }
    return codes;
  }
  KeyRequests requests_;
  KeyRequests::Clock::time_point now_ = KeyRequests::Clock::now();
  FixedVector<stack::OperatorCommand, 4> to_;
};

TEST_F(KeyRequestsTest, AreTakenOnceInTheirOrder) {
  asks({CommandCode::kArm});
  asks({});
  asks({CommandCode::kMissionStart});
  now_ += flight::kTakenUpWithin;
  EXPECT_EQ(taken(), (Codes{CommandCode::kArm, CommandCode::kMissionStart}));
  EXPECT_EQ(taken(), Codes{});
  EXPECT_FALSE(requests_.has_lapsed());
}

TEST_F(KeyRequestsTest, WhatHasNoRoomComesLaterAndWhole) {
  for (int i = 0; i < 3; ++i) asks({CommandCode::kTakeOver, CommandCode::kMissionStep});
  EXPECT_EQ(taken().size(), 4U);
  EXPECT_EQ(taken(), (Codes{CommandCode::kTakeOver, CommandCode::kMissionStep}));
}

TEST_F(KeyRequestsTest, WhatWaitsForMoreThanTwoSecondsIsToldAndNotDone) {
  for (const Codes& moves : {Codes{CommandCode::kArm}, Codes{CommandCode::kMissionStart},
                             Codes{CommandCode::kMissionResume}, Codes{CommandCode::kMissionStep},
                             Codes{CommandCode::kResetLatch}, Codes{CommandCode::kMissionSelect},
                             Codes{CommandCode::kTakeOver, CommandCode::kMissionResume}}) {
    // told before the flight goes on, and where it goes on before that
    for (const bool is_looked_at : {true, false}) {
      asks(moves);
      now_ += flight::kTakenUpWithin + 1ms;
      if (is_looked_at) {
        (void)requests_.look(now_);
        EXPECT_TRUE(requests_.has_lapsed());
      }
      EXPECT_EQ(taken(), Codes{});
      EXPECT_EQ(requests_.has_lapsed(), !is_looked_at);
      // until what may still be on its way has come
      for (int i = 0; i < 3; ++i) requests_.find_nothing();
    }
  }
}

TEST_F(KeyRequestsTest, WhatStopsIsDoneHoweverLateAndAskedForOnce) {
  const Codes stops = {CommandCode::kMissionPause, CommandCode::kMissionCutoff,
                       CommandCode::kMissionAbort, CommandCode::kMissionLand,
                       CommandCode::kDisarm,       CommandCode::kDisarmForce};
  for (const CommandCode code : stops) {
    for (int i = 0; i < 1000; ++i) asks({code});
    asks({CommandCode::kMissionResume});
    now_ += 1h;
    EXPECT_EQ(taken(), Codes{code});
    EXPECT_TRUE(requests_.has_lapsed());
  }
  // the last word stays the last
  asks({CommandCode::kMissionPause});
  asks({CommandCode::kMissionResume});
  asks({CommandCode::kTakeOver, CommandCode::kMissionPause});
  asks({CommandCode::kMissionPause});
  EXPECT_EQ(taken(), (Codes{CommandCode::kMissionResume, CommandCode::kTakeOver,
                            CommandCode::kMissionPause, CommandCode::kMissionPause}));
}

// Ctrl-Z, or a machine that slept: nobody saw what it looked like when the key was pressed
TEST_F(KeyRequestsTest, AKeyPressedWhileNobodyReadIsLate) {
  EXPECT_FALSE(requests_.look(now_));
  now_ += flight::kTakenUpWithin;
  EXPECT_TRUE(requests_.look(now_));
  asks({CommandCode::kArm});
  EXPECT_TRUE(requests_.has_lapsed());
  asks({CommandCode::kMissionAbort});
  EXPECT_FALSE(requests_.has_lapsed());
  EXPECT_EQ(taken(), Codes{CommandCode::kMissionAbort});
  for (int i = 0; i < 3; ++i) requests_.find_nothing();
  asks({CommandCode::kArm});
  EXPECT_EQ(taken(), Codes{CommandCode::kArm});
}

}  // namespace
}  // namespace pintle::console
