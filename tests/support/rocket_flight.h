/// A rocket that lands: the numbers of PyFlyt's rocket, its fins on their own links, on a rigid
/// body with a draining tank, in wind with gusts; and a pilot made of guidance, attitude law and
/// allocation. The pilot knows neither the wind nor the true mass.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"
#include "pintle/base/random.h"
#include "pintle/control/hover_slam.h"
#include "pintle/control/thrust_vector.h"
#include "pintle/propulsion/drag_body.h"
#include "pintle/propulsion/engine.h"
#include "pintle/propulsion/fin.h"
#include "pintle/world/air.h"
#include "pintle/world/rigid_plant.h"

namespace pintle::testing {

inline constexpr double kStandsAt_m = 2.425;
inline constexpr std::array<Vec3, 4> kFinAt{
    {{0.35, 0, 2.051}, {-0.35, 0, 2.051}, {0, 0.35, 2.051}, {0, -0.35, 2.051}}};

inline propulsion::EngineParams rocket_engine(bool reignitable) {
  propulsion::EngineParams e;
  e.booster.tau_s = 0.01;
  e.booster.total_fuel_mass_kg = 410.9;
  e.booster.max_fuel_rate_kg_s = 1.451;
  e.booster.max_inertia_kgm2 = {1678, 1678, 7.01};
  e.booster.min_thrust_N = 2966.7;
  e.booster.max_thrust_N = 7607.0;
  e.booster.noise_ratio = 0.01;
  e.booster.reignitable = reignitable;
  e.gimbal.tau_s = 0.01;
  e.gimbal.range_deg = {5, 5};
  e.gimbal.behaviour = propulsion::Behaviour::kPhysical;
  return e;
}

inline propulsion::FinParams rocket_fin(std::size_t i) {
  propulsion::FinParams f;
  f.lift_unit = i < 2 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  f.forward_unit = {0, 0, -1};
  f.chord_m = f.span_m = 0.5;
  f.tau_s = 0.05;
  f.behaviour = propulsion::Behaviour::kPhysical;
  return f;
}

/// Links: body, tank (mass set by the flight), engine, legs, fins. `dry` scales what is not fuel.
inline vehicle::Structure rocket_structure(double dry) {
  vehicle::Structure s;
  const auto add = [&](const char* name, Vec3 p, double mass, Vec3 inertia) {
    s.links.push_back({name,
                       s.links.empty() ? -1 : 0,
                       {p, {}},
                       {dry * mass, {}, Mat3::diagonal(dry * inertia)},
                       {},
                       {}});
  };
  add("body", {}, 91, {372.6, 372.6, 1.55});
  add("tank", {}, 1e-3, {1e-6, 1e-6, 1e-6});
  add("engine", {0, 0, -2}, 47, {192.43, 192.43, 0.81});
  add("fins", {0, 0, 2.051}, 0.2, {1e-2, 1e-2, 1e-2});
  for (const auto& [x, y, yaw] : {std::array{0.0, 0.35, 0.0}, std::array{0.3031, -0.175, 4.188},
                                  std::array{-0.3031, -0.175, -4.188}})
    s.links[0].shapes.push_back({vehicle::ShapeKind::kBox,
                                 {0.025, 0.25, 0.025},
                                 {{x, y, -2.4}, from_rotation_vector({0, 0, yaw})}});
  return s;
}

struct LandingStart {
  Pose X_WB;
  Vec3 velocity_W;
  double fuel_ratio = 0.05;
  double mass_scale = 1;  ///< True over believed, of the whole at the start.
  world::AirParams air;
  std::uint64_t seed = 1;
  bool reignitable = true;
  double position_noise_m = 0, velocity_noise_m_s = 0;
};

/// As the mission asks: xy +-20 m, z 400-450 m, Euler +-0.3 rad, v_z -60..0, wind to 8 m/s from
/// anywhere with gusts to match, mass +-10 %.
inline LandingStart random_start(std::uint64_t seed) {
  RandomStream r(seed, "landing start");
  LandingStart s;
  s.seed = seed;
  s.X_WB.p = {r.uniform(-20, 20), r.uniform(-20, 20), r.uniform(400, 450)};
  const double roll = r.uniform(-0.3, 0.3), pitch = r.uniform(-0.3, 0.3);
  s.X_WB.q = from_rpy({roll, pitch, r.uniform(-0.3, 0.3)});
  s.velocity_W = {0, 0, r.uniform(-60, 0)};
  s.mass_scale = r.uniform(0.9, 1.1);
  const double wind = r.uniform(0, 8), from = r.uniform(0, 2 * kPi);
  s.air.wind_m_s = {wind * std::cos(from), wind * std::sin(from), 0};
  s.air.gusts.wind_at_6m_m_s = wind;
  s.air.gusts.airspeed_m_s = 50;
  return s;
}

struct LandingResult {
  bool touched = false;
  double offset_m = 0, sink_m_s = 0, drift_m_s = 0, tilt_rad = 0, rate_rad_s = 0;  ///< At contact.
  double rest_offset_m = 0, rest_tilt_rad = 0, rest_speed_m_s = 0;                 ///< At the end.
  double fuel_kg = 0, time_s = 0, worst_tilt_rad = 0, mass_scale = 1;
  double lit_at_m = 0, lit_offset_m = 0, lit_drift_m_s = 0, lit_speed_m_s = 0;
  double spare_m_s = 0;
  control::LandingPhase phase{};
  control::LandingReason reason{};
  std::uint32_t burns = 0;

  /// As it touches; whether its legs then hold it in the gusts is not the guidance's.
  [[nodiscard]] bool good() const {
    return touched && offset_m <= 1 && sink_m_s <= 1 && drift_m_s <= 1 && tilt_rad <= radians(5);
  }
  [[nodiscard]] bool stands() const { return good() && phase == control::LandingPhase::kLanded; }
};

class RocketFlight {
 public:
  static constexpr double kStep_s = 0.002, kPeriod_s = 0.01, kHorizon_s = 0.03;
  static constexpr double kDry_kg = 138.2;

  explicit RocketFlight(const LandingStart& start)
      : start_(start),
        engine_(rocket_engine(start.reignitable)),
        plant_(rocket_structure(dry_scale(start)), 9.80665,
               world::Ground(world::GroundParams{}, {})),
        air_(start.air, 0, start.seed),
        noise_(start.seed, "engine"),
        sensor_(start.seed, "sensor") {
    drag_.drag_coef = {1.16, 1.16, 2.0};
    drag_.area_m2 = {1.7649, 1.7649, 0.1075};
    drag_.density_kg_m3 = 0;
    for (std::size_t i = 0; i < 4; ++i) fin_[i] = rocket_fin(i);
    // as vehicles/rocket.yaml: noise must not be taken for contact
    guidance.contact_height_m = 0.003;
    guidance.contact_jump_height_m = 0;
    guidance.touch_speed_m_s = 0.2;
    guidance.tilt_height_m = 28;
    guidance.push_height_m = 1;
    attitude.attitude_gain = {2.2, 2.2, 1};
    attitude.rate_gain = {12, 12, 3};
    attitude.max_rate_rad_s = {0.5, 0.5, 0.5};
    // about its long axis the craft turns a thousand times easier: small torques count. Height
    // counts more than tilt, but not first of all: at least thrust fins would be spent on braking
    // less
    attitude.weight = {0, 0, 2, 1, 1, 30};
    attitude.group = {};
    engine_state_.booster.fuel_ratio = start.fuel_ratio;
    plant_.place(start.X_WB, {rotate(conjugate(start.X_WB.q), start.velocity_W), {}});
    drain();
  }

  control::HoverSlamParams guidance;
  control::ThrustVectorParams attitude;
  control::HoverSlamState state;
  control::LandingCommand command;

  LandingResult fly(double most_s = 60) {
    LandingResult r;
    const int per_period = static_cast<int>(std::lround(kPeriod_s / kStep_s));
    double after = 0;
    for (int k = 0; time_s() < most_s && after < 8 && state.phase < control::LandingPhase::kLanded;
         ++k) {
      if (k % per_period == 0) pilot();
      if (r.lit_at_m == 0 && command.ignition) note_ignition(r);
      move();
      if (r.worst_tilt_rad < tilt()) r.worst_tilt_rad = tilt();
      if (!r.touched && plant_.touching()) note_contact(r);
      before_ = plant_.state();
      after += r.touched ? kStep_s : 0;
    }
    const world::BodyState& b = plant_.state();
    r.rest_offset_m = std::hypot(b.X_WB.p.x, b.X_WB.p.y);
    r.rest_tilt_rad = tilt();
    r.rest_speed_m_s = norm(b.V_WB_B.v);
    r.fuel_kg = engine_state_.booster.fuel_ratio * engine_.booster.total_fuel_mass_kg;
    r.time_s = time_s();
    r.mass_scale = state.mass_scale;
    r.phase = state.phase;
    r.reason = state.reason;
    r.burns = state.burns;
    return r;
  }

  [[nodiscard]] double time_s() const { return static_cast<double>(steps_) * kStep_s; }
  [[nodiscard]] const world::BodyState& body() const { return plant_.state(); }
  [[nodiscard]] double tilt() const {
    return std::acos(std::clamp(rotate(plant_.state().X_WB.q, {0, 0, 1}).z, -1.0, 1.0));
  }

  /// One period of the pilot: state to commands.
  void pilot() {
    Pose X = plant_.state().X_WB;
    Twist V = plant_.state().V_WB_B;
    for (std::size_t i = 0; i < 3; ++i) {
      X.p[i] += start_.position_noise_m * sensor_.normal();
      V.v[i] += start_.velocity_noise_m_s * sensor_.normal();
    }
    if (!control::step(guidance, state, landing_craft(), X, V, kPeriod_s, command)) std::abort();

    propulsion::EngineState lit = engine_state_;
    lit.booster.lit = command.ignition ? 1 : 0;
    Effectiveness all = picture(lit, V, X.p.z);
    control::CraftNow craft = believed();
    craft.min_thrust_N = command.ignition ? engine_.booster.min_thrust_N : 0;
    craft.max_thrust_N = command.ignition ? engine_.booster.max_thrust_N : 0;
    craft.reachable = command.ignition ? kAllAxes : static_cast<AxisMask>(kAllAxes & ~axis_bit(2));
    WrenchDemand demand;
    if (!control::point(attitude, {}, craft, X, V, {command.up_W, command.thrust_N}, demand,
                        trace_))
      std::abort();
    // about the centre of mass: side forces that nobody asked for turn the craft as they do
    about(craft.p_BoBcm_B, all, demand);
    allocation::allocate(prepared_, {}, all, demand, nullptr, answer_);
    input_ =
        propulsion::invert(engine_, lit, {answer_.effort[0], answer_.effort[1], answer_.effort[2]});
    input_.ignition = command.ignition ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i)
      fin_command_[i] =
          propulsion::invert(fin_[i], fin_state_[i], answer_.effort[3 + i], kPeriod_s);
  }

 private:
  static double dry_scale(const LandingStart& s) {
    const double fuel = s.fuel_ratio * 410.9;
    return (s.mass_scale * (kDry_kg + fuel) - fuel) / kDry_kg;
  }

  [[nodiscard]] double fuel_kg() const {
    return propulsion::fuel_of(engine_.booster, engine_state_.booster).mass_kg;
  }

  control::LandingCraft landing_craft() const {
    control::LandingCraft c;
    c.fuel_kg = fuel_kg();
    c.mass_kg = kDry_kg + c.fuel_kg;
    c.min_thrust_N = engine_.booster.min_thrust_N;
    c.max_thrust_N = engine_.booster.max_thrust_N;
    c.exhaust_speed_m_s = engine_.booster.max_thrust_N / engine_.booster.max_fuel_rate_kg_s;
    c.lag_s = engine_.booster.tau_s;
    c.thrust_N = engine_state_.booster.throttle * engine_.booster.max_thrust_N;
    c.reignitable = engine_.booster.reignitable;
    c.axial_drag_m2 = drag_.drag_coef.z * drag_.area_m2.z;
    c.side_drag_m2 = drag_.drag_coef.x * drag_.area_m2.x;
    c.scale_height_m = 10400;
    const double up = std::cos(tilt());
    c.feet_below_m = kStandsAt_m * up + 0.6 * std::sqrt(std::max(1 - up * up, 0.0));
    return c;
  }

  /// The craft as the pilot believes it: true mass is another.
  control::CraftNow believed() const {
    static const vehicle::MassProperties dry = mass_of(rocket_structure(1));
    const propulsion::MassProperties fuel =
        propulsion::fuel_of(engine_.booster, engine_state_.booster);
    const vehicle::MassProperties m =
        combined(dry, {fuel.mass_kg, {}, Mat3::diagonal(fuel.inertia_kgm2)});
    control::CraftNow c;
    c.mass_kg = m.mass_kg;
    c.inertia_kgm2 = m.inertia_kgm2;
    c.p_BoBcm_B = m.center_of_mass_m;
    return c;
  }

  static Wrench at(Wrench w, Vec3 p) { return shift_to_origin(w, p); }
  static void put(Effectiveness& e, const propulsion::Linearised& l, Vec3 p) {
    for (std::size_t i = 0; i < l.n; ++i, ++e.n) {
      e.column[e.n] = to_vec6(at(l.column_P[i], p));
      e.lower[e.n] = l.lower[i];
      e.upper[e.n] = l.upper[i];
      e.preferred[e.n] = l.preferred[i];
    }
    e.bias = e.bias + at(l.bias_P, p);
  }

  /// What the propulsors give, as the pilot sees it: no wind.
  Effectiveness picture(const propulsion::EngineState& lit, const Twist& V, double height) const {
    Effectiveness e;
    const double density = world::standard_atmosphere(height).density_kg_m3;
    put(e, propulsion::linearise(engine_, lit, {}, kHorizon_s), {0, 0, -2});
    if (lit.booster.lit < 0.5) e.lower[0] = e.upper[0] = e.preferred[0] = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 flow = -(V.v + cross(V.w, kFinAt[i]));
      put(e,
          propulsion::linearise(fin_[i], fin_state_[i], {flow, density, 0}, kHorizon_s, kPeriod_s),
          kFinAt[i]);
    }
    e.bias = e.bias + propulsion::step(drag_, {-V.v, density, 0});
    // the guidance has taken the drag along z into account
    e.bias.force.z -= propulsion::step(drag_, {-V.v, density, 0}).force.z;
    return e;
  }

  static void about(Vec3 c, Effectiveness& e, WrenchDemand& demand) {
    const auto moved = [&](const Wrench& w) { return shift_to_origin(w, -c); };
    e.bias = moved(e.bias);
    for (std::size_t i = 0; i < e.n; ++i) e.column[i] = to_vec6(moved(to_wrench(e.column[i])));
    demand.F_Bo_B = moved(demand.F_Bo_B);
  }

  void drain() {
    const propulsion::MassProperties f =
        propulsion::fuel_of(engine_.booster, engine_state_.booster);
    (void)plant_.set_mass(1, {f.mass_kg, {}, Mat3::diagonal(f.inertia_kgm2)});
  }

  void move() {
    air_.update(Time{} + Duration::from_seconds(time_s()));
    const world::BodyState& b = plant_.state();
    const world::Medium medium = air_.at(b.X_WB.p.z);
    const Vec3 wind_B = rotate(conjugate(b.X_WB.q), medium.velocity_W);
    const auto ambient = [&](Vec3 p) {
      return propulsion::Ambient{wind_B - b.V_WB_B.v - cross(b.V_WB_B.w, p), medium.density_kg_m3,
                                 0};
    };
    propulsion::EngineInput input = input_;
    input.noise = noise_.normal();
    plant_.apply(0, {}, propulsion::step(drag_, ambient({})));
    for (std::size_t i = 0; i < 4; ++i)
      plant_.apply(
          0, kFinAt[i],
          propulsion::step(fin_[i], fin_state_[i], fin_command_[i], ambient(kFinAt[i]), kStep_s));
    plant_.apply(0, {0, 0, -2},
                 propulsion::step(engine_, engine_state_, input, {}, {}, kStep_s).wrench_P);
    drain();
    plant_.step(kStep_s);
    ++steps_;
  }

  void note_ignition(LandingResult& r) const {
    const world::BodyState& b = plant_.state();
    const Vec3 v = rotate(b.X_WB.q, b.V_WB_B.v);
    r.lit_at_m = command.height_m;
    r.lit_offset_m = std::hypot(b.X_WB.p.x, b.X_WB.p.y);
    r.lit_drift_m_s = std::hypot(v.x, v.y);
    r.lit_speed_m_s = -v.z;
    r.spare_m_s = command.spare_m_s;
  }

  /// As it came, one step before the ground pushed.
  void note_contact(LandingResult& r) const {
    r.touched = true;
    const Vec3 v = rotate(before_.X_WB.q, before_.V_WB_B.v);
    r.offset_m = std::hypot(before_.X_WB.p.x, before_.X_WB.p.y);
    r.sink_m_s = -v.z;
    r.drift_m_s = std::hypot(v.x, v.y);
    r.tilt_rad = std::acos(std::clamp(rotate(before_.X_WB.q, {0, 0, 1}).z, -1.0, 1.0));
    r.rate_rad_s = norm(before_.V_WB_B.w);
  }

  LandingStart start_;
  propulsion::EngineParams engine_;
  propulsion::EngineState engine_state_;
  propulsion::EngineInput input_;
  propulsion::DragBodyParams drag_;
  std::array<propulsion::FinParams, 4> fin_;
  std::array<propulsion::FinState, 4> fin_state_{};
  std::array<double, 4> fin_command_{};
  world::RigidPlant plant_;
  world::BodyState before_;
  world::Air air_;
  RandomStream noise_, sensor_;
  allocation::Prepared prepared_;
  Allocation answer_;
  control::ThrustVectorTrace trace_;
  std::int64_t steps_ = 0;
};

}  // namespace pintle::testing
