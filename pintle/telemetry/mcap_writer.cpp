#include "pintle/telemetry/mcap_writer.h"

#include <cstring>
#include <string>

#include "pintle/base/crc32.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_sink.h"

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
  McapIndex index;  ///< Its chunks come from the sink, at the end.
  std::size_t handed_over = 0;
  bool closed = false;
  McapBuffer scratch;
  McapSink sink;

  Impl(const std::filesystem::path& file, const McapOptions& o) : options(o), sink(file, o) {}

  /// A channel is described in the first two chunks that use it and in every 16th from then on, so
  /// that no single damaged chunk takes the meaning of others with it.
  void describe(McapBuffer& chunk, ChannelEntry& c) const {
    put_schema(chunk, c);
    put_channel(chunk, c);
    c.describe_in = handed_over + (c.is_described ? 16 : 1);
    c.is_described = true;
  }

  /// A chunk is closed by its size, or by the time it spans, whichever comes first.
  [[nodiscard]] bool is_full(const Chunk& chunk, std::uint64_t time) const noexcept {
    if (chunk.messages == 0) return false;
    const double age_s =
        static_cast<double>(static_cast<std::int64_t>(time - chunk.first_time)) * 1e-9;
    return chunk.records.size() >= options.chunk_bytes || age_s >= options.chunk_seconds;
  }
  bool hand_over() noexcept {
    if (!sink.hand_over()) return false;
    ++handed_over;
    return true;
  }

  void add_message(ChannelEntry& c, const void* object, std::uint64_t time);
  void finish();
};

void McapWriter::Impl::add_message(ChannelEntry& c, const void* object, std::uint64_t time) {
  Chunk& chunk = sink.filling();
  McapBuffer& records = chunk.records;
  if (handed_over >= c.describe_in) describe(records, c);
  if (chunk.messages == 0) chunk.first_time = time;

  std::byte* const head = records.room(kMessageHeadBytes + c.plan->bound(object));
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

  records.advance(kRecordHeadBytes + content);
  chunk.span.add(time);
  index.span.add(time);
  ++c.messages;
  ++chunk.messages;
  ++index.messages;
}

void McapWriter::Impl::finish() {
  if (sink.filling().messages > 0) {
    // there is no hurry any more
    if (!hand_over()) {
      sink.settle();
      hand_over();
    }
    sink.settle();
  }
  index.chunks = std::move(sink.chunks());
  // a channel that never spoke is still part of the recording
  scratch.clear();
  for (ChannelEntry& c : index.channels) {
    if (c.is_described) continue;
    put_schema(scratch, c);
    put_channel(scratch, c);
  }
  sink.write(scratch.bytes());
  scratch.clear();
  const std::size_t data_end = scratch.begin(McapOp::kDataEnd);
  scratch.put(sink.data_crc());
  scratch.end(data_end);
  sink.write(scratch.bytes());

  scratch.clear();
  put_summary(scratch, index, sink.position());
  sink.write(scratch.bytes());
}

McapWriter::McapWriter(const std::filesystem::path& file, const McapOptions& options)
    : impl_(std::make_unique<Impl>(file, options)) {
  Impl& m = *impl_;
  m.scratch.append(kMcapMagic.data(), kMcapMagic.size());
  const std::size_t header = m.scratch.begin(McapOp::kHeader);
  m.scratch.put_text("ros2");
  m.scratch.put_text(kLibrary);
  m.scratch.end(header);
  m.sink.write(m.scratch.bytes());
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

bool McapWriter::write(Channel channel, const void* object, Time time) {
  Impl& m = *impl_;
  if (m.closed || m.sink.failed() || channel >= m.index.channels.size()) return false;
  const std::uint64_t at = timestamp(time);
  if (m.is_full(m.sink.filling(), at) && !m.hand_over()) {
    lose(channel);
    return false;
  }
  m.add_message(m.index.channels[channel], object, at);
  return true;
}

bool McapWriter::write_beside(Channel channel, const void* object, Time time) {
  Impl& m = *impl_;
  if (m.closed || m.sink.failed() || channel >= m.index.channels.size()) return false;
  m.add_message(m.index.channels[channel], object, timestamp(time));
  return true;
}

void McapWriter::lose(Channel channel) noexcept {
  if (channel < impl_->index.channels.size()) ++impl_->index.channels[channel].sequence;
}

void McapWriter::settle() { impl_->sink.settle(); }

void McapWriter::attach(std::string_view name, std::string_view media_type,
                        std::string_view content, Time time) {
  Impl& m = *impl_;
  if (m.closed) return;
  m.sink.settle();
  if (m.sink.failed()) return;
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
  AttachmentEntry entry{m.sink.position(), out.size(),        timestamp(time),
                        content.size(),    std::string(name), std::string(media_type)};
  m.sink.write(out.bytes());
  if (!m.sink.failed()) m.index.attachments.push_back(std::move(entry));
}

void McapWriter::metadata(std::string_view name,
                          std::span<const std::pair<std::string, std::string>> entries) {
  Impl& m = *impl_;
  if (m.closed) return;
  m.sink.settle();
  if (m.sink.failed()) return;
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
  MetadataEntry entry{m.sink.position(), out.size(), std::string(name)};
  m.sink.write(out.bytes());
  if (!m.sink.failed()) m.index.metadata.push_back(std::move(entry));
}

void McapWriter::close() {
  Impl& m = *impl_;
  if (m.closed) return;
  m.closed = true;
  m.finish();
  m.sink.close();
}

bool McapWriter::failed() const noexcept { return impl_->sink.failed(); }
std::uint64_t McapWriter::messages() const noexcept { return impl_->index.messages; }

}  // namespace pintle::telemetry
