#include "pintle/console/menu.h"

#include <fmt/format.h>

#include <utility>

#include "pintle/console/keys.h"

namespace pintle::console {
namespace {

using stack::CommandCode;

constexpr double kAnswerWithin_s = 10, kArmWithin_s = 2;

/// Without a flight controller nothing says whether it flies.
const char* where(const View& now) { return now.flight.empty() ? "while armed" : "in the air"; }

DepartureView departing(const View& v) {
  return {v.in_flight, v.aborting, v.comes_down, !v.flight.empty()};
}

MenuAnswer command(CommandCode code, std::int32_t argument = -1) {
  return {{{code, argument}}, false};
}

}  // namespace

std::vector<MenuState> menu_states(const mission::Mission& mission) {
  std::vector<MenuState> states;
  for (const mission::State& s : mission.states) {
    if (states.size() == kStateKeys.size()) break;
    MenuState one;
    one.name = s.name;
    switch (s.request) {
      case mission::Request::kRelease: one.danger_in_air = "the gripper lets go here"; break;
      case mission::Request::kReleaseControl:
        one.danger_in_air = "motion commands are obeyed no more";
        break;
      case mission::Request::kLand: one.danger_in_air = "it lands here, wherever that is"; break;
      case mission::Request::kTakeOff: one.starts_moving = true; break;
      default: break;
    }
    states.push_back(one);
  }
  return states;
}

Menu::Menu(std::vector<MenuState> states, std::string quitting)
    : states_(std::move(states)), quitting_(std::move(quitting)) {
  line_ = "Nothing moves before you ask for it. f flies the mission, j shows the keys.";
}

MenuAnswer Menu::ask(std::string text, MenuAnswer then, double time_s) {
  question_ = Question::kSure;
  then_ = std::move(then);
  asked_at_s_ = time_s;
  line_ = "[y or n] " + std::move(text);
  return {};
}

MenuAnswer Menu::say(std::string text, MenuAnswer answer) {
  line_ = std::move(text);
  return answer;
}

void Menu::tell(std::string text) {
  if (!asking()) line_ = std::move(text);
}

void Menu::lapse(std::string why) {
  // what comes of a question is up to who answers it
  if (is_to_start()) start_when_armed_ = false;
  tell(std::move(why));
}

MenuAnswer Menu::step(std::size_t state, const View& now, double time_s) {
  if (now.moving) return say("the mission is under way: g pauses it first");
  const MenuState& s = states_[state];
  MenuAnswer go = command(CommandCode::kMissionStep, static_cast<std::int32_t>(state));
  const bool air = now.in_flight && !s.danger_in_air.empty();
  const bool ground = !now.in_flight && s.starts_moving;
  if (air) return ask(fmt::format("{} in the air: {}. Sure?", s.name, s.danger_in_air), go, time_s);
  if (ground) return ask(fmt::format("{}: propellers start. Sure?", s.name), go, time_s);
  return say(fmt::format("{} alone, then hold", s.name), std::move(go));
}

MenuAnswer Menu::select(char key) {
  question_ = Question::kNone;
  const std::size_t at = kStateKeys.find(key);
  if (at >= states_.size()) return say("no state has that key; nothing selected");
  return say(fmt::format("{} selected: h goes on from there", states_[at].name),
             command(CommandCode::kMissionSelect, static_cast<std::int32_t>(at)));
}

MenuAnswer Menu::start(const View& now, double time_s) {
  if (now.moving) return say("the mission is under way: x aborts it, i cuts it off");
  if (now.paused) return say("the mission is paused: h goes on, i cuts it off first");
  if (now.armed) return say("the mission, from its start", command(CommandCode::kMissionStart));
  ask("Arm, and fly the mission from its start?", command(CommandCode::kArm), time_s);
  start_when_armed_ = true;
  return {};
}

MenuAnswer Menu::arm(const View& now, double time_s) {
  if (now.latched) return say("latch reset", command(CommandCode::kResetLatch));
  if (!now.armed) return ask("Arm?", command(CommandCode::kArm), time_s);
  if (!now.in_flight) return say("disarmed", command(CommandCode::kDisarm));
  return ask(fmt::format("Disarm {}: nothing holds it any more. Sure?", where(now)),
             command(CommandCode::kDisarmForce), time_s);
}

MenuAnswer Menu::quit(const View& now, double time_s) {
  MenuAnswer go;
  go.quit = true;
  if (!now.in_flight) return say("leaving", std::move(go));
  return ask(fmt::format("Quit {}: abort path and landing first; q again: lands where it is. Sure?",
                         where(now)),
             std::move(go), time_s);
}

MenuAnswer Menu::told(const DepartureStep& step) {
  MenuAnswer go;
  go.quit = step.leave;
  if (step.command) go.commands.push_back({*step.command, -1});
  if (go.quit) return say("leaving", std::move(go));
  if (departure_.stage() == Departure::Stage::kLanding)
    return say(fmt::format("landing where it is, then leaving; q again: {}", quitting_),
               std::move(go));
  return say("coming down, then leaving; q again: lands where it is", std::move(go));
}

MenuAnswer Menu::leave(const View& now, double time_s, bool by_key) {
  question_ = Question::kNone;
  then_ = {};
  return told(departure_.ask(departing(now), time_s, by_key));
}

MenuAnswer Menu::leave(const View& now, double time_s) { return leave(now, time_s, false); }

/// What another operator has in hand is taken over from him knowingly or not at all.
MenuAnswer Menu::mind_others(MenuAnswer answer, const View& now, double time_s) {
  if (now.commander.empty() || answer.commands.empty()) return answer;
  const CommandCode first = answer.commands.front().code;
  if (first == CommandCode::kMissionPause || first == CommandCode::kMissionAbort ||
      first == CommandCode::kMissionLand || first == CommandCode::kTakeOver)
    return answer;
  answer.commands.insert(answer.commands.begin(), {CommandCode::kTakeOver, -1});
  return ask(fmt::format("{} commands. Take over, and do it?", now.commander), std::move(answer),
             time_s);
}

MenuAnswer Menu::press(char key, const View& now, double time_s) {
  if (leaving()) return key == 'q' || key == kInterrupt ? leave(now, time_s, true) : told({});
  if (asking() && (key == 'g' || key == 'x')) {
    question_ = Question::kNone;
    then_ = {};
  }
  if (question_ == Question::kWhichState) return mind_others(select(key), now, time_s);
  // typed in one breath with the key that asked: the question was not on the screen yet
  if (question_ == Question::kSure && !(time_s > asked_at_s_)) return {};
  if (question_ == Question::kSure && !has_room_ && (key == 'y' || key == 'Y')) return {};
  const bool insists = question_ == Question::kSure && then_.quit && key == kInterrupt;
  MenuAnswer answer =
      question_ == Question::kSure ? answered(key, time_s) : pressed(key, now, time_s);
  if (answer.quit && now.in_flight) {
    answer = leave(now, time_s, true);
    if (insists && !answer.quit) answer = leave(now, time_s, true);
  }
  return mind_others(std::move(answer), now, time_s);
}

MenuAnswer Menu::answered(char key, double time_s) {
  question_ = Question::kNone;
  MenuAnswer then = std::exchange(then_, {});
  const bool insists = key == kInterrupt && then.quit;
  if (key != 'y' && key != 'Y' && !insists) {
    start_when_armed_ = false;
    return say("no: nothing was done");
  }
  start_until_s_ = time_s + kArmWithin_s;
  return say("yes", std::move(then));
}

MenuAnswer Menu::pressed(char key, const View& now, double time_s) {
  start_when_armed_ = false;
  const std::size_t state = kStateKeys.find(key);
  if (state < states_.size()) return step(state, now, time_s);
  switch (key) {
    case 'f': return start(now, time_s);
    case 'g':
      return say(now.moving ? "pause: holds where it is" : "nothing moves: it holds",
                 command(CommandCode::kMissionPause));
    case 'h':
      return say(now.paused ? "resume" : "nothing is paused", command(CommandCode::kMissionResume));
    case 'i':
      return say(now.moving || now.paused ? "cut off: holds, back to the start"
                                          : "nothing is under way: it holds",
                 command(CommandCode::kMissionCutoff));
    case 'j': help_ = !help_; return say(help_ ? "j again: back" : "");
    case 'm': return arm(now, time_s);
    case 's':
      question_ = Question::kWhichState;
      asked_at_s_ = time_s;
      return say("Select which state? Press its key");
    case 'x': return say("abort path", command(CommandCode::kMissionAbort));
    case 'q':
    case kInterrupt: return quit(now, time_s);
    case kEscape:
    case '\n': return {};
    default: return say("no such key; j shows them");
  }
}

MenuAnswer Menu::update(const View& now, double time_s) {
  if (leaving()) {
    const DepartureStep step = departure_.update(departing(now), time_s);
    return step.leave || step.command ? told(step) : MenuAnswer{};
  }
  if (asking()) {
    if (time_s - asked_at_s_ < kAnswerWithin_s) return {};
    question_ = Question::kNone;
    start_when_armed_ = false;
    return say("no answer: nothing was done");
  }
  if (!start_when_armed_) return {};
  if (now.armed) {
    start_when_armed_ = false;
    return mind_others(say("the mission, from its start", command(CommandCode::kMissionStart)), now,
                       time_s);
  }
  if (time_s < start_until_s_) return {};
  start_when_armed_ = false;
  if (!now.obstacle.empty()) return say("not armed: " + now.obstacle);
  return say(now.state_valid ? "not armed: refused just then; once more"
                             : "not armed: there is no valid state");
}

}  // namespace pintle::console
