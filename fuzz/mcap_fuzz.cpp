// Any bytes as a log: the reader must neither crash, nor hang, nor use more memory than it says.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "pintle/base/crc32.h"
#include "pintle/telemetry/mcap_format.h"
#include "pintle/telemetry/mcap_reader.h"

namespace {

using pintle::telemetry::McapCursor;
using pintle::telemetry::McapMessage;
using pintle::telemetry::McapOp;
using pintle::telemetry::McapReader;

// CRCs would keep the fuzzer out of what lies behind them: those of unpacked chunks are made right
void mend(std::string& file) {
  std::size_t at = pintle::telemetry::kMcapMagic.size();
  while (file.size() > at && file.size() - at >= pintle::telemetry::kRecordHeadBytes) {
    McapCursor head({reinterpret_cast<const std::byte*>(file.data()) + at, file.size() - at});
    const auto op = head.take<McapOp>();
    const std::span<const std::byte> content = head.take_bytes(head.take<std::uint64_t>());
    if (!head.ok()) return;
    McapCursor chunk(content);
    chunk.take_bytes(8 + 8 + 8 + 4);
    const bool is_plain = chunk.take_text().empty();
    const std::span<const std::byte> records = chunk.take_bytes(chunk.take<std::uint64_t>());
    if (op == McapOp::kChunk && is_plain && chunk.ok()) {
      const std::uint64_t size = records.size();
      const std::uint32_t crc = pintle::crc32(records);
      char* const place = file.data() + at + pintle::telemetry::kRecordHeadBytes + 16;
      std::memcpy(place, &size, sizeof size);
      std::memcpy(place + 8, &crc, sizeof crc);
    }
    at += pintle::telemetry::kRecordHeadBytes + content.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  mend(file);
  const int fd = ::memfd_create("fuzz.mcap", 0);
  if (fd < 0 || ::write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size())) abort();
  try {
    McapReader reader("/proc/self/fd/" + std::to_string(fd));
    // touching every byte lets the sanitizers judge every span
    std::size_t sum = 0;
    const auto summary = reader.for_each([&](const McapMessage& m) {
      for (const std::byte b : m.bytes) sum += static_cast<std::size_t>(b);
      sum += m.topic.size() + m.schema_name.size() + m.schema_text.size();
      return true;
    });
    if (summary.note.size() > 4096) abort();
    (void)reader.metadata();
    (void)reader.attachment("a");
    volatile std::size_t keep = sum;
    (void)keep;
  } catch (const std::runtime_error&) {
    // not an MCAP file
  }
  ::close(fd);
  return 0;
}
