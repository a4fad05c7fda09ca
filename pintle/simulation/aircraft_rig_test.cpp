#include "pintle/simulation/aircraft_rig.h"

#include <gtest/gtest.h>

#include "pintle/base/rotation.h"

namespace pintle::simulation {
namespace {

const world::OdometrySample kSample{
    {7}, {{1, 2, 3}, from_rpy({0.1, -0.2, 0.5})}, {{0.4, -0.3, 0.2}, {0.01, 0.02, 0.03}}};

TEST(MeasurementOf, ARightDeclarationChangesNotABit) {
  for (const OdometryFrame f : {OdometryFrame::kEnu, OdometryFrame::kNeu, OdometryFrame::kNed}) {
    const estimation::Measurement m = measurement_of(kSample, f, f);
    EXPECT_EQ(m.X_WB.p, kSample.X_WB.p);
    EXPECT_EQ(m.X_WB.q, kSample.X_WB.q);
    EXPECT_EQ(m.V_WB_B, kSample.V_WB_B);
  }
}

TEST(MeasurementOf, DownTakenForUpTurnsHeightAndClimbRoundAndNothingElse) {
  const estimation::Measurement m =
      measurement_of(kSample, OdometryFrame::kNed, OdometryFrame::kNeu);
  EXPECT_EQ(m.X_WB.p, (Vec3{1, 2, -3}));
  const Vec3 v = rotate(kSample.X_WB.q, kSample.V_WB_B.v);
  const Vec3 seen = rotate(m.X_WB.q, m.V_WB_B.v);
  EXPECT_NEAR(seen.x, v.x, 1e-12);
  EXPECT_NEAR(seen.y, v.y, 1e-12);
  EXPECT_NEAR(seen.z, -v.z, 1e-12);
  EXPECT_NEAR(yaw_of(m.X_WB.q), 0.5, 1e-12);
}

TEST(MeasurementOf, NorthTakenForEastSwapsAxesAndHeading) {
  const estimation::Measurement m =
      measurement_of(kSample, OdometryFrame::kNeu, OdometryFrame::kEnu);
  EXPECT_EQ(m.X_WB.p, (Vec3{2, 1, 3}));
  const RollPitchYaw rpy = to_rpy(to_matrix(m.X_WB.q));
  EXPECT_NEAR(rpy.yaw, kPi / 2 - 0.5, 1e-12);
  EXPECT_NEAR(rpy.roll, 0.1, 1e-12) << "roll and pitch are of the craft, not of the frame";
  EXPECT_NEAR(rpy.pitch, -0.2, 1e-12);
}

TEST(AircraftFigures, AreTakenFromTheTruth) {
  world::WorldParams p;
  p.pads = {{"pad", {1, 0, 0.1}, 0.5}};
  world::BodySpec car, payload;
  car.name = "car";
  car.size_m = {1, 1, 0.4};
  payload.name = "payload";
  payload.size_m = {0.1, 0.1, 0.1};
  payload.mass_kg = 0.2;
  p.bodies = {car, payload};
  p.targets = {{TargetKind::kMarker, "car", 0.1}, {TargetKind::kPad, "pad", 0.5}};
  world::Truth t;
  t.X_WB.p = {1.03, 0.04, 0.3};
  t.battery = 0.8;
  t.bodies.push_back({{5, 5, 0.2}, {}});
  t.bodies.push_back({{5.06, 5.08, 0.45}, {}});
  const auto figures = aircraft_figures(p, t);
  ASSERT_EQ(figures.size(), 5U);
  EXPECT_NEAR(figures[0].second, 0.1, 1e-12);
  EXPECT_NEAR(figures[1].second, 0, 1e-12) << "it lies on the roof";
  EXPECT_NEAR(figures[2].second, 0.05, 1e-12);
  EXPECT_NEAR(figures[3].second, 0.2, 1e-12);
  EXPECT_EQ(figures[4].second, 0.8);
}

}  // namespace
}  // namespace pintle::simulation
