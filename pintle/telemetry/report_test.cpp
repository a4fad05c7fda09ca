#include "pintle/telemetry/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "pintle/telemetry/report_svg.h"

namespace pintle::telemetry {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

/// Empty when every tag is closed in order; scripts and styles are taken as text.
std::string tag_problem(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("!DOCTYPE") || tag.ends_with("/")) continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quotes in <" + tag;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected <" + tag;
      open.pop_back();
      continue;
    }
    const std::string name = tag.substr(0, tag.find(' '));
    if (name == "script" || name == "style") {
      at = html.find("</" + name, at);
      if (at == std::string::npos) return "open " + name;
    }
    open.push_back(name);
  }
  return open.empty() ? "" : "left open: " + open.back();
}

/// The first path that holds anything but moves and numbers.
std::string odd_path(const std::string& html) {
  for (std::size_t at = 0; (at = html.find(" d=\"", at)) != std::string::npos; ++at) {
    const std::string path = html.substr(at + 4, html.find('"', at + 4) - at - 4);
    if (path.find_first_not_of("MLHVZlhv0123456789.- ") != std::string::npos) return path;
  }
  return {};
}

ReportData mission(std::size_t samples = 500) {
  ReportData d;
  d.title = "pool on oogway";
  d.verdict = "pass";
  d.facts = {{"seed", "17"}, {"vehicle", "oogway"}};
  d.channels = {"front_left", "front_right"};
  d.lower = {-40, -40};
  d.upper = {51, 51};
  d.states = {{"submerge", 0, 4, "succeeded"}, {"roll", 4, 8, "timed out"}};
  d.faults = {{"front_left dead", 6, kInf, "unannounced"}};
  d.events = {{0, "state_entered", "submerge", false},
              {6.2, "failure_suspected", "front_left", true}};
  std::mt19937_64 r(1);
  std::normal_distribution<double> noise;
  for (std::size_t i = 0; i < samples; ++i) {
    ReportSample s;
    s.t_s = 10.0 * static_cast<double>(i) / static_cast<double>(samples);
    s.position_mode = {true, true, true, s.t_s < 4, true, true};
    for (std::size_t a = 0; a < 6; ++a) {
      s.wanted[a] = 1;
      s.actual[a] = 1 - std::exp(-s.t_s) + 0.01 * noise(r);
      s.demand[a] = noise(r);
      s.achieved[a] = 0.9 * s.demand[a];
    }
    s.p_WB = {s.actual[0], s.actual[1], s.actual[2]};
    s.effort = {noise(r), 60};
    d.samples.push_back(std::move(s));
  }
  return d;
}

TEST(Report, IsWellFormedAndNamesEverything) {
  const std::string html = report_html(mission());
  EXPECT_EQ(tag_problem(html), "");
  for (const char* part :
       {"Passed: pool on oogway", "1 of 2 states succeeded", ">submerge<", ">roll<", "timed out",
        "front_left dead", ">front_right<", "failure suspected", "oogway", "force x, N",
        "torque yaw, N m", "roll rate", "at a limit 100 % of the time", "never at a limit"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(Report, ShowsAlarmsWithTimesSeverityAndWords) {
  ReportData d = mission();
  EXPECT_EQ(report_html(d).find("<h3>Alarms</h3>"), std::string::npos);
  d.alarms = {{6.25, 8.5, "warning", "bus voltage: 12.5 V"},
              {7, kNaN, "error", "thruster out: <left>, silent"}};
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  for (const char* row :
       {"<td class=\"n\">6.25 s</td><td class=\"n\">8.50 s</td><td>warning</td><td>bus voltage: "
        "12.5 V</td>",
        "<td class=\"n\">7.00 s</td><td class=\"n\">stands</td><td>error</td><td>thruster out: "
        "&lt;left&gt;, silent</td>"})
    EXPECT_EQ(count(html, row), 1U) << row;
  // what needs attention is counted by events alone
  EXPECT_NE(html.find("2 events, 1 of them needs attention"), std::string::npos);
}

TEST(Report, ACraftThatNothingWasAllocatedForHasNoWrenchAndNoEffort) {
  ReportData d = mission();
  d.has_wrenches = false;
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  for (const char* part : {"force x, N", "at a limit", ">front_right<"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  EXPECT_NE(html.find("roll rate"), std::string::npos);
}

TEST(Report, NeedsNothingFromElsewhere) {
  const std::string html = report_html(mission());
  for (const char* part : {"http", "//", "src=", "href", "@import", "url("}) {
    // but places of the page itself
    const std::size_t expected = std::string(part) == "url("   ? count(html, "url(#hatch)")
                                 : std::string(part) == "href" ? count(html, "href=\"#")
                                                               : 0;
    EXPECT_EQ(count(html, part), expected) << part;
  }
}

TEST(Report, CarriesTheNumbersOfItsPlotsForTheScript) {
  const std::string html = report_html(mission());
  for (const char* part : {"<script type=\"application/json\" id=\"plots\">{\"t\":[",
                           "{\"section\":\"channels\"", "{\"name\":\"wanted\",\"values\":["})
    EXPECT_EQ(count(html, part) > 0, true) << part;
  // every link leads somewhere, and every heading of a table says of what
  for (std::size_t at = html.find("href=\"#"); at != std::string::npos;
       at = html.find("href=\"#", at + 1)) {
    const std::string id = html.substr(at + 7, html.find('"', at + 7) - at - 7);
    EXPECT_EQ(count(html, "id=\"" + id + "\""), 1U) << id;
  }
  EXPECT_EQ(count(html, "<th scope=\"col\""), count(html, "<th ") + count(html, "<th>"));
}

TEST(Report, TwoRunsStandBesideEachOther) {
  ReportData a = mission(), b = mission();
  b.verdict = "fail";
  b.title = "<i>other";
  for (ReportSample& s : b.samples) s.actual[0] = s.wanted[0] + 0.25;
  const std::string html = comparison_html(a, b);
  EXPECT_EQ(tag_problem(html), "");
  for (const char* part :
       {">pass<", ">fail<", "&lt;i&gt;other", "x error rms, m", ">0.25<", "submerge lasted, s"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(Report, EscapesEveryText) {
  ReportData d = mission();
  const std::string evil = "<b a=\"1\">&'\xFF";
  d.title = d.wrench_unit_force = d.wrench_unit_torque = d.effort_unit = evil;
  d.verdict = evil;
  d.facts.emplace_back(evil, evil);
  d.channels[0] = evil;
  for (auto* bands : {&d.states, &d.faults})
    for (ReportBand& b : *bands) b.name = b.outcome = evil;
  for (ReportEvent& e : d.events) e.what = e.detail = evil;
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  EXPECT_EQ(html.find("<b a"), std::string::npos);
  EXPECT_EQ(html.find('\xFF'), std::string::npos);
  EXPECT_GT(count(html, "&lt;b a=&quot;1&quot;&gt;&amp;&#39;"), 10U);
}

TEST(Report, ValuesThatAreNotFiniteLeaveGapsAndNothingElse) {
  ReportData d = mission();
  for (std::size_t i = 0; i < d.samples.size(); i += 3) {
    ReportSample& s = d.samples[i];
    const double bad = i % 2 == 0 ? kNaN : i % 4 == 1 ? kInf : -kInf;
    s.p_WB = {bad, bad, bad};
    for (std::size_t a = 0; a < 6; ++a)
      s.wanted[a] = s.actual[a] = s.velocity[a] = s.demand[a] = bad;
    s.effort[0] = bad;
  }
  d.samples[7].t_s = kNaN;
  d.lower[0] = -kInf;
  d.upper[1] = kNaN;
  d.states[1].to_s = kNaN;
  d.events[1].t_s = kInf;
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  EXPECT_EQ(odd_path(html), "");
}

TEST(Report, HugeValuesDoNotBreakThePlots) {
  ReportData d = mission(20);
  d.samples[3].demand[0] = 1e308;
  d.samples[4].demand[0] = -1e308;
  d.samples[5].p_WB.x = 1e308;
  d.samples[6].p_WB.x = -1e308;
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  EXPECT_EQ(odd_path(html), "");
}

TEST(Report, EmptyDataStillMakeAPage) {
  EXPECT_EQ(tag_problem(report_html(ReportData{})), "");
  ReportData one = mission(1);
  one.states.clear();
  one.events.clear();
  EXPECT_EQ(tag_problem(report_html(one)), "");
  one = mission(5);
  for (ReportSample& s : one.samples) s.effort.clear();
  one.channels.clear();
  one.lower.clear();
  one.upper.clear();
  EXPECT_EQ(tag_problem(report_html(one)), "");
}

TEST(Report, TenNoisyMinutesStayBelowOneAndAHalfMegabytes) {
  ReportData d = mission(30'000);
  for (int i = 0; i < 6; ++i) {
    d.channels.push_back("more " + std::to_string(i));
    d.lower.push_back(-40);
    d.upper.push_back(51);
  }
  std::mt19937_64 r(2);
  std::normal_distribution<double> noise;
  for (ReportSample& s : d.samples) {
    s.effort.resize(8, noise(r));
    s.position_mode.fill(r() % 2 == 0);
    for (std::size_t a = 0; a < 6; ++a) s.actual[a] = s.wanted[a] + noise(r);
    s.p_WB = {noise(r), noise(r), noise(r)};
  }
  for (int i = 0; i < 30'000; ++i) d.events.push_back({i * 0.02, "saturated", "x", i % 3 == 0});
  const std::string html = report_html(d);
  EXPECT_LT(html.size(), 1'500'000U);
  EXPECT_EQ(tag_problem(html), "");
}

TEST(Report, SaysHowFarOffEachStateEnded) {
  ReportData d = mission(10);
  d.states = {{"go", 0, 5, "succeeded"}, {"stay", 5, 10, "succeeded"}};
  for (ReportSample& s : d.samples) {
    s.position_mode = {true, true, true, true, true, true};
    s.wanted = {};
    s.actual = {};
  }
  // samples are a second apart: the one at 4 s is the last of the first state
  d.samples[4].actual = {{3, 4, 0, 0, 0, 3.1}};
  d.samples[4].wanted = {{0, 0, 0, 0, 0, -3.1}};
  const std::string html = report_html(d);
  EXPECT_NE(html.find(">5.000<"), std::string::npos);
  // 2 pi - 6.2 rad the short way round
  EXPECT_NE(html.find(">4.77<"), std::string::npos);
}

TEST(Report, AFaultIsMarkedInTheRowOfItsPropulsorOnly) {
  const std::string html = report_html(mission());
  const std::string fault = "<title>front_left dead, unannounced</title>";
  EXPECT_EQ(count(html, fault), 1U);
  const std::size_t left = html.find("effort of front_left"),
                    right = html.find("effort of front_right");
  EXPECT_GT(html.find(fault), left);
  EXPECT_LT(html.find(fault), right);
}

TEST(Svg, ALineKeepsThePeakOfEveryColumn) {
  std::vector<double> x, y;
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(i);
    y.push_back(i == 54'321 ? 10 : i == 54'322 ? -10 : 0);
  }
  Plot plot({.width = 120, .height = 120, .left = 10, .right = 10, .top = 10, .bottom = 10},
            {0, 100'000}, {-10, 10});
  plot.line(x, y, "is");
  const std::string svg = plot.svg("", "", false);
  EXPECT_NE(svg.find(" 10"), std::string::npos);
  EXPECT_NE(svg.find("64 10 64 110"), std::string::npos) << svg;
  EXPECT_LT(svg.size(), 400U);
}

TEST(Svg, AnInfinityBreaksALineAndAShortGapDoesNot) {
  const Plot::Frame frame{
      .width = 120, .height = 120, .left = 10, .right = 10, .top = 10, .bottom = 10};
  const std::vector<double> x{0, 20, 20.1, 20.2, 40};
  Plot soft(frame, {0, 100}, {0, 100});
  soft.line(x, std::vector<double>{10, 10, kNaN, 90, 90}, "is");
  EXPECT_EQ(count(soft.svg("", "", false), "M"), 1U);
  Plot hard(frame, {0, 100}, {0, 100});
  hard.line(x, std::vector<double>{10, 10, kInf, 90, 90}, "is");
  EXPECT_EQ(count(hard.svg("", "", false), "M"), 2U);
  Plot wide(frame, {0, 100}, {0, 100});
  wide.line(std::vector<double>{0, 20, 30, 40, 60}, std::vector<double>{10, 10, kNaN, 90, 90},
            "is");
  EXPECT_EQ(count(wide.svg("", "", false), "M"), 2U);
}

TEST(Svg, TicksAreRoundAndInsideTheRange) {
  EXPECT_EQ(round_ticks({-0.13, 1.07}, 5, TickKind::kDecimal),
            (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(round_ticks({-200, 200}, 5, TickKind::kDegrees),
            (std::vector<double>{-180, -90, 0, 90, 180}));
  EXPECT_EQ(round_ticks({0, 95}, 8, TickKind::kSeconds),
            (std::vector<double>{0, 15, 30, 45, 60, 75, 90}));
  EXPECT_EQ(round_ticks({0, 600}, 8, TickKind::kSeconds).size(), 6U);
  for (const PlotRange r :
       {PlotRange{0, 0}, {1e300, -1e300}, {kNaN, kNaN}, {0, kInf}, {1e17, 1e17 + 4}})
    EXPECT_LE(round_ticks(r, 5, TickKind::kDecimal).size(), 101U);
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(short_number(0.012345), "0.0123");
  EXPECT_EQ(short_number(-3.0), "-3");
  EXPECT_EQ(short_number(1540.4), "1540");
  EXPECT_EQ(short_number(0.9999), "1");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(1e-9), "1e-09");
  EXPECT_EQ(short_number(kNaN), "nan");
}

TEST(Svg, CoordinatesAreRoundedToATenthOfAPixelByAllTheirDigits) {
  const auto written = [](double v) {
    Plot plot({}, {0, 1}, {0, 1});
    plot.label(v, 0, "", "");
    const std::string svg = plot.svg("", "", false);
    const std::size_t from = svg.rfind("x=\"") + 3;
    return svg.substr(from, svg.find('"', from) - from);
  };
  for (const auto& [v, text] : std::initializer_list<std::pair<double, std::string>>{
           {0, "0"},
           {-0.0, "0"},
           {-0.04, "0"},
           {-0.06, "-0.1"},
           {0.15, "0.1"},  // is 0.1499999999999999944
           {0.25, "0.2"},  // a tie goes to the even digit
           {0.75, "0.8"},
           {0.35, "0.3"},
           {0.45, "0.5"},
           {9.96, "10"},
           {-123.46, "-123.5"},
           {999999.94, "999999.9"},
           {123456789.06, "123456789.1"},
           {kNaN, "nan"},
           {kInf, "inf"}})
    EXPECT_EQ(written(v), text) << v;
}

TEST(Svg, TimesCarryOverCorrectly) {
  EXPECT_EQ(time_label(12.345, false), "12.35 s");
  EXPECT_EQ(time_label(245.2, true), "4:05.2");
  EXPECT_EQ(time_label(239.97, true), "4:00.0");
}

TEST(Report, ThingsOfTheWorldStandInThePlanWithTheirNamesAndWhatWasCarriedHasAWay) {
  ReportData d = mission();
  EXPECT_EQ(count(report_html(d), "<polygon class=\"thing"), 0U);
  d.things.push_back({"car <1>", "#4a6fa5", false, 0.8, 0.7, 0.5, {{0, {-1, -2, 0.15}, false}}});
  d.things.push_back({"pad", "", true, 1, 1, 0, {{0, {0, 0, 0}, false}}});
  ReportThing payload{"payload", "red\" onload=\"", false, 0.1, 0.1, 0, {}};
  for (int i = 0; i < 100; ++i)
    payload.path.push_back({0.1 * i, {-0.01 * i, -0.02 * i, i < 80 ? 1.0 : 0.3}, i > 10 && i < 80});
  d.things.push_back(payload);
  const std::string html = report_html(d);
  EXPECT_EQ(tag_problem(html), "");
  EXPECT_EQ(odd_path(html), "");
  EXPECT_EQ(count(html, "<polygon class=\"thing"), 3U);
  EXPECT_EQ(count(html, "car &lt;1&gt;</text>"), 1U);
  EXPECT_EQ(count(html, "class=\"dropped\" d="), 1U);
  EXPECT_EQ(count(html, "class=\"thing-line\""), 1U);
  EXPECT_EQ(html.find("red\" onload"), std::string::npos);
}

TEST(Report, StatesAreShadedBehindTheHeightAndAFailedOneStandsOut) {
  ReportData d = mission();
  d.states = {{"up", 0, 2, "succeeded"}, {"there", 2, 4, "timed out"}, {"back", 4, 9, "succeeded"}};
  const std::string html = report_html(d);
  EXPECT_EQ(count(html, "<rect class=\"state\""), 2U);
  EXPECT_EQ(count(html, "<rect class=\"state-bad\""), 1U);
  EXPECT_NE(html.find("<title>there, timed out</title>"), std::string::npos);
}

TEST(Report, WhatIsBeyondTheRowsThatAreKeptIsCounted) {
  ReportData d = mission(20);
  d.stories.push_back({"why", "Why", "", {{"reasons", {"reason"}, {}}}});
  constexpr std::size_t kMost = 2000;
  auto& rows = d.stories[0].tables[0].rows;
  rows.assign(kMost, {"because"});
  EXPECT_EQ(report_html(d).find("later ones are in the log only"), std::string::npos);
  rows.resize(kMost + 7, {"because"});
  const std::string html = report_html(d);
  EXPECT_NE(html.find("<p class=\"note\">7 later ones are in the log only.</p>"),
            std::string::npos);
  EXPECT_EQ(count(html, "<td>because</td>"), kMost);
}

/// The page of these numbers as it was looked at and found right, without script and style.
TEST(Report, ThePageOfTheseNumbersIsTheOneThatWasFoundRight) {
  ReportData d = mission(60);
  for (std::size_t i = 0; i < d.samples.size(); ++i) {
    ReportSample& s = d.samples[i];
    const double t = static_cast<double>(i);
    for (std::size_t a = 0; a < 6; ++a) {
      s.actual[a] = std::sin(0.1 * t + static_cast<double>(a));
      s.demand[a] = 10 * std::cos(0.2 * t + static_cast<double>(a));
      s.achieved[a] = 0.9 * s.demand[a];
    }
    s.p_WB = {0.1 * t, std::sin(0.1 * t), -0.02 * t};
    s.effort = {40 * std::sin(0.15 * t), i > 50 ? 60.0 : 2.0};
  }
  d.samples[20].actual[0] = kInf;
  d.samples[21].effort[0] = kNaN;
  d.samples[22].p_WB = {kInf, kNaN, -kInf};
  d.units = {"N", "rpm"};
  d.things.push_back({"pad", "", true, 1, 1, 0, {{0, {0, 0, 0}, false}}});
  d.histograms.push_back({"where it came down", "of 3", {{"mean", "0.2 m"}}, {{"0", 1}, {"1", 2}}});
  d.stories.push_back({"why", "Why", "in short", {{"reasons", {"reason", "s"}, {{"wind", "2"}}}}});
  std::string page = report_html(d);
  for (const char* name : {"script", "style"})
    for (std::size_t at = 0; (at = page.find("<" + std::string(name), at)) != std::string::npos;) {
      const std::string end = "</" + std::string(name) + ">";
      page.erase(at, page.find(end, at) + end.size() - at);
    }
  const std::string file = std::string(PINTLE_SOURCE_DIR) + "/tests/data/report.html";
  std::ostringstream right;
  right << std::ifstream(file).rdbuf();
  if (right.str() == page) return;
  const std::string now = ::testing::TempDir() + "report.html";
  std::ofstream(now) << page;
  ADD_FAILURE() << "look at " << now << ", and where it is right copy it to " << file;
}

}  // namespace
}  // namespace pintle::telemetry
