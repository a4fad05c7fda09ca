/// What a recording knows of itself when it is closed, and the summary section made from it: the
/// channels again, statistics, and where chunks, attachments and metadata are.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pintle/telemetry/cdr_plan.h"
#include "pintle/telemetry/mcap_format.h"

namespace pintle::telemetry {

inline constexpr std::string_view kMcapCompression = "zstd";

/// First and last time of some messages.
struct TimeSpan {
  std::uint64_t first = 0, last = 0;
  bool any = false;
  void add(std::uint64_t t) noexcept {
    first = any ? std::min(first, t) : t;
    last = any ? std::max(last, t) : t;
    any = true;
  }
};

/// Where a message is, as the message index has it.
struct IndexEntry {
  std::uint64_t time, place_in_chunk;
};

struct ChannelEntry {
  std::string topic, schema_name, schema_text;
  const CdrPlan* plan = nullptr;
  std::uint16_t id = 0, schema = 0;
  std::uint32_t sequence = 0;
  std::uint64_t messages = 0;
  std::size_t describe_in = 0;  ///< The next chunk that is to say what this channel is.
  bool is_described = false;    ///< Somewhere in the file.
};

struct ChunkEntry {
  TimeSpan span;
  std::uint64_t start = 0, length = 0, index_length = 0, packed = 0, unpacked = 0;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> indexes;  ///< Channel, place in the file.
};

struct AttachmentEntry {
  std::uint64_t start, length, time, size;
  std::string name, media_type;
};

struct MetadataEntry {
  std::uint64_t start, length;
  std::string name;
};

struct McapIndex {
  std::uint64_t messages = 0;
  std::uint16_t schemas = 0;
  TimeSpan span;
  std::vector<ChannelEntry> channels;
  std::vector<ChunkEntry> chunks;
  std::vector<AttachmentEntry> attachments;
  std::vector<MetadataEntry> metadata;
};

void put_schema(McapBuffer& out, const ChannelEntry& channel);
void put_channel(McapBuffer& out, const ChannelEntry& channel);
/// Summary, summary offsets, footer and magic, for a buffer that begins at `position` of the file.
void put_summary(McapBuffer& out, const McapIndex& index, std::uint64_t position);

}  // namespace pintle::telemetry
