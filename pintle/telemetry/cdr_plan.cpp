#include "pintle/telemetry/cdr_plan.h"

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "pintle/telemetry/whole_table.h"

namespace pintle::telemetry {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t align) noexcept {
  return (n + align - 1) & ~(align - 1);
}

/// Counts what a message would take.
struct Measure {
  std::size_t at = 0;
  void align(std::size_t a) noexcept { at = round_up(at, a); }
  void bytes(const void*, std::size_t n) noexcept { at += n; }
  void length(std::size_t) noexcept { at = round_up(at, 4) + 4; }
  void zero() noexcept { ++at; }
};

/// Writes a message into room that is known to suffice.
struct Sink {
  std::byte* out;
  std::size_t at = 0;

  void align(std::size_t a) noexcept {
    for (const std::size_t end = round_up(at, a); at < end; ++at) out[at] = std::byte{0};
  }
  void bytes(const void* from, std::size_t n) noexcept {
    if (n == 0) return;
    std::memcpy(out + at, from, n);
    at += n;
  }
  void length(std::size_t n) noexcept {
    align(4);
    const auto n32 = static_cast<std::uint32_t>(n);
    bytes(&n32, sizeof n32);
  }
  void zero() noexcept { out[at++] = std::byte{0}; }
};

const std::byte* first_element(const Field& field, const void* in_object) {
  return static_cast<const std::byte*>(field.access->data(const_cast<void*>(in_object)));
}

}  // namespace

/// Reads a message; every step checks what is left.
struct CdrPlan::Source {
  std::span<const std::byte> in;
  std::size_t at = 0;

  [[nodiscard]] std::size_t left() const noexcept { return in.size() - at; }
  bool align(std::size_t a) noexcept {
    const std::size_t to = round_up(at, a);
    if (to > in.size()) return false;
    at = to;
    return true;
  }
  bool bytes(void* to, std::size_t n) noexcept {
    if (n > left()) return false;
    if (n != 0) std::memcpy(to, in.data() + at, n);
    at += n;
    return true;
  }
  bool bools(void* to, std::size_t n) noexcept {
    if (n > left()) return false;
    for (std::size_t i = 0; i < n; ++i) static_cast<bool*>(to)[i] = in[at + i] != std::byte{0};
    at += n;
    return true;
  }
  bool length(std::size_t& n) noexcept {
    std::uint32_t n32 = 0;
    if (!align(4) || !bytes(&n32, sizeof n32)) return false;
    n = n32;
    return true;
  }
};

// ---------------------------------------------------------------------------------------------
// compiling

struct CdrPlan::Builder {
  std::vector<Op>& ops;
  // what is known of the position: it is `rest` modulo `modulus`
  std::size_t modulus = 8, rest = 0;
  // no copy may grow over this op, because a body begins after it
  std::size_t barrier = 0;
  bool is_bounded = true;
  std::size_t bound = 0, least = 0;

  void forget(std::size_t known) noexcept {
    modulus = known;
    rest = 0;
  }

  void block(Move move, std::size_t offset, std::size_t align, std::size_t bytes) {
    if (bytes == 0) return;
    bound += bytes + align - 1;
    least += bytes;
    const bool in_place = modulus >= align && rest % align == 0;
    Op* last = ops.size() > barrier ? &ops.back() : nullptr;
    if (last && last->move == move && in_place && last->offset + last->bytes == offset) {
      last->bytes += bytes;
    } else {
      Op op;
      op.move = move;
      op.align = static_cast<std::uint8_t>(align);
      op.offset = offset;
      op.bytes = bytes;
      ops.push_back(op);
      rest = modulus >= align ? round_up(rest, align) : 0;
      if (modulus < align) modulus = align;
    }
    rest = (rest + bytes) % modulus;
  }

  void text(const Field& field, std::size_t offset) {
    Op op;
    op.move = Move::kText;
    op.offset = offset;
    op.field = &field;
    ops.push_back(op);
    is_bounded = false;
    least += 4;
    forget(1);
  }

  void numbers(const Field& field, std::size_t offset) {
    Op op;
    op.move = Move::kNumbers;
    op.align = static_cast<std::uint8_t>(field.element_size);
    op.is_bool = field.kind == Kind::kBool;
    op.offset = offset;
    op.bytes = field.element_size;
    op.field = &field;
    ops.push_back(op);
    if (field.shape == Shape::kVector)
      is_bounded = false;
    else
      bound += 3 + 4 + field.element_size - 1 + field.capacity * field.element_size;
    least += 4;
    forget(field.element_size < 4 ? field.element_size : 4);
  }

  void element(const Field& field, std::size_t offset) {
    if (field.kind == Kind::kStruct)
      table(*field.table, offset);
    else
      text(field, offset);
  }

  void repeat(const Field& field, std::size_t offset, bool counted) {
    const std::size_t at = ops.size();
    Op op;
    op.move = Move::kRepeat;
    op.counted = counted;
    op.offset = offset;
    op.field = &field;
    ops.push_back(op);

    // the body starts anywhere, and its size says how many elements a length can promise
    Builder body{ops};
    body.forget(1);
    body.barrier = ops.size();
    body.element(field, 0);
    ops[at].end = ops.size();
    ops[at].element_bytes = body.least > 0 ? body.least : 1;
    is_bounded = is_bounded && body.is_bounded && field.shape != Shape::kVector;
    if (is_bounded) bound += 7 + field.capacity * body.bound;
    least += counted ? 4 : field.capacity * body.least;
    forget(1);
    barrier = ops.size();
  }

  void field(const Field& f, std::size_t offset) {
    const bool is_number = f.kind != Kind::kStruct && f.kind != Kind::kString;
    const bool fixed = f.shape == Shape::kSingle || f.shape == Shape::kArray;
    if (is_number && fixed) {
      const Move move = f.kind == Kind::kBool ? Move::kBools : Move::kCopy;
      block(move, offset, f.element_size, f.capacity * f.element_size);
    } else if (is_number) {
      numbers(f, offset);
    } else if (fixed && f.capacity <= 16) {
      for (std::size_t i = 0; i < f.capacity; ++i) element(f, offset + i * f.element_size);
    } else {
      repeat(f, offset, !fixed);
    }
  }

  void table(const Table& as_written, std::size_t offset) {
    const Table& t = whole(as_written);
    for (const Field& f : t.fields) field(f, offset + f.offset);
    // a ROS 2 struct is never empty: it gets one byte that says nothing
    if (t.fields.empty()) {
      Op op;
      op.move = Move::kNothing;
      ops.push_back(op);
      bound += 1;
      least += 1;
      rest = (rest + 1) % modulus;
    }
  }
};

CdrPlan::CdrPlan(const Table& table) {
  Builder builder{ops_};
  builder.table(table, 0);
  is_bounded_ = builder.is_bounded;
  bound_ = kCdrHeaderBytes + builder.bound;
}

// ---------------------------------------------------------------------------------------------
// writing

template <class Out>
void CdrPlan::put(std::size_t begin, std::size_t end, const std::byte* object, Out& out) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Op& op = ops_[i];
    const std::byte* at = object + op.offset;
    switch (op.move) {
      case Move::kCopy:
      case Move::kBools:
        out.align(op.align);
        out.bytes(at, op.bytes);
        break;
      case Move::kNothing: out.zero(); break;
      case Move::kNumbers: {
        const std::size_t n = op.field->access->size(at);
        out.length(n);
        if (n == 0) break;
        out.align(op.align);
        out.bytes(first_element(*op.field, at), n * op.bytes);
        break;
      }
      case Move::kText: {
        const std::string_view text = op.field->text->get(at);
        out.length(text.size() + 1);
        out.bytes(text.data(), text.size());
        out.zero();
        break;
      }
      case Move::kRepeat: {
        const std::size_t n = op.field->access->size(at);
        if (op.counted) out.length(n);
        const std::byte* element = n == 0 ? nullptr : first_element(*op.field, at);
        for (std::size_t k = 0; k < n; ++k)
          put(i + 1, op.end, element + k * op.field->element_size, out);
        i = op.end - 1;
        break;
      }
    }
  }
}

std::size_t CdrPlan::size(const void* object) const {
  Measure measure;
  put(0, ops_.size(), static_cast<const std::byte*>(object), measure);
  return kCdrHeaderBytes + measure.at;
}

std::size_t CdrPlan::encode(const void* object, std::byte* out) const {
  static constexpr std::byte kLittleEndian[kCdrHeaderBytes]{std::byte{0}, std::byte{1},
                                                            std::byte{0}, std::byte{0}};
  std::memcpy(out, kLittleEndian, kCdrHeaderBytes);
  Sink sink{out + kCdrHeaderBytes};
  put(0, ops_.size(), static_cast<const std::byte*>(object), sink);
  return kCdrHeaderBytes + sink.at;
}

// ---------------------------------------------------------------------------------------------
// reading

bool CdrPlan::get(std::size_t begin, std::size_t end, std::byte* object, Source& source) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Op& op = ops_[i];
    std::byte* at = object + op.offset;
    switch (op.move) {
      case Move::kCopy:
        if (!source.align(op.align) || !source.bytes(at, op.bytes)) return false;
        break;
      case Move::kBools:
        if (!source.bools(at, op.bytes)) return false;
        break;
      case Move::kNothing: {
        std::byte nothing{};
        if (!source.bytes(&nothing, 1)) return false;
        break;
      }
      case Move::kNumbers: {
        std::size_t n = 0;
        if (!source.length(n)) return false;
        if (n > 0 && !source.align(op.align)) return false;
        if (n > source.left() / op.bytes) return false;
        if (!op.field->access->resize(at, n)) return false;
        if (n == 0) break;
        void* to = op.field->access->data(at);
        if (!(op.is_bool ? source.bools(to, n) : source.bytes(to, n * op.bytes))) return false;
        break;
      }
      case Move::kText: {
        // a length counts the final zero; 0 is seen from other writers and means empty
        std::size_t n = 0;
        if (!source.length(n) || n > source.left()) return false;
        const auto* text = reinterpret_cast<const char*>(source.in.data() + source.at);
        if (n > 0 && text[n - 1] != '\0') return false;
        source.at += n;
        if (!op.field->text->set(at, {text, n > 0 ? n - 1 : 0})) return false;
        break;
      }
      case Move::kRepeat: {
        std::size_t n = op.field->capacity;
        if (op.counted) {
          if (!source.length(n)) return false;
          if (n > source.left() / op.element_bytes) return false;
          if (!op.field->access->resize(at, n)) return false;
        }
        auto* element = static_cast<std::byte*>(n == 0 ? nullptr : op.field->access->data(at));
        for (std::size_t k = 0; k < n; ++k)
          if (!get(i + 1, op.end, element + k * op.field->element_size, source)) return false;
        i = op.end - 1;
        break;
      }
    }
  }
  return true;
}

bool CdrPlan::decode(std::span<const std::byte> bytes, void* object) const {
  if (bytes.size() < kCdrHeaderBytes) return false;
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{1}) return false;
  Source source{bytes.subspan(kCdrHeaderBytes)};
  return get(0, ops_.size(), static_cast<std::byte*>(object), source);
}

const CdrPlan& CdrPlan::of(const Table& table) {
  // most callers use one table again and again
  thread_local const Table* last_table = nullptr;
  thread_local const CdrPlan* last_plan = nullptr;
  if (last_table == &table) return *last_plan;

  static std::mutex mutex;
  static std::map<const Table*, std::unique_ptr<CdrPlan>> plans;
  const std::lock_guard lock(mutex);
  std::unique_ptr<CdrPlan>& plan = plans[&table];
  if (!plan) plan = std::make_unique<CdrPlan>(table);
  last_table = &table;
  last_plan = plan.get();
  return *plan;
}

}  // namespace pintle::telemetry
