#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "hover.h"
#include "matrix_worst_case.h"
#include "pintle/allocation/failures.h"
#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/craft/load.h"
#include "pintle/vehicle/effectiveness.h"
#include "printed.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct MatrixArguments {
  std::string file;
  bool pinv = false, json = false, write = false, faults = false, hover = false;
  bool worst_case = false;
  long parts = 100'000'000;
};

std::string as_json(const vehicle::Vehicle& v, const vehicle::MatrixReport& r,
                    const craft::HoverReport* hover) {
  nlohmann::ordered_json j;
  j["vehicle"] = v.name;
  j["unit"] = v.unit.normalised ? "normalised" : "N";
  j["axes"] = nlohmann::ordered_json::array();
  for (std::string_view axis : kAxisNames) j["axes"].push_back(std::string(axis));
  j["channels"] = nlohmann::ordered_json::array();
  for (const std::string& name : v.channel_names()) j["channels"].push_back(name);
  j["matrix"] = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < kAxes; ++row) {
    nlohmann::ordered_json line = nlohmann::ordered_json::array();
    for (const Vec6& column : r.columns) line.push_back(column[row]);
    j["matrix"].push_back(line);
  }
  j["pinv"] = nlohmann::ordered_json::array();
  for (const Vec6& row : r.pinv_rows) j["pinv"].push_back(row.v);
  j["rank"] = r.rank;
  j["singular_values"] = r.singular_values;
  j["attainable_positive"] = r.attainable_positive.v;
  j["attainable_negative"] = r.attainable_negative.v;
  if (hover != nullptr) j["hover"] = hover_json(v, *hover);
  return printed(j);
}

int write(const vehicle::VehicleSpec& spec, const std::string& path) {
  const vehicle::MatrixFiles files = vehicle::write_matrices(spec, path);
  if (files.matrix.path.empty() && files.pinv.path.empty()) {
    fmt::print(stderr, "{}: names no wrench matrix files: nothing written\n", path);
    return kConfiguration;
  }
  bool all = true;
  for (const vehicle::MatrixFile& f : {files.matrix, files.pinv}) {
    if (f.path.empty()) continue;
    fmt::print("{}\n", f.path.string());
    if (!f.saved) fmt::print(stderr, "{}\n", f.reason);
    all = all && f.saved;
  }
  return all ? kOk : kRunTimeFault;
}

std::string names_out(const std::vector<std::string>& channels, const allocation::FailureCase& c) {
  std::string names;
  for (const int i : {c.first, c.second})
    if (i >= 0) names += (names.empty() ? "" : " + ") + channels[static_cast<std::size_t>(i)];
  return names.empty() ? "nothing" : names;
}

/// What is left of each axis of the whole vehicle, and which axes are gone.
std::string faults_table(const vehicle::Vehicle& v,
                         const std::vector<allocation::FailureCase>& cases) {
  const allocation::FailureCase& whole = cases.front();
  const std::vector<std::string> channels = v.channel_names();
  std::size_t width = 7;
  for (const auto& c : cases) width = std::max(width, names_out(channels, c).size());
  std::string out = fmt::format("{:<{}}", "out", width);
  for (const std::string_view axis : kAxisNames) out += fmt::format("{:>9}", axis);
  out += "   lost\n";
  std::size_t pairs = 0, singles = 0, pairs_whole = 0, singles_whole = 0;
  for (const auto& c : cases) {
    std::string line = fmt::format("{:<{}}", names_out(channels, c), width);
    std::string lost;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool had = (whole.kept & axis_bit(k)) != 0;
      const bool has = (c.kept & axis_bit(k)) != 0;
      if (!had)
        line += fmt::format("{:>9}", "-");
      else if (c.first < 0)
        line += fmt::format("{:>9.4g}", c.reach[k]);
      else if (has)
        line += fmt::format("{:>7.0f} %", 100 * c.reach[k] / whole.reach[k]);
      else
        line += fmt::format("{:>9}", "lost");
      if (had && !has) lost += (lost.empty() ? "" : ", ") + std::string(kAxisNames[k]);
    }
    (c.second >= 0 ? pairs : singles) += c.first >= 0 ? 1 : 0;
    (c.second >= 0 ? pairs_whole : singles_whole) += c.first >= 0 && lost.empty() ? 1 : 0;
    if (!lost.empty()) line += "   " + lost;
    out += line + "\n";
  }
  const std::string unit = v.unit.normalised ? "in the vehicle's normalised unit" : "in N and Nm";
  return out +
         fmt::format(
             "\nFirst row: the most along each axis, either way, with the other axes at zero, "
             "{}.\nBelow: how much of it is left. {} of {} single failures and {} of {} pairs "
             "keep every axis.\n",
             unit, singles_whole, singles, pairs_whole, pairs);
}

std::string faults_json(const vehicle::Vehicle& v,
                        const std::vector<allocation::FailureCase>& cases) {
  nlohmann::ordered_json j;
  j["vehicle"] = v.name;
  j["unit"] = v.unit.normalised ? "normalised" : "N";
  j["axes"] = kAxisNames;
  const std::vector<std::string> channels = v.channel_names();
  for (const auto& c : cases) {
    nlohmann::ordered_json one;
    one["out"] = nlohmann::ordered_json::array();
    for (const int i : {c.first, c.second})
      if (i >= 0) one["out"].push_back(channels[static_cast<std::size_t>(i)]);
    one["kept"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < kAxes; ++k)
      if ((c.kept & axis_bit(k)) != 0) one["kept"].push_back(std::string(kAxisNames[k]));
    one["reach"] = c.reach.v;
    j["cases"].push_back(one);
  }
  return printed(j);
}

int matrix(const MatrixArguments& a) {
  std::vector<config::Problem> warnings;
  const craft::VehicleFile file = craft::load_vehicle(a.file, &warnings);
  fmt::print(stderr, "{}", config::to_string(warnings));
  const vehicle::Vehicle v = vehicle::build(file.vehicle);
  if (a.faults) {
    const auto cases = allocation::failure_cases(vehicle::effectiveness_of(v));
    fmt::print("{}", a.json ? faults_json(v, cases) + "\n" : faults_table(v, cases));
    return kOk;
  }
  if (a.worst_case) {
    fmt::print("{}", worst_case_report(v, file, a.json, a.parts));
    return kOk;
  }
  std::optional<craft::HoverReport> hover;
  const auto carries_itself = [](const control::LawTraits& t) { return t.carries_itself(); };
  if (carries_itself(control::traits(file.laws.law))) hover = craft::hover_of(file);
  if (a.hover && !hover)
    throw CLI::ValidationError("--hover",
                               "is for craft with  law: " + control::names_of_laws(carries_itself));
  const int code = a.hover && !hover->hovers() ? kCheckFailed : kOk;
  if (a.hover && !a.json) {
    fmt::print("{}", hover_words(v, *hover));
    return code;
  }
  const vehicle::MatrixReport report = vehicle::analyse(v);
  if (a.write) return write(file.vehicle, a.file);
  if (a.json)
    fmt::print("{}\n", as_json(v, report, hover ? &*hover : nullptr));
  else
    fmt::print("{}", a.pinv ? vehicle::pinv_csv(report) : vehicle::matrix_csv(report));
  return code;
}

}  // namespace

void add_matrix(CLI::App& app, Session& session) {
  auto a = std::make_shared<MatrixArguments>();
  CLI::App* verb = app.add_subcommand(
      "matrix", "Effectiveness matrix of a vehicle, its pseudo-inverse, rank and reach.");
  verb->add_option("vehicle", a->file, "Vehicle file, or a Duke or SubjuGator file")->required();
  CLI::Option* pinv = verb->add_flag("--pinv", a->pinv, "The pseudo-inverse instead");
  verb->add_flag("--json", a->json, "Everything, with names");
  CLI::Option* faults =
      verb->add_flag("--faults", a->faults,
                     "Which axes are left, and how much, with each propulsor and each pair out");
  CLI::Option* hover =
      verb->add_flag("--hover", a->hover,
                     "The efforts that carry its weight, and the room to their limits; exit 1 if "
                     "it cannot hover");
  CLI::Option* write =
      verb->add_flag("--write", a->write, "Write both CSV files to the paths in the vehicle file");
  CLI::Option* worst_case =
      verb->add_flag("--worst-case", a->worst_case,
                     "The most steps of the allocation for any demand, whole and with each channel "
                     "and each pair out: proved up to eight channels, and found; takes minutes");
  for (CLI::Option* other : {pinv, faults, hover, write}) worst_case->excludes(other);
  verb->add_option("--parts", a->parts, "With --worst-case: so many parts of the demands a case")
      ->needs(worst_case)
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->capture_default_str();
  verb->footer(
      "Examples:\n"
      "  pintle matrix vehicles/oogway.yaml\n"
      "  pintle matrix vehicles/oogway.yaml --json | jq .singular_values\n"
      "  pintle matrix vehicles/oogway.yaml --faults\n"
      "  pintle matrix vehicles/ironcub_body.yaml --hover\n"
      "  pintle matrix vehicles/harbour_launch.yaml --worst-case\n"
      "Six rows (x, y, z, roll, pitch, yaw), one column a channel, 10 decimals, no header.");
  verb->callback([a, &session] { session.exit_code = matrix(*a); });
}

}  // namespace pintle::app
