/// What the node `thruster_mapper` does with each wrench, as it was before it flew on the tick: a
/// frozen copy to compare with.
///
/// Not to be changed with the product. It shares the arithmetic of `allocation`, so that answers
/// can be compared to the bit; what it holds by itself is the order of things: which wrench is
/// answered when, what is sent instead, and how numbers go on the wire. Times are seconds of a
/// clock that may be set back.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"

namespace pintle::testing {

struct OracleThrusts {
  std::vector<float> thrust_N;
  std::array<double, kAxes> actual{}, error{};
  bool safe = false, bounded = false;
};

class MapperOracle {
 public:
  struct Settings {
    double effort_weight = 1e-4, least_thrust_N = 0.01, max_rate_Hz = 20, wrench_timeout_s = 0.5;
  };
  using Wrench6 = std::array<double, kAxes>;

  MapperOracle(const Effectiveness& effectiveness, const Settings& settings)
      : settings_(settings), effectiveness_(effectiveness) {
    objective_.objective = {1, settings.effort_weight, false};
  }

  /// All of them: until then nothing moves.
  void know_bounds(bool known) { bounds_known_ = known; }
  void set_bounds(std::size_t i, double lower_N, double upper_N) {
    effectiveness_.lower[i] = lower_N;
    effectiveness_.upper[i] = upper_N;
  }
  void drop(const std::vector<bool>& out) {
    for (std::size_t i = 0; i < out.size(); ++i)
      health_[i].health = out[i] ? Health::kOut : Health::kGood;
    waiting_ = usable_ && !silent_;
  }

  std::optional<OracleThrusts> take(const Wrench6& wrench, double now_s) {
    watch_clock(now_s);
    wrench_ = wrench;
    taken_s_ = now_s;
    silent_ = false;
    rejected_ = !finite(wrench);
    usable_ = !rejected_ && bounds_known_;
    if (usable_) {
      waiting_ = true;
      return poll(now_s);
    }
    waiting_ = false;
    if (safe_sent_ && !turn(now_s)) return std::nullopt;
    return safe(now_s);
  }

  std::optional<OracleThrusts> poll(double now_s) {
    watch_clock(now_s);
    if (!silent_ && now_s - taken_s_ > settings_.wrench_timeout_s) {
      silent_ = true;
      waiting_ = usable_ = false;
      wrench_ = {};
      if (!safe_sent_) return safe(now_s);
      return std::nullopt;
    }
    if (!waiting_ || !turn(now_s)) return std::nullopt;
    return answer(now_s);
  }

  std::optional<OracleThrusts> stop(double now_s) {
    waiting_ = usable_ = false;
    silent_ = true;
    wrench_ = {};
    if (safe_sent_) return std::nullopt;
    return safe(now_s);
  }

  [[nodiscard]] bool rejected() const { return rejected_; }
  [[nodiscard]] bool silent() const { return silent_; }

 private:
  static bool finite(const Wrench6& w) {
    return std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); });
  }
  static float inside(double value, double lower, double upper) {
    if (!std::isfinite(value)) return 0;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    auto f = static_cast<float>(value);
    if (static_cast<double>(f) > upper) f = std::nextafterf(f, -kInfinity);
    if (static_cast<double>(f) < lower) f = std::nextafterf(f, kInfinity);
    return f;
  }
  void watch_clock(double now_s) {
    if (now_s < latest_s_) {
      taken_s_ = std::min(taken_s_, now_s);
      sent_s_ = -1e300;
    }
    latest_s_ = now_s;
  }
  [[nodiscard]] bool turn(double now_s) const {
    return !(settings_.max_rate_Hz > 0) || now_s - sent_s_ >= (1 - 1e-6) / settings_.max_rate_Hz;
  }

  OracleThrusts finish(const Allocation& answer, bool safe, double now_s) {
    OracleThrusts out;
    out.safe = safe;
    ChannelVector sent(effectiveness_.n);
    for (std::size_t i = 0; i < effectiveness_.n; ++i) {
      double thrust = safe || health_[i].health == Health::kOut ? 0 : answer.effort[i];
      if (std::abs(thrust) < settings_.least_thrust_N) thrust = 0;
      const float wire = inside(thrust, effectiveness_.lower[i], effectiveness_.upper[i]);
      out.thrust_N.push_back(wire);
      sent[i] = static_cast<double>(wire);
    }
    WrenchDemand demand;
    if (finite(wrench_)) demand.F_Bo_B = to_wrench(Vec6{wrench_});
    Allocation told;
    allocation::set_sent(effectiveness_, demand, health_.data(), sent, told);
    out.actual = to_vec6(told.achieved).v;
    out.error = to_vec6(told.residual).v;
    out.bounded = answer.grade != AllocationGrade::kExact;
    waiting_ = false;
    sent_s_ = now_s;
    safe_sent_ = safe;
    return out;
  }
  OracleThrusts safe(double now_s) {
    Allocation nothing;
    nothing.effort.resize(effectiveness_.n);
    return finish(nothing, true, now_s);
  }
  OracleThrusts answer(double now_s) {
    WrenchDemand demand;
    demand.F_Bo_B = to_wrench(Vec6{wrench_});
    Allocation found;
    allocation::allocate(prepared_, objective_, effectiveness_, demand, health_.data(), found);
    if (found.grade == AllocationGrade::kRejected) {
      rejected_ = true;
      usable_ = false;
      return safe(now_s);
    }
    return finish(found, false, now_s);
  }

  Settings settings_;
  allocation::Settings objective_;
  allocation::Prepared prepared_;
  Effectiveness effectiveness_;
  std::array<PropulsorHealth, kMaxChannels> health_{};
  Wrench6 wrench_{};
  bool bounds_known_ = true, waiting_ = false, usable_ = false, silent_ = true, rejected_ = false,
       safe_sent_ = true;
  double taken_s_ = -1e300, sent_s_ = -1e300, latest_s_ = -1e300;
};

}  // namespace pintle::testing
