/// As much of XML as robot descriptions use, with the line of every element. For sources of this
/// room.
///
/// At most 20 000 elements, 100 deep, of 64 attributes each. Elements, attributes, the five named
/// entities and numbered ones, comments, declarations (skipped). Text between elements is dropped.
/// Does not read: document types with entities of their own, namespaces (a prefix is part of the
/// name).
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/config/problem.h"

namespace pintle::vehicle {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
  config::Location where;

  [[nodiscard]] const std::string* attribute(std::string_view key) const noexcept;
  [[nodiscard]] const XmlElement* child(std::string_view child_name) const noexcept;
};

/// The root element.
/// @throws config::ConfigError with the place of the first mistake.
[[nodiscard]] XmlElement parse_xml(std::string_view text, const std::string& file);

}  // namespace pintle::vehicle
