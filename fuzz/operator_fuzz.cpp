// What comes over the socket of a run: any bytes as a command or an entry of a schedule. What is
// taken names a state that there is, what is not says what was expected.
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

void expect_said(const std::invalid_argument& e) {
  if (std::string_view(e.what()).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto states = static_cast<std::int32_t>(delivery().states.size());
  try {
    const flight::OperatorRequest r =
        flight::parse_request(text, delivery(), mission::Operator::kCli);
    if (r.command.argument < -1 || r.command.argument >= states) std::abort();
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
