// A depth loop on a vehicle of two vertical thrusters, from two rooms of an installed Pintle.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "pintle/control/pid.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/vehicle/vehicle.h"

using namespace pintle;

namespace {

vehicle::Vehicle two_vertical_thrusters() {
  vehicle::VehicleSpec spec;
  spec.name = "lift";
  spec.body.mass_kg = 10;
  for (const double side : {-0.2, 0.2}) {
    vehicle::PropulsorSpec propulsor;
    propulsor.name = side < 0 ? "right" : "left";
    propulsor.position_m = {0, side, 0};
    propulsor.direction = Vec3{0, 0, 1};
    propulsor.thruster.emplace();
    propulsor.thruster->min_effort = -20;
    propulsor.thruster->max_effort = 20;
    spec.propulsors.push_back(propulsor);
  }
  return vehicle::build(spec);
}

}  // namespace

int main() {
  try {
    const vehicle::Vehicle lift = two_vertical_thrusters();
    const Effectiveness effectiveness = vehicle::effectiveness_of(lift);

    control::PidParams gains;
    gains.kp = 30;
    gains.kd = 40;
    gains.min_effort = -40;
    gains.max_effort = 40;
    gains.derivative = control::Derivative::kProvided;

    // 1 m up from rest, 20 s at 50 Hz; half of the force from each thruster
    control::PidState state;
    double z = 0, speed = 0;
    const double dt = 0.02;
    for (int i = 0; i < 1000; ++i) {
      const double force =
          control::step(gains, state, 1 - z, dt, -speed, control::Behaviour::kSafe).output;
      double lift_N = 0;
      for (std::size_t c = 0; c < effectiveness.n; ++c)
        lift_N += effectiveness.column[c][2] * force / 2;
      speed += dt * (lift_N / lift.body.mass_kg);
      z += dt * speed;
    }
    std::printf("%s: %u channels, at %.6f m\n", lift.name.c_str(), effectiveness.n, z);
    return std::abs(z - 1) < 1e-3 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
