#include <gtest/gtest.h>

#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using stack::CommandCode;
using testing::DeliveryRig;

/// The original's parameter files, as shipped with it.
vehicle::JetParameters shipped_parameters() {
  return *vehicle::JetFiles::load(std::string(PINTLE_SOURCE_DIR) + "/tests/files/jet").current();
}

/// Every number, name and choice of two structs of the same table, as one text.
std::string told(const Table& table, const void* object) {
  std::string text;
  for (const Field& f : table.fields)
    for (std::size_t i = 0; i < f.size(object); ++i) {
      const void* e = f.element(object, i);
      text += std::string(f.name) + "=";
      if (f.kind == Kind::kStruct)
        text += "{" + told(*f.table, e) + "}";
      else if (f.kind == Kind::kString)
        text += f.text->get(e);
      else
        text += std::to_string(std::round(1e5 * number_of(f, e)));
      text += " ";
    }
  return text;
}

TEST(Delivery, PassesFromTakeOffToLandingWithThePayloadOverTheMarker) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
  for (int wanted = 1; wanted < 15; ++wanted)
    ASSERT_TRUE(rig.run_until(wanted, 60)) << wanted << " from " << rig.out->mission.state;
  ASSERT_TRUE(rig.run_to_end(30));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  ASSERT_TRUE(rig.dropped);
  EXPECT_LT(std::hypot(rig.dropped_at.x - rig.car.x, rig.dropped_at.y - rig.car.y), 0.06);
  EXPECT_NEAR(rig.dropped_at.z, rig.car.z + 1, 0.06);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.10);
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  EXPECT_FALSE(rig.has_control);
}

TEST(Delivery, StatesHaveTheNumbersThatTheOriginalPublishes) {
  const stack::Model model = testing::delivery_model();
  const char* const names[]{"stand_by",
                            "grab_bullets",
                            "request_control",
                            "take_off",
                            "to_normal_altitude",
                            "fly_to_car",
                            "find_car",
                            "serve_car",
                            "drop_bullets",
                            "back_to_normal_altitude",
                            "fly_back",
                            "find_park",
                            "visual_servo_landing",
                            "landing",
                            "release_control"};
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(model.mission.states[i].name, names[i]);
}

TEST(Delivery, TheShippedFileSaysWhatTheOriginalsFilesMake) {
  craft::MissionFile file =
      craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
  for (auto& s : file.mission.states) s.note.clear();
  mission::MissionSpec made = craft::jet_mission(shipped_parameters());
  ASSERT_EQ(made.states.size(), file.mission.states.size());
  for (std::size_t i = 0; i < made.states.size(); ++i) {
    mission::StateSpec& from_file = file.mission.states[i];
    mission::StateSpec& from_parameters = made.states[i];
    // what is left out of a file is the default of both
    const Table& table = table_of<mission::StateSpec>();
    EXPECT_EQ(told(table, &from_file), told(table, &from_parameters)) << from_file.name;
  }
  EXPECT_EQ(told(table_of<mission::AircraftSpec>(), &file.mission.aircraft),
            told(table_of<mission::AircraftSpec>(), &made.aircraft));
  EXPECT_EQ(told(table_of<control::VelocityLawParams>(), &file.vehicle.laws.velocity),
            told(table_of<control::VelocityLawParams>(), [] {
              static const control::VelocityLawParams native;
              return &native;
            }()));
}

TEST(Delivery, FliesWithTheOriginalsLoopsWithinTheToleranceThatTheyAllow) {
  const vehicle::JetParameters jet = shipped_parameters();
  craft::VehicleFile file =
      craft::load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/quad.yaml");
  craft::put_jet(jet, file);
  const mission::MissionSpec spec = craft::jet_mission(jet, craft::options_for(jet));
  DeliveryRig rig(craft::build_model(file, &spec));
  rig.start();
  ASSERT_TRUE(rig.run_until(8, 200));
  // 0.10 m an axis is where its dead band ends
  EXPECT_LT(std::abs(rig.p.x - rig.car.x), 0.10);
  EXPECT_LT(std::abs(rig.p.y - rig.car.y), 0.10);
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.15);
}

TEST(Delivery, HoldsWhileAFlightControllerDrifts) {
  DeliveryRig rig(testing::delivery_model());
  rig.wind = {0.03, -0.02, 0};
  rig.start();
  ASSERT_TRUE(rig.run_until(6, 90));
  double worst = 0;
  // the two seconds in which it looks for the marker
  for (int k = 0; k < 90; ++k) {
    rig.tick();
    worst = std::max(worst, norm(rig.out->used.X_WB.p - Vec3{-0.99, -1.97, 1.1}));
  }
  EXPECT_LT(worst, 0.06);
}

}  // namespace
}  // namespace pintle
