#include "pintle/flight/tuning.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace pintle::flight {
namespace {

Configuration oogway() {
  return {1, load_vehicle(std::filesystem::path(PINTLE_SOURCE_DIR) / "vehicles/oogway.yaml"), {}};
}

TEST(Tuning, AChangeIsTakenOverAtTheNextStepAndABadOneChangesNothing) {
  Tuning tuning(oogway());
  Flight flight(tuning.newest());
  EXPECT_TRUE(tuning.set({{"control.scale", 0.5}}).applied);
  EXPECT_EQ(flight.model().generation, 1U) << "not before the flight asks";
  tuning.take_over(flight);
  EXPECT_EQ(flight.model().generation, 2U);
  EXPECT_EQ(flight.generation()->configuration.vehicle.laws.control.scale, 0.5);
  // all or nothing
  const ChangeResult bad = tuning.set({{"control.scale", 0.7}, {"control.nonsense", 1}});
  EXPECT_FALSE(bad.applied);
  EXPECT_NE(bad.message.find("control.nonsense"), std::string::npos);
  tuning.take_over(flight);
  EXPECT_EQ(flight.model().generation, 2U);
}

TEST(Tuning, WhoTicksNeverWaitsAndEndsWithTheNewest) {
  Tuning tuning(oogway());
  Flight flight(tuning.newest());
  std::atomic<bool> done{false};
  std::thread page([&] {
    for (int i = 1; i <= 200; ++i) {
      const ChangeResult r = tuning.set({{"control.scale", 0.5 + 0.001 * i}});
      EXPECT_TRUE(r.applied) << r.message;
    }
    done = true;
  });
  std::uint32_t before = 0;
  while (!done) {
    tuning.take_over(flight);
    EXPECT_GE(flight.model().generation, before);
    before = flight.model().generation;
  }
  page.join();
  tuning.take_over(flight);
  EXPECT_EQ(flight.model().generation, 201U);
  EXPECT_DOUBLE_EQ(flight.generation()->configuration.vehicle.laws.control.scale, 0.7);
}

TEST(Tuning, EachLiveParameterIsSetByItsPath) {
  for (const char* name : {"oogway", "rocket", "quad", "bluerov2_heavy", "ironcub_body"}) {
    VehicleFile file = load_vehicle(std::filesystem::path(PINTLE_SOURCE_DIR) / "vehicles" /
                                    (std::string(name) + ".yaml"));
    const std::vector<LiveParameter> all = live_parameters(file);
    EXPECT_GT(all.size(), 50U) << name;
    for (const LiveParameter& p : all) {
      std::string why;
      EXPECT_TRUE(set_by_path(table_of<VehicleFile>(), &file, p.path, p.value, why) ||
                  !std::isfinite(p.value))
          << name << ": " << p.path << ": " << why;
    }
  }
}

}  // namespace
}  // namespace pintle::flight
