/// The whole stack as one function.
///
///   estimate -> safety -> mission -> control -> [ linearise -> allocate -> invert ] -> gate
///
/// `Model` is immutable and built off the tick; `State` is one plain struct, copied as bytes;
/// `Inputs` hold everything from outside. No clock, I/O, heap, lock or exception inside. Simulator,
/// hardware and replay call the same function.
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "pintle/mission/mission.h"
#include "pintle/propulsion/propulsor.h"
#include "pintle/stack/signals.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::stack {

/// What the vehicle does when it may not go on, and when that is.
struct SafetyParams {
  double ramp_to_safe_s = 0.5;    ///< Efforts fall to the safe ones over this time.
  double state_lost_latch_s = 5;  ///< State not valid for this long while armed: latched safe.
  double setpoint_stale_s =
      1;  ///< A planner's setpoint older than this: hold position where it is. 0: never.
  bool start_armed = false;
};

[[nodiscard]] Findings check(const SafetyParams& params);

/// Immutable. Built by stack/load.h; one generation a change of parameters.
struct Model {
  std::uint32_t generation = 0;
  vehicle::Vehicle vehicle;
  Effectiveness effectiveness;  ///< Of the mounts; bounds are renewed each tick.
  control::SixAxisParams control;
  allocation::Settings allocation;
  estimation::EstimatorParams estimation;
  SafetyParams safety;
  bool has_mission = false;
  mission::Mission mission;
  Duration period;  ///< Nominal, of the tick.
};

/// Everything that lives from tick to tick.
struct State {
  std::uint64_t ticks = 0;
  Time last_now{};
  ArmState arm = ArmState::kDisarmed;
  bool state_was_valid = false;
  Time state_lost_at{};
  estimation::EstimatorState odometry, transform;
  control::SixAxisState control;
  mission::EngineState mission;
  Setpoint planner_setpoint{};
  bool has_planner_setpoint = false;
  Time planner_setpoint_at{};
  FixedVector<propulsion::PropulsorState, kMaxPropulsors> propulsors;
  FixedVector<PropulsorHealth, kMaxPropulsors> health;
  ChannelVector last_effort;
  double bus_V = 16;
  AxisMask last_reachable = kAllAxes;
  bool was_saturated = false;
};
static_assert(std::is_trivially_copyable_v<State>);

[[nodiscard]] State initial_state(const Model& model) noexcept;

void tick(const Model& model, State& state, const Inputs& inputs, Outputs& outputs) noexcept;

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::SafetyParams>();
}
