/// What can break in a mission's simulated world, in each state that it comes to: inputs and the clock,
/// hull and battery, every propulsor in every way, and two of them at once.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pintle/simulation/run.h"
#include "pintle/world_params/check_vehicle.h"

namespace pintle::testing {

/// What whoever gives a clock may do to it: stop it, run it back, set it by a second, by eleven days,
/// to the end of the numbers.
inline std::vector<craft::InputFault> clock_faults(double at_s) {
  using K = craft::InputFaultKind;
  std::vector<craft::InputFault> out;
  const auto add = [&](K kind, double value) {
    out.push_back({stack::InputCode::kClock, kind, at_s, 1e9, value});
  };
  add(K::kStuck, 0);
  add(K::kTimeReversed, 0);
  for (const double by_s : {1.0, 1e6, 1e10}) {
    add(K::kFromFuture, by_s);
    add(K::kDelayed, by_s);
  }
  return out;
}
/// Of a name: what it is, and by how much a clock is off.
inline std::string words(const craft::InputFault& f) {
  std::string out = std::string(to_string(f.input)) + " " + std::string(to_string(f.kind));
  if (f.input == stack::InputCode::kClock && f.value > 0)
    out += " by " + std::to_string(static_cast<long long>(f.value)) + " s";
  return out;
}

/// A row that a case needs and its vehicle file does not have.
struct Row {
  stack::FailsafeCondition condition{};
  bool wanted = false;
};

struct MissionCase {
  std::size_t mission = 0;
  std::string state;
  double at_s = 0;
  double emptied_s = -1;  ///< An empty battery brings it onto its abort path then.
  std::vector<craft::InputFault> inputs;
  std::vector<world::FaultSpec> propulsors;
  std::vector<world::DeviceFault> devices;
  Row row;

  [[nodiscard]] std::string name(const std::string& of) const {
    std::string out = of + ", " + state;
    if (emptied_s < 0) out += " at " + std::to_string(at_s).substr(0, 5) + " s";
    const auto lasts = [](double until_s) { return until_s > 1e8 ? "" : " for 2 s"; };
    for (const auto& f : inputs) out += ", " + words(f) + lasts(f.until_s);
    for (const auto& f : devices)
      out += ", " + std::string(to_string(f.device)) + " " + std::string(to_string(f.kind));
    for (const auto& f : propulsors)
      out += ", " + f.propulsor + " " + std::string(to_string(f.kind)) +
             (f.announced ? " announced" : "");
    return out;
  }
};

/// A place in a mission where things break.
struct Moment {
  std::size_t state = 0;
  double at_s = 0;
  double emptied_s = -1;
};

class MissionFaults {
 public:
  MissionFaults(std::size_t number, const craft::MissionFile& mission)
      : number_(number), mission_(mission) {
    const stack::Model model = craft::build_model(mission.vehicle, nullptr);
    flies_ = model.traits.flies;
    vehicle_ = model.vehicle;
    std::size_t channel = 0;
    for (const auto& p : model.vehicle.propulsors) {
      // a gimbal breaks with what hangs in it
      if (p.name != "gimbal")
        propulsors_.push_back({p.name, 0.5 * model.effectiveness.upper[channel]});
      channel += propulsion::channels(p.model);
    }
  }

  /// Those of one moment: each alone, then in pairs.
  [[nodiscard]] std::vector<MissionCase> at(const Moment& m) {
    out_.clear();
    here_ = {number_, mission_.mission.states[m.state].name, m.at_s, m.emptied_s, {}, {}, {}, {}};
    const std::vector<craft::InputFault> odometry = odometry_faults();
    for (craft::InputFault f : odometry) {
      with_inputs({f});
      with_inputs({f}, {next_propulsor()});
      f.until_s = m.at_s + 2;
      with_inputs({f});
    }
    if (flies_)
      for (const craft::InputFault& imu : imu_faults()) {
        with_inputs({imu});
        with_inputs({imu, odometry.front()});  // what is to carry it on
      }
    buses();
    with_inputs({odometry[3], input(stack::InputCode::kClock, Kind::kTimeReversed)});
    clock();
    hull_and_battery();
    propulsors();
    return std::move(out_);
  }

 private:
  using Kind = craft::InputFaultKind;
  struct Propulsor {
    std::string name;
    double half;
  };

  [[nodiscard]] craft::InputFault input(stack::InputCode code, Kind kind, double value = 0) const {
    return {code, kind, here_.at_s, 1e9, value};
  }
  [[nodiscard]] std::vector<craft::InputFault> of_each_kind(stack::InputCode code) const {
    std::vector<craft::InputFault> out;
    for (const Kind kind : {Kind::kOff, Kind::kStuck, Kind::kFrozen, Kind::kNan, Kind::kInfinite,
                            Kind::kGarbage, Kind::kTimeReversed})
      out.push_back(input(code, kind));
    out.push_back(input(code, Kind::kDelayed, 1));
    out.push_back(input(code, Kind::kFromFuture, 5));
    out.push_back(input(code, Kind::kIntermittent, 0.9));
    out.push_back(input(code, Kind::kShifted, 3));
    out.push_back(input(code, Kind::kNoisy, 0.5));
    return out;
  }
  [[nodiscard]] std::vector<craft::InputFault> odometry_faults() const {
    return of_each_kind(stack::InputCode::kOdometry);
  }
  [[nodiscard]] std::vector<craft::InputFault> imu_faults() const {
    return of_each_kind(stack::InputCode::kImu);
  }

  void with_inputs(std::vector<craft::InputFault> inputs,
                   std::vector<world::FaultSpec> propulsors = {}, Row row = {}) {
    MissionCase c = here_;
    c.inputs = std::move(inputs);
    c.propulsors = std::move(propulsors);
    c.row = row;
    out_.push_back(std::move(c));
  }
  /// Alone, and as one that stamps go by too; for good, and for two seconds.
  void clock() {
    for (craft::InputFault f : testing::clock_faults(here_.at_s))
      for (const double until_s : {1e9, here_.at_s + 2}) {
        f.until_s = until_s;
        with_inputs({f});
        std::vector<craft::InputFault> all{f, f};
        all[1].input = stack::InputCode::kOdometry;
        if (flies_) all.push_back(f), all[2].input = stack::InputCode::kImu;
        with_inputs(std::move(all));
      }
  }
  void buses() {
    using C = stack::FailsafeCondition;
    for (const Kind kind : {Kind::kOff, Kind::kStuck, Kind::kNan, Kind::kInfinite, Kind::kGarbage,
                            Kind::kIntermittent, Kind::kNoisy}) {
      // thrusters that report tell it too
      const bool silences = !mission_.world.meters &&
                            (kind == Kind::kOff || kind == Kind::kNan || kind == Kind::kInfinite);
      const double value = kind == Kind::kIntermittent ? 0.9 : 0.5;
      with_inputs({input(stack::InputCode::kBusVoltage, kind, value)}, {},
                  {C::kBusSilent, silences});
    }
    with_inputs({input(stack::InputCode::kBusVoltage, Kind::kShifted, -mission_.world.bus_V / 2)},
                {}, {C::kBusVoltage, !mission_.world.meters});
  }
  void hull_and_battery() {
    using C = stack::FailsafeCondition;
    using D = world::Device;
    using K = world::DeviceFaultKind;
    const auto add = [&](D device, K kind, double value, C condition) {
      MissionCase c = here_;
      c.devices = {{device, kind, here_.at_s, 1e9, value}};
      c.row = {condition, true};
      out_.push_back(c);
      c.propulsors = {next_propulsor()};
      out_.push_back(std::move(c));
    };
    add(D::kHull, K::kLeaks, 0, C::kLeak);
    add(D::kHull, K::kHeats, 90, C::kTemperature);
    add(D::kHull, K::kPresses, 150, C::kPressure);
    add(D::kHull, K::kSilent, 0, C::kHousekeepingSilent);
    if (here_.emptied_s >= 0) return;
    add(D::kBattery, K::kEmpties, 0.2, C::kBatteryLow);
    add(D::kBattery, K::kEmpties, 0.1, C::kBatteryCritical);
  }
  /// One kind of fault of a propulsor; none where it has no such.
  [[nodiscard]] std::vector<world::FaultSpec> broken(const Propulsor& p, world::FaultKind kind,
                                                     bool announced) const {
    using K = world::FaultKind;
    const double value = kind == K::kStuck     ? p.half
                         : kind == K::kWeak    ? 0.5
                         : kind == K::kSlow    ? 5
                         : kind == K::kDelayed ? 0.5
                                               : 0;
    const world::FaultSpec f{p.name, kind, here_.at_s, 1e9, value, announced};
    world::WorldParams probe = mission_.world;
    probe.faults = {f};
    const Findings found = world::check(probe, vehicle_);
    const bool fits = std::none_of(found.begin(), found.end(), [](const Finding& each) {
      return each.path.rfind("faults", 0) == 0;
    });
    return fits ? std::vector{f} : std::vector<world::FaultSpec>{};
  }
  void propulsors() {
    using K = world::FaultKind;
    std::vector<world::FaultSpec> all;
    for (const Propulsor& p : propulsors_)
      for (const EnumValue& kind : enum_table<K>().values) {
        const K k = static_cast<K>(kind.value);
        // these two have no word in which they could be announced
        const bool can_be_told = k != K::kSlow && k != K::kDelayed;
        for (const bool announced : {false, true})
          if (can_be_told || !announced)
            for (const world::FaultSpec& f : broken(p, k, announced)) all.push_back(f);
      }
    for (const world::FaultSpec& f : all) with_inputs({}, {f});
    // and each with the one that lies half of them and a bit further on
    for (std::size_t i = 0; i < all.size(); i += 3) {
      const world::FaultSpec& other = all[(i + all.size() / 2 + 3) % all.size()];
      if (other.propulsor != all[i].propulsor) with_inputs({}, {all[i], other});
    }
  }
  /// In turns, each propulsor and each kind.
  [[nodiscard]] world::FaultSpec next_propulsor() {
    using K = world::FaultKind;
    for (;;) {
      const Propulsor& p = propulsors_[turn_ % propulsors_.size()];
      const auto kinds = enum_table<K>().values.size();
      const auto f = broken(p, static_cast<K>(turn_ / propulsors_.size() % kinds), false);
      ++turn_;
      if (!f.empty()) return f.front();
    }
  }

  std::size_t number_;
  const craft::MissionFile& mission_;
  bool flies_ = false;
  vehicle::Vehicle vehicle_;
  std::vector<Propulsor> propulsors_;
  std::size_t turn_ = 0;
  MissionCase here_;
  std::vector<MissionCase> out_;
};

/// Has a state that lands on its engine, which no failsafe but `off` ends.
inline bool lands(const craft::MissionFile& mission) {
  const auto& states = mission.mission.states;
  return std::any_of(states.begin(), states.end(), [](const auto& s) { return s.land; });
}

/// The row that a case needs, with an action of its own, where the vehicle file has none.
inline void declare(craft::MissionFile& mission, stack::FailsafeCondition condition) {
  using A = stack::FailsafeAction;
  using C = stack::FailsafeCondition;
  stack::FailsafeParams& f = mission.vehicle.failsafes;
  const auto put = [](auto& row, double limit, A action) {
    if (!row) row = {limit, 0.5, action};
  };
  switch (condition) {
    case C::kLeak: put(f.leak, 0, A::kLand); break;
    case C::kTemperature: put(f.temperature, 60, A::kAbort); break;
    case C::kPressure: put(f.pressure, 110, A::kOff); break;
    case C::kHousekeepingSilent:
      put(f.housekeeping_silent, 2, lands(mission) ? A::kWarn : A::kHold);
      break;
    case C::kBatteryLow: put(f.battery_low, 0.3, A::kAbort); break;
    case C::kBatteryCritical: put(f.battery_critical, 0.15, A::kLand); break;
    case C::kBusSilent: put(f.bus_silent, 2, A::kAbort); break;
    case C::kBusVoltage: put(f.bus_voltage, 0.7 * mission.world.bus_V, A::kLand); break;
    default: break;
  }
}

}  // namespace pintle::testing
