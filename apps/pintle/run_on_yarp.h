/// `pintle run --on yarp`: jets, a model or a mission's world as a service on YARP ports.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pintle/flight/fly.h"

namespace pintle::app {

struct RunOnYarp {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::string bind = "127.0.0.1";
  std::string model;                      ///< Of the thrust, where the file does not say it.
  std::vector<std::string> model_path;    ///< Folders of model://.
  std::optional<double> input_timeout_s;  ///< Instead of the file's.
  bool lockstep = false, quiet = false, planner = false;
  bool with_world = false;  ///< That is flown: the mission's is served here, too.
  const std::atomic<bool>* stop = nullptr;
};

/// The world, or the jets, driven by whoever writes to the input port.
int serve_on_yarp(const RunOnYarp& a);
/// @throws config::ConfigError for a vehicle that ports cannot fly.
void check_over_ports(const craft::MissionFile& mission);
/// A stack flies a vehicle over ports. `endpoint`: where it hears operators, may be empty.
[[nodiscard]] flight::FlightResult fly_on_yarp(const RunOnYarp& a, craft::MissionFile mission,
                                               const flight::FlyOptions& options,
                                               const std::filesystem::path& endpoint);

}  // namespace pintle::app
