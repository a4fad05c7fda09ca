/// Whether a reader that is not ours ends in time and in memory, tried out where it can do no harm.
///
/// Readers of other formats grow without a bound on a few lines of text (a model that includes
/// itself, a height field of 40 000 x 40 000), end the program, or ask the terminal. `try_out` runs
/// one in a process of its own that dies at its limits; what came through may be run again for its
/// result.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace pintle::config {

struct Bounds {
  int cpu_s = 2;                         ///< Whole seconds of the processor.
  std::size_t memory_bytes = 192 << 20;  ///< Beyond what this process has already.
};

/// "" when `work` returned or threw; else why it did not come to an end, as a message: "takes more
/// than 2 s", "needs more than 192 MiB", "waits for what does not come", "ends the program". The
/// work's exceptions are dropped: it is run again to have them. It may write and say what it likes:
/// nobody sees it. Waits for it, for a minute at most; makes a process by fork(), so nothing else
/// of this one may hold a lock that `work` needs.
[[nodiscard]] std::string try_out(const std::function<void()>& work, const Bounds& bounds = {});

}  // namespace pintle::config
