#include "pintle/telemetry/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace pintle::telemetry {
namespace {

// translation in the left column, rotation in the right
constexpr std::array<std::size_t, 6> kOnPage{0, 3, 1, 4, 2, 5};

bool is_angle(std::size_t axis) noexcept { return axis >= 3; }

/// Breaks the line where an angle jumps from one end of its range to the other (an infinity breaks
/// a line at once, see report_svg.cpp).
void break_at_wraps(std::vector<double>& degrees) {
  double last = kNaN;
  for (double& v : degrees) {
    const bool jumps = std::abs(v - last) > 180;
    last = v;
    if (jumps) v = std::numeric_limits<double>::infinity();
  }
}

/// Stretches of time in which `is` holds, gaps of less than a pixel closed.
template <class Is>
std::vector<PlotRange> stretches(const ReportView& view, const Is& is) {
  std::vector<PlotRange> out;
  const double pixel = (view.time.high - view.time.low) / 500;
  for (std::size_t i = 0; i < view.t.size(); ++i) {
    if (!is(view.data.samples[i]) || !std::isfinite(view.t[i])) continue;
    const double end = i + 1 < view.t.size() ? view.t[i + 1] : view.t[i];
    if (!out.empty() && view.t[i] <= out.back().high + pixel)
      out.back().high = std::max(out.back().high, end);
    else
      out.push_back({view.t[i], end});
  }
  return out;
}

}  // namespace

std::string swatch(std::string_view style, std::string_view text) {
  return fmt::format("<span class=\"key\"><i class=\"{}\"></i>{}</span>", style, text);
}

std::string section(std::string_view id, std::string_view title, std::string_view legend,
                    std::string_view note, const std::string& content) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"legend\">{}</p>\n{}{}</section>\n",
                     id, title, legend,
                     note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", note), content);
}

ReportView::ReportView(const ReportData& report) : data(report) {
  t = column([](const ReportSample& s) { return s.t_s; });
  time = range_of(t);
  for (const ReportBand& s : data.states)
    if (std::isfinite(s.from_s) && std::isfinite(s.to_s))
      time = t.empty() ? PlotRange{s.from_s, s.to_s} : join(time, {s.from_s, s.to_s});
  if (!(time.high > time.low)) time.high = time.low + 1;
}

double axis_error(const ReportSample& sample, std::size_t axis) {
  if (!sample.position_mode[axis]) return 0;
  const double e = sample.wanted[axis] - sample.actual[axis];
  return is_angle(axis) ? std::remainder(e, 2 * std::numbers::pi) * kDegrees : e;
}

double distance_off(const ReportSample& sample) {
  double sum = 0;
  bool any = false;
  for (std::size_t a = 0; a < 3; ++a) {
    any = any || sample.position_mode[a];
    sum += axis_error(sample, a) * axis_error(sample, a);
  }
  return any ? std::sqrt(sum) : kNaN;
}

void mark_time(Plot& plot, const ReportView& view) {
  if (view.data.states.size() <= 60)
    for (const ReportBand& s : view.data.states) plot.vertical(s.from_s, "state-line");
  for (const ReportBand& f : view.data.faults) plot.vertical(f.from_s, "fault-line");
}

std::string axes_section(const ReportView& view) {
  static constexpr const char* kTitles[]{
      "x, m", "y, m", "z (up), m", "roll, \xC2\xB0", "pitch, \xC2\xB0", "yaw, \xC2\xB0"};
  std::string plots;
  for (const std::size_t a : kOnPage) {
    const double unit = is_angle(a) ? kDegrees : 1;
    std::vector<double> actual =
        view.column([&](const ReportSample& s) { return s.actual[a] * unit; });
    std::vector<double> wanted = view.column(
        [&](const ReportSample& s) { return s.position_mode[a] ? s.wanted[a] * unit : kNaN; });
    const PlotRange seen = range_of(actual), asked = range_of(wanted);
    const bool is_asked =
        std::any_of(wanted.begin(), wanted.end(), [](double v) { return std::isfinite(v); });
    const PlotRange y = with_air(is_asked ? join(seen, asked) : seen, is_angle(a) ? 4 : 0.2);
    if (is_angle(a)) {
      break_at_wraps(actual);
      break_at_wraps(wanted);
    }
    Plot plot({}, view.time, y);
    for (const PlotRange& r :
         stretches(view, [&](const ReportSample& s) { return !s.position_mode[a]; }))
      plot.band(r.low, r.high, "free", "velocity or wrench is commanded here");
    plot.y_axis(is_angle(a) ? TickKind::kDegrees : TickKind::kDecimal, 5);
    plot.x_axis(TickKind::kSeconds, 8);
    mark_time(plot, view);
    plot.line(view.t, wanted, "want");
    plot.line(view.t, actual, "is");
    plots += plot.svg(kTitles[a], fmt::format("{} wanted and actual over time", kTitles[a]), true);
  }
  return section("axes", "Setpoint and state",
                 swatch("want", "wanted") + swatch("is", "actual") +
                     swatch("free", "not followed: velocity or wrench is commanded") +
                     swatch("state-line", "state begins") + swatch("fault-line", "fault begins"),
                 "Pose of the body in the world, as the stack knew it.",
                 "<div class=\"grid two\">\n" + plots + "</div>\n");
}

std::string velocity_section(const ReportView& view) {
  static constexpr const char* kTitles[]{
      "forward, m/s",           "left, m/s",           "up, m/s", "roll rate, \xC2\xB0/s",
      "pitch rate, \xC2\xB0/s", "yaw rate, \xC2\xB0/s"};
  std::string plots;
  for (std::size_t a = 0; a < 6; ++a) {
    // only the axes that follow something else than a position for a while
    const bool matters = std::any_of(view.data.samples.begin(), view.data.samples.end(),
                                     [&](const ReportSample& s) { return !s.position_mode[a]; });
    if (!matters) continue;
    const double unit = is_angle(a) ? kDegrees : 1;
    const auto actual = view.column([&](const ReportSample& s) { return s.velocity[a] * unit; });
    const auto wanted = view.column([&](const ReportSample& s) {
      return s.position_mode[a] ? kNaN : s.velocity_wanted[a] * unit;
    });
    const PlotRange y =
        with_air(join(join(range_of(actual), range_of(wanted)), {0, 0}), is_angle(a) ? 2 : 0.05);
    Plot plot({.height = 160}, view.time, y);
    for (const PlotRange& r :
         stretches(view, [&](const ReportSample& s) { return !s.position_mode[a]; }))
      plot.band(r.low, r.high, "free");
    plot.y_axis(TickKind::kDecimal, 4);
    plot.x_axis(TickKind::kSeconds, 8);
    mark_time(plot, view);
    plot.line(view.t, wanted, "want");
    plot.line(view.t, actual, "is");
    plots += plot.svg(kTitles[a], fmt::format("{} wanted and actual over time", kTitles[a]), true);
  }
  if (plots.empty()) return {};
  return section("velocity", "Body velocity where no position is followed",
                 swatch("want", "wanted velocity") + swatch("is", "actual") +
                     swatch("free", "velocity or wrench is commanded"),
                 "An axis that is given a wrench has no wanted velocity; the line shows what the "
                 "setpoint holds.",
                 "<div class=\"grid two\">\n" + plots + "</div>\n");
}

std::string wrench_section(const ReportView& view) {
  static constexpr const char* kNames[]{"force x",     "force y",      "force z",
                                        "torque roll", "torque pitch", "torque yaw"};
  const ReportData& d = view.data;
  // what is small against the others is shown small
  std::array<double, 2> largest{};
  for (std::size_t a = 0; a < 6; ++a)
    for (const ReportSample& s : d.samples)
      if (std::isfinite(s.demand[a]))
        largest[a / 3] = std::max(largest[a / 3], std::abs(s.demand[a]));

  std::string plots;
  for (const std::size_t a : kOnPage) {
    const auto demand = view.column([&](const ReportSample& s) { return s.demand[a]; });
    const auto achieved = view.column([&](const ReportSample& s) { return s.achieved[a]; });
    const auto residual =
        view.column([&](const ReportSample& s) { return s.demand[a] - s.achieved[a]; });
    PlotRange y = join(join(range_of(demand), range_of(achieved)), range_of(residual));
    y = with_air(join(y, {0, 0}), std::max(0.1 * largest[a / 3], 1e-9));
    Plot plot({}, view.time, y);
    plot.y_axis(TickKind::kDecimal, 5);
    plot.x_axis(TickKind::kSeconds, 8);
    mark_time(plot, view);
    plot.area(view.t, residual, "residual");
    plot.line(view.t, demand, "want");
    plot.line(view.t, achieved, "is");
    const std::string title =
        fmt::format("{}, {}", kNames[a], is_angle(a) ? d.wrench_unit_torque : d.wrench_unit_force);
    plots += plot.svg(title, title + " wanted, achieved and residual over time", true);
  }
  return section("wrench", "Wrench",
                 swatch("want", "wanted") + swatch("is", "achieved by what was sent") +
                     swatch("residual", "residual: wanted minus achieved"),
                 "In body axes, about the body origin.",
                 "<div class=\"grid two\">\n" + plots + "</div>\n");
}

}  // namespace pintle::telemetry
