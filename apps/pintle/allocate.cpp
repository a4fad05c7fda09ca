#include "pintle/allocation/allocator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "csv.h"
#include "explain_wrench.h"
#include "pintle/allocation/power.h"
#include "pintle/allocation/prepared.h"
#include "pintle/config/reader.h"
#include "pintle/craft/load.h"
#include "pintle/vehicle/effectiveness.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct AllocateArguments {
  std::string file, input, wrench, failed;
  double bus_V = 16;
  bool explain = false, json = false;
};

constexpr std::array<const char*, 6> kSiColumns{"fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm"};
constexpr std::array<const char*, 6> kPlainColumns{"fx", "fy", "fz", "tx", "ty", "tz"};

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) names.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// What follows the = of NAME=HOW, or nothing.
PropulsorHealth how_failed(const std::string& how) {
  if (how.empty() || how == "out") return {Health::kOut, 1, 0};
  if (how == "reversed") return {Health::kReversed, 1, 0};
  const std::size_t colon = how.find(':');
  const std::string kind = how.substr(0, colon);
  const auto value = config::parse_number(colon == std::string::npos ? "" : how.substr(colon + 1));
  if (kind == "stuck" && value && std::isfinite(*value)) return {Health::kStuck, 1, *value};
  if (kind == "weak" && value && *value >= 0 && *value <= 1) return {Health::kWeak, *value, 0};
  throw CLI::ValidationError("--failed", "\"" + how +
                                             "\": expected out, reversed, stuck:EFFORT or "
                                             "weak:SHARE with a share of 0 to 1");
}

/// One a channel.
FixedVector<PropulsorHealth, kMaxChannels> health_of(const vehicle::Vehicle& v,
                                                     const std::string& failed) {
  std::vector<PropulsorHealth> of_propulsor(v.propulsors.size());
  for (const std::string& item : split_names(failed)) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string name = item.substr(0, equals);
    const int i = v.index_of(name);
    if (i < 0) {
      std::vector<std::string_view> known;
      for (const auto& p : v.propulsors) known.push_back(p.name);
      const std::string near = config::did_you_mean(name, known);
      throw CLI::ValidationError("--failed",
                                 "the vehicle has no propulsor \"" + name + "\"" +
                                     (near.empty() ? "" : ", did you mean " + near + "?"));
    }
    of_propulsor[static_cast<std::size_t>(i)] =
        how_failed(item.substr(std::min(equals + 1, item.size())));
  }
  FixedVector<PropulsorHealth, kMaxChannels> health;
  for (const std::size_t owner : v.channel_owners()) health.push_back(of_propulsor[owner]);
  return health;
}

std::vector<Vec6> wrenches_of(const AllocateArguments& a, const std::array<const char*, 6>& names) {
  std::vector<Vec6> wrenches;
  if (!a.wrench.empty()) {
    Vec6 w;
    const std::vector<std::string> cells = split_names(a.wrench);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, cells.size()); ++i) {
      const auto x = config::parse_number(cells[i]);
      if (!x) throw CLI::ValidationError("--wrench", "expected a number, got " + cells[i]);
      w[i] = *x;
    }
    if (cells.size() != 6)
      throw CLI::ValidationError("--wrench", "expected six numbers with commas: 0,0,40,0,0,2");
    wrenches.push_back(w);
    return wrenches;
  }
  const CsvTable table = read_csv(a.input);
  table.expect({names.begin(), names.end()}, {"t_s"});
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    Vec6 w;
    for (std::size_t i = 0; i < 6; ++i) w[i] = table.at(row, names[i], 0);
    wrenches.push_back(w);
  }
  return wrenches;
}

/// What does not change from wrench to wrench.
struct Setup {
  const std::array<const char*, 6>& columns;
  std::vector<std::string> channels;
  Effectiveness effectiveness;
  FixedVector<PropulsorHealth, kMaxChannels> health;
  allocation::Settings settings;
  allocation::PowerModel power;
  double allowed_W = 0;
  allocation::Prepared prepared;
};

Told answer(const vehicle::Vehicle& v, const craft::VehicleFile& file, Setup& s, const Vec6& wrench,
            Allocation& r) {
  WrenchDemand demand = control::priorities(control::selected(file.laws));
  demand.F_Bo_B = to_wrench(wrench);
  Told told{v, s.columns, s.channels, demand, {}, {}, s.settings.objective.r(), {}, {}};
  if (s.power.is_modelled()) {
    told.power.modelled = true;
    told.power.allowed_W = s.allowed_W;
    told.power.capped = allocation::allocate_within(s.power, s.allowed_W, s.prepared, s.settings,
                                                    s.effectiveness, demand, s.health.data(), r);
    told.power.drawn_W = allocation::power_of(s.power, s.health.data(), r.effort);
  } else {
    allocation::allocate(s.prepared, s.settings, s.effectiveness, demand, s.health.data(), r);
  }
  told.answer = r;
  if (r.grade == AllocationGrade::kRejected)
    told.refusal = refusal_of(s.settings, s.effectiveness, demand, s.health.data(), told);
  return told;
}

void print_json(const Told& t) {
  const Vec6 achieved = to_vec6(t.answer.achieved);
  const double missing = norm(to_vec6(t.answer.residual));
  std::string line = "{";
  for (std::size_t i = 0; i < t.channels.size(); ++i)
    line += fmt::format("\"{}\":{},", t.channels[i], config::shortest(t.answer.effort[i]));
  for (std::size_t i = 0; i < 6; ++i)
    line += fmt::format("\"achieved_{}\":{},", t.columns[i], config::shortest(achieved[i]));
  if (!t.refusal.words.empty())
    line += fmt::format("\"refused\":\"{}\",\"refused_value\":\"{}\",", t.refusal.code,
                        t.refusal.subject);
  fmt::print("{}\"residual_norm\":{},\"grade\":\"{}\",\"iterations\":{}}}\n", line,
             std::isfinite(missing) ? config::shortest(missing) : "null", to_string(t.answer.grade),
             t.answer.iterations);
}

int allocate(const AllocateArguments& a) {
  std::vector<config::Problem> warnings;
  const craft::VehicleFile file = craft::load_vehicle(a.file, &warnings);
  fmt::print(stderr, "{}", config::to_string(warnings));
  const vehicle::Vehicle v = vehicle::build(file.vehicle);
  Setup s{v.unit.normalised ? kPlainColumns : kSiColumns,
          v.channel_names(),
          vehicle::effectiveness_of(v),
          health_of(v, a.failed),
          {},
          {},
          0,
          {}};
  s.settings.objective = allocation::resolved(file.allocation);
  s.settings.drop_traces =
      control::behaviour(control::selected(file.laws)) == control::Behaviour::kSafe;
  s.power = allocation::power_model(file.power, s.effectiveness);
  s.allowed_W = allocation::allowed_power(file.power, a.bus_V);
  const std::vector<Vec6> wrenches = wrenches_of(a, s.columns);

  CsvWriter out(stdout);
  if (!a.explain && !a.json) {
    for (const std::string& channel : s.channels) out.cell(channel);
    for (const char* name : s.columns) out.cell(std::string("achieved_") + name);
    out.cell("residual_norm").cell("grade").cell("iterations").end_row();
  }
  bool all_usable = true;
  for (const Vec6& w : wrenches) {
    Allocation r;
    Told told = answer(v, file, s, w, r);
    if (!told.refusal.words.empty()) {
      all_usable = false;
      fmt::print(stderr, "wrench {}: {}\n", &w - wrenches.data() + 1, told.refusal.words);
    }
    if (a.explain) {
      told.why = allocation::explain(s.settings, s.effectiveness, told.demand, s.health.data(), r);
      if (a.json)
        fmt::print("{}\n", as_json(told));
      else
        fmt::print("{}{}", &w == wrenches.data() ? "" : "\n", as_words(told));
    } else if (a.json) {
      print_json(told);
    } else {
      const Vec6 achieved = to_vec6(r.achieved);
      for (std::size_t i = 0; i < s.channels.size(); ++i) out.cell(r.effort[i]);
      for (std::size_t i = 0; i < 6; ++i) out.cell(achieved[i]);
      out.cell(norm(to_vec6(r.residual))).cell(to_string(r.grade));
      out.cell(static_cast<double>(r.iterations)).end_row();
    }
  }
  return all_usable ? kOk : kCheckFailed;
}

}  // namespace

void add_allocate(CLI::App& app, Session& session) {
  auto a = std::make_shared<AllocateArguments>();
  CLI::App* verb = app.add_subcommand("allocate", "Wrenches in, efforts out.");
  verb->add_option("vehicle", a->file, "Vehicle file, or a Duke or SubjuGator file")->required();
  verb->add_option("-i,--input", a->input, "CSV of wrenches (default: stdin)");
  verb->add_option("-w,--wrench", a->wrench, "One wrench: six numbers with commas");
  verb->add_option("--failed", a->failed,
                   "Propulsors that fail, with commas: NAME (or NAME=out), NAME=reversed, "
                   "NAME=stuck:EFFORT, NAME=weak:SHARE");
  verb->add_option("--bus-v", a->bus_V, "Bus voltage, for a cap on current under power: (16)")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--explain", a->explain,
                 "Tables and words for each wrench: shares, limits, prices, margin, proof; "
                 "with --json one object a line");
  verb->add_flag("--json", a->json, "JSON lines instead of CSV");
  verb->footer(
      "Examples:\n"
      "  pintle allocate vehicles/oogway.yaml --wrench 0.5,0,0,0,0,0.2 --explain\n"
      "  pintle allocate vehicles/subjugator8.yaml --failed FLH,BRV < wrenches.csv > thrusts.csv\n"
      "  pintle allocate vehicles/subjugator8.yaml --failed FLH=stuck:10,BRV=weak:0.5 -w "
      "10,0,0,0,0,0\n"
      "Columns in: fx_N,fy_N,fz_N,tx_Nm,ty_Nm,tz_Nm; without units where the vehicle is "
      "normalised.\n"
      "Exit codes: 0 ok, 1 a wrench was refused (stderr says why) and answered with the safe "
      "efforts, 3 a file is wrong.");
  verb->callback([a, &session] { session.exit_code = allocate(*a); });
}

}  // namespace pintle::app
