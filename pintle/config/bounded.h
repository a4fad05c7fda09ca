/// What may take for ever, done where it can do no harm.
///
/// Readers of other formats grow without a bound on a few lines of text (a model that includes
/// itself, a height field of 40 000 x 40 000), end the program, or ask the terminal; a picture can
/// be full of what is looked for in it. Each runs in a process of its own that dies at its limits.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace pintle::config {

/// By default for what is tried out and then done once more: twice that is less than 2 s.
struct Bounds {
  int cpu_ms = 800;                      ///< Of the processor, in steps of some milliseconds.
  std::size_t memory_bytes = 176 << 20;  ///< Beyond what this process has already.
};

/// "" when `work` returned or threw; else why it did not come to an end, as a message: "takes more
/// than 0.8 s", "needs more than 176 MiB", "waits for what does not come", "ends the program". The
/// work's exceptions are dropped: it is run again to have them. It may write and say what it likes:
/// nobody sees it. Waits for it, for a minute at most; makes a process by fork(), so nothing else
/// of this one may hold a lock that `work` needs.
[[nodiscard]] std::string try_out(const std::function<void()>& work, const Bounds& bounds = {});

/// The same of work that is done once: what it returns is in `result`, as much as memory holds. One
/// that throws "ends the program".
[[nodiscard]] std::string do_apart(const std::function<std::string()>& work, std::string& result,
                                   const Bounds& bounds);

}  // namespace pintle::config
