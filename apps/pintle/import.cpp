#include <fmt/core.h>

#include "import_mjcf.h"
#include "import_sdf.h"
#include "model_file.h"
#include "out_file.h"
#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/craft/load.h"
#include "pintle/vehicle/jet_craft.h"
#include "pintle/vehicle/urdf.h"
#include "verbs.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::string file, out, jets, model = "first_order";
  bool overwrite = false;
  std::vector<std::string> model_path;
};

ModelFormat format_of(const fs::path& file) {
  if (const auto format = model_format(file)) return *format;
  throw config::ConfigError(
      config::Problem{{file.string(), 1, 1},
                      "",
                      "expected an .ini of the jets plugin, or a robot in SDF, URDF or MJCF",
                      "name a file that ends in .ini, or whose first element is <sdf>, <robot> or "
                      "<mujoco>",
                      true});
}

propulsion::JetModel model_of(const std::string& name) {
  const auto value = enum_table<propulsion::JetModel>().value_of(name);
  if (!value)
    throw CLI::ValidationError("--model",
                               "expected first_order, nonlinear or direct, got \"" + name + "\"");
  return static_cast<propulsion::JetModel>(*value);
}

/// Everything that was read, and whose warnings come first.
struct Read {
  fs::path model_file;
  std::optional<vehicle::Structure> structure;
  std::optional<vehicle::JetsIni> jets;
  std::vector<config::Problem> warnings;
};

Read read(const ImportArguments& a) {
  Read in;
  const fs::path file = a.file;
  const ModelFormat format = format_of(file);
  if (format == ModelFormat::kJets && !a.jets.empty())
    throw CLI::ValidationError("--jets", "goes with a model, and this is an .ini: name the model");
  if (format == ModelFormat::kJets) {
    in.jets = vehicle::load_jets_ini(file);
  } else if (format == ModelFormat::kUrdf) {
    vehicle::UrdfModel urdf = vehicle::load_urdf(file);
    in.structure = std::move(urdf.structure);
    in.warnings = std::move(urdf.warnings);
  } else if (format == ModelFormat::kMjcf) {
    MjcfCraft mjcf = read_mjcf(file);
    in.structure = std::move(mjcf.structure);
    in.warnings = std::move(mjcf.warnings);
  } else {
    SdfCraft sdf = read_sdf(file, a.jets.empty(), {a.model_path.begin(), a.model_path.end()});
    in.structure = std::move(sdf.structure);
    in.jets = std::move(sdf.jets);
    in.warnings = std::move(sdf.warnings);
  }
  if (!a.jets.empty())
    in.jets = vehicle::load_jets_ini(a.jets, in.structure ? in.structure->name : "");
  if (in.structure) in.model_file = file;
  if (in.jets)
    in.warnings.insert(in.warnings.end(), in.jets->warnings.begin(), in.jets->warnings.end());
  return in;
}

int import_file(const ImportArguments& a) {
  const propulsion::JetModel model = model_of(a.model);
  if (!a.out.empty()) expect_free(a.out, a.overwrite, {a.file, a.jets});
  const Read in = read(a);
  // what the model's plugin names is read too
  if (!a.out.empty() && in.jets) expect_free(a.out, a.overwrite, {in.jets->file.string()});
  const vehicle::ImportedVehicle made =
      vehicle::import_jet_craft({in.model_file, in.structure ? &*in.structure : nullptr,
                                 in.jets ? &*in.jets : nullptr, model},
                                to_string(control::inner_law()));
  fmt::print(stderr, "{}{}", config::to_string(in.warnings), config::to_string(made.warnings));

  // what is written must be what `pintle check` takes
  const std::string name = a.out.empty() ? "imported.yaml" : a.out;
  const craft::FileSource from_memory = [&](const fs::path&) {
    return config::Document::parse(made.text, name);
  };
  (void)craft::load_vehicle(name, nullptr, from_memory);

  if (a.out.empty()) {
    fmt::print("{}", made.text);
    return kOk;
  }
  const config::SaveResult saved = config::save_atomically(a.out, made.text);
  if (!saved.saved) {
    fmt::print(stderr, "pintle: {}\n", saved.reason);
    return kRunTimeFault;
  }
  fmt::print("{}\n", a.out);
  return kOk;
}

}  // namespace

void add_import(CLI::App& app, Session& session) {
  auto a = std::make_shared<ImportArguments>();
  CLI::App* verb = app.add_subcommand(
      "import", "A vehicle file from the jets plugin's .ini, from SDF, URDF or MJCF.");
  verb->add_option("file", a->file, "An .ini of the jets plugin, a model in SDF, URDF or MJCF")
      ->required();
  verb->add_option("-o,--out", a->out, "Vehicle file to write (default: stdout)");
  verb->add_flag("--overwrite", a->overwrite, "Replace the file");
  verb->add_option("--jets", a->jets,
                   "The .ini whose jets sit on links of the model; an SDF model's plugin names its "
                   "own");
  verb->add_option("--model", a->model, "Of the thrust: first_order (default), nonlinear, direct");
  verb->add_option("--model-path", a->model_path,
                   "Folders in which model:// and package:// are looked for, before those of the "
                   "environment")
      ->allow_extra_args(false);
  verb->footer(
      "Examples:\n"
      "  pintle import flying_box/model.sdf --out vehicles/my_box.yaml\n"
      "  pintle import robot.urdf --jets jets.ini --out vehicles/my_robot.yaml\n"
      "Warnings say what the file cannot know: fill it in, then  pintle check  and\n"
      "pintle matrix --hover.\n"
      "Exit codes: 0 ok, 2 --out exists or is read, 3 the file is wrong, with line and fix,\n"
      "4 it could not be written.");
  verb->callback([a, &session] { session.exit_code = import_file(*a); });
}

}  // namespace pintle::app
