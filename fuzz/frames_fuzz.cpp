// Any bytes as what VESC controllers, a gripper or a board for servo pulses send, in any pieces: no crash, nothing lost or
// invented. What is found must encode to the bytes that it was found in, and no report holds what is no number.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "pintle/device/gripper_frame.h"
#include "pintle/device/pwm_protocol.h"
#include "pintle/device/vesc_protocol.h"

namespace {

using namespace pintle::device;
using Bytes = std::vector<std::uint8_t>;

// sums would keep the fuzzer out of what lies behind them: every other frame that it wrote is made right
void mend_vesc(Bytes& bytes) {
  for (std::size_t i = 0; i + 6 < bytes.size(); ++i) {
    const std::size_t n = bytes[i + 1], head = i + 2;
    if (bytes[i] != 2 || n % 2 != 0 || head + n + 3 > bytes.size()) continue;
    const std::uint16_t crc = vesc_crc(std::span(bytes).subspan(head, n));
    bytes[head + n] = static_cast<std::uint8_t>(crc >> 8U);
    bytes[head + n + 1] = static_cast<std::uint8_t>(crc);
    bytes[head + n + 2] = 3;
  }
}

void mend_gripper(Bytes& bytes) {
  for (std::size_t i = 0; i + 3 < bytes.size(); ++i)
    if (bytes[i] == 0xA5 && bytes[i + 2] == 0xFE && bytes[i + 1] % 2 == 0)
      bytes[i + 3] = gripper_crc(bytes.data() + i, 3);
}

void expect_in(const Bytes& all, std::span<const std::uint8_t> frame) {
  if (frame.empty() || std::search(all.begin(), all.end(), frame.begin(), frame.end()) == all.end())
    std::abort();
}

std::vector<Bytes> payloads(const Bytes& all, std::size_t piece, std::uint64_t& skipped) {
  std::vector<Bytes> out;
  VescDecoder decoder;
  std::array<std::uint8_t, kVescMaxPayload + 6> again{};
  for (std::size_t at = 0; at < all.size(); at += piece) {
    auto rest = std::span(all).subspan(at, std::min(piece, all.size() - at));
    for (auto p = decoder.next(rest); !p.empty(); p = decoder.next(rest)) {
      const std::size_t n = encode_vesc(p, again);
      expect_in(all, std::span(again).first(n));
      out.emplace_back(p.begin(), p.end());
    }
    if (!rest.empty()) std::abort();
  }
  decoder.reset();
  skipped = decoder.skipped();
  return out;
}

void hear(PropulsorProtocol& protocol, std::size_t channels, std::span<const std::uint8_t> bytes) {
  BusMessage m;
  while (protocol.hear(bytes, m)) {
    if (m.kind == BusMessage::Kind::kOther) continue;
    if (m.channel >= channels) std::abort();
    for (const double x :
         {m.report.effort, m.report.rpm, m.report.bus_V, m.report.bus_A, m.report.temperature_C})
      if (!std::isfinite(x)) std::abort();
  }
  if (!bytes.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  Bytes bytes(data + 1, data + size);
  mend_vesc(bytes);
  std::uint64_t at_once = 0, in_pieces = 0;
  if (payloads(bytes, bytes.size() + 1, at_once) != payloads(bytes, piece, in_pieces) ||
      at_once != in_pieces)
    std::abort();
  const std::array<BusChannel, 3> channels{
      {{{}, 7, false, false}, {{}, 0, true, false}, {{}, 9, false, false}}};
  VescProtocol vesc(channels);
  hear(vesc, channels.size(), bytes);
  PwmProtocol pwm(channels);
  hear(pwm, channels.size(), bytes);
  if (pwm.garbage() != bytes.size()) std::abort();

  mend_gripper(bytes);
  GripperDecoder gripper;
  std::uint64_t found = 0;
  for (const std::uint8_t b : bytes)
    if (const auto value = gripper.push(b)) {
      expect_in(bytes, encode_gripper(*value));
      ++found;
    }
  if (4 * found + gripper.skipped() > bytes.size() ||
      4 * found + gripper.skipped() + 3 < bytes.size())
    std::abort();
  return 0;
}
