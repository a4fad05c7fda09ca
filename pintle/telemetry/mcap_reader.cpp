#include "pintle/telemetry/mcap_reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "pintle/base/crc32.h"
#include "pintle/telemetry/mcap_format.h"
#include "pintle/telemetry/mcap_walk.h"

namespace pintle::telemetry {
namespace {

// of a craft that is blind and lies still a byte becomes twelve; zstd could make 30 000 of it, and a
// file of 4 MB last for minutes
constexpr std::uint64_t kMaxExpansion = 256, kMaxUnpackedBytes = 64U << 20U;
constexpr std::size_t kMaxDefinitionBytes = 16U << 20U;  // names and texts of schemas and topics
struct Schema {
  std::string name, text;
};
struct Channel {
  std::uint16_t schema = 0;
  std::string topic;
};

/// Reads the records of the data section, inside chunks and out, and hands messages on.
class Messages {
 public:
  Messages(McapWalk& walk, const std::function<bool(const McapMessage&)>& callback)
      : walk_(walk), callback_(callback), context_(ZSTD_createDCtx()) {}
  ~Messages() { ZSTD_freeDCtx(context_); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  std::uint64_t count = 0;

  /// False when the callback wants no more.
  bool read() {
    for (McapRecord r; walk_.next(r);) {
      if (r.op == McapOp::kChunk) {
        has_chunks_ = in_chunk_ = true;
        const std::span<const std::byte> records = unpack(walk_.content(r, scratch_));
        if (!records.empty() && !take_all(records)) return false;
        in_chunk_ = false;
      } else if (r.op == McapOp::kSchema || r.op == McapOp::kChannel || r.op == McapOp::kMessage) {
        if (!take(r.op, walk_.content(r, scratch_))) return false;
      }
    }
    return true;
  }

 private:
  std::span<const std::byte> damaged(const char* why) {
    ++walk_.damaged_chunks;
    walk_.add_note(why);
    return {};
  }

  /// The records of a chunk, checked against its CRC; empty when it cannot be trusted.
  std::span<const std::byte> unpack(std::span<const std::byte> chunk) {
    McapCursor cursor(chunk);
    cursor.take_bytes(8 + 8);
    const auto size = cursor.take<std::uint64_t>();
    const auto crc = cursor.take<std::uint32_t>();
    const std::string_view compression = cursor.take_text();
    const std::span<const std::byte> stored = cursor.take_bytes(cursor.take<std::uint64_t>());
    if (!cursor.ok()) return damaged("a chunk's head is damaged");

    std::span<const std::byte> records = stored;
    if (compression == "zstd") {
      if (size > kMaxUnpackedBytes || size > stored.size() * kMaxExpansion)
        return damaged("a chunk claims a size that no flight has");
      const std::span<std::byte> to = unpacked_.get(static_cast<std::size_t>(size));
      const std::size_t n =
          ZSTD_decompressDCtx(context_, to.data(), to.size(), stored.data(), stored.size());
      if (ZSTD_isError(n) != 0 || n != size) return damaged("a chunk could not be unpacked");
      records = to;
    } else if (!compression.empty()) {
      return damaged("a chunk is packed in a way this reader does not know");
    }
    if (records.size() != size || (crc != 0 && crc32(records) != crc))
      return damaged("a chunk fails its checksum");
    return records;
  }

  bool take_all(std::span<const std::byte> records) {
    McapCursor cursor(records);
    while (!cursor.empty()) {
      const auto op = cursor.take<McapOp>();
      const std::span<const std::byte> content = cursor.take_bytes(cursor.take<std::uint64_t>());
      if (!cursor.ok()) {
        damaged("a chunk ends inside a record");
        return true;
      }
      if (!take(op, content)) return false;
    }
    return true;
  }

  bool take(McapOp op, std::span<const std::byte> content) {
    McapCursor cursor(content);
    // outside of chunks nothing has a checksum: where there are chunks, only they may overrule
    const bool may_replace = in_chunk_ || !has_chunks_;
    if (op == McapOp::kSchema) {
      const auto id = cursor.take<std::uint16_t>();
      const std::string_view name = cursor.take_text();
      cursor.take_text();
      const std::string_view text = cursor.take_text();
      if (!cursor.ok()) return true;
      const auto [at, is_new] = schemas_.try_emplace(id);
      Schema& schema = at->second;
      // every chunk repeats what it uses: mostly nothing is new
      if ((is_new || (may_replace && (schema.name != name || schema.text != text))) &&
          has_room(name.size() + text.size()))
        schema = {std::string(name), std::string(text)};
    } else if (op == McapOp::kChannel) {
      const auto id = cursor.take<std::uint16_t>();
      const auto schema = cursor.take<std::uint16_t>();
      const std::string_view topic = cursor.take_text();
      if (!cursor.ok()) return true;
      const auto [at, is_new] = channels_.try_emplace(id);
      Channel& channel = at->second;
      if ((is_new || (may_replace && (channel.schema != schema || channel.topic != topic))) &&
          has_room(topic.size()))
        channel = {schema, std::string(topic)};
    } else if (op == McapOp::kMessage) {
      if (may_replace) return hand_on(cursor);
      walk_.add_note("messages outside of chunks were skipped");
    }
    return true;
  }

  bool has_room(std::size_t bytes) {
    defined_bytes_ += bytes;
    const bool has = defined_bytes_ <= kMaxDefinitionBytes;
    if (!has) walk_.add_note("schemas and channels beyond 16 MB were skipped");
    return has;
  }

  bool hand_on(McapCursor& cursor) {
    const auto id = cursor.take<std::uint16_t>();
    const auto sequence = cursor.take<std::uint32_t>();
    const auto time = cursor.take<std::uint64_t>();
    cursor.take<std::uint64_t>();
    const auto channel = channels_.find(id);
    if (!cursor.ok() || channel == channels_.end()) {
      walk_.add_note("messages of unknown channels were skipped");
      return true;
    }
    McapMessage message;
    message.topic = channel->second.topic;
    if (const auto schema = schemas_.find(channel->second.schema); schema != schemas_.end()) {
      message.schema_name = schema->second.name;
      message.schema_text = schema->second.text;
    }
    message.sequence = sequence;
    message.time.ns = static_cast<std::int64_t>(time);
    message.bytes = cursor.take_bytes(cursor.left());
    ++count;
    return callback_(message);
  }

  McapWalk& walk_;
  const std::function<bool(const McapMessage&)>& callback_;
  ZSTD_DCtx* context_;
  Scratch scratch_, unpacked_;
  bool has_chunks_ = false, in_chunk_ = false;
  std::size_t defined_bytes_ = 0;
  std::map<std::uint16_t, Schema> schemas_;
  std::map<std::uint16_t, Channel> channels_;
};

}  // namespace

McapReader::McapReader(const std::filesystem::path& file) : file_(file) {
  const RandomAccessFile opened(file);
  std::array<std::byte, kMcapMagic.size()> magic{};
  if (!opened.read(0, magic) || std::memcmp(magic.data(), kMcapMagic.data(), magic.size()) != 0)
    throw std::runtime_error(fmt::format("{} does not begin like an MCAP file", file.string()));
}

McapSummary McapReader::for_each(const std::function<bool(const McapMessage&)>& callback) {
  McapWalk walk(file_);
  Messages messages(walk, callback);
  const bool to_the_end = messages.read();
  if (!to_the_end) walk.add_note("stopped by the caller");
  return {messages.count, walk.damaged_chunks, walk.complete, walk.note};
}

std::optional<McapAttachment> McapReader::attachment(std::string_view name) {
  McapWalk walk(file_);
  Scratch scratch;
  for (McapRecord r; walk.next(r);) {
    if (r.op != McapOp::kAttachment) continue;
    const std::span<const std::byte> content = walk.content(r, scratch);
    McapCursor cursor(content);
    cursor.take_bytes(8 + 8);
    if (cursor.take_text() != name) continue;
    McapAttachment attachment;
    attachment.name = name;
    attachment.media_type = cursor.take_text();
    const std::span<const std::byte> data = cursor.take_bytes(cursor.take<std::uint64_t>());
    const std::size_t covered = content.size() - cursor.left();
    const auto crc = cursor.take<std::uint32_t>();
    if (!cursor.ok() || (crc != 0 && crc32(content.first(covered)) != crc)) continue;
    attachment.content.assign(reinterpret_cast<const char*>(data.data()), data.size());
    return attachment;
  }
  return std::nullopt;
}

std::map<std::string, std::string> McapReader::metadata() {
  McapWalk walk(file_);
  Scratch scratch;
  std::map<std::string, std::string> out;
  for (McapRecord r; walk.next(r);) {
    if (r.op != McapOp::kMetadata) continue;
    McapCursor cursor(walk.content(r, scratch));
    const std::string record(cursor.take_text());
    McapCursor entries(cursor.take_bytes(cursor.take<std::uint32_t>()));
    while (cursor.ok() && !entries.empty()) {
      const std::string_view key = entries.take_text();
      const std::string_view value = entries.take_text();
      if (entries.ok()) out[fmt::format("{}/{}", record, key)] = value;
    }
  }
  return out;
}

}  // namespace pintle::telemetry
