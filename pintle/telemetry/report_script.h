/// The script of report.html and its styles: uPlot and `web/src/report.js`, bundled by web/build.sh.
#pragma once
#include <string_view>

namespace pintle::telemetry {

[[nodiscard]] std::string_view report_script() noexcept;
[[nodiscard]] std::string_view report_plot_style() noexcept;

}  // namespace pintle::telemetry
