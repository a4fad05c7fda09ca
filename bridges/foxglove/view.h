/// What a page shows of a flight: one moment, as JSON.
#pragma once
#include <optional>
#include <string>

#include "pintle/flight/event_words.h"
#include "pintle/stack/tick.h"

namespace pintle::foxglove {

/// When and what came last, of inputs that do not come in every tick.
struct Seen {
  std::optional<Time> odometry, imu, setpoint, flight, gripper, targets, bus_voltage;
  double bus_V = 0;
  FlightReport flight_report;
  Housekeeping housekeeping;
  /// One a propulsor that has said something.
  FixedVector<PropulsorReport, kMaxPropulsors> reports;
};
/// `now`: the stack's own time (own_time.h), in which the stamps are kept: it outlives a clock that is
/// set.
void update(Seen& seen, const stack::Inputs& in, Time now) noexcept;

/// One moment, copied out of the tick.
struct Snapshot {
  Seen seen;
  stack::Inputs in;
  stack::Outputs out;
};

/// JSON Schema and text. `names`, `model`: of the generation that flies.
[[nodiscard]] std::string view_schema();
[[nodiscard]] std::string view_json(const Snapshot& s, const stack::Model& model,
                                    const flight::EventNames& names);
/// What does not change: names, mounts, directions, bounds, units, states, axes.
[[nodiscard]] std::string vehicle_json(const stack::Model& model);
/// Name, value, unit, range, meaning and choices of each.
[[nodiscard]] std::string parameters_json(const craft::VehicleFile& file);

}  // namespace pintle::foxglove
