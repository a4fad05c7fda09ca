/// The keys of the delivery aircraft's console and what they ask for.
///
///   0-9 a-e   one state alone, in closed loop, then a hold        f   the mission from its start
///   g pause   h resume   i cut off (hold, back to the start)       j   help
///   m arm or disarm   s select a state, where resume goes on   x abort   q quit
///
/// To quit in flight is to come down first (departure.h): the abort path is flown, and then the
/// console is left; q once more, or Ctrl-C twice, lands where it is and leaves as soon as the
/// flight controller has taken that on; once again: at once. What is under way on the ground, and a
/// take-off that may still come, count as flight.
///
/// What is dangerous is asked back, and so is what another operator would have to give way for: an
/// answer other than y, or none within ten seconds, is no. Keys typed in one breath with the one
/// that asks do not answer it. A key acts once; nothing is queued behind a question. Pause and
/// abort act even then, and the question is gone.
///
/// Source: the menu of the `jet` package; there any key took effect at once, also the one that
/// gives up control of a craft in the air.
#pragma once
#include <string>
#include <vector>

#include "pintle/console/departure.h"
#include "pintle/console/view.h"

namespace pintle::console {

/// Keys of states, by number.
inline constexpr std::string_view kStateKeys = "0123456789abcde";

struct MenuState {
  std::string name;
  /// What entering it out of turn does to a craft in the air; empty: nothing bad.
  std::string danger_in_air;
  bool starts_moving = false;  ///< Asked back on the ground too.
};

/// The states of a mission that have a key, dangers told from what they ask of the craft.
[[nodiscard]] std::vector<MenuState> menu_states(const mission::Mission& mission);

struct MenuAnswer {
  std::vector<stack::OperatorCommand> commands;
  bool quit = false;  ///< Now.
};

class Menu {
 public:
  /// `quitting`: what becomes of a craft in the air when the console is left at once.
  Menu(std::vector<MenuState> states, std::string quitting);

  [[nodiscard]] MenuAnswer press(char key, const View& now, double time_s);
  /// Lets a question lapse, and starts the mission once the craft is armed.
  [[nodiscard]] MenuAnswer update(const View& now, double time_s);

  [[nodiscard]] const std::vector<MenuState>& states() const { return states_; }
  [[nodiscard]] bool asking() const { return question_ != Question::kNone; }
  /// Whether the screen has room for all of a question: what nobody could read, yes does not answer.
  void has_room(bool whole) { has_room_ = whole; }
  /// The question, or what the last key did.
  [[nodiscard]] const std::string& line() const { return line_; }
  /// What became of something that is no key of the menu; a question stays.
  void tell(std::string text);
  /// Whether the mission starts as soon as the craft is armed.
  [[nodiscard]] bool is_to_start() const { return start_when_armed_ && !asking(); }
  /// What was asked for has lapsed: no start comes of it either.
  void lapse(std::string why);
  [[nodiscard]] bool help() const { return help_; }
  /// Comes down to leave then. Also asked for from outside: no question is left to ask.
  [[nodiscard]] bool leaving() const { return departure_.stage() != Departure::Stage::kNone; }
  [[nodiscard]] MenuAnswer leave(const View& now, double time_s);

 private:
  enum class Question : unsigned char { kNone, kSure, kWhichState };
  MenuAnswer pressed(char key, const View& now, double time_s);
  MenuAnswer answered(char key, double time_s);
  MenuAnswer mind_others(MenuAnswer answer, const View& now, double time_s);
  MenuAnswer leave(const View& now, double time_s, bool by_key);
  MenuAnswer told(const DepartureStep& step);
  MenuAnswer ask(std::string text, MenuAnswer then, double time_s);
  MenuAnswer say(std::string text, MenuAnswer answer = {});
  MenuAnswer step(std::size_t state, const View& now, double time_s);
  MenuAnswer select(char key);
  MenuAnswer start(const View& now, double time_s);
  MenuAnswer arm(const View& now, double time_s);
  MenuAnswer quit(const View& now, double time_s);

  std::vector<MenuState> states_;
  std::string quitting_;
  Question question_ = Question::kNone;
  MenuAnswer then_;
  double asked_at_s_ = 0;
  bool has_room_ = true;
  bool start_when_armed_ = false;
  double start_until_s_ = 0;
  std::string line_;
  bool help_ = false;
  Departure departure_;
};

}  // namespace pintle::console
