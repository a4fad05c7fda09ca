#include <fmt/core.h>

#include <fstream>

#include "out_file.h"
#include "pintle/simulation/report_data.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct ReportArguments {
  std::string log, other, out;
  bool overwrite = false;
};

/// By how it begins: one that Pintle has made.
bool is_report(const std::filesystem::path& file) {
  constexpr std::string_view kBegin =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>";
  std::string begin(kBegin.size(), '\0');
  std::ifstream(file, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kBegin;
}

int report(const ReportArguments& a) {
  namespace fs = std::filesystem;
  const fs::path html = !a.out.empty() ? fs::path(a.out)
                                       : fs::path(a.log).parent_path() /
                                             (a.other.empty() ? "report.html" : "comparison.html");
  expect_free(html.string(), a.overwrite || is_report(html), {a.log, a.other});
  if (a.other.empty())
    simulation::write_report(a.log, html);
  else
    simulation::write_comparison(a.log, a.other, html);
  fmt::print("{}\n", html.string());
  return kOk;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  auto a = std::make_shared<ReportArguments>();
  CLI::App* verb =
      app.add_subcommand("report", "Write the report of a log: one page, no network needed.");
  verb->add_option("log", a->log, "log.mcap of a run, cut or whole")->required();
  verb->add_option("other", a->other, "Another log: the two beside each other");
  verb->add_option("-o,--out", a->out,
                   "HTML file (default: report.html or comparison.html beside the log)");
  verb->add_flag("--overwrite", a->overwrite, "Replace a file that is no report");
  verb->footer(
      "Examples:\n  pintle report runs/pool-20260101-120000/log.mcap -o pool.html\n"
      "  pintle report runs/before/log.mcap runs/after/log.mcap\n"
      "Exit codes: 0 ok, 2 --out is there and no report, or is a log that is read, 4 a log cannot\n"
      "be read.");
  verb->callback([a, &session] { session.exit_code = report(*a); });
}

}  // namespace pintle::app
