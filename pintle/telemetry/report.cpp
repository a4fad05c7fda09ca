#include "pintle/telemetry/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/axis.h"
#include "pintle/telemetry/report_plots.h"
#include "pintle/telemetry/report_script.h"
#include "pintle/telemetry/report_style.h"

namespace pintle::telemetry {
namespace {

// what a person may want to read through; the rest is folded away, and very long lists are cut
constexpr std::size_t kEventsShown = 60;
constexpr std::size_t kEventsKept = 2000;

std::string plural(std::size_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string words(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string summary_line(const ReportData& d) {
  std::size_t good = 0, bad_events = 0;
  for (const ReportBand& s : d.states) good += s.outcome == "succeeded" || s.outcome == "passed";
  for (const ReportEvent& e : d.events) bad_events += e.is_bad ? 1 : 0;
  std::string out;
  if (!d.states.empty())
    out += fmt::format("{} of {} succeeded; ", good, plural(d.states.size(), "state"));
  out += d.faults.empty() ? "no fault injected" : plural(d.faults.size(), "fault") + " injected";
  out += "; " + plural(d.events.size(), "event");
  if (bad_events > 0)
    out += fmt::format(", {} of them {} attention", bad_events, bad_events == 1 ? "needs" : "need");
  return out + ".";
}

std::string facts_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts)
    out += fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n",
                       value.size() > 64 ? " class=\"long\"" : "", escape_html(name),
                       escape_html(value));
  return out + "</dl>";
}

std::string header(const ReportData& d) {
  const bool pass = d.verdict == "pass";
  const std::string word = pass                     ? "Passed"
                           : d.verdict == "fail"    ? "Failed"
                           : d.verdict == "aborted" ? "Aborted"
                                                    : words(d.verdict);
  std::string out = fmt::format(
      "<header><div class=\"verdict{}\"><div class=\"sign\">{}</div><div><h1>{}: {}</h1>"
      "<p>{}</p></div></div>\n",
      pass ? " pass" : "",
      pass                  ? "\xE2\x9C\x94"
      : d.verdict == "fail" ? "\xE2\x9C\x98"
                            : "\xE2\x96\xB2",
      escape_html(word), escape_html(d.title), summary_line(d));
  return out + facts_list(d.facts) + "</header>\n";
}

std::string navigation(const ReportData& d) {
  std::string out = "<nav aria-label=\"Parts of this page\"><a href=\"#timeline\">Timeline</a>";
  const auto link = [&out](const char* id, const char* name) {
    out += fmt::format("<a href=\"#{}\">{}</a>", id, name);
  };
  if (!d.samples.empty()) {
    link("axes", "Axes");
    link("figures", "Figures");
    if (d.has_wrenches) {
      link("wrench", "Wrench");
      link("channels", "Propulsors");
    }
  }
  for (const ReportStory& s : d.stories) link(s.id.c_str(), s.title.c_str());
  link("events", "Events");
  return out + "</nav>\n";
}

/// How one axis did: over the samples in which it followed a position.
struct AxisFigures {
  std::size_t followed = 0, seen = 0;
  double squares = 0, worst = 0, worst_residual = 0, largest_demand = 0;
};

AxisFigures figures_of(const ReportData& d, std::size_t axis) {
  AxisFigures f;
  for (const ReportSample& s : d.samples) {
    ++f.seen;
    const double residual = s.demand[axis] - s.achieved[axis];
    if (std::isfinite(residual)) f.worst_residual = std::max(f.worst_residual, std::abs(residual));
    if (std::isfinite(s.demand[axis]))
      f.largest_demand = std::max(f.largest_demand, std::abs(s.demand[axis]));
    const double e = axis_error(s, axis);
    if (!s.position_mode[axis] || !std::isfinite(e)) continue;
    ++f.followed;
    f.squares += e * e;
    f.worst = std::max(f.worst, std::abs(e));
  }
  return f;
}

std::string figures_section(const ReportData& d) {
  if (d.samples.empty()) return {};
  std::string out =
      "<section id=\"figures\"><h2>Figures per axis</h2>\n<table "
      "class=\"wide\"><thead><tr><th scope=\"col\">axis</th>"
      "<th scope=\"col\" class=\"n\">position followed, % of the time</th><th scope=\"col\" "
      "class=\"n\">error rms</th>"
      "<th scope=\"col\" class=\"n\">largest error</th><th scope=\"col\" class=\"n\">largest "
      "wrench wanted</th>"
      "<th scope=\"col\" class=\"n\">largest residual</th></tr></thead><tbody>\n";
  for (std::size_t a = 0; a < kAxes; ++a) {
    const AxisFigures f = figures_of(d, a);
    const std::string_view unit = a < 3 ? " m" : "\xC2\xB0";
    const std::string wrench_unit = escape_html(a < 3 ? d.wrench_unit_force : d.wrench_unit_torque);
    const auto n = static_cast<double>(f.followed);
    const bool any = f.followed > 0;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{} {}</td><td class=\"n\">{} {}</td></tr>\n",
        kAxisNames[a], short_number(100.0 * n / static_cast<double>(f.seen)),
        any ? short_number(std::sqrt(f.squares / n)) + std::string(unit) : "\xE2\x80\x93",
        any ? short_number(f.worst) + std::string(unit) : "\xE2\x80\x93",
        short_number(f.largest_demand), wrench_unit, short_number(f.worst_residual), wrench_unit);
  }
  return out +
         "</tbody></table>\n<p class=\"note\">A setpoint that steps counts as error until the "
         "vehicle "
         "has come: the largest error is often the largest step.</p></section>\n";
}

/// A bar a range, as long as its share; one that is not empty is seen.
std::string histogram_section(const ReportHistogram& h) {
  std::uint64_t all = 0;
  for (const auto& bar : h.bars) all += bar.second;
  std::string out = fmt::format("<section><h2>{}</h2>\n<p class=\"note\">{}</p>\n{}\n",
                                escape_html(h.title), escape_html(h.note), facts_list(h.facts));
  out += "<table class=\"wide\"><tbody>\n";
  for (const auto& [label, count] : h.bars) {
    const double share =
        all > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(all) : 0;
    const double width = count > 0 ? std::max(share, 0.3) : 0;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{} %</td><td style=\"width:60%\">"
        "<div style=\"height:10px;width:{:.1f}%;background:var(--blue)\"></div></td></tr>\n",
        escape_html(label), count, short_number(share), width);
  }
  return out + "</tbody></table></section>\n";
}

std::string story_section(const ReportStory& story) {
  std::string out =
      fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"note\">{}</p>\n",
                  escape_html(story.id), escape_html(story.title), escape_html(story.note));
  for (const ReportTable& t : story.tables) {
    out += fmt::format("<h3>{}</h3>\n<table class=\"wide\"><thead><tr>", escape_html(t.caption));
    for (const std::string& c : t.columns)
      out += fmt::format("<th scope=\"col\">{}</th>", escape_html(c));
    out += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < std::min(t.rows.size(), kEventsKept); ++i) {
      out += "<tr>";
      for (const std::string& cell : t.rows[i])
        out += fmt::format("<td>{}</td>", escape_html(cell));
      out += "</tr>\n";
    }
    out += "</tbody></table>\n";
    if (t.rows.size() > kEventsKept)
      out += fmt::format("<p class=\"note\">{} later ones are in the log only.</p>\n",
                         t.rows.size() - kEventsKept);
  }
  return out + "</section>\n";
}

std::string event_rows(const ReportView& view, std::size_t from, std::size_t to) {
  std::string out =
      "<table class=\"wide\"><thead><tr><th scope=\"col\" class=\"n\">time</th><th "
      "scope=\"col\">event</th><th scope=\"col\">detail</th></tr>"
      "</thead><tbody>\n";
  for (std::size_t i = from; i < to; ++i) {
    const ReportEvent& e = view.data.events[i];
    const std::string again =
        e.count > 1 ? fmt::format("{}{} times, last at {}", e.detail.empty() ? "" : "; ", e.count,
                                  view.clock(e.last_s))
                    : std::string{};
    out += fmt::format("<tr{}><td class=\"n\">{}</td><td>{}{}</td><td>{}{}</td></tr>\n",
                       e.is_bad ? " class=\"bad\"" : "", view.clock(e.t_s),
                       e.is_bad ? "\xE2\x96\xB2 " : "", escape_html(words(e.what)),
                       escape_html(e.detail), again);
  }
  return out + "</tbody></table>\n";
}

std::string alarm_rows(const ReportView& view, std::size_t from, std::size_t to) {
  std::string out =
      "<table class=\"wide\"><thead><tr><th scope=\"col\" class=\"n\">raised</th><th "
      "scope=\"col\" class=\"n\">cleared</th><th scope=\"col\">severity</th><th "
      "scope=\"col\">alarm</th></tr></thead><tbody>\n";
  for (std::size_t i = from; i < to; ++i) {
    const ReportAlarm& a = view.data.alarms[i];
    out += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>\n",
        view.clock(a.raised_s),
        std::isnan(a.cleared_s) ? std::string("stands") : view.clock(a.cleared_s),
        escape_html(a.severity), escape_html(a.what));
  }
  return out + "</tbody></table>\n";
}

/// The first rows, the others to unfold, and how many were left out.
template <class Rows>
std::string unfolding(const ReportView& view, std::size_t n, std::string_view name,
                      const Rows& rows) {
  const std::size_t kept = std::min(n, kEventsKept);
  const std::size_t shown = std::min(kept, kEventsShown);
  std::string out = rows(view, 0, shown);
  if (kept > shown)
    out += fmt::format("<details><summary>{} more</summary>\n{}</details>\n", kept - shown,
                       rows(view, shown, kept));
  if (n > kept)
    out += fmt::format("<p class=\"note\">{} later {} are in the log only.</p>\n", n - kept, name);
  return out;
}

std::string events_section(const ReportView& view) {
  const ReportData& d = view.data;
  std::string out = "<section id=\"events\"><h2>Events</h2>\n";
  if (!d.alarms.empty())
    out += "<h3>Alarms</h3>\n" + unfolding(view, d.alarms.size(), "alarms", alarm_rows) +
           "<h3>All events</h3>\n";
  if (d.events.empty()) return out + "<p class=\"note\">None.</p></section>\n";
  return out + unfolding(view, d.events.size(), "events", event_rows) + "</section>\n";
}

}  // namespace

std::string report_html(const ReportData& data) {
  const ReportView view(data);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<title>{}</title>\n<style>{}</style></head>\n<body><main>\n",
      escape_html(data.title), fmt::format("{}{}", report_plot_style(), kReportStyle));
  // hatching for all plots of the page
  out +=
      "<svg width=\"0\" height=\"0\" style=\"position:absolute;width:0\" "
      "aria-hidden=\"true\"><defs>"
      "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M1 0V6\" style=\"stroke:var(--orange);"
      "stroke-width:1.6\"/></pattern></defs></svg>\n";
  out += header(data);
  out += navigation(data);
  out += timeline_section(view);
  if (data.samples.empty()) {
    out += "<p class=\"note\">The log has no samples to plot.</p>\n";
  } else {
    out += trajectory_section(view);
    out += axes_section(view);
    out += velocity_section(view);
    out += figures_section(data);
    if (data.has_wrenches) out += wrench_section(view) + channels_section(view);
  }
  for (const ReportHistogram& h : data.histograms) out += histogram_section(h);
  for (const ReportStory& s : data.stories) out += story_section(s);
  out += events_section(view);
  out +=
      "<footer>Lines keep the least and greatest value of every pixel column. World axes are "
      "east-north-up, body axes forward-left-up. Values that are not numbers leave "
      "gaps.</footer>\n";
  out += "</main><div id=\"cursor\"></div>";
  if (!data.samples.empty())
    out +=
        fmt::format("<script type=\"application/json\" id=\"plots\">{}</script><script>{}</script>",
                    plots_json(view), report_script());
  out += fmt::format("<script>{}</script></body></html>\n", kReportScript);
  return out;
}

std::string comparison_html(const ReportData& a, const ReportData& b) {
  std::string rows;
  const auto row = [&rows](const std::string& name, const std::string& x, const std::string& y,
                           const std::string& by) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td></tr>\n",
        escape_html(name), escape_html(x), escape_html(y), escape_html(by));
  };
  const auto numbers = [&row](const std::string& name, double x, double y) {
    const auto text = [](double v) { return std::isfinite(v) ? short_number(v) : "\xE2\x80\x93"; };
    row(name, text(x), text(y), text(y - x));
  };
  row("verdict", a.verdict, b.verdict, "");
  const auto lasted = [](const ReportData& d) {
    return d.samples.empty() ? std::nan("") : d.samples.back().t_s - d.samples.front().t_s;
  };
  numbers("lasted, s", lasted(a), lasted(b));
  for (const ReportBand& s : a.states) {
    // the first of its name in each; what was tried again is in the reports
    const auto other = std::find_if(b.states.begin(), b.states.end(),
                                    [&](const ReportBand& t) { return t.name == s.name; });
    const auto mine = std::find_if(a.states.begin(), a.states.end(),
                                   [&](const ReportBand& t) { return t.name == s.name; });
    if (&*mine != &s) continue;
    numbers(s.name + " lasted, s", s.to_s - s.from_s,
            other == b.states.end() ? std::nan("") : other->to_s - other->from_s);
  }
  for (std::size_t i = 0; i < kAxes; ++i) {
    const AxisFigures x = figures_of(a, i), y = figures_of(b, i);
    const std::string axis(kAxisNames[i]), unit = i < 3 ? "m" : "\xC2\xB0";
    const auto rms = [](const AxisFigures& f) {
      return f.followed > 0 ? std::sqrt(f.squares / static_cast<double>(f.followed)) : std::nan("");
    };
    numbers(axis + " error rms, " + unit, rms(x), rms(y));
    if (!a.has_wrenches || !b.has_wrenches) continue;
    numbers(
        axis + " largest wrench wanted, " + (i < 3 ? a.wrench_unit_force : a.wrench_unit_torque),
        x.largest_demand, y.largest_demand);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<title>Two runs</title>\n<style>{}</style></head>\n<body><main><h1>Two runs</h1>\n"
      "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th scope=\"col\">figure</th>"
      "<th scope=\"col\" class=\"n\">{}</th><th scope=\"col\" class=\"n\">{}</th>"
      "<th scope=\"col\" class=\"n\">second minus "
      "first</th></tr></thead><tbody>\n{}</tbody></table></div>"
      "</main></body></html>\n",
      kReportStyle, escape_html(a.title), escape_html(b.title), rows);
}

}  // namespace pintle::telemetry
