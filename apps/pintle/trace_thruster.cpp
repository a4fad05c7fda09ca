#include "csv.h"
#include "pintle/craft/load.h"
#include "trace.h"

namespace pintle::app {

int trace_thruster(const std::string& file, const std::string& input, double dt_s) {
  const craft::VehicleFile loaded = craft::load_vehicle(file);
  const vehicle::Vehicle v = vehicle::build(loaded.vehicle);
  const CsvTable table = read_csv(input);
  std::vector<std::string> required;
  for (const auto& p : v.propulsors) required.push_back(v.unit.normalised ? p.name : p.name + "_N");
  table.expect(required, {"bus_V"});

  for (const auto& p : v.propulsors)
    if (!std::holds_alternative<propulsion::Thruster>(p.model))
      throw std::invalid_argument(v.name + ": " + p.name + " is a " +
                                  std::string(propulsion::kind_of(p.model)) +
                                  ", no thruster: see pintle trace --help");
  CsvWriter out(stdout);
  for (const auto& p : v.propulsors) {
    const auto& t = std::get<propulsion::Thruster>(p.model);
    out.cell(p.name + "_effort");
    if (t.params().curve == propulsion::CurveKind::kPulseWidth) out.cell(p.name + "_pwm_us");
    out.cell(p.name + "_thrust_N");
  }
  out.end_row();

  // driver side (slew) and world side (lag) of each thruster
  std::vector<propulsion::ThrusterState> driver(v.propulsors.size()), plant(v.propulsors.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    propulsion::Ambient ambient;
    ambient.bus_V = table.at(row, "bus_V", ambient.bus_V);
    for (std::size_t i = 0; i < v.propulsors.size(); ++i) {
      const auto& t = std::get<propulsion::Thruster>(v.propulsors[i].model);
      const propulsion::ThrusterCommand sent =
          invert(t, driver[i], table.at(row, required[i], 0), ambient, dt_s);
      double thrust = 0;
      if (dt_s > 0)
        thrust = step(t, plant[i], sent.command, ambient, {}, dt_s).wrench_P.force.x;
      else
        thrust = t.effort_for(sent.command, ambient.bus_V);
      const bool pulses = t.params().curve == propulsion::CurveKind::kPulseWidth;
      // a driver that is told an effort gets the command itself (M5: -1 to 1)
      out.cell(pulses ? sent.effort : sent.command);
      if (pulses) out.cell(sent.command);
      out.cell(thrust * v.unit.one_unit_N);
    }
    out.end_row();
  }
  return kOk;
}

}  // namespace pintle::app
