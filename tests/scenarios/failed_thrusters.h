/// The pool mission with thrusters that fail one after the other, announced; judged from its log
/// alone.
///
///   reach    in every tick the axes that the stack counts on are those that `pintle matrix
///            --faults` predicts for what has been announced until then
///   told     an axis that is lost is said to be (axis_lost, with the failure as its cause), and
///            the mission says so in the next tick and in its status from then on
///   honest   achieved wrench = what the commands on the wire give: steady thrust of the world's
///            forward model for each command, at the mount, nothing for a thruster that is out;
///            residual = demand minus that
#pragma once
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pintle/allocation/failures.h"
#include "pintle/base/random.h"
#include "pintle/simulation/run.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::simulation {

struct FailedThrusters {
  std::uint64_t ticks = 0;
  std::uint64_t wrong_reach = 0;  ///< Ticks.
  std::uint64_t untold = 0;       ///< Axes or ticks of the mission's status.
  std::uint64_t wrong_cause = 0;  ///< axis_lost for another reason than the failure.
  double largest_unsent = 0;      ///< Reported wrench against the one from the commands.
  double largest_loose = 0;       ///< Residual against demand minus achieved.
  AxisMask lost = 0;              ///< At the end, as predicted.
  bool all_failed = false;        ///< The mission lasted until all had failed.
  Verdict verdict = Verdict::kAborted;

  [[nodiscard]] bool holds() const {
    return ticks > 0 && wrong_reach + untold + wrong_cause == 0 && largest_unsent <= 1e-9 &&
           largest_loose <= 1e-12;
  }
};

/// Follows the outputs of a log.
class FailedThrustersJudge {
 public:
  FailedThrustersJudge(const MissionFile& mission, FailedThrusters& result)
      : vehicle_(vehicle::build(mission.vehicle.vehicle)),
        cases_(allocation::failure_cases(vehicle::effectiveness_of(vehicle_))),
        out_(vehicle_.propulsors.size(), false),
        bus_V_(16),
        result_(result) {}

  void take(const Inputs& in) {
    if (in.has_bus_voltage) bus_V_ = in.bus_V;
    for (const HealthReport& r : in.health) out_[r.propulsor] = r.health.health == Health::kOut;
  }

  void take(const Outputs& out) {
    ++result_.ticks;
    const AxisMask kept = predicted();
    if (out.allocation.reachable != kept) ++result_.wrong_reach;
    check_events(out, static_cast<AxisMask>(kept_before_ & ~kept));
    check_mission(out);
    check_wrench(out);
    kept_before_ = kept;
    result_.lost = static_cast<AxisMask>(cases_.front().kept & ~kept);
    result_.all_failed = std::count(out_.begin(), out_.end(), true) == expected_;
  }
  void expect(std::size_t failures) { expected_ = static_cast<std::ptrdiff_t>(failures); }

 private:
  [[nodiscard]] AxisMask predicted() const {
    std::vector<int> gone;
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (out_[i]) gone.push_back(static_cast<int>(i));
    gone.resize(2, -1);
    for (const allocation::FailureCase& c : cases_)
      if (c.first == gone[0] && c.second == gone[1]) return c.kept;
    return 0;
  }

  void check_events(const Outputs& out, AxisMask lost) {
    for (const Event& e : out.events) {
      if (e.code != EventCode::kAxisLost) continue;
      lost = static_cast<AxisMask>(lost & ~axis_bit(static_cast<std::size_t>(e.subject)));
      if (e.value != static_cast<double>(AxisLossCause::kFailure)) ++result_.wrong_cause;
    }
    if (lost != 0) ++result_.untold;
  }

  /// The mission hears of it in the tick after.
  void check_mission(const Outputs& out) {
    if (out.mission.phase != MissionPhase::kRunning &&
        out.mission.phase != MissionPhase::kAborting) {
      told_ = 0;
      return;
    }
    const auto lost = static_cast<AxisMask>(cases_.front().kept & ~kept_before_);
    if (out.mission.axes_lost != lost) ++result_.untold;
    const bool said = std::any_of(out.events.begin(), out.events.end(), [lost](const Event& e) {
      return e.code == EventCode::kMissionImpaired && e.value == lost;
    });
    if (lost != told_ && !said) ++result_.untold;
    told_ = lost;
  }

  void check_wrench(const Outputs& out) {
    Wrench sum;
    for (std::size_t i = 0; i < vehicle_.propulsors.size(); ++i) {
      if (out_[i]) continue;
      const vehicle::Propulsor& p = vehicle_.propulsors[i];
      // at rest a command is what its curve gives after any lag
      propulsion::ThrusterState state;
      propulsion::Ambient ambient;
      ambient.bus_V = bus_V_;
      const double thrust =
          propulsion::step(std::get<propulsion::Thruster>(p.model), state, out.actuation.command[i],
                           ambient, propulsion::Grant{}, 1e6)
              .wrench_P.force.x;
      const Vec3 force = thrust * p.mount.direction;
      sum.force = sum.force + force;
      sum.torque = sum.torque + cross(p.mount.position_m, force);
    }
    const Vec6 said = to_vec6(out.allocation.achieved);
    const Vec6 loose =
        to_vec6(out.demand.F_Bo_B - out.allocation.achieved - out.allocation.residual);
    for (std::size_t k = 0; k < kAxes; ++k) {
      result_.largest_unsent =
          std::max(result_.largest_unsent, std::abs(said[k] - to_vec6(sum)[k]));
      result_.largest_loose = std::max(result_.largest_loose, std::abs(loose[k]));
    }
  }

  vehicle::Vehicle vehicle_;
  std::vector<allocation::FailureCase> cases_;
  std::vector<bool> out_;
  double bus_V_;
  FailedThrusters& result_;
  AxisMask kept_before_ = kAllAxes;
  AxisMask told_ = 0;
  std::ptrdiff_t expected_ = 0;
};

/// Thrusters fail at random times of `seed` between 5 and 80 s. The log is written to `log` and
/// taken away again.
inline FailedThrusters fly_with_failures(MissionFile mission,
                                         const std::vector<std::size_t>& thrusters,
                                         std::uint64_t seed, const std::filesystem::path& log) {
  RandomStream random(seed, "failed thrusters");
  mission.world.faults.clear();
  for (const std::size_t i : thrusters) {
    world::FaultSpec fault;
    fault.propulsor = mission.vehicle.vehicle.propulsors[i].name;
    fault.kind = world::FaultKind::kDead;
    fault.at_s = random.uniform(5, 80);
    fault.announced = true;
    mission.world.faults.push_back(fault);
  }
  FailedThrusters result;
  FailedThrustersJudge judge(mission, result);
  judge.expect(thrusters.size());
  RunOptions options;
  options.seed = seed;
  options.log = log;
  result.verdict = run(mission, options).verdict;

  const auto in = std::make_unique<Inputs>();
  const auto out = std::make_unique<Outputs>();
  telemetry::McapReader(log).for_each([&](const telemetry::McapMessage& m) {
    if (m.topic == "/inputs" && telemetry::decode_cdr(m.bytes, *in)) judge.take(*in);
    if (m.topic == "/outputs" && telemetry::decode_cdr(m.bytes, *out)) judge.take(*out);
    return true;
  });
  std::filesystem::remove(log);
  return result;
}

}  // namespace pintle::simulation
