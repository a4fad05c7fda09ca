/// Writes MCAP files: chunked, zstd, CRC, readable after a cut at any byte.
///
/// Messages are collected in chunks; a thread of its own packs and writes them, so that `write`
/// copies and nothing else. A chunk is full with the first message that is `chunk_seconds` of log
/// time or more after its own first, and is handed to the system in one write: a process that is
/// killed loses that chunk and those that are queued. A pulled plug costs no more where `waits` is off; where it
/// is on, all but what is closed. Times before zero are recorded as zero. One
/// thread at a time. `close` (or the destructor) writes indexes, statistics and footer. A write
/// that fails (disk full) ends the recording, sets `failed()`, never throws. Format: mcap.dev,
/// version 0; profile "ros2", message encoding "cdr", schema encoding "ros2msg".
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/base/fields.h"
#include "pintle/base/time.h"
#include "pintle/telemetry/message_sink.h"

namespace pintle::telemetry {

struct McapOptions {
  std::size_t chunk_bytes = 1 << 20;
  double chunk_seconds = 1;
  /// Of what zstd offers. For logs of numbers -2 takes a third fewer instructions than 1 and is 6 %
  /// larger.
  int zstd_level = -2;
  /// Chunks that are full and not yet written, at most; 1 or more.
  std::size_t queue = 8;
  /// When the queue is full: true waits for it, and nothing is ever lost; false loses the messages
  /// that come until it is not. Then `write` never waits, and takes no memory but for a message
  /// that no chunk has room for; its memory is taken at once.
  bool waits = true;
};

class McapWriter : public MessageSink {
 public:
  /// @throws std::runtime_error when the file cannot be created.
  explicit McapWriter(const std::filesystem::path& file, const McapOptions& options = {});
  ~McapWriter() override;
  McapWriter(McapWriter&&) noexcept;
  McapWriter& operator=(McapWriter&&) noexcept;

  /// Channels of one table share its schema. At any time before `close`.
  [[nodiscard]] Channel add_channel(std::string_view topic, const Table& table) override;
  /// False: it is not in the log. A message that was lost leaves a gap in its channel's sequence.
  bool write(Channel channel, const void* object, Time time) override;
  using MessageSink::write;
  /// Into the chunk of the message before it, full or not: where one is worth nothing alone.
  template <class T>
  bool write_beside(Channel channel, const T& object, Time time) {
    return write_beside(channel, static_cast<const void*>(&object), time);
  }
  bool write_beside(Channel channel, const void* object, Time time);
  /// Counts a message as lost: it was not even tried.
  void lose(Channel channel) noexcept;

  /// These wait for all that was written before.
  void attach(std::string_view name, std::string_view media_type, std::string_view content,
              Time time);
  void metadata(std::string_view name,
                std::span<const std::pair<std::string, std::string>> entries);
  /// Until every chunk that is full is in the file.
  void settle();

  void close();
  [[nodiscard]] bool failed() const noexcept;
  [[nodiscard]] std::uint64_t messages() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::telemetry
