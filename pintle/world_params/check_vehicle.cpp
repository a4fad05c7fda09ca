#include "pintle/world_params/check_vehicle.h"

#include <string>
#include <variant>

#include "pintle/config/problem.h"
#include "pintle/config/reader.h"

namespace pintle::world {
namespace {

using propulsion::BoosterParams;
using propulsion::EngineParams;
using propulsion::JetParams;
using propulsion::PropellerParams;

bool follows_at_once(const propulsion::Propulsor& model) {
  if (const auto* p = std::get_if<propulsion::Thruster>(&model))
    return p->params().tau_s == 0 && p->params().slew_per_s == 0;
  if (const auto* p = std::get_if<BoosterParams>(&model)) return p->tau_s == 0;
  if (const auto* p = std::get_if<EngineParams>(&model))
    return p->booster.tau_s == 0 && p->gimbal.tau_s == 0;
  if (const auto* p = std::get_if<PropellerParams>(&model)) return p->tau_s == 0;
  if (const auto* p = std::get_if<propulsion::FinParams>(&model)) return p->tau_s == 0;
  const auto* jet = std::get_if<JetParams>(&model);
  return jet && jet->model == propulsion::JetModel::kDirect && jet->start_up_s == 0;
}

/// Faults that cannot act on this kind of propulsor, or do nothing to this one.
void check_kind(const FaultSpec& f, const propulsion::Propulsor& model, const std::string& path,
                Findings& out) {
  const std::string kind(propulsion::kind_of(model));
  if (f.kind == FaultKind::kSlow && follows_at_once(model))
    out.push_back({path + ".kind", "has no effect: " + f.propulsor + " has neither lag nor slew",
                   "give it tau_s in the vehicle file", false});
  const bool one_way = kind == "jet" || kind == "booster" || kind == "engine";
  if (f.kind == FaultKind::kReversed && one_way)
    out.push_back(
        {path + ".kind",
         "a " + kind + " cannot push the other way: " + f.propulsor + " cannot be reversed",
         "write dead, weak or stuck"});
  if (f.kind == FaultKind::kStuck && one_way && f.value < 0)
    out.push_back({path + ".value",
                   "expected a thrust of at least 0 N, which is all that a " + kind + " can give",
                   "write newtons"});
}

void check_surroundings(const WorldParams& p, const vehicle::Vehicle& vehicle, Findings& out) {
  bool has_rotor = false;
  for (const vehicle::Propulsor& each : vehicle.propulsors) {
    const auto* propeller = std::get_if<PropellerParams>(&each.model);
    has_rotor = has_rotor || (propeller && propeller->radius_m > 0);
  }
  if (p.ground_effect && p.ground && !has_rotor)
    out.push_back({"ground_effect",
                   "has no effect: no propeller of " + vehicle.name + " has a radius",
                   "give propellers radius_m in the vehicle file", false});
}

/// A jet of first order whose step cannot be made (propulsion/jet.h) would never change its thrust.
void check_step(const WorldParams& p, const vehicle::Vehicle& vehicle, Findings& out) {
  for (const vehicle::Propulsor& each : vehicle.propulsors) {
    const auto* jet = std::get_if<JetParams>(&each.model);
    if (jet == nullptr || jet->model != propulsion::JetModel::kFirstOrder ||
        jet->inverse_time_constant_per_s * p.step_s < 1)
      continue;
    out.push_back({"step_s",
                   "a step of " + config::shortest(p.step_s) + " s cannot be made with " +
                       each.name + ", whose inverse_time_constant_per_s is " +
                       config::shortest(jet->inverse_time_constant_per_s) +
                       ": their product must be below 1, else its thrust never changes",
                   "write inverse_time_constant_per_s: 0 for an integrator, or a shorter step"});
    return;
  }
}

}  // namespace

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
    } else {
      check_kind(f, vehicle.propulsors[static_cast<std::size_t>(i)].model, path, out);
    }
  }
  check_surroundings(params, vehicle, out);
  check_step(params, vehicle, out);
  return out;
}

}  // namespace pintle::world
