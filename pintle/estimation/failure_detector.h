/// Finds a propulsor that fails without a word, from commanded against measured acceleration.
///
/// Between two measurements the momentum changes by what acts on the body:
///
///   q = M dnu/dt - [ sum_i b_i (g_i a_i + o_i) - C(nu) nu - D(nu) + G(R) ] - H theta
///
/// D is that of the way through the water, its current as learnt by now: in a turn the force of the
/// flow turns. a_i is the effort that was sent, behind the propulsor's lag, b_i its column, g_i and
/// o_i its announced health. theta holds how the real vehicle differs from its file (see
/// model_error.h): propulsors a little stronger or weaker, drag, buoyancy, current, centre of mass.
/// It is learnt on the way by a Kalman filter, whose covariance P says how well each of them is known
/// by now. q and a_i pass the same two low-passes of time constant `window_s`; that makes r and
/// phi_i.
///
/// That propulsor i gives c more than it was asked for predicts r = b_i c. With S = noise + H P H'
/// + what is not learnt, the generalised likelihood ratio of that hypothesis against none is
///
///   l_i = (b_i' S^-1 r)^2 / (b_i' S^-1 b_i),   c_i = b_i' S^-1 r / (b_i' S^-1 b_i),
///   efficiency = 1 + c_i / phi_i,
///
/// and against the healthy one that fits best, which is off by a share h = 0.2 of what it is asked
/// for, l_i (1 - h |phi_i / c_i|)^2. The same is done with r and phi_i behind two more low-passes,
/// 2.5 windows long: the noise of a measured velocity falls with the time to the power of 1.5, and
/// small losses show there first.
///
/// A verdict needs, for `confirm_s` on end: l_i beyond a healthy one above `threshold`, a loss that
/// matters, most of r explained, and no other propulsor that explains it nearly as well. While one
/// is found, a second must be far clearer. Propulsors whose columns are parallel cannot be
/// told apart; `alike` names all that come into question, and no verdict falls.
///
/// A failure must not be learnt as a property of the vehicle: shares stay within three standard
/// deviations, and while a window sees what no healthy propulsor does nothing is learnt (10 s).
///
/// One that is hardly used cannot be judged, and is not: `judged` says which ones would be found
/// now if they died. Not modelled: two failures within one window, loads from outside (a tether, a
/// hand, the bottom), the surface, inflow losses. Sources: the momentum observer of De Luca and
/// Mattone, ICRA 2005; generalised likelihood ratios after Willsky and Jones, IEEE TAC 21, 1976.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"
#include "pintle/estimation/estimator.h"
#include "pintle/estimation/excitation.h"
#include "pintle/estimation/hypothesis.h"
#include "pintle/estimation/model_error.h"
#include "pintle/estimation/report_watch.h"

namespace pintle::estimation {

/// What is done with a propulsor that has been found out.
enum class OnDetection : std::uint8_t {
  kReport,  ///< An event.
  kDrop,    ///< An event, and it counts as what it was found to be until somebody says otherwise.
};

struct DetectorParams {
  bool enable = true;
  OnDetection on_detection = OnDetection::kReport;
  double threshold = 18;        ///< Of l_i beyond h: the square of a number of standard deviations.
  double margin = 14;           ///< l of the best above l of the next.
  double explained = 0.75;      ///< Share of r' S^-1 r that the best must explain.
  double least_loss = 0.3;      ///< 1 - efficiency.
  double least_effort = 0.015;  ///< Missing effort, as a share of the propulsor's largest.
  double confirm_s = 0.1;
  double settle_s = 3;  ///< No verdict so soon after arming.
  double window_s = 0.12;
  ModelErrorParams known_to;    ///< How well the vehicle is known.
  ExcitationParams excitation;  ///< So that all can be judged.
  ReportWatchParams reports;    ///< Of propulsors that say how they are.
};

[[nodiscard]] Findings check(const DetectorParams& params);

inline constexpr std::size_t kDetectorHistory = 32;
inline constexpr double kVouchedFor = 0.4;

/// What is behind two low-passes of one time constant, and what is thought of it.
struct DetectorWindow {
  Vec6 first_r{}, r{};
  Regressors first, second;
  double since_judged_s = 0;
  std::int32_t best = -1;  ///< Of the last judgement, and its l.
  double likelihood = 0;
  std::int32_t candidate = -1;
  double candidate_s = 0;   ///< How long it has been the one.
  bool suspicious = false;  ///< One propulsor gives what a healthy one would not.
};

/// Everything the detector remembers.
struct DetectorState {
  bool running = false;
  Time last_now{};
  Time measured_at{};        ///< Stamp of the last measurement used …
  Vec6 nu{};                 ///< … and its twist.
  double since_start_s = 0;  ///< Over measurements, since learning began …
  double since_gap_s = 0;    ///< … and since the windows began.
  double since_learned_s = 0;
  // propulsors
  std::array<double, kMaxChannels> thrust{};  ///< Effort behind the lag, at last_now.
  bool has_kept = false;
  Duration kept_over{};                     ///< For steps of this length …
  std::array<double, kMaxChannels> kept{};  ///< … the share that the lag keeps.
  std::array<double, kMaxChannels> thrust_at_measurement{};
  std::array<Time, kDetectorHistory> history_at{};
  std::array<std::array<float, kMaxChannels>, kDetectorHistory> history{};
  std::uint32_t history_newest = 0, history_size = 0;
  std::array<PropulsorHealth, kMaxChannels> health{};  ///< As told, at the last measurement.
  Regressors interval;                                 ///< Over the last one.
  DetectorWindow fast, slow;
  double since_slow_s = 0;  ///< Since the slow window took something.
  double suspicious_s = 0;  ///< How long one of them has been.
  ModelError error;
  // verdicts
  ChannelMask vouched = 0;      ///< As last told.
  ChannelMask found = 0;        ///< Declared; not judged again until forgotten.
  ChannelMask found_stuck = 0;  ///< Of these: give `found_effort` whatever is asked.
  std::array<double, kMaxChannels> found_effort{};
};

/// What the detector thinks now.
struct Detection {
  std::int32_t propulsor = -1;  ///< The most suspicious one, -1: nothing to suspect.
  double likelihood = 0;        ///< Its l.
  double efficiency = 1;        ///< 1 healthy, 0 dead, below 0 reversed, above 1 pushes unasked.
  double efficiency_std = 0;    ///< How sure that is.
  double delivered = 0;         ///< Effort that it gives, on the window's mean.
  ChannelMask alike = 0;        ///< Those that explain it nearly as well, itself included.
  bool declared = false;        ///< In this call: a failure is found.

  /// Gives less than asked, at most the reverse of it; otherwise it pushes by itself.
  [[nodiscard]] bool is_loss() const noexcept { return estimation::is_loss(efficiency); }
};

/// What has happened since the last call.
struct DetectorInput {
  Time now;
  bool active = false;  ///< Armed, not ramping, state valid. Otherwise everything begins anew.
  const Measurement* measurement = nullptr;  ///< A fresh, accepted one, or null.
  const ChannelVector* sent = nullptr;       ///< Efforts from the last call until now.
  const PropulsorHealth* health = nullptr;   ///< One a propulsor, as announced.
  /// Of these their own reports say that they turn as they should: only one that gives less than
  /// `kVouchedFor` of its thrust all the same is convicted.
  ChannelMask vouched = 0;
};

/// One tick. No heap, no exception; whatever comes in, what it says is finite.
[[nodiscard]] Detection detect(const DetectorParams&, const BodyModel&, DetectorState&,
                               const DetectorInput&) noexcept;

/// How suspicious each propulsor is now (l_i, 0 for what cannot be) and which ones could be judged:
/// would be found if they died. Looks only.
struct Suspicion {
  ChannelVector likelihood;
  ChannelVector efficiency;
  ChannelMask judged = 0;
};
void suspect(const DetectorParams&, const BodyModel&, const DetectorState&,
             Suspicion& out) noexcept;

/// A propulsor declared failed is taken for good again, -1 for all.
void forget(const DetectorParams&, const BodyModel&, DetectorState&,
            std::int32_t propulsor) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::OnDetection>();
template <>
const Table& table_of<estimation::DetectorParams>();
}  // namespace pintle
