/// How the serial lines of a craft are, all together: for logs, figures and reports.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/base/time.h"

namespace pintle {

/// How late something that was due may be, s: a count up to each, and one beyond.
inline constexpr std::array<double, 8> kLateBounds_s{50e-6, 100e-6, 200e-6, 500e-6,
                                                     1e-3,  2e-3,   5e-3,   10e-3};
using LateCounts = std::array<std::uint64_t, kLateBounds_s.size() + 1>;

struct LinesStatus {
  Time time;
  FixedVector<std::uint8_t, 32> error;  ///< A device::PortError a line; 0 is none.
  FixedVector<std::uint32_t, 32> opened;
  std::uint64_t garbage = 0, strangers = 0, answers = 0, unanswered = 0;
  LateCounts late{};  ///< Of the thread of the lines, when it woke.
  double worst_late_s = 0;
  std::uint32_t stood = 0;     ///< So often it was more than a second: the process was stopped.
  double stood_s = 0;          ///< The longest of these.
  std::uint64_t bad_text = 0;  ///< Lines on stdin that said nothing, of a vehicle elsewhere.
};

template <>
const Table& table_of<LinesStatus>();

}  // namespace pintle
