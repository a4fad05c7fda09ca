/// JSON Schema (draft 7) of a field table, for completion and checking in editors.
#pragma once
#include <string>
#include <string_view>

#include "pintle/base/fields.h"

namespace pintle::config {

/// Pretty-printed, keys in table order, one trailing newline: the same text for the same table.
[[nodiscard]] std::string json_schema(const Table& table, std::string_view title,
                                      std::string_view format = {});

}  // namespace pintle::config
