// Any bytes as a serial stream, in any pieces: no crash, nothing lost or invented. What is found
// must be what a second reading of the whole finds, and must encode to the bytes that it was found
// in.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "pintle/base/crc32.h"
#include "pintle/device/m5_messages.h"

namespace {

using namespace pintle::device;

// CRCs would keep the fuzzer out of what lies behind them: each header that it wrote is made right
void mend(std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i + kVrcsrHead <= bytes.size(); ++i) {
    const bool begins =
        (bytes[i] == 0xF5 && bytes[i + 1] == 0x5F) || (bytes[i] == 0xF0 && bytes[i + 1] == 0x0F);
    // every other one: what is wrong must stay among them
    if (!begins || (bytes[i + 4] & 1U) != 0) continue;
    const auto set = [&](std::size_t from, std::size_t n) {
      if (from + n + 4 > bytes.size()) return;
      const std::uint32_t crc = pintle::crc32(std::as_bytes(std::span(bytes).subspan(from, n)));
      std::memcpy(bytes.data() + from + n, &crc, sizeof crc);
    };
    set(i, 6);
    const std::size_t length = bytes[i + 5];
    if (length == 0xFF)
      set(i + kVrcsrHead, 2);
    else if (length > 0)
      set(i + kVrcsrHead, length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  mend(bytes);

  std::vector<std::vector<std::uint8_t>> whole;
  VrcsrDecoder at_once, in_pieces;
  std::array<std::uint8_t, kVrcsrMaxFrame> again{};
  std::span<const std::uint8_t> rest = bytes;
  while (const auto f = at_once.next(rest)) {
    const std::size_t n = encode_vrcsr(*f, again);
    if (n == 0) std::abort();
    whole.emplace_back(again.begin(), again.begin() + static_cast<std::ptrdiff_t>(n));
    if (std::search(bytes.begin(), bytes.end(), whole.back().begin(), whole.back().end()) ==
        bytes.end())
      std::abort();
    (void)standard_response(*f);
    if (const auto command = propulsion_command(*f))
      for (std::size_t i = 0; i < command->size(); ++i) (void)command->power(i);
  }
  if (!rest.empty()) std::abort();

  std::size_t found = 0;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    rest = std::span(bytes).subspan(at, std::min(piece, bytes.size() - at));
    while (const auto f = in_pieces.next(rest)) {
      const std::size_t n = encode_vrcsr(*f, again);
      if (found >= whole.size() || whole[found].size() != n ||
          std::memcmp(whole[found].data(), again.data(), n) != 0)
        std::abort();
      ++found;
    }
  }
  if (found != whole.size() || in_pieces.skipped() != at_once.skipped()) std::abort();
  return 0;
}
