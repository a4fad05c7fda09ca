#include "mapper/simulated_port.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "mapper/curves.h"

namespace pintle::ros1 {
namespace {

constexpr double kSupply_V = 48, kWire_Ohm = 0.02;
constexpr double kFull_N = 100, kFull_W = 600, kFull_rpm = 3600;
constexpr double kWater_C = 30, kHeating_C_W = 0.1, kHeating_s = 60;

struct Simulated {
  propulsion::Thruster model;
  propulsion::ThrusterState state;
  double effort = 0;
  double temperature_C = kWater_C;
  bool silent = false;
  std::optional<double> bus_V, forced_temperature_C;
  std::uint8_t fault = 0;

  [[nodiscard]] double power_W() const {
    return kFull_W * std::pow(std::abs(state.effort) / kFull_N, 1.5);
  }
};

}  // namespace

struct SimulatedPort::Impl {
  std::vector<Simulated> thrusters;
  double supply_V = kSupply_V;
  double time_s = 0;
  std::vector<ThrusterReply> waiting;

  void advance(double now_s) {
    const double dt = std::clamp(now_s - time_s, 0.0, 3600.0);
    time_s = now_s;
    for (Simulated& t : thrusters) {
      propulsion::Ambient ambient;
      ambient.bus_V = kSupply_V;
      (void)propulsion::step(t.model, t.state, t.effort, ambient, {}, dt);
      const double target = kWater_C + kHeating_C_W * t.power_W();
      t.temperature_C += (target - t.temperature_C) * (1 - std::exp(-dt / kHeating_s));
    }
  }

  [[nodiscard]] double bus_V() const {
    double current = 0;
    for (const Simulated& t : thrusters) current += t.power_W() / kSupply_V;
    return supply_V - kWire_Ohm * current;
  }
};

SimulatedPort::SimulatedPort(const Layout& layout, const std::vector<std::string>& names)
    : impl_(std::make_unique<Impl>()) {
  const std::vector<propulsion::Thruster> models = curves_of(layout);
  for (const std::string& name : names) {
    const auto i = layout.find(name);
    if (!i) throw std::runtime_error("there is no thruster called \"" + name + "\"");
    Simulated t;
    t.model = models[*i];
    impl_->thrusters.push_back(std::move(t));
  }
}

SimulatedPort::~SimulatedPort() = default;

void SimulatedPort::send(std::size_t thruster, double effort, double now_s) {
  impl_->advance(now_s);
  Simulated& t = impl_->thrusters.at(thruster);
  t.effort = std::isfinite(effort) ? std::clamp(effort, -1.0, 1.0) : 0;
  if (t.silent) return;
  ThrusterReply reply;
  reply.thruster = thruster;
  reply.rpm =
      std::copysign(kFull_rpm * std::sqrt(std::abs(t.state.effort) / kFull_N), t.state.effort);
  reply.bus_V = t.bus_V.value_or(impl_->bus_V());
  reply.bus_A = reply.bus_V > 0 ? t.power_W() / reply.bus_V : 0;
  reply.temperature_C = t.forced_temperature_C.value_or(t.temperature_C);
  reply.fault = t.fault;
  impl_->waiting.push_back(reply);
}

void SimulatedPort::poll(double now_s, std::vector<ThrusterReply>& replies) {
  impl_->advance(now_s);
  replies.insert(replies.end(), impl_->waiting.begin(), impl_->waiting.end());
  impl_->waiting.clear();
}

void SimulatedPort::set_silent(std::size_t thruster, bool silent) {
  impl_->thrusters.at(thruster).silent = silent;
}
void SimulatedPort::set_supply(double volt) { impl_->supply_V = volt; }
void SimulatedPort::set_bus_V(std::size_t thruster, double volt) {
  impl_->thrusters.at(thruster).bus_V = volt;
}
void SimulatedPort::set_temperature(std::size_t thruster, double celsius) {
  impl_->thrusters.at(thruster).forced_temperature_C = celsius;
}
void SimulatedPort::set_fault(std::size_t thruster, std::uint8_t bits) {
  impl_->thrusters.at(thruster).fault = bits;
}

void SimulatedPort::mend(std::size_t thruster) {
  Simulated& t = impl_->thrusters.at(thruster);
  t.silent = false;
  t.bus_V.reset();
  t.forced_temperature_C.reset();
  t.fault = 0;
}

double SimulatedPort::thrust_N(std::size_t thruster) const {
  return impl_->thrusters.at(thruster).state.effort;
}

}  // namespace pintle::ros1
