#include "pintle/config/document.h"

#include "pintle/config/file.h"
#include "pintle/config/parse.h"
#include "pintle/config/path.h"

namespace pintle::config {

const Node* Node::find(std::string_view key) const noexcept {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Document Document::load(const std::filesystem::path& file) {
  return parse(read_file(file), file.string());
}

Document Document::parse(std::string text, std::string name) {
  Document document;
  document.text_ = std::move(text);
  document.name_ = std::move(name);
  document.root_ = parse_tree(document.text_, document.name_);
  return document;
}

const Node* Document::at(std::string_view path) const noexcept {
  const Walked walked = walk(root_, path);
  return walked.rest.empty() ? walked.node : nullptr;
}

Location Document::location_of(std::string_view path) const {
  Location where = walk(root_, path).node->where;
  if (where.file.empty()) where.file = name_;
  return where;
}

}  // namespace pintle::config
