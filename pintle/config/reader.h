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
///
/// An array with `keys` is read from a map of them or from a list; a struct `as_list` likewise. An
/// enumeration is read by name, or by a whole number that it has. A list longer than `kMaxItems` is
/// refused. More than `kMaxProblems` problems are counted, not listed.
/// `format:` at the top of a native file is checked by the caller.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/config/document.h"
#include "pintle/config/problem.h"

namespace pintle::config {

inline constexpr std::size_t kMaxItems = 4096;
inline constexpr std::size_t kMaxProblems = 100;

struct ReadOptions {
  /// Keys of the outermost map that belong to somebody else: not reported as unknown.
  std::vector<std::string_view> ignore{};
  /// The same for all keys that the table does not have, at the outermost map.
  bool ignore_unknown = false;
  /// Missing keys keep what `out` holds, required or not, at every depth (overrides). A list that
  /// is given replaces the whole list: its elements are new, and complete.
  bool partial = false;
};

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  template <class T>
  void read(const Node& node, T& out, const ReadOptions& options = {}) {
    read(node, table_of<T>(), &out, options);
  }
  /// `table` must outlive the reader.
  void read(const Node& node, const Table& table, void* out, const ReadOptions& options = {});

  void error(const Location& where, std::string message, std::string fix = {});
  void warning(const Location& where, std::string message, std::string fix = {});
  /// Findings whose paths are relative to `node`; "gains.x" and "gains[0]" are the same place when
  /// `node` was read by this reader and gains are keyed. Left out are findings about a map in which
  /// something could not be read: its fields hold defaults, of which a file must not be accused. So
  /// checks may run, and report, whatever was wrong with other parts of the file.
  void add(const Findings& findings, const Node& node);

  /// Whether nothing was wrong, so far, with the value of a key or anything inside it. Findings
  /// that were added do not count; a missing key is sound.
  [[nodiscard]] bool is_sound(const Node& map, std::string_view key) const;

  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }
  [[nodiscard]] bool has_errors() const noexcept;
  /// Throws ConfigError if there is any error; returns the warnings otherwise.
  std::vector<Problem> finish();

 private:
  class Walk;
  struct Place;
  [[nodiscard]] Place place_of(const Node& node, std::string_view path) const;
  [[nodiscard]] const Node* step_into(const Node& node, std::string_view key,
                                      std::optional<std::size_t> index,
                                      const Location*& where) const;
  [[nodiscard]] bool is_broken(const Node& node) const;
  [[nodiscard]] bool is_broken(const Location& where) const;
  void report(const Location& where, std::string message, std::string fix, bool is_error);

  const Document& document_;
  std::vector<Problem> problems_;
  std::size_t unlisted_ = 0;              ///< Errors beyond kMaxProblems.
  std::set<std::pair<int, int>> broken_;  ///< Line and column of what could not be read.
  // how nodes were read, so that findings can name their parts by key or by index
  std::map<const Node*, const Table*> structs_;
  std::map<const Node*, std::span<const std::string_view>> keyed_;
};

/// Characters of the longest number; a double has 17 digits.
inline constexpr std::size_t kMaxNumber = 64;

/// Parses a YAML 1.2 number exactly (also .inf, .nan); nullopt if it is anything else, or longer
/// than kMaxNumber.
[[nodiscard]] std::optional<double> parse_number(std::string_view text) noexcept;
/// Shortest decimal text that reads back to the same bits: 0.1 is "0.1".
[[nodiscard]] std::string shortest(double value);

}  // namespace pintle::config
