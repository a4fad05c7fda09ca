#include "pintle/flight/flight.h"

#include <utility>

namespace pintle::flight {

Flight::Flight(std::shared_ptr<const Generation> first, std::unique_ptr<Recorder> log)
    : generation_(std::move(first)),
      log_(std::move(log)),
      state_(std::make_unique<State>(initial_state(generation_->model))),
      work_(std::make_unique<Workspace>()),
      outputs_(std::make_unique<Outputs>()) {}

const Outputs& Flight::step(Inputs& inputs) {
  inputs.generation = model().generation;
  tick(model(), *state_, *work_, inputs, *outputs_);
  if (log_) {
    is_logged_ = is_logged_ || log_->generation(*generation_, outputs_->now);
    if (is_logged_) log_->tick(inputs, *outputs_);
  }
  return *outputs_;
}

void Flight::adopt(std::shared_ptr<const Generation> next) {
  if (next == generation_) return;
  generation_ = std::move(next);
  is_logged_ = false;
  stack::adopt(model(), *state_);
}

}  // namespace pintle::flight
