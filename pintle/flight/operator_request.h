/// What an operator asks for in words, and what becomes of it: for `pintle command`, for a schedule
/// of a run, for services.
///
///   pause  resume  cutoff  abort     of the mission, now
///   free_style                       arms if need be, then the mission from its start
///   step S  select S  jump S         S: name or number of a state
///   land                             pauses what moves, then the state that lands, alone; where
///                                    no state does, what flies sinks where it is
///   arm  disarm [force]  terminate   reset_latch  reset_control: loops, and the proof of the odometry's frame
///   take_over  hand_over  heartbeat: the operator is there
///   ready_ignition, then  ignite [P]  shut_down [P]: engines
///   leak  dry                        water inside, for craft whose sensor has no other way
///   fail P  restore P|all  trust P|all   P: name or number of a propulsor, which is not to be used,
///                                    is again, or is taken for good that was found to have failed
///
/// A word may be written with - for _. One that stands for several commands sends one a tick; the
/// first that is refused ends it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/flight/names.h"

namespace pintle::flight {

struct OperatorRequest {
  OperatorCommand command;
  bool arms_first = false;   ///< If it is not armed.
  bool rests_first = false;  ///< If the mission moves.
};

/// @throws std::invalid_argument with what was expected instead.
/// `propulsors`: their names, of a vehicle that has some; without them numbers are taken alone.
[[nodiscard]] OperatorRequest parse_request(std::string_view words, const mission::Mission& mission,
                                            mission::Operator from,
                                            std::span<const std::string> propulsors = {});

/// What makes it stay or come down; it is heard before what makes it move.
[[nodiscard]] bool is_urgent(const OperatorRequest& request) noexcept;
/// The same of words, whoever is to understand them: for who has to put them in order.
[[nodiscard]] bool is_urgent(std::string_view words) noexcept;

/// What became of it, and how things stood then.
struct RequestOutcome {
  bool accepted = false;
  CommandCode refused = CommandCode::kNone;  ///< Of the commands, that which was.
  bool by_commander = false;                 ///< Because another operator commands.
  ArmObstacles obstacles = 0;                ///< To being armed, when that was refused.
  FailsafeStatus failsafe;
  ArmState arm = ArmState::kDisarmed;
  MissionPhase phase = MissionPhase::kIdle;
  std::int32_t state = -1;
  mission::Operator commander = mission::Operator::kNobody;
};

/// "accepted: armed, paused at take_off, cli commands".
[[nodiscard]] std::string sentence(const RequestOutcome& outcome, const mission::Mission& mission);

/// Hands one request at a time to the tick and reads the answer out of its events. No heap, no
/// lock.
class RequestRunner {
 public:
  [[nodiscard]] bool is_busy() const noexcept { return left_ > 0; }
  void begin(const OperatorRequest& request, const Outputs& last) noexcept;
  /// Waits while the tick has commands of somebody else: the answer must be to this one.
  void put(Inputs& in) noexcept;
  /// After the tick: the outcome, once it is there.
  [[nodiscard]] std::optional<RequestOutcome> take(const Outputs& out) noexcept;

 private:
  std::array<OperatorCommand, 2> commands_{};
  std::size_t left_ = 0;
  bool sent_ = false;
};

/// A command at an instant of a run: "12.5:pause", "20:select fly_to_car".
struct ScheduledWords {
  double at_s = 0;
  std::string words;
};
/// @throws std::invalid_argument
[[nodiscard]] ScheduledWords parse_scheduled(std::string_view text);

struct CommandRecord {
  double at_s = 0;  ///< When it was answered.
  std::string words, answer;
  bool accepted = false;
};

/// The operator of a run without a person: the same in every run.
class CommandSchedule {
 public:
  /// @throws std::invalid_argument
  CommandSchedule(std::vector<ScheduledWords> words, const mission::Mission& mission,
                  std::span<const std::string> propulsors = {});
  void put(const Outputs& last, Inputs& in);
  void take(const Outputs& out, const mission::Mission& mission);
  [[nodiscard]] bool done() const noexcept { return next_ == items_.size() && !runner_.is_busy(); }
  /// With those that were never due.
  [[nodiscard]] std::vector<CommandRecord> records() const;

 private:
  struct Item {
    ScheduledWords words;
    OperatorRequest request;
  };
  std::vector<Item> items_;
  std::size_t next_ = 0;
  RequestRunner runner_;
  std::vector<CommandRecord> records_;
};

}  // namespace pintle::flight
