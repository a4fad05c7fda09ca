#include "pintle/world/world.h"

#include <stdexcept>
#include <string>

#include "pintle/config/problem.h"
#include "pintle/world/actuation.h"
#include "pintle/world/air.h"
#include "pintle/world/current.h"
#include "pintle/world/faults.h"
#include "pintle/world/odometry.h"
#include "pintle/world/perturb.h"
#include "pintle/world/rigid_plant.h"

namespace pintle::world {
namespace {

const WorldParams& checked(const WorldParams& params) {
  for (const Finding& f : check(params))
    if (f.is_error) throw std::invalid_argument("world: " + f.path + ": " + f.message);
  return params;
}

BodyState start_of(const WorldParams& params) noexcept {
  const Vec3 a = params.start_rpy_deg;
  return {{params.start_position_m, from_rpy({radians(a.x), radians(a.y), radians(a.z)})}, {}};
}

}  // namespace

struct World::Impl {
  Impl(const vehicle::Vehicle& nominal, const WorldParams& p, std::uint64_t seed)
      : truth(perturbed(nominal, p.truth, seed)),
        bus_V(p.bus_V),
        step_time(Duration::from_seconds(p.step_s)),
        step_s(step_time.seconds()),
        water(p.water),
        plant(truth.vehicle, p.water, gravity_of(p), Ground(p.ground, p.pads)),
        current(p.water.current, seed),
        air(p.air, p.ground ? p.ground->height_m : 0, seed),
        faults(truth.vehicle, p.faults),
        actuation(truth, p, step_s),
        odometry(p.odometry, seed),
        water_W(current.at({})) {
    const BodyState start = start_of(p);
    plant.place(start.X_WB, start.V_WB_B);
    odometry.update(now, plant.body());
  }

  /// Water below its surface, air above.
  [[nodiscard]] Medium medium() const noexcept {
    const double z = plant.body().X_WB.p.z;
    if (air.exists() && (!(water.density_kg_m3 > 0) || z > water.surface_z_m)) return air.at(z);
    return {water_W, water.density_kg_m3};
  }

  void step() noexcept {
    const BodyState& body = plant.body();
    const Medium around = medium();
    actuation.surround(around.density_kg_m3);
    propulsion =
        actuation.step(faults, body.V_WB_B, rotate(conjugate(body.X_WB.q), around.velocity_W));
    plant.apply(0, {}, propulsion);

    // straight from where the water's velocity is to where it will be
    const Vec3 next_W = current.at(now + step_time);
    plant.set_current(water_W, (next_W - water_W) / step_s);
    plant.step(step_s);
    water_W = next_W;

    now = now + step_time;
    air.update(now);
    faults.update(now);
    odometry.update(now, body);
  }

  TruthVehicle truth;
  double bus_V;
  Duration step_time;
  double step_s;
  WaterParams water;
  RigidPlant plant;
  Current current;
  Air air;
  FaultSchedule faults;
  Actuation actuation;
  OdometrySource odometry;

  Time now{};
  Vec3 water_W;
  Wrench propulsion;
};

World::World(const vehicle::Vehicle& nominal, const WorldParams& params, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(nominal, checked(params), seed)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::advance(const ChannelVector& commands, std::uint64_t /*ignition*/, Time until) noexcept {
  impl_->actuation.command(commands);
  while (impl_->now + impl_->step_time <= until) impl_->step();
}

Time World::now() const noexcept { return impl_->now; }

Truth World::truth() const noexcept {
  const BodyState& body = impl_->plant.body();
  return {impl_->now,
          body.X_WB,
          body.V_WB_B,
          impl_->water_W,
          impl_->propulsion,
          impl_->actuation.thrust_N(),
          impl_->air.at(body.X_WB.p.z).velocity_W,
          impl_->plant.contact_force_W()};
}

std::optional<OdometrySample> World::take_odometry() noexcept {
  return impl_->odometry.take(impl_->now);
}

FixedVector<Announcement, 16> World::take_announcements() noexcept {
  return impl_->faults.take_announcements();
}

double World::bus_V() const noexcept { return impl_->bus_V; }

const vehicle::Vehicle& World::vehicle() const noexcept { return impl_->truth.vehicle; }

const ChannelVector& World::thrust_factor() const noexcept { return impl_->truth.thrust_factor; }

Findings check(const WorldParams& params, const vehicle::Vehicle& vehicle) {
  Findings out = check(params);
  std::vector<std::string_view> names;
  std::string all;
  for (const vehicle::Propulsor& p : vehicle.propulsors) {
    names.push_back(p.name);
    all += (all.empty() ? "" : ", ") + p.name;
  }

  for (std::size_t k = 0; k < params.faults.size(); ++k) {
    const FaultSpec& f = params.faults[k];
    const std::string path = "faults[" + std::to_string(k) + "]";
    const int i = vehicle.index_of(f.propulsor);
    if (i < 0) {
      const std::string near = config::did_you_mean(f.propulsor, names);
      out.push_back({path + ".propulsor",
                     "expected a propulsor of " + vehicle.name + ", got \"" + f.propulsor + "\"",
                     near.empty() ? "write one of " + all : "did you mean  " + near});
    } else if (f.kind == FaultKind::kSlow) {
      const auto* thruster =
          std::get_if<propulsion::Thruster>(&vehicle.propulsors[static_cast<std::size_t>(i)].model);
      if (thruster && thruster->params().tau_s == 0 && thruster->params().slew_per_s == 0)
        out.push_back({path + ".kind",
                       "has no effect: " + f.propulsor + " has neither lag nor slew",
                       "give it tau_s in the vehicle file", false});
    }
  }
  return out;
}

}  // namespace pintle::world

namespace pintle {

using world::OdometrySample;
using world::Truth;

template <>
const Table& table_of<OdometrySample>() {
  static const Table table =
      TableBuilder<OdometrySample>("Odometry", "Pose and twist as measured.")
          .field("stamp", &OdometrySample::stamp, "ns", "Instant it speaks of.")
          .field("X_WB", &OdometrySample::X_WB, "", "Body in the world.")
          .field("V_WB_B", &OdometrySample::V_WB_B, "", "Twist in body coordinates.")
          .build();
  return table;
}

template <>
const Table& table_of<Truth>() {
  static const Table table =
      TableBuilder<Truth>("Truth", "What is really the case in the simulated world.")
          .field("time", &Truth::time, "ns", "Instant it speaks of.")
          .field("X_WB", &Truth::X_WB, "", "Body in the world.")
          .field("V_WB_B", &Truth::V_WB_B, "", "Twist in body coordinates.")
          .field("current_W", &Truth::current_W, "m/s", "Velocity of the water, world coordinates.")
          .field("propulsion", &Truth::propulsion, "",
                 "Of all propulsors at the body origin, N and N m, body coordinates.")
          .field("thrust_N", &Truth::thrust_N, "N", "Of each propulsor along its mount.")
          .field("wind_W", &Truth::wind_W, "m/s", "Velocity of the air, world coordinates.")
          .field("contact_W", &Truth::contact_W, "N",
                 "Of ground and pads on the vehicle, world coordinates.")
          .build();
  return table;
}

}  // namespace pintle
