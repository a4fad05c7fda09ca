/// One flight of one stack: the only caller of the tick, but for the stack that a simulated flight
/// controller has inside.
///
///   Inputs -> step: [ take over a new generation ] -> tick -> log -> Outputs
///
/// Whoever flies, on whatever bus, in simulation, replay or a batch, goes through here; so each has
/// the same gate, failsafes, log and replay. One thread; `adopt` too. Waits for nothing but a
/// recorder that was told to (recorder.h).
#pragma once
#include <memory>

#include "pintle/flight/recorder.h"

namespace pintle::flight {

class Flight {
 public:
  /// @param log  null: none is kept.
  explicit Flight(std::shared_ptr<const Generation> first, std::unique_ptr<Recorder> log = nullptr);
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// One tick. Writes the generation in use into `inputs`, then logs them as they are.
  const Outputs& step(Inputs& inputs);

  /// Between steps, at once: model() is the new one, last() still of the old. Of the same vehicle;
  /// the same generation again changes nothing.
  void adopt(std::shared_ptr<const Generation> next);

  [[nodiscard]] const Model& model() const noexcept { return generation_->model; }
  [[nodiscard]] std::shared_ptr<const Generation> generation() const noexcept {
    return generation_;
  }
  [[nodiscard]] const State& state() const noexcept { return *state_; }
  /// Of the last step; as constructed before the first.
  [[nodiscard]] const Outputs& last() const noexcept { return *outputs_; }
  [[nodiscard]] std::uint64_t ticks() const noexcept { return state_->ticks; }
  /// Null: none is kept.
  [[nodiscard]] Recorder* log() noexcept { return log_.get(); }

 private:
  std::shared_ptr<const Generation> generation_;
  std::unique_ptr<Recorder> log_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Workspace> work_;
  std::unique_ptr<Outputs> outputs_;
  bool is_logged_ = false;  ///< The generation in use.
};

}  // namespace pintle::flight
