/// Talk on stderr that holds nobody up: who flies or serves goes on when nobody reads it.
#pragma once
#include <string>

namespace pintle::app {

/// Of any thread. Never waits for who reads: at most 256 texts stand in a queue, and a thread of its
/// own writes them when there is room. What did not fit is counted, and told when there is room again.
void tell(std::string text);
/// Waits until all of it is written, 0.3 s at most; so does the end of the program.
void settle_talk();

}  // namespace pintle::app
