#include "pintle/base/port_name.h"

#include <algorithm>

namespace pintle {
namespace {

bool parts_words(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
         std::string_view("\"\\(){}[],").find(c) != std::string_view::npos;
}

/// For a message: nothing in it commands a terminal.
std::string shown(std::string_view name) {
  std::string out(name);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return '"' + out + '"';
}

}  // namespace

bool is_port_name(std::string_view name) noexcept {
  return name.size() >= 2 && name.size() <= kMaxPortName && name[0] == '/' &&
         std::none_of(name.begin(), name.end(), parts_words);
}

std::string mended_port_name(std::string name) {
  std::replace_if(name.begin(), name.end(), parts_words, '_');
  return name.starts_with('/') ? name : "/" + name;
}

std::optional<Finding> port_name_fault(std::string_view name) {
  if (is_port_name(name)) return std::nullopt;
  if (name.size() > kMaxPortName)
    return Finding{"",
                   "the name of a port has at most " + std::to_string(kMaxPortName) +
                       " characters, this one " + std::to_string(name.size()),
                   "write a shorter one"};
  if (name.empty() || name == "/")
    return Finding{"", "expected the name of a port, got " + shown(name),
                   "write such as  /jets/input:i"};
  const bool whole = std::none_of(name.begin(), name.end(), parts_words);
  return Finding{"",
                 "expected the name of a port, which begins with / and has " +
                     std::string(whole ? "no blanks" : "no blanks, quotes, brackets or commas") +
                     ", got " + shown(name),
                 "write  " + mended_port_name(std::string(name))};
}

}  // namespace pintle
