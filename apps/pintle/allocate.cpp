#include "pintle/allocation/allocator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "csv.h"
#include "explain_wrench.h"
#include "pintle/config/reader.h"
#include "pintle/stack/load.h"
#include "pintle/vehicle/effectiveness.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct Arguments {
  std::string file, input, wrench, failed;
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

/// One a channel; a propulsor is out with all of its channels.
FixedVector<PropulsorHealth, kMaxChannels> health_of(const vehicle::Vehicle& v,
                                                     const std::string& failed) {
  FixedVector<PropulsorHealth, kMaxChannels> health(v.channels());
  const std::vector<std::size_t> owner = v.channel_owners();
  for (const std::string& name : split_names(failed)) {
    const int i = v.index_of(name);
    if (i < 0) {
      std::vector<std::string_view> known;
      for (const auto& p : v.propulsors) known.push_back(p.name);
      const std::string near = config::did_you_mean(name, known);
      throw CLI::ValidationError("--failed",
                                 "the vehicle has no propulsor \"" + name + "\"" +
                                     (near.empty() ? "" : ", did you mean " + near + "?"));
    }
    for (std::size_t c = 0; c < owner.size(); ++c)
      if (owner[c] == static_cast<std::size_t>(i)) health[c].health = Health::kOut;
  }
  return health;
}

std::vector<Vec6> wrenches_of(const Arguments& a, const std::array<const char*, 6>& names) {
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

int allocate(const Arguments& a) {
  std::vector<config::Problem> warnings;
  const stack::VehicleFile file = stack::load_vehicle(a.file, &warnings);
  fmt::print(stderr, "{}", config::to_string(warnings));
  const vehicle::Vehicle v = vehicle::build(file.vehicle);
  const Effectiveness e = vehicle::effectiveness_of(v);
  const auto health = health_of(v, a.failed);
  const std::vector<std::string> channels = v.channel_names();
  const auto& names = v.unit.normalised ? kPlainColumns : kSiColumns;
  const std::vector<Vec6> wrenches = wrenches_of(a, names);
  allocation::Settings settings;
  settings.objective = allocation::resolved(file.allocation);

  CsvWriter out(stdout);
  if (!a.explain && !a.json) {
    for (const std::string& name : channels) out.cell(name);
    for (const char* name : names) out.cell(std::string("achieved_") + name);
    out.cell("residual_norm").cell("grade").cell("iterations").end_row();
  }
  bool all_usable = true;
  for (const Vec6& w : wrenches) {
    WrenchDemand demand;
    demand.F_Bo_B = to_wrench(w);
    demand.weight = file.control.weight;
    demand.group = file.control.group;
    Allocation r;
    allocation::allocate(settings, e, demand, health.data(), r);
    all_usable = all_usable && r.grade != AllocationGrade::kRejected;
    if (a.explain) {
      const auto why = allocation::explain(settings, e, demand, health.data(), r);
      const Told told{v, names, demand, r, why, settings.objective.r()};
      if (a.json)
        fmt::print("{}\n", as_json(told));
      else
        fmt::print("{}{}", &w == wrenches.data() ? "" : "\n", as_words(told));
      continue;
    }
    const Vec6 achieved = to_vec6(r.achieved);
    const double missing = norm(to_vec6(r.residual));
    if (a.json) {
      std::string line = "{";
      for (std::size_t i = 0; i < channels.size(); ++i)
        line += fmt::format("\"{}\":{},", channels[i], config::shortest(r.effort[i]));
      for (std::size_t i = 0; i < 6; ++i)
        line += fmt::format("\"achieved_{}\":{},", names[i], config::shortest(achieved[i]));
      fmt::print("{}\"residual_norm\":{},\"grade\":\"{}\",\"iterations\":{}}}\n", line,
                 std::isfinite(missing) ? config::shortest(missing) : "null", to_string(r.grade),
                 r.iterations);
      continue;
    }
    for (std::size_t i = 0; i < channels.size(); ++i) out.cell(r.effort[i]);
    for (std::size_t i = 0; i < 6; ++i) out.cell(achieved[i]);
    out.cell(missing).cell(to_string(r.grade)).cell(static_cast<double>(r.iterations)).end_row();
  }
  return all_usable ? kOk : kCheckFailed;
}

}  // namespace

void add_allocate(CLI::App& app, Session& session) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("allocate", "Wrenches in, efforts out.");
  verb->add_option("vehicle", a->file, "Vehicle file, or a Duke or SubjuGator file")->required();
  verb->add_option("-i,--input", a->input, "CSV of wrenches (default: stdin)");
  verb->add_option("-w,--wrench", a->wrench, "One wrench: six numbers with commas");
  verb->add_option("--failed", a->failed,
                   "Propulsors that are out, with commas between their names");
  verb->add_flag("--explain", a->explain,
                 "Tables and words for each wrench: shares, limits, prices, margin, proof; "
                 "with --json one object a line");
  verb->add_flag("--json", a->json, "JSON lines instead of CSV");
  verb->footer(
      "Examples:\n"
      "  pintle allocate vehicles/oogway.yaml --wrench 0.5,0,0,0,0,0.2 --explain\n"
      "  pintle allocate vehicles/subjugator8.yaml --failed FLH,BRV < wrenches.csv > thrusts.csv\n"
      "Columns in: fx_N,fy_N,fz_N,tx_Nm,ty_Nm,tz_Nm; without units where the vehicle is "
      "normalised.\n"
      "Exit codes: 0 ok, 1 a wrench was not finite and was answered with the safe efforts, 3 a "
      "file is wrong.");
  verb->callback([a, &session] { session.exit_code = allocate(*a); });
}

}  // namespace pintle::app
