// `pintle trace jet|booster|gimbal|propeller|fin`: a table in, a step a row, a table out.
#include <algorithm>
#include <map>

#include "csv.h"
#include "pintle/vehicle/propulsor_list.h"
#include "trace.h"

namespace pintle::app {
namespace {

using namespace propulsion;

constexpr std::array kCells{"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"};

void header(CsvWriter& out, const std::string& name, std::initializer_list<const char*> columns) {
  for (const char* c : columns) out.cell(name + "_" + c);
}

void wrench_cells(CsvWriter& out, const Wrench& w) {
  const Vec6 v = to_vec6(w);
  for (std::size_t i = 0; i < 6; ++i) out.cell(v[i]);
}

/// The tanks that boosters share, each as the boosters on it describe it.
struct Tanks {
  std::vector<TankParams> params;
  std::vector<TankState> states;
  std::vector<std::int32_t> of;  ///< Of each booster.
  std::map<std::string, std::int32_t> by_name;

  explicit Tanks(const std::vector<vehicle::ListedBooster>& boosters) {
    for (const auto& b : boosters) {
      if (!b.tank) {
        of.push_back(kOwnFuel);
        continue;
      }
      const auto [it, fresh] =
          by_name.try_emplace(*b.tank, static_cast<std::int32_t>(params.size()));
      if (fresh) {
        TankParams tank;
        tank.capacity_kg = b.params.total_fuel_mass_kg;
        tank.max_inertia_kgm2 = b.params.max_inertia_kgm2;
        params.push_back(tank);
        states.push_back({b.starting_fuel_ratio * tank.capacity_kg});
      }
      of.push_back(it->second);
    }
  }

  /// What the tank of a booster holds. In the original the last booster on it has the word.
  [[nodiscard]] MassProperties of_booster(std::size_t i, const std::vector<BoosterParams>& boosters,
                                          const std::vector<BoosterState>& now) const {
    if (of[i] == kOwnFuel) return fuel_of(boosters[i], now[i]);
    if (boosters[i].behaviour == Behaviour::kPhysical) {
      const auto k = static_cast<std::size_t>(of[i]);
      return contents(params[k], states[k]);
    }
    std::size_t last = i;
    for (std::size_t k = i; k < boosters.size(); ++k)
      if (of[k] == of[i] && boosters[k].behaviour == Behaviour::kReference) last = k;
    return fuel_of(boosters[last], now[last]);
  }
};

Mat3 rotation_in(const CsvTable& table, std::size_t row, const std::string& name) {
  Mat3 R = Mat3::identity();
  for (std::size_t c = 0; c < kCells.size(); ++c)
    R.m[c] = table.at(row, name + "_" + kCells[c], R.m[c]);
  return R;
}

/// Rotations come whole or not at all.
void expect_whole_rotations(const CsvTable& table, const std::string& name) {
  std::size_t given = 0;
  std::string missing;
  for (const char* cell : kCells) {
    if (table.find(name + "_" + cell) >= 0)
      ++given;
    else
      missing += (missing.empty() ? "" : ", ") + name + "_" + cell;
  }
  if (given != 0 && given != kCells.size())
    throw CsvError(table.name + ":1: a rotation needs nine columns; missing: " + missing);
}

}  // namespace

int trace_booster(const std::string& file, const std::string& input, double dt_s) {
  const auto boosters = vehicle::load_boosters(file);
  const std::size_t n = boosters.size();
  std::vector<std::string> required, optional{"t_s"};
  for (const auto& b : boosters) {
    required.insert(required.end(), {b.name + "_ignition", b.name + "_pwm"});
    optional.push_back(b.name + "_noise");
    for (const char* cell : kCells) optional.push_back(b.name + "_" + cell);
  }
  const CsvTable table = read_csv(input);
  table.expect(required, optional);

  CsvWriter out(stdout);
  std::vector<BoosterParams> params;
  std::vector<BoosterState> states(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& b = boosters[i];
    expect_whole_rotations(table, b.name);
    params.push_back(b.params);
    states[i].fuel_ratio = b.starting_fuel_ratio;
    header(out, b.name,
           {"lit", "throttle", "fuel_ratio", "thrust_N", "fx_N", "fy_N", "fz_N", "tank_mass_kg",
            "tank_ixx_kgm2", "tank_iyy_kgm2", "tank_izz_kgm2"});
  }
  out.end_row();

  Tanks tanks(boosters);
  std::vector<BoosterInput> in(n);
  std::vector<BoosterStep> done(n);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::string& name = boosters[i].name;
      in[i] = {table.at(row, name + "_ignition", 0), table.at(row, name + "_pwm", 0),
               table.at(row, name + "_noise", 0), rotation_in(table, row, name)};
    }
    step_all(params, tanks.of, states, tanks.params, tanks.states, in, {}, dt_s, done);
    for (std::size_t i = 0; i < n; ++i) {
      const MassProperties tank = tanks.of_booster(i, params, states);
      const Vec3 f = done[i].wrench_P.force;
      for (const double x :
           {states[i].lit, states[i].throttle, states[i].fuel_ratio, done[i].thrust_N, f.x, f.y,
            f.z, tank.mass_kg, tank.inertia_kgm2.x, tank.inertia_kgm2.y, tank.inertia_kgm2.z})
        out.cell(x);
    }
    out.end_row();
  }
  return kOk;
}

int trace_gimbal(const std::string& file, const std::string& input, double dt_s) {
  const auto gimbals = vehicle::load_gimbals(file);
  std::vector<std::string> required;
  for (const auto& g : gimbals) required.insert(required.end(), {g.name + "_1", g.name + "_2"});
  const CsvTable table = read_csv(input);
  table.expect(required, {"t_s"});

  CsvWriter out(stdout);
  for (const auto& g : gimbals)
    for (const char* cell : kCells) out.cell(g.name + "_" + cell);
  out.end_row();
  std::vector<GimbalState> states(gimbals.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < gimbals.size(); ++i) {
      const auto& g = gimbals[i];
      const GimbalInput in{table.at(row, g.name + "_1", 0), table.at(row, g.name + "_2", 0)};
      for (const double x : step(g.params, states[i], in, dt_s).m) out.cell(x);
    }
    out.end_row();
  }
  return kOk;
}

int trace_propeller(const std::string& file, const std::string& input, double dt_s) {
  const auto propellers = vehicle::load_propellers(file);
  std::vector<std::string> required, optional{"t_s"};
  for (const auto& p : propellers) {
    required.push_back(p.name + "_pwm");
    optional.push_back(p.name + "_noise");
  }
  const CsvTable table = read_csv(input);
  table.expect(required, optional);

  CsvWriter out(stdout);
  for (const auto& p : propellers)
    header(out, p.name, {"throttle", "rpm", "fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm"});
  out.end_row();
  std::vector<PropellerState> states(propellers.size());
  Ambient air;
  air.density_kg_m3 = 1.225;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < propellers.size(); ++i) {
      const auto& p = propellers[i];
      const PropellerInput in{table.at(row, p.name + "_pwm", 0),
                              table.at(row, p.name + "_noise", 0)};
      const PropellerStep done = step(p.params, states[i], in, air, {}, dt_s);
      out.cell(states[i].throttle);
      out.cell(done.rpm);
      wrench_cells(out, done.wrench_P);
    }
    out.end_row();
  }
  return kOk;
}

int trace_fin(const std::string& file, const std::string& input, double dt_s) {
  const auto fins = vehicle::load_fins(file);
  std::vector<std::string> required;
  for (const auto& f : fins)
    for (const char* c : {"_cmd", "_vx_m_s", "_vy_m_s", "_vz_m_s"}) required.push_back(f.name + c);
  const CsvTable table = read_csv(input);
  table.expect(required, {"t_s"});

  CsvWriter out(stdout);
  for (const auto& f : fins)
    header(out, f.name, {"actuation", "fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm"});
  out.end_row();
  std::vector<FinState> states(fins.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < fins.size(); ++i) {
      const std::string& name = fins[i].name;
      const Vec3 v{table.at(row, name + "_vx_m_s", 0), table.at(row, name + "_vy_m_s", 0),
                   table.at(row, name + "_vz_m_s", 0)};
      Ambient air;
      air.flow_P = -v;
      air.density_kg_m3 = 1.225;
      const Wrench w = step(fins[i].params, states[i], table.at(row, name + "_cmd", 0), air, dt_s);
      out.cell(states[i].actuation);
      wrench_cells(out, w);
    }
    out.end_row();
  }
  return kOk;
}

int trace_jet(const std::string& file, const std::string& input, const JetTraceOptions& options) {
  auto jets = vehicle::load_jets(file);
  std::vector<std::string> required;
  required.reserve(jets.size());
  for (const auto& j : jets) required.push_back(j.name);
  const auto expect_each = [&](const std::vector<double>& values, const char* option) {
    if (!values.empty() && values.size() != jets.size())
      throw CsvError(std::string(option) + ": expected " + std::to_string(jets.size()) +
                     " numbers, one per jet, got " + std::to_string(values.size()));
  };
  expect_each(options.initial_thrust, "--initial-thrust");
  expect_each(options.initial_rate, "--initial-rate");

  std::vector<JetState> states;
  for (std::size_t i = 0; i < jets.size(); ++i) {
    JetParams& p = jets[i].params;
    if (const auto m = enum_table<JetModel>().value_of(options.model); m)
      p.model = static_cast<JetModel>(*m);
    for (const Finding& f : check(p))
      if (f.is_error)
        throw CsvError(file + ": " + jets[i].name + ": " + f.path + ": " + f.message + "\n  " +
                       f.fix);
    JetState s = initial_state(p);
    // a thrust to begin with is that of a running engine
    if (!options.initial_thrust.empty()) {
      s.thrust_N = options.initial_thrust[i];
      s.phase = JetPhase::kRunning;
    }
    if (!options.initial_rate.empty()) s.rate_N_s = options.initial_rate[i];
    states.push_back(s);
  }
  const CsvTable table = read_csv(input);
  table.expect(required, {"t_s"});

  CsvWriter out(stdout);
  for (const auto& j : jets) header(out, j.name, {"thrust_N", "thrust_rate_N_s"});
  out.end_row();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < jets.size(); ++i) {
      const JetStep done =
          step(jets[i].params, states[i], {table.at(row, jets[i].name, 0)}, {}, {}, options.dt_s);
      out.cell(done.thrust_N);
      out.cell(done.rate_N_s);
    }
    out.end_row();
  }
  return kOk;
}

}  // namespace pintle::app
