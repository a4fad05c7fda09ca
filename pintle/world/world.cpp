#include "pintle/world/world.h"

#include <stdexcept>
#include <string>

#include "pintle/world/actuation.h"
#include "pintle/world/air.h"
#include "pintle/world/battery.h"
#include "pintle/world/camera.h"
#include "pintle/world/current.h"
#include "pintle/world/faults.h"
#include "pintle/world/gripper.h"
#include "pintle/world/hand.h"
#include "pintle/world/imu.h"
#include "pintle/world/meters.h"
#include "pintle/world/odometry.h"
#include "pintle/world/perturb.h"
#include "pintle/world/rigid_plant.h"
#include "pintle/world/start.h"

namespace pintle::world {
namespace {

const WorldParams& checked(const WorldParams& params) {
  for (const Finding& f : check(params))
    if (f.is_error) throw std::invalid_argument("world: " + f.path + ": " + f.message);
  return params;
}

const char* const kNoMujoco =
    "world: plant: mujoco is not part of this program; install libmujoco-dev (scripts/setup "
    "--mujoco) and build again, or write  plant: rigid";

std::unique_ptr<Plant> plant_of(const vehicle::Vehicle& craft, const WorldParams& p,
                                const WorldOptions& options) {
  const Ground ground(p.ground, p.pads);
  if (p.plant == PlantKind::kRigid)
    return std::make_unique<RigidPlant>(craft, p.water, gravity_of(p), ground);
  std::unique_ptr<Plant> plant;
  if (options.mujoco) plant = options.mujoco(craft, gravity_of(p), ground, p.bodies);
  if (!plant) throw std::invalid_argument(kNoMujoco);
  return plant;
}

/// In the middle of a step that begins with one mass and ends with the other.
vehicle::MassProperties between(const vehicle::MassProperties& a,
                                const vehicle::MassProperties& b) noexcept {
  vehicle::MassProperties out{
      0.5 * (a.mass_kg + b.mass_kg), 0.5 * (a.center_of_mass_m + b.center_of_mass_m), {}};
  for (std::size_t i = 0; i < 9; ++i)
    out.inertia_kgm2.m[i] = 0.5 * (a.inertia_kgm2.m[i] + b.inertia_kgm2.m[i]);
  return out;
}

}  // namespace

struct World::Impl {
  Impl(const vehicle::Vehicle& nominal, const WorldParams& p, std::uint64_t seed,
       const WorldOptions& options)
      : truth(perturbed(nominal, p.truth, seed)),
        bus_V(p.bus_V),
        step_time(Duration::from_seconds(p.step_s)),
        step_s(step_time.seconds()),
        water(p.water),
        plant(plant_of(truth.vehicle, p, options)),
        rigid(p.plant == PlantKind::kRigid ? static_cast<RigidPlant*>(plant.get()) : nullptr),
        current(p.water.current, seed),
        air(p.air, p.ground ? p.ground->height_m : 0, seed),
        faults(truth.vehicle, p.faults),
        actuation(truth, p, step_s, seed),
        odometry(p.odometry, seed),
        bodies(p.bodies),
        battery_faults(p.device_faults, Device::kBattery),
        water_W(current.at({})),
        mass(actuation.models().mass()) {
    if (actuation.models().fuel_kg() > 0 && !plant->set_mass(0, mass))
      throw std::invalid_argument("world: the craft with its fuel has a mass that no body has");
    const BodyState start = start_of(p, seed);
    plant->place(start.X_WB, start.V_WB_B);
    const vehicle::Vehicle& craft = truth.vehicle;
    if (craft.gripper) gripper.emplace(*craft.gripper, bodies, p.device_faults);
    if (craft.camera && !p.targets.empty() && p.sightings.from == SightingSource::kTruth)
      camera.emplace(*craft.camera, p, seed);
    if (craft.battery) battery.emplace(*craft.battery);
    if (craft.imu) imu.emplace(*craft.imu, gravity_of(p), body(), seed);
    if (p.meters) {
      meters.emplace(truth, *p.meters, p.bus_V, seed);
      actuation.watch_turning();
    }
    if (p.carry) hand.emplace(*p.carry, gravity_of(p));
    odometry.update(now, body());
  }

  void watch_touch(const BodyState& before) noexcept {
    if (touch) return;
    const bool touches = plant->touching();
    if (!touches)
      flown = true;
    else if (flown)
      touch = Touch{now, before.X_WB, before.V_WB_B};
  }

  [[nodiscard]] BodyState body() const noexcept {
    const LinkState link = plant->link(0);
    return {link.X_WL, link.V_WL_L};
  }

  /// Water below its surface, air above.
  [[nodiscard]] bool in_air(double z) const noexcept {
    return air.exists() && (!(water.density_kg_m3 > 0) || z > water.surface_z_m);
  }

  /// Burnt fuel leaves the craft; in the step after the last burn its mass is what is left.
  void weigh() noexcept {
    if (actuation.models().burnt()) {
      const vehicle::MassProperties after = actuation.models().mass();
      plant->set_mass(0, between(mass, after));
      mass = after;
      burning = true;
    } else if (burning) {
      plant->set_mass(0, mass);
      burning = false;
    }
  }

  void step() noexcept {
    const BodyState here = body();
    const bool flying = in_air(here.X_WB.p.z);
    const Medium around = flying ? air.at(here.X_WB.p.z) : Medium{water_W, water.density_kg_m3};
    const Vec3 flow_B = rotate(conjugate(here.X_WB.q), around.velocity_W);
    propulsion = actuation.step(faults, {here.X_WB, here.V_WB_B, flow_B, around.density_kg_m3});
    weigh();
    plant->apply(0, {}, propulsion);
    if (flying && !truth.vehicle.drag_bodies.empty())
      plant->apply(0, {},
                   vehicle::air_drag(truth.vehicle, here.V_WB_B, flow_B, around.density_kg_m3));

    if (hand) plant->apply(0, {}, hand->wrench(now, here, mass));

    // straight from where the water's velocity is to where it will be
    const Vec3 next_W = current.at(now + step_time);
    if (rigid != nullptr) rigid->set_current(water_W, (next_W - water_W) / step_s);
    const BodyState before = body();
    plant->step(step_s);
    watch_touch(before);
    water_W = next_W;

    now = now + step_time;
    air.update(now);
    faults.update(now);
    odometry.update(now, body());
    if (imu) imu->update(now, body());
    if (meters) meters->update(now, faults, actuation.turning());
    if (gripper) gripper->update(*plant, now);
    if (camera) camera->update(*plant, now);
    if (!battery) return;
    battery->drain(truth.vehicle, actuation.thrust_N(), around.density_kg_m3, step_s);
    if (battery_faults.active(DeviceFaultKind::kEmpties, now))
      battery->limit(battery_faults.value(DeviceFaultKind::kEmpties, now));
  }

  TruthVehicle truth;
  double bus_V;
  Duration step_time;
  double step_s;
  WaterParams water;
  std::unique_ptr<Plant> plant;
  RigidPlant* rigid;  ///< The same, if it is one: only that one knows water.
  Current current;
  Air air;
  FaultSchedule faults;
  Actuation actuation;
  OdometrySource odometry;
  std::vector<BodySpec> bodies;
  std::optional<GripperInWorld> gripper;
  std::optional<CameraInWorld> camera;
  std::optional<BatteryInWorld> battery;
  DeviceFaults battery_faults;
  std::optional<Hand> hand;
  std::optional<ImuInWorld> imu;
  std::optional<Meters> meters;

  Time now{};
  Vec3 water_W;
  std::optional<Touch> touch;
  bool flown = false;  ///< Off the ground at least once.
  Wrench propulsion;
  vehicle::MassProperties mass;  ///< Of the craft with its fuel, at the end of the last step.
  bool burning = false;
};

World::World(const vehicle::Vehicle& nominal, const WorldParams& params, std::uint64_t seed,
             const WorldOptions& options)
    : impl_(std::make_unique<Impl>(nominal, checked(params), seed, options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::advance(const ChannelVector& commands, std::uint64_t ignition, Time until) noexcept {
  impl_->actuation.command(commands, ignition);
  while (impl_->now + impl_->step_time <= until) impl_->step();
}

Time World::now() const noexcept { return impl_->now; }

Duration World::step_time() const noexcept { return impl_->step_time; }

const std::optional<Touch>& World::touch() const noexcept { return impl_->touch; }

Truth World::truth() const noexcept {
  const BodyState body = impl_->body();
  const ModelDrives& models = impl_->actuation.models();
  FixedVector<Pose, kMaxBodies> bodies;
  for (std::size_t i = 0; i < impl_->plant->bodies() && !bodies.full(); ++i)
    bodies.push_back(impl_->plant->body(i).X_WL);
  return {impl_->now,
          body.X_WB,
          body.V_WB_B,
          impl_->water_W,
          impl_->propulsion,
          impl_->actuation.thrust_N(),
          impl_->air.at(body.X_WB.p.z).velocity_W,
          impl_->plant->contact_force_W(),
          models.fuel_kg(),
          models.tank_kg(),
          bodies,
          impl_->gripper ? impl_->gripper->held() : -1,
          battery(),
          impl_->actuation.thrust_rate_N_s()};
}

std::optional<OdometrySample> World::take_odometry() noexcept {
  return impl_->odometry.take(impl_->now);
}

std::optional<ImuSample> World::take_imu() noexcept {
  return impl_->imu ? impl_->imu->take() : std::nullopt;
}

FixedVector<Announcement, 16> World::take_announcements() noexcept {
  return impl_->faults.take_announcements();
}

void World::request(const GripperRequest& request) noexcept {
  if (impl_->gripper) impl_->gripper->request(request, impl_->now);
}

std::optional<GripperReport> World::take_gripper() noexcept {
  GripperReport report;
  if (!impl_->gripper || !impl_->gripper->take_report(report)) return std::nullopt;
  return report;
}

std::optional<TargetSighting> World::take_target() noexcept {
  TargetSighting sighting;
  if (!impl_->camera || !impl_->camera->take(sighting, impl_->now)) return std::nullopt;
  return sighting;
}

void World::break_device(const DeviceFault& fault) {
  for (const Finding& f : check(fault, "device_fault"))
    if (f.is_error) throw std::invalid_argument("world: " + f.path + ": " + f.message);
  if (fault.device == Device::kGripper && impl_->gripper) impl_->gripper->break_it(fault);
  if (fault.device == Device::kCamera && impl_->camera) impl_->camera->break_it(fault);
  if (fault.device == Device::kBattery) impl_->battery_faults.add(fault);
}

double World::battery() const noexcept { return impl_->battery ? impl_->battery->charge() : 1; }

void World::take_reports(FixedVector<PropulsorReport, kMaxPropulsors>& reports) noexcept {
  reports.clear();
  if (impl_->meters) reports.assign(impl_->meters->take(impl_->now));
}

PropulsorReport World::report_of(std::size_t propulsor) const noexcept {
  return impl_->meters ? impl_->meters->exact(propulsor) : PropulsorReport{};
}

double World::bus_V() const noexcept { return impl_->bus_V; }

const vehicle::Vehicle& World::vehicle() const noexcept { return impl_->truth.vehicle; }

const ChannelVector& World::thrust_factor() const noexcept { return impl_->truth.thrust_factor; }

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
          .field("fuel_kg", &Truth::fuel_kg, "kg", "All fuel on board.")
          .field("tank_kg", &Truth::tank_kg, "kg", "Of it, in each tank of the vehicle.")
          .field("bodies", &Truth::bodies, "", "Poses of the world's bodies, in their order.")
          .field("held", &Truth::held, "", "Which of them the gripper holds; -1 none.")
          .field("battery", &Truth::battery, "", "Charge left, 0 to 1.")
          .field("thrust_rate_N_s", &Truth::thrust_rate_N_s, "N/s",
                 "Of each jet, as its plugin publishes it; 0 of all others.")
          .build();
  return table;
}

}  // namespace pintle
