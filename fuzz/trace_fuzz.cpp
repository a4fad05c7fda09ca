// Any bytes as the JSON lines of `pintle trace controller`: what is refused says in which line, and nothing else leaves.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apps/pintle/csv.h"
#include "apps/pintle/trace.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // the answers; libFuzzer speaks on stderr
  return std::freopen("/dev/null", "w", stdout) == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = ::memfd_create("fuzz.jsonl", 0);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    (void)pintle::app::trace_controller(PINTLE_SOURCE_DIR "/vehicles/oogway.yaml",
                                        "/proc/self/fd/" + std::to_string(fd), {});
  } catch (const pintle::app::CsvError& e) {
    if (std::string_view(e.what()).find("/proc/self/fd/") != 0) std::abort();
  }
  ::close(fd);
  return 0;
}
