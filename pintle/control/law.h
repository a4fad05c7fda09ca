/// Any control law, whichever it is: the alternatives of one variant, and the functions over it.
/// Nothing else knows which laws there are.
///
///   check    findings about the parameters
///   accept   a setpoint taken over, or refused with the reason
///   measure  the loops, run on what was measured: called in every tick
///   demand   the wrench to allocate now;  motion: the velocity for a flight controller
///   achieved what became of the demand: saturation goes back into the loops
///   reset    how much the cause calls for
///
/// A law is a file of its own with a parameter struct, a state of plain values and those of these
/// functions that say something for it; what it leaves out is answered here with "nothing to do".
/// docs/how-to-add-a-law.md goes through it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "pintle/control/six_axis.h"
#include "pintle/control/station.h"
#include "pintle/control/thrust_vector.h"
#include "pintle/control/velocity_law.h"

namespace pintle::control {

/// In the order of the variants below.
enum class Law : std::uint8_t { kSixAxis, kThrustVector, kVelocity, kStation };

using LawParams = std::variant<SixAxisParams, ThrustVectorParams, VelocityLawParams, StationParams>;
/// Of each, in the same order.
using LawState = std::variant<SixAxisState, ThrustVectorState, VelocityLawState, StationState>;
static_assert(std::is_trivially_copyable_v<LawState>);
static_assert(std::variant_size_v<LawParams> == std::variant_size_v<LawState>);

/// What a file says: which law, and a section for each; only that of the law in use counts.
struct LawSections {
  Law law = Law::kSixAxis;
  SixAxisParams control;
  ThrustVectorParams vector;
  VelocityLawParams velocity;
  StationParams station;
};

/// Inner values, for tuning: the law in use fills its own.
struct LawTrace {
  SixAxisTrace control;
  ThrustVectorTrace vector;
  VelocityLawTrace velocity;
  StationTrace station;
};

/// Of a craft that follows wrenches and nothing else: every axis by itself, behaviour reference, no
/// loops. `most`: what a wrench may ask for, either way.
[[nodiscard]] LawSections following_wrenches(double most);
/// With a flight controller, by velocities: loops per tick at kDeadbandPidRate_Hz, as their original,
/// and `most` (m/s, rad/s) for what they do not bound.
void follow_per_tick(LawSections& sections, const DeadbandPidParams& xy, const DeadbandPidParams& z,
                     const DeadbandPidParams& yaw, double most) noexcept;

/// Position and velocity loops on every axis, as originals' files say them.
struct AxisLoops {
  Behaviour behaviour = Behaviour::kReference;
  PerAxis<PidParams> position{}, position_cascaded{}, velocity{};
  PerAxis<WrenchLimit> wrench_limits{};
  Vec3 static_force{};
  double scale = 1;
};
/// Of a craft that is flown by them.
[[nodiscard]] LawSections following_loops(const AxisLoops& loops);
/// Of the law that has such loops, in use or not.
[[nodiscard]] AxisLoops axis_loops(const LawSections& sections) noexcept;
/// Which of them are on, as the switches of a node.
struct LoopSwitches {
  bool position = false, velocity = false, cascaded = false;
};
[[nodiscard]] LoopSwitches switches(const LawSections& sections) noexcept;
void set_switches(LawSections& sections, const LoopSwitches& switches) noexcept;

/// Of all sections, in use or not; paths as in a file.
[[nodiscard]] Findings check(const LawSections& sections);
[[nodiscard]] LawParams selected(const LawSections& sections);

[[nodiscard]] LawTraits traits(Law law) noexcept;
[[nodiscard]] LawTraits traits(const LawParams& params) noexcept;
/// The law that a simulated flight controller flies by.
[[nodiscard]] Law inner_law() noexcept;
/// "six_axis", or "a or b": those that are so, as a file says them.
[[nodiscard]] std::string names_of_laws(bool (*are)(const LawTraits&));

/// Laws that follow no original are always safe.
[[nodiscard]] Behaviour behaviour(const LawParams& params) noexcept;
/// Weight and group per axis of what it demands; no wrench.
[[nodiscard]] WrenchDemand priorities(const LawParams& params) noexcept;
/// Of wrenches that a setpoint may ask for; infinite where the law sets none.
[[nodiscard]] PerAxis<WrenchLimit> wrench_limits(const LawParams& params) noexcept;

[[nodiscard]] LawState initial_state(const LawParams& params) noexcept;

/// Whether the demand depends on the vehicle's state.
[[nodiscard]] bool needs_state(const LawParams& params, const LawState& state) noexcept;
/// Takes a setpoint over if it is acceptable; otherwise the old one stays whole. `axis` gets the
/// first offending axis, -1 for none. `wrench_is_new`: somebody has just given it.
[[nodiscard]] SetpointRefusal accept(const LawParams& params, LawState& state,
                                     const Setpoint& setpoint, int& axis,
                                     bool wrench_is_new = false) noexcept;
/// The last one that was.
[[nodiscard]] const Setpoint& accepted(const LawState& state) noexcept;

/// False: the input was not usable; the last demand stands.
[[nodiscard]] bool measure(const LawParams& params, LawState& state, const LawInput& input,
                           LawTrace& trace) noexcept;
/// `out` stays as it is under a law that asks for none.
void demand(const LawParams& params, const LawState& state, LawTrace& trace,
            WrenchDemand& out) noexcept;
[[nodiscard]] MotionCommand motion(const LawState& state) noexcept;
/// Upwards velocity that it goes for, where it has such a thing.
[[nodiscard]] double wanted_up_m_s(const LawState& state) noexcept;

/// What who tunes loops on every axis looks at: views into parameters, state and trace.
struct LoopsView {
  const PerAxis<PidParams>&position, &velocity;  ///< In use: of position cascaded or not.
  const PerAxis<PidTerms>&position_terms, &velocity_terms;
  const Vec6 &position_error, &velocity_error, &position_effort, &velocity_effort;
  const Vec3 &static_force, &static_local;
  const Vec6 &base, &unscaled;  ///< Of the demand.
  double scale = 1;
};
/// None under a law without such loops.
[[nodiscard]] std::optional<LoopsView> view_of_loops(const LawParams& params, const LawState& state,
                                                     const LawTrace& trace) noexcept;

/// The attitude half by itself, of laws that have one: the next demand is what a guidance wants.
[[nodiscard]] bool point(const LawParams& params, LawState& state, const Setpoint& setpoint,
                         const LawInput& input, const Pointing& wanted, LawTrace& trace) noexcept;

/// `allocated`: what allocation could give of the demand; `sent`: what is really done.
void achieved(const LawParams& params, LawState& state, const Vec6& demanded, const Vec6& allocated,
              const Vec6& sent, double dt_s, bool live) noexcept;
void reset(const LawParams& params, LawState& state, ResetCause cause) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::Law>();
template <>
const Table& table_of<control::LawSections>();
template <>
const Table& table_of<control::LawTrace>();
}  // namespace pintle
