// The numbers behind the plots, for the script that makes them answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pintle/base/axis.h"
#include "pintle/telemetry/report_plots.h"

namespace pintle::telemetry {
namespace {

/// As many as a wide screen has columns, and as keep the page small.
constexpr std::size_t kMost = 1600;

/// Whole letters alone, and none that means something in a page or in JSON.
std::string json_text(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kEntities[]{{"&amp;", "\\u0026"},
                                                                             {"&lt;", "\\u003c"},
                                                                             {"&gt;", "\\u003e"},
                                                                             {"&quot;", "\\u0022"},
                                                                             {"&#39;", "'"}};
  const std::string clean = escape_html(text);
  std::string out = "\"";
  for (std::string_view left = clean; !left.empty();) {
    const auto* it = std::find_if(std::begin(kEntities), std::end(kEntities),
                                  [&](const auto& e) { return left.starts_with(e.first); });
    const bool is_entity = it != std::end(kEntities);
    if (is_entity)
      out += it->second;
    else
      out += left.front() == '\\' ? "\\\\" : std::string(1, left.front());
    left.remove_prefix(is_entity ? it->first.size() : 1);
  }
  return out + "\"";
}

template <class Get>
std::string numbers(const ReportView& view, std::size_t step, const Get& get) {
  std::string out = "[";
  for (std::size_t i = 0; i < view.data.samples.size(); i += step) {
    const double v = get(view.data.samples[i]);
    out += i > 0 ? "," : "";
    out += std::isfinite(v) ? fmt::format("{:.4g}", v) : "null";
  }
  return out + "]";
}

struct Series {
  const char* name;
  std::string values;
};

std::string plot(const std::string& title, const std::vector<Series>& series) {
  std::string out = "{\"title\":" + json_text(title) + ",\"series\":[";
  for (std::size_t i = 0; i < series.size(); ++i)
    out += fmt::format("{}{{\"name\":\"{}\",\"values\":{}}}", i > 0 ? "," : "", series[i].name,
                       series[i].values);
  return out + "]}";
}

std::string group(const char* section, const std::vector<std::string>& plots) {
  std::string out = fmt::format("{{\"section\":\"{}\",\"plots\":[", section);
  for (std::size_t i = 0; i < plots.size(); ++i) out += (i > 0 ? "," : "") + plots[i];
  return out + "]}";
}

}  // namespace

std::string plots_json(const ReportView& view) {
  const ReportData& d = view.data;
  const std::size_t step = d.samples.size() / kMost + 1;
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto values = [&](const auto& get) { return numbers(view, step, get); };
  std::vector<std::string> axes, velocity, wrench, channels;
  for (std::size_t a = 0; a < kAxes; ++a) {
    const double unit = a < 3 ? 1 : kDegrees;
    const std::string name(kAxisNames[a]), deg = a < 3 ? "m" : "\xC2\xB0";
    axes.push_back(
        plot(name + ", " + deg,
             {{"wanted", values([&](const ReportSample& s) {
                 return s.position_mode[a] ? s.wanted[a] * unit : nan;
               })},
              {"is", values([&](const ReportSample& s) { return s.actual[a] * unit; })}}));
    bool moves = false;
    for (const ReportSample& s : d.samples) moves = moves || !s.position_mode[a];
    if (moves)
      velocity.push_back(
          plot(name + ", " + deg + "/s",
               {{"wanted", values([&](const ReportSample& s) {
                   return s.position_mode[a] ? nan : s.velocity_wanted[a] * unit;
                 })},
                {"is", values([&](const ReportSample& s) { return s.velocity[a] * unit; })}}));
    wrench.push_back(
        plot(name + ", " + (a < 3 ? d.wrench_unit_force : d.wrench_unit_torque),
             {{"wanted", values([&](const ReportSample& s) { return s.demand[a]; })},
              {"given", values([&](const ReportSample& s) { return s.achieved[a]; })}}));
  }
  for (std::size_t c = 0; c < d.channels.size(); ++c)
    channels.push_back(
        plot(d.channels[c] + ", " + (c < d.units.size() ? d.units[c] : d.effort_unit),
             {{"effort", values([&](const ReportSample& s) {
                 return c < s.effort.size() ? s.effort[c] : nan;
               })}}));
  std::string out = "{\"t\":[";
  for (std::size_t i = 0; i < d.samples.size(); i += step)
    out += fmt::format("{}{:.6g}", i > 0 ? "," : "", d.samples[i].t_s);
  out += "],\"groups\":[" + group("axes", axes);
  if (!velocity.empty()) out += "," + group("velocity", velocity);
  if (d.has_wrenches) out += "," + group("wrench", wrench) + "," + group("channels", channels);
  return out + "]}";
}

}  // namespace pintle::telemetry
