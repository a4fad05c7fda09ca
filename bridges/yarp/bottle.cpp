#include "pintle/yarp/bottle.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/yarp/bytes.h"

namespace pintle::yarp {
namespace {

using Kind = Value::Kind;

constexpr std::int32_t kListTag = 256;

/// In the order of Kind.
constexpr std::array<std::int32_t, 12> kTags{32, 64, 1, 17, 9, 18, 10, 20, 4, 12, 256, 768};

std::int32_t tag_of(Kind kind) noexcept { return kTags[static_cast<std::size_t>(kind)]; }

bool is_group(Kind kind) noexcept { return kind == Kind::kList || kind == Kind::kDictionary; }

std::optional<Kind> kind_of(std::int32_t tag) noexcept {
  const auto* found = std::find(kTags.begin(), kTags.end(), tag);
  if (found == kTags.end()) return std::nullopt;
  return static_cast<Kind>(found - kTags.begin());
}

/// The tag that all items share, 0: none.
std::int32_t subtag_of(const Bottle& items) noexcept {
  if (items.empty() || is_group(items[0].kind)) return 0;
  for (const Value& v : items)
    if (v.kind != items[0].kind) return 0;
  return tag_of(items[0].kind);
}

void put_list(std::string& out, std::int32_t tag, const Bottle& items);

void put_value(std::string& out, const Value& v) {
  switch (v.kind) {
    case Kind::kInt8: return put(out, static_cast<std::int8_t>(v.integer));
    case Kind::kInt16: return put(out, static_cast<std::int16_t>(v.integer));
    case Kind::kInt32:
    case Kind::kVocab32: return put(out, static_cast<std::int32_t>(v.integer));
    case Kind::kInt64:
    case Kind::kVocab64: return put(out, v.integer);
    case Kind::kFloat32: return put(out, static_cast<float>(v.number));
    case Kind::kFloat64: return put(out, v.number);
    case Kind::kString:
    case Kind::kBlob:
      put(out, static_cast<std::int32_t>(v.text.size()));
      out += v.text;
      return;
    case Kind::kList:
    case Kind::kDictionary: break;  // begin with their own tag
  }
}

void put_list(std::string& out, std::int32_t tag, const Bottle& items) {
  const std::int32_t subtag = subtag_of(items);
  put(out, tag | subtag);
  put(out, static_cast<std::int32_t>(items.size()));
  for (const Value& v : items) {
    if (is_group(v.kind)) {
      put_list(out, tag_of(v.kind), v.items);
      continue;
    }
    if (subtag == 0) put(out, tag_of(v.kind));
    put_value(out, v);
  }
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string& why) : bytes_(bytes), why_(why) {}

  std::optional<Bottle> read() {
    Bottle out;
    std::int32_t tag = 0;
    if (!take(tag)) return fail("it ends within a bottle");
    if ((tag & kListTag) == 0) return fail("it does not begin with a list");
    if (!read_items(tag, out, 0)) return std::nullopt;
    if (at_ != bytes_.size()) return fail("bytes are left over behind the bottle");
    return out;
  }

 private:
  std::nullopt_t fail(const char* why) {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  bool refuse(const char* why) {
    fail(why);
    return false;
  }

  template <class T>
  bool take(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) return refuse("it ends within a bottle");
    value = get<T>(bytes_, at_);
    at_ += sizeof(T);
    return true;
  }

  /// After the tag of the list.
  bool read_items(std::int32_t tag, Bottle& out, int depth) {
    const std::int32_t subtag = tag & ~(tag_of(Kind::kDictionary));
    if (depth > kMaxDepth) return refuse("its lists are nested too deeply");
    std::uint32_t count = 0;  // a negative one is more than there can be
    if (!take(count)) return false;
    items_ += count;
    if (items_ > kMaxItems) return refuse("too many items");
    // the shortest item is a byte, so that a count that lies takes no memory
    if (count > bytes_.size() - at_) return refuse("it ends within a bottle");
    out.resize(count);
    for (Value& v : out) {
      std::int32_t item = subtag;
      if (item == 0 && !take(item)) return false;
      if (!read_value(item, v, depth)) return false;
    }
    return true;
  }

  bool read_value(std::int32_t tag, Value& v, int depth) {
    if ((tag & kListTag) != 0) {
      v.kind = (tag & tag_of(Kind::kDictionary)) == tag_of(Kind::kDictionary) ? Kind::kDictionary
                                                                              : Kind::kList;
      return read_items(tag, v.items, depth + 1);
    }
    const auto kind = kind_of(tag);
    if (!kind) return refuse("a tag that there is none of");
    v.kind = *kind;
    switch (v.kind) {
      case Kind::kInt8: return whole<std::int8_t>(v);
      case Kind::kInt16: return whole<std::int16_t>(v);
      case Kind::kInt32:
      case Kind::kVocab32: return whole<std::int32_t>(v);
      case Kind::kInt64:
      case Kind::kVocab64: return whole<std::int64_t>(v);
      case Kind::kFloat32: {
        float x = 0;
        if (!take(x)) return false;
        v.number = static_cast<double>(x);
        return true;
      }
      case Kind::kFloat64: return take(v.number);
      default: return read_text(v);
    }
  }

  template <class T>
  bool whole(Value& v) {
    T x = 0;
    if (!take(x)) return false;
    v.integer = x;
    return true;
  }

  bool read_text(Value& v) {
    std::uint32_t length = 0;  // a negative one is more than there can be
    if (!take(length)) return false;
    if (length > bytes_.size() - at_) return refuse("it ends within a bottle");
    v.text = bytes_.substr(at_, length);
    at_ += length;
    return true;
  }

  std::string_view bytes_;
  std::string& why_;
  std::size_t at_ = 0, items_ = 0;
};

}  // namespace

Value Value::int32(std::int32_t n) {
  Value v;
  v.integer = n;
  return v;
}
Value Value::float64(double x) {
  Value v;
  v.kind = Kind::kFloat64;
  v.number = x;
  return v;
}
Value Value::string(std::string_view s) {
  Value v;
  v.kind = Kind::kString;
  v.text = s;
  return v;
}
Value Value::vocab(std::string_view letters) {
  Value v;
  v.kind = letters.size() > 4 ? Kind::kVocab64 : Kind::kVocab32;
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(letters.size(), 8); ++i)
    packed |= static_cast<std::uint64_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
  v.integer = v.kind == Kind::kVocab32 ? static_cast<std::int32_t>(packed)
                                       : static_cast<std::int64_t>(packed);
  return v;
}
Value Value::list(Bottle items) {
  Value v;
  v.kind = Kind::kList;
  v.items = std::move(items);
  return v;
}

bool Value::is_number() const noexcept {
  return kind == Kind::kInt8 || kind == Kind::kInt16 || kind == Kind::kInt32 ||
         kind == Kind::kInt64 || kind == Kind::kFloat32 || kind == Kind::kFloat64;
}

double Value::as_number() const noexcept {
  if (kind == Kind::kFloat32 || kind == Kind::kFloat64) return number;
  return is_number() ? static_cast<double>(integer) : 0;
}

std::string Value::word() const {
  if (kind == Kind::kString) return text;
  if (kind != Kind::kVocab32 && kind != Kind::kVocab64) return {};
  std::string out;
  auto packed = static_cast<std::uint64_t>(integer);
  if (kind == Kind::kVocab32) packed &= 0xFFFF'FFFFU;
  for (; packed != 0; packed >>= 8) out += static_cast<char>(packed & 0xFFU);
  return out;
}

bool operator==(const Value& a, const Value& b) noexcept {
  // bit for bit: NaN equals itself, -0 is not 0
  return a.kind == b.kind && a.integer == b.integer &&
         std::bit_cast<std::uint64_t>(a.number) == std::bit_cast<std::uint64_t>(b.number) &&
         a.text == b.text && a.items == b.items;
}

std::string to_bytes(const Bottle& bottle) {
  std::string out;
  put_list(out, kListTag, bottle);
  return out;
}

std::optional<Bottle> from_bytes(std::string_view bytes, std::string& why) {
  why.clear();
  return Reader(bytes, why).read();
}

}  // namespace pintle::yarp
