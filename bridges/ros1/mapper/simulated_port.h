/// Simulated thrusters behind the interface of real ones: emulated M5s on a wire in memory, so that
/// all but the last metre of cable is what drives real ones.
///
///   thrust follows the effort as pintle/propulsion has it (curve, first-order lag),
///   speed, power and heat as its electrical.h has them for an M5 (no power at rest, water of 30 C),
///   bus_V = supply - 0.02 Ohm * current of all
///
/// At rest that is what the original's fake port always said: 0 rpm, 48 V, 0 A, 30 C, no fault.
/// What can be made to go wrong: silence, supply voltage, temperature, fault bits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mapper/driver.h"
#include "mapper/layout.h"

namespace pintle::ros1 {

class SimulatedPort : public ThrusterPort {
 public:
  /// `names`: thrusters of the layout that hang on this port.
  /// @throws std::runtime_error for a name that the layout does not have, and wrong ids.
  SimulatedPort(const Layout& layout, const std::vector<std::string>& names,
                const DriverSettings& settings);
  ~SimulatedPort() override;

  void command(std::size_t thruster, double effort, double now_s) override;
  void poll(double now_s, std::vector<ThrusterReply>& replies) override;
  [[nodiscard]] bool is_out(std::size_t thruster) const override;
  void kill(bool killed, double now_s) override;

  /// It moves and does not answer.
  void set_silent(std::size_t thruster, bool silent);
  void set_supply(double volt);
  /// Of one thruster, instead of the supply's: a bad connector.
  void set_bus_V(std::size_t thruster, double volt);
  void set_temperature(std::size_t thruster, double celsius);
  void set_fault(std::size_t thruster, std::uint8_t bits);
  /// It is as it was at first; the supply stays as it is.
  void mend(std::size_t thruster);

  [[nodiscard]] double thrust_N(std::size_t thruster) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
