#include "pintle/config/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "pintle/config/path.h"
#include "pintle/config/text.h"
#include "pintle/config/walk.h"

namespace pintle::config {
namespace {

std::string step_text(const Step& step) {
  return step.index ? fmt::format("[{}]", *step.index) : std::string(step.key);
}

// a path's last name with the indices behind it: "mount" of "propulsors[2].mount"
std::string last_key(std::string_view path) {
  std::string key;
  while (const std::optional<Step> step = take_step(path)) {
    if (!step->index) key.clear();
    key += step_text(*step);
  }
  return key;
}

}  // namespace

void Reader::read(const Node& node, const Table& table, void* out, const ReadOptions& options) {
  Field self;
  self.kind = Kind::kStruct;
  self.table = &table;
  Walk(*this, options)
      .read_struct(node, self, out, {{}, &node.where}, options.partial, /*outermost=*/true);
}

void Reader::report(const Location& where, std::string message, std::string fix, bool is_error) {
  if (problems_.size() >= kMaxProblems) {
    unlisted_ += is_error ? 1 : 0;
    return;
  }
  Problem problem{where, excerpt_of(line_of(document_.text(), where.line)), std::move(message),
                  std::move(fix), is_error};
  if (problem.where.file.empty()) problem.where.file = document_.name();
  problems_.push_back(std::move(problem));
}

void Reader::error(const Location& where, std::string message, std::string fix) {
  broken_.emplace(where.line, where.column);
  report(where, std::move(message), std::move(fix), true);
}

void Reader::warning(const Location& where, std::string message, std::string fix) {
  report(where, std::move(message), std::move(fix), false);
}

/// Where a path leads, as far as the file goes; what is not written has its default.
struct Reader::Place {
  const Node* node;       ///< The deepest one that is there.
  const Location* where;  ///< What to point at: its key, or the value where that is plain.
  const Node* scope;      ///< The map around it; the node itself if the path is one step or cut.
  const Location* scope_key;  ///< Its key.
  std::string_view rest;      ///< What is not in the file.
};

// the child of a node, by key or by index; `where` is then what to point at
const Node* Reader::step_into(const Node& node, std::string_view key,
                              std::optional<std::size_t> index, const Location*& where) const {
  // [1] of a keyed map is its second key; y of a list that stands for a struct is its second item
  if (const auto keyed = keyed_.find(&node); keyed != keyed_.end()) {
    const auto& keys = keyed->second;
    if (index && *index < keys.size()) key = keys[*index];
    if (!index)
      index = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  } else if (const auto fields = structs_.find(&node); fields != structs_.end()) {
    const auto& all = fields->second->fields;
    if (const Field* field = fields->second->find(key); field != nullptr)
      index = static_cast<std::size_t>(field - all.data());
  }
  if (node.is_list() && index && *index < node.items.size()) {
    where = &node.items[*index].where;
    return &node.items[*index];
  }
  for (const Node::Entry& entry : node.entries) {
    if (entry.key != key) continue;
    // of a map the key is the better place to point at: its value begins with another key
    where = entry.value.is_scalar() ? &entry.value.where : &entry.key_where;
    return &entry.value;
  }
  return nullptr;
}

Reader::Place Reader::place_of(const Node& node, std::string_view path) const {
  Place place{&node, &node.where, &node, &node.where, path};
  int depth = 0;
  while (!place.rest.empty()) {
    std::string_view next = place.rest;
    const std::optional<Step> step = take_step(next);
    if (!step) break;
    const Location* where = nullptr;
    const Node* child = step_into(*place.node, step->key, step->index, where);
    if (child == nullptr) break;
    if (depth++ > 0) {
      place.scope = place.node;
      place.scope_key = place.where;
    }
    place.node = child;
    place.where = where;
    place.rest = next;
  }
  if (depth < 2 || !place.rest.empty()) {
    place.scope = place.node;
    place.scope_key = place.where;
  }
  return place;
}

bool Reader::is_broken(const Location& where) const {
  return broken_.contains({where.line, where.column});
}

bool Reader::is_broken(const Node& node) const {
  if (broken_.empty()) return false;
  return is_broken(node.where) ||
         std::any_of(node.items.begin(), node.items.end(),
                     [this](const Node& item) { return is_broken(item); }) ||
         std::any_of(node.entries.begin(), node.entries.end(), [this](const Node::Entry& e) {
           return is_broken(e.key_where) || is_broken(e.value);
         });
}

bool Reader::is_sound(const Node& map, std::string_view key) const {
  return std::none_of(map.entries.begin(), map.entries.end(), [&](const Node::Entry& e) {
    return e.key == key && (is_broken(e.key_where) || is_broken(e.value));
  });
}

void Reader::add(const Findings& findings, const Node& node) {
  for (const Finding& finding : findings) {
    const Place place = place_of(node, finding.path);
    if (is_broken(*place.scope_key) || is_broken(*place.scope)) continue;
    const std::string key = place.rest.empty() ? last_key(finding.path) : finding.path;
    report(*place.where, key.empty() ? finding.message : key + ": " + finding.message, finding.fix,
           finding.is_error);
  }
}

bool Reader::has_errors() const noexcept {
  return unlisted_ > 0 || std::any_of(problems_.begin(), problems_.end(),
                                      [](const Problem& p) { return p.is_error; });
}

std::vector<Problem> Reader::finish() {
  std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  if (!has_errors()) return problems_;
  std::vector<Problem> all = problems_;
  if (unlisted_ > 0)
    all.push_back(Problem{{document_.name(), 0, 0},
                          {},
                          fmt::format("{} more errors are not listed", unlisted_),
                          "mend the first ones and check again"});
  throw ConfigError(std::move(all));
}

}  // namespace pintle::config
