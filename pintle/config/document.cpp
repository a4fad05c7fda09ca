#include "pintle/config/document.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "pintle/config/parse.h"
#include "pintle/config/path.h"
#include "pintle/config/text.h"

namespace pintle::config {
namespace {

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

[[noreturn]] void refuse(const std::string& name, const std::string& message, std::string fix) {
  throw ConfigError(Problem{{name, 0, 0}, {}, message, std::move(fix)});
}

}  // namespace

const Node* Node::find(std::string_view key) const noexcept {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Document Document::load(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    refuse(name, "expected a file, this is a folder", "name a file in it");

  const std::unique_ptr<std::FILE, Close> stream(std::fopen(name.c_str(), "rbe"));
  if (!stream) {
    const int reason = errno;
    refuse(name, fmt::format("cannot open the file: {}", std::strerror(reason)),
           reason == ENOENT ? "check the path and the spelling" : "");
  }
  // one byte more than allowed tells a file that is too long
  std::string text;
  std::string chunk(64 << 10, '\0');
  while (text.size() <= kMaxBytes) {
    const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), stream.get());
    text.append(chunk, 0, n);
    if (n < chunk.size()) break;
  }
  if (std::ferror(stream.get()) != 0)
    refuse(name, fmt::format("cannot read the file: {}", std::strerror(errno)), "");
  return parse(std::move(text), name);
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
