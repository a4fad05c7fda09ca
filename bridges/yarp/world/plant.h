/// What is driven over ports: jets on a test stand, or a vehicle in its world. One number comes in
/// a channel; thrusts and their rates go out, one a propulsor.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/vehicle/propulsor_list.h"
#include "pintle/world/world.h"

namespace pintle::yarp_world {

class Plant {
 public:
  Plant() = default;
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;
  virtual ~Plant() = default;

  [[nodiscard]] virtual std::size_t inputs() const noexcept = 0;
  [[nodiscard]] virtual Duration step_time() const noexcept = 0;
  [[nodiscard]] virtual Time now() const noexcept = 0;
  /// One physics step with the input held. `burns`: what needs to be lit may burn.
  virtual void step(const ChannelVector& input, bool burns) noexcept = 0;
  [[nodiscard]] virtual const ChannelVector& thrust_N() const noexcept = 0;
  [[nodiscard]] virtual const ChannelVector& rate_N_s() const noexcept = 0;
  /// The input that brings it down from where it is: of a jet of first order full throttle back
  /// until there is no thrust, of a nonlinear one least throttle, else nothing.
  [[nodiscard]] virtual ChannelVector run_down() const noexcept = 0;
  /// From the beginning: time 0, no thrust, no rate.
  virtual void restart() = 0;
  /// What its odometry said since the last call, if it has any.
  [[nodiscard]] virtual std::optional<world::OdometrySample> take_odometry() noexcept {
    return std::nullopt;
  }
  [[nodiscard]] virtual std::optional<ImuSample> take_imu() noexcept { return std::nullopt; }
};

/// Jets that go nowhere: their thrusts, nothing else.
[[nodiscard]] std::unique_ptr<Plant> make_stand(std::vector<vehicle::ListedJet> jets,
                                                Duration step_time);
/// A vehicle in its world. Makes a new one for each restart.
[[nodiscard]] std::unique_ptr<Plant> make_world(std::function<world::World()> make);

}  // namespace pintle::yarp_world
