/// A YAML file as a tree that remembers where everything stands.
///
/// The tree is ours: no other room sees yaml-cpp. Every node knows its line, column and byte range,
/// so that errors can point and edits can replace one scalar and leave every other byte alone.
/// Refuses: duplicate keys, tags of its own, several documents in a file, text that is not UTF-8,
/// anchors that expand to more than `kMaxNodes` nodes, nesting beyond `kMaxDepth`, files beyond
/// `kMaxBytes`. Merge keys (`<<: *base`) are resolved; what they bring counts as aliased.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/file.h"
#include "pintle/config/problem.h"

namespace pintle::config {

inline constexpr std::size_t kMaxNodes = 200'000;
inline constexpr int kMaxDepth = 64;

/// One node of a document. Valid as long as its document lives.
struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string scalar;          ///< Text of a scalar, quotes and escapes resolved.
  bool quoted = false;         ///< It was written in quotes: text, not a number.
  std::vector<Node> items;     ///< Of a list.
  std::vector<Entry> entries;  ///< Of a map, in file order.
  Location where;              ///< Of the value.
  bool flow = false;           ///< A list or map in brackets: [1, 2] or {x: 1}.
  bool aliased = false;        ///< Stands elsewhere in the file and came here by an alias.
  /// Byte range in the text, quotes or brackets included. Equal when unknown: block lists and maps,
  /// block scalars, plain text over several lines, nothing at all, and everything aliased.
  std::size_t begin = 0, end = 0;

  [[nodiscard]] const Node* find(std::string_view key) const noexcept;
  [[nodiscard]] bool is_map() const noexcept { return kind == Kind::kMap; }
  [[nodiscard]] bool is_list() const noexcept { return kind == Kind::kList; }
  [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::kScalar; }
};

struct Node::Entry {
  std::string key;
  Location key_where;
  std::size_t key_begin = 0, key_end = 0;  ///< Byte range, quotes included; equal when unknown.
  Node value;
};

class Document {
 public:
  /// @throws ConfigError when the file cannot be read or is not YAML.
  [[nodiscard]] static Document load(const std::filesystem::path& file);
  /// `name` stands for the file in messages.
  [[nodiscard]] static Document parse(std::string text, std::string name);

  [[nodiscard]] const Node& root() const noexcept { return root_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Node at a dotted path with [indices]: "pid.position.x.Kp", "propulsors[2].name".
  [[nodiscard]] const Node* at(std::string_view path) const noexcept;

  /// Where a path stands; for a missing one, its nearest existing ancestor.
  [[nodiscard]] Location location_of(std::string_view path) const;

  /// A copy in which the given scalar has another value and every other byte is the same. A number
  /// is written in the shortest form that reads back to the same bits, and only when it differs in
  /// value from what stands there (so 1.0 stays 1.0 when set to 1). A path whose last key is
  /// missing is added as a new line at the end of its parent map (inside the braces of a flow map).
  /// @throws ConfigError when the parent is missing, the path leads to a map or list, the value is
  /// not finite, or the text cannot be changed there alone (aliases, text over several lines).
  [[nodiscard]] Document with(std::string_view path, double value) const;
  /// The same for text. Quotes stay as they are; plain text gets quotes only where it would not
  /// read back as text. `true` over `false`, or a number over a number, is written plain.
  [[nodiscard]] Document with_text(std::string_view path, std::string_view value) const;

 private:
  std::string text_, name_;
  Node root_;
};

}  // namespace pintle::config
