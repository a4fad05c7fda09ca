#include "import_mjcf.h"

#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/mjcf.h"

namespace pintle::app {

MjcfCraft read_mjcf(const std::filesystem::path& file) {
  mujoco::MjcfModel model = mujoco::load_mjcf(file);
  return {std::move(model.structure), std::move(model.warnings)};
}

}  // namespace pintle::app

#else

namespace pintle::app {

MjcfCraft read_mjcf(const std::filesystem::path& file) {
  throw config::ConfigError(config::Problem{
      {file.string(), 1, 1},
      "",
      "this is a model in MJCF, and this build reads none: it was made without MuJoCo",
      "build anew after  scripts/setup,  or convert the model to URDF",
      true});
}

}  // namespace pintle::app
#endif
