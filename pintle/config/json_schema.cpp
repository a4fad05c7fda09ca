#include "pintle/config/json_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "pintle/config/describe.h"
#include "pintle/config/reader.h"

namespace pintle::config {
namespace {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + '"';
}

/// A JSON value under construction: members in the order in which they were added.
struct Json {
  std::string leaf;
  std::vector<std::pair<std::string, Json>> members;
  std::vector<Json> items;
  enum class Form { kLeaf, kObject, kArray } form = Form::kObject;

  static Json raw(std::string text) { return {std::move(text), {}, {}, Form::kLeaf}; }
  static Json text(std::string_view t) { return raw(json_text(t)); }
  static Json number(double value) { return raw(shortest(value)); }
  static Json boolean(bool value) { return raw(value ? "true" : "false"); }
  static Json array(std::vector<Json> items = {}) {
    return {{}, {}, std::move(items), Form::kArray};
  }
  Json& set(std::string_view key, Json value) {
    members.emplace_back(std::string(key), std::move(value));
    return *this;
  }

  void print(std::string& out, std::size_t indent) const {
    if (form == Form::kLeaf) {
      out += leaf;
      return;
    }
    const bool is_object = form == Form::kObject;
    const std::size_t n = is_object ? members.size() : items.size();
    out += is_object ? '{' : '[';
    bool flat = !is_object;  // a list of plain values stays on one line
    for (const Json& item : items) flat = flat && item.form == Form::kLeaf;
    for (std::size_t i = 0; i < n; ++i) {
      if (flat)
        out += i > 0 ? ", " : "";
      else
        out += (i > 0 ? ",\n" : "\n") + std::string(indent + 2, ' ');
      if (is_object) out += json_text(members[i].first) + ": ";
      (is_object ? members[i].second : items[i]).print(out, indent + 2);
    }
    if (!flat && n > 0) out += '\n' + std::string(indent, ' ');
    out += is_object ? '}' : ']';
  }
};

Json join(Json a, Json b) {
  for (auto& member : b.members) a.members.push_back(std::move(member));
  return a;
}

/// Makes the schema of one table, and collects those of the tables inside it.
class Writer {
 public:
  Json root(const Table& table, std::string_view title, std::string_view format) {
    Json schema;
    schema.set("$schema", Json::text("http://json-schema.org/draft-07/schema#"));
    schema.set("title", Json::text(title));
    schema = join(std::move(schema), object(table, Field{}, table.defaults, format));
    if (definitions_.empty()) return schema;
    Json definitions;
    // sorted by name, so that the order of use does not matter
    for (auto& [name, definition] : definitions_) definitions.set(name, std::move(definition));
    schema.set("definitions", std::move(definitions));
    return schema;
  }

 private:
  Json object(const Table& table, const Field& self, const void* defaults,
              std::string_view format = {}) {
    Json schema, properties;
    std::vector<Json> required;
    if (!format.empty()) {
      Json constant;
      constant.set("const", Json::text(format));
      constant.set("description", Json::text("Says what kind of file this is."));
      properties.set("format", std::move(constant));
      required.push_back(Json::text("format"));
    }
    for (const Field& child : table.fields) {
      if (!format.empty() && child.name == "format") continue;
      properties.set(child.name, field(inherit(child, self), defaults));
      if (child.required) required.push_back(Json::text(child.name));
    }
    schema.set("type", Json::text("object"));
    if (!table.meaning.empty()) schema.set("description", Json::text(table.meaning));
    schema.set("properties", std::move(properties));
    if (!required.empty()) schema.set("required", Json::array(std::move(required)));
    schema.set("additionalProperties", Json::boolean(false));
    return schema;
  }

  Json field(const Field& f, const void* defaults) {
    Json schema;
    std::string meaning(f.meaning);
    if (!f.unit.empty()) meaning += fmt::format("{}[{}]", meaning.empty() ? "" : " ", f.unit);
    if (f.kind == Kind::kEnum)
      for (const EnumValue& value : f.enumeration->values)
        meaning += fmt::format("{}{}: {}", meaning.empty() ? "" : " ", value.name, value.meaning);
    if (!meaning.empty()) schema.set("description", Json::text(meaning));
    schema = join(std::move(schema), shaped(f));
    if (!f.required && defaults != nullptr)
      if (std::optional<Json> value = default_of(f, defaults))
        schema.set("default", std::move(*value));
    return schema;
  }

  Json shaped(const Field& f) {
    switch (f.shape) {
      case Shape::kSingle: {
        Json single = element(f);
        if (single.members.empty() || single.members[0].first != "$ref") return single;
        // draft 7 ignores what stands beside $ref, the description included
        Json wrapped;
        wrapped.set("allOf", Json::array({std::move(single)}));
        return wrapped;
      }
      case Shape::kOptional: {
        Json none;
        none.set("type", Json::text("null"));
        return any_of(element(f), std::move(none));
      }
      case Shape::kSequence:
      case Shape::kVector: {
        const std::size_t most = std::min(f.capacity, kMaxItems);
        return list(element(f), f.minimum_items, most);
      }
      case Shape::kArray: break;
    }
    Json items = list(element(f), f.capacity, f.capacity);
    if (f.keys.empty()) return items;
    Json map, properties;
    std::vector<Json> required;
    for (const std::string_view key : f.keys) {
      properties.set(key, element(f));
      if (f.required) required.push_back(Json::text(key));
    }
    map.set("type", Json::text("object"));
    map.set("properties", std::move(properties));
    if (!required.empty()) map.set("required", Json::array(std::move(required)));
    map.set("additionalProperties", Json::boolean(false));
    return any_of(std::move(map), std::move(items));
  }

  static Json any_of(Json a, Json b) {
    Json schema;
    std::vector<Json> forms;
    forms.push_back(std::move(a));
    forms.push_back(std::move(b));
    schema.set("anyOf", Json::array(std::move(forms)));
    return schema;
  }

  static Json list(Json items, std::size_t least, std::size_t most) {
    Json schema;
    schema.set("type", Json::text("array"));
    schema.set("items", std::move(items));
    if (least > 0) schema.set("minItems", Json::number(static_cast<double>(least)));
    schema.set("maxItems", Json::number(static_cast<double>(most)));
    return schema;
  }

  Json element(const Field& f) {
    Json schema;
    switch (f.kind) {
      case Kind::kBool: return schema.set("type", Json::text("boolean"));
      case Kind::kString: return schema.set("type", Json::text("string"));
      case Kind::kEnum: {
        std::vector<Json> names, numbers;
        for (const EnumValue& value : f.enumeration->values) {
          names.push_back(Json::text(value.name));
          numbers.push_back(Json::number(static_cast<double>(value.value)));
        }
        for (Json& number : numbers) names.push_back(std::move(number));
        schema.set("enum", Json::array(std::move(names)));
        return schema;
      }
      case Kind::kStruct: return structure(f);
      default: return bounded(f);
    }
  }

  static Json bounded(const Field& f) {
    Json schema;
    const bool whole = is_integer(f.kind);
    schema.set("type", Json::text(whole ? "integer" : "number"));
    double low = f.minimum, high = f.maximum;
    // the kind bounds whole numbers; a double cannot say the ends of 64 bits exactly
    if (whole && f.element_size < 8) {
      low = std::max(low, smallest_of(f.kind));
      high = std::min(high, largest_of(f.kind));
    } else if (f.kind == Kind::kUint64) {
      low = std::max(low, 0.0);
    }
    if (std::isfinite(low))
      schema.set(f.above_minimum ? "exclusiveMinimum" : "minimum", Json::number(low));
    if (std::isfinite(high)) schema.set("maximum", Json::number(high));
    return schema;
  }

  Json structure(const Field& f) {
    // unit and range of the field hold for the numbers inside: then the struct is written out here
    const bool special = !f.unit.empty() || std::isfinite(f.minimum) || std::isfinite(f.maximum);
    if (special) return forms(*f.table, f);
    const std::string name = name_of(*f.table);
    if (!definitions_.contains(name)) {
      definitions_.emplace(name, Json{});  // taken, should the table meet itself inside
      Json definition = forms(*f.table, f);
      definitions_[name] = std::move(definition);
    }
    Json reference;
    reference.set("$ref", Json::text("#/definitions/" + name));
    return reference;
  }

  /// One form a case; its key has one value there.
  Json case_forms(const Table& table, const Field& self) {
    std::vector<Json> each;
    for (const TableCase& c : table.cases) {
      Json one = object(*c.table, self, c.table->defaults);
      for (auto& [key, value] : one.members) {
        if (key != "properties") continue;
        Json constant;
        constant.set("const", Json::text(c.value));
        constant.set("description", Json::text(c.table->meaning));
        for (auto& [name, property] : value.members)
          if (name == table.chosen_by) property = constant;
      }
      each.push_back(std::move(one));
    }
    Json schema;
    schema.set("anyOf", Json::array(std::move(each)));
    return schema;
  }

  Json forms(const Table& table, const Field& self) {
    if (!table.cases.empty()) return case_forms(table, self);
    Json map = object(table, self, table.defaults);
    if (!table.as_list) return map;
    std::vector<Json> items;
    for (const Field& child : table.fields) {
      Field plain = inherit(child, self);
      items.push_back(field(plain, nullptr));
    }
    Json sequence;
    const auto n = static_cast<double>(items.size());
    sequence.set("type", Json::text("array"));
    sequence.set("items", Json::array(std::move(items)));
    sequence.set("minItems", Json::number(n));
    sequence.set("maxItems", Json::number(n));
    sequence.set("additionalItems", Json::boolean(false));
    return any_of(std::move(sequence), std::move(map));
  }

  // two tables of one name get different definitions
  std::string name_of(const Table& table) {
    std::string name(table.name);
    for (int n = 2; names_.contains(name) && names_[name] != &table; ++n)
      name = fmt::format("{}{}", table.name, n);
    names_[name] = &table;
    return name;
  }

  std::optional<Json> default_of(const Field& f, const void* object) {
    const std::size_t n = f.size(object);
    if (f.shape == Shape::kSingle) return value_of(f, f.element(object, 0));
    if (f.shape == Shape::kOptional || n < f.minimum_items) return std::nullopt;
    std::vector<Json> items;
    for (std::size_t i = 0; i < n; ++i) {
      std::optional<Json> item = value_of(f, f.element(object, i));
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
    }
    return Json::array(std::move(items));
  }

  std::optional<Json> value_of(const Field& f, const void* element) {
    switch (f.kind) {
      case Kind::kString: return Json::text(f.text->get(element));
      case Kind::kBool: return Json::boolean(integer_of(f, element) != 0);
      case Kind::kEnum: return Json::text(f.enumeration->name_of(integer_of(f, element)));
      case Kind::kStruct: break;
      case Kind::kFloat32:
      case Kind::kFloat64: {
        const double value = number_of(f, element);
        if (!std::isfinite(value)) return std::nullopt;
        return Json::number(value);
      }
      default: return Json::raw(std::to_string(integer_of(f, element)));
    }
    // a struct that is a short list has a default worth reading; others say it field by field
    if (!f.table->as_list) return std::nullopt;
    std::vector<Json> items;
    for (const Field& child : f.table->fields) {
      std::optional<Json> item = default_of(child, element);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
    }
    return Json::array(std::move(items));
  }

  std::map<std::string, Json> definitions_;
  std::map<std::string, const Table*> names_;
};

}  // namespace

std::string json_schema(const Table& table, std::string_view title, std::string_view format) {
  std::string out;
  Writer().root(table, title, format).print(out, 0);
  return out + '\n';
}

}  // namespace pintle::config
