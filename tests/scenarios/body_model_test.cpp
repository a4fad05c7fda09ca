#include <gtest/gtest.h>

#include "pintle/craft/load.h"
#include "pintle/world/body_dynamics.h"

namespace pintle::stack {

using namespace craft;
namespace {

TEST(BodyModel, HasTheMassMatrixThatTheWorldMovesAndItsColumnsInNewtons) {
  VehicleFile file = load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml");
  file.vehicle.body.center_of_mass_m = {0.02, -0.03, 0.04};
  file.vehicle.body.inertia_products_kgm2 = {0.05, -0.02, 0.01};
  const Model model = build_model(file, nullptr);
  const world::BodyDynamics body(model.vehicle.body, model.vehicle.hydrodynamics, 1000, 9.80665, 0);
  for (std::size_t k = 0; k < 36; ++k)
    EXPECT_NEAR(model.body.mass[k], body.mass_matrix()[k], 1e-12) << k;

  ASSERT_EQ(model.body.n, 8U);
  EXPECT_NEAR(model.body.weight_N, 25.8 * 9.80665, 1e-9);
  EXPECT_NEAR(model.body.buoyancy_N, 26.37165 * 9.80665, 1e-9);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(model.body.column_N[i], 34.5 * model.effectiveness.column[i]);
    EXPECT_EQ(model.body.tau_s[i], 0.1);
    EXPECT_EQ(model.body.largest[i], 1);
  }
}

TEST(FailureDetection, IsOnForNativeFilesAndOffForTheOriginals) {
  const std::string vehicles = std::string(PINTLE_SOURCE_DIR) + "/vehicles/";
  EXPECT_TRUE(load_vehicle(vehicles + "oogway.yaml").detector.enable);
  EXPECT_EQ(load_vehicle(vehicles + "oogway.yaml").detector.on_detection,
            estimation::OnDetection::kReport);
  EXPECT_FALSE(load_vehicle(vehicles + "original/duke/config/oogway.yaml").detector.enable);
  EXPECT_FALSE(load_vehicle(vehicles + "original/subjugator/thruster_layout.yaml").detector.enable);
}

}  // namespace
}  // namespace pintle::stack
