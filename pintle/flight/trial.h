/// What a person tries out on a stack that flies no mission: a step of one axis, or one propulsor
/// alone, which tells where it pushes.
///
///   step   holds where it is until it does, then asks for `size` more on the axis, then goes back
///   push   all other propulsors out by the operator's word, nothing asked for until it rests (a craft
///          that is wired wrongly cannot hold still); rest, push, rest, push the other way
///
/// A pure state machine beside the tick: it puts setpoints and commands into the inputs, as a
/// planner and an operator would, and nothing else; the tick goes on deciding what is sent. It
/// begins and goes on only while nobody else commands, the craft is armed, its state valid, no
/// failsafe on and it stays within `kReach_m` of where it began. No heap, no lock, no clock.
///
/// A push is measured by when it was sent and by what odometry says then. One in which a tick came
/// late, or odometry was old or away, proves nothing: it is pushed again, `kMostTries` times in all.
/// It waits for a state that is away, `kBlind_s` at most; a step does not. What is pushed again stays
/// within `kReach_m` of where the first push began.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/base/fields.h"
#include "pintle/control/step_response.h"
#include "pintle/flight/names.h"

namespace pintle::flight {

struct TrialRequest {
  enum class Kind : std::uint8_t { kNone, kStep, kPush, kStop };
  std::uint64_t number = 0;  ///< Rises with each; the outcome bears it.
  Kind kind = Kind::kNone;
  // step
  std::size_t axis = 0;  ///< x, y, z, roll, pitch, yaw: of the pose in the world, or in the body …
  bool velocity = false;  ///< … of the velocity.
  double size = 0;        ///< m, rad, m/s, rad/s; either way, at most kMostStep_m or kMostStep_rad.
  double seconds = 0;     ///< Of watching: 1 to kMostStepSeconds.
  // push
  std::size_t propulsor = 0;
  double share = 0;  ///< Of what it can give the weaker way, kLeastShare to kMostShare.
};

inline constexpr double kMostStep_m = 2, kMostStep_rad = 0.8, kMostStepSeconds = 60;
inline constexpr double kLeastShare = 0.05, kMostShare = 0.5;
inline constexpr double kReach_m = 4;
inline constexpr double kPush_s = 0.6, kPushRest_s = 1.5;
inline constexpr double kSettle_s = 20;  ///< It may take so long until it rests.
// what a push is measured by: a craft of slower ticks is not pushed, longer from tick to tick is late, older odometry old
inline constexpr double kSlowest_s = 0.1, kLate_s = 0.12, kOld_s = 0.25;
inline constexpr double kBlind_s = 3;  ///< A state that is away for longer ends it.
inline constexpr int kMostTries = 10;

/// Why a trial does not begin, or ended before it was over.
enum class TrialTrouble : std::uint8_t {
  kNone,
  kMission,  ///< A mission is flown.
  kDisarmed,
  kState,  ///< The state is not valid.
  kFailsafe,
  kElse,      ///< Somebody else commands: an operator, a planner.
  kOut,       ///< A propulsor is out already.
  kMoves,     ///< It did not come to rest.
  kFar,       ///< It went farther than kReach_m.
  kUnfit,     ///< The craft or its law does not allow of it.
  kNumbers,   ///< What was asked for is out of range.
  kNoEffort,  ///< The push was not sent: limits of the wrench, the battery, the law.
  kLate,      ///< Ticks or odometry came late in each of kMostTries pushes.
  kBusy,
  kStopped,  ///< By who asked for it.
};

struct TrialOutcome {
  std::uint64_t number = 0;
  TrialTrouble trouble = TrialTrouble::kNone;
  // of a push
  Vec6 change{};       ///< Of the twist by it, body coordinates …
  double impulse = 0;  ///< … and the integral of the effort that was sent, unit s.
};

class Trial {
 public:
  [[nodiscard]] bool is_busy() const noexcept { return request_.kind != TrialRequest::Kind::kNone; }
  /// Before a tick: begins it. An outcome at once when it may not.
  std::optional<TrialOutcome> begin(const Model& model, const TrialRequest& request,
                                    const Outputs& last) noexcept;
  /// Before a tick, after everybody else's inputs.
  void put(const Model& model, const Outputs& last, Inputs& in) noexcept;
  /// After it: the outcome, once.
  std::optional<TrialOutcome> take(const Model& model, const Outputs& out) noexcept;
  /// Of the last tick, of a step: what was wanted and what was.
  [[nodiscard]] std::optional<control::StepSample> sample() const noexcept { return sample_; }

 private:
  [[nodiscard]] TrialTrouble trouble_of(const Model& model, const Outputs& last,
                                        bool sees) const noexcept;
  void put_step(Inputs& in, double t_s) noexcept;
  void put_push(const Model& model, Inputs& in, double t_s) noexcept;
  [[nodiscard]] bool holds(const Outputs& out) const noexcept;
  [[nodiscard]] bool is_alone(const Model& model, const Outputs& out) const noexcept;
  bool take_push(const Outputs& out, double dt_s) noexcept;
  void begin_again(const Outputs& out) noexcept;
  void let_go(Inputs& in) noexcept;
  void hear_answer(const Outputs& out) noexcept;

  TrialRequest request_;
  Time begun_{};
  Time last_now_{};
  std::optional<Time> foreign_at_;  ///< When somebody else gave a setpoint.
  Setpoint base_{};
  bool stands_ = false;  ///< The setpoint in force is its own.
  // of this tick: it gives one, gives the last one, somebody else does
  bool gives_ = false, lets_go_ = false, replaces_ = false;
  Vec3 place_{};
  double angle_ = 0;       ///< Unwrapped, of the axis.
  bool restores_ = false;  ///< The others are to be taken into use again.
  std::size_t told_ = 0;   ///< Of the others, how many are out.
  bool chosen_ = false;    ///< They all are, and it rests; of a step, it holds.
  Time fast_at_{};         ///< When it last moved.
  Time sure_at_{};         ///< When its state was last valid.
  int tries_ = 0;          ///< Of the push.
  TrialTrouble trouble_ = TrialTrouble::kNone;
  bool ends_ = false;
  std::optional<TrialOutcome> ended_;  ///< To be told once the others are in use again.
  double sign_ = 1;
  // the newest odometry: of when, and which twist; sums for the means before and at the end of each push
  Duration age_{};  ///< Of what came with this tick.
  Time seen_at_{};
  Vec6 seen_{};
  std::array<Vec6, 4> mean_{};
  std::array<double, 2> impulse_{};
  std::optional<control::StepSample> sample_;
};

/// Wanted and actual of an axis, m and rad, or m/s and rad/s; angles as they stand.
[[nodiscard]] control::StepSample sample_of(const Outputs& out, std::size_t axis,
                                            bool velocity) noexcept;

}  // namespace pintle::flight

namespace pintle {
template <>
const EnumTable& enum_table<flight::TrialTrouble>();
}
