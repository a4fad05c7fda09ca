// The decoder of VRCSR frames on streams as a thruster line has them, on one core.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/device/m5_messages.h"

namespace {

using namespace pintle;
using namespace pintle::device;

enum Stream : int { kReplies, kCommandsAndReplies, kNoise };

std::vector<std::uint8_t> stream(int kind) {
  RandomStream random(1, "vrcsr bench");
  std::vector<std::uint8_t> out;
  std::array<std::uint8_t, kM5MaxFrame> frame{};
  const auto add = [&](std::size_t n) {
    out.insert(out.end(), frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(n));
  };
  while (out.size() < (1U << 20U)) {
    if (kind == kNoise) {
      out.push_back(static_cast<std::uint8_t>(random.bits()));
      continue;
    }
    const float value = static_cast<float>(random.uniform());
    if (kind == kCommandsAndReplies) add(encode_propulsion(3, 3, std::array{value}, frame));
    add(encode_standard_response(3, 1, {value * 3600, 48, value * 10, 30, 0}, frame));
  }
  return out;
}

void BM_Decode(benchmark::State& bench) {
  const std::vector<std::uint8_t> bytes = stream(static_cast<int>(bench.range(0)));
  const auto piece = static_cast<std::size_t>(bench.range(1));
  VrcsrDecoder decoder;
  for (auto _ : bench)
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      auto rest = std::span(bytes).subspan(at, std::min(piece, bytes.size() - at));
      while (const auto f = decoder.next(rest)) benchmark::DoNotOptimize(f->payload.data());
    }
  bench.SetBytesProcessed(bench.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BM_Decode)->ArgsProduct({{kReplies, kCommandsAndReplies, kNoise}, {64, 4096}});

}  // namespace
