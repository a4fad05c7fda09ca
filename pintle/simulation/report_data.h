/// From a log to what its report shows.
#pragma once
#include <filesystem>

#include "pintle/telemetry/report.h"

namespace pintle::simulation {

/// @throws std::runtime_error when the file is no log of a run.
[[nodiscard]] telemetry::ReportData report_data(const std::filesystem::path& log);

/// Reads the log, writes the page (atomically). @throws std::runtime_error.
void write_report(const std::filesystem::path& log, const std::filesystem::path& html);

/// Two logs beside each other. @throws std::runtime_error.
void write_comparison(const std::filesystem::path& a, const std::filesystem::path& b,
                      const std::filesystem::path& html);

}  // namespace pintle::simulation
