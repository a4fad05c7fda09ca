/// A report of the flight controller out of parts that come one by one, each with an age and a limit.
///
///   flight status, has_control   silent for kPartsFresh_s, or never told: there is no report. Whether
///                                it obeys is not known then, which counts as not in control: the
///                                tick says `input_stale`, takes no control, take-off or goal for
///                                done, and flees by its `flight_lost_s`
///   attitude                     as long: the report has none
///   battery                      kBatteryFresh_s: the charge is not known
///
/// A part that lives does not vouch for the others. Times are of a clock that nobody sets, s.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "jet/aircraft.h"

namespace pintle::ros1 {

constexpr double kPartsFresh_s = 1, kBatteryFresh_s = 10;

class FlightParts {
 public:
  void phase(int phase, double now_s);
  void control(bool has_control, double now_s);
  void attitude(const Four& attitude, double now_s);
  void battery(double charge, double now_s);

  /// When a velocity comes: what is known then, with its stamp.
  [[nodiscard]] std::optional<PlainFlight> report(std::int64_t stamp_ns, const Three& velocity,
                                                  double now_s) const;
  /// What has fallen silent, or speaks again, since the last call: a line each, for a person.
  [[nodiscard]] std::vector<std::string> news(double now_s);

 private:
  enum Part { kPhase, kControl, kAttitude, kBattery, kParts };
  struct Heard {
    std::optional<double> at_s;
    bool told_silent = false;
  };
  [[nodiscard]] bool is_fresh(Part part, double now_s) const;

  PlainFlight last_;
  std::array<Heard, kParts> heard_;
};

}  // namespace pintle::ros1
