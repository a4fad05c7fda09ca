#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void check_numbers(const ThrusterParams& p, Findings& out) {
  if (!(std::isfinite(p.min_effort) && std::isfinite(p.max_effort) &&
        p.min_effort < p.max_effort)) {
    out.push_back({"max_effort",
                   "expected max_effort above min_effort, got " + text(p.min_effort) + " to " +
                       text(p.max_effort),
                   "write the reverse limit as a negative min_effort"});
  } else if (!(p.min_effort <= 0 && p.max_effort >= 0)) {
    out.push_back(
        {p.min_effort > 0 ? "min_effort" : "max_effort",
         "expected bounds that contain 0, got " + text(p.min_effort) + " to " + text(p.max_effort),
         "a thruster must be able to stand still"});
  }
  struct Named {
    const char* name;
    double value;
    bool positive;
  };
  for (const Named& n :
       {Named{"curve_unit", p.curve_unit, true}, Named{"command_margin", p.command_margin, true},
        Named{"dead_band", p.dead_band, false}, Named{"tau_s", p.tau_s, false},
        Named{"slew_per_s", p.slew_per_s, false},
        Named{"command_quantum", p.command_quantum, false},
        Named{"rest_command", p.rest_command, false}}) {
    if (!(std::isfinite(n.value) && (n.positive ? n.value > 0 : n.value >= 0)))
      out.push_back({n.name,
                     std::string("expected a number ") +
                         (n.positive ? "above 0" : "of at least 0") + ", got " + text(n.value),
                     n.positive ? "leave it out for 1" : "leave it out for 0"});
  }
  // bounds that are wrong themselves are told already
  const bool bounded = p.min_effort <= 0 && p.max_effort >= 0;
  if (!std::isfinite(p.preferred_effort) ||
      (bounded && !(p.preferred_effort >= p.min_effort && p.preferred_effort <= p.max_effort)))
    out.push_back({"preferred_effort",
                   "expected an effort inside the bounds, got " + text(p.preferred_effort),
                   "leave it out for 0"});
  if (p.electrical)
    for (Finding& f : check(*p.electrical)) {
      f.path = "electrical." + f.path;
      out.push_back(std::move(f));
    }
  if (p.command_margin > 1)
    out.push_back({"command_margin", "expected at most 1, got " + text(p.command_margin),
                   "write a part of the bounds, such as  command_margin: 0.8"});
}

/// Of four coefficients c0 x^4 + … + c3 x, of six c0 x^5 + … + c5.
double curve_value(const std::vector<double>& c, double x) {
  double y = 0;
  for (const double k : c) y = y * x + k;
  return c.size() == 4 ? y * x : y;
}

/// Where on [from, to] it rises least over a thousandth of the way, and how much.
double least_rise(const std::vector<double>& c, double from, double to, double& where) {
  double least = std::numeric_limits<double>::infinity();
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) {
    const double x = from + (to - from) * k / kSteps, next = from + (to - from) * (k + 1) / kSteps;
    const double rise = curve_value(c, next) - curve_value(c, x);
    if (rise < least) {
      least = rise;
      where = x;
    }
  }
  return least;
}

void check_polynomial(const ThrusterParams& own, const ThrusterParams& curve, Findings& out) {
  struct Side {
    const char* name;
    const std::vector<double>& c;
    double from, to;
  };
  const double low = own.min_effort / own.curve_unit, high = own.max_effort / own.curve_unit;
  for (const Side& side :
       {Side{"forward", curve.forward, 0, high}, Side{"backward", curve.backward, low, 0}}) {
    if (side.c.size() != 4 && side.c.size() != 6) {
      out.push_back({side.name,
                     "expected exactly 4 coefficients (highest order first, no constant) or 6 (the "
                     "last is the constant), got " +
                         std::to_string(side.c.size()),
                     "write  [c4, c3, c2, c1]  of c4 x^4 + … + c1 x"});
      continue;
    }
    if (!all_finite(side.c)) {
      out.push_back({side.name, "expected finite coefficients", "write four numbers"});
      continue;
    }
    if (!(side.from < side.to)) continue;
    if (side.c.size() == 6 && (side.to > 0 ? side.c[5] < 0 : side.c[5] > 0)) {
      out.push_back({side.name,
                     "the constant " + text(side.c[5]) + " pushes the other way near no thrust",
                     "write one of the same sign as the thrust, or 0"});
      continue;
    }
    double where = 0;
    if (!(least_rise(side.c, side.from, side.to, where) > 0)) {
      out.push_back({side.name,
                     "the curve is not rising everywhere within the thrust bounds: it turns at or "
                     "before " +
                         text(where * own.curve_unit),
                     "narrow min_effort or max_effort to where more thrust needs more command"});
      continue;
    }
    const double x = side.to > 0 ? side.to : side.from;
    const double full = curve_value(side.c, x);
    if (!(std::fabs(full) <= 1))
      out.push_back({side.name,
                     "the bound " + text(x * own.curve_unit) + " needs a command of " + text(full) +
                         ": thrust is cut where the command reaches full scale",
                     "narrow the bound to where the command is 1", false});
  }
}

/// One table. `path` is "points[i]".
bool check_one(const CurvePoints& points, const std::string& path, Findings& out) {
  const std::size_t n = points.effort.size();
  if (n < 2 || points.command.size() != n) {
    out.push_back({path + ".command",
                   "expected as many commands as efforts, at least 2, got " +
                       std::to_string(points.command.size()) + " and " + std::to_string(n),
                   "give effort and command lists of one length"});
    return false;
  }
  if (!all_finite(points.effort) || !all_finite(points.command) || !std::isfinite(points.bus_V)) {
    out.push_back({path, "expected finite numbers", "write numbers in effort, command and bus_V"});
    return false;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const bool effort_rises = points.effort[i] > points.effort[i - 1];
    if (effort_rises && points.command[i] >= points.command[i - 1]) continue;
    const std::string column = effort_rises ? "command" : "effort";
    const std::vector<double>& values = effort_rises ? points.command : points.effort;
    std::string where = path;
    where.append(".").append(column).append("[").append(std::to_string(i)).append("]");
    out.push_back({std::move(where),
                   "expected " + column + "s that " + (effort_rises ? "never fall" : "rise") +
                       ", got " + text(values[i]) + " after " + text(values[i - 1]),
                   effort_rises ? "look for a slip here, or remove the point"
                                : "sort the points by effort, each one once"});
    return false;
  }
  if (!(points.effort.front() <= 0 && points.effort.back() >= 0)) {
    out.push_back({path + ".effort", "expected efforts on both sides of 0 or ending there",
                   "add the point where it stands still:  0"});
    return false;
  }
  return true;
}

void check_points(const ThrusterParams& own, const ThrusterParams& curve, Findings& out) {
  const bool many = curve.curve == CurveKind::kPulseWidth;
  if (curve.points.empty() || (!many && curve.points.size() != 1)) {
    out.push_back(
        {"points",
         std::string(many ? "expected at least one table" : "expected exactly one table") +
             ", got " + std::to_string(curve.points.size()),
         "write  points: [{effort: [-1, 0, 1], command: […]}]  or name a library curve"});
    return;
  }
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const std::string path = "points[" + std::to_string(k) + "]";
    if (!check_one(curve.points[k], path, out)) return;
    if (k == 0) continue;
    if (!(curve.points[k].bus_V > curve.points[k - 1].bus_V))
      out.push_back({path + ".bus_V",
                     "expected rising voltages, got " + text(curve.points[k].bus_V) + " after " +
                         text(curve.points[k - 1].bus_V),
                     "sort the tables by voltage, each one once"});
    if (curve.points[k].effort != curve.points[0].effort)
      out.push_back({path + ".effort", "expected the same efforts in every table",
                     "write the efforts of the first table"});
  }

  const std::vector<double>& effort = curve.points[0].effort;
  const double spacing = (effort.back() - effort.front()) / static_cast<double>(effort.size() - 1);
  for (std::size_t i = 1; curve.nearest_point && i < effort.size(); ++i) {
    if (std::fabs(effort[i] - effort[i - 1] - spacing) <= 1e-6 * spacing) continue;
    out.push_back({"nearest_point", "expected evenly spaced efforts to take the nearest of",
                   "write  nearest_point: false  for lines between the points"});
    break;
  }

  // a bound beyond the table is a mistake worth a word; the table's end holds
  const double low = effort.front() * own.curve_unit, high = effort.back() * own.curve_unit;
  const double slack = 1e-6 * (high - low);
  const bool below = own.min_effort < low - slack;
  if (below || own.max_effort > high + slack)
    out.push_back(
        {below ? "min_effort" : "max_effort",
         "the curve covers " + text(low) + " to " + text(high) + " only: thrust is cut there",
         "set the bounds inside the curve, or curve_unit to what 1 on it stands for", false});
}

/// What was measured belongs to one kind of curve, and is not left aside in silence.
void check_lists(const ThrusterParams& p, Findings& out) {
  const bool polynomial = p.curve == CurveKind::kPolynomial,
             table = p.curve == CurveKind::kTable || p.curve == CurveKind::kPulseWidth;
  struct List {
    const char* name;
    bool left_out;
    const char* kinds;
  };
  for (const List& list : {List{"points", !table && !p.points.empty(), "table  or  pulse_width"},
                           List{"forward", !polynomial && !p.forward.empty(), "polynomial"},
                           List{"backward", !polynomial && !p.backward.empty(), "polynomial"}})
    if (list.left_out)
      out.push_back({list.name,
                     "not used by the kind of curve that is " +
                         std::string(p.curve == CurveKind::kLinear ? "taken where none is named: "
                                                                     "in proportion to the effort"
                                                                   : "named"),
                     std::string("write  curve: ") + list.kinds + ", or take these numbers out"});
}

}  // namespace

Findings check(const ThrusterParams& params) {
  Findings out;
  check_numbers(params, out);
  if (!out.empty()) return out;

  const ThrusterParams* curve = &params;
  if (!params.library.empty()) {
    curve = library_curve(params.library);
    if (!curve) {
      std::string known;
      for (std::string_view name : library_names())
        known.append(known.empty() ? "" : ", ").append(name);
      out.push_back({"library",
                     "expected a curve that ships with Pintle, got \"" + params.library + "\"",
                     "write one of " + known});
      return out;
    }
    if (!params.points.empty() || !params.forward.empty() || !params.backward.empty())
      out.push_back({"library",
                     "the named curve is used; the points and coefficients given beside "
                     "it are not",
                     "remove one of the two", false});
    // ±1 is the default: right for a normalised curve, a hundredth of one in newtons
    const double width = (curve->max_effort - curve->min_effort) * params.curve_unit;
    if (params.max_effort - params.min_effort < 0.05 * width)
      out.push_back({"max_effort",
                     "the bounds " + text(params.min_effort) + " to " + text(params.max_effort) +
                         " use less than a twentieth of the curve, which covers " +
                         text(curve->min_effort * params.curve_unit) + " to " +
                         text(curve->max_effort * params.curve_unit),
                     "write min_effort and max_effort in the vehicle's unit", false});
  }

  if (params.library.empty()) check_lists(params, out);
  if (curve->curve == CurveKind::kPolynomial) check_polynomial(params, *curve, out);
  if (curve->curve == CurveKind::kTable || curve->curve == CurveKind::kPulseWidth)
    check_points(params, *curve, out);
  return out;
}

}  // namespace pintle::propulsion
