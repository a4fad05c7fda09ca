// How long an allocation takes and how right it is, beside other solvers where they are found.
//
//   allocation_bench                         the whole table
//   allocation_bench --quick                 a twentieth of the suite, fewer rounds
//   allocation_bench --suite                 the certified suite alone, as one JSON object
//   allocation_bench --units [COUNT]         the same in mixed units
//   allocation_bench --groups [COUNT]        the same of demands in groups
//   allocation_bench --count SOLVER CLASS [N]  solves each problem once inside counted(): see
//                                            bench/allocation_counts
//   allocation_bench --avx2 …                any of these on a processor with AVX-512 as without (peers: PINTLE_PEERS_ARCH)
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "allocation/runs.h"
#include "pintle/allocation/internal/dispatch.h"

namespace {

using namespace pintle::bench;

int whole_table(bool quick) {
  Table table;
  table.line("Allocation. Instruction set of Pintle: " + instruction_set());
  const Peers peers = make_peers(8);
  std::string found;
  for (const auto& p : peers) found += (found.empty() ? "" : ", ") + p->name();
  table.line(found.empty()
                 ? "No other solver found: bench/build_peers says how to have them beside."
                 : "Beside: " + found + ".");
  // a core that is lent to others as well is ours alone in some of them
  const int rounds = quick ? 2 : 25;
  run_cold(table, rounds);
  run_warm(table, rounds);
  run_rest(table, rounds);
  const bool right = run_suite(table, quick ? 20 : 1, false);
  table.goals();
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc >= 2 && std::strcmp(argv[1], "--avx2") == 0) {
      if (!pintle::allocation::use_level(pintle::allocation::Level::kAvx2))
        throw std::runtime_error("this processor has no AVX2");
      ++argv, --argc;
    }
    if (argc >= 4 && std::strcmp(argv[1], "--count") == 0)
      return run_count(argv[2], argv[3], argc > 4 ? argv[4] : "8");
    if (argc >= 2 && std::strcmp(argv[1], "--suite") == 0) {
      Table table;
      return run_suite(table, 1, true) ? 0 : 1;
    }
    if (argc >= 2 && std::strcmp(argv[1], "--units") == 0)
      return run_units(argc > 2 ? std::stoul(argv[2]) : 20'000) ? 0 : 1;
    if (argc >= 2 && std::strcmp(argv[1], "--groups") == 0)
      return run_groups(argc > 2 ? std::stoul(argv[2]) : 10'000) ? 0 : 1;
    // scripts/bench passes the same arguments to every program
    for (int i = 1; i < argc; ++i)
      if (std::strncmp(argv[i], "--benchmark_filter=", 19) == 0 &&
          std::strstr(argv[i], "alloc") == nullptr)
        return 0;
    return whole_table(argc >= 2 && std::strcmp(argv[1], "--quick") == 0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "allocation_bench: %s\n", e.what());
    return 2;
  }
}
