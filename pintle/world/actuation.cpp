#include "pintle/world/actuation.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace pintle::world {
namespace {

/// A thruster that takes its effort as command and has the slew and lag of another.
propulsion::Thruster shaft_of(const propulsion::Thruster& thruster, double range) {
  propulsion::ThrusterParams p;
  p.min_effort = -range;
  p.max_effort = range;
  p.curve = propulsion::CurveKind::kLinear;
  p.tau_s = thruster.params().tau_s;
  p.slew_per_s = thruster.params().slew_per_s;
  return propulsion::Thruster(p);
}

double power_of_two_above(double x) noexcept { return std::exp2(std::ceil(std::log2(x))); }

}  // namespace

Actuation::Actuation(const TruthVehicle& truth, const WorldParams& params, double step_s,
                     std::uint64_t seed)
    : line_of_(params.faults.size(), -1),
      models_(truth, params, step_s, seed),
      ambient_{{}, params.water.density_kg_m3, params.bus_V},
      step_s_(step_s),
      thrust_N_(truth.vehicle.propulsors.size()),
      thrust_rate_N_s_(truth.vehicle.propulsors.size()),
      turning_(truth.vehicle.propulsors.size()) {
  std::size_t channel = 0;
  for (std::size_t i = 0; i < truth.vehicle.propulsors.size(); ++i) {
    const vehicle::Propulsor& p = truth.vehicle.propulsors[i];
    if (const auto* thruster = std::get_if<propulsion::Thruster>(&p.model)) {
      const double low = thruster->params().min_effort, high = thruster->params().max_effort;
      const double range = power_of_two_above(std::max(std::abs(low), std::abs(high)));
      drives_.push_back({i, channel, *thruster, shaft_of(*thruster, range), 1 / range, low, high,
                         vehicle::column_of(p.mount),
                         truth.vehicle.unit.one_unit_N * truth.thrust_factor[i]});
    }
    channel += propulsion::channels(p.model);
  }
  for (std::size_t k = 0; k < params.faults.size(); ++k) {
    const FaultSpec& f = params.faults[k];
    const int propulsor = truth.vehicle.index_of(f.propulsor);
    const auto drive = std::find_if(drives_.begin(), drives_.end(), [&](const Drive& d) {
      return static_cast<int>(d.propulsor) == propulsor;
    });
    if (f.kind != FaultKind::kDelayed || drive == drives_.end()) continue;
    // before the start every propulsor was idle
    const auto steps = static_cast<std::size_t>(std::llround(std::max(f.value / step_s, 1.0)));
    line_of_[k] = static_cast<std::int32_t>(lines_.size());
    lines_.push_back(
        {static_cast<std::size_t>(drive - drives_.begin()), std::vector<double>(steps, 0.0)});
  }
}

void Actuation::command(const ChannelVector& commands, std::uint64_t ignition) noexcept {
  for (Drive& d : drives_)
    d.wanted = d.channel < commands.size()
                   ? d.thruster.effort_for(commands[d.channel], ambient_.bus_V)
                   : 0;
  models_.command(commands, ignition);
}

Wrench Actuation::step(const FaultSchedule& faults, const Surroundings& around) noexcept {
  // delay lines run all the time, so that a delay that begins finds the commands before it
  for (DelayLine& line : lines_) {
    line.delayed = line.efforts[line.next];
    line.efforts[line.next] = drives_[line.drive].wanted;
    if (++line.next == line.efforts.size()) line.next = 0;
  }

  ambient_.density_kg_m3 = around.density_kg_m3;
  const Vec3 flow_B = around.flow_B;
  const Vec6 nu = to_vec6(around.V_WB_B);
  Vec6 sum;
  for (Drive& d : drives_) {
    const FaultEffect& fault = faults.effect(d.propulsor);
    double wanted = d.wanted;
    if (fault.delay_line >= 0)
      wanted =
          lines_[static_cast<std::size_t>(line_of_[static_cast<std::size_t>(fault.delay_line)])]
              .delayed;
    if (fault.stuck) wanted = std::clamp(fault.stuck_effort, d.lowest, d.highest);
    if (watches_turning_) {
      // behind the same lag, so that it follows what a fault makes of the thrust
      const double turns = fault.dead ? 0 : wanted;
      (void)propulsion::step(d.shaft, d.turning, turns * d.command_per_effort, ambient_, {},
                             step_s_ / fault.slowness);
      turning_[d.propulsor] = d.turning.effort;
    }
    wanted *= fault.gain;

    // the flow along the mount; across it nobody asks yet
    const Vec6& c = d.column;
    ambient_.flow_P.x = c[0] * flow_B.x + c[1] * flow_B.y + c[2] * flow_B.z - dot(c, nu);
    const propulsion::ThrusterStep out = propulsion::step(
        d.shaft, d.state, wanted * d.command_per_effort, ambient_, {}, step_s_ / fault.slowness);
    const double thrust = out.wrench_P.force.x * d.newtons;
    thrust_N_[d.propulsor] = thrust;
    for (std::size_t j = 0; j < 6; ++j) sum[j] += c[j] * thrust;
  }
  if (models_.empty()) return to_wrench(sum);
  return to_wrench(sum) + models_.step(faults, around, thrust_N_, thrust_rate_N_s_);
}

}  // namespace pintle::world
