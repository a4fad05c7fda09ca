/// A sender's clock against our own: what lies between the two is found from the quickest messages,
/// for each has a delay of its own.
///
/// A clock that runs slower than ours (a simulator that is not quick enough) is followed, by 0.1 s and by
/// half of the time that goes by. What is late all at once is late: it is not told apart from a sender
/// that stood, and counts as old, until nobody flies by it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "pintle/base/time.h"

namespace pintle::yarp_site {

class SenderClock {
 public:
  /// The sender's time `there` of a message that came at `here`, in our own. `flies`: what is late is
  /// not to be taken for another clock.
  [[nodiscard]] Time own(Time there, Time here, bool flies) {
    const Duration behind = here - there;
    if (!behind_ || behind < *behind_) begin(behind, here);
    if (behind < least_) least_ = behind;
    if (const Duration span = here - since_; span > kLook) {
      // the quickest of this stretch against the quickest of the one before
      const Duration rise = least_ - least_before_, most{std::min(kPace.ns, span.ns / 2)};
      if (rise > Duration{} && rise <= most) behind_ = *behind_ + rise;
      least_before_ = least_;
      least_ = behind;
      since_ = here;
    }
    if (!flies && behind - *behind_ > kPace) begin(behind, here);
    return there + *behind_;
  }
  void forget() { behind_.reset(); }

 private:
  void begin(Duration behind, Time here) {
    behind_ = least_ = least_before_ = behind;
    since_ = here;
  }

  static constexpr Duration kPace{100'000'000}, kLook{100'000'000};

  std::optional<Duration> behind_;     ///< Own clock minus the sender's.
  Duration least_{}, least_before_{};  ///< Of what has come since then, and in the stretch before.
  Time since_{};
};

}  // namespace pintle::yarp_site
