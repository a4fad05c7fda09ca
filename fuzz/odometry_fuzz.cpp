// Any bytes as a line of odometry, as `run --on serial` reads it from stdin: what is refused changes nothing, what is taken are
// thirteen words, and written out it reads back to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>

#include "pintle/serial_site/site.h"
#include "pintle/telemetry/encoding.h"

using namespace pintle;

namespace {

struct Read {
  Pose X{{1, 2, 3}, {0, 0, 0, 1}};
  Twist V{{4, 5, 6}, {7, 8, 9}};
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const double x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w, V.v.x, V.v.y, V.v.z,
                           V.w.x, V.w.y, V.w.z})
      out += telemetry::number_text(x) + ' ';
    return out;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  Read read;
  const std::string before = read.text();
  if (!serial_site::parse_odometry(line, read.X, read.V)) {
    if (read.text() != before) std::abort();
    return 0;
  }
  std::istringstream stream(line);
  std::string word;
  int words = 0;
  while (stream >> word) ++words;
  if (words != 13) std::abort();
  Read again;
  if (!serial_site::parse_odometry(read.text(), again.X, again.V) || again.text() != read.text())
    std::abort();
  return 0;
}
