/// Bottles: the one data type that every YARP port can carry, as bytes and as text.
///
/// Bytes (little-endian), a list at the top:
///
///   int32 256 | subtag, int32 count, items     subtag 0: each item is int32 tag, value
///                                              else: all items are of that type and carry no tag
///
/// tags: int8 32, int16 64, int32 1, int64 17, vocab32 9, vocab64 18, float32 10, float64 20,
/// string 4, blob 12 (both int32 length, bytes), list 256, dictionary 768. Items of one scalar type
/// are always written without tags; a list of nothing is 256, 0.
///
/// Text: words, numbers, "quoted text", (lists), [vocabularies], {blobs}, apart by blanks or
/// commas. Numbers are written so that reading them back gives the same bits; the width of whole
/// numbers and of floats is not kept by the text. `inf` and `-inf` are numbers, `nan` is a word.
///
/// Any bytes and any text can be read: what is malformed, nested deeper than kMaxDepth or of more
/// than kMaxItems items in all is refused with a reason.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::yarp {

inline constexpr std::size_t kMaxItems = 65536;
inline constexpr int kMaxDepth = 32;

struct Value;
using Bottle = std::vector<Value>;

struct Value {
  enum class Kind : std::uint8_t {
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kVocab32,  ///< Up to four letters packed into 32 bits, the first in the lowest.
    kVocab64,
    kFloat32,
    kFloat64,
    kString,
    kBlob,
    kList,
    kDictionary,  ///< A list of (key value) pairs.
  };

  Kind kind = Kind::kInt32;
  std::int64_t integer = 0;  ///< Of whole numbers and vocabularies.
  double number = 0;         ///< Of floats.
  std::string text;          ///< Of strings and blobs.
  Bottle items;              ///< Of lists and dictionaries.

  [[nodiscard]] static Value int32(std::int32_t n);
  [[nodiscard]] static Value float64(double x);
  [[nodiscard]] static Value string(std::string_view s);
  [[nodiscard]] static Value vocab(std::string_view letters);
  [[nodiscard]] static Value list(Bottle items);

  [[nodiscard]] bool is_number() const noexcept;
  [[nodiscard]] double as_number() const noexcept;  ///< Of a number, else 0.
  /// A string, or the letters of a vocabulary; else empty.
  [[nodiscard]] std::string word() const;
  friend bool operator==(const Value& a, const Value& b) noexcept;
};

[[nodiscard]] std::string to_bytes(const Bottle& bottle);
/// Nothing, and `why`, when these bytes are not one whole bottle.
[[nodiscard]] std::optional<Bottle> from_bytes(std::string_view bytes, std::string& why);

[[nodiscard]] std::string to_text(const Bottle& bottle);
[[nodiscard]] std::optional<Bottle> from_text(std::string_view text, std::string& why);

/// Whether a text that comes line by line has closed its brackets and quotes.
struct Balance {
  int open = 0;
  bool quoted = false;
  void add(std::string_view line) noexcept;
  [[nodiscard]] bool closed() const noexcept { return open <= 0 && !quoted; }
};

}  // namespace pintle::yarp
