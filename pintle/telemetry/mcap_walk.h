/// From record to record through an MCAP file that nobody vouches for, and over damage to the next
/// chunk.
///
/// A record whose length cannot be true, or whose inner lengths disagree with it, is damage. The
/// walk then looks for the bytes that the head of a zstd chunk must have and goes on there.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "pintle/telemetry/mcap_format.h"

namespace pintle::telemetry {

/// A file of known size, read at places.
class RandomAccessFile {
 public:
  /// @throws std::runtime_error when it cannot be opened.
  explicit RandomAccessFile(const std::filesystem::path& path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// False when there is not as much, or it cannot be read.
  [[nodiscard]] bool read(std::uint64_t at, std::span<std::byte> to) const noexcept;

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

/// Memory that is reused and not cleared.
class Scratch {
 public:
  std::span<std::byte> get(std::size_t n) {
    if (n > capacity_) {
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(n);
      capacity_ = n;
    }
    return {bytes_.get(), n};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
};

struct McapRecord {
  McapOp op{};
  std::uint64_t at = 0, length = 0;  ///< Of the content.
};

class McapWalk {
 public:
  explicit McapWalk(const std::filesystem::path& path) : file_(path) {}

  std::string note;
  std::uint64_t damaged_chunks = 0;
  bool complete = false;  ///< The footer was reached.

  /// False at the end of what can be read.
  bool next(McapRecord& record);
  /// Empty when the record is larger than kMaxRecordBytes, or the file fails.
  std::span<const std::byte> content(const McapRecord& record, Scratch& scratch);
  void add_note(const std::string& text);

 private:
  /// The first bytes of a record, as far as they are looked at before it is believed.
  using Front = std::array<std::byte, 80>;

  bool stop(const std::string& why);
  /// Reads what is at `at`; false when that is no record that can be believed.
  bool look(std::uint64_t at, McapRecord& record) const;
  [[nodiscard]] bool is_whole(const McapRecord& record, std::span<const std::byte> front) const;
  bool skip_damage(const McapRecord& record);
  std::uint64_t find_chunk(std::uint64_t from);

  RandomAccessFile file_;
  std::uint64_t at_ = kMcapMagic.size();
  Scratch window_;
};

}  // namespace pintle::telemetry
