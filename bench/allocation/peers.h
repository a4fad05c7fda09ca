// Other solvers of the same problem, measured beside Pintle's where they are found: see
// bench/build_peers. Nothing of the product needs them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/base/signals.h"

namespace pintle::bench {

/// min | A x - b |^2 + r | x |^2 inside the box, in numbers near one: scaled already, which is not
/// in their time. Forming the Hessian and the gradient is.
class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Everything new. False where it says itself that this is no answer.
  virtual bool cold(const allocation::BoxProblem& problem, double* x) = 0;
  /// The first of a sequence in which only b changes: whatever helps later may be kept.
  virtual bool begin(const allocation::BoxProblem& problem, double* x) = 0;
  virtual bool warm(const allocation::BoxProblem& problem, double* x) = 0;
};

using Peers = std::vector<std::unique_ptr<Peer>>;

/// Those that were found when this was built. n: the channels of all problems to come, or 0.
[[nodiscard]] Peers make_peers(std::uint32_t n);

// each in a file of its own; null where it was not found
std::unique_ptr<Peer> make_qpmad(std::uint32_t n);
std::unique_ptr<Peer> make_daqp();
std::unique_ptr<Peer> make_qpoases();
std::unique_ptr<Peer> make_osqp();

/// Axes in groups, nothing traded, by the hierarchical mode of DAQP: efforts less the preferred ones.
/// False where that was not found, or says itself that this is no answer.
bool solve_groups_by_daqp(const Effectiveness& craft, const WrenchDemand& demand, double* x);
[[nodiscard]] bool has_daqp();

}  // namespace pintle::bench
