#include "pintle/flight/state_log.h"

#include <gtest/gtest.h>

namespace pintle::flight {
namespace {

Event at(double t_s, EventCode code, std::int32_t state, double value = 0) {
  return {Time::from_seconds(t_s), code, state, value};
}

TEST(StateLog, FollowsSuccessRetryAbortAndTheEnd) {
  StateLog log({"dive", "east", "up"});
  EXPECT_EQ(log.current(), "");
  for (const Event& e :
       {at(1, EventCode::kStateEntered, 0), at(4, EventCode::kStateSucceeded, 0),
        at(4, EventCode::kStateEntered, 1), at(9, EventCode::kStateTimedOut, 1),
        at(9, EventCode::kStateRetried, 1), at(9, EventCode::kStateEntered, 1),
        at(12, EventCode::kMissionAborted, 1), at(12, EventCode::kStateEntered, 2)})
    log.take(e);
  EXPECT_EQ(log.current(), "up");
  log.close(15);
  const std::vector<StateRecord>& r = log.records();
  ASSERT_EQ(r.size(), 4U);
  const auto is = [&r](std::size_t i, const char* name, double from, double to, const char* how) {
    EXPECT_EQ(r[i].name, name);
    EXPECT_EQ(r[i].entered_s, from);
    EXPECT_EQ(r[i].left_s, to);
    EXPECT_EQ(r[i].outcome, how);
  };
  is(0, "dive", 1, 4, "succeeded");
  is(1, "east", 4, 9, "timed_out");
  is(2, "east", 9, 12, "aborted");
  is(3, "up", 12, 15, "interrupted");
}

TEST(StateLog, StatesItDoesNotKnowAreLeftOut) {
  StateLog log({"only"});
  log.take(at(1, EventCode::kStateEntered, 0));
  log.take(at(2, EventCode::kStateEntered, 7));
  log.close(3);
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_EQ(log.records()[0].left_s, 2);
}

}  // namespace
}  // namespace pintle::flight
