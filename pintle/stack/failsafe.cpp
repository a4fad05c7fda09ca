#include "pintle/stack/failsafe.h"

#include <algorithm>
#include <cmath>

namespace pintle {

using namespace stack;

template <>
const EnumTable& enum_table<FailsafeCondition>() {
  using C = FailsafeCondition;
  static constexpr std::array values{
      enum_value(C::kTilt, "tilt", "Leans further from the vertical than it may, deg."),
      enum_value(C::kCrash, "crash", "Has hit something and lies there, m/s."),
      enum_value(C::kBatteryLow, "battery_low", "Charge below the first level, 0 to 1."),
      enum_value(C::kBatteryCritical, "battery_critical", "Charge below the second level, 0 to 1."),
      enum_value(C::kBatterySilent, "battery_silent", "Nobody tells the charge, s."),
      enum_value(C::kBusVoltage, "bus_voltage", "The voltage of the bus is low, V."),
      enum_value(C::kBusSilent, "bus_silent", "Nobody tells the voltage of the bus, s."),
      enum_value(C::kDepth, "depth", "Deeper than it may, m."),
      enum_value(C::kHeight, "height", "Higher than it may, m."),
      enum_value(C::kFence, "fence", "Outside its fence, m."),
      enum_value(C::kLeak, "leak", "Water inside."),
      enum_value(C::kPressure, "pressure", "The pressure inside is too high, kPa."),
      enum_value(C::kTemperature, "temperature", "It is too hot inside, C."),
      enum_value(C::kHousekeepingSilent, "housekeeping_silent",
                 "A sensor of the craft tells nothing any more, s."),
      enum_value(C::kHeartbeat, "heartbeat", "The operator is not heard any more, s."),
      enum_value(C::kPlanner, "planner", "The planner gives no setpoints any more, s."),
      enum_value(C::kWayHome, "way_home", "Charge that the way home would leave, 0 to 1."),
      enum_value(C::kHeightLost, "height_lost", "Below the height that it had and shall keep, m."),
      enum_value(C::kOnGround, "on_ground", "Armed, and on the ground for longer than it may, s."),
      enum_value(C::kWind, "wind", "More wind than it may land in, m/s."),
      enum_value(C::kTickLate, "tick_late", "Too long between two ticks, s."),
      enum_value(C::kFlightSilent, "flight_silent", "The flight controller is not heard, s."),
      enum_value(C::kPlaceUncertain, "place_uncertain",
                 "Who measures the place says that it may be far off, m."),
      enum_value(C::kVibration, "vibration", "It shakes more than it may, m/s^2."),
      enum_value(C::kGroundNear, "ground_near", "The bottom is nearer than it may be, m."),
      enum_value(C::kImuSilent, "imu_silent", "The inertial sensor is not felt, s."),
      enum_value(C::kFlightTime, "flight_time", "Longer in the air, or armed, than it may, s."),
      enum_value(C::kOperator, "operator", "An operator asked it to land.")};
  static_assert(values.size() == kFailsafeConditions + 1);
  static constexpr EnumTable table{"FailsafeCondition", values};
  return table;
}

template <>
const EnumTable& enum_table<FailsafeAction>() {
  using A = FailsafeAction;
  static constexpr std::array values{
      enum_value(A::kWarn, "warn", "It is told, no more."),
      enum_value(A::kHold, "hold", "Level, where it is: a mission is paused."),
      enum_value(A::kAbort, "abort", "The mission's abort path; without one under way: land."),
      enum_value(A::kLand, "land",
                 "What flies goes down and is switched off, what dives comes up, a ship holds."),
      enum_value(A::kOff, "off", "Switched off at once, and latched.")};
  static constexpr EnumTable table{"FailsafeAction", values};
  return table;
}

namespace {

template <class Unit>
const Table& row_table(std::string_view name, std::string_view key, std::string_view unit,
                       std::string_view meaning, double minimum, double maximum) {
  using R = FailsafeRowOf<Unit>;
  static const Table table = [&] {
    TableBuilder<R> b(name, "A condition, and what is done when it is so.");
    if (!key.empty()) b.field(key, &R::limit, unit, meaning).required().range(minimum, maximum);
    b.field("after_s", &R::after_s, "s", "So long without a break.").range(0, 3600);
    b.field("action", &R::action, "", "What is done then.").required();
    return b.build();
  }();
  return table;
}

}  // namespace

template <>
const Table& table_of<FailsafeRowOf<InDegrees>>() {
  return row_table<InDegrees>("FailsafeDegrees", "limit_deg", "deg", "More than this.", 15, 180);
}
template <>
const Table& table_of<FailsafeRowOf<InMetresPerSecond>>() {
  return row_table<InMetresPerSecond>("FailsafeSpeed", "limit_m_s", "m/s",
                                      "An impact of at least this; less than 2 is none.", 2, 100);
}
template <>
const Table& table_of<FailsafeRowOf<InMetresPerSecond2>>() {
  return row_table<InMetresPerSecond2>("FailsafeVibration", "limit_m_s2", "m/s^2",
                                       "More than this, root mean square.", 0.1, 1000);
}
template <>
const Table& table_of<FailsafeRowOf<InShare>>() {
  return row_table<InShare>("FailsafeCharge", "limit", "", "Less charge than this, 0 to 1.", 0, 1);
}
template <>
const Table& table_of<FailsafeRowOf<InSeconds>>() {
  return row_table<InSeconds>("FailsafeAge", "limit_s", "s", "For longer.", 0.05, 86400);
}
template <>
const Table& table_of<FailsafeRowOf<InVolts>>() {
  return row_table<InVolts>("FailsafeVoltage", "limit_V", "V", "Less than this.", 0, 1e4);
}
template <>
const Table& table_of<FailsafeRowOf<InMetres>>() {
  return row_table<InMetres>("FailsafeDistance", "limit_m", "m",
                             "More than this; of ground_near less.", 0, 1e6);
}
template <>
const Table& table_of<FailsafeRowOf<InKilopascals>>() {
  return row_table<InKilopascals>("FailsafePressure", "limit_kPa", "kPa", "More than this.", 0,
                                  1e6);
}
template <>
const Table& table_of<FailsafeRowOf<InCelsius>>() {
  return row_table<InCelsius>("FailsafeTemperature", "limit_C", "C", "More than this.", -50, 500);
}
template <>
const Table& table_of<FailsafeRowOf<OfAir>>() {
  return row_table<OfAir>("FailsafeWind", "limit_m_s", "m/s", "More than this.", 0.1, 100);
}
template <>
const Table& table_of<FailsafeRowOf<OfNothing>>() {
  return row_table<OfNothing>("FailsafeSwitch", "", "", "", 0, 0);
}

template <>
const Table& table_of<Fence>() {
  static const Table table =
      TableBuilder<Fence>("Fence", "What the craft stays inside, level.")
          .field("center_x_m", &Fence::center_x_m, "m", "Middle of circle and box, world.")
          .field("center_y_m", &Fence::center_y_m, "m", "The same.")
          .field("radius_m", &Fence::radius_m, "m", "Of a circle; 0: none.")
          .range(0, 1e6)
          .field("half_x_m", &Fence::half_x_m, "m", "Of a box, half its width along x; 0: none.")
          .range(0, 1e6)
          .field("half_y_m", &Fence::half_y_m, "m", "The same along y.")
          .range(0, 1e6)
          .field("after_s", &Fence::after_s, "s", "So long without a break.")
          .range(0, 3600)
          .field("action", &Fence::action, "", "What is done then.")
          .required()
          .field("ahead_s", &Fence::ahead_s, "s",
                 "Acted on where it would be outside in so long, at its velocity.")
          .range(0, 60)
          .build();
  return table;
}

template <>
const Table& table_of<WayHome>() {
  static const Table table =
      TableBuilder<WayHome>("WayHome", "Charge for the way back to where it was armed.")
          .field("limit", &WayHome::limit, "", "Less charge than this would be left there, 0 to 1.")
          .required()
          .range(0, 1)
          .field("speed_m_s", &WayHome::speed_m_s, "m/s", "Of the craft on that way, straight.")
          .required()
          .range(0.01, 1000)
          .field("after_s", &WayHome::after_s, "s", "So long without a break.")
          .range(0, 3600)
          .field("action", &WayHome::action, "", "What is done then.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<FailsafeParams>() {
  using P = FailsafeParams;
  static const Table table =
      TableBuilder<P>("Failsafes", "What the craft does by itself past limits; no mission may say.")
          .field("tilt", &P::tilt, "", "Its z axis from the vertical.")
          .field("crash", &P::crash, "", "It has hit something, and lies.")
          .field("battery_low", &P::battery_low, "", "Charge, the first level.")
          .field("battery_critical", &P::battery_critical, "", "Charge, the second level.")
          .field("battery_silent", &P::battery_silent, "", "Nobody tells the charge.")
          .field("bus_voltage", &P::bus_voltage, "", "Of the bus.")
          .field("bus_silent", &P::bus_silent, "", "Nobody tells it.")
          .field("depth", &P::depth, "", "Under z = 0.")
          .field("height", &P::height, "", "Over z = 0.")
          .field("height_lost", &P::height_lost, "", "Under the height that it had and shall keep.")
          .field("way_home", &P::way_home, "", "Charge, once it is back where it was armed.")
          .field("fence", &P::fence, "", "What it stays inside.")
          .field("leak", &P::leak, "", "Water inside.")
          .field("pressure", &P::pressure, "", "Inside.")
          .field("temperature", &P::temperature, "", "Inside.")
          .field("housekeeping_silent", &P::housekeeping_silent, "",
                 "Nobody tells what a row goes by, or what was told before.")
          .field("heartbeat", &P::heartbeat, "", "The operator, once he was heard.")
          .field("planner", &P::planner, "", "Its setpoints, once there was one; no mission.")
          .field("on_ground", &P::on_ground, "", "What flies: armed, and on the ground.")
          .field("wind", &P::wind, "",
                 "As its sensor tells it, or a landing on the engine estimates it.")
          .field("tick_late", &P::tick_late, "", "Between two ticks: the computer lags.")
          .field("flight_silent", &P::flight_silent, "", "Reports of the flight controller.")
          .field("imu_silent", &P::imu_silent, "", "Samples of the inertial sensor.")
          .field("flight_time", &P::flight_time, "", "In the air; of what does not fly, armed.")
          .field("place_uncertain", &P::place_uncertain, "",
                 "One standard deviation of the place, as odometry says it.")
          .field("vibration", &P::vibration, "", "What the inertial sensor feels of a propeller.")
          .field("ground_near", &P::ground_near, "", "Under what dives or floats.")
          .field("rise_m_s", &P::rise_m_s, "m/s", "How fast what dives comes up, with land.")
          .range(0.01, 5)
          .build();
  return table;
}

template <>
const Table& table_of<FailsafeStatus>() {
  using S = FailsafeStatus;
  static const Table table =
      TableBuilder<S>("FailsafeStatus", "What the craft does by itself.")
          .field("on", &S::on, "", "Rows that are on, one bit a FailsafeCondition.")
          .field("action", &S::action, "", "What is being done; warn: nothing.")
          .field("cause", &S::cause, "", "Because of this.")
          .field("arrived", &S::arrived, "", "It is up, or holds.")
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {

Findings check(const FailsafeParams& p) {
  Findings out;
  if (p.battery_low && p.battery_critical && !(p.battery_critical->limit < p.battery_low->limit))
    out.push_back({"battery_critical.limit", "expected less than battery_low.limit",
                   "the second level is the one that leaves less"});
  if (p.fence && !(p.fence->radius_m > 0) && !(p.fence->half_x_m > 0 && p.fence->half_y_m > 0))
    out.push_back(
        {"fence.radius_m", "a fence without a shape", "write  radius_m, or half_x_m and half_y_m"});
  if (p.crash && p.crash->action != FailsafeAction::kOff &&
      p.crash->action != FailsafeAction::kWarn)
    out.push_back({"crash.action", "what lies there can only be switched off",
                   "write  action: off  or  warn"});
  return out;
}

FailsafeRows rows_of(const FailsafeParams& p) noexcept {
  using C = FailsafeCondition;
  FailsafeRows rows;
  const auto add = [&rows](C condition, const auto& row, bool below = false) {
    if (row) rows.push_back({condition, below, row->limit, row->after_s, row->action});
  };
  add(C::kTilt, p.tilt);
  add(C::kCrash, p.crash);
  add(C::kBatteryLow, p.battery_low, true);
  add(C::kBatteryCritical, p.battery_critical, true);
  add(C::kBatterySilent, p.battery_silent);
  add(C::kBusVoltage, p.bus_voltage, true);
  add(C::kBusSilent, p.bus_silent);
  add(C::kDepth, p.depth);
  add(C::kHeight, p.height);
  if (p.fence) rows.push_back({C::kFence, false, 0, p.fence->after_s, p.fence->action});
  add(C::kLeak, p.leak);
  add(C::kPressure, p.pressure);
  add(C::kTemperature, p.temperature);
  add(C::kHousekeepingSilent, p.housekeeping_silent);
  add(C::kHeartbeat, p.heartbeat);
  add(C::kPlanner, p.planner);
  add(C::kWayHome, p.way_home, true);
  add(C::kHeightLost, p.height_lost);
  add(C::kOnGround, p.on_ground);
  add(C::kWind, p.wind);
  add(C::kTickLate, p.tick_late);
  add(C::kFlightSilent, p.flight_silent);
  add(C::kPlaceUncertain, p.place_uncertain);
  add(C::kVibration, p.vibration);
  add(C::kGroundNear, p.ground_near, true);
  add(C::kImuSilent, p.imu_silent);
  add(C::kFlightTime, p.flight_time);
  return rows;
}

double outside_m(const Fence& f, Vec3 p) noexcept {
  const double x = p.x - f.center_x_m, y = p.y - f.center_y_m;
  double out = -1e9;
  if (f.radius_m > 0) out = std::max(out, std::hypot(x, y) - f.radius_m);
  if (f.half_x_m > 0) out = std::max(out, std::abs(x) - f.half_x_m);
  if (f.half_y_m > 0) out = std::max(out, std::abs(y) - f.half_y_m);
  return out;
}

std::optional<FailsafeCondition> beyond(const FailsafeParams& f, Vec3 p) noexcept {
  if (f.fence && !(outside_m(*f.fence, p) <= 0)) return FailsafeCondition::kFence;
  if (f.height && !(p.z <= f.height->limit)) return FailsafeCondition::kHeight;
  if (f.depth && !(-p.z <= f.depth->limit)) return FailsafeCondition::kDepth;
  return std::nullopt;
}

}  // namespace pintle::stack
