#include "pintle/flight/operator_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pintle/config/reader.h"
#include "pintle/flight/event_words.h"

namespace pintle::flight {
namespace {

struct Word {
  std::string_view name;
  CommandCode code;
  bool needs_state = false, needs_propulsor = false;
};

constexpr std::array kWords{Word{"pause", CommandCode::kMissionPause},
                            Word{"resume", CommandCode::kMissionResume},
                            Word{"cutoff", CommandCode::kMissionCutoff},
                            Word{"abort", CommandCode::kMissionAbort},
                            Word{"free_style", CommandCode::kMissionStart},
                            Word{"step", CommandCode::kMissionStep, true},
                            Word{"select", CommandCode::kMissionSelect, true},
                            Word{"jump", CommandCode::kMissionJump, true},
                            Word{"land", CommandCode::kMissionStep},
                            Word{"arm", CommandCode::kArm},
                            Word{"disarm", CommandCode::kDisarm},
                            Word{"reset_control", CommandCode::kResetControl},
                            Word{"reset_latch", CommandCode::kResetLatch},
                            Word{"take_over", CommandCode::kTakeOver},
                            Word{"hand_over", CommandCode::kHandOver},
                            Word{"heartbeat", CommandCode::kHeartbeat},
                            Word{"terminate", CommandCode::kTerminate},
                            Word{"leak", CommandCode::kLeak},
                            Word{"dry", CommandCode::kLeak},
                            Word{"ready_ignition", CommandCode::kReadyIgnition},
                            Word{"ignite", CommandCode::kIgnite, false, true},
                            Word{"shut_down", CommandCode::kShutDown, false, true},
                            Word{"fail", CommandCode::kFailPropulsor, false, true},
                            Word{"restore", CommandCode::kRestorePropulsor, false, true},
                            Word{"trust", CommandCode::kTrustPropulsor, false, true}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

const Word& word_of(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string_view> known;
  std::string all;
  for (const Word& w : kWords) {
    if (w.name == name) return w;
    known.push_back(w.name);
    all += (all.empty() ? "" : ", ") + std::string(w.name) +
           (w.needs_state       ? " STATE"
            : w.needs_propulsor ? " PROPULSOR"
                                : "");
  }
  const std::string near = config::did_you_mean(name, known);
  throw std::invalid_argument(
      fmt::format("\"{}\" is no command{}; known: {}", text,
                  near.empty() ? std::string{} : fmt::format(", did you mean \"{}\"", near), all));
}

std::int32_t state_of(std::string_view text, const mission::Mission& mission,
                      std::string_view word) {
  const std::size_t n = mission.states.size();
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < n; ++i) {
    if (mission.states[i].name == text) return static_cast<std::int32_t>(i);
    known.push_back(mission.states[i].name);
  }
  const auto number = config::parse_number(text);
  if (number && *number >= 0 && *number < static_cast<double>(n) &&
      *number == static_cast<std::int32_t>(*number))
    return static_cast<std::int32_t>(*number);
  if (n == 0) throw std::invalid_argument("there is no mission");
  if (text.empty() || number)
    throw std::invalid_argument(fmt::format(
        "{} needs a state of the mission: its name, or its number from 0 to {}", word, n - 1));
  const std::string near = config::did_you_mean(text, known);
  throw std::invalid_argument(fmt::format("the mission has no state \"{}\"{}", text,
                                          near.empty()
                                              ? fmt::format("; its first is \"{}\"", known.front())
                                              : fmt::format(", did you mean \"{}\"", near)));
}

std::int32_t propulsor_of(std::string_view text, std::span<const std::string> names,
                          const Word& word) {
  if (text == "all" && word.code != CommandCode::kFailPropulsor) return -1;
  const bool lights = word.code == CommandCode::kIgnite || word.code == CommandCode::kShutDown;
  if (text.empty() && lights) return -1;
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<std::int32_t>(i);
    known.emplace_back(names[i]);
  }
  const auto number = config::parse_number(text);
  const double most = names.empty() ? kMaxPropulsors : static_cast<double>(names.size());
  if (number && *number >= 0 && *number < most && *number == static_cast<std::int32_t>(*number))
    return static_cast<std::int32_t>(*number);
  const std::string near = config::did_you_mean(text, known);
  throw std::invalid_argument(
      fmt::format("{} needs a propulsor: {}{}", word.name,
                  names.empty() ? "its number" : fmt::format("one of {}", fmt::join(names, ", ")),
                  near.empty() ? std::string{} : fmt::format("; did you mean \"{}\"", near)));
}

std::optional<std::int32_t> landing_of(const mission::Mission& mission) {
  for (std::size_t i = 0; i < mission.states.size(); ++i)
    if (mission.states[i].land || mission.states[i].request == mission::Request::kLand)
      return static_cast<std::int32_t>(i);
  return std::nullopt;
}

bool needs_armed(CommandCode code) {
  return code == CommandCode::kMissionStart || code == CommandCode::kMissionStep ||
         code == CommandCode::kMissionResume;
}

}  // namespace

OperatorRequest parse_request(std::string_view words, const mission::Mission& mission,
                              mission::Operator from, std::span<const std::string> propulsors) {
  words = trimmed(words);
  const std::size_t space = words.find(' ');
  const Word& word = word_of(words.substr(0, space));
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view{} : trimmed(words.substr(space));
  OperatorRequest r;
  r.command = {word.code, -1, from};
  if (word.needs_state)
    r.command.argument = state_of(rest, mission, word.name);
  else if (word.needs_propulsor)
    r.command.argument = propulsor_of(rest, propulsors, word);
  else if (word.code == CommandCode::kDisarm && rest == "force")
    r.command.code = CommandCode::kDisarmForce;
  else if (!rest.empty())
    throw std::invalid_argument(fmt::format("{} stands alone, got \"{}\"", word.name, words));
  if (word.code == CommandCode::kLeak) r.command.argument = word.name == "leak" ? 1 : 0;
  if (word.name == "land") {
    if (const auto at = landing_of(mission)) {
      r.command.argument = *at;
      r.rests_first = true;
    } else {
      // what flies comes down by itself; for the others it does not apply
      r.command.code = CommandCode::kMissionLand;
    }
  }
  r.arms_first = word.code == CommandCode::kMissionStart;
  return r;
}

std::string sentence(const RequestOutcome& o, const mission::Mission& mission) {
  const auto index = static_cast<std::size_t>(o.state);
  std::string stands(to_string(o.phase));
  if (o.state >= 0 && index < mission.states.size() && mission::is_under_way(o.phase))
    stands += (o.phase == MissionPhase::kPaused ? " at " : ", ") + mission.states[index].name;
  const std::string who = o.commander == mission::Operator::kNobody
                              ? "nobody commands"
                              : std::string(to_string(o.commander)) + " commands";
  if (o.accepted) return fmt::format("accepted: {}, {}, {}", to_string(o.arm), stands, who);
  if (o.by_commander) return fmt::format("refused: {}; take_over takes it from there", who);
  if (o.obstacles != 0)
    return fmt::format("refused: not armed: {}", pre_arm_list(o.obstacles, o.failsafe));
  if (o.refused == CommandCode::kIgnite && o.arm == ArmState::kArmed)
    return "refused: ready_ignition comes first, and ignite within ten seconds";
  if (o.refused == CommandCode::kDisarm)
    return fmt::format(
        "refused: in the air: nothing would hold it any more; land, or \"disarm force\"");
  if (o.arm != ArmState::kArmed && needs_armed(o.refused))
    return fmt::format("refused: {}; arm it first", to_string(o.arm));
  return fmt::format("refused: {} does not apply now ({}, {}), {}", to_string(o.refused),
                     to_string(o.arm), stands, who);
}

void RequestRunner::begin(const OperatorRequest& request, const Outputs& last) noexcept {
  commands_[0] = request.command;
  left_ = 1;
  sent_ = false;
  if (request.arms_first && last.arm != ArmState::kArmed)
    commands_[left_++] = {CommandCode::kArm, -1, request.command.from};
  else if (request.rests_first && mission::is_moving(last.mission.phase))
    commands_[left_++] = {CommandCode::kMissionPause, -1, request.command.from};
}

void RequestRunner::put(Inputs& in) noexcept {
  sent_ = left_ > 0 && in.commands.empty() && in.commands.push_back(commands_[left_ - 1]);
}

std::optional<RequestOutcome> RequestRunner::take(const Outputs& out) noexcept {
  if (!sent_) return std::nullopt;
  sent_ = false;
  const CommandCode code = commands_[--left_].code;
  RequestOutcome o;
  o.accepted = true;
  o.arm = out.arm;
  o.phase = out.mission.phase;
  o.state = out.mission.state;
  o.commander = out.commander;
  o.failsafe = out.failsafe;
  for (const Event& e : out.events) {
    if (e.code == EventCode::kArmingRefused) o.obstacles = static_cast<ArmObstacles>(e.value);
    if (e.code != EventCode::kCommandRefused || e.subject != static_cast<std::int32_t>(code))
      continue;
    o.accepted = false;
    o.refused = code;
    o.by_commander = e.value > 0;
  }
  if (o.accepted && left_ > 0) return std::nullopt;
  left_ = 0;
  return o;
}

bool is_urgent(const OperatorRequest& r) noexcept {
  switch (r.command.code) {
    case CommandCode::kMissionPause:
    case CommandCode::kMissionCutoff:
    case CommandCode::kMissionAbort:
    case CommandCode::kMissionLand:
    case CommandCode::kDisarm:
    case CommandCode::kDisarmForce:
    case CommandCode::kTerminate: return true;
    default: return r.rests_first;
  }
}

bool is_urgent(std::string_view words) noexcept {
  const std::string_view text = trimmed(words), name = text.substr(0, text.find(' '));
  if (name == "land") return true;
  const auto* word =
      std::find_if(kWords.begin(), kWords.end(), [name](const Word& w) { return w.name == name; });
  OperatorRequest request;
  if (word != kWords.end()) request.command.code = word->code;
  return is_urgent(request);
}

ScheduledWords parse_scheduled(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto time = config::parse_number(trimmed(text.substr(0, colon)));
  if (colon == std::string_view::npos || !time || !(*time >= 0))
    throw std::invalid_argument(fmt::format(
        "expected SECONDS:COMMAND, got {}, write for example 12.5:pause or 20:\"select 5\"", text));
  return {*time, std::string(trimmed(text.substr(colon + 1)))};
}

CommandSchedule::CommandSchedule(std::vector<ScheduledWords> words, const mission::Mission& mission,
                                 std::span<const std::string> propulsors) {
  for (ScheduledWords& w : words) {
    const OperatorRequest request =
        parse_request(w.words, mission, mission::Operator::kCli, propulsors);
    items_.push_back({std::move(w), request});
  }
  std::stable_sort(items_.begin(), items_.end(),
                   [](const Item& a, const Item& b) { return a.words.at_s < b.words.at_s; });
}

void CommandSchedule::put(const Outputs& last, Inputs& in) {
  if (!runner_.is_busy() && next_ < items_.size() && in.now.seconds() >= items_[next_].words.at_s)
    runner_.begin(items_[next_++].request, last);
  runner_.put(in);
}

void CommandSchedule::take(const Outputs& out, const mission::Mission& mission) {
  if (const auto o = runner_.take(out))
    records_.push_back(
        {out.now.seconds(), items_[next_ - 1].words.words, sentence(*o, mission), o->accepted});
}

std::vector<CommandRecord> CommandSchedule::records() const {
  std::vector<CommandRecord> all = records_;
  for (std::size_t i = all.size(); i < items_.size(); ++i)
    all.push_back({items_[i].words.at_s, items_[i].words.words,
                   "not sent: the run had ended by then", false});
  return all;
}

}  // namespace pintle::flight
