/// What stands in a tick's list of alarms, for a node to say. For the half that knows Pintle's rooms.
#pragma once
#include <algorithm>

#include "common/plain.h"
#include "pintle/flight/event_words.h"

namespace pintle::ros1 {

[[nodiscard]] inline Faults faults_of(const AlarmList& alarms, const flight::EventNames& names) {
  Faults out{0, flight::sentences(alarms, names)};
  for (const Alarm& a : alarms)
    out.severity = std::max(out.severity, kLeastFault + static_cast<int>(a.severity));
  return out;
}

}  // namespace pintle::ros1
