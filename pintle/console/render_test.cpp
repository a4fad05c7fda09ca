#include "pintle/console/render.h"

#include <gtest/gtest.h>

namespace pintle::console {
namespace {

Menu delivery() {
  std::vector<MenuState> states;
  for (const char* name :
       {"stand_by", "grab_bullets", "request_control", "take_off", "to_normal_altitude",
        "fly_to_car", "find_car", "serve_car", "drop_bullets", "back_to_normal_altitude",
        "fly_back", "find_park", "visual_servo_landing", "landing", "release_control"})
    states.push_back({name, "", false});
  return {states, ""};
}

View hovering() {
  View v;
  v.time_s = 21.5;
  v.arm = "armed";
  v.phase = "running";
  v.owner = "mission";
  v.armed = v.in_flight = v.moving = v.state_valid = v.has_control = true;
  v.state = 7;
  v.state_name = "serve_car";
  v.attempt = 1;
  v.position_m = {-0.98, -1.96, 1.02};
  v.error_m = {0.01, -0.02, 0.08};
  v.yaw_deg = 90;
  v.odometry_age_s = 0.02;
  v.flight_age_s = 0.05;
  v.target_age_s = 0.1;
  v.flight = "airborne";
  v.target = "marker";
  v.gripper = "grabbed";
  v.gripper_age_s = 0.2;
  v.battery = 0.87;
  for (int i = 0; i < 40; ++i) v.events.push_back("event " + std::to_string(i));
  return v;
}

std::string all(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (const ScreenLine& l : lines) text += l.text + "\n";
  return text;
}

TEST(Render, FitsAnyScreenAndKeepsItsLastLine) {
  const Menu menu = delivery();
  for (const std::size_t width : {1U, 10U, 40U, 60U, 80U, 132U, 300U})
    for (const std::size_t height : {1U, 2U, 8U, 16U, 24U, 60U}) {
      const auto lines = render("delivery", hovering(), menu, width, height);
      ASSERT_EQ(lines.size(), height);
      for (const ScreenLine& l : lines) EXPECT_LE(l.text.size(), width);
      std::string last;
      const std::size_t needs = lines_of(menu.line(), width);
      for (std::size_t i = needs <= height ? height - needs : height - 1; i < height; ++i)
        last += lines[i].text;
      EXPECT_EQ(last, needs <= height ? menu.line() : menu.line().substr(0, width));
    }
  EXPECT_TRUE(render("delivery", hovering(), menu, 0, 24).empty());
}

TEST(Render, ShowsTheSeedsMenuAndTheMomentOnAnOrdinaryTerminal) {
  const std::string text = all(render("delivery", hovering(), delivery(), 80, 24));
  for (const char* part : {"[0] Stand by",
                           "[3] Take off",
                           "[9] Back to normal altitude",
                           "[a] Fly back",
                           "[e] Release control",
                           "[f] Free style",
                           "[g] Pause",
                           "[h] Resume",
                           "[i] Cutoff",
                           "[j] Help",
                           ">[7] Serve car",
                           "7 serve_car",
                           "attempt 2",
                           "height  +1.02 m",
                           "y   -0.02",
                           "yaw  +90.0 deg",
                           "odometry 0.02 s",
                           "airborne (obeys, 0.05 s)",
                           "battery 87 %",
                           "grabbed (0.20 s)",
                           "marker (0.10 s)",
                           "flown by mission",
                           "t 21.5 s",
                           "event 39"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("event 0\n"), std::string::npos);
}

TEST(Render, ASmallScreenLosesEventsAndThenTheMenuButNotTheNumbers) {
  const std::string text = all(render("delivery", hovering(), delivery(), 60, 12));
  EXPECT_NE(text.find("7 serve_car"), std::string::npos);
  EXPECT_NE(text.find("battery 87 %"), std::string::npos);
  EXPECT_EQ(text.find("event"), std::string::npos);
}

TEST(Render, AQuestionIsThereAsAWholeOnANarrowScreen) {
  Menu menu = delivery();
  View v = hovering();
  (void)menu.press('m', v, 0);
  ASSERT_TRUE(menu.asking());
  ASSERT_GT(menu.line().size(), 20U);
  std::string shown;
  for (const ScreenLine& line : render("delivery", v, menu, 20, 10)) {
    EXPECT_LE(line.text.size(), 20U);
    if (line.style == ScreenLine::Style::kQuestion) shown += line.text;
  }
  EXPECT_EQ(shown, menu.line());
}

TEST(Render, WhereAQuestionHasNoRoomAtAllNobodyIsAskedHalfOfIt) {
  Menu menu = delivery();
  View v = hovering();
  (void)menu.press('m', v, 0);
  ASSERT_TRUE(menu.asking());
  const std::size_t needs = lines_of(menu.line(), 10);
  EXPECT_EQ(needs, (menu.line().size() + 9) / 10);
  const auto last = [&](std::size_t height) {
    return render("delivery", v, menu, 10, height).back().text;
  };
  EXPECT_EQ(last(needs - 1), "enlarge th");
  EXPECT_EQ(last(needs), menu.line().substr(10 * (needs - 1)));
}

TEST(Render, NamesFromFilesCannotCommandTheTerminal) {
  MenuState state;
  state.name = "a\033[2J\xc3\xa4";
  for (const ScreenLine& line : render("t\033c", View{}, Menu({state}, ""), 80, 24))
    for (const char c : line.text) EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
}

TEST(Render, WhatNeverCameSaysSo) {
  View v = hovering();
  v.odometry_age_s.reset();
  v.state_valid = false;
  const std::string text = all(render("delivery", v, delivery(), 80, 24));
  EXPECT_NE(text.find("odometry never (not valid: no control)"), std::string::npos);
  // a craft without flight controller has no lines for one
  v.flight_age_s.reset();
  v.target_age_s.reset();
  v.gripper_age_s.reset();
  EXPECT_EQ(all(render("pool", v, delivery(), 80, 24)).find("battery"), std::string::npos);
}

TEST(Render, HelpExplainsEveryKey) {
  Menu menu = delivery();
  (void)menu.press('j', hovering(), 0);
  const std::string text = all(render("delivery", hovering(), menu, 80, 24));
  for (const char* part : {"0-9 a-e", "f  ", "g, h", "i  ", "s  ", "x  ", "m  ", "j  ", "q  "})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace pintle::console
