#include "pintle/world/params.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace pintle::world {
namespace {

std::string text(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", x);
  return buffer.data();
}

std::string allowed(const Field& f) {
  const bool low = std::isfinite(f.minimum), high = std::isfinite(f.maximum);
  const std::string from = (f.above_minimum ? "above " : "at least ") + text(f.minimum);
  if (low && high)
    return f.above_minimum ? from + " and at most " + text(f.maximum)
                           : text(f.minimum) + " to " + text(f.maximum);
  if (low) return from;
  return high ? "at most " + text(f.maximum) : std::string("a finite number");
}

bool inside(const Field& f, double x) {
  const bool above = f.above_minimum ? x > f.minimum : x >= f.minimum;
  return std::isfinite(x) && above && x <= f.maximum;
}

// every number of a struct against the range in its field table: what a file is held to holds for
// parameters made in code too
void check_ranges(const Table& table, const void* object, const std::string& prefix,
                  Findings& out) {
  for (const Field& f : table.fields) {
    const std::string path = prefix + std::string(f.name);
    for (std::size_t i = 0; i < f.size(object); ++i) {
      const std::string here =
          f.shape == Shape::kSingle ? path : path + "[" + std::to_string(i) + "]";
      const void* element = f.element(object, i);
      if (f.kind == Kind::kStruct) {
        check_ranges(*f.table, element, here + ".", out);
      } else if (f.kind == Kind::kFloat64 || f.kind == Kind::kFloat32) {
        const double x = number_of(f, element);
        if (inside(f, x)) continue;
        const std::string unit = f.unit.empty() ? "" : " " + std::string(f.unit);
        out.push_back({here, "expected " + allowed(f) + unit + ", got " + text(x),
                       "write a number in that range"});
      }
    }
  }
}

void check_current(const CurrentParams& p, Findings& out) {
  const double wave = norm(p.wave_m_s), steady = norm(p.steady_m_s);
  if (steady + wave + 2 * p.wander_m_s > 5)
    out.push_back({"water.current",
                   "this current reaches " + text(steady + wave + 2 * p.wander_m_s) +
                       " m/s, more than any vehicle of this kind can stem",
                   "write metres a second", false});
}

void check_odometry(const WorldParams& p, Findings& out) {
  const OdometryParams& o = p.odometry;
  if (o.rate_Hz * p.step_s > 1)
    out.push_back({"odometry.rate_Hz",
                   "expected at most one message a step (" + text(1 / p.step_s) + " Hz), got " +
                       text(o.rate_Hz),
                   "lower rate_Hz or step_s"});
  if (o.drop_out_mean_s > 0 && o.drop_out == 0)
    out.push_back({"odometry.drop_out_mean_s", "has no effect while drop_out is 0",
                   "give the share of messages lost as drop_out", false});
  if (o.drop_out == 1)
    out.push_back({"odometry.drop_out", "no message ever arrives",
                   "write the share of messages lost, such as  drop_out: 0.01", false});
}

void check_fault(const FaultSpec& f, const std::string& path, Findings& out) {
  const auto expect = [&](bool good, const char* what, const char* fix) {
    if (!good)
      out.push_back(
          {path + ".value", std::string("expected ") + what + ", got " + text(f.value), fix});
  };
  if (f.propulsor.empty())
    out.push_back({path + ".propulsor", "expected the name of a propulsor, got nothing",
                   "write a name that stands under propulsors in the vehicle file"});
  if (!(f.until_s > f.at_s))
    out.push_back({path + ".until_s",
                   "expected a time after at_s (" + text(f.at_s) + "), got " + text(f.until_s),
                   "leave until_s out for a fault that stays"});
  switch (f.kind) {
    case FaultKind::kWeak:
      expect(f.value >= 0 && f.value <= 1, "the part of the thrust that is left, 0 to 1",
             "write 0.4 for 40 %");
      break;
    case FaultKind::kSlow:
      expect(f.value >= 1 && f.value <= 1000, "a factor on the lag, 1 to 1000",
             "write 3 for three times as slow");
      break;
    case FaultKind::kDelayed:
      expect(f.value > 0 && f.value <= kMaxFaultDelay_s, "a delay above 0 and at most 10 s",
             "write seconds");
      break;
    case FaultKind::kDead:
    case FaultKind::kStuck:
    case FaultKind::kReversed: break;
  }
  if (f.announced && (f.kind == FaultKind::kSlow || f.kind == FaultKind::kDelayed))
    out.push_back({path + ".announced",
                   "has no effect: the stack has no word for a " + std::string(to_string(f.kind)) +
                       " propulsor",
                   "leave announced out", false});
}

}  // namespace

Findings check(const WorldParams& p) {
  Findings out;
  if (p.format != "pintle/world/1")
    out.push_back({"format", "expected pintle/world/1, got \"" + p.format + "\"",
                   "write  format: pintle/world/1"});
  check_ranges(table_of<WorldParams>(), &p, "", out);
  check_current(p.water.current, out);
  check_odometry(p, out);
  for (std::size_t i = 0; i < p.faults.size(); ++i)
    check_fault(p.faults[i], "faults[" + std::to_string(i) + "]", out);
  if (p.water.density_kg_m3 > 0 && p.water.density_kg_m3 < 500)
    out.push_back({"water.density_kg_m3",
                   text(p.water.density_kg_m3) + " kg/m3 is neither water nor vacuum",
                   "fresh water is 998, sea water 1025", false});
  return out;
}

}  // namespace pintle::world

namespace pintle {

using world::CurrentParams;
using world::FaultKind;
using world::FaultSpec;
using world::OdometryParams;
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
      value(FaultKind::kDelayed, "delayed", "It hears commands `value` seconds late.")};
  static constexpr EnumTable kTable{"FaultKind", kValues};
  return kTable;
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
const Table& table_of<WorldParams>() {
  static const Table table =
      TableBuilder<WorldParams>("World", "The simulated surroundings of a vehicle.")
          .field("format", &WorldParams::format, "", "pintle/world/1")
          .field("water", &WorldParams::water, "", "The water around the vehicle.")
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
          .field("faults", &WorldParams::faults, "", "What goes wrong, and when.")
          .build();
  return table;
}

}  // namespace pintle
