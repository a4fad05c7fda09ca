#include "pintle/flight/tuning.h"

namespace pintle::flight {

Tuning::Tuning(Configuration first)
    : live_(std::move(first), {}),
      kept_{live_.generation()},
      newest_(live_.generation()->configuration.generation),
      in_use_(newest_.load()) {}

ChangeResult Tuning::set(const std::vector<std::pair<std::string, double>>& changes) {
  const std::lock_guard lock(mutex_);
  ChangeResult result = live_.set_all(changes, false);
  if (!result.applied) return result;
  std::erase_if(kept_, [this](const auto& g) {
    return g->configuration.generation < in_use_.load(std::memory_order_acquire);
  });
  kept_.push_back(live_.generation());
  newest_.store(live_.generation()->configuration.generation, std::memory_order_release);
  return result;
}

std::shared_ptr<const Generation> Tuning::newest() const {
  const std::lock_guard lock(mutex_);
  return live_.generation();
}

void Tuning::take_over(Flight& flight) {
  const std::uint32_t newest = newest_.load(std::memory_order_acquire);
  if (newest == in_use_.load(std::memory_order_relaxed)) return;
  // who is building now has it ready at a later step
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  flight.adopt(live_.generation());
  in_use_.store(live_.generation()->configuration.generation, std::memory_order_release);
}

}  // namespace pintle::flight
