/// What follows what in a mission, and whether it can go wrong: the parts of `check`.
#pragma once
#include <vector>

#include "pintle/mission/mission.h"

namespace pintle::mission {

/// Where one state leads: an index or an end.
struct Edges {
  std::int32_t on_success = kEndPass, on_failure = kEndAbort, on_abort = kEndAbort;
  bool can_succeed = true;  ///< It gives a success condition.
};

struct Graph {
  std::int32_t start = 0;
  std::int32_t abort = kEndAbort;
  std::vector<Edges> states;
};

/// Contradictions inside one state; paths are relative to it.
[[nodiscard]] Findings check_state(const StateSpec& state);

/// Unreachable states, states without a way to an ending, circles. `all_known`: no target is a
/// guess, so that unreachable states can be told.
void check_graph(const MissionSpec& spec, const Graph& graph, bool all_known, Findings& out);

}  // namespace pintle::mission
