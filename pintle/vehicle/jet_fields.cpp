#include "pintle/vehicle/jet_files.h"

namespace pintle {

using namespace vehicle;

namespace {

constexpr double kFar_m = 10'000;     // no such flight
constexpr double kLargest = 1e6;      // of gains and limits
constexpr double kLongest = 180'000;  // ticks: an hour

}  // namespace

template <>
const Table& table_of<JetPoint>() {
  static const Table table = TableBuilder<JetPoint>("JetPoint", "Where the payload is dropped.")
                                 .field("x", &JetPoint::x, "m", "North of the origin.")
                                 .range(-kFar_m, kFar_m)
                                 .required()
                                 .field("y", &JetPoint::y, "m", "East of the origin.")
                                 .range(-kFar_m, kFar_m)
                                 .required()
                                 .field("z", &JetPoint::z, "m", "Height above the marker.")
                                 .range(0, kFar_m)
                                 .required()
                                 .build();
  return table;
}

template <>
const Table& table_of<JetDropoint>() {
  static const Table table =
      TableBuilder<JetDropoint>("JetDropoint", "dropoint.yaml")
          .field("dropoint", &JetDropoint::dropoint, "", "Where the payload is dropped.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<JetDuration>() {
  static const Table table =
      TableBuilder<JetDuration>("JetDuration", "duration.yaml")
          .field("duration", &JetDuration::duration, "",
                 "Ticks of 20 ms that follow the success of each of the fifteen states.")
          .range(0, kLongest)
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<JetFlight>() {
  static const Table table =
      TableBuilder<JetFlight>("JetFlight", "flight.yaml")
          .field("takeoff_height", &JetFlight::takeoff_height, "m", "Above the origin.")
          .range(0, kFar_m)
          .required()
          .field("landing_height", &JetFlight::landing_height, "m",
                 "Above the pad, where landing begins.")
          .range(0, kFar_m)
          .required()
          .field("normal_altitude", &JetFlight::normal_altitude, "m", "Above the origin.")
          .range(0, kFar_m)
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<JetGains>() {
  TableBuilder<JetGains> builder("JetGains", "Gains, dead band and limits of one loop, per tick.");
  const auto number = [&](std::string_view name, double JetGains::*member, std::string_view meaning,
                          double least) {
    builder.field(name, member, "", meaning).range(least, kLargest).required();
  };
  number("kp", &JetGains::kp, "Speed per error.", -kLargest);
  number("ki", &JetGains::ki, "Speed per error and tick.", -kLargest);
  number("kd", &JetGains::kd, "Speed per change of error from tick to tick.", -kLargest);
  number("db", &JetGains::db, "Errors below this count as none.", 0);
  number("it", &JetGains::it, "The integral works below this error; 0: never.", 0);
  number("Emax", &JetGains::Emax, "Most error that is seen; 0 is a dead axis.", 0);
  number("Pmax", &JetGains::Pmax, "Most of the proportional part; 0: nothing.", 0);
  number("Imax", &JetGains::Imax, "Most of the integral part; 0: nothing.", 0);
  number("Dmax", &JetGains::Dmax, "Most of the derivative part; 0: nothing.", 0);
  number("Omax", &JetGains::Omax, "Most output; 0 is a dead axis.", 0);
  static const Table table = builder.build();
  return table;
}

template <>
const Table& table_of<JetLoops>() {
  static const Table table = TableBuilder<JetLoops>("JetLoops", "The loops of position.")
                                 .field("xy", &JetLoops::xy, "", "Both horizontal axes.")
                                 .required()
                                 .field("z", &JetLoops::z, "", "Height.")
                                 .required()
                                 .field("yaw", &JetLoops::yaw, "", "Heading.")
                                 .required()
                                 .build();
  return table;
}

template <>
const Table& table_of<JetPid>() {
  static const Table table = TableBuilder<JetPid>("JetPid", "pid.yaml")
                                 .field("pid", &JetPid::pid, "", "The loops of position.")
                                 .required()
                                 .build();
  return table;
}

template <>
const Table& table_of<JetTimeout>() {
  static const Table table =
      TableBuilder<JetTimeout>("JetTimeout", "timeout.yaml")
          .field("odom_callback_timeout", &JetTimeout::odom_callback_timeout, "ms",
                 "Odometry older than this is stale.")
          .range(1, 60'000)
          .required()
          .field("vision_callback_timeout", &JetTimeout::vision_callback_timeout, "ms",
                 "A target older than this is stale.")
          .range(1, 60'000)
          .required()
          .build();
  return table;
}

}  // namespace pintle
