#include "pintle/craft/hover.h"

#include <gtest/gtest.h>

namespace pintle::craft {
namespace {

/// Jets that push up, at these places, each up to 100 N.
VehicleFile craft(const std::vector<Vec3>& places, double mass_kg) {
  VehicleFile file;
  file.laws.law = control::Law::kThrustVector;
  file.vehicle.name = "craft";
  file.vehicle.body.mass_kg = mass_kg;
  for (std::size_t i = 0; i < places.size(); ++i) {
    vehicle::PropulsorSpec p;
    p.name = "jet_" + std::to_string(i);
    p.type = "jet";
    p.position_m = places[i];
    p.jet.max_thrust_N = 100;
    p.jet.jet_axis = {0, 0, 1};
    file.vehicle.propulsors.push_back(p);
  }
  file.surroundings.gravity_m_s2 = 10;
  return file;
}

const std::vector<Vec3> kSquare{{1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}};

TEST(Hover, SharesTheWeightByTheLeversOfTheCentreOfMass) {
  VehicleFile file = craft(kSquare, 20);
  file.vehicle.body.center_of_mass_m = {0.2, 0, -0.1};
  const HoverReport h = hover_of(file);
  EXPECT_TRUE(h.hovers());
  EXPECT_NEAR(h.weight_N, 200, 1e-12);
  EXPECT_NEAR(h.tilt_deg, 0, 1e-9);
  ASSERT_EQ(h.channels.size(), 4U);
  // by hand: 60 % of the weight on the front pair, 40 % on the back
  EXPECT_NEAR(h.channels[0].effort, 60, 1e-9);
  EXPECT_NEAR(h.channels[1].effort, 60, 1e-9);
  EXPECT_NEAR(h.channels[2].effort, 40, 1e-9);
  // nothing else stands still without roll, so 40 of 100 N to the nearest limit
  EXPECT_NEAR(h.margin, 0.4, 1e-5);
  EXPECT_NEAR(h.channels[3].deepest, 40, 1e-3);
}

TEST(Hover, NeedsRoomToBothLimitsOfEveryChannel) {
  EXPECT_TRUE(hover_of(craft(kSquare, 39)).hovers());
  EXPECT_NEAR(hover_of(craft(kSquare, 39)).margin, 0.025, 1e-4);
  // 40 kg stand on the upper limits, 41 kg fall
  const HoverReport full = hover_of(craft(kSquare, 40));
  EXPECT_TRUE(full.balanced);
  EXPECT_FALSE(full.hovers());
  const HoverReport heavy = hover_of(craft(kSquare, 41));
  EXPECT_FALSE(heavy.balanced);
  EXPECT_NEAR(heavy.missing.force.z, 10, 1e-6);
}

TEST(Hover, CountsInNewtonsWhateverTheUnitOfTheVehicle) {
  const auto craft_of = [](bool normalised) {
    VehicleFile file = craft({}, 4);
    file.vehicle.effort_unit = {normalised, normalised ? 20.0 : 1.0};
    for (const Vec3& place : kSquare) {
      vehicle::PropulsorSpec p;
      p.name = "thruster_" + std::to_string(file.vehicle.propulsors.size());
      p.type = "thruster";
      p.position_m = place;
      p.direction = {0, 0, 1};
      const double most = normalised ? 1 : 20;
      p.thruster.emplace();
      p.thruster->min_effort = -most;
      p.thruster->max_effort = most;
      file.vehicle.propulsors.push_back(p);
    }
    return file;
  };
  const HoverReport parts = hover_of(craft_of(true)), newtons = hover_of(craft_of(false));
  EXPECT_TRUE(parts.hovers());
  EXPECT_NEAR(newtons.channels[0].effort, 10, 1e-9);
  EXPECT_NEAR(parts.channels[0].effort, 0.5, 1e-9);
  EXPECT_NEAR(parts.margin, newtons.margin, 1e-6);
}

TEST(Hover, ACentreOfMassOutsideTheJetsFallsOver) {
  VehicleFile file = craft(kSquare, 10);
  file.vehicle.body.center_of_mass_m = {1.1, 0, 0};
  EXPECT_FALSE(hover_of(file).balanced);
  // exactly between two of them: it stands, but the others cannot push any less
  file.vehicle.body.center_of_mass_m = {1, 0, 0};
  EXPECT_TRUE(hover_of(file).balanced);
  EXPECT_FALSE(hover_of(file).hovers());
}

TEST(Hover, SidewaysPushIsAnsweredByATilt) {
  // all four lean forward by 10 degrees: the craft stands still leaning back by as much
  VehicleFile file = craft(kSquare, 20);
  for (auto& p : file.vehicle.propulsors) p.rpy_deg = Vec3{0, 10, 0};
  const HoverReport h = hover_of(file);
  EXPECT_TRUE(h.hovers());
  EXPECT_NEAR(h.tilt_deg, 10, 1e-6);
}

TEST(Hover, FuelCountsAndMovesTheCentreOfMass) {
  VehicleFile file = craft(kSquare, 10);
  vehicle::TankSpec tank;
  tank.name = "main";
  tank.params.capacity_kg = 10;
  tank.params.position_m = {0.5, 0, 0};
  tank.starting_fuel_ratio = 0.5;
  file.vehicle.tanks.push_back(tank);
  for (auto& p : file.vehicle.propulsors) p.tank = "main";
  const HoverReport h = hover_of(file);
  EXPECT_NEAR(h.craft.mass_kg, 15, 1e-12);
  EXPECT_NEAR(h.craft.center_of_mass_m.x, 5 * 0.5 / 15, 1e-12);
  EXPECT_NEAR(h.channels[0].effort + h.channels[1].effort, 75 * (1 + 0.5 / 3), 1e-6);
}

TEST(Hover, MountsThatAreNotQuitePerfectDoNotSpoilIt) {
  // a millionth of a degree off: no yaw authority, and none asked for
  VehicleFile file = craft(kSquare, 20);
  file.vehicle.propulsors[0].rpy_deg = Vec3{1e-7, -2e-7, 30};
  file.vehicle.propulsors[3].rpy_deg = Vec3{-3e-7, 1e-7, 70};
  const HoverReport h = hover_of(file);
  EXPECT_TRUE(h.hovers());
  for (const HoverChannel& c : h.channels) EXPECT_NEAR(c.effort, 50, 1e-4);
}

TEST(Hover, OfWhatShipsHasRoomOnEveryChannel) {
  for (const char* name : {"flying_box", "flying_box_nonlinear", "quad", "ironcub_body"}) {
    SCOPED_TRACE(name);
    const HoverReport h =
        hover_of(load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + name + ".yaml"));
    EXPECT_TRUE(h.hovers());
    EXPECT_GT(h.margin, 0.1);
    EXPECT_LT(h.tilt_deg, 0.5);
  }
}

}  // namespace
}  // namespace pintle::craft
