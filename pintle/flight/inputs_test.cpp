#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "pintle/stack/signals.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::flight {
namespace {

TEST(Inputs, ClearedTheyAreAsNew) {
  const auto used = std::make_unique<stack::Inputs>(), fresh = std::make_unique<stack::Inputs>();
  std::memset(static_cast<void*>(used.get()), 1, sizeof(stack::Inputs));
  stack::clear(*used);
  std::vector<std::byte> cleared, none;
  telemetry::encode_cdr(*used, cleared);
  telemetry::encode_cdr(*fresh, none);
  EXPECT_EQ(cleared, none);
}

}  // namespace
}  // namespace pintle::flight
