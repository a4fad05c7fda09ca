#include "pintle/base/finding.h"

#include <array>
#include <cstdio>

namespace pintle {

std::string text(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", x);
  return buffer.data();
}

}  // namespace pintle
