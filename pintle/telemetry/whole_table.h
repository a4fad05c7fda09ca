/// A struct whose fields depend on its `type` in a file has, in a message, all of them: one part
/// per case, named by it, over the same object. For the sources of this room.
#pragma once
#include "pintle/base/fields.h"

namespace pintle::telemetry {

/// The table itself where it has no cases. Kept as long as the program; safe from several threads.
[[nodiscard]] const Table& whole(const Table& table);

}  // namespace pintle::telemetry
