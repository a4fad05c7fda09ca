#include "pintle/device/line_emulator.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace pintle::device {

LineEmulator::LineEmulator(PropulsorEmulator& device, std::string link, int baudrate)
    : device_(&device), link_(std::move(link)), to_device_(baudrate), to_host_(baudrate) {}

bool LineEmulator::plug() {
  unplug();
  if (!end_.open() || !keeper_.hold(end_.path)) return false;
  if (link_.empty()) return true;
  // in one step: nobody finds half a link
  const std::string fresh = link_ + ".new";
  (void)::unlink(fresh.c_str());
  return ::symlink(end_.path.c_str(), fresh.c_str()) == 0 &&
         ::rename(fresh.c_str(), link_.c_str()) == 0;
}

void LineEmulator::unplug() {
  if (!link_.empty() && is_plugged()) (void)::unlink(link_.c_str());
  keeper_.close();
  end_.device.close();
  to_device_.cut();
  to_host_.cut();
}

void LineEmulator::update(Time now) {
  std::array<std::uint8_t, 512> bytes;
  for (Transfer got = end_.device.read(bytes); got.bytes > 0; got = end_.device.read(bytes))
    to_device_.put(std::span(bytes).first(got.bytes), now);
  for (auto heard = to_device_.take(now); !heard.empty(); heard = to_device_.take(now))
    device_->heard(heard, now);
  for (auto said = device_->say(now); !said.empty(); said = device_->say(now))
    to_host_.put(said, now);
  for (auto heard = to_host_.take(now); !heard.empty(); heard = to_host_.take(now))
    (void)end_.device.write(heard);
}

Time LineEmulator::wake_at() const {
  return std::min({device_->wake_at(), to_device_.next(), to_host_.next()});
}

}  // namespace pintle::device
