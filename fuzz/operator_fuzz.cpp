// What comes over the socket of a run: any bytes as a command or an entry of a schedule. What is
// taken names a state or a propulsor that there can be, what is not says what was expected.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "pintle/craft/load.h"
#include "pintle/flight/operator_request.h"

using namespace pintle;

namespace {

const mission::Mission& delivery() {
  static const mission::Mission compiled =
      mission::compile(craft::load_mission(PINTLE_SOURCE_DIR "/missions/delivery.yaml").mission);
  return compiled;
}

// an argument is a state, or a propulsor of a craft whose names are not known here
std::int32_t end_of_arguments(stack::CommandCode code) {
  using enum stack::CommandCode;
  const bool propulsor = code == kIgnite || code == kShutDown || code == kFailPropulsor ||
                         code == kRestorePropulsor || code == kTrustPropulsor;
  return static_cast<std::int32_t>(propulsor ? kMaxPropulsors : delivery().states.size());
}

void expect_said(const std::invalid_argument& e) {
  if (std::string_view(e.what()).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const flight::OperatorRequest r =
        flight::parse_request(text, delivery(), mission::Operator::kCli);
    if (r.command.argument < -1 || r.command.argument >= end_of_arguments(r.command.code))
      std::abort();
    if (r.command.code == stack::CommandCode::kNone) std::abort();
    if (r.command.from != mission::Operator::kCli) std::abort();
  } catch (const std::invalid_argument& e) {
    expect_said(e);
  }
  try {
    if (!(flight::parse_scheduled(text).at_s >= 0)) std::abort();
  } catch (const std::invalid_argument& e) {
    expect_said(e);
  }
  return 0;
}
