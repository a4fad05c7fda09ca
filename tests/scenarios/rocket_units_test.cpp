// Newtons of an engine beside angles of fins whose force fades with the square of the air speed:
// what vehicles/rocket.yaml gives the allocation, its columns a little off as those of a real craft
// are.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/units.h"
#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/craft/load.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle {
namespace {

using allocation::Problem;

Effectiveness rocket_at(const vehicle::Vehicle& rocket, double airspeed_m_s) {
  Effectiveness e;
  const Twist moving{{0.3 * airspeed_m_s, 0.2 * airspeed_m_s, -airspeed_m_s}, {}};
  for (const vehicle::Propulsor& p : rocket.propulsors) {
    const propulsion::Ambient ambient = vehicle::ambient_at(p.mount, moving, {}, 1.2, 16);
    const propulsion::Linearised l = propulsion::full_range(p.model, ambient);
    for (std::size_t i = 0; i < l.n; ++i, ++e.n) {
      e.column[e.n] = to_vec6(vehicle::at_origin(p.mount, l.column_P[i]));
      e.lower[e.n] = l.lower[i];
      e.upper[e.n] = l.upper[i];
      e.preferred[e.n] = l.preferred[i];
    }
    e.bias = e.bias + vehicle::at_origin(p.mount, l.bias_P);
  }
  return e;
}

// about an axis of its own
void turn_columns(Effectiveness& e, double angle_rad, RandomStream& random) {
  for (std::size_t i = 0; i < e.n; ++i) {
    const Vec3 axis{random.normal(), random.normal(), random.normal()};
    const Quat q = from_rotation_vector((angle_rad / norm(axis)) * axis);
    const Wrench w = to_wrench(e.column[i]);
    e.column[i] = to_vec6(Wrench{rotate(q, w.force), rotate(q, w.torque)});
  }
}

TEST(RocketUnits, WhatIsWithinReachIsMetAtEveryAirSpeedWithColumnsAnyHowOff) {
  const craft::VehicleFile file =
      craft::load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/rocket.yaml");
  const vehicle::Vehicle rocket = vehicle::build(file.vehicle);
  allocation::Prepared prepared;
  int compared = 0;
  for (const double speed : {1.0, 1e-4, 1e-3, 1e-2, 0.1, 10.0, 100.0})
    for (const double off_deg : {0.5, 1.0, 2.0})
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        RandomStream random(seed, "rocket units");
        Problem p;
        p.effectiveness = rocket_at(rocket, speed);
        Effectiveness& e = p.effectiveness;
        turn_columns(e, off_deg * M_PI / 180, random);
        Vec6 w = to_vec6(e.bias);
        for (std::size_t i = 0; i < e.n; ++i) {
          const double share = random.uniform(0.35, 0.65);
          w = w + (e.lower[i] + share * (e.upper[i] - e.lower[i])) * e.column[i];
        }
        p.demand.F_Bo_B = to_wrench(w);
        if (seed % 2 == 0) p.demand.weight = {0, 0, 2, 1, 1, 30};
        allocation::testing::InUnits best;
        best.certified = allocation::testing::certify(p, allocation::ProblemClass::kAttainable);
        ASSERT_TRUE(best.certified.proved && best.certified.own_disagreement < 1e-6)
            << speed << " " << off_deg << " " << seed << " " << best.certified.own_disagreement;
        Allocation cold, kept;
        allocate(p.settings, e, p.demand, nullptr, cold);
        allocate(prepared, p.settings, e, p.demand, nullptr, kept);
        EXPECT_EQ(cold.grade, AllocationGrade::kExact) << speed << " " << off_deg << " " << seed;
        EXPECT_EQ(kept.grade, AllocationGrade::kExact) << speed << " " << off_deg << " " << seed;
        EXPECT_LE(best.error_of(cold.effort.begin()), 1e-9) << speed << " " << seed;
        EXPECT_LE(best.error_of(kept.effort.begin()), 1e-9) << speed << " " << seed;
        ++compared;
      }
  EXPECT_EQ(compared, 252);
}

}  // namespace
}  // namespace pintle
