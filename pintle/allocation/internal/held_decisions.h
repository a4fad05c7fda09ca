/// What decides in each held set, affine in the demand. Not for the tick. Internal to this room.
#pragma once
#include <memory>
#include <unordered_map>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/demand_cone.h"

namespace pintle::allocation {

/// Ways of eight channels to be wrong: 2 i + 1 over the box, or held; 2 i under it.
inline constexpr unsigned kBreaches = 16;

/// Of one held set, by channel.
struct Decisions {
  bool clear = true;   ///< No free column is nearly in the span of the others.
  bool spans = false;  ///< The free channels move along every axis.
  /// Above zero where the channel is wrong: a free one over its box and under it, a held one that
  /// gains by moving inwards, in both. And their planes.
  std::array<Form, 8> over, under;
  std::array<Plane, 8> is_over, is_under;
  std::array<Plane, 8> is_high;  ///< Nearer to the upper bound than to the lower.
  std::array<double, 8> score;  ///< By which what is wrong is measured: one over a root of a pivot.
  std::vector<Plane> keener;    ///< As far as they were asked for.
};

/// Of all sets of one problem; its demand does not matter. Forms are of demands over what all
/// channels together move along each axis.
class HeldDecisions {
 public:
  HeldDecisions(const BoxProblem& problem, double same_plane);

  /// Free channels and those on their upper bound, a bit each; for the tableau, with its trade.
  [[nodiscard]] Decisions& of(unsigned free, unsigned up, bool traded);

  /// Where one is wrong by more than another, in the tableau; 0 where they always are the same.
  [[nodiscard]] Plane keener(Decisions& d, unsigned one, unsigned other);

  /// Where a form of this set is another's, they share a plane.
  Planes planes;

  [[nodiscard]] const Vec6& reach() const { return reach_; }
  /// Axes that nothing moves along, and channels without width.
  [[nodiscard]] unsigned empty() const { return empty_; }
  [[nodiscard]] unsigned fixed() const { return fixed_; }
  /// There are as many as axes.
  [[nodiscard]] bool has_room(unsigned free) const;

 private:
  struct Basis;
  struct System;
  [[nodiscard]] Basis basis_of(unsigned free) const;
  [[nodiscard]] System system_of(unsigned free, double r) const;
  [[nodiscard]] Decisions make(unsigned free, unsigned up, bool traded);
  [[nodiscard]] double bound(std::size_t i, unsigned up) const {
    return (up >> i & 1) != 0 ? p_.upper[i] : p_.lower[i];
  }

  const BoxProblem& p_;
  Vec6 reach_;
  unsigned empty_ = 0, fixed_ = 0;
  double trade_ = 0;
  std::unordered_map<unsigned, std::unique_ptr<Decisions>> known_;
};

}  // namespace pintle::allocation
