#include "run_on_serial.h"

#include <fmt/core.h>
#include <unistd.h>

#include "pintle/config/problem.h"
#include "pintle/serial_world/run.h"

namespace pintle::app {

void check_on_serial(const craft::MissionFile& mission) {
  try {
    (void)serial_site::wiring_of(mission.vehicle);
  } catch (const std::invalid_argument& e) {
    throw config::ConfigError(config::Problem{
        {mission.vehicle_path.string(), 1, 1},
        "",
        e.what(),
        "fly it in its simulated world, without --on; missions/pool_m5.yaml is wired",
        true});
  }
}

flight::FlightResult fly_on_serial(const craft::MissionFile& mission,
                                   const simulation::RunOptions& options, const RunOnSerial& on) {
  serial_world::RunOptions with;
  static_cast<flight::FlyOptions&>(with) = options;
  with.emulated = on.emulated;
  const auto& lines = mission.vehicle.vehicle.lines;
  const int fifo = on.fifo_priority > 0 ? on.fifo_priority : lines ? lines->fifo : 0;
  with.site.thread.fifo_priority = fifo;
  with.site.thread.lock_memory = fifo > 0;
  with.site.say = on.say;
  with.world = options.site.world;
  if (!on.emulated) with.site.odometry_from = STDIN_FILENO;
  return serial_world::run(mission, with);
}

}  // namespace pintle::app
