#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pintle/propulsion/internal/numbers.h"
#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

/// c0 x^4 + … + c3 x, or c0 x^5 + … + c4 x + c5; 0 gives 0, whatever the constant is.
double polynomial(const std::vector<double>& c, double x) noexcept {
  const double four = ((c[0] * x + c[1]) * x + c[2]) * x + c[3];
  if (c.size() == 4) return four * x;
  if (x == 0) return 0;
  return (four * x + c[4]) * x + c[5];
}
double polynomial_slope(const std::vector<double>& c, double x) noexcept {
  if (c.size() == 4) return ((4 * c[0] * x + 3 * c[1]) * x + 2 * c[2]) * x + c[3];
  return (((5 * c[0] * x + 4 * c[1]) * x + 3 * c[2]) * x + 2 * c[3]) * x + c[4];
}

/// Spaced so evenly that an index follows from the effort.
bool is_even(const std::vector<double>& effort) noexcept {
  const double spacing = (effort.back() - effort.front()) / static_cast<double>(effort.size() - 1);
  for (std::size_t i = 1; i < effort.size(); ++i)
    if (!(std::fabs(effort[i] - effort[i - 1] - spacing) <= 1e-6 * spacing)) return false;
  return true;
}

/// A multiple of the quantum: the next one below, or the nearest.
double quantised(double command, double quantum, bool downwards) noexcept {
  const double quanta = quantum == 1 ? command : command / quantum;
  if (!(std::fabs(quanta) < 1e15)) return command;
  const double shifted = downwards ? quanta : quanta + 0.5;
  auto whole = static_cast<double>(static_cast<std::int64_t>(shifted));
  if (whole > shifted) whole -= 1;
  return quantum * whole;
}

constexpr int kGrid = 32;  ///< Intervals each way of the polynomial's bracket table.

}  // namespace

double Thruster::curve_at(double x, double bus_V) const noexcept {
  switch (params_.curve) {
    case CurveKind::kLinear: return x * params_.curve_unit / full_scale_;
    case CurveKind::kPolynomial:
      return clamp(polynomial(x >= 0 ? params_.forward : params_.backward, x), -1, 1);
    case CurveKind::kTable:
    case CurveKind::kPulseWidth: return table_command(table_at(bus_V), x, params_.nearest_point);
  }
  return 0;
}

Thruster::TableAt Thruster::table_at(double bus_V) const noexcept {
  const Sheet* sheet = sheets_.data();
  const Sheet* const last = sheet + sheets_.size() - 1;
  const double volts = clamp(bus_V, sheet->from_V, last->to_V);
  while (sheet < last && volts > sheet->to_V) ++sheet;
  const double width = sheet->to_V - sheet->from_V;
  const double part = width > 0 ? (volts - sheet->from_V) / width : 0;
  return {sheet->knots.data(), points_, part};
}

/// Last point at or below an effort inside the table.
std::size_t Thruster::point_below(const TableAt& table, double x) const noexcept {
  std::size_t i = 0;
  if (points_per_unit_ > 0) {
    // even spacing says it but for rounding
    i = static_cast<std::size_t>((x - table.effort(0)) * points_per_unit_);
    i = std::min(i, table.n - 2);
    if (x < table.effort(i) && i > 0) --i;
    if (x >= table.effort(i + 1) && i + 2 < table.n) ++i;
    return i;
  }
  const Knot* above = std::upper_bound(table.knots, table.knots + table.n, x,
                                       [](double e, const Knot& knot) { return e < knot.effort; });
  i = static_cast<std::size_t>(above - table.knots);
  return std::min(std::max<std::size_t>(i, 1) - 1, table.n - 2);
}

/// Point next to an effort in an even table, halves upwards.
std::size_t Thruster::nearest_point(const TableAt& table, double x) const noexcept {
  const double position = std::max(0.0, x * points_per_unit_ - first_position_);
  const auto i = static_cast<std::size_t>(static_cast<std::int64_t>(position));
  const std::size_t next = position - static_cast<double>(static_cast<std::int64_t>(i)) >= 0.5;
  return std::min(i + next, table.n - 1);
}

double Thruster::table_command(const TableAt& table, double x, bool nearest) const noexcept {
  if (!(x > table.effort(0))) return table.command(0);
  if (!(x < table.effort(table.n - 1))) return table.command(table.n - 1);
  if (nearest) return table.command(nearest_point(table, x));
  const std::size_t i = point_below(table, x);
  const double c = table.command(i);
  return c + (table.command(i + 1) - c) *
                 ((x - table.effort(i)) / (table.effort(i + 1) - table.effort(i)));
}

/// Last point whose command is not above `command`, which is not below the first one's.
std::size_t Thruster::point_of(const TableAt& table, double command, std::size_t guess) noexcept {
  const std::size_t n = table.n;
  // next to the guess, as good as always
  if (guess + 1 < n && table.command(guess) <= command) {
    if (table.command(guess + 1) > command) return guess;
  } else if (guess > 0 && guess < n && table.command(guess - 1) <= command &&
             table.command(guess) > command) {
    return guess - 1;
  }
  std::size_t low = 0, high = n;
  // widen from the guess until it is between
  for (std::size_t reach = 1; guess < n; reach *= 4) {
    low = guess > reach ? guess - reach : 0;
    high = guess + reach < n ? guess + reach : n;
    if ((low == 0 || table.command(low) <= command) && (high == n || table.command(high) > command))
      break;
  }
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (table.command(middle) <= command ? low : high) = middle;
  }
  return low;
}

inline Thruster::DeadBand Thruster::dead_band(const TableAt& table) const noexcept {
  const double at_zero =
      zero_point_ < table.n ? table.command(zero_point_) : table_command(table, 0, false);
  if (!rests_) return {at_zero, at_zero};
  // one quantum wider than from the table's zero to the rest command, because that zero is cut to
  // whole quanta on its way
  return {std::min(at_zero, params_.rest_command) - params_.command_quantum,
          std::max(at_zero, params_.rest_command) + params_.command_quantum};
}

double Thruster::between(const TableAt& table, std::size_t i, double command, double c,
                         double c_next, const DeadBand& dead) noexcept {
  const double effort = table.effort(i), next = table.effort(i + 1);
  // the side that touches zero starts at the edge of the dead band
  if (effort == 0) c = dead.to;
  if (next == 0) c_next = dead.from;
  if (!(c_next > c)) return effort;
  return effort + (next - effort) * clamp((command - c) / (c_next - c), 0, 1);
}

double Thruster::at_point(const TableAt& table, std::size_t i, double c) noexcept {
  // of a flat stretch, whose last point is i, the effort nearest to zero
  while (i > 0 && table.effort(i) > 0 && table.command(i - 1) == c) {
    --i;
    if (table.effort(i) < 0) return 0;
  }
  return table.effort(i);
}

double Thruster::table_inverse(const TableAt& table, double command, double guess) const noexcept {
  const DeadBand dead = dead_band(table);
  if (dead.has(command)) return 0;

  if (!(command >= table.command(0))) return table.effort(0);
  const double inside = clamp(guess, table.effort(0), table.effort(table.n - 1));
  const std::size_t i = point_of(table, command, point_below(table, inside));

  const double c = table.command(i);
  if (c == command || i + 1 == table.n) return at_point(table, i, c);

  return between(table, i, command, c, table.command(i + 1), dead);
}

double Thruster::polynomial_inverse(double command) const noexcept {
  // a bracket from the grid, then Newton that never leaves it
  if (!(command > grid_command_.front())) return grid_effort_.front();
  if (!(command < grid_command_.back())) return grid_effort_.back();
  const auto above = std::upper_bound(grid_command_.begin(), grid_command_.end(), command);
  const auto i = static_cast<std::size_t>(above - grid_command_.begin());
  double low = grid_effort_[i - 1], high = grid_effort_[i];
  const std::vector<double>& c = high > 0 ? params_.forward : params_.backward;
  // what only the constant asks for, the thruster does not give
  const double at_rest = c.size() == 4 ? 0 : c[5];
  if (high > 0 ? command <= at_rest : command >= at_rest) return 0;
  double x = low + (high - low) * ((command - grid_command_[i - 1]) /
                                   (grid_command_[i] - grid_command_[i - 1]));
  for (int k = 0; k < 8; ++k) {
    const double error = polynomial(c, x) - command;
    if (error == 0) break;
    (error > 0 ? high : low) = x;
    const double newton = x - error / polynomial_slope(c, x);
    const double next = newton >= low && newton <= high ? newton : 0.5 * (low + high);
    const bool settled = std::fabs(next - x) <= 1e-15 * std::fabs(x);
    x = next;
    if (settled) break;
  }
  return x;
}

double Thruster::command_for(double effort, double bus_V) const noexcept {
  if (!std::isfinite(effort)) return neutral_command(bus_V);
  return curve_at(clamp(effort, lower_, upper_) * per_unit_, bus_V);
}

double Thruster::effort_for(double command, double bus_V, double guess) const noexcept {
  if (!std::isfinite(command)) return 0;
  double x = 0;
  switch (params_.curve) {
    case CurveKind::kLinear: x = command * full_scale_ * per_unit_; break;
    case CurveKind::kPolynomial: x = polynomial_inverse(command); break;
    case CurveKind::kTable:
    case CurveKind::kPulseWidth:
      x = table_inverse(table_at(bus_V), command, guess * per_unit_);
      break;
  }
  return clamp(x * params_.curve_unit, lowest_, highest_);
}

ThrusterCommand Thruster::sent_for(double effort, double bus_V) const noexcept {
  if (!has_tables() || !std::isfinite(effort)) {
    const double command = in_quanta(command_for(effort, bus_V));
    return {command, effort_for(command, bus_V, effort)};
  }
  // there and back with one look at the voltage
  const TableAt table = table_at(bus_V);
  const double x = clamp(effort, lower_, upper_) * per_unit_;
  if (params_.nearest_point) {
    // a command cut to whole quanta lies on its point or just below it: no search
    std::size_t i = nearest_point(table, x);
    const double c = table.command(i), command = in_quanta(c);
    const DeadBand dead = dead_band(table);
    if (dead.has(command)) return {command, clamp(0, lowest_, highest_)};
    if (command == c) {
      while (i + 1 < table.n && table.command(i + 1) == c) ++i;
      return {command, clamp(at_point(table, i, c) * params_.curve_unit, lowest_, highest_)};
    }
    const double below = i > 0 ? table.command(i - 1) : command;
    if (command < c && below < command) {
      const double u = between(table, i - 1, command, below, c, dead);
      return {command, clamp(u * params_.curve_unit, lowest_, highest_)};
    }
  }
  const double command = in_quanta(table_command(table, x, params_.nearest_point));
  const double back = table_inverse(table, command, x) * params_.curve_unit;
  return {command, clamp(back, lowest_, highest_)};
}

double Thruster::in_quanta(double command) const noexcept {
  if (!(params_.command_quantum > 0)) return command;
  return quantised(command, params_.command_quantum, params_.curve == CurveKind::kPulseWidth);
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
  if (const ElectricalParams* known = library_electrical(params_.library);
      known != nullptr && !params_.electrical) {
    params_.electrical = *known;
    params_.electrical->full_effort *= params_.curve_unit;
  }

  // no further than the curve reaches
  lowest_ = params_.min_effort;
  highest_ = params_.max_effort;
  per_unit_ = 1 / params_.curve_unit;
  full_scale_ = std::max(std::fabs(lowest_), std::fabs(highest_));
  if (params_.curve == CurveKind::kTable || params_.curve == CurveKind::kPulseWidth)
    prepare_tables();
  if (params_.curve == CurveKind::kPolynomial) prepare_polynomial();
  lower_ = params_.command_margin * lowest_;
  upper_ = params_.command_margin * highest_;
}

void Thruster::prepare_tables() {
  const std::vector<CurvePoints>& points = params_.points;
  const std::vector<double>& effort = points.front().effort;
  lowest_ = std::max(lowest_, effort.front() * params_.curve_unit);
  highest_ = std::min(highest_, effort.back() * params_.curve_unit);
  points_ = effort.size();
  zero_point_ =
      static_cast<std::size_t>(std::find(effort.begin(), effort.end(), 0.0) - effort.begin());
  rests_ = params_.curve == CurveKind::kPulseWidth && params_.rest_command > 0;
  if (is_even(effort))
    points_per_unit_ = static_cast<double>(effort.size() - 1) / (effort.back() - effort.front());
  first_position_ = effort.front() * points_per_unit_;

  for (std::size_t k = 0; k == 0 || k + 1 < points.size(); ++k) {
    const CurvePoints& low = points[k];
    const CurvePoints& high = points[std::min(k + 1, points.size() - 1)];
    Sheet& sheet = sheets_.emplace_back(Sheet{low.bus_V, high.bus_V, {}});
    for (std::size_t i = 0; i < effort.size(); ++i)
      sheet.knots.push_back({low.effort[i], low.command[i], high.command[i] - low.command[i]});
  }
}

void Thruster::prepare_polynomial() {
  // a grid of the curve within the bounds, ending where the command reaches full scale
  const double unit = params_.curve_unit;
  for (int k = -kGrid; k <= kGrid; ++k) {
    const double x = (k < 0 ? -lowest_ : highest_) / unit * k / kGrid;
    const double c = polynomial(x >= 0 ? params_.forward : params_.backward, x);
    if (!grid_effort_.empty() && !(x > grid_effort_.back())) continue;
    if (c <= -1) grid_effort_.clear(), grid_command_.clear();
    if (!grid_command_.empty() && grid_command_.back() >= 1) continue;
    grid_effort_.push_back(x);
    grid_command_.push_back(c);
  }
  lowest_ = std::max(lowest_, polynomial_inverse(-1) * unit);
  highest_ = std::min(highest_, polynomial_inverse(1) * unit);
}

}  // namespace pintle::propulsion
