/// Any bytes as a model's file, in memory: what is read is a whole structure, what is refused says why.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pintle/config/problem.h"

namespace pintle::fuzz {

/// `elsewhere`: what leads to other files, and is left out.
template <class Load>
int try_model(const std::uint8_t* data, std::size_t size, std::string_view elsewhere,
              const Load& load) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find(elsewhere) != std::string_view::npos) return 0;
  const int fd = ::memfd_create("fuzz", 0);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const auto model = load("/proc/self/fd/" + std::to_string(fd));
    if (model.structure.links.empty() || !check(model.structure).empty()) std::abort();
  } catch (const config::ConfigError& e) {
    for (const auto& p : e.problems())
      if (p.message.empty()) std::abort();
  }
  ::close(fd);
  return 0;
}

}  // namespace pintle::fuzz
