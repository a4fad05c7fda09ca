#include "pintle/config/walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "pintle/config/describe.h"
#include "pintle/config/text.h"
#include "pintle/config/units.h"

namespace pintle::config {
namespace {

std::string_view kind_in_words(const Node& node) {
  if (node.is_map()) return "a map";
  return node.is_list() ? "a list" : "nothing";
}

// [1 2 3] is a list of one text
std::string with_commas(const Node& node, std::string_view key) {
  const bool one_text = node.is_list() && node.items.size() == 1 && node.items[0].is_scalar();
  const std::optional<std::string> list =
      one_text ? numbers_with_commas(node.items[0].scalar) : std::nullopt;
  return list ? fmt::format("put commas between the numbers:  {}: [{}]", key, *list) : "";
}

Field only_element(const Field& field) {
  Field element = field;
  element.shape = Shape::kSingle;
  return element;
}

}  // namespace

void Reader::Walk::wrong(const Node& node, const Field& field, const void* element,
                         const Spot& spot, std::string fix, bool infinite) {
  const std::string got =
      node.is_scalar() ? in_quotes(node.scalar) : std::string(kind_in_words(node));
  const Location& where = node.is_scalar() ? node.where : *spot.where;
  if (fix.empty()) fix = suggestion_for(field, spot.key, element);
  std::string wanted = expected(field);
  if (infinite && wanted.starts_with("a number")) wanted.insert(2, "finite ");
  reader_.error(where, fmt::format("{}: expected {}, got {}", spot.key, wanted, got),
                std::move(fix));
}

const Table* Reader::Walk::case_of(const Node& node, const Table& table) {
  const Node* key = node.is_map() ? node.find(table.chosen_by) : nullptr;
  if (key == nullptr) return table.cases.front().table;
  const Table* chosen = key->is_scalar() ? table.of(std::string_view(key->scalar)) : nullptr;
  if (chosen != nullptr) return chosen;
  std::vector<std::string> values;
  std::vector<std::string_view> views;
  for (const TableCase& c : table.cases) {
    values.emplace_back(c.value);
    views.push_back(c.value);
  }
  const std::string near = key->is_scalar() ? did_you_mean(key->scalar, views) : std::string{};
  reader_.error(
      key->where,
      fmt::format("{}: expected {}, got {}", table.chosen_by, enumerate(values, "or"),
                  key->is_scalar() ? in_quotes(key->scalar) : std::string(kind_in_words(*key))),
      near.empty() ? fmt::format("write  {}: {}", table.chosen_by, values.front())
                   : "did you mean  " + near);
  return nullptr;
}

void Reader::Walk::read_struct(const Node& node, const Field& given, void* object, const Spot& spot,
                               bool partial, bool outermost) {
  Field self = given;
  if (!self.table->cases.empty()) {
    self.table = case_of(node, *given.table);
    if (self.table == nullptr) return;
  }
  reader_.structs_[&node] = self.table;
  if (node.is_list() && self.table->as_list)
    return read_list_as_struct(node, self, object, spot, partial);
  // a key with nothing behind it is a section whose lines are all commented out
  if (node.is_map() || node.kind == Node::Kind::kNull)
    return read_map(node, self, object, spot, partial, outermost);
  std::string message =
      fmt::format("expected {}, got {}", expected(self),
                  node.is_scalar() ? in_quotes(node.scalar) : std::string(kind_in_words(node)));
  if (!spot.key.empty()) message.insert(0, spot.key + ": ");
  std::vector<std::string> names;
  for (const Field& field : self.table->fields) names.emplace_back(field.name);
  if (names.size() > 6) names.resize(6);
  reader_.error(node.is_scalar() ? node.where : *spot.where, std::move(message),
                "write keys below it, such as  " + enumerate(names, "and"));
}

void Reader::Walk::read_list_as_struct(const Node& node, const Field& self, void* object,
                                       const Spot& spot, bool partial) {
  const std::vector<Field>& fields = self.table->fields;
  if (node.items.size() != fields.size()) {
    std::vector<std::string> names;
    names.reserve(fields.size());
    for (const Field& field : fields) names.emplace_back(field.name);
    std::string fix = with_commas(node, spot.key);
    if (fix.empty())
      fix = fmt::format("write  {}: {}", spot.key, example(only_element(self), nullptr));
    reader_.error(node.where,
                  fmt::format("{}: expected {} items ({}), got {}", spot.key, fields.size(),
                              enumerate(names, "and"), node.items.size()),
                  std::move(fix));
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i)
    read_field(node.items[i], inherit(fields[i], self), object,
               {fmt::format("{}[{}]", spot.key, i), &node.items[i].where}, partial);
}

void Reader::Walk::read_map(const Node& node, const Field& self, void* object, const Spot& spot,
                            bool partial, bool outermost) {
  const Table& table = *self.table;
  std::set<std::string_view> explained;
  for (const Node::Entry& entry : node.entries) {
    const Field* field = table.find(entry.key);
    if (field != nullptr) {
      read_field(entry.value, inherit(*field, self), object, {entry.key, &entry.key_where},
                 partial);
      continue;
    }
    const bool known_elsewhere =
        outermost &&
        (options_.ignore_unknown || std::find(options_.ignore.begin(), options_.ignore.end(),
                                              entry.key) != options_.ignore.end());
    if (!known_elsewhere) unknown_key(entry, node, table, spot, outermost, explained);
  }
  if (partial) return;
  for (const Field& field : table.fields) {
    // a misspelt key was reported with the name of what is missing: once is enough
    if (!field.required || node.find(field.name) != nullptr || explained.contains(field.name))
      continue;
    reader_.error(*spot.where,
                  fmt::format("{}: missing{}{}; expected {}", field.name,
                              spot.key.empty() ? "" : " in ", spot.key, expected(field)),
                  suggestion(inherit(field, self), field.name, table.defaults));
  }
}

void Reader::Walk::unknown_key(const Node::Entry& entry, const Node& map, const Table& table,
                               const Spot& spot, bool outermost,
                               std::set<std::string_view>& explained) {
  std::vector<std::string_view> free;
  const Field* stem = nullptr;
  for (const Field& field : table.fields) {
    if (map.find(field.name) != nullptr) continue;
    free.push_back(field.name);
    if (stem == nullptr && same_stem(entry.key, field.name)) stem = &field;
  }
  if (outermost)
    for (const std::string_view key : options_.ignore)
      if (map.find(key) == nullptr) free.push_back(key);
  const std::string near = did_you_mean(entry.key, free);
  const Field* meant = stem != nullptr ? stem : table.find(near);
  std::string fix;
  if (meant == nullptr && !near.empty()) {
    fix = "did you mean  " + near;
  } else if (meant != nullptr) {
    explained.insert(meant->name);
    fix = fmt::format("did you mean  {}", meant->name);
    // a key in another unit: say the number too
    const auto value = parse_number(entry.value.scalar);
    const std::string unit = unit_of_key(entry.key);
    const auto converted =
        value && !unit.empty() ? convert(*value, unit, meant->unit) : std::nullopt;
    if (converted && *converted != *value)
      fix = fmt::format("write  {}: {:.10g}", meant->name, *converted);
  } else if (const Field* present = table.find(did_you_mean(entry.key, [&] {
               std::vector<std::string_view> all;
               for (const Field& field : table.fields) all.push_back(field.name);
               return all;
             }()))) {
    fix = fmt::format("remove it: {} is there already", present->name);
  } else {
    std::vector<std::string> names(free.begin(), free.end());
    constexpr std::size_t kMost = 12;
    const bool cut = names.size() > kMost;
    if (cut) names.resize(kMost);
    fix = names.empty() ? "remove it"
                        : fmt::format("remove it, or use one of {}{}", enumerate(names, "or"),
                                      cut ? " …" : "");
  }
  reader_.error(
      entry.key_where,
      fmt::format("{}: unknown key{}{}", entry.key, spot.key.empty() ? "" : " in ", spot.key),
      std::move(fix));
}

void Reader::Walk::read_field(const Node& node, const Field& field, void* object, const Spot& spot,
                              bool partial) {
  switch (field.shape) {
    case Shape::kSingle: return read_element(node, field, field.element(object, 0), spot, partial);
    case Shape::kOptional: {
      if (node.kind == Node::Kind::kNull) {
        (void)field.access->resize(field.in(object), 0);
        return;
      }
      const bool present = field.size(object) > 0;
      (void)field.access->resize(field.in(object), 1);
      return read_element(node, only_element(field), field.element(object, 0), spot,
                          partial && present);
    }
    case Shape::kArray: return read_array(node, field, object, spot, partial);
    case Shape::kSequence:
    case Shape::kVector: return read_list(node, field, object, spot);
  }
}

void Reader::Walk::read_array(const Node& node, const Field& field, void* object, const Spot& spot,
                              bool partial) {
  if (!field.keys.empty()) {
    reader_.keyed_[&node] = field.keys;
    if (node.is_map() || node.kind == Node::Kind::kNull)
      return read_keyed(node, field, object, spot, partial);
  }
  if (!node.is_list() || node.items.size() != field.capacity) {
    const std::string got = node.is_list()     ? fmt::format("{}", node.items.size())
                            : node.is_scalar() ? in_quotes(node.scalar)
                                               : std::string(kind_in_words(node));
    std::string fix = with_commas(node, spot.key);
    if (fix.empty()) fix = suggestion(field, spot.key, object);
    reader_.error(node.kind == Node::Kind::kNull ? *spot.where : node.where,
                  fmt::format("{}: expected a list of {} items{}, got {}", spot.key, field.capacity,
                              field.keys.empty() ? "" : " or a map", got),
                  std::move(fix));
    return;
  }
  const Field element = only_element(field);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    read_element(node.items[i], element, field.element(object, i),
                 {fmt::format("{}[{}]", spot.key, i), &node.items[i].where}, partial);
}

void Reader::Walk::read_keyed(const Node& node, const Field& field, void* object, const Spot& spot,
                              bool partial) {
  const Field element = only_element(field);
  const std::vector<std::string_view> keys(field.keys.begin(), field.keys.end());
  std::vector<std::string> missing(keys.begin(), keys.end());
  for (const Node::Entry& entry : node.entries) {
    const auto found = std::find(keys.begin(), keys.end(), entry.key);
    if (found != keys.end()) {
      std::erase(missing, entry.key);
      const auto i = static_cast<std::size_t>(found - keys.begin());
      if (i < field.capacity)
        read_element(entry.value, element, field.element(object, i), {entry.key, &entry.key_where},
                     partial);
      continue;
    }
    const std::string meant = did_you_mean(entry.key, keys);
    reader_.error(entry.key_where, fmt::format("{}: unknown key in {}", entry.key, spot.key),
                  meant.empty() ? "use " + enumerate({keys.begin(), keys.end()}, "or")
                                : "did you mean  " + meant);
    std::erase(missing, meant);
  }
  if (!field.required || partial || missing.empty()) return;
  reader_.error(*spot.where, fmt::format("{}: missing {}", spot.key, enumerate(missing, "and")),
                suggestion(element, missing.front(), nullptr));
}

void Reader::Walk::read_list(const Node& node, const Field& field, void* object, const Spot& spot) {
  const Field element = only_element(field);
  if (!node.is_list()) {
    const std::string got =
        node.is_scalar() ? in_quotes(node.scalar) : std::string(kind_in_words(node));
    reader_.error(node.kind == Node::Kind::kNull ? *spot.where : node.where,
                  fmt::format("{}: expected a list, got {}", spot.key, got),
                  node.is_scalar()           ? fmt::format("write  {}: [{}]", spot.key, node.scalar)
                  : node.is_map()            ? "begin every item with  - "
                  : field.minimum_items == 0 ? fmt::format("write  {}: []  for none", spot.key)
                                             : suggestion(field, spot.key, nullptr));
    return;
  }
  const std::size_t n = node.items.size();
  const std::size_t most = std::min(field.capacity, kMaxItems);
  if (n < field.minimum_items || n > most) {
    const bool few = n < field.minimum_items;
    const std::size_t wanted = few ? field.minimum_items : most;
    reader_.error(few ? *spot.where : node.items[most].where,
                  fmt::format("{}: expected at {} {} item{}, got {}", spot.key,
                              few ? "least" : "most", wanted, wanted == 1 ? "" : "s", n),
                  few ? suggestion(field, spot.key, nullptr) : "remove the items from here on");
    return;
  }
  // from empty: what stood there before is replaced, not changed
  (void)field.access->resize(field.in(object), 0);
  if (!field.access->resize(field.in(object), n)) return;
  for (std::size_t i = 0; i < n; ++i)
    read_element(node.items[i], element, field.element(object, i),
                 {fmt::format("{}[{}]", spot.key, i), &node.items[i].where}, false);
}

}  // namespace pintle::config
