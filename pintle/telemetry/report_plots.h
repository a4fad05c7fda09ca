/// The sections of the report, each a piece of HTML.
#pragma once
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/telemetry/report.h"
#include "pintle/telemetry/report_svg.h"

namespace pintle::telemetry {

inline constexpr double kDegrees = 180 / std::numbers::pi;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The data with what every section needs worked out once.
struct ReportView {
  explicit ReportView(const ReportData& report);

  const ReportData& data;
  std::vector<double> t;
  PlotRange time;

  /// A time in the one form that suits the length of the run.
  [[nodiscard]] std::string clock(double t_s) const { return time_label(t_s, time.high >= 180); }

  template <class Get>
  [[nodiscard]] std::vector<double> column(const Get& get) const {
    std::vector<double> out;
    out.reserve(data.samples.size());
    for (const ReportSample& s : data.samples) out.push_back(get(s));
    return out;
  }
};

/// One entry of a legend, and a section of the page.
[[nodiscard]] std::string swatch(std::string_view style, std::string_view text);
[[nodiscard]] std::string section(std::string_view id, std::string_view title,
                                  std::string_view legend, std::string_view note,
                                  const std::string& content);

/// Distance from what is wanted on one axis, 0 where it is not followed; angles by the short way,
/// in degrees.
[[nodiscard]] double axis_error(const ReportSample& sample, std::size_t axis);
/// Length of the error of the followed position axes, m; NaN where none is followed.
[[nodiscard]] double distance_off(const ReportSample& sample);

/// Faults and borders of states, so that every plot can be read beside the timeline.
void mark_time(Plot& plot, const ReportView& view);

[[nodiscard]] std::string timeline_section(const ReportView& view);
[[nodiscard]] std::string trajectory_section(const ReportView& view);
[[nodiscard]] std::string axes_section(const ReportView& view);
[[nodiscard]] std::string velocity_section(const ReportView& view);
[[nodiscard]] std::string wrench_section(const ReportView& view);
[[nodiscard]] std::string channels_section(const ReportView& view);
/// What the script draws anew: the samples of those sections, thinned, as JSON that is safe in a page.
[[nodiscard]] std::string plots_json(const ReportView& view);

}  // namespace pintle::telemetry
