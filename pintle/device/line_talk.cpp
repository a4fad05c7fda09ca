#include "pintle/device/line_talk.h"

#include <algorithm>
#include <array>

#include "pintle/device/bus_thread.h"

namespace pintle::device {

PortError talk_on(const std::string& path, int baudrate, LineTalk& talk,
                  const std::function<void()>& after_each) {
  SerialPort port;
  if (const PortError error = port.open(path, baudrate); error != PortError::kNone) return error;
  (void)port.tune({});
  std::array<std::uint8_t, 512> bytes{};
  while (!talk.is_done()) {
    auto frame = talk.next_frame(BusThread::clock());
    while (!frame.empty()) {
      const Transfer put = port.write(frame);
      if (put.error != PortError::kNone) return put.error;
      frame = frame.subspan(put.bytes);
    }
    if (after_each) after_each();
    const double left_s = (talk.wake_at() - BusThread::clock()).seconds();
    (void)port.wait_readable(std::clamp(static_cast<int>(left_s * 1000) + 1, 0, 1000));
    const Transfer got = port.read(bytes);
    if (got.error != PortError::kNone) return got.error;
    if (got.bytes > 0) talk.heard(std::span(bytes).first(got.bytes), BusThread::clock());
  }
  return PortError::kNone;
}

}  // namespace pintle::device
