// The section of a report that explains a landing, of flights whose course is known.
#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/simulation/landing_story.h"
#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

constexpr auto kTargets = static_cast<std::size_t>(Part::kTargets);

struct Told {
  simulation::MissionFile mission =
      craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
  DeliveryRig rig{testing::delivery_model()};
  simulation::LandingStory story{mission};
  telemetry::ReportData data;

  void fly(const std::function<bool()>& so, double at_most_s = 300) {
    for (int k = 0; k < 50 * at_most_s && !so(); ++k) {
      rig.tick();
      story.inputs(rig.in);
      story.outputs(*rig.out);
    }
  }
  void fly_to(int state) {
    fly([&] { return rig.out->mission.state == state; });
    ASSERT_EQ(rig.out->mission.state, state);
  }
  void fly_to_end() {
    fly([&] { return rig.ended(); });
    story.put(data);
    ASSERT_EQ(data.stories.size(), 1U);
    ASSERT_EQ(data.stories[0].tables.size(), 2U);
  }
  using Row = std::vector<std::string>;
  /// The first row from `from` on that has this in it; the number of rows: none.
  [[nodiscard]] std::size_t decision(std::string_view words, std::size_t from = 0) const {
    const std::vector<Row>& rows = data.stories[0].tables[1].rows;
    while (from < rows.size() &&
           (rows[from][1] + ": " + rows[from][2]).find(words) == Row::value_type::npos)
      ++from;
    return from;
  }
  [[nodiscard]] bool tells(std::initializer_list<std::string_view> in_order) const {
    const std::size_t n = data.stories[0].tables[1].rows.size();
    std::size_t at = 0;
    for (const std::string_view words : in_order) {
      at = decision(words, at);
      if (at == n) return false;
      ++at;
    }
    return true;
  }
  [[nodiscard]] std::string all() const {
    std::string out;
    for (const telemetry::ReportTable& t : data.stories[0].tables)
      for (const Row& r : t.rows) {
        for (const std::string& cell : r) out += cell + " | ";
        out += "\n";
      }
    return out;
  }
  /// How many sightings of marker or pad had this fate.
  [[nodiscard]] int count(std::string_view fate, std::size_t kind) const {
    for (const Row& r : data.stories[0].tables[0].rows)
      if (r[0].find(fate) != std::string::npos) return std::stoi(r[1 + kind]);
    return 0;
  }
};

TEST(LandingStory, APlainLandingIsLookedForFoundCameDownToAndLandedOn) {
  Told t;
  t.rig.start();
  t.fly_to_end();
  EXPECT_TRUE(
      t.tells({"has found the marker: 5 pictures agree", "looks for the marker",
               "goes over the marker", "has found the pad", "looks for the pad",
               "goes over the pad", "comes down", "is asked to land on the pad: it was seen"}))
      << t.all();
  EXPECT_FALSE(t.tells({"climbs"})) << t.all();
  EXPECT_FALSE(t.tells({"without the pad"})) << t.all();
  EXPECT_GT(t.count("moved the estimate", 0), 20);
  EXPECT_GT(t.count("moved the estimate", 1), 20);
  // over its start, and when it comes back
  EXPECT_EQ(t.count("was found", 1), 2) << t.all();
  EXPECT_EQ(t.count("gate", 1), 0);
}

TEST(LandingStory, FalseSightingsAreCountedWithWhyTheyWereLeftOut) {
  Told t;
  int n = 0, outside = 0, above = 0, gate = 0;
  t.rig.spoil = [&](TargetSighting& s) {
    if (s.kind != TargetKind::kPad || t.rig.out->mission.state != 12 || ++n % 4 != 0) return;
    switch (n / 4 % 3) {
      case 0: s.p_BT_B.x += 20, ++outside; break;
      case 1: s.p_BT_B.z = 0.5, ++above; break;
      default: s.p_BT_B.x += 1.5, s.id = 0, ++gate; break;
    }
  };
  t.rig.start();
  t.fly_to_end();
  EXPECT_GT(outside, 2);
  EXPECT_EQ(t.count("outside of the area", 1), outside) << t.all();
  EXPECT_EQ(t.count("no camera", 1), above) << t.all();
  EXPECT_TRUE(t.tells({"of the pad left out", "is asked to land on the pad"})) << t.all();
  EXPECT_GT(t.count("gate", 1) + t.count("must confirm", 1), gate / 2) << t.all();
}

TEST(LandingStory, APadThatIsLostIsClimbedForAndFoundAgain) {
  Told t;
  for (mission::State& s : t.rig.model.mission.states)
    if (s.servo.target == mission::TargetChoice::kPad) s.servo.blind_below_m = 0.5;
  t.rig.start();
  t.fly_to(12);
  t.rig.fault[kTargets] = Fault::kMissing;
  t.fly([&] { return t.rig.happened(EventCode::kTargetSoughtAgain); }, 5);
  t.fly([n = 0]() mutable { return ++n > 100; });
  t.rig.fault = {};
  t.fly_to_end();
  EXPECT_TRUE(
      t.tells({"goes over the pad",
               "climbs 0.50 m to see it again (1 of 3): the pad has not been seen for 1.0 s",
               "sees it again and comes down", "is asked to land on the pad"}))
      << t.all();
}

TEST(LandingStory, APadThatStaysLostIsGivenUpAbortedFromAndLandedWithout) {
  Told t;
  for (mission::State& s : t.rig.model.mission.states)
    if (s.servo.target == mission::TargetChoice::kPad) s.servo.blind_below_m = 0.3;
  t.rig.start();
  t.fly_to(12);
  t.rig.fault[kTargets] = Fault::kMissing;
  t.fly_to_end();
  EXPECT_EQ(t.rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_TRUE(t.tells({"(1 of 3)", "(2 of 3)", "(3 of 3)", "gives it up", "takes the abort path",
                       "is asked to land without the pad: it was seen last"}))
      << t.all();
}

TEST(LandingStory, LowOverThePadItGoesOnBlind) {
  Told t;
  t.rig.start();
  t.fly_to(12);
  t.fly([&] {
    return t.rig.out->aircraft.approach_height_m > 0 &&
           t.rig.out->aircraft.approach_height_m < 0.55;
  });
  t.rig.fault[kTargets] = Fault::kMissing;
  t.fly_to_end();
  EXPECT_TRUE(t.tells({"goes over the pad", "goes on without seeing it", "is asked to land"}))
      << t.all();
}

TEST(LandingStory, AFlightThatLooksForNothingHasNone) {
  Told t;
  telemetry::ReportData data;
  t.story.put(data);
  EXPECT_TRUE(data.stories.empty());
}

}  // namespace
}  // namespace pintle
