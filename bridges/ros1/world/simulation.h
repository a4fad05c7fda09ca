/// The border of the world node: a mission's simulated world in plain values.
///
/// Efforts (shares of full thrust, as in ThrusterAllocs) pass the same gate that the stack's own
/// runs use, become commands and drive the perturbed vehicle. Clean C++17; see
/// common/plain.h.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/plain.h"

namespace pintle::ros1 {

struct WorldSample {
  std::int64_t stamp_ns = 0;  ///< From the world's beginning.
  PlainPose pose;
  Six twist{};
};

class Simulation {
 public:
  /// `seed` 0: the mission's. @throws std::runtime_error with everything that is wrong in the
  /// files.
  Simulation(const std::string& mission_file, std::uint64_t seed);
  ~Simulation();

  /// Of the odometry.
  [[nodiscard]] double period_s() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::size_t channels() const;
  /// Advances with constant efforts; too few or not finite count as zero.
  void advance(double dt_s, const std::vector<double>& efforts);
  /// False: none has arrived since the last call.
  [[nodiscard]] bool take(WorldSample& sample);
  [[nodiscard]] std::int64_t now_ns() const;
  [[nodiscard]] PlainPose truth() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
