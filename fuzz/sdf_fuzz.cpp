// Any bytes as SDF, without what leads to other files: what is read is a whole structure, what is
// refused says why. Each is tried in a process of its own (config/bounded.h), two or three a second: run these a ten-thousandth
// as often as others.
#include "fuzz/model_file.h"
#include "pintle/sdformat/sdf_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pintle::fuzz::try_model(data, size, "<include", [](const std::string& file) {
    return pintle::sdformat::load_sdf(file);
  });
}
