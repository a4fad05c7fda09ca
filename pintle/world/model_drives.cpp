#include "pintle/world/model_drives.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace pintle::world {
namespace {

using propulsion::AzimuthParams;
using propulsion::BoosterParams;
using propulsion::EngineParams;
using propulsion::FinParams;
using propulsion::JetParams;
using propulsion::PropellerParams;
using propulsion::PropulsorInput;
using propulsion::PropulsorState;
using propulsion::PropulsorStep;

double noise_ratio_of(const propulsion::Propulsor& model) noexcept {
  if (const auto* p = std::get_if<BoosterParams>(&model)) return p->noise_ratio;
  if (const auto* p = std::get_if<EngineParams>(&model)) return p->booster.noise_ratio;
  if (const auto* p = std::get_if<PropellerParams>(&model)) return p->noise_ratio;
  return 0;
}

/// Whether what it burns is on board; a jet without a tank is fed from nowhere.
bool takes_fuel(const vehicle::Propulsor& p) noexcept {
  if (p.tank != vehicle::kNoTank) return true;
  const auto* engine = std::get_if<EngineParams>(&p.model);
  const auto* booster = engine ? &engine->booster : std::get_if<BoosterParams>(&p.model);
  return booster && booster->total_fuel_mass_kg > 0;
}

/// The same with lags that take longer.
propulsion::Propulsor slowed(propulsion::Propulsor model, double slowness) noexcept {
  if (auto* p = std::get_if<BoosterParams>(&model)) p->tau_s *= slowness;
  if (auto* p = std::get_if<PropellerParams>(&model)) p->tau_s *= slowness;
  if (auto* p = std::get_if<FinParams>(&model)) p->tau_s *= slowness;
  if (auto* p = std::get_if<AzimuthParams>(&model)) {
    p->tau_s *= slowness;
    p->turn_rate_deg_s /= slowness;
  }
  if (auto* p = std::get_if<EngineParams>(&model)) {
    p->booster.tau_s *= slowness;
    p->gimbal.tau_s *= slowness;
  }
  return model;
}

/// The flame is out; fuel, gimbals and rotors stay as they are.
void blow_out(const propulsion::Propulsor& model, PropulsorState& state) noexcept {
  const auto out = [](propulsion::BoosterState& s) { s.lit = s.throttle = 0; };
  if (auto* s = std::get_if<propulsion::BoosterState>(&state)) out(*s);
  if (auto* s = std::get_if<propulsion::EngineState>(&state)) out(s->booster);
  if (std::holds_alternative<propulsion::JetState>(state)) state = propulsion::initial_state(model);
}

/// Those whose command has a sign.
bool is_signed(const propulsion::Propulsor& model) noexcept {
  return std::holds_alternative<PropellerParams>(model) ||
         std::holds_alternative<FinParams>(model) || std::holds_alternative<AzimuthParams>(model);
}

}  // namespace

ModelDrives::ModelDrives(const TruthVehicle& truth, const WorldParams& params, double step_s,
                         std::uint64_t seed)
    : vehicle_(truth.vehicle),
      line_of_(params.faults.size(), -1),
      ground_(params.ground_effect ? Ground(params.ground, params.pads) : Ground()),
      bus_V_(params.bus_V),
      step_s_(step_s),
      states_(vehicle::starting_states(truth.vehicle)),
      inputs_(truth.vehicle.propulsors.size()),
      grants_(truth.vehicle.propulsors.size()),
      tank_kg_(vehicle::starting_fill(truth.vehicle)) {
  std::size_t channel = 0;
  for (std::size_t i = 0; i < vehicle_.propulsors.size(); ++i) {
    const vehicle::Propulsor& p = vehicle_.propulsors[i];
    if (!std::holds_alternative<propulsion::Thruster>(p.model)) {
      const auto* propeller = std::get_if<PropellerParams>(&p.model);
      drives_.push_back({i,
                         channel,
                         truth.thrust_factor[i],
                         takes_fuel(p),
                         noise_ratio_of(p.model) > 0,
                         RandomStream(seed, "noise " + p.name),
                         propeller && ground_.exists() ? propeller->radius_m : 0,
                         {propulsion::neutral_command(p.model, bus_V_), false, 0}});
    }
    channel += propulsion::channels(p.model);
  }
  for (std::size_t k = 0; k < params.faults.size(); ++k) {
    const FaultSpec& f = params.faults[k];
    const int propulsor = vehicle_.index_of(f.propulsor);
    const auto drive = std::find_if(drives_.begin(), drives_.end(), [&](const Drive& d) {
      return static_cast<int>(d.propulsor) == propulsor;
    });
    if (f.kind != FaultKind::kDelayed || drive == drives_.end()) continue;
    // before the start nothing was asked of any
    const auto steps = static_cast<std::size_t>(std::llround(std::max(f.value / step_s, 1.0)));
    line_of_[k] = static_cast<std::int32_t>(lines_.size());
    lines_.push_back({static_cast<std::size_t>(drive - drives_.begin()),
                      std::vector<PropulsorInput>(steps, drive->wanted),
                      0,
                      {}});
  }
}

void ModelDrives::command(const ChannelVector& commands, std::uint64_t ignition) noexcept {
  for (Drive& d : drives_) {
    const propulsion::Propulsor& model = vehicle_.propulsors[d.propulsor].model;
    d.wanted.command = propulsion::neutral_command(model, bus_V_);
    for (std::size_t k = 0; k < propulsion::channels(model); ++k) {
      const std::size_t channel = d.first_channel + k;
      if (channel < commands.size() && std::isfinite(commands[channel]))
        d.wanted.command[k] = commands[channel];
    }
    d.wanted.ignition = ((ignition >> d.propulsor) & 1U) != 0;
  }
}

void ModelDrives::move_delay_lines() noexcept {
  for (DelayLine& line : lines_) {
    line.delayed = line.inputs[line.next];
    line.inputs[line.next] = drives_[line.drive].wanted;
    if (++line.next == line.inputs.size()) line.next = 0;
  }
}

propulsion::Ambient ModelDrives::ambient_of(const Drive& drive,
                                            const Surroundings& around) const noexcept {
  return vehicle::ambient_at(vehicle_.propulsors[drive.propulsor].mount, around.V_WB_B,
                             around.flow_B, around.density_kg_m3, bus_V_);
}

PropulsorInput ModelDrives::input_of(Drive& drive, const FaultEffect& fault,
                                     const Surroundings& around) noexcept {
  const propulsion::Propulsor& model = vehicle_.propulsors[drive.propulsor].model;
  PropulsorState& state = states_[drive.propulsor];
  PropulsorInput in = drive.wanted;
  if (fault.delay_line >= 0) {
    const auto k = static_cast<std::size_t>(fault.delay_line);
    in = lines_[static_cast<std::size_t>(line_of_[k])].delayed;
  }
  if (fault.stuck) {
    in.ignition = fault.stuck_effort > 0 || !propulsion::needs_ignition(model);
    in.command[0] = propulsion::invert(model, state, {fault.stuck_effort},
                                       ambient_of(drive, around), step_s_, in.ignition)
                        .command[0];
  }
  if (fault.gain == 0) {
    in.ignition = false;
    if (is_signed(model)) in.command[0] = 0;
    blow_out(model, state);
  } else if (std::holds_alternative<FinParams>(model)) {
    in.command[0] *= fault.gain;
  } else if (fault.gain < 0) {
    in.command[0] = -in.command[0];
  }
  in.noise = drive.noisy ? drive.noise.normal() : 0;
  return in;
}

PropulsorStep ModelDrives::step_of(const Drive& drive, const FaultEffect& fault,
                                   const Surroundings& around) noexcept {
  const propulsion::Propulsor& model = vehicle_.propulsors[drive.propulsor].model;
  const PropulsorInput& in = inputs_[drive.propulsor];
  PropulsorState& state = states_[drive.propulsor];
  const propulsion::Ambient ambient = ambient_of(drive, around);
  const bool is_jet = std::holds_alternative<JetParams>(model);
  if (fault.gain == 0 && is_jet) return {};
  const propulsion::Grant& grant = grants_[drive.propulsor];
  PropulsorStep out;
  if (fault.slowness == 1)
    out = propulsion::step(model, state, in, ambient, grant, step_s_);
  else if (is_jet)
    out = propulsion::step(model, state, in, ambient, grant, step_s_ / fault.slowness);
  else
    out = propulsion::step(slowed(model, fault.slowness), state, in, ambient, grant, step_s_);

  // the part that is left of the thrust; a fin's is in its command
  const bool weak = fault.gain != 0 && !std::holds_alternative<FinParams>(model);
  const double part = drive.factor * (weak ? std::abs(fault.gain) : 1);
  out.wrench_P = part * out.wrench_P;
  out.thrust_N *= part;
  out.rate_N_s *= part;
  return out;
}

double ModelDrives::near_ground(const Drive& drive, const Surroundings& around,
                                const Wrench& F_Bo_B) const noexcept {
  if (!(drive.rotor_radius_m > 0)) return 1;
  const Quat& q_WB = around.X_WB.q;
  if (!(rotate(q_WB, F_Bo_B.force).z > 0)) return 1;
  const Vec3 p_W =
      around.X_WB.p + rotate(q_WB, vehicle_.propulsors[drive.propulsor].mount.position_m);
  return ground_effect(drive.rotor_radius_m, p_W.z - ground_.height_m(p_W.x, p_W.y));
}

Wrench ModelDrives::step(const FaultSchedule& faults, const Surroundings& around,
                         ChannelVector& thrust_N, ChannelVector& rate_N_s) noexcept {
  move_delay_lines();
  for (Drive& d : drives_) inputs_[d.propulsor] = input_of(d, faults.effect(d.propulsor), around);
  if (!tank_kg_.empty()) vehicle::grant_all(vehicle_, states_, inputs_, tank_kg_, step_s_, grants_);

  burnt_ = false;
  Wrench sum;
  for (const Drive& d : drives_) {
    const vehicle::Mount& mount = vehicle_.propulsors[d.propulsor].mount;
    PropulsorStep out = step_of(d, faults.effect(d.propulsor), around);
    vehicle::draw(vehicle_, tank_kg_, d.propulsor, out.demand, step_s_);
    burnt_ = burnt_ || (d.takes_fuel && out.demand.mass_flow_kg_s > 0);

    Wrench F_Bo_B = vehicle::at_origin(mount, out.wrench_P);
    const double ground = near_ground(d, around, F_Bo_B);
    if (ground != 1) {
      out.wrench_P.force = ground * out.wrench_P.force;
      out.thrust_N *= ground;
      F_Bo_B = vehicle::at_origin(mount, out.wrench_P);
    }
    thrust_N[d.propulsor] = out.thrust_N;
    rate_N_s[d.propulsor] = out.rate_N_s;
    sum = sum + F_Bo_B;
  }
  return sum;
}

}  // namespace pintle::world
