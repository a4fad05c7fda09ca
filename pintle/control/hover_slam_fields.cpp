#include <string>

#include "pintle/control/hover_slam.h"
#include "pintle/control/pid.h"

namespace pintle::control {
Findings check(const HoverSlamParams& p) {
  Findings out;
  // the ranges are those of the field table: said once
  for (const Field& field : table_of<HoverSlamParams>().fields) {
    const double x = number_of(field, field.element(&p, 0));
    if (x >= field.minimum && x <= field.maximum && is_usable(x)) continue;
    out.push_back(
        {std::string(field.name),
         "expected " + text(field.minimum) + " to " + text(field.maximum) + ", found " + text(x),
         "write a number inside", true});
  }
  if (p.touch_tilt_rad > p.max_tilt_rad)
    out.push_back({"touch_tilt_rad", "above max_tilt_rad: the limit would grow near the ground",
                   "write at most " + text(p.max_tilt_rad), true});
  if (p.contact_speed_m_s < p.touch_speed_m_s)
    out.push_back({"contact_speed_m_s",
                   "below touch_speed_m_s: a good landing would not count as contact",
                   "write at least " + text(p.touch_speed_m_s), true});
  if (p.max_touch_speed_m_s < p.contact_speed_m_s)
    out.push_back({"max_touch_speed_m_s", "below contact_speed_m_s: every contact would be hard",
                   "write at least " + text(p.contact_speed_m_s), true});
  return out;
}

}  // namespace pintle::control

namespace pintle {

using namespace control;

template <>
const EnumTable& enum_table<LandingPhase>() {
  static constexpr std::array values{
      enum_value(LandingPhase::kCoast, "coast", "Falls; the engine is off."),
      enum_value(LandingPhase::kSteer, "steer",
                 "Leans and burns to get where the stop can do the rest."),
      enum_value(LandingPhase::kIgnition, "ignition", "Told to burn, does not push yet."),
      enum_value(LandingPhase::kBurn, "burn", "Brakes."),
      enum_value(LandingPhase::kTouchDown, "touch_down", "Has touched; the engine is cut."),
      enum_value(LandingPhase::kLanded, "landed", "At rest, upright."),
      enum_value(LandingPhase::kFailed, "failed", "The end, and the reason says why."),
  };
  static constexpr EnumTable table{"LandingPhase", values};
  return table;
}

template <>
const EnumTable& enum_table<LandingReason>() {
  static constexpr std::array values{
      enum_value(LandingReason::kNone, "none", "Nothing went wrong."),
      enum_value(LandingReason::kTooLate, "too_late",
                 "Full thrust does not stop it above the ground."),
      enum_value(LandingReason::kFuelShort, "fuel_short",
                 "The stop takes more fuel than there is."),
      enum_value(LandingReason::kNotLit, "not_lit", "The engine does not light."),
      enum_value(LandingReason::kBurntOut, "burnt_out", "Out of fuel in the air."),
      enum_value(LandingReason::kStoppedHigh, "stopped_high",
                 "Stopped above the ground with an engine that cannot be lit again."),
      enum_value(LandingReason::kHardContact, "hard_contact", "Touched too fast."),
      enum_value(LandingReason::kTipped, "tipped", "Not upright at rest."),
  };
  static constexpr EnumTable table{"LandingReason", values};
  return table;
}

template <>
const Table& table_of<HoverSlamParams>() {
  using P = HoverSlamParams;
  static const Table table =
      TableBuilder<P>("HoverSlam", "Landing on an engine: fall, brake late, stop on the ground.")
          .field("throttle_reserve", &P::throttle_reserve, "",
                 "Share of the throttle range kept above the thrust that the stop is planned with.")
          .range(0, 1)
          .field("delay_s", &P::delay_s, "s", "From a state to the command that it leads to.")
          .range(0, 1)
          .field("touch_speed_m_s", &P::touch_speed_m_s, "m/s", "Speed wanted at contact.")
          .range(0, 10)
          .field("max_tilt_rad", &P::max_tilt_rad, "rad", "Lean of the wanted axis while it burns.")
          .range(0, 1)
          .field("touch_tilt_rad", &P::touch_tilt_rad, "rad", "The same at contact.")
          .range(0, 1)
          .field("tilt_height_m", &P::tilt_height_m, "m",
                 "Height below which the lean allowed shrinks to the one at contact.")
          .range(0, 1e4)
          .field("min_time_to_go_s", &P::min_time_to_go_s, "s",
                 "The sideways law never hurries more than with this much time to go.")
          .range(0.05, 100)
          .field("lean_s", &P::lean_s, "s",
                 "Before ignition the axis goes where the burn will want it.")
          .range(0, 100)
          .field("airflow_speed_m_s", &P::airflow_speed_m_s, "m/s",
                 "Slower than this the axis is held up before ignition.")
          .range(0.1, 1e4)
          .field("steer_from_m_s", &P::steer_from_m_s, "m/s",
                 "Sideways speed missing that is worth a burn high above; 0: never.")
          .range(0, 100)
          .field("steer_to_m_s", &P::steer_to_m_s, "m/s", "What may be missing after it.")
          .range(0.01, 100)
          .field("steer_fall_m_s", &P::steer_fall_m_s, "m/s",
                 "Only when falling this fast; a burn that steers takes at most half of it.")
          .range(0.1, 1e4)
          .field("steer_tilt_rad", &P::steer_tilt_rad, "rad", "Lean of the wanted axis meanwhile.")
          .range(0, 1)
          .field("steer_soft_m_s", &P::steer_soft_m_s, "m/s",
                 "Leant less when less than this is missing.")
          .range(0, 100)
          .field("drift_share", &P::drift_share, "",
                 "Of the drift that the wind will make, taken into account.")
          .range(0, 3)
          .field("steer_throttle", &P::steer_throttle, "", "Share of the throttle range meanwhile.")
          .range(0, 1)
          .field("steer_burns", &P::steer_burns, "",
                 "Steers only as long as the engine was lit less often; 0: never.")
          .range(0, 100)
          .field("steer_room", &P::steer_room, "",
                 "It steers only where a stop at this share of the throttle range …")
          .range(0, 1)
          .field("steer_height_m", &P::steer_height_m, "m", "… would end this high.")
          .range(0, 10000)
          .field("drop_speed_m_s", &P::drop_speed_m_s, "m/s",
                 "Where a fall would end slower than this, the engine is not lit again.")
          .range(0, 10)
          .field("most_burns", &P::most_burns, "",
                 "Ignitions in all. The last burn goes on until it touches.")
          .range(1, 100)
          .field("min_burn_s", &P::min_burn_s, "s", "No burn is shorter, but where it touches.")
          // longer ones stop it high in the air, and it falls with what fuel is left
          .range(0, 2)
          .field("min_off_s", &P::min_off_s, "s", "Between two burns.")
          .range(0, 100)
          .field("height_time_s", &P::height_time_s, "s",
                 "Time constant of the measured height over that of speed summed up; 0: none.")
          .range(0, 10)
          .field("estimate_time_s", &P::estimate_time_s, "s",
                 "Time constant of the estimate of mass over believed mass; 0: none.")
          .range(0, 100)
          .field("push_time_s", &P::push_time_s, "s",
                 "Time constant of the estimate of what pushes sideways; 0: none.")
          .range(0, 100)
          .field("push_height_m", &P::push_height_m, "m", "Below it that estimate stays as it is.")
          .range(0, 1e4)
          .field("estimate_limit", &P::estimate_limit, "", "How far from 1 it may go.")
          .range(0, 0.9)
          .field("contact_height_m", &P::contact_height_m, "m",
                 "Below it, and slower than contact_speed_m_s, it stands.")
          .range(0, 10)
          .field("contact_speed_m_s", &P::contact_speed_m_s, "m/s", "See contact_height_m.")
          .range(0, 100)
          .field("contact_jump_m_s2", &P::contact_jump_m_s2, "m/s^2",
                 "Push upwards that neither engine nor air explains: contact.")
          .range(0, 1e4)
          .field("contact_jump_height_m", &P::contact_jump_height_m, "m",
                 "Below this height such a push counts.")
          .range(0, 10)
          .field("rest_speed_m_s", &P::rest_speed_m_s, "m/s", "Slower than this is rest.")
          .range(0, 10)
          .field("settle_s", &P::settle_s, "s", "At rest this long: landed.")
          .range(0, 100)
          .field("max_touch_speed_m_s", &P::max_touch_speed_m_s, "m/s",
                 "Touching faster than this is a failure.")
          .range(0, 100)
          .field("max_rest_tilt_rad", &P::max_rest_tilt_rad, "rad",
                 "Leaning more than this at rest is a failure.")
          .range(0, 3.2)
          .field("light_time_s", &P::light_time_s, "s",
                 "No thrust this long after ignition is a failure.")
          .range(0.01, 100)
          .build();
  return table;
}

template <>
const Table& table_of<HoverSlamState>() {
  using S = HoverSlamState;
  static const Table table =
      TableBuilder<S>("HoverSlamState", "What the landing remembers.")
          .field("phase", &S::phase, "", "Where in the landing it is.")
          .field("reason", &S::reason, "", "The last thing that went wrong.")
          .field("in_phase_s", &S::in_phase_s, "s", "Time in this phase.")
          .field("at_rest_s", &S::at_rest_s, "s", "Time at rest since it touched.")
          .field("lit_s", &S::lit_s, "s", "Since the last ignition.")
          .field("mass_scale", &S::mass_scale, "", "Mass over believed mass, as estimated.")
          .field("push_W", &S::push_W, "m/s^2", "What pushes sideways beside the thrust, world.")
          .field("burns", &S::burns, "", "Ignitions so far.")
          .field("burning", &S::burning, "", "The engine burns, while it steers.")
          .field("steer_W", &S::steer_W, "", "Level direction of that burn, world.")
          .field("last_velocity_W", &S::last_velocity_W, "m/s", "Of the last step, world.")
          .field("last_height_m", &S::last_height_m, "m", "Of the last step.")
          .field("has_velocity", &S::has_velocity, "", "There was a last step.")
          .build();
  return table;
}

template <>
const Table& table_of<Stop>() {
  static const Table table =
      TableBuilder<Stop>("Stop", "How a fall is stopped at one thrust.")
          .field("height_m", &Stop::height_m, "m", "Way down until it is stopped.")
          .field("time_s", &Stop::time_s, "s", "Until then.")
          .field("fuel_kg", &Stop::fuel_kg, "kg", "Burnt on the way.")
          .field("possible", &Stop::possible, "", "The thrust does slow it down.")
          .build();
  return table;
}

template <>
const Table& table_of<LandingCommand>() {
  using C = LandingCommand;
  static const Table table =
      TableBuilder<C>("LandingCommand", "What the landing asks for.")
          .field("phase", &C::phase, "", "Where in the landing it is.")
          .field("reason", &C::reason, "", "The last thing that went wrong.")
          .field("mass_scale", &C::mass_scale, "", "Mass over believed mass, as estimated.")
          .field("ignition", &C::ignition, "", "The engine is to burn.")
          .field("up_W", &C::up_W, "", "Where the body's z axis is to point, world.")
          .field("thrust_N", &C::thrust_N, "N", "Along the body's z axis.")
          .field("acceleration_W", &C::acceleration_W, "m/s^2",
                 "Wanted of engine and air, gravity not counted, world.")
          .field("height_m", &C::height_m, "m", "Of the feet over the landing point.")
          .field("time_to_go_s", &C::time_to_go_s, "s", "Until contact.")
          .field("stop", &C::stop, "", "From here at the planned thrust.")
          .field("spare_m_s", &C::spare_m_s, "m/s",
                 "Speed change that the fuel gives beyond that stop.")
          .field("tilt_limited", &C::tilt_limited, "", "The lean allowed was too small.")
          .field("thrust_limited", &C::thrust_limited, "", "The thrust there is was too small.")
          .build();
  return table;
}

}  // namespace pintle
