/// What kind of file a document is, and whether it says so. For the sources of this room.
#pragma once
#include <string_view>

#include "pintle/config/reader.h"
#include "pintle/craft/load.h"

namespace pintle::craft {

/// "vehicle", "mission", "world".
[[nodiscard]] std::string_view to_string(FileKind kind) noexcept;

/// `format:` at the top must be that of the kind. A key that is nearly `format` is left to the
/// reader, who knows it for a misspelt one.
void check_format(config::Reader& reader, const config::Document& document, FileKind kind);

/// @throws config::ConfigError, one problem, when the document is of another kind or of none.
void require_kind(const config::Document& document, FileKind wanted);

}  // namespace pintle::craft
