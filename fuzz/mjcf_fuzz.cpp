// Any bytes as a model in MuJoCo's format, without what leads to other files: what is read is a whole structure, what is
// refused says why. Each is tried in a process of its own (config/bounded.h): run these a thousandth as often as others.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pintle/mujoco/mjcf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("file") != std::string_view::npos) return 0;
  const int fd = ::memfd_create("fuzz.mjcf", 0);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const auto model = pintle::mujoco::load_mjcf("/proc/self/fd/" + std::to_string(fd));
    if (model.structure.links.empty() || !check(model.structure).empty()) std::abort();
  } catch (const pintle::config::ConfigError& e) {
    for (const auto& p : e.problems())
      if (p.message.empty()) std::abort();
  }
  ::close(fd);
  return 0;
}
