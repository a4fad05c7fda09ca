#include "pintle/vehicle/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace pintle::vehicle {
namespace {

using config::Node;
using config::Reader;

void as_yaml_12_bool(Node& node) {
  constexpr std::array<std::string_view, 8> kTrue{"True", "TRUE", "yes", "Yes",
                                                  "YES",  "on",   "On",  "ON"};
  constexpr std::array<std::string_view, 8> kFalse{"False", "FALSE", "no",  "No",
                                                   "NO",    "off",   "Off", "OFF"};
  if (!node.is_scalar() || node.quoted) return;
  if (std::find(kTrue.begin(), kTrue.end(), node.scalar) != kTrue.end()) node.scalar = "true";
  if (std::find(kFalse.begin(), kFalse.end(), node.scalar) != kFalse.end()) node.scalar = "false";
}

void warn_unknown(Reader& reader, const Node::Entry& entry, const Table& table) {
  std::vector<std::string_view> names;
  for (const Field& field : table.fields) names.push_back(field.name);
  const std::string meant = config::did_you_mean(entry.key, names);
  reader.warning(
      entry.key_where, fmt::format("{}: not known here, not used", entry.key),
      meant.empty() ? "remove it, unless another program reads it" : "did you mean  " + meant);
}

}  // namespace

Node known_part(Reader& reader, const Node& node, const Table& table,
                std::span<const Alias> aliases, bool warn_alias) {
  Node copy = node;
  if (!node.is_map()) return copy;
  copy.entries.clear();
  for (const Node::Entry& entry : node.entries) {
    Node::Entry kept = entry;
    for (const Alias& alias : aliases) {
      if (entry.key != alias.old || node.find(alias.now) != nullptr) continue;
      kept.key = alias.now;
      if (warn_alias)
        reader.warning(entry.key_where, fmt::format("{}: the name of earlier years", alias.old),
                       fmt::format("write  {}", alias.now));
    }
    const Field* field = table.find(kept.key);
    if (field == nullptr) {
      warn_unknown(reader, entry, table);
      continue;
    }
    if (field->kind == Kind::kBool) as_yaml_12_bool(kept.value);
    if (field->kind == Kind::kStruct) {
      if (kept.value.is_list())
        for (Node& item : kept.value.items) item = known_part(reader, item, *field->table);
      else
        kept.value = known_part(reader, kept.value, *field->table);
    }
    copy.entries.push_back(std::move(kept));
  }
  return copy;
}

}  // namespace pintle::vehicle
