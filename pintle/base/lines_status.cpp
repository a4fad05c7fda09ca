#include "pintle/base/lines_status.h"

namespace pintle {

template <>
const Table& table_of<LinesStatus>() {
  using S = LinesStatus;
  static const Table table =
      TableBuilder<S>("LinesStatus", "How the serial lines of a craft are.")
          .field("time_ns", &S::time, "ns", "Instant it speaks of.")
          .field("error", &S::error, "", "Of each port: 0 none, else a PortError.")
          .field("opened", &S::opened, "", "How often each was opened.")
          .field("garbage", &S::garbage, "", "Bytes that were part of no frame.")
          .field("strangers", &S::strangers, "", "Frames from somebody who is not wired here.")
          .field("answers", &S::answers, "", "Good answers so far.")
          .field("unanswered", &S::unanswered, "", "Questions given up so far.")
          .field(
              "late", &S::late, "",
              "How often the thread of the lines woke up to 50, 100, 200, 500 us, 1, 2, 5, 10 ms "
              "late, and later.")
          .field("worst_late_s", &S::worst_late_s, "s", "The latest.")
          .field(
              "stood", &S::stood, "",
              "How often it woke more than a second late: the process was stopped, or the machine "
              "asleep. The counts before have none of these.")
          .field("stood_s", &S::stood_s, "s", "The longest of these.")
          .field("bad_text", &S::bad_text, "",
                 "Lines on stdin that were neither odometry nor an order, of a vehicle elsewhere.")
          .build();
  return table;
}

}  // namespace pintle
