/// Holds a conversation over a serial port. Waits; not for a control loop.
#pragma once
#include <functional>
#include <string>

#include "pintle/device/m5_access.h"
#include "pintle/device/serial_port.h"

namespace pintle::device {

/// kNone when it came to its end; else why the port failed it. `after_each`: question or answer.
[[nodiscard]] PortError talk_on(const std::string& path, int baudrate, LineTalk& talk,
                                const std::function<void()>& after_each = {});

}  // namespace pintle::device
