/// The reading itself: one table against one node. For the sources of this room.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "pintle/config/reader.h"

namespace pintle::config {

/// Where a value stands, for messages: its key, and the place that names it.
struct Spot {
  std::string key;        ///< "mass_kg", "position_m[1]".
  const Location* where;  ///< Of the key; of the value for list items and the root.
};

/// "1, 2, 3" for "1 2 3"; nullopt for anything else.
[[nodiscard]] std::optional<std::string> numbers_with_commas(std::string_view text);

class Reader::Walk {
 public:
  Walk(Reader& reader, const ReadOptions& options) : reader_(reader), options_(options) {}

  /// Reads a whole struct. `object` is null to check without storing.
  void read_struct(const Node& node, const Field& self, void* object, const Spot& spot,
                   bool partial, bool outermost);

 private:
  /// The table of the case that a map says it is of; null after an error.
  const Table* case_of(const Node& node, const Table& table);
  void read_list_as_struct(const Node& node, const Field& self, void* object, const Spot& spot,
                           bool partial);
  void read_map(const Node& node, const Field& self, void* object, const Spot& spot, bool partial,
                bool outermost);
  void read_field(const Node& node, const Field& field, void* object, const Spot& spot,
                  bool partial);
  void read_list(const Node& node, const Field& field, void* object, const Spot& spot);
  void read_array(const Node& node, const Field& field, void* object, const Spot& spot,
                  bool partial);
  void read_keyed(const Node& node, const Field& field, void* object, const Spot& spot,
                  bool partial);
  void read_element(const Node& node, const Field& field, void* element, const Spot& spot,
                    bool partial);
  void read_number(const Node& node, const Field& field, void* element, const Spot& spot);
  void read_integer(const Node& node, const Field& field, void* element, const Spot& spot);
  void read_enum(const Node& node, const Field& field, void* element, const Spot& spot);
  void read_text(const Node& node, const Field& field, void* element, const Spot& spot);
  void read_bool(const Node& node, const Field& field, void* element, const Spot& spot);

  void unknown_key(const Node::Entry& entry, const Node& map, const Table& table, const Spot& spot,
                   bool outermost, std::set<std::string_view>& explained);
  void wrong(const Node& node, const Field& field, const void* element, const Spot& spot,
             std::string fix = {}, bool infinite = false);

  Reader& reader_;
  const ReadOptions& options_;
};

}  // namespace pintle::config
