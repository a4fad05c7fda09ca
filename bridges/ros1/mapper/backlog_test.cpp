#include "mapper/backlog.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

TEST(Backlog, WhatComesAfterALongGapIsDroppedForAWhile) {
  Backlog backlog(1);
  EXPECT_FALSE(backlog.look(1000)) << "the first time";
  EXPECT_FALSE(backlog.look(1000.9));
  EXPECT_TRUE(backlog.look(1002));
  EXPECT_TRUE(backlog.look(1002.2));
  EXPECT_FALSE(backlog.look(1002.3));
}

TEST(Backlog, AShortLimitIsShortToGoOnToo) {
  Backlog backlog(0.1);
  EXPECT_FALSE(backlog.look(0));
  EXPECT_TRUE(backlog.look(0.2));
  EXPECT_TRUE(backlog.look(0.24));
  EXPECT_FALSE(backlog.look(0.26));
}

}  // namespace
}  // namespace pintle::ros1
