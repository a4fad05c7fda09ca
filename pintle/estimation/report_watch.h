/// Finds a propulsor that fails by what it says of itself, against what its model says it should be
/// doing: also standing still, and where others push the same way.
///
///   speed below half of what the least thrust in question takes,
///     or below 3/4 and no load, or a stall reported            stopped          (0.06 s)
///   speed as it should be, and no load                         propeller lost   (0.3 s)
///   no load, speed not told                                    stopped or lost  (0.3 s)
///   1.6 times the current of the most thrust in question, and 0.1 of the largest beside;
///     speed not above                                          fouled           (0.5 s)
///
/// "No load": above what it draws at rest, less than 0.3 of what the least thrust in question
/// costs. "In question" is every thrust that lag and line leave open: the caller gives the least
/// and the most of the last `slack_s`. Least and most differ while the command moves, and a field
/// that is not there is not looked at: both widen the doubt and accuse nobody. A verdict holds over
/// that time and three reports at least.
///
/// Who is asked for less than a fifth of full speed (4 % of full thrust) is not judged: speed
/// controllers stand still there by right (the M5's dead band is 0.02 of full command, that of a
/// pulse of 1500 +- 25 us is 0.06), and the current is lost in the noise of its meter.
///
/// Not modelled: a propulsor that turns the wrong way, or pushes less than its speed says: that is
/// the work of failure_detector.h.
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/propulsor_report.h"

namespace pintle::estimation {

enum class ReportVerdict : std::uint8_t { kNone, kStopped, kPropellerLost, kFouled, kNoLoad };

struct ReportWatchParams {
  bool enable = true;
  double stale_s = 0.5;  ///< A report older than this says nothing any more.
  double slack_s = 0.2;  ///< Between a command and what is reported of it.
  double stopped_s = 0.06, no_load_s = 0.3, fouled_s = 0.5;  ///< So long each must hold.
};

[[nodiscard]] Findings check(const ReportWatchParams& params);

/// What its model expects of one propulsor now; sizes, without signs.
struct ExpectedLoad {
  double least_rpm = 0, most_rpm = 0, full_rpm = 0;
  double least_A = 0, most_A = 0, idle_A = 0, full_A = 0;
};

/// Of one propulsor.
struct ReportSuspicion {
  ReportVerdict suspect = ReportVerdict::kNone;
  double held_s = 0;
  std::uint32_t reports = 0;
};

/// What one report looks like by itself.
[[nodiscard]] ReportVerdict look_of(const PropulsorReport& report,
                                    const ExpectedLoad& expected) noexcept;
/// Whether it says that it turns, as fast as it should.
[[nodiscard]] bool vouches(const PropulsorReport& report, const ExpectedLoad& expected) noexcept;
/// A fresh report, `dt_s` after the one before. A verdict once it has held for long enough.
[[nodiscard]] ReportVerdict judge(const ReportWatchParams& params, ReportSuspicion& suspicion,
                                  const PropulsorReport& report, const ExpectedLoad& expected,
                                  double dt_s) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::ReportVerdict>();
template <>
const Table& table_of<estimation::ReportWatchParams>();
}  // namespace pintle
