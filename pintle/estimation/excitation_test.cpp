#include "pintle/estimation/excitation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/geometry.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::estimation {
namespace {

/// Four in the plane at 45 degrees and four upright, of unlike strength; `turned`: not quite so.
BodyModel eight(double turned = 0) {
  BodyModel m;
  const auto add = [&m](Vec3 p, Vec3 d, double largest) {
    const Vec3 t = cross(p, d);
    m.column_N[m.n] = {{d.x, d.y, d.z, t.x, t.y, t.z}};
    m.largest[m.n++] = largest;
  };
  const double c = std::sqrt(0.5);
  for (const double x : {0.3, -0.3})
    for (const double y : {0.25, -0.25})
      add({x, y, 0.02}, {c, (x > 0) == (y > 0) ? -c : c, turned}, 30);
  for (const double x : {0.2, -0.2})
    for (const double y : {0.3, -0.3}) add({x, y, 0}, {turned, 0, 1}, 20);
  return m;
}

Vec6 wrench_of(const BodyModel& m, const std::array<double, kMaxChannels>& e) {
  Vec6 w;
  for (std::size_t i = 0; i < m.n; ++i)
    for (std::size_t k = 0; k < 6; ++k) w[k] += m.column_N[i][k] * m.largest[i] * e[i];
  return w;
}

/// What is sent for a demand that asks for `asked`, with the excitation.
ChannelVector sent(const BodyModel& m, const std::array<double, 8>& asked,
                   const ExcitationState& s) {
  ChannelVector u(m.n);
  for (std::size_t i = 0; i < m.n; ++i) u[i] = m.largest[i] * (asked[i] + s.e[i]);
  return u;
}

void run(const ExcitationParams& p, const BodyModel& m, const std::array<double, 8>& asked,
         bool wanted, double seconds, ExcitationState& s) {
  const Freedom f = freedom_of(m);
  for (int k = 0; k < static_cast<int>(std::lround(seconds / 0.02)); ++k)
    excite(p, f, m, sent(m, asked, s), wanted, false, 0.02, s);
}

constexpr std::array<double, 8> kNothing{};

TEST(Excitation, PushesNothingAndStaysWithinItsSize) {
  for (const double turned : {0.0, 0.05}) {
    const BodyModel m = eight(turned);
    ExcitationState s;
    for (int k = 0; k < 200; ++k) {
      std::array<double, 8> asked{};
      for (std::size_t i = 0; i < 8; ++i)
        asked[i] = 0.1 * std::sin(0.1 * k + 2.0 * static_cast<double>(i));
      run({0.05, ExciteWhen::kAlways}, m, asked, true, 0.02, s);
      for (const double w : wrench_of(m, s.e).v) EXPECT_NEAR(w, 0, 1e-12);
      for (const double e : s.e) EXPECT_LE(std::abs(e), 0.05 * (1 + 1e-12));
    }
  }
}

TEST(Excitation, AsksEveryPropulsorThatIsIdleForItsSize) {
  const BodyModel m = eight();
  ExcitationState s;
  run({0.05, ExciteWhen::kAlways}, m, kNothing, true, 1, s);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(std::abs(s.e[i]), 0.05, 1e-9) << i;
}

TEST(Excitation, HasTheSignThatLeavesNoneOfItsPatternIdle) {
  // the four in the plane, asked for so that one sign leaves the first nothing, the other 0.09
  const BodyModel m = eight();
  const Freedom f = freedom_of(m);
  ASSERT_EQ(f.patterns, 2U);
  const auto& v = std::abs(f.v[0][0]) > 0.5 ? f.v[0] : f.v[1];
  for (const double sign : {1.0, -1.0}) {
    std::array<double, 8> asked{};
    for (std::size_t i = 0; i < 4; ++i) asked[i] = sign * (i == 0 ? 0.04 : 0.1) * v[i];
    ExcitationState s;
    run({0.05, ExciteWhen::kAlways}, m, asked, true, 1, s);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(std::abs(asked[i] + s.e[i]), 0.09 - 1e-9) << i;
  }
}

TEST(Excitation, AddsNothingWhereAllOfAPatternAreUsedByThemselves) {
  // half of them one way and half the other, as far as it reaches: either sign leaves two idle
  const BodyModel m = eight();
  const Freedom f = freedom_of(m);
  const auto& v = std::abs(f.v[0][0]) > 0.5 ? f.v[0] : f.v[1];
  std::array<double, 8> asked{};
  for (std::size_t i = 0; i < 4; ++i) asked[i] = (i < 2 ? 0.1 : -0.1) * v[i];
  ExcitationState s;
  run({0.1, ExciteWhen::kAlways}, m, asked, true, 1, s);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(s.e[i], 0, 1e-9) << i;
}

TEST(Excitation, KeepsItsSignWhileOneIsSuspectedAndForAtLeastHalfASecond) {
  const BodyModel m = eight();
  const Freedom f = freedom_of(m);
  const ExcitationParams p{0.05, ExciteWhen::kAlways};
  const auto& v = std::abs(f.v[0][0]) > 0.5 ? f.v[0] : f.v[1];
  ExcitationState s;
  const auto fly = [&](double demand, bool suspicious, double seconds) {
    std::array<double, 8> asked{};
    for (std::size_t i = 0; i < 4; ++i) asked[i] = demand * v[i];
    for (int k = 0; k < static_cast<int>(std::lround(seconds / 0.02)); ++k)
      excite(p, f, m, sent(m, asked, s), true, suspicious, 0.02, s);
    return s.e[0] * v[0] > 0;
  };
  ASSERT_TRUE(fly(0.05, false, 0.2));
  // the other sign would be better by all of its size
  EXPECT_TRUE(fly(-0.05, false, 0.2));
  EXPECT_TRUE(fly(-0.05, true, 5));
  EXPECT_FALSE(fly(-0.05, false, 0.4));
}

TEST(Excitation, RisesInASeventhOfASecondAndIsGoneThreeAfterItsReason) {
  const BodyModel m = eight();
  const ExcitationParams p{0.06, ExciteWhen::kSuspicious};
  ExcitationState s;
  run(p, m, kNothing, false, 1, s);
  for (const double e : s.e) EXPECT_EQ(e, 0);
  double last = 0;
  for (int k = 0; k < 50; ++k) {
    run(p, m, kNothing, true, 0.02, s);
    EXPECT_LE(std::abs(s.e[0]) - last, 0.06 * 0.02 / 0.15 + 1e-12);
    last = std::abs(s.e[0]);
    if (k == 7) {
      EXPECT_NEAR(last, 0.06, 1e-9);
    }
  }
  run(p, m, kNothing, false, 1.9, s);
  EXPECT_NEAR(std::abs(s.e[0]), 0.06, 1e-9) << "what has been suspected may show again";
  run(p, m, kNothing, false, 1, s);
  for (const double e : s.e) EXPECT_NEAR(e, 0, 1e-12);
}

TEST(Excitation, LeavesPropulsorsWithoutFreedomAlone) {
  BodyModel quad;
  for (const double x : {0.2, -0.2})
    for (const double y : {0.2, -0.2}) {
      quad.column_N[quad.n] = {{0, 0, 1, y, -x, (x > 0) == (y > 0) ? 0.02 : -0.02}};
      quad.largest[quad.n++] = 14;
    }
  ExcitationState s;
  run({0.2, ExciteWhen::kAlways}, quad, kNothing, true, 2, s);
  for (const double e : s.e) EXPECT_NEAR(e, 0, 1e-12);
}

TEST(Excitation, WorksWithoutTheHeapAndIsTheSameForTheSameInput) {
  const BodyModel m = eight(0.03);
  const Freedom f = freedom_of(m);
  ExcitationState a, b;
  const ChannelVector u(8, 0.1);
  const auto before = testing::heap_allocations();
  for (int k = 0; k < 20; ++k) {
    excite({0.05, ExciteWhen::kAlways}, f, m, u, true, false, 0.02, a);
    excite({0.05, ExciteWhen::kAlways}, f, m, u, true, false, 0.02, b);
  }
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_EQ(a.e, b.e);
}

}  // namespace
}  // namespace pintle::estimation
