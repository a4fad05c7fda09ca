/// What stands in a tick's list of alarms, for a node to say. For the half that knows Pintle's rooms.
#pragma once
#include <algorithm>

#include "common/plain.h"
#include "pintle/flight/event_words.h"

namespace pintle::ros1 {

[[nodiscard]] inline Faults faults_of(const AlarmList& alarms, const flight::EventNames& names) {
  Faults out;
  for (const Alarm& a : alarms) {
    out.text += (out.text.empty() ? "" : "; ") + flight::sentence(a, names);
    out.severity = std::max(out.severity, 2 + static_cast<int>(a.severity));
  }
  return out;
}

}  // namespace pintle::ros1
