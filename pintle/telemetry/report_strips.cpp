// Sections in which every row is a name with what happened to it along time: states and channels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/telemetry/report_plots.h"

namespace pintle::telemetry {
namespace {

constexpr double kWidth = 1140, kLeft = 168, kRight = 12;
constexpr double kRow = 22;
// of the page's 11 px type, generously
constexpr double kLetter = 6.4;

std::string clipped(std::string_view text, std::size_t letters) {
  if (text.size() <= letters) return std::string(text);
  std::size_t end = letters - 1;
  // not in the middle of a letter of several bytes
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

/// One row of the timeline: all bands of a name.
struct Row {
  std::string name;
  std::vector<const ReportBand*> bands;
};

std::vector<Row> rows_of(const std::vector<ReportBand>& bands) {
  std::vector<Row> rows;
  for (const ReportBand& b : bands) {
    auto at =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == b.name; });
    if (at == rows.end()) {
      rows.push_back({b.name, {}});
      at = rows.end() - 1;
    }
    at->bands.push_back(&b);
  }
  return rows;
}

void draw_row(Plot& plot, const ReportView& view, const Row& row, double top, bool is_fault) {
  plot.label(kLeft - 8, top + 15, clipped(row.name, 24), "row-name", "end");
  double last_end = kLeft, first_begin = kWidth;
  for (const ReportBand* b : row.bands) {
    const double from = std::clamp(b->from_s, view.time.low, view.time.high);
    const double to =
        std::isnan(b->to_s) ? view.time.high : std::clamp(b->to_s, from, view.time.high);
    if (std::isnan(from)) continue;
    const double a = plot.px(from), z = std::max(plot.px(to), a + 2);
    const bool good = b->outcome == "succeeded" || b->outcome == "passed";
    plot.raw(
        fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
                    "rx=\"2\"><title>{}: {} to {}, {}</title></rect>",
                    is_fault ? "band-fault"
                    : good   ? "band-good"
                             : "band-bad",
                    a, top + 3, z - a, kRow - 6, escape_html(b->name), view.clock(b->from_s),
                    view.clock(b->to_s), escape_html(b->outcome)));
    last_end = std::max(last_end, z);
    first_begin = std::min(first_begin, a);
  }
  const ReportBand& last = *row.bands.back();
  std::string text = last.outcome;
  if (std::isfinite(last.to_s) && !is_fault)
    text = fmt::format("{} s{}{}", short_number(last.to_s - last.from_s), text.empty() ? "" : ", ",
                       text);
  if (row.bands.size() > 1) text = fmt::format("{} times; last {}", row.bands.size(), text);
  // beside the bands, on the side that has room
  text = clipped(text, 60);
  const double width = kLetter * static_cast<double>(text.size());
  if (last_end + 6 + width <= kWidth - kRight)
    plot.label(last_end + 6, top + 15, text, "row-text");
  else if (first_begin - 6 - width >= kLeft)
    plot.label(first_begin - 6, top + 15, text, "row-text", "end");
  else
    plot.label(kWidth - kRight - 6, top + 15, text, "row-inside", "end");
}

std::string state_table(const ReportView& view) {
  std::string out =
      "<table class=\"wide\"><thead><tr><th scope=\"col\" class=\"n\">#</th><th "
      "scope=\"col\">state</th><th scope=\"col\" "
      "class=\"n\">entered</th>"
      "<th scope=\"col\" class=\"n\">lasted, s</th><th scope=\"col\">outcome</th><th scope=\"col\" "
      "class=\"n\">distance off at its end, "
      "m</th>"
      "<th scope=\"col\" class=\"n\">attitude off at its end, \xC2\xB0</th></tr></thead><tbody>\n";
  std::size_t at = 0;
  int n = 0;
  for (const ReportBand& s : view.data.states) {
    // the last sample before the state was left: at that instant the next setpoint is already there
    while (at < view.t.size() && view.t[at] < s.to_s) ++at;
    std::string off = "\xE2\x80\x93", turned = off;
    if (at > 0 && view.t[at - 1] >= s.from_s) {
      const ReportSample& last = view.data.samples[at - 1];
      if (const double d = distance_off(last); std::isfinite(d)) off = fmt::format("{:.3f}", d);
      double worst = 0;
      bool any = false;
      for (std::size_t a = 3; a < 6; ++a) {
        any = any || last.position_mode[a];
        worst = std::max(worst, std::abs(axis_error(last, a)));
      }
      if (any) turned = fmt::format("{:.2f}", worst);
    }
    const bool good = s.outcome == "succeeded" || s.outcome == "passed";
    ++n;
    out += fmt::format(
        "<tr{}><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td>{}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        good ? "" : " class=\"bad\"", s.number >= 0 ? s.number : n, escape_html(s.name),
        view.clock(s.from_s), fmt::format("{:.2f}", s.to_s - s.from_s), good ? "" : "\xE2\x96\xB2 ",
        escape_html(s.outcome), off, turned);
  }
  return out + "</tbody></table>\n";
}

}  // namespace

std::string timeline_section(const ReportView& view) {
  const std::vector<Row> states = rows_of(view.data.states);
  const std::vector<Row> faults = rows_of(view.data.faults);
  const double rows = static_cast<double>(states.size() + faults.size() + 1);
  const Plot::Frame frame{.width = kWidth,
                          .height = 8 + kRow * rows + 24,
                          .left = kLeft,
                          .right = kRight,
                          .top = 8,
                          .bottom = 24};
  Plot plot(frame, view.time, {0, 1});
  plot.x_axis(TickKind::kSeconds, 14);
  double top = frame.top;
  for (const Row& r : states) {
    draw_row(plot, view, r, top, false);
    top += kRow;
  }
  for (const Row& r : faults) {
    draw_row(plot, view, r, top, true);
    top += kRow;
  }

  // events: bad ones as triangles, the others as ticks; at most one of each kind a pixel
  plot.label(kLeft - 8, top + 15, "events", "row-name", "end");
  double last_tick = -1, last_bad = -1;
  for (const ReportEvent& e : view.data.events) {
    if (!(e.t_s >= view.time.low && e.t_s <= view.time.high)) continue;
    const double x = plot.px(e.t_s);
    double& last = e.is_bad ? last_bad : last_tick;
    if (std::abs(x - last) < (e.is_bad ? 4 : 1)) continue;
    last = x;
    plot.raw(fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}{}\"><title>{} {}</title></path>",
                         e.is_bad ? "event-bad" : "event", x, top + (e.is_bad ? 5 : 7),
                         e.is_bad ? "l5 10h-10Z" : "v8", view.clock(e.t_s), escape_html(e.what)));
  }

  std::string out =
      "<section id=\"timeline\"><h2>Mission</h2>\n<p class=\"legend\">"
      "<span class=\"key\"><i class=\"band-good\"></i>succeeded</span>"
      "<span class=\"key\"><i class=\"band-bad\"></i>timed out, aborted, interrupted</span>"
      "<span class=\"key\"><i class=\"band-fault\"></i>injected fault</span>"
      "<span class=\"key\"><b class=\"mark\">\xE2\x96\xB2</b>event that needs "
      "attention</span></p>\n";
  out += plot.svg("", "states, faults and events along time", true);
  if (!view.data.states.empty()) out += state_table(view);
  return out + "</section>\n";
}

namespace {

bool concerns(const ReportBand& fault, std::string_view channel) {
  const std::string_view name = fault.name;
  const std::string_view first = name.substr(0, name.find(' '));
  return !first.empty() && (channel == first || channel == name ||
                            (channel.starts_with(first) && channel.size() > first.size() &&
                             (channel[first.size()] == '.' || channel[first.size()] == ' ')));
}

std::string channel_row(const ReportView& view, std::size_t i, const std::string& name) {
  const ReportData& d = view.data;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto effort =
      view.column([&](const ReportSample& s) { return i < s.effort.size() ? s.effort[i] : nan; });
  const double lower = i < d.lower.size() ? d.lower[i] : nan;
  const double upper = i < d.upper.size() ? d.upper[i] : nan;
  PlotRange y = join(range_of(effort), {0, 0});
  for (const double limit : {lower, upper})
    if (std::isfinite(limit)) y = join(y, {limit, limit});
  y = with_air(y, 1e-9);

  const Plot::Frame frame{
      .width = kWidth, .height = 58, .left = kLeft, .right = 190, .top = 5, .bottom = 5};
  Plot plot(frame, view.time, y);
  for (const ReportBand& f : d.faults)
    if (concerns(f, name))
      plot.band(f.from_s, std::isnan(f.to_s) ? view.time.high : f.to_s, "band-fault",
                f.name + ", " + f.outcome);
  plot.x_axis(TickKind::kSeconds, 14, false);
  plot.horizontal(0, "zero");
  plot.horizontal(lower, "limit");
  plot.horizontal(upper, "limit");
  mark_time(plot, view);
  plot.line(view.t, effort, "is");

  // the limits carry their numbers, the row its name
  plot.label(kLeft - 58, 33, clipped(name, 17), "row-name", "end");
  for (const double limit : {lower, upper})
    if (std::isfinite(limit))
      plot.label(kLeft - 6, std::clamp(plot.py(limit) + 3.5, 11.0, 56.0), short_number(limit),
                 "tick", "end");

  std::size_t seen = 0, at_limit = 0;
  double peak = 0;
  for (const double e : effort) {
    if (!std::isfinite(e)) continue;
    ++seen;
    peak = std::max(peak, std::abs(e));
    const double near = 1e-6 * (y.high - y.low);
    if (e <= lower + near || e >= upper - near) ++at_limit;
  }
  const double right = kWidth - 190 + 12;
  if (seen == 0) {
    plot.label(right, 33, "no values", "row-text");
  } else {
    const std::string& unit = i < d.units.size() ? d.units[i] : d.effort_unit;
    plot.label(right, 26, fmt::format("largest {} {}", short_number(peak), unit), "row-text");
    const double share = 100.0 * static_cast<double>(at_limit) / static_cast<double>(seen);
    plot.label(right, 42,
               at_limit == 0 ? "never at a limit"
                             : fmt::format("at a limit {} % of the time", short_number(share, 2)),
               at_limit > 0 ? "row-text strong" : "row-text");
  }
  return plot.svg("", fmt::format("effort of {} over time", name), true);
}

}  // namespace

std::string channels_section(const ReportView& view) {
  const ReportData& d = view.data;
  std::size_t n = d.channels.size();
  for (const ReportSample& s : d.samples) n = std::max(n, s.effort.size());
  std::string rows;
  for (std::size_t i = 0; i < n; ++i)
    rows +=
        channel_row(view, i, i < d.channels.size() ? d.channels[i] : fmt::format("channel {}", i));

  // one time axis below all rows
  Plot axis({.width = kWidth, .height = 22, .left = kLeft, .right = 190, .top = 0, .bottom = 20},
            view.time, {0, 1});
  axis.x_axis(TickKind::kSeconds, 14);
  rows += axis.svg("", "time axis", true);
  const std::vector<std::string>& units = d.units;
  const bool mixed = std::any_of(units.begin(), units.end(),
                                 [&](const std::string& u) { return u != units.front(); });
  return fmt::format(
      "<section id=\"channels\"><h2>Propulsors: effort{}</h2>\n<p class=\"legend\">"
      "<span class=\"key\"><i class=\"is\"></i>effort sent</span>"
      "<span class=\"key\"><i class=\"limit\"></i>limits</span>"
      "<span class=\"key\"><i class=\"band-fault\"></i>fault of this propulsor</span></p>\n"
      "<div class=\"strip\">\n{}</div>\n</section>\n",
      mixed ? std::string{} : ", " + escape_html(units.empty() ? d.effort_unit : units.front()),
      rows);
}

}  // namespace pintle::telemetry
