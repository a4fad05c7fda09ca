#pragma once

/// What the tests of the engine share: a mission driven at 50 Hz, and a plain state.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pintle/mission/engine.h"

namespace pintle::mission {

/// Drives a mission at 50 Hz with a vehicle that is wherever the test puts it.
struct Rig {
  explicit Rig(const MissionSpec& spec) : mission(compile(spec)) {
    in.vehicle.validity = Validity::kValid;
  }
  void tick(Command command = Command::kNone, std::int32_t jump_to = -1) {
    in.now = in.now + Duration{20'000'000};
    in.command = command;
    in.jump_to = jump_to;
    events.clear();
    out = step(mission, state, in, events);
    for (const Event& e : events) said.push_back(e);
  }
  void run(double seconds) {
    for (int n = static_cast<int>(std::lround(seconds * 50)); n > 0; --n) tick();
  }
  void put(Vec3 p, double roll_deg = 0, double pitch_deg = 0, double yaw_deg = 0) {
    in.vehicle.X_WB = {p, from_rpy({radians(roll_deg), radians(pitch_deg), radians(yaw_deg)})};
  }
  [[nodiscard]] int count(EventCode code) const {
    return static_cast<int>(
        std::count_if(said.begin(), said.end(), [code](const Event& e) { return e.code == code; }));
  }
  Mission mission;
  EngineState state;
  EngineInput in{};
  EngineOutput out;
  EventList events;
  std::vector<Event> said;
};

inline StateSpec state(std::string name, double timeout_s = 10) {
  StateSpec s;
  s.name = std::move(name);
  s.timeout_s = timeout_s;
  s.success.position_m = 0.1;
  return s;
}

}  // namespace pintle::mission
