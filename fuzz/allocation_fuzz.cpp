// Any bytes as an allocation problem, solved fresh and with what earlier calls left behind:
// everything in allocation_checks.h. tests/soak/allocation_fuzz does the same with random bytes and
// random problems, ten million times.
#include <cstdio>
#include <cstdlib>

#include "fuzz/allocation_decode.h"

using namespace pintle;
using namespace pintle::allocation;
using namespace pintle::allocation::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Prepared prepared;
  for (int call = 0; call < 3; ++call) {
    const Input in = decode(bytes);
    Worst worst;
    Allocation out;
    const bool sound = in.effectiveness.n <= kMaxChannels && is_moderate(in);
    const char* broken = check_all(in, prepared, sound, worst, out);
    if (broken == nullptr) continue;
    std::fprintf(stderr, "allocation_fuzz: does not hold: %s\n", broken);
    std::abort();
  }
  return 0;
}
