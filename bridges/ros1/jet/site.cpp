#include "jet/site.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/plain_geometry.h"
#include "jet/edge.h"
#include "pintle/device/gripper_emulator.h"
#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif
#include "pintle/craft/load.h"
#ifdef PINTLE_HAS_VISION
#include "pintle/sight/world_sight.h"
#endif
#include "pintle/simulation/flight_controller.h"
#include "pintle/world/world.h"

namespace pintle::ros1 {
namespace {

constexpr double kStands_m = 0.2;  // of the body origin on its feet

/// The delivery's, with the car where it is wanted; a hand is laid over what is measured.
world::WorldParams world_of(const SiteOptions& o) {
  world::WorldParams p = craft::load_world(o.world_file);
  p.carry.reset();
  p.start_position_m = {0, 0, kStands_m};
  const Vec3 car = swap_north_east(vec3(o.car));
#ifdef PINTLE_HAS_MUJOCO
  for (world::BodySpec& b : p.bodies)
    if (b.name == "car") {
      b.size_m.z = car.z;
      b.position_m = {car.x, car.y, 0.5 * car.z};
    }
#else
  p.plant = world::PlantKind::kRigid;
  p.bodies.clear();
  p.targets.clear();
#endif
  return p;
}

world::WorldOptions plants() {
  world::WorldOptions options;
#ifdef PINTLE_HAS_MUJOCO
  options.mujoco = mujoco::plant_factory();
#endif
  return options;
}

FlightRequestKind kind_of(FlightService service) {
  switch (service) {
    case FlightService::kTakeControl: return FlightRequestKind::kTakeControl;
    case FlightService::kReleaseControl: return FlightRequestKind::kReleaseControl;
    case FlightService::kTakeOff: return FlightRequestKind::kTakeOff;
    case FlightService::kLand: return FlightRequestKind::kLand;
    case FlightService::kNone: break;
  }
  return FlightRequestKind::kNone;
}

/// Up, held still for longer than an origin needs, and down.
struct Hand {
  double height_m = 0, rate_m_s = 0;
  explicit Hand(double t) {
    constexpr double kLift_m = 0.3, kLift_s = 1.2, kHold_s = 1.5;
    const auto ramp = [](double x) { return 0.5 - 0.5 * std::cos(std::numbers::pi * x); };
    const auto slope = [](double x) {
      return 0.5 * std::numbers::pi * std::sin(std::numbers::pi * x);
    };
    if (t <= 0 || t >= 2 * kLift_s + kHold_s) return;
    const double up = std::clamp(t / kLift_s, 0.0, 1.0);
    const double down = std::clamp((t - kLift_s - kHold_s) / kLift_s, 0.0, 1.0);
    height_m = kLift_m * (ramp(up) - ramp(down));
    rate_m_s = kLift_m / kLift_s * (slope(up) - slope(down));
  }
};

}  // namespace

struct Site::Impl {
  SiteOptions options;
  craft::VehicleFile file;
  stack::Model model;
  world::WorldParams params;
  world::World world;
  simulation::SimulatedFlightController controller;
  device::GripperEmulator gripper;
  FlightReport report;
  MotionCommand motion;
  bool has_motion = false;
  std::uint32_t number = 0;
  std::optional<Time> lifted_at;
  std::optional<world::OdometrySample> odometry;
  std::optional<TargetSighting> target;
  std::uint32_t gripper_requests = 0;
  int claw = 0;        ///< As the gripper's device has last been seen.
  int free_body = -1;  ///< The payload.
#ifdef PINTLE_HAS_VISION
  std::optional<sight::WorldCamera> camera;  ///< Made for the first picture.
  std::uint64_t pictures = 0;
  Image image;
#endif

  explicit Impl(const SiteOptions& o)
      : options(o),
        file(craft::load_vehicle(o.vehicle_file)),
        model(craft::build_model(file, nullptr)),
        params(world_of(o)),
        world(model.vehicle, params, o.seed, plants()),
        controller(file, {}, {}, o.seed) {
    for (std::size_t i = 0; i < params.bodies.size(); ++i)
      if (params.bodies[i].mass_kg > 0) free_body = static_cast<int>(i);
    if (!gripper.plug()) throw std::runtime_error("there is no pseudo-terminal for the gripper");
  }
  /// What the gripper's device has done, the claw does.
  void move_claw() {
    gripper.update(world.now());
    if (gripper.status() == claw) return;
    claw = gripper.status();
    world.request(
        {claw == 1 ? GripperRequestKind::kGrab : GripperRequestKind::kRelease, ++gripper_requests});
  }
  [[nodiscard]] Hand hand() const {
    const bool lifts = lifted_at && report.phase == FlightPhase::kMotorsOff;
    return Hand(lifts ? (world.now() - *lifted_at).seconds() : -1);
  }
};

Site::Site(const SiteOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Site::~Site() = default;

std::int64_t Site::now_ns() const { return impl_->world.now().ns; }
double Site::period_s() const { return impl_->controller.period().seconds(); }

void Site::advance() {
  Impl& s = *impl_;
  if (s.has_motion) s.controller.command(s.motion);
  s.has_motion = false;
  const world::Truth t = s.world.truth();
  const stack::PropulsorCommands& c =
      s.controller.step({s.world.now(), t.X_WB, t.V_WB_B, s.world.battery(), s.world.bus_V()});
  s.world.advance(c.command, c.ignition, s.world.now() + s.controller.period());
  FlightReport fresh;
  if (s.controller.take_report(fresh)) s.report = fresh;
  if (const auto sample = s.world.take_odometry()) s.odometry = sample;
  if (const auto sighting = s.world.take_target()) s.target = sighting;
  s.move_claw();
}

bool Site::lift() {
  if (impl_->report.phase != FlightPhase::kMotorsOff) return false;
  impl_->lifted_at = impl_->world.now();
  return true;
}

void Site::command(const Three& velocity, double yaw_rate) {
  impl_->motion = {vec3(velocity), yaw_rate};
  impl_->has_motion = true;
}

std::uint32_t Site::request(FlightService service) {
  impl_->controller.request({kind_of(service), ++impl_->number});
  return impl_->number;
}

int Site::verdict(std::uint32_t number) const {
  const FlightReport& r = impl_->report;
  if (r.request != number) return r.request > number ? 0 : -1;
  switch (r.outcome) {
    case RequestOutcome::kDone: return 1;
    case RequestOutcome::kRefused:
    case RequestOutcome::kFailed: return 0;
    default: return -1;
  }
}

bool Site::take_odometry(PlainPose& pose) {
  Impl& s = *impl_;
  if (!s.odometry) return false;
  const Pose X = s.odometry->X_WB;
  s.odometry.reset();
  Vec3 p = swap_north_east(X.p);
  p.z += s.hand().height_m - kStands_m;
  if (s.options.guidance) p.z = -p.z;
  pose = plain({p, from_rpy({0, 0, swap_yaw(yaw_of(X.q))})});
  return true;
}

PlainFlight Site::flight() const {
  const FlightReport& r = impl_->report;
  const Pose X = impl_->world.truth().X_WB;
  PlainFlight out;
  out.stamp_ns = r.stamp.ns;
  out.phase = static_cast<int>(r.phase);
  out.has_control = r.has_control;
  out.velocity = three(r.v_W);
  out.velocity[2] += impl_->hand().rate_m_s;
  out.has_attitude = true;
  out.attitude = plain(X).orientation;
  out.has_battery = r.has_battery;
  out.battery = r.battery;
  return out;
}

bool Site::look(SiteTarget& target) {
  Impl& s = *impl_;
  const auto tell = [&target](bool is_pad, Vec3 seen) {
    target = {is_pad, {seen.x, -seen.y, -seen.z}};
    return true;
  };
  if (s.free_body >= 0) {
    if (!s.target) return false;
    const TargetSighting seen = *std::exchange(s.target, std::nullopt);
    return tell(seen.kind == TargetKind::kPad, seen.p_BT_B);
  }
  const Pose X = s.world.truth().X_WB;
  const Vec3 car = swap_north_east(vec3(s.options.car));
  for (const bool is_pad : {false, true}) {
    const Vec3 seen = rotate(conjugate(X.q), (is_pad ? Vec3{} : car) - X.p);
    if (-seen.z < 0.35 || std::hypot(seen.x, seen.y) > -seen.z) continue;
    return tell(is_pad, seen);
  }
  return false;
}

bool Site::draw(PlainImage& picture) {
#ifdef PINTLE_HAS_VISION
  Impl& s = *impl_;
  const auto& camera = s.file.vehicle.camera;
  if (!camera) return false;
  if (!s.camera) s.camera.emplace(*camera, s.params, s.options.seed);
  s.camera->take(s.world.truth(), ++s.pictures, s.image);
  picture.width = static_cast<std::uint32_t>(s.image.width);
  picture.height = static_cast<std::uint32_t>(s.image.height);
  picture.rgb = s.image.pixels;
  return true;
#else
  (void)picture;
  return false;
#endif
}

bool Site::payload(Three& middle, bool& held) const {
  const world::Truth t = impl_->world.truth();
  const auto i = static_cast<std::size_t>(impl_->free_body);
  if (impl_->free_body < 0 || i >= t.bodies.size()) return false;
  middle = three(swap_north_east(t.bodies[i].p));
  held = t.held == impl_->free_body;
  return true;
}

Three Site::truth() const {
  const Vec3 p = swap_north_east(impl_->world.truth().X_WB.p);
  return {p.x, p.y, p.z - kStands_m};
}

std::string Site::gripper_device() const { return impl_->gripper.path(); }
int Site::gripper_status() const { return impl_->gripper.status(); }

}  // namespace pintle::ros1
