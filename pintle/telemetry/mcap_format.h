/// The bytes of an MCAP file (mcap.dev/spec, version 0): opcodes, and how values are put and taken.
///
///   file = magic, Header, data records, DataEnd, summary records, SummaryOffsets, Footer, magic
///   record = opcode u8, length u64, content;   string = length u32, bytes;   all little-endian
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pintle::telemetry {

inline constexpr std::array<unsigned char, 8> kMcapMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
inline constexpr std::size_t kRecordHeadBytes = 9;

enum class McapOp : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

/// Bytes under construction. Its memory is not cleared first and is kept when it is emptied.
class McapBuffer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  void append(const void* data, std::size_t n) {
    if (n == 0) return;
    std::memcpy(room(n), data, n);
    size_ += n;
  }
  /// Where the next n bytes go; `advance` makes them part of the content.
  std::byte* room(std::size_t n) {
    if (capacity_ - size_ < n) grow(n);
    return bytes_.get() + size_;
  }
  void advance(std::size_t n) noexcept { size_ += n; }
  void clear() noexcept { size_ = 0; }

  /// Begins a record; `end` fills its length in.
  std::size_t begin(McapOp op) {
    put(op);
    put(std::uint64_t{0});
    return size_;
  }
  void end(std::size_t content_begin) noexcept { fill_in<std::uint64_t>(content_begin); }
  /// The same for the length in bytes of an array or map.
  std::size_t begin_array() {
    put(std::uint32_t{0});
    return size_;
  }
  void end_array(std::size_t content_begin) noexcept { fill_in<std::uint32_t>(content_begin); }

  template <class T>
  void overwrite(std::size_t at, T value) noexcept {
    std::memcpy(bytes_.get() + at, &value, sizeof value);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {bytes_.get(), size_}; }

 private:
  template <class Length>
  void fill_in(std::size_t content_begin) noexcept {
    overwrite(content_begin - sizeof(Length), static_cast<Length>(size_ - content_begin));
  }
  void grow(std::size_t n) {
    const std::size_t capacity = capacity_ + (capacity_ > n + 256 ? capacity_ : n + 256);
    auto bigger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) std::memcpy(bigger.get(), bytes_.get(), size_);
    bytes_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Takes values from bytes that nobody vouches for. After a failure every value is zero or empty
/// and `ok` is false.
class McapCursor {
 public:
  explicit McapCursor(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <class T>
  T take() noexcept {
    T value{};
    const std::span<const std::byte> b = take_bytes(sizeof value);
    if (ok_) std::memcpy(&value, b.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(std::uint64_t n) noexcept {
    if (!ok_ || n > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::span<const std::byte> b = bytes_.first(static_cast<std::size_t>(n));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(n));
    return b;
  }
  std::string_view take_text() noexcept {
    const std::span<const std::byte> b = take_bytes(take<std::uint32_t>());
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace pintle::telemetry
