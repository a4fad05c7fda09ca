#include "pintle/telemetry/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "pintle/base/signals.h"
#include "pintle/telemetry/mcap_writer.h"

namespace pintle::telemetry {
namespace {

class Csv : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::path(::testing::TempDir()) /
            ("pintle_csv" + std::to_string(getpid()) + ".mcap");
    McapWriter writer(file_);
    const auto a = writer.add_channel("/allocation", table_of<Allocation>());
    const auto e = writer.add_channel("/event", table_of<Event>());
    for (int i = 0; i < 3; ++i) {
      Allocation answer;
      answer.effort.resize(static_cast<std::size_t>(i), 0.1);
      answer.margin = i == 1 ? std::nan("") : 1e21;
      answer.grade = AllocationGrade::kBounded;
      writer.write(a, answer, Time{i * 1'000'000'001LL});
    }
    Event event;
    event.time.ns = -3;
    event.code = EventCode::kAxisLost;
    writer.write(e, event, Time{20'000'000});
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::filesystem::path file_;
};

TEST_F(Csv, HasAHeaderOfFlatNamesAndALinePerMessage) {
  McapReader log(file_);
  std::ostringstream out;
  EXPECT_EQ(export_csv<Event>(log, "/event", out), 1U);
  EXPECT_EQ(out.str(),
            "log_time_s,time_ns,code,subject,value\n"
            "0.02,-3,axis_lost,-1,0\n");
}

TEST_F(Csv, SequencesAreAsWideAsTheLongestAndMissingCellsAreEmpty) {
  McapReader log(file_);
  std::ostringstream out;
  EXPECT_EQ(export_csv<Allocation>(log, "/allocation", out), 3U);
  EXPECT_EQ(out.str(),
            "log_time_s,effort[0],effort[1],achieved.force.x,achieved.force.y,achieved.force.z,"
            "achieved.torque.x,achieved.torque.y,achieved.torque.z,residual.force.x,"
            "residual.force.y,residual.force.z,residual.torque.x,residual.torque.y,"
            "residual.torque.z,at_lower,at_upper,reachable,margin,gap,grade,iterations\n"
            "0,,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,63,1e+21,-1,bounded,0\n"
            "1.000000001,0.1,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,63,nan,-1,bounded,0\n"
            "2.000000002,0.1,0.1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,63,1e+21,-1,bounded,0\n");
}

TEST_F(Csv, AMissingTopicOrAnotherLayoutIsSaid) {
  McapReader log(file_);
  std::ostringstream out;
  EXPECT_THROW(export_csv<Event>(log, "/nothing", out), std::runtime_error);
  EXPECT_THROW(export_csv<Allocation>(log, "/event", out), std::runtime_error);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace pintle::telemetry
