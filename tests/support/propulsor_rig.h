/// For tests: a bus with two emulated propulsors of any kind on a wire in virtual time.
#pragma once
#include <cmath>
#include <memory>
#include <ostream>
#include <string>

#include "pintle/device/m5_emulator.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/pwm_emulator.h"
#include "pintle/device/pwm_protocol.h"
#include "pintle/device/vesc_emulator.h"
#include "pintle/device/vesc_protocol.h"
#include "pintle/device/virtual_line.h"

namespace pintle::device {

/// Of an M5's size, with round numbers:
///
///   rpm = 3600 sign(e) sqrt|e|,  current = 12.5 A |e|^1.5,  bus = 48 V - 0.02 Ohm * current
inline PropulsorTruth round_numbers(std::size_t, double effort, Time) {
  PropulsorTruth t;
  const double size = std::abs(effort);
  t.rpm = std::copysign(3600 * std::sqrt(size), effort);
  t.bus_A = 12.5 * size * std::sqrt(size);
  t.bus_V = 48 - 0.02 * t.bus_A;
  return t;
}

/// How the bus and the emulator of a kind are made.
struct PropulsorKind {
  std::string name;
  std::unique_ptr<PropulsorProtocol> (*protocol)(std::span<const BusChannel>);
  std::unique_ptr<PropulsorEmulator> (*emulator)(std::span<const BusChannel>);
  friend std::ostream& operator<<(std::ostream& out, const PropulsorKind& k) {
    return out << k.name;
  }
};

inline BusChannel channel(std::string_view name, std::uint8_t node) {
  BusChannel c;
  c.name = name;
  c.node = node;
  return c;
}

inline PropulsorKind m5_kind() {
  return {"m5",
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorProtocol> {
            return std::make_unique<M5Protocol>(c);
          },
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorEmulator> {
            std::vector<M5Identity> ids;
            for (std::size_t i = 0; i < c.size(); ++i)
              ids.push_back({c[i].node, static_cast<std::uint16_t>(i), 1000U + c[i].node});
            auto made = std::make_unique<M5Emulator>(ids);
            made->model = round_numbers;
            return made;
          }};
}

inline PropulsorKind vesc_kind() {
  return {"vesc",
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorProtocol> {
            return std::make_unique<VescProtocol>(c);
          },
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorEmulator> {
            std::vector<std::uint8_t> ids;
            for (const BusChannel& k : c) ids.push_back(k.node);
            auto made = std::make_unique<VescEmulator>(ids);
            made->model = round_numbers;
            return made;
          }};
}

inline PropulsorKind pwm_kind() {
  return {"pwm",
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorProtocol> {
            return std::make_unique<PwmProtocol>(c);
          },
          [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorEmulator> {
            std::vector<std::uint8_t> outputs;
            for (const BusChannel& k : c) outputs.push_back(k.node);
            return std::make_unique<PwmEmulator>(outputs);
          }};
}

struct PropulsorRig {
  explicit PropulsorRig(const PropulsorKind& kind, const BusSettings& settings = {},
                        std::vector<BusChannel> wiring = {channel("FLH", 3), channel("FLV", 1)})
      : channels(std::move(wiring)),
        device(kind.emulator(channels)),
        bus(kind.protocol(channels), channels, settings),
        wire(bus, *device) {
    wire.plug(true, {});
  }

  [[nodiscard]] double now_s() const { return wire.now().seconds(); }
  void run(double seconds) { wire.run(wire.now() + Duration::from_seconds(seconds)); }
  /// The same efforts again and again, 50 times a second.
  void hold(double seconds, double first, double second) {
    const Time end = wire.now() + Duration::from_seconds(seconds);
    while (wire.now() < end) {
      bus.command(0, first, wire.now());
      bus.command(1, second, wire.now());
      run(0.02);
    }
  }
  [[nodiscard]] double effort(std::size_t i) const { return device->effort(i, wire.now()); }
  [[nodiscard]] const PropulsorReport& report(std::size_t i) const { return bus.reports()[i]; }
  PropulsorFaults& faults(std::size_t i) { return device->faults(i); }

  std::vector<BusChannel> channels;
  std::unique_ptr<PropulsorEmulator> device;
  PropulsorBus bus;
  VirtualLine wire;
};

}  // namespace pintle::device
