/// The simulated surroundings: format `pintle/world/1`, or the `world:` section of a mission.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/odometry_frame.h"
#include "pintle/base/signals.h"
#include "pintle/world_params/device_faults.h"
#include "pintle/world_params/site.h"

namespace pintle::world {

/// Water moving past the vehicle: steady, plus slow waves, plus a first-order Gauss-Markov part.
///
///   v_c(t) = steady + wave sin(2 pi t / wave_period) + wander(t)
struct CurrentParams {
  Vec3 steady_m_s{};          ///< World coordinates.
  Vec3 wave_m_s{};            ///< Amplitude of a sine …
  double wave_period_s = 30;  ///< … of this period.
  double wander_m_s = 0;      ///< Standard deviation of the wandering part, each horizontal axis.
  double wander_time_s = 20;  ///< Its correlation time.
};

struct WaterParams {
  double density_kg_m3 = 1000;
  double gravity_m_s2 = 9.80665;
  double surface_z_m = 0;  ///< World height of the surface.
  CurrentParams current;
};

/// Gusts of the Dryden model at low altitude (see gusts.h): strength and size follow from the wind
/// near the ground and the height; both are taken once, for the whole run.
struct GustParams {
  double wind_at_6m_m_s = 0;  ///< 0 is no gusts; 7.7 light, 15.4 moderate, 23 severe.
  double height_m = 50;       ///< Above ground, for which strength and size are taken.
  double airspeed_m_s = 10;   ///< At which gusts sweep past the vehicle.
};

/// Air above the surface of the water (everywhere when there is none).
struct AirParams {
  double altitude_m = 0;            ///< Of world height 0 above sea level.
  double temperature_offset_K = 0;  ///< On the standard atmosphere.
  Vec3 wind_m_s{};                  ///< World coordinates, 10 m above ground.
  /// A level wind on top of that one, drawn once a seed: its speed evenly from 0 to this, any
  /// direction.
  double wind_up_to_m_s = 0;
  double shear = 0;  ///< Wind grows as (height / 10 m)^shear; 0.14 over open land.
  GustParams gusts;
};

struct GroundParams {
  double height_m = 0;  ///< World height.
  double friction = 0.5;
};

/// A disc to land on.
struct PadSpec {
  std::string name;
  Vec3 position_m{};  ///< Middle of its top.
  double radius_m = 2;
};

/// Odometry as a state estimator would give it.
struct OdometryParams {
  double rate_Hz = 50;
  double delay_s = 0;
  double drop_out = 0;         ///< Probability that a message is lost.
  double drop_out_mean_s = 0;  ///< 0: single messages; else bursts of this mean length.
  double position_noise_m = 0, attitude_noise_deg = 0, velocity_noise_m_s = 0, rate_noise_deg_s = 0;
  /// Standard deviation of a constant drawn per seed.
  double position_bias_m = 0, attitude_bias_deg = 0;
  OdometryFrame frame = OdometryFrame::kEnu;  ///< In which the source says it; see
                                              ///< base/odometry_frame.h.
};

/// How far the truth is from the vehicle file: standard deviations, drawn per seed, cut at two of
/// them.
struct TruthParams {
  double mass = 0;  ///< Relative.
  double inertia = 0, drag = 0, added_mass = 0, volume = 0;
  double thrust = 0;            ///< Relative, per propulsor.
  double mount_position_m = 0;  ///< Per propulsor and axis.
  double mount_angle_deg = 0;
  double center_of_mass_m = 0;
};

/// What is wrong with a propulsor.
enum class FaultKind : std::uint8_t {
  kDead,           ///< It stops: no thrust.
  kStuck,          ///< Its effort goes to `value` and stays there.
  kReversed,       ///< It pushes the other way.
  kWeak,           ///< It gives the part `value` of the thrust asked.
  kSlow,           ///< Lag and slew take `value` times as long.
  kDelayed,        ///< It hears commands `value` seconds late.
  kPropellerLost,  ///< The motor turns, and nothing pushes.
  kFouled,         ///< Weed or a line in it: little thrust, much current.
};

inline constexpr double kMaxFaultDelay_s = 10;

/// Faults of one propulsor that overlap add up: factors multiply; of two that are stuck or delayed
/// the later one in the list counts; dead wins over all.
struct FaultSpec {
  std::string propulsor;  ///< Name in the vehicle file.
  FaultKind kind = FaultKind::kDead;
  double at_s = 0;
  double until_s = 1e9;
  /// kStuck: effort; kWeak: efficiency 0..1; kSlow: factor on the lag; kDelayed: seconds.
  double value = 0;
  bool announced = false;  ///< The stack is told at once.
};

/// Reports of a thruster that may be under way at once.
inline constexpr std::size_t kMostOnTheWay = 32;

/// What thrusters say of themselves (see meters.h).
struct MeterParams {
  double rate_Hz = 20;
  double delay_s = 0.01;
  double drop_out = 0;          ///< Probability that a report is lost.
  double rpm_noise = 0.005;     ///< Share of the largest …
  double current_noise = 0.01;  ///< … of this, too.
  double voltage_noise_V = 0.05;
  double temperature_noise_C = 0.2;
  double cable_Ohm = 0.02;  ///< Of each thruster, from the supply.
  double water_C = 15;
};

/// What moves the craft (see plant.h).
enum class PlantKind : std::uint8_t {
  kRigid,   ///< One rigid body: ships in every build.
  kMujoco,  ///< MuJoCo, where the program was built with it; not in water.
};

/// How far the start may lie from where it is told: half-widths, drawn evenly, once a seed.
struct StartSpread {
  Vec3 position_m{};
  Vec3 rpy_deg{};
  Vec3 velocity_m_s{};  ///< World coordinates.
};

struct WorldParams {
  std::string format = "pintle/world/1";
  WaterParams water;
  std::optional<double> gravity_m_s2;  ///< Over that of `water`.
  std::optional<AirParams> air;        ///< None: no wind, and no density above the water.
  std::optional<GroundParams> ground;  ///< None: nothing to stand on.
  std::vector<PadSpec> pads;
  OdometryParams odometry;
  TruthParams truth;
  double bus_V = 16;
  double step_s = 0.001;
  Vec3 start_position_m{};
  Vec3 start_rpy_deg{};
  Vec3 start_velocity_m_s{};  ///< Of the body origin, world coordinates.
  Vec3 start_rate_deg_s{};    ///< Body coordinates.
  std::optional<StartSpread> start_spread;
  PlantKind plant = PlantKind::kRigid;
  bool ground_effect = false;         ///< Propellers near the ground push more (see ground.h).
  std::optional<MeterParams> meters;  ///< None: thrusters say nothing of themselves.
  std::vector<FaultSpec> faults;
  std::vector<DeviceFault> device_faults;
  std::vector<BodySpec> bodies;
  std::vector<TargetSpec> targets;
  SightingParams sightings;
  std::optional<CarryParams> carry;
};

[[nodiscard]] inline double gravity_of(const WorldParams& p) noexcept {
  return p.gravity_m_s2.value_or(p.water.gravity_m_s2);
}

/// Numbers outside the ranges of their field tables, and whatever contradicts itself. Whether the
/// faults name propulsors is for `check(params, vehicle)` in check_vehicle.h.
[[nodiscard]] Findings check(const WorldParams& params);

}  // namespace pintle::world

namespace pintle {
template <>
const EnumTable& enum_table<world::FaultKind>();
template <>
const EnumTable& enum_table<world::PlantKind>();
template <>
const Table& table_of<world::StartSpread>();
template <>
const Table& table_of<world::CurrentParams>();
template <>
const Table& table_of<world::WaterParams>();
template <>
const Table& table_of<world::GustParams>();
template <>
const Table& table_of<world::AirParams>();
template <>
const Table& table_of<world::GroundParams>();
template <>
const Table& table_of<world::PadSpec>();
template <>
const Table& table_of<world::OdometryParams>();
template <>
const Table& table_of<world::TruthParams>();
template <>
const Table& table_of<world::MeterParams>();
template <>
const Table& table_of<world::FaultSpec>();
template <>
const Table& table_of<world::WorldParams>();
}  // namespace pintle
