#include "allocation/table.h"

#include <cstdio>

namespace pintle::bench {

void Table::line(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

void Table::times(const std::string& title, std::vector<Times>& rows) {
  std::printf("\n%s%s%zu\n", title.c_str(),
              ", problems: ", rows.empty() ? 0 : rows[0].least.size());
  std::printf("  %-28s %10s %10s %10s   ns\n", "", "median", "99 %", "99.9 %");
  for (Times& t : rows) {
    t.finish();
    std::printf("  %-28s %10.0f %10.0f %10.0f\n", t.solver.c_str(), t.p50, t.p99, t.p999);
  }
  std::fflush(stdout);
}

void Table::goal(const std::string& what, const std::vector<Times>& rows, double Times::*figure,
                 double at_most) {
  Goal g;
  g.what = what;
  g.ours = rows[0].*figure;
  g.at_most = at_most;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!rows[i].exact || (g.peer > 0 && rows[i].*figure >= g.peer)) continue;
    g.peer = rows[i].*figure;
    g.who = rows[i].solver;
  }
  goals_.push_back(g);
}

void Table::goals() const {
  std::printf("\n%-44s %9s %20s %7s %8s\n", "goal", "Pintle", "fastest exact peer", "ratio",
              "at most");
  for (const Goal& g : goals_) {
    if (g.peer > 0)
      std::printf("%-44s %9.0f %10.0f %-9s %7.3f %8.2f  %s\n", g.what.c_str(), g.ours, g.peer,
                  g.who.c_str(), g.ours / g.peer, g.at_most,
                  g.ours <= g.at_most * g.peer ? "holds" : "MISSED");
    else if (g.who.empty())
      std::printf("%-44s %9.0f %20s %7s %8.2f  %s\n", g.what.c_str(), g.ours, "-", "-", g.at_most,
                  "no peer found");
    else
      std::printf("%-44s %9.4g %20s %7s %8.4g  %s\n", g.what.c_str(), g.ours, "-", "-", g.at_most,
                  g.ours <= g.at_most ? "holds" : "MISSED");
  }
}

}  // namespace pintle::bench
