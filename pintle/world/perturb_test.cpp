#include "pintle/world/perturb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pintle/base/random.h"

namespace pintle::world {
namespace {

vehicle::Vehicle nominal() {
  vehicle::Vehicle v;
  v.body.mass_kg = 20;
  v.body.inertia_kgm2 = {1, 1.5, 2};
  v.body.inertia_products_kgm2 = {0.1, -0.05, 0.02};
  v.body.volume_m3 = 0.02;
  v.hydrodynamics = {{10, 15, 20, 1, 1, 1}, {5, 5, 5, 1, 1, 1}, {20, 30, 40, 2, 2, 2}};
  for (const char* name : {"A", "B", "C"})
    v.propulsors.push_back({name, {{0.3, 0.1, 0}, {0, 0.6, 0.8}}, propulsion::Thruster{}});
  return v;
}

TruthParams everything() {
  return {.mass = 0.05,
          .inertia = 0.1,
          .drag = 0.2,
          .added_mass = 0.3,
          .volume = 0.01,
          .thrust = 0.05,
          .mount_position_m = 0.01,
          .mount_angle_deg = 2,
          .center_of_mass_m = 0.004};
}

TEST(Perturb, NothingToPerturbGivesTheFileItselfForEverySeed) {
  const TruthVehicle t = perturbed(nominal(), {}, 99);
  EXPECT_EQ(t.vehicle.body.mass_kg, 20);
  EXPECT_EQ(t.vehicle.body.inertia_kgm2, nominal().body.inertia_kgm2);
  EXPECT_EQ(t.vehicle.body.center_of_mass_m, Vec3{});
  EXPECT_EQ(t.vehicle.hydrodynamics.added_mass, nominal().hydrodynamics.added_mass);
  EXPECT_EQ(t.vehicle.propulsors[2].mount.direction, (Vec3{0, 0.6, 0.8}));
  EXPECT_EQ(t.thrust_factor, ChannelVector(3, 1.0));
}

TEST(Perturb, ANewPropulsorOrQuantityShiftsNoOtherDraw) {
  const TruthVehicle a = perturbed(nominal(), everything(), 5);
  vehicle::Vehicle more = nominal();
  more.propulsors.insert(more.propulsors.begin(), more.propulsors[0]);
  more.propulsors[0].name = "new";
  TruthParams fewer = everything();
  fewer.mass = fewer.volume = fewer.mount_position_m = 0;
  const TruthVehicle b = perturbed(more, fewer, 5);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.thrust_factor[i], b.thrust_factor[i + 1]);
    EXPECT_EQ(a.vehicle.propulsors[i].mount.direction, b.vehicle.propulsors[i + 1].mount.direction);
  }
  EXPECT_EQ(a.vehicle.hydrodynamics.linear_damping, b.vehicle.hydrodynamics.linear_damping);
  EXPECT_EQ(b.vehicle.body.mass_kg, 20);
  EXPECT_NE(a.thrust_factor[0], a.thrust_factor[1]);
}

TEST(Perturb, DrawsAreCutAtTwoDeviationsAndCentred) {
  double sum = 0, square = 0, largest = 0;
  constexpr int kN = 20'000;
  for (int i = 0; i < kN; ++i) {
    const double x = cut_normal(static_cast<std::uint64_t>(i), "mass");
    sum += x, square += x * x, largest = std::max(largest, std::abs(x));
  }
  EXPECT_LE(largest, 2 + 1e-12);
  EXPECT_GT(largest, 1.99);
  EXPECT_NEAR(sum / kN, 0, 0.02);
  // variance of a normal cut at 2: 1 - 4 phi(2) / (1 - 2 Phi(-2)) = 0.7737
  EXPECT_NEAR(square / kN, 0.7737, 0.02);
}

TEST(Perturb, EverySeedGivesAPossibleVehicle) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    TruthParams p = everything();
    p.inertia = 0.4;
    const vehicle::Vehicle v = perturbed(nominal(), p, seed).vehicle;
    const Vec3 I = v.body.inertia_kgm2, O = v.body.inertia_products_kgm2;
    // no axis of inertia beyond the sum of the others, and a positive definite tensor
    EXPECT_TRUE(I.x + I.y >= I.z && I.y + I.z >= I.x && I.x + I.z >= I.y);
    EXPECT_GT(I.x * I.y, O.x * O.x);
    EXPECT_GT(I.x * (I.y * I.z - O.z * O.z) - O.x * (O.x * I.z - O.z * O.y) +
                  O.y * (O.x * O.z - I.y * O.y),
              0);
    EXPECT_LE(std::abs(v.body.mass_kg - 20), 2.0 + 1e-9);
    for (const auto& propulsor : v.propulsors) {
      EXPECT_NEAR(norm(propulsor.mount.direction), 1, 1e-15);
      // three turns of at most 4 degrees
      const double turned = std::acos(dot(propulsor.mount.direction, {0, 0.6, 0.8}));
      EXPECT_LE(turned, radians(4 * std::sqrt(3.0)) + 1e-9);
      EXPECT_LE(norm(propulsor.mount.position_m - Vec3{0.3, 0.1, 0}), 0.02 * std::sqrt(3.0) + 1e-9);
    }
  }
}

TEST(Perturb, HeavierMeansMoreInertiaInTheSameShape) {
  TruthParams p;
  p.mass = 0.1;
  const vehicle::Vehicle v = perturbed(nominal(), p, 3).vehicle;
  const double f = v.body.mass_kg / 20;
  EXPECT_NE(f, 1);
  EXPECT_NEAR(v.body.inertia_kgm2.y, 1.5 * f, 1e-15);
  EXPECT_NEAR(v.body.inertia_products_kgm2.x, 0.1 * f, 1e-15);
}

}  // namespace
}  // namespace pintle::world
