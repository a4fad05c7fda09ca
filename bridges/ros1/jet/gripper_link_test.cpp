#include "jet/gripper_link.h"

#include <gtest/gtest.h>

#include "pintle/device/gripper_emulator.h"

namespace pintle::ros1 {
namespace {

/// Both ends of a line, in steps of 20 ms.
struct Rig {
  device::GripperEmulator emulator{0.05};
  std::optional<GripperLink> link;
  Time now{};

  Rig() {
    EXPECT_TRUE(emulator.plug());
    device::GripperParams p;
    p.serial_port = emulator.path();
    link.emplace(p);
  }
  GripperReport step(int ticks) {
    GripperReport r;
    for (int i = 0; i < ticks; ++i) {
      now = now + Duration{20'000'000};
      r = link->update(now);
      emulator.update(now);
    }
    return r;
  }
};

TEST(GripperLink, ARequestIsDoneWhenTheGripperSaysSo) {
  Rig rig;
  EXPECT_EQ(rig.step(2).outcome, RequestOutcome::kNone);
  rig.link->ask({GripperRequestKind::kGrab, 1});
  EXPECT_EQ(rig.step(1).outcome, RequestOutcome::kPending);
  const GripperReport r = rig.step(20);
  EXPECT_EQ(r.outcome, RequestOutcome::kDone);
  EXPECT_EQ(r.request, 1U);
  EXPECT_EQ(r.hold, GripperHold::kGrabbed);
  EXPECT_TRUE(r.connected);
}

TEST(GripperLink, AnOperatorsCommandEndsTheMissionsAndTheOtherWayRound) {
  Rig rig;
  rig.emulator.faults.mute = true;
  rig.link->ask({GripperRequestKind::kGrab, 1});
  EXPECT_EQ(rig.step(1).outcome, RequestOutcome::kPending);
  EXPECT_FALSE(rig.step(1).by_hand);
  rig.link->command(false);
  EXPECT_TRUE(rig.step(1).by_hand);
  EXPECT_EQ(rig.step(1).outcome, RequestOutcome::kFailed);
  EXPECT_EQ(rig.link->command_outcome(), RequestOutcome::kPending);
  rig.link->ask({GripperRequestKind::kGrab, 2});
  EXPECT_FALSE(rig.step(1).by_hand);
  EXPECT_EQ(rig.step(1).outcome, RequestOutcome::kPending);
  EXPECT_EQ(rig.link->command_outcome(), RequestOutcome::kFailed);
}

TEST(GripperLink, AGripperThatNeverAnswersFailsInBoundedTime) {
  Rig rig;
  rig.emulator.faults.mute = true;
  rig.link->command(true);
  // five frames 0.2 s apart
  rig.step(60);
  EXPECT_EQ(rig.link->command_outcome(), RequestOutcome::kFailed);
  EXPECT_EQ(rig.link->status(), device::kGripperUnknown);
}

TEST(GripperLink, TheSameRequestInEveryTickIsSentOnce) {
  Rig rig;
  for (int i = 0; i < 20; ++i) {
    rig.link->ask({GripperRequestKind::kGrab, 1});
    rig.step(1);
  }
  EXPECT_EQ(rig.emulator.frames_heard(), 1);
}

TEST(GripperLink, WithoutAPortCommandsCountAsDoneAndNothingIsKnown) {
  GripperLink link(std::nullopt);
  link.ask({GripperRequestKind::kGrab, 1});
  link.command(true);
  const GripperReport r = link.update({1});
  EXPECT_EQ(link.command_outcome(), RequestOutcome::kDone);
  EXPECT_FALSE(r.connected);
  EXPECT_EQ(r.hold, GripperHold::kUnknown);
  EXPECT_EQ(link.status(), 0xFF);
}

}  // namespace
}  // namespace pintle::ros1
