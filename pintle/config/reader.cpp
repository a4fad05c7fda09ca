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
  report(where, std::move(message), std::move(fix), true);
}

void Reader::warning(const Location& where, std::string message, std::string fix) {
  report(where, std::move(message), std::move(fix), false);
}

void Reader::add(const Findings& findings, const Node& node) {
  for (const Finding& finding : findings) {
    // follow the path as far as the file goes; what is not written has its default
    const Node* here = &node;
    const Location* where = &node.where;
    std::string_view rest = finding.path;
    while (!rest.empty()) {
      std::string_view next = rest;
      const std::optional<Step> step = take_step(next);
      if (!step) break;
      const Node::Entry* entry = nullptr;
      const Node* child = nullptr;
      std::string_view key = step->key;
      std::size_t index = step->index.value_or(kMaxNodes);
      // [1] of a keyed map is its second key; y of a list that stands for a struct is its second
      // item
      if (const auto keyed = keyed_.find(here); keyed != keyed_.end()) {
        const auto& keys = keyed->second;
        if (step->index && index < keys.size()) key = keys[index];
        if (!step->index)
          index = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
      } else if (const auto fields = structs_.find(here); fields != structs_.end()) {
        const auto& all = fields->second->fields;
        if (const Field* field = fields->second->find(key); field != nullptr)
          index = static_cast<std::size_t>(field - all.data());
      }
      for (const Node::Entry& e : here->entries)
        if (e.key == key) entry = &e;
      if (entry != nullptr) child = &entry->value;
      if (here->is_list() && index < here->items.size()) child = &here->items[index];
      if (child == nullptr) break;
      // of a map the key is the better place to point at: its value begins with another key
      const bool points_at_key = entry != nullptr && !child->is_scalar();
      where = points_at_key ? &entry->key_where : &child->where;
      here = child;
      rest = next;
    }
    const std::string key = rest.empty() ? last_key(finding.path) : finding.path;
    report(*where, key.empty() ? finding.message : key + ": " + finding.message, finding.fix,
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
