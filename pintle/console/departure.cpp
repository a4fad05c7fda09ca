#include "pintle/console/departure.h"

namespace pintle::console {

using stack::CommandCode;

DepartureStep Departure::land(double time_s) {
  stage_ = Stage::kLanding;
  last_step_s_ = time_s;
  return {CommandCode::kMissionLand, false};
}

DepartureStep Departure::ask(const DepartureView& now, double time_s, bool by_key) {
  if (!now.in_flight || stage_ == Stage::kLanding) return {std::nullopt, true};
  if (stage_ == Stage::kLadder && !by_key) {
    // who pressed the key may not see it through
    if (by_key_) begun_s_ = time_s;
    by_key_ = false;
    return {};
  }
  if (stage_ == Stage::kLadder)
    return now.has_controller ? land(time_s) : DepartureStep{std::nullopt, true};
  stage_ = Stage::kLadder;
  by_key_ = by_key;
  begun_s_ = last_step_s_ = time_s;
  return {CommandCode::kMissionAbort, false};
}

DepartureStep Departure::update(const DepartureView& now, double time_s) {
  const bool waited = time_s - last_step_s_ > kComesDown_s;
  if (stage_ == Stage::kLanding)
    return {std::nullopt, now.comes_down || (!now.in_flight && !now.aborting) || waited};
  if (stage_ != Stage::kLadder) return {};
  const bool may_go_on = by_key_ || time_s - begun_s_ <= kLadder_s;
  if (now.aborting && may_go_on) last_step_s_ = time_s;
  if (now.aborting && !may_go_on && now.in_flight && now.has_controller) return land(time_s);
  if (!now.aborting && !now.in_flight) return {std::nullopt, true};
  if (now.aborting || !waited) return {};
  // the abort path was not taken, or has ended in the air
  return now.has_controller ? land(time_s) : DepartureStep{std::nullopt, true};
}

}  // namespace pintle::console
