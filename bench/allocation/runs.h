// The parts of the table.
#pragma once
#include "allocation/peers.h"
#include "allocation/pintle_calls.h"
#include "allocation/table.h"

namespace pintle::bench {

/// New problems of 8 and 64 channels, and a few sizes between.
void run_cold(Table& table, int rounds);
/// Sequences in which only the demand changes.
void run_warm(Table& table, int rounds);
/// Batches, the path without bounds, the whole stateless call, reachable axes.
void run_rest(Table& table, int rounds);
/// Every `step`th problem of the certified suite, all solvers. False: an answer of ours is wrong.
bool run_suite(Table& table, std::size_t step, bool json);
/// The certified suite in mixed units as one JSON object. False: an answer is wrong.
bool run_units(std::size_t count);
/// The same of demands in groups.
bool run_groups(std::size_t count);
/// For counting instructions.
int run_count(const std::string& solver, const std::string& problem_class, const std::string& n);

/// What Pintle runs on here, picked when the program starts.
[[nodiscard]] std::string instruction_set();

}  // namespace pintle::bench
