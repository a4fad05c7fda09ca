#include "pintle/telemetry/mcap_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "pintle/base/crc32.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_index.h"

namespace pintle::telemetry {
namespace {

constexpr std::string_view kLibrary = "pintle";
// opcode and length, then channel, sequence, log time, publish time
constexpr std::size_t kMessageHeadBytes = kRecordHeadBytes + 2 + 4 + 8 + 8;

// the format counts from an epoch: nothing is before it
std::uint64_t timestamp(Time time) noexcept {
  return time.ns > 0 ? static_cast<std::uint64_t>(time.ns) : 0;
}

}  // namespace

struct McapWriter::Impl {
  McapOptions options;
  int fd = -1;
  bool failed = false, closed = false;
  std::uint64_t position = 0;
  std::uint32_t data_crc = 0;  ///< Of everything written so far.
  McapIndex index;

  McapBuffer chunk;  ///< Its records, before compression.
  TimeSpan chunk_span;
  std::uint64_t chunk_messages = 0, chunk_first_time = 0;
  ZSTD_CCtx* context = nullptr;
  McapBuffer scratch;

  ~Impl() {
    ZSTD_freeCCtx(context);
    if (fd >= 0) ::close(fd);
  }

  /// Hands bytes to the system; the first failure ends the recording at the last whole write.
  void write(std::span<const std::byte> bytes) noexcept {
    if (failed) return;
    const std::byte* p = bytes.data();
    std::size_t left = bytes.size();
    while (left > 0) {
      const ssize_t n = ::write(fd, p, left);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        failed = true;
        // half a record helps nobody; if this fails too, readers stop at it
        if (::ftruncate(fd, static_cast<off_t>(position)) != 0) return;
        return;
      }
      p += n;
      left -= static_cast<std::size_t>(n);
    }
    data_crc = crc32(bytes, data_crc);
    position += bytes.size();
  }

  /// A channel is described in the first two chunks that use it and in every 16th from then on, so
  /// that no single damaged chunk takes the meaning of others with it.
  void describe(ChannelEntry& c) {
    put_schema(chunk, c);
    put_channel(chunk, c);
    c.describe_in = index.chunks.size() + (c.is_described ? 16 : 1);
    c.is_described = true;
  }

  void add_message(ChannelEntry& c, const void* object, std::uint64_t time);
  void flush_chunk();
  void put_message_indexes(ChunkEntry& entry);
  void finish();
};

void McapWriter::Impl::add_message(ChannelEntry& c, const void* object, std::uint64_t time) {
  // a chunk is closed by its size, or by the time it spans, whichever comes first
  if (chunk_messages > 0) {
    const double age_s =
        static_cast<double>(static_cast<std::int64_t>(time - chunk_first_time)) * 1e-9;
    if (chunk.size() >= options.chunk_bytes || age_s >= options.chunk_seconds) flush_chunk();
  }
  if (index.chunks.size() >= c.describe_in) describe(c);
  if (chunk_messages == 0) chunk_first_time = time;

  std::byte* const head = chunk.room(kMessageHeadBytes + c.plan->bound(object));
  const std::uint64_t content =
      kMessageHeadBytes - kRecordHeadBytes + c.plan->encode(object, head + kMessageHeadBytes);
  std::byte* p = head;
  const auto put = [&p](auto value) {
    std::memcpy(p, &value, sizeof value);
    p += sizeof value;
  };
  put(McapOp::kMessage);
  put(content);
  put(c.id);
  put(c.sequence++);
  put(time);
  put(time);

  c.index.push_back({time, chunk.size()});
  chunk.advance(kRecordHeadBytes + content);
  chunk_span.add(time);
  index.span.add(time);
  ++c.messages;
  ++chunk_messages;
  ++index.messages;
}

void McapWriter::Impl::flush_chunk() {
  if (chunk.size() == 0 || failed) return;
  ChunkEntry entry;
  entry.span = chunk_span;
  entry.start = position;
  entry.unpacked = chunk.size();
  scratch.clear();
  const std::size_t record = scratch.begin(McapOp::kChunk);
  scratch.put(chunk_span.first);
  scratch.put(chunk_span.last);
  scratch.put(entry.unpacked);
  scratch.put(crc32(chunk.bytes()));
  scratch.put_text(kMcapCompression);
  const std::size_t length_at = scratch.size();
  scratch.put(std::uint64_t{0});

  const std::size_t most = ZSTD_compressBound(chunk.size());
  const std::size_t n =
      ZSTD_compress2(context, scratch.room(most), most, chunk.bytes().data(), chunk.size());
  if (ZSTD_isError(n) != 0) {
    failed = true;
    return;
  }
  entry.packed = n;
  scratch.advance(n);
  scratch.overwrite(length_at, entry.packed);
  scratch.end(record);
  entry.length = scratch.size();
  put_message_indexes(entry);
  // chunk and index in one write: a process that is killed loses all of it or nothing
  write(scratch.bytes());

  if (!failed) index.chunks.push_back(std::move(entry));
  for (ChannelEntry& c : index.channels) c.index.clear();
  chunk.clear();
  chunk_span = {};
  chunk_messages = 0;
}

void McapWriter::Impl::put_message_indexes(ChunkEntry& entry) {
  for (ChannelEntry& c : index.channels) {
    if (c.index.empty()) continue;
    entry.indexes.emplace_back(c.id, position + scratch.size());
    const std::size_t record = scratch.begin(McapOp::kMessageIndex);
    scratch.put(c.id);
    const std::size_t array = scratch.begin_array();
    scratch.append(c.index.data(), c.index.size() * sizeof(IndexEntry));
    scratch.end_array(array);
    scratch.end(record);
  }
  entry.index_length = scratch.size() - entry.length;
}

void McapWriter::Impl::finish() {
  flush_chunk();
  // a channel that never spoke is still part of the recording
  scratch.clear();
  for (ChannelEntry& c : index.channels) {
    if (c.is_described) continue;
    put_schema(scratch, c);
    put_channel(scratch, c);
  }
  write(scratch.bytes());
  scratch.clear();
  const std::size_t data_end = scratch.begin(McapOp::kDataEnd);
  scratch.put(data_crc);
  scratch.end(data_end);
  write(scratch.bytes());

  scratch.clear();
  put_summary(scratch, index, position);
  write(scratch.bytes());
}

McapWriter::McapWriter(const std::filesystem::path& file, const McapOptions& options)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.options = options;
  m.fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (m.fd < 0)
    throw std::runtime_error(
        fmt::format("cannot create {}: {}", file.string(), std::strerror(errno)));
  m.context = ZSTD_createCCtx();
  if (!m.context) throw std::runtime_error(fmt::format("no memory to pack {}", file.string()));
  ZSTD_CCtx_setParameter(m.context, ZSTD_c_compressionLevel, options.zstd_level);
  m.scratch.append(kMcapMagic.data(), kMcapMagic.size());
  const std::size_t header = m.scratch.begin(McapOp::kHeader);
  m.scratch.put_text("ros2");
  m.scratch.put_text(kLibrary);
  m.scratch.end(header);
  m.write(m.scratch.bytes());
}

McapWriter::~McapWriter() {
  if (impl_) close();
}
McapWriter::McapWriter(McapWriter&&) noexcept = default;
McapWriter& McapWriter::operator=(McapWriter&& other) noexcept {
  if (this != &other) {
    if (impl_) close();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

McapWriter::Channel McapWriter::add_channel(std::string_view topic, const Table& table) {
  Impl& m = *impl_;
  ChannelEntry c;
  c.topic = topic;
  c.schema_name = ros2msg_name(table);
  c.schema_text = ros2msg_definition(table);
  c.plan = &CdrPlan::of(table);
  c.id = static_cast<Channel>(m.index.channels.size());
  // channels of one type share its schema; 0 means none in the format
  for (const ChannelEntry& other : m.index.channels)
    if (other.schema_name == c.schema_name && other.schema_text == c.schema_text)
      c.schema = other.schema;
  if (c.schema == 0) c.schema = ++m.index.schemas;
  m.index.channels.push_back(std::move(c));
  return m.index.channels.back().id;
}

void McapWriter::write(Channel channel, const void* object, Time time) {
  Impl& m = *impl_;
  if (m.failed || m.closed || channel >= m.index.channels.size()) return;
  m.add_message(m.index.channels[channel], object, timestamp(time));
}

void McapWriter::attach(std::string_view name, std::string_view media_type,
                        std::string_view content, Time time) {
  Impl& m = *impl_;
  if (m.failed || m.closed) return;
  McapBuffer& out = m.scratch;
  out.clear();
  const std::size_t record = out.begin(McapOp::kAttachment);
  out.put(timestamp(time));
  out.put(timestamp(time));
  out.put_text(name);
  out.put_text(media_type);
  out.put(std::uint64_t{content.size()});
  out.append(content.data(), content.size());
  out.put(crc32(out.bytes().subspan(record)));
  out.end(record);
  AttachmentEntry entry{m.position,     out.size(),        timestamp(time),
                        content.size(), std::string(name), std::string(media_type)};
  m.write(out.bytes());
  if (!m.failed) m.index.attachments.push_back(std::move(entry));
}

void McapWriter::metadata(std::string_view name,
                          std::span<const std::pair<std::string, std::string>> entries) {
  Impl& m = *impl_;
  if (m.failed || m.closed) return;
  McapBuffer& out = m.scratch;
  out.clear();
  const std::size_t record = out.begin(McapOp::kMetadata);
  out.put_text(name);
  const std::size_t map = out.begin_array();
  for (const auto& [key, value] : entries) {
    out.put_text(key);
    out.put_text(value);
  }
  out.end_array(map);
  out.end(record);
  MetadataEntry entry{m.position, out.size(), std::string(name)};
  m.write(out.bytes());
  if (!m.failed) m.index.metadata.push_back(std::move(entry));
}

void McapWriter::close() {
  Impl& m = *impl_;
  if (m.closed) return;
  m.closed = true;
  m.finish();
  if (::close(m.fd) != 0) m.failed = true;
  m.fd = -1;
}

bool McapWriter::failed() const noexcept { return impl_->failed; }
std::uint64_t McapWriter::messages() const noexcept { return impl_->index.messages; }

}  // namespace pintle::telemetry
