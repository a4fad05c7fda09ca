#include <array>

#include "pintle/world_params/params.h"

namespace pintle {

using world::AirParams;
using world::CurrentParams;
using world::FaultKind;
using world::FaultSpec;
using world::GroundParams;
using world::GustParams;
using world::MeterParams;
using world::OdometryParams;
using world::PadSpec;
using world::PlantKind;
using world::StartSpread;
using world::TruthParams;
using world::WaterParams;
using world::WorldParams;

template <>
const EnumTable& enum_table<FaultKind>() {
  static constexpr auto value = [](FaultKind k, std::string_view name, std::string_view meaning) {
    return EnumValue{static_cast<std::int64_t>(k), name, meaning};
  };
  static constexpr std::array kValues{
      value(FaultKind::kDead, "dead", "It stops and gives no thrust."),
      value(FaultKind::kStuck, "stuck", "It gives the effort `value` whatever is asked."),
      value(FaultKind::kReversed, "reversed", "It pushes the other way."),
      value(FaultKind::kWeak, "weak", "It gives the part `value` of the thrust asked."),
      value(FaultKind::kSlow, "slow", "It follows `value` times as slowly."),
      value(FaultKind::kDelayed, "delayed", "It hears commands `value` seconds late."),
      value(FaultKind::kPropellerLost, "propeller_lost", "Its motor turns, and nothing pushes."),
      value(FaultKind::kFouled, "fouled", "Weed or a line in it: little thrust, much current.")};
  static constexpr EnumTable kTable{"FaultKind", kValues};
  return kTable;
}

template <>
const EnumTable& enum_table<PlantKind>() {
  static constexpr std::array kValues{
      enum_value(PlantKind::kRigid, "rigid", "One rigid body with feet, in water and air."),
      enum_value(PlantKind::kMujoco, "mujoco",
                 "MuJoCo's contact; not in water; needs a build with MuJoCo.")};
  static constexpr EnumTable kTable{"PlantKind", kValues};
  return kTable;
}

template <>
const Table& table_of<StartSpread>() {
  static const Table table =
      TableBuilder<StartSpread>("StartSpread",
                                "How far the start may lie from where it is told: half-widths, "
                                "drawn evenly, once a seed.")
          .field("position_m", &StartSpread::position_m, "m", "Of start_position_m, each axis.")
          .at_least(0)
          .field("rpy_deg", &StartSpread::rpy_deg, "deg", "Of start_rpy_deg, each angle.")
          .range(0, 180)
          .field("velocity_m_s", &StartSpread::velocity_m_s, "m/s",
                 "Of start_velocity_m_s, each axis.")
          .at_least(0)
          .build();
  return table;
}

template <>
const Table& table_of<CurrentParams>() {
  static const Table table =
      TableBuilder<CurrentParams>("Current", "Motion of the water, the same everywhere.")
          .field("steady_m_s", &CurrentParams::steady_m_s, "m/s",
                 "Constant part, towards east, north, up.")
          .field("wave_m_s", &CurrentParams::wave_m_s, "m/s",
                 "Amplitude of a part that swings as a sine, starting at 0.")
          .field("wave_period_s", &CurrentParams::wave_period_s, "s", "Period of that sine.")
          .range(0.1, 1e6)
          .field("wander_m_s", &CurrentParams::wander_m_s, "m/s",
                 "Standard deviation of a part that wanders at random, east and north.")
          .range(0, 10)
          .field("wander_time_s", &CurrentParams::wander_time_s, "s",
                 "Time over which the wandering part forgets itself.")
          .range(0.1, 1e6)
          .build();
  return table;
}

template <>
const Table& table_of<WaterParams>() {
  static const Table table =
      TableBuilder<WaterParams>("Water", "The water around the vehicle.")
          .field("density_kg_m3", &WaterParams::density_kg_m3, "kg/m3",
                 "Density: fresh water 998, sea water 1025; 0 is vacuum.")
          .range(0, 20000)
          .field("gravity_m_s2", &WaterParams::gravity_m_s2, "m/s2", "Gravity.")
          .range(0, 100)
          .field("surface_z_m", &WaterParams::surface_z_m, "m", "Height of the surface.")
          .range(-1e5, 1e5)
          .field("current", &WaterParams::current, "", "How the water moves.")
          .build();
  return table;
}

template <>
const Table& table_of<GustParams>() {
  static const Table table =
      TableBuilder<GustParams>("Gusts", "Gusts of the Dryden model at low altitude.")
          .field("wind_at_6m_m_s", &GustParams::wind_at_6m_m_s, "m/s",
                 "Wind 6 m above ground that sets their strength: 0 none, 7.7 light, 15.4 "
                 "moderate, 23 severe.")
          .range(0, 60)
          .field("height_m", &GustParams::height_m, "m",
                 "Height above ground for which strength and size are taken.")
          .range(3, 300)
          .field("airspeed_m_s", &GustParams::airspeed_m_s, "m/s",
                 "Speed at which gusts sweep past the vehicle.")
          .range(1, 300)
          .build();
  return table;
}

template <>
const Table& table_of<AirParams>() {
  static const Table table =
      TableBuilder<AirParams>("Air", "The standard atmosphere, and how it moves.")
          .field("altitude_m", &AirParams::altitude_m, "m", "Of world height 0 above sea level.")
          .range(-500, 9000)
          .field("temperature_offset_K", &AirParams::temperature_offset_K, "K",
                 "Warmer than the standard atmosphere by this much.")
          .range(-60, 60)
          .field("wind_m_s", &AirParams::wind_m_s, "m/s",
                 "Wind 10 m above ground, towards east, north, up.")
          .field("wind_up_to_m_s", &AirParams::wind_up_to_m_s, "m/s",
                 "Level wind on top of it, drawn once a seed: evenly from 0 to this speed, in any "
                 "direction.")
          .range(0, 60)
          .field("shear", &AirParams::shear, "",
                 "Wind grows as (height / 10 m) to this power: 0 everywhere the same, 0.14 over "
                 "open land.")
          .range(0, 0.6)
          .field("gusts", &AirParams::gusts, "", "What comes on top of the wind.")
          .build();
  return table;
}

template <>
const Table& table_of<GroundParams>() {
  static const Table table =
      TableBuilder<GroundParams>("Ground", "Level ground.")
          .field("height_m", &GroundParams::height_m, "m", "World height.")
          .range(-1e5, 1e5)
          .field("friction", &GroundParams::friction, "", "Coefficient of Coulomb's friction.")
          .range(0, 5)
          .build();
  return table;
}

template <>
const Table& table_of<PadSpec>() {
  static const Table table =
      TableBuilder<PadSpec>("Pad", "A disc to land on.")
          .field("name", &PadSpec::name, "", "Unique name.")
          .required()
          .field("position_m", &PadSpec::position_m, "m", "Middle of its top.")
          .required()
          .field("radius_m", &PadSpec::radius_m, "m", "Radius.")
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<OdometryParams>() {
  static const Table table =
      TableBuilder<OdometryParams>("OdometrySensor", "What the vehicle is told of its own motion.")
          .field("rate_Hz", &OdometryParams::rate_Hz, "Hz", "Messages a second.")
          .range(0.1, 10000)
          .field("delay_s", &OdometryParams::delay_s, "s",
                 "From the instant a message speaks of to its arrival.")
          .range(0, 5)
          .field("drop_out", &OdometryParams::drop_out, "", "Share of messages that are lost.")
          .range(0, 1)
          .field("drop_out_mean_s", &OdometryParams::drop_out_mean_s, "s",
                 "Mean length of a gap; 0 loses single messages.")
          .range(0, 1e4)
          .field("position_noise_m", &OdometryParams::position_noise_m, "m",
                 "Standard deviation of the noise of position, each axis.")
          .range(0, 100)
          .field("attitude_noise_deg", &OdometryParams::attitude_noise_deg, "deg",
                 "The same of attitude, about each body axis.")
          .range(0, 45)
          .field("velocity_noise_m_s", &OdometryParams::velocity_noise_m_s, "m/s",
                 "The same of velocity.")
          .range(0, 100)
          .field("rate_noise_deg_s", &OdometryParams::rate_noise_deg_s, "deg/s",
                 "The same of angular velocity.")
          .range(0, 1000)
          .field("position_bias_m", &OdometryParams::position_bias_m, "m",
                 "Standard deviation of a constant error of position, drawn once a seed.")
          .range(0, 100)
          .field("attitude_bias_deg", &OdometryParams::attitude_bias_deg, "deg",
                 "The same of attitude.")
          .range(0, 45)
          .field("frame", &OdometryParams::frame, "", "In which the source says it.")
          .build();
  return table;
}

template <>
const Table& table_of<TruthParams>() {
  static const Table table =
      TableBuilder<TruthParams>("TruthSpread",
                                "How far the vehicle that flies is from its file: standard "
                                "deviations, drawn once a seed, cut at two of them.")
          .field("mass", &TruthParams::mass, "", "Of the mass, relative.")
          .range(0, 0.4)
          .field("inertia", &TruthParams::inertia, "",
                 "Of the spread of mass along each axis, relative.")
          .range(0, 0.4)
          .field("drag", &TruthParams::drag, "", "Of the damping of each axis, relative.")
          .range(0, 0.4)
          .field("added_mass", &TruthParams::added_mass, "",
                 "Of the added mass of each axis, relative.")
          .range(0, 0.4)
          .field("volume", &TruthParams::volume, "", "Of the displaced volume, relative.")
          .range(0, 0.4)
          .field("thrust", &TruthParams::thrust, "", "Of the thrust of each propulsor, relative.")
          .range(0, 0.4)
          .field("mount_position_m", &TruthParams::mount_position_m, "m",
                 "Of the place of each propulsor, each axis.")
          .range(0, 1)
          .field("mount_angle_deg", &TruthParams::mount_angle_deg, "deg",
                 "Of the direction of each propulsor, about each axis.")
          .range(0, 30)
          .field("center_of_mass_m", &TruthParams::center_of_mass_m, "m",
                 "Of the centre of mass, each axis.")
          .range(0, 1)
          .build();
  return table;
}

template <>
const Table& table_of<FaultSpec>() {
  static const Table table =
      TableBuilder<FaultSpec>("Fault", "Something that goes wrong with a propulsor.")
          .field("propulsor", &FaultSpec::propulsor, "", "Its name in the vehicle file.")
          .required()
          .field("kind", &FaultSpec::kind, "", "What goes wrong.")
          .required()
          .field("at_s", &FaultSpec::at_s, "s", "When it begins.")
          .range(0, 1e9)
          .field("until_s", &FaultSpec::until_s, "s", "When it is well again.")
          .range(0, 1e9)
          .field("value", &FaultSpec::value, "",
                 "Of stuck: effort; of weak: part of the thrust left, 0 to 1; of slow: factor on "
                 "the lag; of delayed: seconds.")
          .field("announced", &FaultSpec::announced, "",
                 "The stack is told when it begins and ends.")
          .build();
  return table;
}

template <>
const Table& table_of<MeterParams>() {
  using P = MeterParams;
  static const Table table =
      TableBuilder<P>("Meters", "What thrusters with electrical figures say of themselves.")
          .field("rate_Hz", &P::rate_Hz, "Hz", "How often.")
          .range(0.1, 1000)
          .field("delay_s", &P::delay_s, "s", "From the measurement to its arrival.")
          .range(0, 10)
          .field("drop_out", &P::drop_out, "", "Probability that a report is lost.")
          .range(0, 1)
          .field("rpm_noise", &P::rpm_noise, "", "Of the speed, as a share of the largest.")
          .range(0, 1)
          .field("current_noise", &P::current_noise, "",
                 "Of the current, as a share of the largest.")
          .range(0, 1)
          .field("voltage_noise_V", &P::voltage_noise_V, "V", "Of the voltage.")
          .range(0, 100)
          .field("temperature_noise_C", &P::temperature_noise_C, "C", "Of the temperature.")
          .range(0, 100)
          .field("cable_Ohm", &P::cable_Ohm, "", "Resistance of each one's cable, in ohms.")
          .range(0, 10)
          .field("water_C", &P::water_C, "C", "Temperature of the water.")
          .range(-5, 60)
          .build();
  return table;
}

template <>
const Table& table_of<WorldParams>() {
  static const Table table =
      TableBuilder<WorldParams>("World", "The simulated surroundings of a vehicle.")
          .field("format", &WorldParams::format, "", "pintle/world/1")
          .field("water", &WorldParams::water, "", "The water around the vehicle.")
          .field("gravity_m_s2", &WorldParams::gravity_m_s2, "m/s2",
                 "Gravity, where there is no water to say it.")
          .range(0, 100)
          .field("air", &WorldParams::air, "", "Air above the water; none: no wind, no density.")
          .field("ground", &WorldParams::ground, "", "Ground to stand on; none: bottomless.")
          .field("pads", &WorldParams::pads, "", "Where to land.")
          .field("odometry", &WorldParams::odometry, "",
                 "What the vehicle is told of its own motion.")
          .field("truth", &WorldParams::truth, "",
                 "How far the vehicle that flies is from its file.")
          .field("bus_V", &WorldParams::bus_V, "V", "Voltage of the supply of the propulsors.")
          .range(1, 1000)
          .field("step_s", &WorldParams::step_s, "s", "Step of the physics, whole nanoseconds.")
          .range(1e-5, 0.01)
          .field("start_position_m", &WorldParams::start_position_m, "m",
                 "Where the body origin is at the start.")
          .field("start_rpy_deg", &WorldParams::start_rpy_deg, "deg",
                 "Roll, pitch and yaw at the start.")
          .field("start_velocity_m_s", &WorldParams::start_velocity_m_s, "m/s",
                 "Velocity of the body origin at the start, towards east, north, up.")
          .field("start_rate_deg_s", &WorldParams::start_rate_deg_s, "deg/s",
                 "Angular velocity at the start, about the body axes.")
          .field("start_spread", &WorldParams::start_spread, "",
                 "How far the start may lie from there, drawn once a seed.")
          .field("plant", &WorldParams::plant, "", "What moves the vehicle.")
          .field("ground_effect", &WorldParams::ground_effect, "",
                 "Propellers with a radius push more near the ground.")
          .field("meters", &WorldParams::meters, "",
                 "What thrusters say of themselves; none: nothing.")
          .field("faults", &WorldParams::faults, "", "What goes wrong, and when.")
          .field("bodies", &WorldParams::bodies, "", "Solid things beside the vehicle.")
          .field("targets", &WorldParams::targets, "", "What its camera can make out.")
          .field("sightings", &WorldParams::sightings, "", "What comes of its pictures.")
          .field("carry", &WorldParams::carry, "", "A hand that lifts the craft and puts it down.")
          .field("device_faults", &WorldParams::device_faults, "",
                 "Flight controller, gripper and camera that misbehave.")
          .build();
  return table;
}

}  // namespace pintle
