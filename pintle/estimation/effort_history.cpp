#include "pintle/estimation/effort_history.h"

#include <algorithm>
#include <cmath>

namespace pintle::estimation {

void follow(const BodyModel& model, DetectorState& s, const ChannelVector* sent,
            Time now) noexcept {
  const Duration step = now - s.last_now;
  if (step != s.kept_over || !s.has_kept) {
    // ticks come evenly: the exponentials are those of the last one
    const double dt = std::clamp(step.seconds(), 0.0, 10.0);
    for (std::size_t i = 0; i < model.n; ++i)
      s.kept[i] = model.tau_s[i] > 0 ? std::exp(-dt / model.tau_s[i]) : 0;
    s.kept_over = step;
    s.has_kept = true;
  }
  for (std::size_t i = 0; i < model.n; ++i) {
    const double u = sent != nullptr && i < sent->size() ? (*sent)[i] : 0;
    const double target = u >= -kLargestMeasured && u <= kLargestMeasured ? u : 0;
    s.thrust[i] = target + s.kept[i] * (s.thrust[i] - target);
  }
  s.last_now = now;

  s.history_newest = (s.history_newest + 1) % kDetectorHistory;
  s.history_size = std::min<std::uint32_t>(s.history_size + 1, kDetectorHistory);
  s.history_at[s.history_newest] = now;
  for (std::size_t i = 0; i < model.n; ++i)
    s.history[s.history_newest][i] = static_cast<float>(s.thrust[i]);
}

void thrust_at(const BodyModel& model, const DetectorState& s, Time at,
               std::array<double, kMaxChannels>& out) noexcept {
  std::size_t later = s.history_newest, earlier = later;
  for (std::uint32_t k = 1; k < s.history_size && s.history_at[earlier] > at; ++k) {
    later = earlier;
    earlier = (earlier + kDetectorHistory - 1) % kDetectorHistory;
  }
  const double span = (s.history_at[later] - s.history_at[earlier]).seconds();
  const double x =
      span > 0 ? std::clamp((at - s.history_at[earlier]).seconds() / span, 0.0, 1.0) : 0;
  for (std::size_t i = 0; i < model.n; ++i) {
    const double a = s.history[earlier][i], b = s.history[later][i];
    out[i] = a + x * (b - a);
  }
}

}  // namespace pintle::estimation
