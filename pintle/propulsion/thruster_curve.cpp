#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

double clamp(double x, double lo, double hi) noexcept {
  // written so that a NaN ends at `lo`
  return x >= lo ? (x <= hi ? x : hi) : lo;
}

/// c0 x^4 + c1 x^3 + c2 x^2 + c3 x; no constant, so that 0 gives 0.
double quartic(const std::vector<double>& c, double x) noexcept {
  return (((c[0] * x + c[1]) * x + c[2]) * x + c[3]) * x;
}
double quartic_slope(const std::vector<double>& c, double x) noexcept {
  return ((4 * c[0] * x + 3 * c[1]) * x + 2 * c[2]) * x + c[3];
}

/// The two tables around a voltage, and how far from the first to the second.
struct Blend {
  const CurvePoints* low;
  const CurvePoints* high;
  double part;

  [[nodiscard]] double command(std::size_t i) const noexcept {
    return low->command[i] + (high->command[i] - low->command[i]) * part;
  }
};

Blend blend_at(const std::vector<CurvePoints>& points, double bus_V) noexcept {
  const double volts = clamp(bus_V, points.front().bus_V, points.back().bus_V);
  std::size_t k = 0;
  while (k + 2 < points.size() && volts > points[k + 1].bus_V) ++k;
  if (points.size() == 1) return {&points[0], &points[0], 0};
  const double width = points[k + 1].bus_V - points[k].bus_V;
  return {&points[k], &points[k + 1], (volts - points[k].bus_V) / width};
}

double table_at(const Blend& blend, double x, bool nearest_point) noexcept {
  const std::vector<double>& effort = blend.low->effort;
  const std::size_t n = effort.size();
  if (!(x > effort.front())) return blend.command(0);
  if (!(x < effort.back())) return blend.command(n - 1);
  if (nearest_point) {
    const double per_step = static_cast<double>(n - 1) / (effort.back() - effort.front());
    const long i = std::lround(x * per_step - effort.front() * per_step);
    return blend.command(static_cast<std::size_t>(clamp(static_cast<double>(i), 0, double(n - 1))));
  }
  const auto above = std::upper_bound(effort.begin(), effort.end(), x);
  const auto i = static_cast<std::size_t>(above - effort.begin()) - 1;
  const double c = blend.command(i);
  return c + (blend.command(i + 1) - c) * ((x - effort[i]) / (effort[i + 1] - effort[i]));
}

/// Commands that give no thrust.
struct ZeroBand {
  double from, to;
};

double table_inverse(const Blend& blend, double command, ZeroBand zero) noexcept {
  if (command >= zero.from && command <= zero.to) return 0;
  const std::vector<double>& effort = blend.low->effort;
  const std::size_t n = effort.size();

  // last point whose command is not above the wanted one
  if (!(command >= blend.command(0))) return effort.front();
  std::size_t low = 0, high = n;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (blend.command(middle) <= command ? low : high) = middle;
  }

  // exactly on a point: of a flat stretch the effort nearest to zero
  std::size_t i = low;
  double c = blend.command(i);
  if (c == command || i + 1 == n) {
    while (i > 0 && effort[i] > 0 && blend.command(i - 1) == c) {
      --i;
      if (effort[i] < 0) return 0;
    }
    return effort[i];
  }

  // between two points; the side that touches zero starts at the edge of the dead band
  double c_next = blend.command(i + 1);
  if (effort[i] == 0) c = zero.to;
  if (effort[i + 1] == 0) c_next = zero.from;
  if (!(c_next > c)) return effort[i];
  return effort[i] + (effort[i + 1] - effort[i]) * clamp((command - c) / (c_next - c), 0, 1);
}

constexpr int kGrid = 32;  ///< Intervals each way of the polynomial's bracket table.

}  // namespace

double Thruster::curve_at(double x, double bus_V) const noexcept {
  switch (params_.curve) {
    case CurveKind::kLinear:
      return x / std::max(std::fabs(params_.min_effort), std::fabs(params_.max_effort)) *
             params_.curve_unit;
    case CurveKind::kPolynomial:
      return clamp(quartic(x >= 0 ? params_.forward : params_.backward, x), -1, 1);
    case CurveKind::kTable:
    case CurveKind::kPulseWidth:
      return table_at(blend_at(params_.points, bus_V), x, params_.nearest_point);
  }
  return 0;
}

double Thruster::curve_inverse(double command, double bus_V) const noexcept {
  if (params_.curve == CurveKind::kLinear)
    return command * std::max(std::fabs(params_.min_effort), std::fabs(params_.max_effort)) /
           params_.curve_unit;

  if (params_.curve == CurveKind::kTable || params_.curve == CurveKind::kPulseWidth) {
    const Blend blend = blend_at(params_.points, bus_V);
    const double at_zero = table_at(blend, 0, false);
    ZeroBand zero{at_zero, at_zero};
    if (params_.curve == CurveKind::kPulseWidth && params_.rest_command > 0) {
      // one quantum wider: the entry for zero itself is cut to whole quanta on its way
      zero.from = std::min(at_zero, params_.rest_command) - params_.command_quantum;
      zero.to = std::max(at_zero, params_.rest_command) + params_.command_quantum;
    }
    return table_inverse(blend, command, zero);
  }

  // polynomial: a bracket from the grid, then Newton that never leaves it
  if (!(command > grid_command_.front())) return grid_effort_.front();
  if (!(command < grid_command_.back())) return grid_effort_.back();
  const auto above = std::upper_bound(grid_command_.begin(), grid_command_.end(), command);
  const auto i = static_cast<std::size_t>(above - grid_command_.begin());
  double low = grid_effort_[i - 1], high = grid_effort_[i];
  const std::vector<double>& c = high > 0 ? params_.forward : params_.backward;
  double x = low + (high - low) * ((command - grid_command_[i - 1]) /
                                   (grid_command_[i] - grid_command_[i - 1]));
  for (int k = 0; k < 8; ++k) {
    const double error = quartic(c, x) - command;
    if (error == 0) break;
    (error > 0 ? high : low) = x;
    const double newton = x - error / quartic_slope(c, x);
    x = newton >= low && newton <= high ? newton : 0.5 * (low + high);
  }
  return x;
}

double Thruster::command_for(double effort, double bus_V) const noexcept {
  if (!std::isfinite(effort)) return neutral_command(bus_V);
  return curve_at(clamp(effort, lower_, upper_) / params_.curve_unit, bus_V);
}

double Thruster::effort_for(double command, double bus_V) const noexcept {
  if (!std::isfinite(command)) return 0;
  return clamp(curve_inverse(command, bus_V) * params_.curve_unit, lowest_, highest_);
}

double Thruster::neutral_command(double bus_V) const noexcept {
  if (params_.curve == CurveKind::kPulseWidth && params_.rest_command > 0)
    return params_.rest_command;
  return curve_at(0, bus_V);
}

Thruster::Thruster(ThrusterParams params) : params_(std::move(params)) {
  for (const Finding& finding : check(params_))
    if (finding.is_error) throw std::invalid_argument(finding.path + ": " + finding.message);

  if (const ThrusterParams* named = library_curve(params_.library)) {
    params_.curve = named->curve;
    params_.forward = named->forward;
    params_.backward = named->backward;
    params_.points = named->points;
    params_.nearest_point = named->nearest_point;
    if (params_.command_quantum == 0) params_.command_quantum = named->command_quantum;
    if (params_.rest_command == 0) params_.rest_command = named->rest_command;
  }

  // no further than the curve reaches
  lowest_ = params_.min_effort;
  highest_ = params_.max_effort;
  if (!params_.points.empty() &&
      (params_.curve == CurveKind::kTable || params_.curve == CurveKind::kPulseWidth)) {
    lowest_ = std::max(lowest_, params_.points.front().effort.front() * params_.curve_unit);
    highest_ = std::min(highest_, params_.points.front().effort.back() * params_.curve_unit);
  }
  if (params_.curve == CurveKind::kPolynomial) {
    const double unit = params_.curve_unit;
    // a grid of the curve within the bounds, ending where the command reaches full scale
    for (int k = -kGrid; k <= kGrid; ++k) {
      const double x = (k < 0 ? -lowest_ : highest_) / unit * k / kGrid;
      const double c = quartic(x >= 0 ? params_.forward : params_.backward, x);
      if (!grid_effort_.empty() && !(x > grid_effort_.back())) continue;
      if (c <= -1) grid_effort_.clear(), grid_command_.clear();
      if (!grid_command_.empty() && grid_command_.back() >= 1) continue;
      grid_effort_.push_back(x);
      grid_command_.push_back(c);
    }
    lowest_ = std::max(lowest_, curve_inverse(-1, 0) * unit);
    highest_ = std::min(highest_, curve_inverse(1, 0) * unit);
  }
  lower_ = params_.command_margin * lowest_;
  upper_ = params_.command_margin * highest_;
}

}  // namespace pintle::propulsion
