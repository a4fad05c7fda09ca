/// Whoever ends the terminal, presses Ctrl-C or asks politely gets a safe stop; nohup keeps its word.
#pragma once
#include <atomic>

namespace pintle::app {

/// Has a handler for what asks a program to end: SIGINT, SIGTERM and, but under nohup, SIGHUP. What
/// waits in a call is woken.
void end_on_signals(void (*handler)(int));

/// From now on a signal sets it: once. The second ends the program at once, unless
/// stop_at_once_on_a_second_signal() was asked for.
[[nodiscard]] std::atomic<bool>& stop_safely_on_signals();

/// The second signal sets it, and the third ends the program.
[[nodiscard]] std::atomic<bool>& stop_at_once_on_a_second_signal();

}  // namespace pintle::app
