/// MuJoCo's reader of XML keeps the last document in a variable of its own. For sources of this
/// room.
#pragma once
#include <mutex>

namespace pintle::mujoco {

/// Held while a model is read; warnings go nowhere from then on (MuJoCo would write a file into the
/// working folder).
[[nodiscard]] std::unique_lock<std::mutex> one_reader_at_a_time();

}  // namespace pintle::mujoco
