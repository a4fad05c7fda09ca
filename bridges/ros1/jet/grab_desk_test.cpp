#include "jet/grab_desk.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

TEST(GrabDesk, ACommandIsTakenOnceAndAnsweredByItsNumber) {
  GrabDesk desk;
  EXPECT_EQ(desk.take(), -1);
  const auto grab = desk.ask(true);
  EXPECT_EQ(desk.answer(grab), -1);
  EXPECT_EQ(desk.take(), 1);
  EXPECT_EQ(desk.take(), -1);
  EXPECT_EQ(desk.answer(grab), -1);
  desk.tell(true);
  EXPECT_EQ(desk.answer(grab), 1);
  const auto release = desk.ask(false);
  EXPECT_EQ(desk.answer(release), -1);
  EXPECT_EQ(desk.take(), 0);
  desk.tell(false);
  EXPECT_EQ(desk.answer(release), 0);
  EXPECT_EQ(desk.answer(grab), -1);
}

// who asked first has stopped waiting; what the gripper then says to it is no answer to the next
TEST(GrabDesk, ALateAnswerIsNotTheAnswerToTheNextCommand) {
  GrabDesk desk;
  const auto first = desk.ask(true);
  EXPECT_EQ(desk.take(), 1);
  const auto second = desk.ask(false);
  desk.tell(true);
  EXPECT_EQ(desk.answer(second), -1);
  EXPECT_EQ(desk.answer(first), 1);
  EXPECT_EQ(desk.take(), 0);
  desk.tell(false);
  EXPECT_EQ(desk.answer(second), 0);
}

TEST(GrabDesk, ACommandThatWasNotTakenIsReplaced) {
  GrabDesk desk;
  const auto first = desk.ask(true);
  const auto second = desk.ask(false);
  EXPECT_EQ(desk.take(), 0);
  EXPECT_EQ(desk.take(), -1);
  desk.tell(true);
  EXPECT_EQ(desk.answer(first), -1);
  EXPECT_EQ(desk.answer(second), 1);
}

}  // namespace
}  // namespace pintle::ros1
