#include "pintle/control/law.h"

#include <array>
#include <limits>
#include <utility>

namespace pintle::control {
namespace {

// in the order of Law
constexpr std::array kTraits{kSixAxisTraits, kThrustVectorTraits, kVelocityTraits, kStationTraits};
static_assert(kTraits.size() == std::variant_size_v<LawParams>);

SixAxisTrace& trace_of(const SixAxisParams&, LawTrace& t) noexcept { return t.control; }
ThrustVectorTrace& trace_of(const ThrustVectorParams&, LawTrace& t) noexcept { return t.vector; }
VelocityLawTrace& trace_of(const VelocityLawParams&, LawTrace& t) noexcept { return t.velocity; }
StationTrace& trace_of(const StationParams&, LawTrace& t) noexcept { return t.station; }

/// Calls with the parameters and the state that belongs to them, if the law has what is called for;
/// another's state is left alone.
template <class State, class Visitor>
void with_state(const LawParams& params, State& state, const Visitor& visitor) noexcept {
  const std::size_t law = params.index() == state.index() ? params.index() : std::variant_npos;
  const auto call = [&]<std::size_t i>() noexcept {
    const auto& p = *std::get_if<i>(&params);
    auto& s = *std::get_if<i>(&state);
    if constexpr (requires { visitor(p, s); }) visitor(p, s);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) noexcept {
    (void)((law == i && (call.template operator()<i>(), true)) || ...);
  }
  (std::make_index_sequence<std::variant_size_v<LawParams>>{});
}

template <class Answer, class Visitor>
Answer with_params(const LawParams& params, Answer otherwise, const Visitor& visitor) noexcept {
  return std::visit(
      [&](const auto& p) noexcept -> Answer {
        if constexpr (requires { visitor(p); })
          return visitor(p);
        else
          return otherwise;
      },
      params);
}

}  // namespace

LawSections following_wrenches(double most) {
  LawSections s;
  s.control.behaviour = Behaviour::kReference;
  s.control.enable_position = s.control.enable_velocity = false;
  s.control.desired_wrench_limits.fill({-most, most});
  return s;
}

void follow_per_tick(LawSections& s, const DeadbandPidParams& xy, const DeadbandPidParams& z,
                     const DeadbandPidParams& yaw, double most) noexcept {
  s.law = Law::kVelocity;
  s.velocity = {VelocityForm::kPerTick, xy, z, yaw, most, most, most, most};
}

LawSections following_loops(const AxisLoops& loops) {
  LawSections s;
  s.control.behaviour = loops.behaviour;
  s.control.position = loops.position;
  s.control.position_cascaded = loops.position_cascaded;
  s.control.velocity = loops.velocity;
  s.control.desired_wrench_limits = loops.wrench_limits;
  s.control.static_force = loops.static_force;
  s.control.scale = loops.scale;
  return s;
}

AxisLoops axis_loops(const LawSections& s) noexcept {
  const SixAxisParams& p = s.control;
  return {p.behaviour,    p.position, p.position_cascaded, p.velocity, p.desired_wrench_limits,
          p.static_force, p.scale};
}

LoopSwitches switches(const LawSections& s) noexcept {
  return {s.control.enable_position, s.control.enable_velocity, s.control.cascaded};
}

void set_switches(LawSections& s, const LoopSwitches& on) noexcept {
  s.control.enable_position = on.position;
  s.control.enable_velocity = on.velocity;
  s.control.cascaded = on.cascaded;
}

Findings check(const LawSections& sections) {
  Findings out;
  const auto add = [&out](const char* section, const Findings& findings) {
    for (Finding f : findings) {
      f.path = f.path.empty() ? section : section + ("." + f.path);
      out.push_back(std::move(f));
    }
  };
  add("control", check(sections.control));
  add("thrust_vector", check(sections.vector));
  add("velocity", check(sections.velocity));
  add("station", check(sections.station));
  return out;
}

LawParams selected(const LawSections& sections) {
  switch (sections.law) {
    case Law::kSixAxis: break;
    case Law::kThrustVector: return sections.vector;
    case Law::kVelocity: return sections.velocity;
    case Law::kStation: return sections.station;
  }
  return sections.control;
}

LawTraits traits(Law law) noexcept {
  const auto i = static_cast<std::size_t>(law);
  return i < kTraits.size() ? kTraits[i] : kTraits[0];
}
LawTraits traits(const LawParams& params) noexcept { return kTraits[params.index()]; }

Law inner_law() noexcept {
  std::size_t i = 0;
  while (!kTraits[i].carries_itself()) ++i;
  return static_cast<Law>(i);
}

std::string names_of_laws(bool (*are)(const LawTraits&)) {
  std::string out;
  for (std::size_t i = 0; i < kTraits.size(); ++i)
    if (are(kTraits[i]))
      out += (out.empty() ? "" : " or ") + std::string(to_string(static_cast<Law>(i)));
  return out;
}

Behaviour behaviour(const LawParams& params) noexcept {
  return with_params(
      params, Behaviour::kSafe, [](const auto& p) noexcept -> Behaviour requires requires {
        p.behaviour;
      } { return p.behaviour; });
}

WrenchDemand priorities(const LawParams& params) noexcept {
  return with_params(
      params, WrenchDemand{},
      [](const auto& p) noexcept -> WrenchDemand requires requires { p.weight; } {
        return {{}, p.weight, p.group};
      });
}

PerAxis<WrenchLimit> wrench_limits(const LawParams& params) noexcept {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  PerAxis<WrenchLimit> none;
  none.fill({-kNone, kNone});
  return with_params(
      params, none, [](const auto& p) noexcept -> PerAxis<WrenchLimit> requires requires {
        p.desired_wrench_limits;
      } { return p.desired_wrench_limits; });
}

LawState initial_state(const LawParams& params) noexcept {
  switch (static_cast<Law>(params.index())) {
    case Law::kSixAxis: break;
    case Law::kThrustVector: return ThrustVectorState{};
    case Law::kVelocity: return VelocityLawState{};
    case Law::kStation: return StationState{};
  }
  return SixAxisState{};
}

bool needs_state(const LawParams& params, const LawState& state) noexcept {
  bool answer = true;
  with_state(params, state, [&](const auto& p, const auto& s) noexcept {
    // its own: a call would turn what has none into variants again, and come back here
    using Own = bool (*)(decltype(p), decltype(s)) noexcept;
    if constexpr (requires { static_cast<Own>(needs_state); })
      answer = static_cast<Own>(needs_state)(p, s);
  });
  return answer;
}

SetpointRefusal accept(const LawParams& params, LawState& state, const Setpoint& setpoint,
                       int& axis, bool wrench_is_new) noexcept {
  SetpointRefusal answer = SetpointRefusal::kNone;
  axis = -1;
  with_state(params, state, [&](const auto& p, auto& s) noexcept {
    answer = accept(p, s, setpoint, &axis, wrench_is_new);
  });
  return answer;
}

const Setpoint& accepted(const LawState& state) noexcept {
  return std::visit([](const auto& s) noexcept -> const Setpoint& { return s.setpoint; }, state);
}

bool measure(const LawParams& params, LawState& state, const LawInput& input,
             LawTrace& trace) noexcept {
  bool answer = false;
  with_state(params, state, [&](const auto& p, auto& s) noexcept {
    answer = measure(p, s, input, trace_of(p, trace));
  });
  return answer;
}

void demand(const LawParams& params, const LawState& state, LawTrace& trace,
            WrenchDemand& out) noexcept {
  with_state(
      params, state,
      [&](const auto& p, const auto& s) noexcept requires requires {
        demand(p, s, trace_of(p, trace));
      } { out = demand(p, s, trace_of(p, trace)); });
}

MotionCommand motion(const LawState& state) noexcept {
  return std::visit(
      [](const auto& s) noexcept -> MotionCommand {
        if constexpr (requires { s.motion; })
          return s.motion;
        else
          return {};
      },
      state);
}

double wanted_up_m_s(const LawState& state) noexcept {
  return std::visit(
      [](const auto& s) noexcept -> double {
        if constexpr (requires { s.wanted_up_m_s; })
          return s.wanted_up_m_s;
        else
          return 0;
      },
      state);
}

std::optional<LoopsView> view_of_loops(const LawParams& params, const LawState& state,
                                       const LawTrace& trace) noexcept {
  const auto* p = std::get_if<SixAxisParams>(&params);
  const auto* s = std::get_if<SixAxisState>(&state);
  if (p == nullptr || s == nullptr) return std::nullopt;
  const SixAxisTrace& t = trace.control;
  return LoopsView{p->cascaded ? p->position_cascaded : p->position,
                   p->velocity,
                   t.position,
                   t.velocity,
                   t.position_error,
                   t.velocity_error,
                   s->position_effort,
                   s->velocity_effort,
                   p->static_force,
                   s->static_local,
                   t.base,
                   t.unscaled,
                   p->scale};
}

bool point(const LawParams& params, LawState& state, const Setpoint& setpoint,
           const LawInput& input, const Pointing& wanted, LawTrace& trace) noexcept {
  bool answer = false;
  with_state(
      params, state,
      [&](const auto& p, auto& s) noexcept requires requires {
        point(p, s, setpoint, input, wanted, trace_of(p, trace));
      } { answer = point(p, s, setpoint, input, wanted, trace_of(p, trace)); });
  return answer;
}

void achieved(const LawParams& params, LawState& state, const Vec6& demanded, const Vec6& allocated,
              const Vec6& sent, double dt_s, bool live) noexcept {
  with_state(
      params, state,
      [&](const auto& p, auto& s) noexcept requires requires {
        achieved(p, s, demanded, allocated, sent, dt_s, live);
      } { achieved(p, s, demanded, allocated, sent, dt_s, live); });
}

void reset(const LawParams& params, LawState& state, ResetCause cause) noexcept {
  with_state(params, state, [cause](const auto& p, auto& s) noexcept { reset(p, s, cause); });
}

}  // namespace pintle::control

namespace pintle {

template <>
const EnumTable& enum_table<control::Law>() {
  using control::Law;
  static constexpr std::array values{
      enum_value(Law::kSixAxis, "six_axis",
                 "Every axis by itself, gains in control: underwater vehicles."),
      enum_value(Law::kThrustVector, "thrust_vector",
                 "Tilts to go sideways, gains in thrust_vector: multirotors, jets, rockets."),
      enum_value(Law::kVelocity, "velocity",
                 "Velocities for a flight controller that closes the inner loops."),
      enum_value(Law::kStation, "station",
                 "Place and heading held against current and waves, gains in station: ships.")};
  static constexpr EnumTable table{"Law", values};
  return table;
}

template <>
const Table& table_of<control::LawSections>() {
  using S = control::LawSections;
  static const Table table =
      TableBuilder<S>("LawSections", "Which control law, and the parameters of each.")
          .field("law", &S::law, "", "Control law: whose gains are used.")
          .field("control", &S::control, "", "The six-axis control law.")
          .field("thrust_vector", &S::vector, "",
                 "The law of craft that push along their own z axis.")
          .field("velocity", &S::velocity, "",
                 "The law of craft whose flight controller closes the inner loops.")
          .field("station", &S::station, "", "The law of ships that hold place and heading.")
          .build();
  return table;
}

template <>
const Table& table_of<control::LawTrace>() {
  using T = control::LawTrace;
  static const Table table =
      TableBuilder<T>("LawTrace", "Inner values of the law in use.")
          .field("control", &T::control, "", "Inner values of the six-axis law.")
          .field("vector", &T::vector, "", "Inner values of the thrust-vector law.")
          .field("velocity", &T::velocity, "", "Of the velocity law.")
          .field("station", &T::station, "", "Of the station law.")
          .build();
  return table;
}

}  // namespace pintle
