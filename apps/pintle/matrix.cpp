#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/stack/load.h"
#include "pintle/vehicle/effectiveness.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct Arguments {
  std::string file;
  bool pinv = false, json = false, write = false;
};

std::string as_json(const vehicle::Vehicle& v, const vehicle::MatrixReport& r) {
  nlohmann::ordered_json j;
  j["vehicle"] = v.name;
  j["unit"] = v.unit.normalised ? "normalised" : "N";
  j["axes"] = nlohmann::ordered_json::array();
  for (std::string_view axis : kAxisNames) j["axes"].push_back(std::string(axis));
  j["channels"] = nlohmann::ordered_json::array();
  for (const vehicle::Propulsor& p : v.propulsors) j["channels"].push_back(p.name);
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
  return j.dump();
}

int write(const vehicle::VehicleSpec& spec, const std::string& path) {
  const vehicle::MatrixFiles files = vehicle::write_matrices(spec, path);
  bool all = true;
  for (const vehicle::MatrixFile& f : {files.matrix, files.pinv}) {
    if (f.path.empty()) {
      fmt::print(stderr, "{}: names no wrench matrix files: nothing written\n", path);
      return kConfiguration;
    }
    fmt::print("{}\n", f.path.string());
    if (!f.saved) fmt::print(stderr, "{}\n", f.reason);
    all = all && f.saved;
  }
  return all ? kOk : kRunTimeFault;
}

int matrix(const Arguments& a) {
  std::vector<config::Problem> warnings;
  const stack::VehicleFile file = stack::load_vehicle(a.file, &warnings);
  fmt::print(stderr, "{}", config::to_string(warnings));
  const vehicle::Vehicle v = vehicle::build(file.vehicle);
  const vehicle::MatrixReport report = vehicle::analyse(v);
  if (a.write) return write(file.vehicle, a.file);
  if (a.json)
    fmt::print("{}\n", as_json(v, report));
  else
    fmt::print("{}", a.pinv ? vehicle::pinv_csv(report) : vehicle::matrix_csv(report));
  return kOk;
}

}  // namespace

void add_matrix(CLI::App& app, Session& session) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "matrix", "Effectiveness matrix of a vehicle, its pseudo-inverse, rank and reach.");
  verb->add_option("vehicle", a->file, "Vehicle file, or a Duke or SubjuGator file")->required();
  verb->add_flag("--pinv", a->pinv, "The pseudo-inverse instead");
  verb->add_flag("--json", a->json, "Everything, with names");
  verb->add_flag("--write", a->write, "Write both CSV files to the paths in the vehicle file");
  verb->footer(
      "Examples:\n"
      "  pintle matrix vehicles/oogway.yaml\n"
      "  pintle matrix vehicles/oogway.yaml --json | jq .singular_values\n"
      "Six rows (x, y, z, roll, pitch, yaw), one column a channel, 10 decimals, no header.");
  verb->callback([a, &session] { session.exit_code = matrix(*a); });
}

}  // namespace pintle::app
