/// Reads MCAP files front to back, so that a log without its end is read as far as it goes.
///
/// Checks chunk CRCs; a damaged chunk is skipped and counted. Never trusts a length: no file makes
/// it crash or use more than `kMaxRecordBytes` for one record.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pintle/base/time.h"

namespace pintle::telemetry {

inline constexpr std::size_t kMaxRecordBytes = 256u << 20;

struct McapMessage {
  std::string_view topic;
  std::string_view schema_name;  ///< "pintle/msg/Outputs".
  std::string_view schema_text;  ///< ros2msg.
  Time time;
  std::uint32_t sequence = 0;        ///< Counts the channel's messages; those that were lost, too.
  std::span<const std::byte> bytes;  ///< CDR; valid during the call.
};

struct McapAttachment {
  std::string name, media_type, content;
};

struct McapSummary {
  std::uint64_t messages = 0, damaged_chunks = 0;
  bool complete = false;  ///< A footer was found: the recording was closed.
  std::string note;       ///< Why not complete, or what was skipped.
};

class McapReader {
 public:
  /// @throws std::runtime_error when the file cannot be opened or does not begin like an MCAP file.
  explicit McapReader(const std::filesystem::path& file);

  /// All messages in file order; return false from the callback to stop.
  McapSummary for_each(const std::function<bool(const McapMessage&)>& callback);
  [[nodiscard]] std::optional<McapAttachment> attachment(std::string_view name);
  /// All metadata records, "record/key" to value.
  [[nodiscard]] std::map<std::string, std::string> metadata();

 private:
  std::filesystem::path file_;
};

}  // namespace pintle::telemetry
