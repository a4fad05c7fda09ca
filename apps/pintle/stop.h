/// Whoever ends the terminal, presses Ctrl-C or asks politely gets a safe stop; nohup keeps its word.
#pragma once
#include <atomic>

namespace pintle::app {

/// From now on a signal sets it: once. The second ends the program at once.
[[nodiscard]] std::atomic<bool>& stop_safely_on_signals();

}  // namespace pintle::app
