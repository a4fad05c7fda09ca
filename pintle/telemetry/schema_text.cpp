// The `ros2msg` definition of a table. ROS 2 wants field names of lower-case letters, digits and
// single underscores, and constant names of capitals, so names are bent where they do not fit.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/whole_table.h"

namespace pintle::telemetry {
namespace {

constexpr std::string_view kPackage = "pintle/";

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
char lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Letters, digits and single underscores, with a letter in front.
std::string ros_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_letter(c) || is_digit(c))
      out += lower(c);
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() || !is_letter(out.front()) ? fmt::format("f{}", out) : out;
}

/// "AxisMode" and "position" make AXIS_MODE_POSITION.
std::string constant_name(std::string_view enumeration, std::string_view value) {
  std::string snake;
  for (std::size_t i = 0; i < enumeration.size(); ++i) {
    if (i > 0 && is_upper(enumeration[i]) && !is_upper(enumeration[i - 1])) snake += '_';
    snake += enumeration[i];
  }
  std::string out = ros_name(fmt::format("{}_{}", snake, value));
  for (char& c : out) c = upper(c);
  return out;
}

std::string_view enum_type(std::size_t size) noexcept {
  return size == 1 ? "uint8" : size == 2 ? "uint16" : size == 4 ? "int32" : "int64";
}

std::string_view number_type(const Field& field) noexcept {
  switch (field.kind) {
    case Kind::kBool: return "bool";
    case Kind::kUint8: return "uint8";
    case Kind::kUint16: return "uint16";
    case Kind::kInt32: return "int32";
    case Kind::kUint32: return "uint32";
    case Kind::kInt64: return "int64";
    case Kind::kUint64: return "uint64";
    case Kind::kFloat32: return "float32";
    case Kind::kFloat64: return "float64";
    case Kind::kEnum: return enum_type(field.element_size);
    case Kind::kString:
    case Kind::kStruct: break;
  }
  return "string";
}

std::string shape_text(const Field& field) {
  switch (field.shape) {
    case Shape::kSingle: return "";
    case Shape::kArray: return fmt::format("[{}]", field.capacity);
    case Shape::kSequence: return fmt::format("[<={}]", field.capacity);
    case Shape::kOptional: return "[<=1]";
    case Shape::kVector: return "[]";
  }
  return "";
}

/// Text that stays on its line.
std::string comment(const Field& field) {
  std::string out;
  if (!field.unit.empty()) out = fmt::format("[{}] ", field.unit);
  out += field.meaning;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return out.empty() ? out : fmt::format("  # {}", out);
}

/// With its package; that of a struct of our own is ours.
std::string full_name(const Table& table) {
  if (table.name.find('/') != std::string_view::npos) return std::string(table.name);
  return fmt::format("{}{}", kPackage, table.name);
}

class Definition {
 public:
  std::string write(const Table& root) {
    name_of(whole(root));
    std::string out;
    // nested types queue up while the ones before them are written
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i > 0) {
        out += fmt::format("{:=<80}\nMSG: {}\n", "", names_[order_[i]]);
      }
      body(*order_[i], out);
    }
    return out;
  }

 private:
  const std::string& name_of(const Table& table) {
    const auto found = names_.find(&table);
    if (found != names_.end()) return found->second;
    const std::string whole = full_name(table);
    std::string name = whole;
    for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}{}", whole, n);
    order_.push_back(&table);
    return names_[&table] = name;
  }

  void body(const Table& table, std::string& out) {
    std::set<std::string> fields;
    std::set<const EnumTable*> enumerations;
    for (const Field& f : table.fields) {
      // constants stand right before the first field that uses them
      if (f.kind == Kind::kEnum && f.enumeration && enumerations.insert(f.enumeration).second) {
        for (const EnumValue& v : f.enumeration->values) {
          out += enum_type(f.element_size);
          out += fmt::format(" {}={}\n", constant_name(f.enumeration->name, v.name), v.value);
        }
      }
      std::string name = ros_name(f.name);
      for (int n = 2; !fields.insert(name).second; ++n)
        name = fmt::format("{}_{}", ros_name(f.name), n);
      if (f.kind == Kind::kStruct)
        out.append(name_of(pintle::telemetry::whole(*f.table)));
      else
        out += number_type(f);
      out += fmt::format("{} {}{}\n", shape_text(f), name, comment(f));
    }
    if (table.fields.empty()) out += "uint8 structure_needs_at_least_one_member\n";
  }

  std::vector<const Table*> order_;
  std::map<const Table*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace

std::string ros2msg_definition(const Table& table) { return Definition{}.write(table); }

std::string ros2msg_name(const Table& table) {
  std::string name = full_name(table);
  return name.insert(name.find('/'), "/msg");
}

bool same_layout(std::string_view definition, const Table& table) {
  // comments may change from one version to the next without harm
  const auto bare = [](std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      line = line.substr(0, line.find('#'));
      while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
      if (!line.empty()) out.append(line).append("\n");
      at = end + 1;
    }
    return out;
  };
  return bare(definition) == bare(ros2msg_definition(table));
}

}  // namespace pintle::telemetry
