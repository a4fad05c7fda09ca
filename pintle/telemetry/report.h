/// report.html from a log: self-contained, no scripts from elsewhere, opens offline. Its plots over time
/// answer (values under the pointer in all of them, drag to zoom); without a script they are pictures.
///
/// Verdict, trajectory in plan (with pads and bodies of the world) and depth, setpoint against
/// state per axis, wrench wanted / achieved / residual, propulsors with limits and faults,
/// histograms, decisions explained, alarms and events with their times. Plots are inline SVG. Colours are safe for colour-blind readers.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "pintle/base/signals.h"

namespace pintle::telemetry {

/// One recorded instant, as the report needs it. Angles in radians.
struct ReportSample {
  double t_s = 0;
  Vec3 p_WB{};    ///< True position if the log has it, else the stack's.
  Vec6 wanted{};  ///< Desired x, y, z, roll, pitch, yaw in the world, m and rad …
  Vec6 actual{};  ///< … and what was.
  std::array<bool, 6> position_mode{};  ///< Whether `wanted` is followed on the axis.
  Vec6 velocity_wanted{}, velocity{};   ///< Body.
  Vec6 demand{}, achieved{};
  std::vector<double> effort;
};

struct ReportBand {  ///< A stretch of time with a name: a mission state, a fault.
  std::string name;
  double from_s = 0, to_s = 0;
  std::string outcome;  ///< "succeeded", "timed out", …
  int number = -1;      ///< Of a state, as in the mission file.
};

struct ReportEvent {
  double t_s = 0;
  std::string what, detail;
  bool is_bad = false;    ///< Somebody should act on it.
  double last_s = 0;      ///< When it came for the last time …
  std::size_t count = 1;  ///< … of so many.
};

/// What was wrong for a while.
struct ReportAlarm {
  double raised_s = 0, cleared_s = 0;  ///< NaN: it stands at the end.
  std::string severity, what;
};

/// A pad or a body of the world, drawn in the plan. Positions count as those of the path do.
struct ReportThing {
  struct At {
    double t_s = 0;
    Vec3 p{};
    bool is_held = false;  ///< By the gripper.
  };
  std::string name, colour;  ///< Of CSS; "": the page's own.
  bool is_round = false;
  double width_m = 0, depth_m = 0;  ///< Along its own x and y.
  double yaw_rad = 0;
  std::vector<At> path;  ///< One entry: it stays there.
};

/// How often something came to lie in each of some ranges, with what else is known of it.
struct ReportHistogram {
  std::string title, note;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::pair<std::string, std::uint64_t>> bars;
};

/// What can be read through: columns, and rows of as many cells.
struct ReportTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A decision explained.
struct ReportStory {
  std::string id, title, note;  ///< `id` of its place on the page.
  std::vector<ReportTable> tables;
};

struct ReportData {
  std::string title, verdict;  ///< "pass", "fail", "aborted".
  /// Vehicle, seed, duration, figures … in order.
  std::vector<std::pair<std::string, std::string>> facts;
  std::string wrench_unit_force = "N", wrench_unit_torque = "N m", effort_unit = "N";
  bool has_wrenches = true;  ///< False: neither wrench nor effort was worked out, none is shown.
  std::vector<std::string> channels;
  std::vector<double> lower, upper;  ///< Effort bounds a channel …
  std::vector<std::string> units;    ///< … and what they are counted in; none: effort_unit.
  std::vector<ReportSample> samples;
  std::vector<ReportBand> states, faults;
  std::vector<ReportEvent> events;
  std::vector<ReportAlarm> alarms;
  std::vector<ReportThing> things;
  std::vector<ReportHistogram> histograms;
  std::vector<ReportStory> stories;
};

[[nodiscard]] std::string report_html(const ReportData& data);

/// One run beside another: verdicts, how long each state lasted, error and wrench of each axis, and
/// by how much the second differs.
[[nodiscard]] std::string comparison_html(const ReportData& a, const ReportData& b);

}  // namespace pintle::telemetry
