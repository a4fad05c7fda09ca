/// Configuration files of YARP (`.ini`), with the place of every value.
///
/// Follows YARP's own reader (`Property::fromConfigFile`, 4.0), traps included: lines are joined
/// until (), {} and quotes are balanced, counted before comments are cut off; `#` begins a comment
/// after a blank, `//` anywhere; commas separate like blanks; later duplicates replace. Each trap
/// that a file falls into is a warning that says what YARP makes of it, and an error where the
/// value is lost. Names $VAR, ${VAR}, $(VAR) are the process environment's, else keys read before.
/// Does not read: `[import …]`, which asks YARP's resource finder; blobs in {} are lists of
/// numbers.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/config/problem.h"

namespace pintle::vehicle {

struct YarpValue {
  enum class Kind : std::uint8_t { kInt, kFloat, kText, kList };

  Kind kind = Kind::kText;
  std::int64_t integer = 0;
  double number = 0;             ///< Of kInt and kFloat.
  std::string text;              ///< As written; of kText without quotes and escapes.
  std::vector<YarpValue> items;  ///< Of kList.
  config::Location where;

  [[nodiscard]] bool is_number() const noexcept {
    return kind == Kind::kInt || kind == Kind::kFloat;
  }
};

struct YarpEntry {
  std::string key;
  std::vector<YarpValue> values;  ///< Everything after the key.
  config::Location where;
};

/// One group of entries; the last of a key counts.
struct YarpGroup {
  std::string name;  ///< "" is the top of the file.
  std::vector<YarpEntry> entries;

  [[nodiscard]] const YarpEntry* find(std::string_view key) const noexcept;
};

struct YarpConfig {
  std::vector<YarpGroup> groups;  ///< The top first.
  std::vector<config::Problem> problems;

  [[nodiscard]] const YarpGroup& top() const noexcept { return groups.front(); }
  [[nodiscard]] const YarpGroup* group(std::string_view name) const noexcept;
};

/// Of a file with all that it includes.
inline constexpr std::size_t kMaxYarpBytes = 1 << 20;

/// `file` names the text in problems; includes are looked for as given and beside it.
/// Bounded: 64 includes, 8 deep; 20 000 values; what goes beyond is a problem, and the rest is not
/// read.
/// `given`: keys that stand at the top before the file is read, which may replace them.
[[nodiscard]] YarpConfig parse_yarp_config(std::string_view text, const std::filesystem::path& file,
                                           const std::map<std::string, std::string>& given = {});
}  // namespace pintle::vehicle
