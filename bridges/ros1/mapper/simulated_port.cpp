#include "mapper/simulated_port.h"

#include <algorithm>
#include <stdexcept>

#include "mapper/bus_of.h"
#include "mapper/curves.h"
#include "pintle/device/m5_emulator.h"
#include "pintle/device/virtual_line.h"
#include "pintle/propulsion/electrical.h"

namespace pintle::ros1 {
namespace {

constexpr double kSupply_V = 48, kWire_Ohm = 0.02;
constexpr double kWater_C = 30;

constexpr double kStep_s = 0.01;

/// At rest the original's fake port drew nothing.
propulsion::ElectricalParams electrical() {
  propulsion::ElectricalParams p = *propulsion::library_electrical("m5_polynomial");
  p.idle_power_W = 0;
  return p;
}

struct Simulated {
  propulsion::Thruster model;
  propulsion::ThrusterState state;
  double temperature_C = kWater_C;

  [[nodiscard]] double power_W() const { return propulsion::power_W(electrical(), state.effort); }
};

std::vector<device::M5Identity> identities(const Layout& layout,
                                           const std::vector<std::string>& names) {
  std::vector<device::M5Identity> out;
  for (const std::string& name : names) {
    const auto i = layout.find(name);
    if (!i) throw std::runtime_error("there is no thruster called \"" + name + "\"");
    device::M5Identity id;
    id.node = static_cast<std::uint8_t>(layout.thrusters[*i].node_id);
    out.push_back(id);
  }
  return out;
}

}  // namespace

struct SimulatedPort::Impl {
  Impl(const Layout& layout, const std::vector<std::string>& names, const DriverSettings& settings)
      : bus(bus_of(layout, names, settings)),
        emulator(identities(layout, names)),
        line(*bus, emulator) {
    const std::vector<propulsion::Thruster> models = curves_of(layout);
    for (const std::string& name : names) thrusters.push_back({models[*layout.find(name)], {}});
    line.restart({});
    emulator.model = [this](std::size_t i, double, Time) { return truth(i); };
  }

  std::unique_ptr<device::PropulsorBus> bus;
  device::M5Emulator emulator;
  device::VirtualLine line;
  std::vector<Simulated> thrusters;
  double supply_V = kSupply_V;
  double time_s = 0;
  bool begun = false;
  FreshReports fresh;

  /// The first time, a clock that goes back, and a long gap begin anew.
  void advance(double now_s) {
    if (!begun || now_s < time_s || now_s - time_s > 10) {
      if (now_s < time_s) bus->stop(Time::from_seconds(now_s));
      begun = true;
      time_s = now_s;
      line.restart(Time::from_seconds(now_s));
    }
    while (time_s < now_s) {
      const double dt = std::min(kStep_s, now_s - time_s);
      time_s += dt;
      line.run(Time::from_seconds(time_s));
      for (std::size_t i = 0; i < thrusters.size(); ++i) {
        Simulated& t = thrusters[i];
        propulsion::Ambient ambient;
        ambient.bus_V = kSupply_V;
        (void)propulsion::step(t.model, t.state, emulator.effort(i, line.now()), ambient, {}, dt);
        t.temperature_C =
            propulsion::heated_C(electrical(), t.temperature_C, t.power_W(), kWater_C, dt);
      }
    }
  }

  [[nodiscard]] device::PropulsorTruth truth(std::size_t i) const {
    double current = 0;
    for (const Simulated& t : thrusters) current += t.power_W() / kSupply_V;
    const Simulated& t = thrusters[i];
    device::PropulsorTruth out;
    out.rpm = propulsion::rpm_of(electrical(), t.state.effort);
    out.bus_V = supply_V - kWire_Ohm * current;
    out.bus_A = out.bus_V > 0 ? t.power_W() / out.bus_V : 0;
    out.temperature_C = t.temperature_C;
    return out;
  }
};

SimulatedPort::SimulatedPort(const Layout& layout, const std::vector<std::string>& names,
                             const DriverSettings& settings)
    : impl_(std::make_unique<Impl>(layout, names, settings)) {}

SimulatedPort::~SimulatedPort() = default;

void SimulatedPort::command(std::size_t thruster, double effort, double now_s) {
  impl_->advance(now_s);
  impl_->bus->command(thruster, effort, impl_->line.now());
}

void SimulatedPort::poll(double now_s, std::vector<ThrusterReply>& replies) {
  impl_->advance(now_s);
  impl_->fresh.take(impl_->bus->reports(), replies);
}

bool SimulatedPort::is_out(std::size_t thruster) const { return impl_->bus->is_out(thruster); }

void SimulatedPort::kill(bool killed, double now_s) {
  impl_->advance(now_s);
  impl_->bus->kill(killed, impl_->line.now());
}

void SimulatedPort::set_silent(std::size_t thruster, bool silent) {
  impl_->emulator.faults(thruster).mute = silent;
}
void SimulatedPort::set_supply(double volt) { impl_->supply_V = volt; }
void SimulatedPort::set_bus_V(std::size_t thruster, double volt) {
  impl_->emulator.faults(thruster).bus_V = volt;
}
void SimulatedPort::set_temperature(std::size_t thruster, double celsius) {
  impl_->emulator.faults(thruster).temperature_C = celsius;
}
void SimulatedPort::set_fault(std::size_t thruster, std::uint8_t bits) {
  impl_->emulator.faults(thruster).fault = bits;
}
void SimulatedPort::mend(std::size_t thruster) { impl_->emulator.faults(thruster) = {}; }

double SimulatedPort::thrust_N(std::size_t thruster) const {
  return impl_->thrusters.at(thruster).state.effort;
}

}  // namespace pintle::ros1
