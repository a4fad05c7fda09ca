/// Why a craft that lands by what it sees did what it did: from the inputs and outputs of a log alone.
///
/// What became of its sightings, counted; and in order of time: looked for, found, came down, kept its
/// height, climbed again, went on blind, gave up, was asked to land, with or without the target.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/simulation/names.h"
#include "pintle/telemetry/report.h"

namespace pintle::simulation {

class LandingStory {
 public:
  /// Keeps a reference.
  explicit LandingStory(const MissionFile& mission) : mission_(mission) {}

  /// Of one tick: the inputs first, then what it made of them.
  void inputs(const Inputs& in);
  void outputs(const Outputs& out);
  /// Adds the section, where something was looked for or seen.
  void put(telemetry::ReportData& data);

 private:
  static constexpr std::size_t kFates = 9;
  struct Fate {
    std::array<std::uint64_t, 2> count{};  ///< Marker, pad.
    double last_s = 0;
  };
  /// Sightings in a row that were left out for one reason.
  struct LeftOut {
    std::uint64_t count = 0;
    double from_s = 0, to_s = 0;
    std::size_t row = 0;
  };

  void tell(double t_s, std::string what, std::string why);
  void sightings(const Outputs& out);
  void approach(const Outputs& out);
  void event(const Outputs& out, const Event& e);
  [[nodiscard]] const mission::StateSpec* state(std::int32_t number) const;

  const MissionFile& mission_;
  std::vector<TargetKind> seen_;  ///< Of this tick.
  std::array<Fate, kFates> fates_;
  std::array<std::array<LeftOut, kFates>, 2> left_out_;
  std::vector<std::vector<std::string>> rows_;
  mission::ApproachPhase phase_ = mission::ApproachPhase::kNone;
  std::array<double, 2> seen_at_s_{-1, -1};  ///< Agreeing, last; below 0: never.
  bool looked_ = false;                      ///< A state has looked for a target.
};

}  // namespace pintle::simulation
