/// What is wrong with a set of parameters, said by the room that owns them.
///
/// Rooms below `config` know nothing of files. They name the field by its path inside the struct
/// ("position.x.control_effort"); `config` turns that into file, line and column.
#pragma once
#include <string>
#include <vector>

namespace pintle {

struct Finding {
  /// Dotted field names and [indices] from the struct checked; "" is the struct itself.
  std::string path;
  std::string message;  ///< What was expected and what was found, one sentence without a full stop.
  std::string fix;      ///< What to write instead; may be empty.
  bool is_error = true;  ///< False: a warning, the file is usable.
};

using Findings = std::vector<Finding>;

/// A number as a message says it: six digits at most.
[[nodiscard]] std::string text(double x);

}  // namespace pintle
