#include "pintle/console/menu.h"

#include <gtest/gtest.h>

#include "pintle/console/keys.h"
#include "pintle/console/waited.h"

namespace pintle::console {
namespace {

using stack::CommandCode;

std::string keys_of(std::initializer_list<std::string_view> pieces, bool settle = true) {
  KeyReader reader;
  std::string keys;
  for (const std::string_view p : pieces) reader.feed(p, keys);
  if (settle) reader.settle(keys);
  return keys;
}

TEST(Keys, CharactersAreThemselvesAndReturnIsANewline) {
  EXPECT_EQ(keys_of({"0a\r", "\x7f\x03"}), std::string("0a\n\b\x03"));
}

TEST(Keys, NoPartOfASequenceIsTakenForACommand) {
  // arrows, F5, Delete and pasted text in pieces: A, ~ and digits mean nothing
  EXPECT_EQ(keys_of({"\033[A\033[15~\033OP\033[3~"}), "");
  EXPECT_EQ(keys_of({"\033", "[", "1", ";5", "A", "g"}), "g");
  EXPECT_EQ(keys_of({"\033g"}), "");                   // Alt and g together
  EXPECT_EQ(keys_of({"h\xc3\xa9\xe2\x82\xac"}), "h");  // nothing of UTF-8
}

TEST(Keys, ASequenceThatASlowLineCutsIsNoCommandEither) {
  // F5, shift-up of rxvt, ctrl-right: with silence between any two of their bytes
  for (const std::string_view sequence : {"\033[15~", "\033[a", "\033Oa", "\033[1;5C"})
    for (std::size_t cut = 1; cut < sequence.size(); ++cut) {
      KeyReader reader;
      std::string keys;
      reader.feed(sequence.substr(0, cut), keys);
      reader.settle(keys);
      reader.settle(keys);
      reader.feed(sequence.substr(cut), keys);
      reader.feed("g", keys);
      EXPECT_EQ(keys, cut == 1 ? "\033g" : "g") << sequence << " cut at " << cut;
    }
}

TEST(Keys, WhatIsPastedIsNoCommand) {
  EXPECT_EQ(keys_of({"g\033[200~fy\rq\033x\033[201~h"}), "gh");
  EXPECT_EQ(keys_of({"\033[200~f", "y", "\033[20", "1~h"}), "h");
  // a paste whose end never comes does not take the controls away
  EXPECT_EQ(keys_of({"\033[200~fy\003g"}), "\003g");
}

TEST(Keys, AnEscapeAloneIsTheKeyOnceNothingFollows) {
  EXPECT_EQ(keys_of({"\033"}, false), "");
  EXPECT_EQ(keys_of({"\033"}), "\033");
}

Menu fifteen() {
  std::vector<MenuState> states(15);
  for (std::size_t i = 0; i < 15; ++i) states[i].name = "state_" + std::to_string(i);
  states[14].danger_in_air = "nobody flies it then";
  states[3].starts_moving = true;
  return {states, "the run ends"};
}

View ground() { return {}; }
View air() {
  View v;
  v.armed = v.in_flight = true;
  v.flight = "airborne";
  return v;
}
/// The only command of an answer, and its argument.
std::pair<CommandCode, int> only(const MenuAnswer& a) {
  if (a.commands.size() != 1) return {CommandCode::kNone, -99};
  return {a.commands[0].code, a.commands[0].argument};
}

TEST(Menu, WhatIsToldStandsInItsLineButNotInPlaceOfAQuestion) {
  Menu menu({{"stand_by", "", false}}, "");
  menu.tell("not stopped");
  EXPECT_EQ(menu.line(), "not stopped");
  View flying;
  flying.armed = flying.in_flight = true;
  (void)menu.press('q', flying, 0);
  const std::string question = menu.line();
  ASSERT_TRUE(menu.asking()) << question;
  menu.tell("not stopped");
  EXPECT_EQ(menu.line(), question);
}

TEST(Menu, EveryKeyOfTheOriginalDoesWhatItDidThere) {
  const std::string_view keys = "0123456789abcde";
  for (int i = 0; i < 15; ++i) {
    Menu menu = fifteen();
    MenuAnswer a = menu.press(keys[static_cast<std::size_t>(i)], ground(), 0);
    if (i == 3) a = menu.press('y', ground(), 1);
    EXPECT_EQ(only(a), std::pair(CommandCode::kMissionStep, i));
  }
  Menu menu = fifteen();
  EXPECT_EQ(only(menu.press('g', air(), 0)).first, CommandCode::kMissionPause);
  EXPECT_EQ(only(menu.press('h', air(), 0)).first, CommandCode::kMissionResume);
  EXPECT_EQ(only(menu.press('i', air(), 0)).first, CommandCode::kMissionCutoff);
  EXPECT_EQ(only(menu.press('x', air(), 0)).first, CommandCode::kMissionAbort);
  EXPECT_EQ(only(menu.press('f', air(), 0)).first, CommandCode::kMissionStart);
  EXPECT_FALSE(menu.help());
  (void)menu.press('j', air(), 0);
  EXPECT_TRUE(menu.help());
  for (const char none : {'k', 'z', '!', ' ', '\n', '\b', kEscape})
    EXPECT_TRUE(menu.press(none, air(), 0).commands.empty());
}

TEST(Menu, DangersAreToldFromWhatTheStatesAskOfTheCraft) {
  mission::Mission mission;
  mission.states.resize(20);
  mission.states[1].request = mission::Request::kRelease;
  mission.states[2].request = mission::Request::kReleaseControl;
  mission.states[3].request = mission::Request::kLand;
  mission.states[4].request = mission::Request::kTakeOff;
  const std::vector<MenuState> states = menu_states(mission);
  ASSERT_EQ(states.size(), 15U);
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(states[i].danger_in_air.empty(), i < 1 || i > 3) << i;
    EXPECT_EQ(states[i].starts_moving, i == 4) << i;
  }
}

TEST(Menu, WhatIsDangerousInTheAirIsAskedAndOnlyYesDoesIt) {
  for (const char answer : {'n', 'e', '\n', kEscape, ' ', kInterrupt}) {
    Menu menu = fifteen();
    EXPECT_TRUE(menu.press('e', air(), 0).commands.empty());
    EXPECT_NE(menu.line().find("nobody flies it then"), std::string::npos);
    EXPECT_TRUE(menu.press(answer, air(), 1).commands.empty());
    EXPECT_FALSE(menu.asking());
    // a late yes answers nothing
    EXPECT_TRUE(menu.press('y', air(), 2).commands.empty());
  }
  Menu menu = fifteen();
  (void)menu.press('e', air(), 0);
  EXPECT_EQ(only(menu.press('y', air(), 1)), std::pair(CommandCode::kMissionStep, 14));
  // on the ground it is harmless
  EXPECT_EQ(only(menu.press('e', ground(), 2)), std::pair(CommandCode::kMissionStep, 14));
  // giving up power in the air
  EXPECT_TRUE(menu.press('m', air(), 3).commands.empty());
  EXPECT_EQ(only(menu.press('y', air(), 4)).first, CommandCode::kDisarmForce);
}

TEST(Menu, PauseAndAbortActAtOnceEvenWhileSomethingIsAsked) {
  for (const char asks : {'e', 'm', 's', 'q'})
    for (const auto& [key, code] :
         {std::pair('g', CommandCode::kMissionPause), std::pair('x', CommandCode::kMissionAbort)}) {
      Menu menu = fifteen();
      (void)menu.press(asks, air(), 0);
      ASSERT_TRUE(menu.asking());
      EXPECT_EQ(only(menu.press(key, air(), 1)).first, code);
      EXPECT_FALSE(menu.asking());
      EXPECT_TRUE(menu.press('y', air(), 2).commands.empty());
    }
}

TEST(Menu, AYesBeforeTheQuestionCouldBeSeenIsNoAnswer) {
  Menu menu = fifteen();
  (void)menu.press('e', air(), 5);
  EXPECT_TRUE(menu.press('y', air(), 5).commands.empty());
  EXPECT_TRUE(menu.asking());
  EXPECT_EQ(only(menu.press('y', air(), 6)).first, CommandCode::kMissionStep);
}

TEST(Menu, AYesToAQuestionThatTheWindowHadNoRoomForIsNoAnswer) {
  Menu menu = fifteen();
  const View v = air();
  EXPECT_TRUE(menu.press('m', v, 1).commands.empty());
  menu.has_room(false);
  EXPECT_TRUE(menu.press('y', v, 2).commands.empty());
  EXPECT_TRUE(menu.asking());
  // the window was enlarged
  menu.has_room(true);
  EXPECT_EQ(menu.press('y', v, 3).commands.size(), 1U);
  // no is always no
  (void)menu.press('m', v, 4);
  menu.has_room(false);
  EXPECT_TRUE(menu.press('n', v, 5).commands.empty());
  EXPECT_FALSE(menu.asking());
}

TEST(Menu, AQuestionLapsesAfterTenSeconds) {
  Menu menu = fifteen();
  (void)menu.press('e', air(), 0);
  EXPECT_TRUE(menu.update(air(), 9.9).commands.empty());
  EXPECT_TRUE(menu.asking());
  EXPECT_TRUE(menu.update(air(), 10).commands.empty());
  EXPECT_FALSE(menu.asking());
  EXPECT_TRUE(menu.press('y', air(), 10.1).commands.empty());
}

TEST(Menu, FreeStyleArmsFirstAndStartsOnlyAnArmedCraft) {
  Menu menu = fifteen();
  (void)menu.press('f', ground(), 0);
  EXPECT_EQ(only(menu.press('y', ground(), 1)).first, CommandCode::kArm);
  EXPECT_TRUE(menu.update(ground(), 1.1).commands.empty());
  View armed = ground();
  armed.armed = true;
  EXPECT_EQ(only(menu.update(armed, 1.2)).first, CommandCode::kMissionStart);
  EXPECT_TRUE(menu.update(armed, 1.3).commands.empty());
  // one that cannot be armed is not started when it is armed later for another reason
  Menu refused = fifteen();
  View why = ground();
  why.obstacle = "battery low";
  (void)refused.press('f', why, 0);
  (void)refused.press('y', why, 1);
  EXPECT_TRUE(refused.update(why, 3.1).commands.empty());
  EXPECT_NE(refused.line().find("battery low"), std::string::npos);
  EXPECT_TRUE(refused.update(armed, 4).commands.empty());
}

// the kernel left a console's flight without a processor for 3.9 s just after yes: "not armed: refused
// just then", and armed it was
TEST(Menu, AFlightThatStoodHasRefusedNothing) {
  // it alone, seen from this thread; or the whole program, and this thread is the first to go on, or the second
  enum class Stands { kFlight, kProgram, kProgramAndATickSince };
  for (const Stands who : {Stands::kFlight, Stands::kProgram, Stands::kProgramAndATickSince}) {
    Menu menu = fifteen();
    Waited waited;
    double wall_s = 0, time_s = 0, last_tick_s = 0;
    const auto pass = [&](double dt_s, bool ticks) {
      wall_s += dt_s;
      if (ticks) last_tick_s = wall_s;
      time_s = waited.advance(dt_s, wall_s - last_tick_s);
    };
    pass(0.05, true);
    (void)menu.press('f', ground(), time_s);
    pass(0.05, false);
    EXPECT_EQ(only(menu.press('y', ground(), time_s)).first, CommandCode::kArm);
    const double until_s = wall_s + 3.9;
    while (wall_s < until_s) {
      pass(who == Stands::kFlight ? 0.05 : 3.9, who == Stands::kProgramAndATickSince);
      EXPECT_TRUE(menu.update(ground(), time_s).commands.empty());
      EXPECT_EQ(menu.line(), "yes");
    }
    pass(0.05, true);
    View armed = ground();
    armed.armed = true;
    EXPECT_EQ(only(menu.update(armed, time_s)).first, CommandCode::kMissionStart);
  }
}

// … but one that hangs is not waited for, and a question is answered while it stands
TEST(Menu, AFlightThatHangsIsTold) {
  Menu menu = fifteen();
  Waited waited;
  double wall_s = 0, time_s = 0;
  const auto pass = [&] { time_s = waited.advance(0.05, wall_s += 0.05); };
  while (wall_s < 1) pass();
  (void)menu.press('f', ground(), time_s);
  pass();
  EXPECT_EQ(only(menu.press('y', ground(), time_s)).first, CommandCode::kArm);
  while (menu.line() == "yes" && wall_s < 100) {
    pass();
    EXPECT_TRUE(menu.update(ground(), time_s).commands.empty());
  }
  EXPECT_NEAR(wall_s, kHangs_s + 2, 0.2);
}

// what was to come of an arming that lapsed does not come of the next one
TEST(Menu, WhatHasLapsedIsToldAndStartsNothing) {
  Menu menu = fifteen();
  (void)menu.press('f', ground(), 0);
  EXPECT_FALSE(menu.is_to_start());
  menu.lapse("too late");
  EXPECT_TRUE(menu.asking()) << "who sees the question answers it";
  (void)menu.press('y', ground(), 1);
  EXPECT_TRUE(menu.is_to_start());
  menu.lapse("too late");
  EXPECT_EQ(menu.line(), "too late");
  View armed = ground();
  armed.armed = true;
  EXPECT_TRUE(menu.update(armed, 1.1).commands.empty());
}

TEST(Menu, AnyOtherKeyAfterAStartThatIsToComeEndsIt) {
  for (const char key : {'5', 's', 'm', 'g', 'j'}) {
    Menu menu = fifteen();
    (void)menu.press('f', ground(), 0);
    (void)menu.press('y', ground(), 1);
    (void)menu.press(key, ground(), 1.1);
    EXPECT_FALSE(menu.is_to_start()) << key;
  }
}

TEST(Menu, AStateIsSelectedByItsKeyAndNotEntered) {
  Menu menu = fifteen();
  EXPECT_TRUE(menu.press('s', air(), 0).commands.empty());
  EXPECT_EQ(only(menu.press('5', air(), 1)), std::pair(CommandCode::kMissionSelect, 5));
  (void)menu.press('s', air(), 2);
  EXPECT_TRUE(menu.press('q', air(), 3).commands.empty());
  EXPECT_FALSE(menu.asking());
}

TEST(Menu, LeavingAsksInTheAirAndComesDownFirst) {
  Menu menu = fifteen();
  EXPECT_TRUE(menu.press('q', ground(), 0).quit);
  EXPECT_FALSE(menu.press('q', air(), 1).quit);
  EXPECT_NE(menu.line().find("abort path and landing first"), std::string::npos);
  EXPECT_FALSE(menu.press('n', air(), 2).quit);
  (void)menu.press('q', air(), 3);
  const MenuAnswer yes = menu.press('y', air(), 4);
  EXPECT_EQ(only(yes).first, CommandCode::kMissionAbort);
  EXPECT_FALSE(yes.quit);
  EXPECT_TRUE(menu.leaving());
  // on the abort path for a minute, on the ground, then at its end
  View v = air();
  v.aborting = true;
  for (int t = 5; t < 65; ++t) EXPECT_FALSE(menu.update(v, t).quit);
  EXPECT_TRUE(menu.press('f', v, 65).commands.empty()) << "nothing else is flown";
  v.in_flight = false;
  EXPECT_FALSE(menu.update(v, 66).quit) << "control is still to be given back";
  v.aborting = false;
  EXPECT_TRUE(menu.update(v, 67).quit);
}

TEST(Menu, LeavingAskedTwiceLandsWhereItIsAndAskedAgainLeavesAtOnce) {
  Menu twice = fifteen();
  (void)twice.press('q', air(), 1);
  (void)twice.press('y', air(), 2);
  const MenuAnswer lands = twice.press('q', air(), 3);
  EXPECT_EQ(only(lands).first, CommandCode::kMissionLand);
  EXPECT_FALSE(lands.quit);
  EXPECT_NE(twice.line().find("landing where it is"), std::string::npos);
  View down = air();
  down.comes_down = true;
  EXPECT_TRUE(twice.update(down, 3.5).quit) << "the flight controller finishes it by itself";
  EXPECT_TRUE(twice.press('q', air(), 3.6).quit);

  Menu hurry = fifteen();
  EXPECT_FALSE(hurry.press(kInterrupt, air(), 1).quit);
  EXPECT_EQ(only(hurry.press(kInterrupt, air(), 2)).first, CommandCode::kMissionLand);

  // told from outside, and the abort path is not taken
  Menu told = fifteen();
  EXPECT_EQ(only(told.leave(air(), 1)).first, CommandCode::kMissionAbort);
  EXPECT_FALSE(told.update(air(), 2).quit);
  EXPECT_EQ(only(told.update(air(), 4)).first, CommandCode::kMissionLand);
  EXPECT_TRUE(told.update(air(), 7).quit);
}

TEST(Menu, WhatAnotherOperatorCommandsIsTakenOverKnowinglyOnly) {
  Menu menu = fifteen();
  View v = air();
  v.commander = "cli";
  EXPECT_TRUE(menu.press('i', v, 1).commands.empty());
  EXPECT_NE(menu.line().find("cli commands. Take over"), std::string::npos);
  EXPECT_TRUE(menu.press('n', v, 2).commands.empty());
  (void)menu.press('i', v, 3);
  const MenuAnswer yes = menu.press('y', v, 4);
  ASSERT_EQ(yes.commands.size(), 2U);
  EXPECT_EQ(yes.commands[0].code, CommandCode::kTakeOver);
  EXPECT_EQ(yes.commands[1].code, CommandCode::kMissionCutoff);
  // what makes it stay needs nobody's leave
  EXPECT_EQ(only(menu.press('g', v, 5)).first, CommandCode::kMissionPause);
  // one question after the other: what is dangerous, then who gives way
  (void)menu.press('m', v, 6);
  (void)menu.press('y', v, 7);
  EXPECT_TRUE(menu.asking());
  EXPECT_EQ(menu.press('y', v, 8).commands.size(), 2U);
}

TEST(Menu, WhatDoesNotApplySaysSoAndAsksNothing) {
  View moving = air();
  moving.moving = true;
  for (const char key : {'f', '3', '8', 'e'}) {
    Menu menu = fifteen();
    EXPECT_TRUE(menu.press(key, moving, 0).commands.empty()) << key;
    EXPECT_FALSE(menu.asking()) << key;
    EXPECT_NE(menu.line().find("under way"), std::string::npos) << key;
  }
  View paused = air();
  paused.paused = true;
  Menu menu = fifteen();
  EXPECT_TRUE(menu.press('f', paused, 0).commands.empty());
  EXPECT_NE(menu.line().find("h goes on"), std::string::npos);
  (void)menu.press('h', air(), 1);
  EXPECT_NE(menu.line().find("nothing is paused"), std::string::npos);
  (void)menu.press('i', air(), 2);
  EXPECT_NE(menu.line().find("nothing is under way"), std::string::npos);
}

TEST(Menu, ALatchedCraftIsResetByTheSameKey) {
  Menu menu = fifteen();
  View v = ground();
  v.latched = true;
  EXPECT_EQ(only(menu.press('m', v, 0)).first, CommandCode::kResetLatch);
}

}  // namespace
}  // namespace pintle::console
