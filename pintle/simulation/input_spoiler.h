/// Spoils inputs as a mission's `input_faults:` say, between the world and the tick, before they are
/// recorded, so that a replay meets the same bytes. A stack that drives hardware has no such hook.
#pragma once
#include <vector>

#include "pintle/base/random.h"
#include "pintle/craft/input_faults.h"
#include "pintle/simulation/names.h"

namespace pintle::simulation {

/// Applies the faults that are active at the tick's true time.
class InputSpoiler {
 public:
  InputSpoiler(std::vector<InputFault> faults, std::uint64_t seed);
  void apply(Inputs& inputs) noexcept;

 private:
  struct Active {
    InputFault fault;
    RandomStream random;
    Inputs first{};
    bool has_first = false;
  };
  std::vector<Active> faults_;
};

}  // namespace pintle::simulation
