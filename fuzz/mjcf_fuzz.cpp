// Any bytes as a model in MuJoCo's format, without what leads to other files: what is read is a whole structure, what is
// refused says why. Each is tried in a process of its own (config/bounded.h): run these a thousandth as often as others.
#include "fuzz/model_file.h"
#include "pintle/mujoco/mjcf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pintle::fuzz::try_model(
      data, size, "file", [](const std::string& file) { return pintle::mujoco::load_mjcf(file); });
}
