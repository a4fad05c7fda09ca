// The mapper on the tick against the one that it was before: random wrenches, drops, silences and
// clocks in random order, every number on the wire compared.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "mapper/mapper.h"
#include "pintle/base/random.h"
#include "pintle/flight/replay.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/testing/mapper_oracle.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::ros1 {
namespace {

using pintle::testing::MapperOracle;
using pintle::testing::OracleThrusts;

Layout layout_of(const char* name) {
  std::ifstream in(std::string(PINTLE_SOURCE_DIR) + "/vehicles/original/subjugator/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return read_layout(text.str(), Use::kAllocate);
}

Effectiveness effectiveness_of(const Layout& layout) {
  Effectiveness e;
  e.n = static_cast<std::uint32_t>(layout.thrusters.size());
  for (std::size_t i = 0; i < e.n; ++i) {
    const LayoutThruster& t = layout.thrusters[i];
    vehicle::Mount mount;
    mount.position_m = {t.position_m[0], t.position_m[1], t.position_m[2]};
    mount.direction = {t.direction[0], t.direction[1], t.direction[2]};
    e.column[i] = vehicle::column_of(mount);
    e.lower[i] = t.lower_N;
    e.upper[i] = t.upper_N;
  }
  return e;
}

/// Both, side by side.
class Pair {
 public:
  Pair(Layout layout, const MapperSettings& s)
      : mapper_(layout, s),
        oracle_(effectiveness_of(layout),
                {s.effort_weight, s.least_thrust_N, s.max_rate_Hz, s.wrench_timeout_s}),
        out_(layout.thrusters.size(), false) {
    oracle_.know_bounds(mapper_.unbounded().empty());
  }
  void wait(double s) { now_ns_ += static_cast<std::int64_t>(s * 1e9); }
  void take(const Six& wrench) {
    compare(mapper_.take(wrench, now_ns_), oracle_.take(wrench, now_s()));
  }
  void poll() { compare(mapper_.poll(now_ns_), oracle_.poll(now_s())); }
  void stop() { compare(mapper_.stop(now_ns_), oracle_.stop(now_s())); }
  void drop(const std::vector<bool>& out) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i]) names.push_back(mapper_.layout().thrusters[i].name);
    std::string why;
    ASSERT_TRUE(mapper_.set_dropped(names, now_ns_, why)) << why;
    oracle_.drop(out);
  }
  void bounds(std::size_t i, double lower_N, double upper_N) {
    std::string why;
    ASSERT_TRUE(mapper_.set_bounds(mapper_.layout().thrusters[i].name, lower_N, upper_N, why));
    oracle_.set_bounds(i, lower_N, upper_N);
    oracle_.know_bounds(mapper_.unbounded().empty());
  }
  [[nodiscard]] std::size_t thrusters() const { return out_.size(); }
  int sent = 0, safe = 0, bounded = 0;

 private:
  [[nodiscard]] double now_s() const { return static_cast<double>(now_ns_) * 1e-9; }
  void compare(const std::optional<MapperCommand>& a, const std::optional<OracleThrusts>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    ASSERT_EQ(mapper_.rejected(), oracle_.rejected());
    ASSERT_EQ(mapper_.silent(), oracle_.silent());
    if (!a) return;
    ASSERT_EQ(a->safe, b->safe);
    ASSERT_EQ(a->thrust_N, b->thrust_N);
    ASSERT_EQ(a->actual, b->actual);
    ASSERT_EQ(a->error, b->error);
    if (!a->safe) {
      ASSERT_EQ(a->bounded, b->bounded);
    }
    ++sent;
    safe += a->safe ? 1 : 0;
    bounded += a->bounded && !a->safe ? 1 : 0;
  }

  Mapper mapper_;
  MapperOracle oracle_;
  std::vector<bool> out_;
  std::int64_t now_ns_ = 1'000'000'000;
};

Six some_wrench(RandomStream& random) {
  Six w{};
  const double scale = random.uniform() < 0.1 ? 1e6 : random.uniform() < 0.1 ? 1e-3 : 1;
  for (std::size_t k = 0; k < 6; ++k) w[k] = scale * random.uniform(-1, 1) * (k < 3 ? 250 : 80);
  if (random.uniform() < 0.04)
    w[static_cast<std::size_t>(random.uniform() * 6)] =
        random.uniform() < 0.5 ? std::numeric_limits<double>::quiet_NaN()
                               : -std::numeric_limits<double>::infinity();
  return w;
}

void interleave(Pair& pair, RandomStream& random, int steps) {
  for (int k = 0; k < steps && !::testing::Test::HasFatalFailure(); ++k) {
    const double what = random.uniform();
    if (what < 0.5) {
      pair.take(some_wrench(random));
    } else if (what < 0.9) {
      pair.poll();
    } else if (what < 0.98) {
      std::vector<bool> out(pair.thrusters(), false);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = random.uniform() < 0.2;
      pair.drop(out);
    } else if (what < 0.985) {
      pair.stop();
    } else {
      // set back, and somebody goes on sending
      pair.wait(-5 * random.uniform());
      pair.take(some_wrench(random));
    }
    pair.wait(0.001 + (random.uniform() < 0.02 ? 1.2 : 0.03) * random.uniform());
  }
}

TEST(MapperOnTheTick, GivesTheNumbersOfTheMapperBeforeInAnyOrderOfMessages) {
  int sent = 0, safe = 0, bounded = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "mapper");
    MapperSettings settings;
    if (seed % 3 == 0) settings.max_rate_Hz = 0;
    if (seed % 5 == 0) settings.least_thrust_N = 0;
    if (seed % 7 == 0) settings.wrench_timeout_s = 0.05;
    Pair pair(layout_of("thruster_layout.yaml"), settings);
    interleave(pair, random, 500);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed;
    sent += pair.sent;
    safe += pair.safe;
    bounded += pair.bounded;
  }
  EXPECT_GT(sent, 4000);
  EXPECT_GT(safe, 200);
  EXPECT_GT(bounded, 1000);
}

TEST(MapperOnTheTick, TakesLateBoundsAsTheMapperBefore) {
  RandomStream random(7, "mapper");
  Pair pair(layout_of("busses.yaml"), {});
  interleave(pair, random, 100);
  EXPECT_EQ(pair.sent, pair.safe) << "nothing moves before all bounds are known";
  for (std::size_t i = 0; i < pair.thrusters(); ++i) {
    pair.bounds(i, -20 - static_cast<double>(i), 15);
    interleave(pair, random, 20);
  }
  interleave(pair, random, 500);
  EXPECT_GT(pair.sent, pair.safe + 100);
}

TEST(MapperOnTheTick, WritesALogThatReplaysToTheBit) {
  const std::filesystem::path log =
      std::filesystem::path(::testing::TempDir()) / "pintle_mapper_log.mcap";
  MapperSettings settings;
  settings.log = log.string();
  settings.log_waits = true;
  {
    RandomStream random(3, "mapper");
    Pair pair(layout_of("busses.yaml"), settings);
    interleave(pair, random, 50);
    for (std::size_t i = 0; i < pair.thrusters(); ++i) pair.bounds(i, -20, 15);
    interleave(pair, random, 300);
    pair.stop();
  }
  const flight::ReplayResult replayed = flight::replay(log);
  EXPECT_TRUE(replayed.complete);
  EXPECT_EQ(replayed.mismatches, 0u) << replayed.first_mismatch;
  EXPECT_GT(replayed.ticks, 300u);

  // whoever leaves does not leave it armed
  stack::Outputs last;
  last.arm = stack::ArmState::kArmed;
  telemetry::McapReader reader(log);
  (void)reader.for_each([&](const telemetry::McapMessage& m) {
    return m.topic != "/outputs" || telemetry::decode_cdr(m.bytes, last);
  });
  EXPECT_EQ(last.arm, stack::ArmState::kDisarmed);
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace pintle::ros1
