// Any bytes as a whole file: a vehicle of ours, of Duke's or of SubjuGator's, a mission, a world, a list of propulsors, or one of
// the files of the `jet` package. Nothing but ConfigError leaves, each problem says where and what it is, and of what is
// taken a model can be built. Files that it names are shipped ones: vision_files_fuzz has those of a camera.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/vehicle/jet_files.h"
#include "pintle/vehicle/propulsor_list.h"

using namespace pintle;

namespace {

void expect_said(const std::vector<config::Problem>& problems) {
  for (const auto& p : problems) {
    // how many more there are stands nowhere
    if (p.message.ends_with(" more errors are not listed")) continue;
    if (p.where.line < 1 || p.message.empty()) std::abort();
  }
}

/// The file as what it is; its warnings.
std::vector<config::Problem> taken(const config::Document& document) {
  static const auto vehicle =
      config::Document::load(PINTLE_SOURCE_DIR "/vehicles/bluerov2_heavy.yaml");
  static const auto world = config::Document::load(PINTLE_SOURCE_DIR "/worlds/still_water.yaml");
  if (vehicle::is_propulsor_list(document)) return vehicle::check_propulsor_list(document);
  const craft::FileSource open = [&](const std::filesystem::path& path) {
    if (path == "fuzz.yaml") return document;
    return path.stem() == "world" ? world : vehicle;
  };
  std::vector<config::Problem> warnings;
  switch (craft::kind_of(document)) {
    case craft::FileKind::kVehicle: {
      const auto file = craft::load_vehicle("fuzz.yaml", &warnings, open);
      (void)std::make_unique<craft::Model>(craft::build_model(file, nullptr));
      break;
    }
    case craft::FileKind::kMission: {
      const auto file = craft::load_mission("fuzz.yaml", open);
      (void)std::make_unique<craft::Model>(craft::build_model(file.vehicle, &file.mission));
      warnings = file.warnings;
      break;
    }
    case craft::FileKind::kWorld: (void)craft::load_world("fuzz.yaml", &warnings, open); break;
  }
  return warnings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20'000) return 0;
  try {
    const auto document = config::Document::parse(
        std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
    for (std::size_t i = 0; i < vehicle::kJetFiles; ++i) {
      config::Reader reader(document);
      vehicle::JetParameters jet;
      vehicle::read_jet_file(reader, document, static_cast<vehicle::JetFile>(i), jet);
      expect_said(reader.problems());
    }
    expect_said(taken(document));
  } catch (const config::ConfigError& e) {
    expect_said(e.problems());
  }
  return 0;
}
