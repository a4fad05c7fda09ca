#include "pintle/flight/operator_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/craft/load.h"
#include "pintle/flight/event_words.h"
#include "pintle/flight/operator_desk.h"

namespace pintle::flight {
namespace {

using mission::Operator;

Model model_of(const std::string& file) {
  const MissionFile m = load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/" + file);
  return build_model(m.vehicle, &m.mission);
}

std::string why_not(const std::string& words, const mission::Mission& mission) {
  try {
    (void)parse_request(words, mission, Operator::kCli);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

/// A craft at rest whose odometry is always there.
struct Bench {
  explicit Bench(const std::string& file) : model(model_of(file)), state(initial_state(model)) {
    tick();
  }
  void tick() {
    in.now = now;
    in.generation = model.generation;
    in.has_odometry = true;
    in.odometry = {now, {}, {}};
    stack::tick(model, state, work, in, out);
    in = {};
    now = now + model.period;
  }
  /// By somebody, and what came of it.
  RequestOutcome ask(const std::string& words, Operator from = Operator::kCli) {
    RequestRunner runner;
    runner.begin(parse_request(words, model.mission, from), out);
    for (int i = 0; i < 5; ++i) {
      runner.put(in);
      tick();
      if (const auto o = runner.take(out)) return *o;
    }
    ADD_FAILURE() << words << " was never answered";
    return {};
  }
  Model model;
  State state;
  Workspace work;
  Inputs in;
  Outputs out;
  Time now{};
};

TEST(OperatorRequest, StatesAreNamedOrNumbered) {
  const Model m = model_of("delivery.yaml");
  EXPECT_EQ(parse_request("step fly_to_car", m.mission, Operator::kCli).command.argument, 5);
  EXPECT_EQ(parse_request(" select  5 ", m.mission, Operator::kCli).command.argument, 5);
  const OperatorRequest start = parse_request("free-style", m.mission, Operator::kRos);
  EXPECT_EQ(start.command.code, CommandCode::kMissionStart);
  EXPECT_EQ(start.command.from, Operator::kRos);
  EXPECT_TRUE(start.arms_first);
  const OperatorRequest land = parse_request("land", m.mission, Operator::kCli);
  EXPECT_EQ(land.command.code, CommandCode::kMissionStep);
  EXPECT_EQ(land.command.argument, 13);
}

TEST(OperatorRequest, WhatIsWrongIsToldWithWhatWasExpected) {
  const Model m = model_of("delivery.yaml");
  EXPECT_NE(why_not("paus", m.mission).find("did you mean \"pause\""), std::string::npos);
  EXPECT_NE(why_not("", m.mission).find("known: pause"), std::string::npos);
  EXPECT_NE(why_not("pause now", m.mission).find("stands alone"), std::string::npos);
  EXPECT_NE(why_not("step", m.mission).find("from 0 to 21"), std::string::npos);
  EXPECT_NE(why_not("step 22", m.mission).find("from 0 to 21"), std::string::npos);
  EXPECT_NE(why_not("step -1", m.mission).find("from 0 to 21"), std::string::npos);
  EXPECT_NE(why_not("step 1.5", m.mission).find("from 0 to 21"), std::string::npos);
  EXPECT_NE(why_not("step 1e300", m.mission).find("from 0 to 21"), std::string::npos);
  EXPECT_NE(why_not("select fly_to_cat", m.mission).find("\"fly_to_car\""), std::string::npos);
}

TEST(OperatorRequest, WhereNoStateLandsItTheStackDoes) {
  const Model box = model_of("hover_box.yaml");
  for (const mission::Mission& mission : {mission::Mission{}, box.mission}) {
    const OperatorRequest r = parse_request("land", mission, Operator::kRos);
    EXPECT_EQ(r.command.code, CommandCode::kMissionLand);
    EXPECT_FALSE(r.rests_first);
    EXPECT_TRUE(is_urgent(r));
  }
}

TEST(OperatorRequest, WordsAreAsUrgentAsWhatTheyAskFor) {
  const Model m = model_of("delivery.yaml");
  for (const char* words :
       {"pause", " abort ", "cutoff", "disarm", "disarm force", "terminate", "land", "resume",
        "arm", "step 5", "free-style", "heartbeat", "take_over"})
    EXPECT_EQ(is_urgent(std::string_view(words)),
              is_urgent(parse_request(words, m.mission, Operator::kRos)))
        << words;
  EXPECT_TRUE(is_urgent(std::string_view("land")));
  for (const char* words : {"", "aborted", "nonsense abort"})
    EXPECT_FALSE(is_urgent(std::string_view(words))) << words;
}

TEST(OperatorRequest, AnInstantStandsBeforeTheColon) {
  const ScheduledWords w = parse_scheduled("12.5: select 5");
  EXPECT_EQ(w.at_s, 12.5);
  EXPECT_EQ(w.words, "select 5");
  for (const char* bad : {"pause", "pause:5", "-1:pause", ":pause", "nan:pause"})
    EXPECT_THROW((void)parse_scheduled(bad), std::invalid_argument) << bad;
}

TEST(OperatorRequest, FreeStyleArmsAndStartsAndAnswersOnce) {
  Bench b("pool.yaml");
  const RequestOutcome o = b.ask("free_style");
  EXPECT_TRUE(o.accepted);
  EXPECT_EQ(o.arm, ArmState::kArmed);
  EXPECT_EQ(o.phase, MissionPhase::kRunning);
  EXPECT_EQ(o.commander, Operator::kCli);
  EXPECT_EQ(sentence(o, b.model.mission), "accepted: armed, running, submerge, cli commands");
}

TEST(OperatorRequest, WhatDoesNotApplyIsRefusedAndMakesNobodyCommand) {
  Bench b("pool.yaml");
  const RequestOutcome o = b.ask("resume");
  EXPECT_FALSE(o.accepted);
  EXPECT_EQ(o.refused, CommandCode::kMissionResume);
  EXPECT_EQ(o.commander, Operator::kNobody);
  EXPECT_NE(sentence(o, b.model.mission).find("refused: disarmed"), std::string::npos);
  Bench aircraft("delivery.yaml");
  const RequestOutcome arm = aircraft.ask("free_style");
  EXPECT_FALSE(arm.accepted);
  EXPECT_EQ(arm.refused, CommandCode::kArm);
  EXPECT_NE(arm.obstacles, 0U);
  EXPECT_EQ(sentence(arm, aircraft.model.mission).find("refused: not armed: "), 0U);
}

TEST(Commander, IsWhoWasObeyedFirstAndOthersAreRefused) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("free_style", Operator::kConsole).accepted);
  for (const char* words : {"cutoff", "arm", "disarm", "jump 1", "hand_over", "free_style"}) {
    const RequestOutcome o = b.ask(words);
    EXPECT_FALSE(o.accepted) << words;
    EXPECT_TRUE(o.by_commander) << words;
    EXPECT_EQ(o.commander, Operator::kConsole) << words;
    EXPECT_EQ(sentence(o, b.model.mission),
              "refused: console commands; take_over takes it from there");
  }
  EXPECT_EQ(b.out.arm, ArmState::kArmed);
  EXPECT_EQ(b.out.mission.phase, MissionPhase::kRunning);
}

TEST(Commander, PauseAndAbortAreTakenFromEverybodyAndChangeNothingInWhoCommands) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("free_style", Operator::kConsole).accepted);
  EXPECT_TRUE(b.ask("pause").accepted);
  EXPECT_EQ(b.out.mission.phase, MissionPhase::kPaused);
  EXPECT_FALSE(b.ask("resume").accepted);
  EXPECT_TRUE(b.ask("abort", Operator::kRos).accepted);
  EXPECT_EQ(b.out.commander, Operator::kConsole);
}

TEST(Commander, ChangesByTakingOverAndByHandingOver) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("free_style", Operator::kConsole).accepted);
  EXPECT_TRUE(b.ask("take_over").accepted);
  EXPECT_EQ(b.out.commander, Operator::kCli);
  EXPECT_FALSE(b.ask("cutoff", Operator::kConsole).accepted);
  EXPECT_TRUE(b.ask("cutoff").accepted);
  EXPECT_TRUE(b.ask("hand_over").accepted);
  EXPECT_EQ(b.out.commander, Operator::kNobody);
  EXPECT_TRUE(b.ask("free_style", Operator::kRos).accepted);
  EXPECT_EQ(b.out.commander, Operator::kRos);
}

TEST(Commander, WhoDisarmedItIsTheOnlyOneWhoArmsIt) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("arm", Operator::kConsole).accepted);
  EXPECT_TRUE(b.ask("disarm", Operator::kConsole).accepted);
  EXPECT_FALSE(b.ask("arm").accepted);
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
}

TEST(Commander, TheProgramItselfIsNeverRefusedAndNeverCommands) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("free_style", Operator::kConsole).accepted);
  EXPECT_TRUE(b.ask("disarm", Operator::kNobody).accepted);
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
  EXPECT_EQ(b.out.commander, Operator::kConsole);
  // a log that is spoilt names nobody that there is
  EXPECT_FALSE(b.ask("pause", static_cast<Operator>(77)).accepted);
}

TEST(Commander, WhoIsLostLeavesThePlaceToOthersAndThatIsAWarning) {
  Bench b("pool.yaml");
  EXPECT_TRUE(b.ask("free_style", Operator::kPage).accepted);
  b.in.commands.push_back({CommandCode::kHandOver, 1, Operator::kPage});
  b.tick();
  EXPECT_EQ(b.out.commander, Operator::kNobody);
  const auto lost = std::find_if(b.out.events.begin(), b.out.events.end(), [](const Event& e) {
    return e.code == EventCode::kCommanderChanged;
  });
  ASSERT_NE(lost, b.out.events.end());
  EXPECT_EQ(sentence(*lost, {}), "commander changed: nobody, page is lost");
  EXPECT_EQ(severity_of(*lost, {}), Severity::kWarning);
  EXPECT_EQ(severity_of({{}, EventCode::kCommanderChanged, 1, 0}, {}), Severity::kInfo);
  EXPECT_TRUE(b.ask("cutoff").accepted);
  EXPECT_EQ(b.out.commander, Operator::kCli);
}

TEST(RequestRunner, WaitsWhileSomebodyElseHasTheTick) {
  Bench b("pool.yaml");
  RequestRunner runner;
  runner.begin(parse_request("arm", b.model.mission, Operator::kCli), b.out);
  b.in.commands.push_back({CommandCode::kMissionResume, -1, Operator::kConsole});
  runner.put(b.in);
  b.tick();
  EXPECT_FALSE(runner.take(b.out)) << "the refusal is another one's";
  runner.put(b.in);
  b.tick();
  const auto o = runner.take(b.out);
  ASSERT_TRUE(o);
  EXPECT_TRUE(o->accepted);
}

TEST(OperatorRequest, NamesAPropulsorOrSaysWhichThereAre) {
  const std::vector<std::string> names{"FLH", "FRH"};
  const mission::Mission none;
  const auto parse = [&](std::string_view words) {
    return parse_request(words, none, Operator::kCli, names).command;
  };
  EXPECT_EQ(parse("fail FRH").code, CommandCode::kFailPropulsor);
  EXPECT_EQ(parse("fail FRH").argument, 1);
  EXPECT_EQ(parse("restore 0").argument, 0);
  EXPECT_EQ(parse("restore all").code, CommandCode::kRestorePropulsor);
  EXPECT_EQ(parse("restore all").argument, -1);
  EXPECT_EQ(parse("trust all").code, CommandCode::kTrustPropulsor);
  for (const char* wrong : {"fail", "fail all", "fail 2", "fail -1", "fail 0.5", "trust FLX"})
    EXPECT_THROW((void)parse(wrong), std::invalid_argument) << wrong;
  try {
    (void)parse("fail FLX");
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"FLH\""), std::string::npos) << e.what();
  }
  EXPECT_EQ(parse_request("fail 7", none, Operator::kRos).command.argument, 7);
}

TEST(CommandSchedule, GivesEachCommandInItsTickAndTellsWhatCameOfIt) {
  Bench b("pool.yaml");
  CommandSchedule schedule({{0.5, "pause"}, {0.2, "free_style"}, {99, "resume"}}, b.model.mission);
  Time paused_at{-1};
  while (b.now.seconds() < 1) {
    b.in.now = b.now;
    schedule.put(b.out, b.in);
    b.tick();
    schedule.take(b.out, b.model.mission);
    if (paused_at.ns < 0 && b.out.mission.phase == MissionPhase::kPaused) paused_at = b.out.now;
  }
  EXPECT_NEAR(paused_at.seconds(), 0.5, b.model.period.seconds());
  EXPECT_FALSE(schedule.done());
  const std::vector<CommandRecord> r = schedule.records();
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r[0].words, "free_style");
  EXPECT_TRUE(r[0].accepted && r[1].accepted);
  EXPECT_FALSE(r[2].accepted);
  EXPECT_NE(r[2].answer.find("had ended"), std::string::npos);
  EXPECT_THROW(CommandSchedule({{1, "fly"}}, b.model.mission), std::invalid_argument);
}

TEST(OperatorDesk, WhoHasLeftIsNotAnsweredAndWhoHasStayedIs) {
  Bench bench("pool.yaml");
  const OperatorRequest request = parse_request("arm", bench.model.mission, Operator::kCli);
  const auto answers = [&](bool leaves, bool is_taken_up) {
    OperatorDesk desk;
    std::size_t n = 0;
    desk.ask(1, request);
    n += desk.turn().size();
    for (int i = 0; i < 5; ++i) {
      if (is_taken_up) desk.put(bench.out, bench.in);
      if (leaves && i == 0) desk.leave(1);
      bench.tick();
      if (is_taken_up) desk.take(bench.out);
      n += desk.turn().size();
    }
    EXPECT_EQ(desk.is_busy(), !leaves && !is_taken_up);
    return n;
  };
  EXPECT_EQ(answers(false, true), 1U);
  EXPECT_EQ(answers(true, true), 0U);
  EXPECT_EQ(answers(true, false), 0U);
}

TEST(OperatorDesk, WhatHasWaitedForTooLongIsTakenUpOnlyWhereItStops) {
  Bench bench("pool.yaml");
  ASSERT_TRUE(bench.ask("free_style").accepted);
  ASSERT_TRUE(bench.ask("pause").accepted);
  const auto asked = [&bench](const char* words, bool listener_first) {
    OperatorDesk desk;
    const auto begin = OperatorDesk::Clock::now(), later = begin + std::chrono::seconds(3);
    desk.ask(1, parse_request(words, bench.model.mission, Operator::kCli));
    EXPECT_TRUE(desk.turn(begin).empty());
    // both threads stand; whichever is the first to go on
    std::vector<OperatorDesk::Answer> answers;
    if (listener_first) answers = desk.turn(later);
    for (int i = 0; i < 3 && answers.empty(); ++i) {
      desk.put(bench.out, bench.in, later);
      bench.tick();
      desk.take(bench.out);
      answers = desk.turn(later);
    }
    EXPECT_EQ(answers.size(), 1U) << words;
    return answers.size() == 1 && answers[0].outcome.has_value();
  };
  for (const bool listener_first : {false, true}) {
    EXPECT_FALSE(asked("resume", listener_first));
    EXPECT_EQ(bench.out.mission.phase, MissionPhase::kPaused);
  }
  for (const bool listener_first : {false, true}) EXPECT_TRUE(asked("abort", listener_first));
  EXPECT_EQ(bench.out.mission.phase, MissionPhase::kAborting);
}

TEST(OperatorDesk, WhoWasOvertakenComesBeforeWhoCameAfterHim) {
  Bench bench("pool.yaml");
  OperatorDesk desk;
  const auto ask = [&](OperatorDesk::Client client, const char* words) {
    desk.ask(client, parse_request(words, bench.model.mission, Operator::kCli));
  };
  ask(1, "reset_control");
  EXPECT_TRUE(desk.turn().empty()) << "it lies ready for the tick";
  ask(2, "reset_control");
  ask(3, "pause");
  std::vector<OperatorDesk::Client> heard;
  for (int i = 0; i < 20 && heard.size() < 3; ++i) {
    for (const OperatorDesk::Answer& a : desk.turn()) heard.push_back(a.client);
    desk.put(bench.out, bench.in);
    bench.tick();
    desk.take(bench.out);
  }
  EXPECT_EQ(heard, (std::vector<OperatorDesk::Client>{3, 1, 2}));
}

TEST(Stood, WhatComesIsLateUntilNothingHasLainThereForThreeRounds) {
  Stood stood;
  auto now = Stood::Clock::now();
  EXPECT_FALSE(stood.look(now += std::chrono::milliseconds(1900)));
  EXPECT_FALSE(stood.is_late());
  EXPECT_TRUE(stood.look(now += std::chrono::seconds(2)));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(stood.is_late());
    EXPECT_FALSE(stood.look(now += std::chrono::milliseconds(5)));
    EXPECT_TRUE(stood.is_late()) << "something lay there";
    stood.find_nothing();
  }
  EXPECT_FALSE(stood.is_late());
}

/// The socket's desk is asked first in each tick, then the page's; the one never lacks a request.
TEST(OperatorDesk, WhoAsksWithoutEndKeepsNobodyElseFromBeingHeard) {
  Bench bench("pool.yaml");
  OperatorDesk noisy, page;
  const auto words = [&](const char* text, Operator from) {
    return parse_request(text, bench.model.mission, from);
  };
  int asked = 0, noise = 0;
  const auto tick = [&] {
    for (; asked < noise + 3; ++asked) noisy.ask(asked, words("heartbeat", Operator::kCli));
    noise += static_cast<int>(noisy.turn().size());
    noisy.put(bench.out, bench.in);
    page.put(bench.out, bench.in);
    bench.tick();
    noisy.take(bench.out);
    page.take(bench.out);
  };
  tick();
  for (const char* text : {"arm", "free_style", "pause", "abort", "disarm"}) {
    page.ask(7, words(text, Operator::kPage));
    std::vector<OperatorDesk::Answer> answers = page.turn();
    int ticks = 0;
    for (; answers.empty() && ticks < 10; ++ticks) {
      tick();
      answers = page.turn();
    }
    ASSERT_EQ(answers.size(), 1U) << text;
    EXPECT_TRUE(answers[0].outcome && answers[0].outcome->accepted) << text;
    EXPECT_LE(ticks, 3) << text;
  }
  EXPECT_GT(noise, 4) << "nor is it silenced";
}

}  // namespace
}  // namespace pintle::flight
