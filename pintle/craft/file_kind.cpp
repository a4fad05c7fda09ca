#include "pintle/craft/file_kind.h"

#include <array>

#include "pintle/vehicle/duke.h"
#include "pintle/vehicle/subjugator.h"

namespace pintle::craft {
namespace {

using config::Document;
using config::Node;

struct NativeFormat {
  FileKind kind;
  std::string_view name, format;
  std::array<std::string_view, 3> sections;  ///< Only files of this kind have them.
};

constexpr std::array kFormats{
    NativeFormat{FileKind::kVehicle,
                 "vehicle",
                 "pintle/vehicle/1",
                 {"propulsors", "body", "thruster_types"}},
    NativeFormat{
        FileKind::kMission, "mission", "pintle/mission/1", {"mission", "vehicle", "faults"}},
    NativeFormat{FileKind::kWorld, "world", "pintle/world/1", {"water", "odometry", "truth"}}};

constexpr std::string_view kWriteAFormat =
    "begin the file with  format: pintle/vehicle/1  or  pintle/mission/1  or  pintle/world/1";

const NativeFormat& native(FileKind kind) noexcept {
  return kFormats[static_cast<std::size_t>(kind)];
}

/// "pintle/vehicle/" of "pintle/vehicle/1".
std::string_view without_version(std::string_view format) noexcept {
  return format.substr(0, format.rfind('/') + 1);
}

[[noreturn]] void refuse(const Document& document, const config::Location& where,
                         std::string message, std::string fix) {
  config::Reader reader(document);
  reader.error(where, std::move(message), std::move(fix));
  reader.finish();
  throw config::ConfigError(reader.problems());  // finish() has thrown
}

config::Location top_of(const Document& document) { return {document.name(), 1, 1}; }

}  // namespace

std::string_view to_string(FileKind kind) noexcept { return native(kind).name; }

void check_format(config::Reader& reader, const Document& document, FileKind kind) {
  const std::string wanted(native(kind).format);
  const Node& root = document.root();
  if (const Node* format = root.find("format")) {
    if (format->scalar == wanted) return;
    return reader.error(format->where,
                        "format: expected " + wanted +
                            (format->scalar.empty() ? "" : ", got \"" + format->scalar + "\""),
                        "write  format: " + wanted);
  }
  std::vector<std::string_view> keys;
  for (const Node::Entry& entry : root.entries) keys.push_back(entry.key);
  if (!config::did_you_mean("format", keys).empty()) return;
  reader.error(top_of(document), "format: missing; expected " + wanted,
               "write at the top:  format: " + wanted);
}

FileKind kind_of(const Document& document) {
  const Node& root = document.root();
  if (vehicle::is_duke_file(document) || vehicle::is_thruster_layout(document) ||
      vehicle::is_busses(document))
    return FileKind::kVehicle;
  if (root.kind == Node::Kind::kNull)
    refuse(document, top_of(document), "the file is empty", std::string(kWriteAFormat));
  if (!root.is_map())
    refuse(document, root.where,
           std::string("expected keys with values, got ") + (root.is_list() ? "a list" : "text"),
           std::string(kWriteAFormat) + ", then  key: value  line by line");

  const Node* format = root.find("format");
  for (const NativeFormat& f : kFormats)
    if (format != nullptr && format->scalar.starts_with(without_version(f.format))) return f.kind;
  // a format that is missing or spoilt: the rest tells what it was meant to be
  for (const NativeFormat& f : kFormats)
    for (const std::string_view section : f.sections)
      if (root.find(section) != nullptr) return f.kind;
  if (format != nullptr)
    refuse(document, format->where, "format: \"" + format->scalar + "\" is not a format of Pintle",
           "write  format: pintle/vehicle/1  or  pintle/mission/1  or  pintle/world/1");
  refuse(document, top_of(document),
         "format: missing, and it is no robot file of Duke or SubjuGator",
         std::string(kWriteAFormat));
}

void require_kind(const Document& document, FileKind wanted) {
  const FileKind kind = kind_of(document);
  if (kind == wanted) return;
  const Node* format = document.root().find("format");
  refuse(document, format != nullptr ? format->where : top_of(document),
         "this is a " + std::string(to_string(kind)) + " file, expected a " +
             std::string(to_string(wanted)) + " file",
         "name a file that begins with  format: " + std::string(native(wanted).format));
}

}  // namespace pintle::craft
