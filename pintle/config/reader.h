/// Reads structs from a document through their field tables, and collects every problem on the way.
///
///   Reader reader(document);
///   Lag lag;
///   reader.read(document.root(), lag);
///   reader.add(check(lag), document.root());   // what the owning room says about the whole
///   reader.finish();                           // throws once, with everything
///
/// Reported: unknown keys (with did-you-mean), missing required keys, wrong kinds, numbers out of
/// range or not finite, text in place of numbers ("50 kgf" says what to write in the key's unit),
/// unknown enum names, too few or too many items. A field that fails keeps its default.
/// `format:` at the top of a native file is checked by the caller.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/config/document.h"
#include "pintle/config/problem.h"

namespace pintle::config {

struct ReadOptions {
  /// Keys of the outermost map that belong to somebody else: not reported as unknown.
  std::vector<std::string_view> ignore{};
  bool ignore_unknown =
      false;  ///< The same for all keys that the table does not have, at the outermost map.
  bool partial =
      false;  ///< Missing keys keep what `out` holds, required or not, at every depth (overrides).
};

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  template <class T>
  void read(const Node& node, T& out, const ReadOptions& options = {}) {
    read(node, table_of<T>(), &out, options);
  }
  void read(const Node& node, const Table& table, void* out, const ReadOptions& options = {});

  void error(const Location& where, std::string message, std::string fix = {});
  void warning(const Location& where, std::string message, std::string fix = {});
  /// Findings whose paths are relative to `node`.
  void add(const Findings& findings, const Node& node);

  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }
  [[nodiscard]] bool has_errors() const noexcept;
  /// Throws ConfigError if there is any error; returns the warnings otherwise.
  std::vector<Problem> finish();

 private:
  const Document& document_;
  std::vector<Problem> problems_;
};

/// Parses a YAML 1.2 number exactly (also .inf, .nan); nullopt if it is anything else.
[[nodiscard]] std::optional<double> parse_number(std::string_view text) noexcept;
/// Shortest decimal text that reads back to the same bits: 0.1 is "0.1".
[[nodiscard]] std::string shortest(double value);

}  // namespace pintle::config
