#include "pintle/telemetry/encoding.h"

#include "pintle/telemetry/cdr_plan.h"

namespace pintle::telemetry {

void encode_cdr(const Table& table, const void* object, std::vector<std::byte>& out) {
  const CdrPlan& plan = CdrPlan::of(table);
  const std::size_t before = out.size();
  out.resize(before + plan.size(object));
  plan.encode(object, out.data() + before);
}

bool decode_cdr(const Table& table, std::span<const std::byte> bytes, void* object) {
  return CdrPlan::of(table).decode(bytes, object);
}

}  // namespace pintle::telemetry
