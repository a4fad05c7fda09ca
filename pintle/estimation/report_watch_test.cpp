#include "pintle/estimation/report_watch.h"

#include <gtest/gtest.h>

namespace pintle::estimation {
namespace {

/// Asked for the quarter of a thruster with 3000 rpm and 10 A above 0.1 A at rest: half the speed,
/// an eighth of the current.
ExpectedLoad quarter() { return {1500, 1500, 3000, 0.1 + 10.0 / 8, 0.1 + 10.0 / 8, 0.1, 10.1}; }

PropulsorReport report(double rpm, double ampere,
                       std::uint8_t valid = kHasRpm | kHasCurrent | kHasFault) {
  PropulsorReport r;
  r.contact = PropulsorContact::kGood;
  r.valid = valid;
  r.rpm = rpm;
  r.bus_A = ampere;
  return r;
}

TEST(ReportWatch, TellsStoppedLostAndFouledByTheirNumbers) {
  const ExpectedLoad e = quarter();
  EXPECT_EQ(look_of(report(1500, 1.35), e), ReportVerdict::kNone);
  EXPECT_EQ(look_of(report(-1500, 1.35), e), ReportVerdict::kNone) << "the way round is not judged";
  EXPECT_EQ(look_of(report(749, 1.35), e), ReportVerdict::kStopped);
  EXPECT_EQ(look_of(report(751, 1.35), e), ReportVerdict::kNone);
  // no load: less than 0.1 + 0.3 * 1.25 = 0.475 A
  EXPECT_EQ(look_of(report(1650, 0.47), e), ReportVerdict::kPropellerLost);
  EXPECT_EQ(look_of(report(1650, 0.48), e), ReportVerdict::kNone);
  EXPECT_EQ(look_of(report(1124, 0), e), ReportVerdict::kStopped) << "it runs down";
  EXPECT_EQ(look_of(report(1126, 0), e), ReportVerdict::kPropellerLost);
  // fouled: more than 1.6 * 1.35 + 1.01 = 3.17 A
  EXPECT_EQ(look_of(report(900, 3.2), e), ReportVerdict::kFouled);
  EXPECT_EQ(look_of(report(900, 3.1), e), ReportVerdict::kNone);
  EXPECT_EQ(look_of(report(1800, 3.2), e), ReportVerdict::kNone) << "it turns faster, and pays";
}

TEST(ReportWatch, AStallThatIsReportedIsBelieved) {
  PropulsorReport r = report(1500, 1.35);
  r.fault = kFaultStall;
  EXPECT_EQ(look_of(r, quarter()), ReportVerdict::kStopped);
  r.valid = kHasRpm | kHasCurrent;
  EXPECT_EQ(look_of(r, quarter()), ReportVerdict::kNone) << "a field that is not there";
}

TEST(ReportWatch, AMissingFieldOnlyWidensTheDoubt) {
  const ExpectedLoad e = quarter();
  EXPECT_EQ(look_of(report(0, 0, kHasRpm), e), ReportVerdict::kStopped);
  EXPECT_EQ(look_of(report(1500, 0, kHasRpm), e), ReportVerdict::kNone) << "current is not told";
  EXPECT_EQ(look_of(report(0, 1.35, kHasCurrent), e), ReportVerdict::kNone) << "speed is not told";
  EXPECT_EQ(look_of(report(0, 0.1, kHasCurrent), e), ReportVerdict::kNoLoad);
  EXPECT_EQ(look_of(report(0, 9, kHasCurrent), e), ReportVerdict::kFouled);
  EXPECT_EQ(look_of(report(0, 0, 0), e), ReportVerdict::kNone);
}

TEST(ReportWatch, NothingIsConcludedWhereLittleIsAsked) {
  ExpectedLoad e = quarter();
  e.least_rpm = 599;  // a fifth of 3000 is 600
  e.least_A = 0.1 + 0.59;
  EXPECT_EQ(look_of(report(0, 0), e), ReportVerdict::kNone);
  e.least_rpm = 601;
  EXPECT_EQ(look_of(report(0, 0), e), ReportVerdict::kStopped);
  EXPECT_EQ(look_of(report(0, 0), ExpectedLoad{}), ReportVerdict::kNone) << "no figures at all";
}

/// Reports every 20 ms; the time at which it convicts, or a negative one.
double convicts_after(const PropulsorReport& r, double for_s = 2) {
  ReportSuspicion s;
  for (int k = 0; k * 0.02 < for_s; ++k)
    if (judge({}, s, r, quarter(), 0.02) != ReportVerdict::kNone) return k * 0.02;
  return -1;
}

TEST(ReportWatch, AVerdictHoldsForItsTimeAndThreeReports) {
  EXPECT_NEAR(convicts_after(report(0, 0)), 0.06, 1e-9);
  EXPECT_NEAR(convicts_after(report(1650, 0)), 0.3, 0.021);
  EXPECT_NEAR(convicts_after(report(1000, 5)), 0.5, 0.021);
  EXPECT_LT(convicts_after(report(1500, 1.35)), 0);
  // two reports a second apart are two reports
  ReportSuspicion s;
  EXPECT_EQ(judge({}, s, report(0, 0), quarter(), 1), ReportVerdict::kNone);
  EXPECT_EQ(judge({}, s, report(0, 0), quarter(), 1), ReportVerdict::kNone);
  EXPECT_EQ(judge({}, s, report(0, 0), quarter(), 1), ReportVerdict::kStopped);
}

TEST(ReportWatch, OneGoodReportAcquits) {
  ReportSuspicion s;
  for (int k = 0; k < 300; ++k) {
    const bool good = k % 3 == 2;
    EXPECT_EQ(judge({}, s, good ? report(1500, 1.35) : report(0, 0), quarter(), 0.02),
              ReportVerdict::kNone);
  }
}

TEST(ReportWatch, VouchesForOneThatTurnsAsFastAsItShould) {
  const ExpectedLoad e = quarter();
  EXPECT_TRUE(vouches(report(1500, 1.35), e));
  EXPECT_TRUE(vouches(report(1400, 0, kHasRpm), e)) << "the current need not be known";
  EXPECT_FALSE(vouches(report(1300, 1.35), e));
  EXPECT_FALSE(vouches(report(1740, 1.35), e));
  EXPECT_FALSE(vouches(report(1500, 0.2), e)) << "nothing pushes";
  EXPECT_FALSE(vouches(report(1500, 1.35, kHasCurrent), e)) << "the speed is not known";
  EXPECT_FALSE(vouches(report(0, 0), ExpectedLoad{}));
}

TEST(ReportWatch, TimesThatAreNoneAreRefusedByName) {
  EXPECT_TRUE(check(ReportWatchParams{}).empty());
  ReportWatchParams p;
  p.slack_s = 0;
  ASSERT_EQ(check(p).size(), 1u);
  EXPECT_EQ(check(p)[0].path, "slack_s");
}

}  // namespace
}  // namespace pintle::estimation
