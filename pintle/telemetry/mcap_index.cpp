#include "pintle/telemetry/mcap_index.h"

#include "pintle/base/crc32.h"

namespace pintle::telemetry {

void put_schema(McapBuffer& out, const ChannelEntry& c) {
  const std::size_t record = out.begin(McapOp::kSchema);
  out.put(c.schema);
  out.put_text(c.schema_name);
  out.put_text("ros2msg");
  out.put_text(c.schema_text);
  out.end(record);
}

void put_channel(McapBuffer& out, const ChannelEntry& c) {
  const std::size_t record = out.begin(McapOp::kChannel);
  out.put(c.id);
  out.put(c.schema);
  out.put_text(c.topic);
  out.put_text("cdr");
  // the ros2 profile wants them; a log keeps the last of everything and loses nothing
  const std::size_t map = out.begin_array();
  out.put_text("offered_qos_profiles");
  out.put_text(
      "- history: 3\n  depth: 0\n  reliability: 1\n  durability: 2\n  deadline:\n    sec: "
      "9223372036\n    nsec: 854775807\n  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n  "
      "liveliness: 1\n  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n  "
      "avoid_ros_namespace_conventions: false");
  out.end_array(map);
  out.end(record);
}

namespace {

void put_chunk_index(McapBuffer& out, const ChunkEntry& c) {
  const std::size_t record = out.begin(McapOp::kChunkIndex);
  out.put(c.span.first);
  out.put(c.span.last);
  out.put(c.start);
  out.put(c.length);
  const std::size_t map = out.begin_array();
  for (const auto& [channel, place] : c.indexes) {
    out.put(channel);
    out.put(place);
  }
  out.end_array(map);
  out.put(c.index_length);
  out.put_text(kMcapCompression);
  out.put(c.packed);
  out.put(c.unpacked);
  out.end(record);
}

void put_statistics(McapBuffer& out, const McapIndex& index) {
  const std::size_t record = out.begin(McapOp::kStatistics);
  out.put(index.messages);
  out.put(index.schemas);
  out.put(static_cast<std::uint32_t>(index.channels.size()));
  out.put(static_cast<std::uint32_t>(index.attachments.size()));
  out.put(static_cast<std::uint32_t>(index.metadata.size()));
  out.put(static_cast<std::uint32_t>(index.chunks.size()));
  out.put(index.span.first);
  out.put(index.span.last);
  const std::size_t map = out.begin_array();
  for (const ChannelEntry& c : index.channels) {
    out.put(c.id);
    out.put(c.messages);
  }
  out.end_array(map);
  out.end(record);
}

}  // namespace

void put_summary(McapBuffer& out, const McapIndex& index, std::uint64_t position) {
  struct Group {
    McapOp op;
    std::uint64_t start, length;
  };
  std::vector<Group> groups;
  const auto group = [&](McapOp op, const auto& put_all) {
    const std::size_t start = out.size();
    put_all();
    if (out.size() > start) groups.push_back({op, position + start, out.size() - start});
  };
  group(McapOp::kSchema, [&] {
    std::uint16_t last = 0;
    for (const ChannelEntry& c : index.channels) {
      if (c.schema > last) put_schema(out, c);
      last = std::max(last, c.schema);
    }
  });
  group(McapOp::kChannel, [&] {
    for (const ChannelEntry& c : index.channels) put_channel(out, c);
  });
  group(McapOp::kStatistics, [&] { put_statistics(out, index); });
  group(McapOp::kChunkIndex, [&] {
    for (const ChunkEntry& c : index.chunks) put_chunk_index(out, c);
  });
  group(McapOp::kAttachmentIndex, [&] {
    for (const AttachmentEntry& a : index.attachments) {
      const std::size_t record = out.begin(McapOp::kAttachmentIndex);
      for (const std::uint64_t v : {a.start, a.length, a.time, a.time, a.size}) out.put(v);
      out.put_text(a.name);
      out.put_text(a.media_type);
      out.end(record);
    }
  });
  group(McapOp::kMetadataIndex, [&] {
    for (const MetadataEntry& m : index.metadata) {
      const std::size_t record = out.begin(McapOp::kMetadataIndex);
      out.put(m.start);
      out.put(m.length);
      out.put_text(m.name);
      out.end(record);
    }
  });

  const std::uint64_t offsets_start = position + out.size();
  for (const Group& g : groups) {
    const std::size_t record = out.begin(McapOp::kSummaryOffset);
    out.put(g.op);
    out.put(g.start);
    out.put(g.length);
    out.end(record);
  }
  const std::size_t footer = out.begin(McapOp::kFooter);
  out.put(position);
  out.put(offsets_start);
  // the sum covers the summary and the footer up to itself; the footer's length is known by now
  out.put(std::uint32_t{0});
  out.end(footer);
  const std::uint32_t crc = crc32(out.bytes().first(out.size() - sizeof crc));
  out.overwrite(out.size() - sizeof crc, crc);
  out.append(kMcapMagic.data(), kMcapMagic.size());
}

}  // namespace pintle::telemetry
