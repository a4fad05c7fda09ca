#include <fmt/core.h>

#include "pintle/simulation/report_data.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct ReportArguments {
  std::string log, other, out;
};

int report(const ReportArguments& a) {
  namespace fs = std::filesystem;
  const fs::path html = !a.out.empty() ? fs::path(a.out)
                                       : fs::path(a.log).parent_path() /
                                             (a.other.empty() ? "report.html" : "comparison.html");
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
  verb->footer(
      "Examples:\n  pintle report runs/pool-20260101-120000/log.mcap -o pool.html\n"
      "  pintle report runs/before/log.mcap runs/after/log.mcap");
  verb->callback([a, &session] { session.exit_code = report(*a); });
}

}  // namespace pintle::app
