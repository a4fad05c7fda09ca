/// A field table compiled into the few moves that make a CDR message of a struct, or read one.
///
/// CDR (OMG DDS-XTypes 7.4, "XCDR version 1", little-endian): every number is aligned to its own
/// size, counted from the end of the 4-byte header; structs add nothing of their own. Fields that
/// lie side by side in memory as they do on the wire become one copy, so that a pose is one move
/// of 56 bytes. Not modelled: optional members (an std::optional is a sequence of at most one),
/// unions, wide strings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/base/fields.h"

namespace pintle::telemetry {

inline constexpr std::size_t kCdrHeaderBytes = 4;

class CdrPlan {
 public:
  explicit CdrPlan(const Table& table);

  /// Bytes of the message with its header.
  [[nodiscard]] std::size_t size(const void* object) const;
  /// At least `size(object)`; without a look at the object where the table bounds it.
  [[nodiscard]] std::size_t bound(const void* object) const {
    return is_bounded_ ? bound_ : size(object);
  }
  /// Writes the message and returns its size; there must be room for it.
  std::size_t encode(const void* object, std::byte* out) const;
  /// False when the bytes end early, or a length or text does not fit.
  [[nodiscard]] bool decode(std::span<const std::byte> bytes, void* object) const;

  /// The plan of a table, compiled at its first use. The table must live as long as the program,
  /// as those of `table_of` do. Safe from several threads.
  [[nodiscard]] static const CdrPlan& of(const Table& table);

 private:
  enum class Move : std::uint8_t {
    kCopy,     ///< Bytes that look the same in memory and on the wire.
    kBools,    ///< As kCopy, but only 0 and 1 may enter memory.
    kNumbers,  ///< A length, then as many numbers.
    kText,     ///< A length, the bytes, a zero.
    kNothing,  ///< One zero byte for a struct without fields.
    kRepeat,   ///< A body for each element, after a length if `counted`.
  };
  struct Op {
    Move move = Move::kCopy;
    std::uint8_t align = 1;
    bool counted = false;
    bool is_bool = false;
    std::size_t offset = 0;         ///< In the object the op works on.
    std::size_t bytes = 0;          ///< kCopy, kBools: in all; kNumbers: of one element.
    const Field* field = nullptr;   ///< All but kCopy and kBools.
    std::size_t end = 0;            ///< kRepeat: one after its body.
    std::size_t element_bytes = 1;  ///< kRepeat: the least an element takes on the wire.
  };
  struct Builder;

  template <class Out>
  void put(std::size_t begin, std::size_t end, const std::byte* object, Out& out) const;
  struct Source;
  bool get(std::size_t begin, std::size_t end, std::byte* object, Source& source) const;

  std::vector<Op> ops_;
  bool is_bounded_ = true;
  std::size_t bound_ = 0;
};

}  // namespace pintle::telemetry
