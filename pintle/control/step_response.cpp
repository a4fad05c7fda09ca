#include "pintle/control/step_response.h"

#include <algorithm>
#include <cmath>

namespace pintle::control {
namespace {

bool are_good(std::span<const StepSample> samples) noexcept {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const StepSample& s = samples[i];
    if (!std::isfinite(s.t_s) || !std::isfinite(s.wanted) || !std::isfinite(s.is)) return false;
    if (i > 0 && !(s.t_s > samples[i - 1].t_s)) return false;
  }
  return true;
}

}  // namespace

std::optional<StepFigures> step_figures(std::span<const StepSample> samples) noexcept {
  if (samples.empty() || !are_good(samples)) return std::nullopt;
  std::size_t begin = 1;
  while (begin < samples.size() && samples[begin].wanted == samples[begin - 1].wanted) ++begin;
  if (begin >= samples.size()) return std::nullopt;
  const std::span<const StepSample> after = samples.subspan(begin);
  StepFigures f;
  const double to = after.front().wanted;
  f.at_s = after.front().t_s;
  f.from = after.front().is;
  f.size = to - f.from;
  if (!(std::abs(f.size) > 1e-9 * std::max(1.0, std::abs(to)))) return std::nullopt;
  // 0 where it began, 1 where it is to be
  const auto share = [&f](double is) { return (is - f.from) / f.size; };
  const auto crossing = [&](std::size_t i, double level) {
    const double a = share(after[i - 1].is), b = share(after[i].is);
    return after[i - 1].t_s + (level - a) / (b - a) * (after[i].t_s - after[i - 1].t_s);
  };
  std::optional<double> low, high, settled = f.at_s;
  double last = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double s = share(after[i].is);
    if (i > 0 && !low && s >= 0.1) low = crossing(i, 0.1);
    if (i > 0 && !high && s >= 0.9) high = crossing(i, 0.9);
    f.overshoot = std::max(f.overshoot, s - 1);
    const bool is_in = std::abs(s - 1) <= kSettledWithin;
    if (!is_in)
      settled.reset();
    else if (!settled)
      settled = crossing(i, last < 1 ? 1 - kSettledWithin : 1 + kSettledWithin);
    last = s;
  }
  if (low && high) f.rise_s = *high - *low;
  if (settled) f.settling_s = *settled - f.at_s;
  const double tail_from = after.back().t_s - 0.1 * (after.back().t_s - f.at_s);
  double sum = 0, n = 0;
  for (const StepSample& s : after)
    if (s.t_s >= tail_from) {
      sum += to - s.is;
      n += 1;
    }
  f.error = sum / n;
  return f;
}

}  // namespace pintle::control
