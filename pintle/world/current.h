/// Velocity of the water over time.
///
///   v_c(t) = steady + wave sin(2 pi t / T) + wander(t)
///
/// wander, on the two horizontal axes, is a first-order Gauss-Markov process: exact at knots a
/// twentieth of its correlation time apart, straight between them. The process itself has no
/// derivative; drawn at every physics step it would shake the vehicle by the pressure gradient of
/// water that jumps, and differently for every step size. Between knots its variance is up to 2.5 %
/// smaller. Does not model: change of the current in space.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/random.h"
#include "pintle/base/time.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

class Current {
 public:
  Current(const CurrentParams& params, std::uint64_t seed) noexcept;

  /// Velocity at an instant; later calls must not ask for earlier ones.
  [[nodiscard]] Vec3 at(Time t) noexcept;

 private:
  struct Axis {
    RandomStream noise;
    double before = 0, after = 0;  ///< Values at the knots around t.
  };

  CurrentParams params_;
  double wave_rate_, knot_s_, memory_, kick_;
  bool waves_, wanders_;
  std::int64_t knot_ = 0;  ///< Number of the knot before t.
  std::array<Axis, 2> axes_;
};

}  // namespace pintle::world
