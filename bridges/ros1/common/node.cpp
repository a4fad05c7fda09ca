#include "common/node.h"

#include <stdexcept>

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

/// False when it is not set.
bool fetch(const ros::NodeHandle& node, const std::string& name, XmlRpcValue& value) {
  return node.getParam(name, value);
}

[[noreturn]] void refuse(const ros::NodeHandle& node, const std::string& name,
                         const std::string& expected) {
  throw std::runtime_error("parameter " + node.resolveName(name) + ": expected " + expected);
}

}  // namespace

bool bool_param(const ros::NodeHandle& node, const std::string& name, bool fallback) {
  XmlRpcValue value;
  if (!fetch(node, name, value)) return fallback;
  if (value.getType() != XmlRpcValue::TypeBoolean) refuse(node, name, "true or false");
  return value;
}

double number_param(const ros::NodeHandle& node, const std::string& name, double fallback,
                    double min, double max) {
  XmlRpcValue value;
  if (!fetch(node, name, value)) return fallback;
  const std::string range = "a number from " + std::to_string(min) + " to " + std::to_string(max);
  double number = 0;
  if (value.getType() == XmlRpcValue::TypeDouble)
    number = value;
  else if (value.getType() == XmlRpcValue::TypeInt)
    number = static_cast<int>(value);
  else
    refuse(node, name, range);
  if (!(number >= min && number <= max)) refuse(node, name, range);
  return number;
}

std::string text_param(const ros::NodeHandle& node, const std::string& name,
                       const std::string& fallback) {
  XmlRpcValue value;
  if (!fetch(node, name, value)) return fallback;
  if (value.getType() != XmlRpcValue::TypeString) refuse(node, name, "a text");
  return value;
}

std::string path_param(const ros::NodeHandle& node, const std::string& name,
                       const std::string& fallback) {
  std::string path = text_param(node, name, fallback);
  if (path.rfind("file://", 0) == 0) path = path.substr(7);
  return path;
}

std::string word_param(const ros::NodeHandle& node, const std::string& name,
                       const std::string& fallback, const std::vector<std::string>& words) {
  std::string word = text_param(node, name, fallback);
  std::string list;
  for (const std::string& w : words) {
    if (w == word) return word;
    list += (list.empty() ? "" : " or ") + w;
  }
  refuse(node, name, list + ", got " + word);
}

void refuse_unknown_params(const ros::NodeHandle& own, const std::vector<std::string>& known) {
  std::vector<std::string> all;
  if (!own.getParamNames(all)) return;
  const std::string prefix = own.getNamespace() + "/";
  std::string list, wrong;
  for (const std::string& k : known) list += (list.empty() ? "~" : ", ~") + k;
  for (const std::string& name : all) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    // a map comes as its parts, whose names are for whoever reads the map
    const std::string given = name.substr(prefix.size());
    bool found = false;
    for (const std::string& k : known)
      found = found || given == k || given.compare(0, k.size() + 1, k + "/") == 0;
    if (!found) wrong += "there is no parameter ~" + given + "\n";
  }
  if (!wrong.empty()) throw std::runtime_error(wrong + "there are " + list);
}

}  // namespace pintle::ros1
