/// VideoRay M5 thrusters that are not there, byte for byte (m5_messages.h).
///
/// Each has all 256 bytes of registers: reads answer from them (measurements are put there first),
/// writes go where the map lets them, with the answer that flags ask for. A NODE_ID that is written
/// holds at once, the answer comes from the new one; save_settings keeps the registers over a
/// restart, UTILITY DEAD restarts (3 s away). A thruster stops 2 s after its last command.
#pragma once
#include <array>
#include <vector>

#include "pintle/device/m5_messages.h"
#include "pintle/device/propulsor_emulator.h"

namespace pintle::device {

struct M5Identity {
  std::uint8_t node = 0;
  std::uint16_t motor_id = 0;
  std::uint32_t serial = 0;  ///< FACTORY_SERVICE_DATA.
  std::uint8_t firmware_version = 9;
};

class M5Emulator : public PropulsorEmulator {
 public:
  explicit M5Emulator(std::span<const M5Identity> thrusters,
                      M5Firmware firmware = M5Firmware::kMeasured2017);

  void heard(std::span<const std::uint8_t> bytes, Time now) override;
  [[nodiscard]] std::size_t size() const override { return thrusters_.size(); }
  [[nodiscard]] double effort(std::size_t thruster, Time now) const override;
  [[nodiscard]] PropulsorFaults& faults(std::size_t thruster) override {
    return thrusters_[thruster].faults;
  }
  [[nodiscard]] std::uint64_t commands(std::size_t thruster) const override {
    return thrusters_[thruster].commands;
  }
  [[nodiscard]] double register_value(std::size_t thruster, std::string_view name) const;
  void set_register(std::size_t thruster, std::string_view name, double value);

 private:
  struct Thruster {
    std::array<std::uint8_t, 256> registers{}, saved{};
    PropulsorFaults faults;
    double effort = 0;
    Time commanded{}, away_until{};
    bool was_commanded = false;
    std::uint64_t commands = 0;
  };
  void take(std::size_t i, const VrcsrFrame& frame, Time now);
  void take_command(Thruster& t, const M5Propulsion& command, Time now);
  void write(Thruster& t, const VrcsrFrame& frame, Time now);
  void reply(std::size_t i, const VrcsrFrame& frame, Time now);
  void measure(std::size_t i, Time now);
  void restart(Thruster& t, Time now);

  M5Firmware firmware_;
  std::vector<Thruster> thrusters_;
  VrcsrDecoder decoder_;
};

}  // namespace pintle::device
