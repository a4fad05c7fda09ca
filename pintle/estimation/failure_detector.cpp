#include "pintle/estimation/failure_detector.h"

#include <algorithm>
#include <cmath>

#include "pintle/estimation/effort_history.h"
#include "pintle/estimation/hypothesis.h"

namespace pintle::estimation {
namespace {

constexpr double kLongestGap_s = 0.25;  // between measurements; beyond, the windows begin anew
constexpr double kFull = 6;             // windows after which one is full
constexpr double kLearnEvery = 0.3;     // windows; one row of six each time
constexpr double kMemory_s = 12;        // of what the efforts mostly are
constexpr double kSecond = 12;          // how much clearer a second failure must be
constexpr double kSuspicious = 2;       // likelihood beyond a healthy one that stops learning …
constexpr double kPatience_s = 10;      // … for so long
constexpr double kJudgeEvery = 0.6;     // of confirm_s: no need to judge oftener than this …
constexpr double kWorthALook = 0.7;     // … or what cannot be far from a verdict
constexpr double kSlow = 2.5;       // windows: time constant of what follows the fast window …
constexpr double kSlowEvery = 0.4;  // … and how often it does

// ---------------------------------------------------------------------------------------------
// what acts on the body

/// Kirchhoff's equations: C(nu) nu = [w x P; w x H + v x P] with [P; H] = M nu.
Wrench coriolis(const Wrench& momentum, const Vec6& nu) noexcept {
  const Vec3 v{nu[0], nu[1], nu[2]}, w{nu[3], nu[4], nu[5]};
  return {cross(w, momentum.force), cross(w, momentum.torque) + cross(v, momentum.force)};
}

Wrench weight_and_buoyancy(const BodyModel& m, Vec3 up) noexcept {
  const Vec3 arm = m.buoyancy_N * m.center_of_buoyancy_m - m.weight_N * m.center_of_mass_m;
  return {(m.buoyancy_N - m.weight_N) * up, cross(arm, up)};
}

Vec6 multiply(const std::array<double, 36>& m, const Vec6& x) noexcept {
  // the matrix is symmetric: by columns, the six sums run side by side
  Vec6 y;
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = 0; i < 6; ++i) y[i] += m[6 * j + i] * x[j];
  return y;
}

struct Delivery {
  double gain = 1, offset = 0;
};

Delivery delivery_of(const PropulsorHealth& h) noexcept {
  switch (h.health) {
    case Health::kGood: return {1, 0};
    case Health::kWeak: return {h.efficiency, 0};
    case Health::kReversed: return {-1, 0};
    case Health::kOut: return {0, 0};
    case Health::kStuck: return {0, h.stuck_effort};
  }
  return {};
}

bool same(const PropulsorHealth& a, const PropulsorHealth& b) noexcept {
  return a.health == b.health && a.efficiency == b.efficiency && a.stuck_effort == b.stuck_effort;
}

bool is_found(const DetectorState& s, std::size_t i) noexcept { return (s.found >> i & 1U) != 0; }

// ---------------------------------------------------------------------------------------------
// windows

void blend(Vec6& slow, const Vec6& x, double k) noexcept {
  for (std::size_t i = 0; i < 6; ++i) slow[i] += k * (x[i] - slow[i]);
}

void blend(Regressors& slow, const Regressors& x, std::size_t n, double k) noexcept {
  for (std::size_t i = 0; i < n; ++i) slow.effort[i] += k * (x.effort[i] - slow.effort[i]);
  blend(slow.drag, x.drag, k);
  blend(slow.slope, x.slope, k);
  blend(slow.rate, x.rate, k);
  slow.v += k * (x.v - slow.v);
  slow.w += k * (x.w - slow.w);
  for (std::size_t i = 0; i < 9; ++i) slow.R_BW.m[i] += k * (x.R_BW.m[i] - slow.R_BW.m[i]);
}

void pass(DetectorWindow& w, const Vec6& r, const Regressors& g, std::size_t n, double k) noexcept {
  blend(w.first_r, r, k);
  blend(w.r, w.first_r, k);
  blend(w.first, g, n, k);
  blend(w.second, w.first, n, k);
}

/// Everything but the efforts; answers the water's velocity as seen from the body.
Vec6 set_regressors(const BodyModel& m, const ModelError& e, Quat q_WB, const Vec6& nu,
                    const Vec6& rate, Regressors& g) noexcept {
  constexpr double kMeanOfAbs = 0.8;  // of a normal variable, in standard deviations
  g.rate = rate;
  g.v = {nu[0], nu[1], nu[2]};
  g.w = {nu[3], nu[4], nu[5]};
  g.R_BW = transpose(to_matrix(q_WB));
  const Vec6 flow = to_vec6(Wrench{g.R_BW * current_of(e), {}});
  // drag grows with the square: where the flow may be some more, its slope is not that of none
  const double unknown_m_s = kMeanOfAbs * current_std_m_s(e);
  for (std::size_t k = 0; k < 6; ++k) {
    const double through = nu[k] - flow[k], speed = std::abs(through);
    g.drag[k] = (m.linear_damping[k] + m.quadratic_damping[k] * speed) * through;
    g.slope[k] = m.linear_damping[k] +
                 2 * m.quadratic_damping[k] * (k < 3 ? std::max(speed, unknown_m_s) : speed);
  }
  return flow;
}

void no_candidate(DetectorWindow& w) noexcept {
  w.candidate = -1;
  w.candidate_s = 0;
  w.suspicious = false;
  w.best = -1;
}

/// What the slow window has seen so far is what the fast one sees.
void copy_to_slow(DetectorState& s) noexcept {
  s.slow = s.fast;
  s.slow.first_r = s.slow.r;
  s.slow.first = s.slow.second;
  s.since_slow_s = 0;
}

/// Nothing of what was before counts, except what was learnt.
void begin_windows(const BodyModel& model, DetectorState& s, const Measurement& m) noexcept {
  s.measured_at = m.stamp;
  s.nu = to_vec6(m.V_WB_B);
  thrust_at(model, s, m.stamp, s.thrust_at_measurement);
  s.fast = {};
  (void)set_regressors(model, s.error, m.X_WB.q, s.nu, {}, s.fast.first);
  s.fast.first.effort = s.thrust_at_measurement;
  s.fast.second = s.fast.first;
  copy_to_slow(s);
  s.since_gap_s = 0;
}

void begin(const DetectorParams& p, const BodyModel& model, DetectorState& s,
           const Measurement& m) noexcept {
  s.running = true;
  s.since_start_s = 0;
  begin(p.known_to, model, s.error);
  begin_windows(model, s, m);
  s.error.slow = s.thrust_at_measurement;
}

/// Runs every filter over the interval that the measurement closes.
void take(const DetectorParams& p, const BodyModel& model, DetectorState& s, const Measurement& m,
          double dt, const PropulsorHealth* health) noexcept {
  // means over the interval
  const Vec6 nu_now = to_vec6(m.V_WB_B);
  const Vec6 nu = 0.5 * (s.nu + nu_now);
  Regressors& g = s.interval;
  const Vec6 flow = set_regressors(model, s.error, m.X_WB.q, nu, (1 / dt) * (nu_now - s.nu), g);
  const Vec3 up{g.R_BW(0, 2), g.R_BW(1, 2), g.R_BW(2, 2)};

  Vec6 known =
      to_vec6(weight_and_buoyancy(model, up) - coriolis(to_wrench(multiply(model.mass, nu)), nu)) -
      g.drag;
  // drag has the learnt current in it: not once more in what is explained
  for (std::size_t k = 0; k < 3; ++k) known[k] -= g.slope[k] * flow[k];
  std::array<double, kMaxChannels> now_at;
  thrust_at(model, s, m.stamp, now_at);
  for (std::size_t i = 0; i < model.n; ++i) {
    const double asked = 0.5 * (s.thrust_at_measurement[i] + now_at[i]);
    s.thrust_at_measurement[i] = now_at[i];
    Delivery d = health != nullptr ? delivery_of(health[i]) : Delivery{};
    if ((s.found_stuck >> i & 1U) != 0) d = {0, s.found_effort[i]};
    // what is learnt of a propulsor is learnt of the thrust it is believed to give
    g.effort[i] = d.gain * asked + d.offset;
    for (std::size_t j = 0; j < 6; ++j) known[j] += model.column_N[i][j] * g.effort[i];
  }
  const Vec6 q = multiply(model.mass, g.rate) - known - explained(model, s.error, g);

  const double k = dt / (p.window_s + dt), slow = dt / (kMemory_s + dt);
  pass(s.fast, q, g, model.n, k);
  s.since_slow_s += dt;
  if (s.since_slow_s >= kSlowEvery * p.window_s) {
    const double k_slow = s.since_slow_s / (kSlow * p.window_s + s.since_slow_s);
    pass(s.slow, s.fast.r, s.fast.second, model.n, k_slow);
    s.since_slow_s = 0;
  }
  for (std::size_t i = 0; i < model.n; ++i)
    s.error.slow[i] += slow * (g.effort[i] - s.error.slow[i]);

  s.nu = nu_now;
  s.measured_at = m.stamp;
  s.since_start_s += dt;
  s.since_gap_s += dt;
}

// ---------------------------------------------------------------------------------------------
// verdict

/// The best and those nearly as good.
struct Judgement {
  int best = -1;
  Hypothesis hypothesis;
  double all = 0;  ///< r' S^-1 r.
  ChannelMask alike = 0;
};

template <class Each>
bool weigh(const DetectorParams& p, const BodyModel& m, const DetectorState& s,
           const DetectorWindow& w, double window_s, const Vec6& noise, Each each,
           double& all) noexcept {
  Triangle l;
  covariance(p.known_to, m, s.error, w.first, w.second, noise, window_s, l);
  if (!factor(l)) return false;
  const Vec6 y = forward(l, w.r);
  all = dot(y, y);
  for (std::size_t i = 0; i < m.n; ++i) {
    if (s.health[i].health != Health::kGood || is_found(s, i)) continue;
    each(i, hypothesis_of(l, y, m.column_N[i], w.second.effort[i]));
  }
  return true;
}

Judgement judge(const DetectorParams& p, const BodyModel& m, const DetectorState& s,
                const DetectorWindow& w, double window_s, const Vec6& noise) noexcept {
  Judgement out;
  double best = 0;
  FixedVector<double, kMaxChannels> value;
  value.resize(m.n);
  const auto each = [&](std::size_t i, const Hypothesis& h) noexcept {
    value[i] = h.value();
    if (!(value[i] > best)) return;
    best = value[i];
    out.best = static_cast<int>(i);
    out.hypothesis = h;
  };
  if (!weigh(p, m, s, w, window_s, noise, each, out.all)) return {};
  for (std::size_t i = 0; i < m.n; ++i)
    if (value[i] > 0 && value[i] > best - p.margin) out.alike |= ChannelMask{1} << i;
  return out;
}

bool is_clear(const DetectorParams& p, const BodyModel& m, const DetectorState& s, double window_s,
              const Judgement& j) noexcept {
  if (j.best < 0) return false;
  const auto i = static_cast<std::size_t>(j.best);
  const Hypothesis& h = j.hypothesis;
  // a second failure is rarer than what the first one leads to: less control, the surface, the
  // bottom
  const double threshold = s.found == 0 ? p.threshold : kSecond * p.threshold;
  const bool vouched = (s.vouched >> i & 1U) != 0;
  const double least_loss = vouched ? std::max(p.least_loss, 1 - kVouchedFor) : p.least_loss;
  return h.proof() >= threshold && h.likelihood >= p.explained * j.all &&
         j.alike == ChannelMask{1} << i && std::abs(h.missing) >= p.least_effort * m.largest[i] &&
         std::abs(1 - h.efficiency) >= least_loss && s.since_start_s >= p.settle_s &&
         s.since_gap_s >= kFull * window_s;
}

/// From now on it is believed to give what it was found to give.
void declare(const BodyModel& model, DetectorState& s, const DetectorWindow& w,
             const Judgement& j) noexcept {
  const auto i = static_cast<std::size_t>(j.best);
  s.found |= ChannelMask{1} << i;
  const double given = w.second.effort[i] + j.hypothesis.missing;
  s.found_stuck = j.hypothesis.loss ? s.found_stuck & ~(ChannelMask{1} << i)
                                    : s.found_stuck | ChannelMask{1} << i;
  Vec6 change;
  if (j.hypothesis.loss) {
    change = doubt(model, s.error, s.fast.second, i, j.hypothesis.efficiency);
  } else {
    s.found_effort[i] = given;
    change = doubt(model, s.error, s.fast.second, i, 1) +
             (given - s.fast.second.effort[i]) * model.column_N[i];
    s.fast.first.effort[i] = s.fast.second.effort[i] = s.error.slow[i] = given;
  }
  s.fast.r = s.fast.r - change;
  s.fast.first_r = s.fast.first_r - change;
  no_candidate(s.fast);
  copy_to_slow(s);
  s.since_gap_s = 0;
}

bool is_plausible(const Measurement& m) noexcept {
  const Vec6 nu = to_vec6(m.V_WB_B);
  for (std::size_t k = 0; k < 6; ++k)
    if (!(nu[k] >= -kLargestMeasured && nu[k] <= kLargestMeasured)) return false;
  return std::abs(squared_norm(m.X_WB.q) - 1) < 0.05;
}

/// r' N^-1 r with N below S: what no hypothesis can exceed.
double most(const Vec6& r, const Vec6& noise) noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += square(r[k]) / noise[k];
  return sum;
}

/// Judges one window when it is time to.
void look(const DetectorParams& p, const BodyModel& model, DetectorState& s, DetectorWindow& w,
          double window_s, const Vec6& noise, double dt, Detection& out) noexcept {
  w.since_judged_s += dt;
  if (!(w.since_judged_s >= kJudgeEvery * p.confirm_s)) return;
  const double passed = w.since_judged_s;
  w.since_judged_s = 0;
  Judgement j;
  if (most(w.r, noise) >= kWorthALook * p.threshold) j = judge(p, model, s, w, window_s, noise);
  w.best = j.best;
  w.likelihood = j.best >= 0 ? j.hypothesis.value() : 0;
  w.suspicious = j.best >= 0 && j.hypothesis.proof() >= kSuspicious &&
                 j.hypothesis.likelihood >= p.explained * j.all;
  if (j.best >= 0 && j.hypothesis.value() > out.likelihood) {
    const auto i = static_cast<std::size_t>(j.best);
    const double effort = std::abs(w.second.effort[i]);
    out.propulsor = j.best;
    out.likelihood = j.hypothesis.value();
    out.efficiency = j.hypothesis.efficiency;
    out.efficiency_std = effort > 1e-9 ? 1 / (std::sqrt(j.hypothesis.information) * effort) : 0;
    out.delivered = w.second.effort[i] + j.hypothesis.missing;
    out.alike = j.alike;
  }
  // the other window may see another one, and that more clearly
  const DetectorWindow& other = &w == &s.fast ? s.slow : s.fast;
  const bool against = other.best >= 0 && other.best != w.best && other.likelihood > w.likelihood;
  if (against || !is_clear(p, model, s, window_s, j)) {
    w.candidate = -1;
    w.candidate_s = 0;
    return;
  }
  w.candidate_s = w.candidate == j.best ? w.candidate_s + passed : 0;
  w.candidate = j.best;
  if (!(w.candidate_s >= p.confirm_s)) return;
  out.declared = true;
  declare(model, s, w, j);
}

}  // namespace

Detection detect(const DetectorParams& p, const BodyModel& model, DetectorState& s,
                 const DetectorInput& in) noexcept {
  Detection out;
  follow(model, s, in.sent, in.now);
  s.vouched = in.vouched;
  if (!in.active) {
    s.running = false;
    no_candidate(s.fast);
    no_candidate(s.slow);
    return out;
  }
  if (in.measurement == nullptr || !is_plausible(*in.measurement)) return out;
  const Measurement& m = *in.measurement;
  if (!s.running) {
    begin(p, model, s, m);
    return out;
  }
  const double dt = (m.stamp - s.measured_at).seconds();
  if (!(dt > 0)) return out;
  // somebody has spoken: what was measured across it proves nothing
  bool anew = dt > kLongestGap_s;
  for (std::size_t i = 0; i < model.n && in.health != nullptr; ++i) {
    anew |= !same(in.health[i], s.health[i]);
    s.health[i] = in.health[i];
  }
  if (anew) {
    begin_windows(model, s, m);
    return out;
  }
  take(p, model, s, m, dt, in.health);
  if (!is_finite(s.fast.r)) {
    s.running = false;
    return out;
  }

  const Vec6 noise = noise_of(p.known_to, model, s.error, s.fast.second, p.window_s, dt);
  look(p, model, s, s.fast, p.window_s, noise, dt, out);
  if (out.declared) return out;
  const double slow_s = kSlow * p.window_s;
  if (s.since_slow_s == 0) {
    const Vec6 less = noise_of(p.known_to, model, s.error, s.slow.second, slow_s, dt);
    look(p, model, s, s.slow, slow_s, less, kSlowEvery * p.window_s, out);
    if (out.declared) return out;
  }

  // windows that are not full yet show less than there is
  s.since_learned_s += dt;
  const bool full = s.since_gap_s >= kFull * p.window_s || s.found != 0;
  // what may be a failure is not learnt, but not for ever: it may be something else
  s.suspicious_s = s.fast.suspicious || s.slow.suspicious ? s.suspicious_s + dt : 0;
  if (s.suspicious_s > 0 && s.suspicious_s < kPatience_s) s.since_learned_s = 0;
  if (full && s.since_learned_s >= kLearnEvery * p.window_s) {
    const Vec6 learnt = learn(p.known_to, model, s.error, s.fast.second, s.fast.r, noise,
                              noise_of_twist(p.known_to, model, p.window_s, dt), s.since_learned_s);
    s.fast.r = s.fast.r - learnt;
    s.fast.first_r = s.fast.first_r - learnt;
    s.slow.r = s.slow.r - learnt;
    s.slow.first_r = s.slow.first_r - learnt;
    s.since_learned_s = 0;
  }
  return out;
}

void suspect(const DetectorParams& p, const BodyModel& model, const DetectorState& s,
             Suspicion& out) noexcept {
  out.likelihood.clear();
  out.efficiency.clear();
  out.likelihood.resize(model.n);
  out.efficiency.resize(model.n, 1);
  out.judged = 0;
  if (!s.running) return;
  const Vec6 noise = noise_of(p.known_to, model, s.error, s.fast.second, p.window_s, 0.02);
  double all = 0;
  (void)weigh(
      p, model, s, s.fast, p.window_s, noise,
      [&](std::size_t i, const Hypothesis& h) noexcept {
        out.likelihood[i] = h.value();
        out.efficiency[i] = h.efficiency;
        if (h.information * square(s.fast.second.effort[i]) >= p.threshold)
          out.judged |= ChannelMask{1} << i;
      },
      all);
}

void forget(const DetectorParams& p, const BodyModel& model, DetectorState& s,
            std::int32_t propulsor) noexcept {
  for (std::size_t i = 0; i < model.n; ++i) {
    if (!is_found(s, i) || (propulsor >= 0 && static_cast<std::size_t>(propulsor) != i)) continue;
    const ChannelMask bit = ChannelMask{1} << i;
    s.found &= ~bit;
    s.found_stuck &= ~bit;
    trust(p.known_to, s.error, i);
    s.since_gap_s = 0;
    no_candidate(s.fast);
    no_candidate(s.slow);
  }
}

}  // namespace pintle::estimation
