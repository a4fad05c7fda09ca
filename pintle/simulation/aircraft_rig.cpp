#include "pintle/simulation/aircraft_rig.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"
#include "pintle/estimation/odometry_frame.h"

namespace pintle::simulation {

using estimation::to_world;
using estimation::yaw_to_world;

estimation::Measurement measurement_of(const world::OdometrySample& sample, OdometryFrame source,
                                       OdometryFrame declared) {
  estimation::Measurement m{sample.stamp, sample.X_WB, sample.V_WB_B};
  m.position_std_m = sample.position_std_m;
  if (source == declared) return m;
  // each conversion is its own inverse: into the source's frame, out of the declared one
  const auto seen = [=](Vec3 v) { return to_world(declared, to_world(source, v)); };
  const double yaw = yaw_of(sample.X_WB.q);
  const double yaw_seen = yaw_to_world(declared, yaw_to_world(source, yaw));
  const Quat turn = from_rpy({0, 0, yaw_seen - yaw});
  m.X_WB.p = seen(sample.X_WB.p);
  m.X_WB.q = normalized(turn * sample.X_WB.q);
  m.V_WB_B.v = rotate(conjugate(m.X_WB.q), seen(rotate(sample.X_WB.q, sample.V_WB_B.v)));
  return m;
}

AircraftRig::AircraftRig(const MissionFile& mission, std::uint64_t seed)
    : controller_(mission.vehicle_alone, mission.vehicle.flight_controller,
                  mission.world.device_faults, seed) {}

void AircraftRig::sense(world::World& world, Inputs& in) {
  in.has_flight = controller_.take_report(in.flight);
  if (const auto report = world.take_gripper()) {
    in.has_gripper = true;
    in.gripper = *report;
  }
  if (const auto sighting = world.take_target()) in.targets.push_back(*sighting);
}

void AircraftRig::advance(world::World& world, const Outputs& out, Time until) {
  controller_.request(out.flight_request);
  controller_.command(out.motion);
  world.request(out.gripper_request);
  for (; due_ < until; due_ = due_ + controller_.period()) {
    const world::Truth t = world.truth();
    const PropulsorCommands& c =
        controller_.step({due_, t.X_WB, t.V_WB_B, world.battery(), world.bus_V()});
    world.advance(c.command, c.ignition, std::min(due_ + controller_.period(), until));
  }
}

void AircraftRig::break_device(world::World& world, const world::DeviceFault& fault) {
  if (fault.device == world::Device::kFlightController)
    controller_.break_it(fault);
  else
    world.break_device(fault);
}

void HeightFigures::take(const Outputs& out, const world::Truth& truth) {
  if (!ground_m_) ground_m_ = truth.X_WB.p.z;
  if (out.arm != ArmState::kArmed) return;
  const double height_m = truth.X_WB.p.z - *ground_m_;
  if (!armed_at_m_) armed_at_m_ = height_m;
  if (out.used.validity == Validity::kValid)
    error_m_ = std::max(error_m_, std::abs(out.used.X_WB.p.z - height_m));
}

std::vector<std::pair<std::string, double>> HeightFigures::list() const {
  if (!armed_at_m_) return {};
  return {{"armed_at_m", *armed_at_m_}, {"height_error_m", error_m_}};
}

std::vector<std::pair<std::string, double>> aircraft_figures(const world::WorldParams& params,
                                                             const world::Truth& truth) {
  std::vector<std::pair<std::string, double>> out;
  const auto is_free = [](const world::BodySpec& b) { return b.mass_kg > 0; };
  const auto payload = std::find_if(params.bodies.begin(), params.bodies.end(), is_free);
  for (const world::TargetSpec& t : params.targets) {
    const int on = world::index_of(params.bodies, t.on);
    if (t.kind != TargetKind::kMarker || on < 0 || payload == params.bodies.end()) continue;
    const auto i = static_cast<std::size_t>(on);
    const auto p = static_cast<std::size_t>(payload - params.bodies.begin());
    if (i >= truth.bodies.size() || p >= truth.bodies.size()) continue;
    const Vec3 marker = (truth.bodies[i] * Pose{{0, 0, 0.5 * params.bodies[i].size_m.z}, {}}).p;
    const Vec3 off = truth.bodies[p].p - marker;
    out.emplace_back("payload_to_marker_m", std::hypot(off.x, off.y));
    out.emplace_back("payload_over_marker_m", off.z - 0.5 * payload->size_m.z);
    break;
  }
  for (const world::TargetSpec& t : params.targets)
    for (const world::PadSpec& pad : params.pads)
      if (t.kind == TargetKind::kPad && t.on == pad.name) {
        const Vec3 off = truth.X_WB.p - pad.position_m;
        out.emplace_back("craft_to_pad_m", std::hypot(off.x, off.y));
        out.emplace_back("height_over_pad_m", off.z);
      }
  out.emplace_back("battery_left", truth.battery);
  return out;
}

}  // namespace pintle::simulation
