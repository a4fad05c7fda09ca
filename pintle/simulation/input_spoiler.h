/// Spoils inputs as a mission's `input_faults:` say, between the world and the tick, before they are
/// recorded, so that a replay meets the same bytes. A stack that drives hardware has no such hook.
#pragma once
#include <vector>

#include "pintle/base/random.h"
#include "pintle/craft/input_faults.h"
#include "pintle/flight/site.h"
#include "pintle/simulation/names.h"

namespace pintle::simulation {

class InputSpoiler {
 public:
  InputSpoiler(std::vector<InputFault> faults, std::uint64_t seed);
  /// Those that are active at the tick's true time.
  void apply(Inputs& inputs, Time now) noexcept;

 private:
  struct Active {
    InputFault fault;
    RandomStream random;
    Inputs first{};
    bool has_first = false;
  };
  std::vector<Active> faults_;
};

/// Any site of a craft that is simulated here, its inputs spoilt as the mission says.
class SpoiltSite final : public flight::Site {
 public:
  SpoiltSite(flight::Site& site, const MissionFile& mission, std::uint64_t seed)
      : site_(site), spoiler_(mission.input_faults, seed) {}

  [[nodiscard]] Time now() const noexcept override { return site_.now(); }
  bool sense(Time due, Inputs& in) override;
  void act(const Model& model, const Outputs& out) override { site_.act(model, out); }
  [[nodiscard]] bool outlasts() const noexcept override { return site_.outlasts(); }
  [[nodiscard]] bool is_gone() const noexcept override { return site_.is_gone(); }
  [[nodiscard]] bool waits() const noexcept override { return site_.waits(); }

 private:
  flight::Site& site_;
  InputSpoiler spoiler_;
};

}  // namespace pintle::simulation
