/// The far side of a recording: a thread of its own that packs chunks and writes them.
///
///   who records: filling() -> hand_over() | bounded queue | thread: pack, index, write
///
/// Who records never meets the disk and never packs; the two share two counters, no lock. What is
/// asked for between chunks (attachments, the end) waits for the thread first (`settle`).
#pragma once
#include <atomic>
#include <filesystem>
#include <span>
#include <thread>
#include <vector>

#include "pintle/telemetry/mcap_index.h"
#include "pintle/telemetry/mcap_writer.h"

struct ZSTD_CCtx_s;

namespace pintle::telemetry {

/// Records before they are packed.
struct Chunk {
  McapBuffer records;
  TimeSpan span;
  std::uint64_t messages = 0, first_time = 0;
};

class McapSink {
 public:
  /// @throws std::runtime_error when the file cannot be created, or there is no memory.
  McapSink(const std::filesystem::path& file, const McapOptions& options);
  ~McapSink();
  McapSink(const McapSink&) = delete;
  McapSink& operator=(const McapSink&) = delete;

  /// Never the thread's.
  [[nodiscard]] Chunk& filling() noexcept { return ring_[filled_.load() % ring_.size()]; }
  /// It is full: the thread gets it, and another one is filled. False: the queue is, and nothing
  /// has changed; never where the options say to wait.
  bool hand_over() noexcept;
  /// Until all that was handed over is written, or has failed.
  void settle() noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_; }

  // after `settle` only -----------------------------------------------------------------------
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint32_t data_crc() const noexcept { return data_crc_; }
  [[nodiscard]] std::vector<ChunkEntry>& chunks() noexcept { return chunks_; }
  void write(std::span<const std::byte> bytes) noexcept;
  /// Ends the thread and closes the file.
  void close() noexcept;

 private:
  void run() noexcept;
  void write_chunk(const Chunk& chunk);
  void put_message_indexes(std::span<const std::byte> records, ChunkEntry& entry);

  std::vector<Chunk> ring_;
  bool waits_;
  std::atomic<std::uint32_t> filled_{0}, written_{0};  ///< Chunks; one side counts each.
  std::atomic<bool> failed_{false};

  int fd_ = -1;
  ZSTD_CCtx_s* context_ = nullptr;
  McapBuffer scratch_;
  std::uint64_t position_ = 0;
  std::uint32_t data_crc_ = 0;  ///< Of everything written so far.
  std::vector<ChunkEntry> chunks_;
  std::vector<std::vector<IndexEntry>> places_;  ///< In the chunk at hand, by channel.
  std::thread thread_;
};

}  // namespace pintle::telemetry
