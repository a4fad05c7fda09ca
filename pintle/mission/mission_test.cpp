#include "pintle/mission/mission.h"

#include <gtest/gtest.h>

#include "pintle/mission/evidence.h"

namespace pintle::mission {
namespace {

StateSpec state(std::string name) {
  StateSpec s;
  s.name = std::move(name);
  s.timeout_s = 10;
  s.success.position_m = 0.1;
  return s;
}
MissionSpec three() {
  MissionSpec m;
  m.states = {state("dive"), state("look"), state("rise")};
  return m;
}
/// The one finding at a path, or none.
const Finding* at(const Findings& findings, std::string_view path) {
  for (const Finding& f : findings)
    if (f.path == path) return &f;
  return nullptr;
}
int errors(const Findings& findings) {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.is_error; }));
}

TEST(Mission, TheLongestWayOutCountsEachAttemptOfEachStateOfTheAbortPath) {
  MissionSpec m = three();
  EXPECT_EQ(longest_abort(compile(m)), Duration{});

  // up, and from there home or, failing that, down: (1 + 2) * 10 + 25; `look` has a way of its own
  m.states[2].on_success = "pass";
  for (const char* name : {"up", "home", "down", "stop"}) m.states.push_back(state(name));
  m.abort = "up";
  m.states[1].on_abort = "stop";
  m.states[3].retries = 2;
  m.states[3].on_failure = "down";
  m.states[4].timeout_s = 20;
  m.states[4].on_success = m.states[5].on_success = m.states[6].on_success = "abort";
  m.states[5].timeout_s = 25;
  EXPECT_EQ(longest_abort(compile(m)), Duration::from_seconds(55));
  m.states[6].timeout_s = 56;
  EXPECT_EQ(longest_abort(compile(m)), Duration::from_seconds(56));
  // a circle before the abort path counts for nothing
  m.states[2].on_failure = "dive";
  EXPECT_EQ(longest_abort(compile(m)), Duration::from_seconds(56));
}

TEST(Check, TellsAnUnreachablePartOfTheMissionOnce) {
  // nothing leads to b, and c and d follow it
  MissionSpec chain;
  chain.states = {state("a"), state("b"), state("c"), state("d")};
  chain.states[0].on_success = "pass";
  EXPECT_EQ(errors(check(chain)), 1);
  ASSERT_NE(at(check(chain), "states[1].name"), nullptr);
  EXPECT_EQ(at(check(chain), "states[1].name")->message, "nothing leads to the state \"b\"");

  // it is the state before that never succeeds
  MissionSpec forgotten = chain;
  forgotten.states[0].on_success.clear();
  forgotten.states[0].success = {};
  const Findings found = check(forgotten);
  EXPECT_EQ(errors(found), 1);
  ASSERT_NE(at(found, "states[1].name"), nullptr);
  EXPECT_EQ(at(found, "states[1].name")->fix, "give \"a\" a success condition");

  // a circle that stands alone is told at its first state; a second one too
  MissionSpec circles = chain;
  circles.states.push_back(state("e"));
  circles.states[1].on_success = "c";
  circles.states[2].on_success = "b";
  circles.states[3].on_success = "e";
  circles.states[4].on_success = "d";
  EXPECT_EQ(errors(check(circles)), 2);
  EXPECT_NE(at(check(circles), "states[1].name"), nullptr);
  EXPECT_NE(at(check(circles), "states[3].name"), nullptr);
}

TEST(Check, HasNothingToSayAboutASoundMission) { EXPECT_TRUE(check(three()).empty()); }

TEST(Check, NamesEveryErrorAtItsPlace) {
  struct Case {
    std::function<void(MissionSpec&)> spoil;
    std::string path, says;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases{
      {[](auto& m) { m.states.clear(); }, "states", "at least 1"},
      {[](auto& m) { m.states.resize(65, state("x")); }, "states", "at most 64"},
      {[](auto& m) { m.start = "pass"; }, "start", "ending"},
      {[](auto& m) { m.start = "diva"; }, "start", "no state"},
      {[](auto& m) { m.abort = "rize"; }, "abort", "no state"},
      {[](auto& m) { m.time_limit_s = 0; }, "time_limit_s", "above 0"},
      {[](auto& m) { m.states[1].name = ""; }, "states[1].name", "got none"},
      {[](auto& m) { m.states[1].name = "abort"; }, "states[1].name", "ending"},
      {[](auto& m) { m.states[2].name = "dive"; }, "states[2].name", "already"},
      {[](auto& m) { m.states[0].on_success = "lok"; }, "states[0].on_success", "no state"},
      {[](auto& m) { m.states[0].on_failure = "there"; }, "states[0].on_failure", "no state"},
      {[](auto& m) { m.states[0].on_abort = "raise"; }, "states[0].on_abort", "no state"},
      {[](auto& m) { m.states[0].timeout_s = 0; }, "states[0].timeout_s", "above 0"},
      {[&](auto& m) { m.states[0].timeout_s = nan; }, "states[0].timeout_s", "a number"},
      {[](auto& m) { m.states[0].retries = -1; }, "states[0].retries", "at least 0"},
      {[](auto& m) { m.states[0].go.z_m = 1e9; }, "states[0].go.z_m", "at most"},
      {[&](auto& m) { m.states[0].go.yaw_deg = nan; }, "states[0].go.yaw_deg", "a number"},
      {[&](auto& m) { m.states[0].wrench.z = nan; }, "states[0].wrench.z", "a number"},
      {[](auto& m) { m.states[0].success.position_m = 0; }, "states[0].success.position_m",
       "above 0"},
      {[](auto& m) { m.states[0].success.settle_s = 10; }, "states[0].success.settle_s",
       "times out"},
      {[](auto& m) { m.states[0].success.after_s = 11; }, "states[0].success.after_s", "times out"},
      {[](auto& m) {
         m.states[0].go.x_m = 1;
         m.states[0].velocity.x_m_s = 1;
       },
       "states[0].velocity.x_m_s", "a pose and a velocity"},
      {[](auto& m) {
         m.states[0].go.roll_deg = 1;
         m.states[0].wrench.roll = 1;
       },
       "states[0].wrench.roll", "a pose and a wrench"},
      {[](auto& m) {
         m.states[0].velocity.yaw_deg_s = 1;
         m.states[0].wrench.yaw = 1;
       },
       "states[0].wrench.yaw", "a velocity and a wrench"},
      {[](auto& m) { m.states[0].velocity = {0.1, 0.1, 0.1, {}, {}, {}}; },
       "states[0].success.position_m", "nothing to measure"},
      {[](auto& m) {
         m.states[0].velocity = {{}, {}, {}, 1, 1, 1};
         m.states[0].success.attitude_deg = 5;
       },
       "states[0].success.attitude_deg", "nothing to measure"},
      {[](auto& m) { m.states[0].success.velocity_error_m_s = 0.1; },
       "states[0].success.velocity_error_m_s", "no linear axis follows a velocity"},
      {[](auto& m) {
         m.states[0].velocity.x_m_s = -0.3;
         m.states[0].success.speed_m_s = 0.2;
       },
       "states[0].success.speed_m_s", "never below"},
      {[](auto& m) {
         m.states[0].velocity.roll_deg_s = 30;
         m.states[0].success.rate_deg_s = 20;
       },
       "states[0].success.rate_deg_s", "never below"},
      {[](auto& m) {
         m.states[0].success.x_above_m = 2;
         m.states[0].success.x_below_m = 1;
       },
       "states[0].success.x_above_m", "nowhere"},
      {[](auto& m) {
         m.states[0].go.z_m = -1;
         m.states[0].success.z_above_m = 0;
       },
       "states[0].success.z_above_m", "the goal itself"},
      {[](auto& m) { m.states[0].success.turned_roll_deg = 0; },
       "states[0].success.turned_roll_deg", "at once"},
      {[](auto& m) { m.states[0].success.turned_roll_deg = 360; },
       "states[0].success.turned_roll_deg", "shorter way"},
      {[](auto& m) {
         m.states[0].velocity.roll_deg_s = -60;
         m.states[0].success.turned_roll_deg = 360;
       },
       "states[0].success.turned_roll_deg", "never turns"},
      {[](auto& m) {
         m.states[0].velocity.roll_deg_s = 30;
         m.states[0].success.turned_roll_deg = 360;
       },
       "states[0].success.turned_roll_deg", "times out"},
      {[](auto& m) { m.states[0].on_success = "rise"; }, "states[1].name", "nothing leads to"},
      {[](auto& m) {
         m.states[1].on_success = m.states[1].on_failure = "rise";
         m.states[2].on_success = m.states[2].on_failure = "look";
       },
       "states[1].on_failure", "no way"},
      {[](auto& m) {
         m.abort = "rise";
         m.states[2].on_success = "rise";
       },
       "states[2].on_success", "rise -> rise"},
      {[](auto& m) {
         m.states[0].on_abort = "look";
         m.states[2].on_failure = "look";
       },
       "states[2].on_failure", "look -> rise -> look"},
  };
  for (const Case& c : cases) {
    MissionSpec m = three();
    c.spoil(m);
    const Findings findings = check(m);
    const Finding* f = at(findings, c.path);
    ASSERT_NE(f, nullptr) << c.path << " " << c.says;
    EXPECT_TRUE(f->is_error) << c.path;
    EXPECT_NE(f->message.find(c.says), std::string::npos) << c.path << ": " << f->message;
    EXPECT_THROW((void)compile(m), std::invalid_argument) << c.path;
  }
}

TEST(Check, ReportsEverythingAtOnceAndWithoutEchoes) {
  MissionSpec m = three();
  m.start = "dibe";
  m.states[0].timeout_s = -1;
  m.states[1].on_success = "ride";
  m.states[2].success.settle_s = 99;
  const Findings findings = check(m);
  EXPECT_EQ(findings.size(), 4U);
  ASSERT_NE(at(findings, "start"), nullptr);
  EXPECT_EQ(at(findings, "start")->fix, "did you mean  dive");
  EXPECT_EQ(at(findings, "states[1].on_success")->fix, "did you mean  rise");
}

TEST(Check, WarnsAboutAStateThatCanOnlyTimeOut) {
  MissionSpec m = three();
  m.states[2].success = {};
  const Findings findings = check(m);
  EXPECT_EQ(errors(findings), 0);
  ASSERT_NE(at(findings, "states[2].success"), nullptr);
  EXPECT_NE(at(findings, "states"), nullptr);  // and nothing can pass
}

TEST(Check, AStateThatCanOnlyTimeOutLeadsNowhereOnSuccess) {
  MissionSpec m = three();
  m.states[1].success = {};
  m.states[1].success.settle_s = 3;
  EXPECT_NE(at(check(m), "states[2].name"), nullptr);
  m.states[1].on_failure = "rise";
  EXPECT_EQ(at(check(m), "states[2].name"), nullptr);
}

TEST(Check, WarnsAboutCirclesThatOnlyTheTimeLimitEnds) {
  MissionSpec m = three();
  m.states[1].on_failure = "dive";
  const Findings findings = check(m);
  EXPECT_EQ(errors(findings), 0);
  const Finding* f = at(findings, "states[1].on_failure");
  ASSERT_NE(f, nullptr);
  EXPECT_NE(f->message.find("dive -> look -> dive"), std::string::npos);
}

TEST(Check, WarnsAboutATimeoutBeyondTheWholeMission) {
  MissionSpec m = three();
  m.time_limit_s = 9;
  const Findings findings = check(m);
  EXPECT_EQ(findings.size(), 3U);
  EXPECT_EQ(errors(findings), 0);
}

TEST(Check, WarnsAboutAWayDownThatIsBlindFromItsBeginning) {
  MissionSpec m = three();
  m.states[0].go.z_m = 1.1;
  m.states[1].search.pattern = SearchPattern::kSquareSpiral;
  m.states[1].search.climb_to_m = 2.5;
  m.states[1].success.target.kind = TargetChoice::kPad;
  m.states[2].go = {};
  m.states[2].servo.target = TargetChoice::kPad;
  m.states[2].servo.height_m = 0.4;
  const char* const path = "states[2].servo.blind_below_m";
  for (const double blind : {1.3, 1.1}) {
    m.states[2].servo.blind_below_m = blind;
    const Findings findings = check(m);
    EXPECT_EQ(errors(findings), 0);
    ASSERT_NE(at(findings, path), nullptr) << blind;
    EXPECT_NE(at(findings, path)->message.find("1.1 m, where the way down may begin"),
              std::string::npos);
    EXPECT_EQ(at(findings, path)->fix, "write less than 1.1, such as 0.99");
  }
  m.states[2].servo.blind_below_m = 1;
  EXPECT_EQ(at(check(m), path), nullptr);
  // where it stays at its height there is no way down
  m.states[2].servo.blind_below_m = 5;
  m.states[2].servo.height_m = 1.1;
  EXPECT_EQ(at(check(m), path), nullptr);
  // and where no height is said, none is known
  m.states[0].go.z_m.reset();
  m.states[2].servo.height_m = 0.4;
  EXPECT_EQ(at(check(m), path), nullptr);
}

TEST(Compile, ResolvesNamesUnitsAndDefaults) {
  MissionSpec m = three();
  m.start = "look";
  m.abort = "rise";
  m.states[0].on_abort = "look";
  m.states[1].on_success = "dive";
  m.states[1].on_failure = "fail";
  m.states[0].go = {1.0, {}, -2.0, {}, {}, 90.0};
  m.states[0].velocity.pitch_deg_s = 180;
  m.states[0].wrench.y = 0.5;
  m.states[0].on_success = "rise";
  const Mission c = compile(m);
  EXPECT_EQ(c.start, 1);
  EXPECT_EQ(c.abort, 2);
  EXPECT_EQ(c.states[0].on_abort, 1);
  EXPECT_EQ(c.states[0].on_failure, kEndAbort);
  EXPECT_EQ(c.states[1].on_abort, 2);
  EXPECT_EQ(c.states[1].on_success, 0);
  EXPECT_EQ(c.states[1].on_failure, kEndFail);
  EXPECT_EQ(c.states[2].on_success, kEndPass);
  EXPECT_EQ(c.states[0].timeout, Duration::from_seconds(10));
  const Goal& g = c.states[0].goal;
  EXPECT_EQ(g.given, (std::array<bool, 6>{true, false, true, false, false, true}));
  EXPECT_DOUBLE_EQ(g.pose[5], kPi / 2);
  EXPECT_DOUBLE_EQ(g.velocity[4], kPi);
  EXPECT_EQ(g.wrench[1], 0.5);
  EXPECT_EQ(g.mode, (std::array<AxisMode, 6>{AxisMode::kPosition, AxisMode::kWrench,
                                             AxisMode::kPosition, AxisMode::kPosition,
                                             AxisMode::kVelocity, AxisMode::kPosition}));
}

TEST(MissionTables, EveryFieldHasAMeaningAndEveryConditionIsAnOptionalField) {
  for (const Table* t :
       {&table_of<PoseGoal>(), &table_of<VelocityGoal>(), &table_of<WrenchGoal>(),
        &table_of<SuccessSpec>(), &table_of<StateSpec>(), &table_of<MissionSpec>()})
    for (const Field& f : t->fields) EXPECT_FALSE(f.meaning.empty()) << t->name << "." << f.name;
  // each optional of the table alone makes a condition: none is forgotten in has_condition
  int optionals = 0;
  for (const Field& f : table_of<SuccessSpec>().fields) {
    if (f.shape != Shape::kOptional) continue;
    ++optionals;
    SuccessSpec s;
    ASSERT_TRUE(f.access->resize(f.in(&s), 1));
    EXPECT_TRUE(has_condition(s)) << f.name;
  }
  EXPECT_EQ(optionals, 16);
}

config::Reader read(const config::Document& document, MissionSpec& spec) {
  config::Reader reader(document);
  const config::Node* node = document.root().find("mission");
  EXPECT_NE(node, nullptr);
  if (node == nullptr) return reader;
  reader.read(*node, spec);
  reader.add(check(spec), *node);
  return reader;
}

TEST(MissionFiles, ThePoolMissionIsSound) {
  const auto document =
      config::Document::load(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
  MissionSpec spec;
  EXPECT_EQ(to_string(read(document, spec).problems()), "");
  const Mission mission = compile(spec);
  EXPECT_EQ(mission.states[static_cast<std::size_t>(mission.abort)].name, "abort_surface");
}

TEST(MissionFiles, AFindingPointsAtItsLineAndColumn) {
  const auto document = config::Document::parse(R"(mission:
  states:
    - name: dive
      timeout_s: 20
      success: {position_m: 0.2, settle_s: 30}
    - name: rise
      timeout_s: 20
      success: {position_m: 0.2}
      on_success: dove
)",
                                                "pool.yaml");
  MissionSpec spec;
  const config::Reader reader = read(document, spec);
  ASSERT_EQ(reader.problems().size(), 2U);
  const std::string all = to_string(reader.problems());
  EXPECT_NE(all.find("pool.yaml:5:44"), std::string::npos) << all;
  EXPECT_NE(all.find("pool.yaml:9:19"), std::string::npos) << all;
  EXPECT_NE(all.find("did you mean  dive"), std::string::npos) << all;
}

}  // namespace
}  // namespace pintle::mission
