#include "pintle/flight/event_words.h"

#include <gtest/gtest.h>

namespace pintle::flight {
namespace {

Event event(EventCode code, int subject) { return {Time{}, code, subject, 0}; }

TEST(EventWords, SubjectsAreNamedByWhatTheyCount) {
  const EventNames names{{"dive", "fly_back"}, {"front", "rear"}};
  const auto say = [&names](EventCode code, int subject) {
    return subject_in_words(event(code, subject), names);
  };
  EXPECT_EQ(say(EventCode::kStateEntered, 1), "fly_back");
  EXPECT_EQ(say(EventCode::kStateEntered, 2), "");
  EXPECT_EQ(say(EventCode::kStateEntered, -1), "");
  EXPECT_EQ(say(EventCode::kPropulsorFailed, 0), "front");
  EXPECT_EQ(say(EventCode::kAxisLost, 5), "yaw");
  EXPECT_EQ(say(EventCode::kAxisLost, 6), "");
  EXPECT_EQ(say(EventCode::kInputRejected, 8), spaced(to_string(InputCode::kTarget)));
  EXPECT_EQ(say(EventCode::kRequestSent, 3), "take control");
  EXPECT_EQ(say(EventCode::kTargetFound, 1), "pad");
  EXPECT_EQ(say(EventCode::kArmed, 1), "");
}

TEST(EventWords, AFileAndItsModelNameTheSame) {
  for (const char* name :
       {"/missions/delivery.yaml", "/missions/pool.yaml", "/missions/rocket_landing.yaml"}) {
    const MissionFile file = load_mission(std::string(PINTLE_SOURCE_DIR) + name);
    const EventNames of_file = event_names(file);
    const EventNames of_model = event_names(build_model(file.vehicle, &file.mission));
    EXPECT_EQ(of_file.states, of_model.states) << name;
    EXPECT_EQ(of_file.propulsors, of_model.propulsors) << name;
  }
}

}  // namespace
}  // namespace pintle::flight
