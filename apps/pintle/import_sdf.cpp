#include "import_sdf.h"

#ifdef PINTLE_HAS_SDF
#include "pintle/sdformat/sdf_model.h"

namespace pintle::app {

SdfCraft read_sdf(const std::filesystem::path& file, bool with_plugin,
                  const std::vector<std::filesystem::path>& folders) {
  sdformat::SdfModel model = sdformat::load_sdf(file, folders);
  SdfCraft out;
  if (with_plugin && !model.plugins.empty())
    out.jets = sdformat::load_plugin_jets(model, file, folders);
  out.structure = std::move(model.structure);
  out.warnings = std::move(model.warnings);
  return out;
}

}  // namespace pintle::app

#else
#include "full_program.h"

namespace pintle::app {

SdfCraft read_sdf(const std::filesystem::path& file, bool,
                  const std::vector<std::filesystem::path>&) {
  go_on_in_full_program();
  throw config::ConfigError(
      config::Problem{{file.string(), 1, 1},
                      "",
                      "this is a model in SDF, and this build reads none (pintle-full is not "
                      "there, or was made without "
                      "libsdformat)",
                      "build anew after  scripts/setup --sdf,  or convert the model to URDF",
                      true});
}

}  // namespace pintle::app
#endif
