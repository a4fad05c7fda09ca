#include "common/parameter_text.h"

#include <cstdio>
#include <stdexcept>

#include "common/ask_master.h"

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

/// As YAML in flow style; what has no form there becomes a text, which the reader refuses.
std::string yaml(XmlRpcValue& value) {
  std::string out;
  switch (value.getType()) {
    case XmlRpcValue::TypeInt: return std::to_string(static_cast<int>(value));
    case XmlRpcValue::TypeDouble: {
      char number[40];
      std::snprintf(number, sizeof number, "%.17g", static_cast<double>(value));
      return number;
    }
    case XmlRpcValue::TypeBoolean: return static_cast<bool>(value) ? "true" : "false";
    case XmlRpcValue::TypeString: return quoted(static_cast<std::string>(value));
    case XmlRpcValue::TypeArray:
      for (int i = 0; i < value.size(); ++i) out += (i > 0 ? ", " : "") + yaml(value[i]);
      return "[" + out + "]";
    case XmlRpcValue::TypeStruct:
      for (auto& [key, item] : value)
        out += (out.empty() ? "" : ", ") + quoted(key) + ": " + yaml(item);
      return "{" + out + "}";
    default: return quoted("not a number");
  }
}

/// False when it is not set.
bool fetch(const std::string& name, XmlRpcValue& value) {
  XmlRpcValue request = as_this_node();
  request[1] = name;
  // the answer's own code says whether there is one; an answer at all, that there is a master
  if (ask_master("hasParam", request, value) == MasterSays::kYes) {
    if (!static_cast<bool>(value)) return false;
    if (ask_master("getParam", request, value) == MasterSays::kYes) return true;
  }
  throw std::runtime_error(name + ": the master does not answer");
}

}  // namespace

std::optional<std::string> text_of(const ros::NodeHandle& own,
                                   const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    XmlRpcValue value;
    if (fetch(own.resolveName(key), value)) text += key + ": " + yaml(value) + "\n";
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace pintle::ros1
