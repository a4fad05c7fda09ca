// The smallest program that flies hardware: a vehicle file, the stack, one line with thrusters, and the site
// that has all of them. No world, no report, no plant: hardware_only.sh looks at what was linked.
#include <cstdio>
#include <exception>
#include <memory>

#include "pintle/craft/live.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/propulsor_bus.h"
#include "pintle/flight/flight.h"
#include "pintle/serial_site/site.h"

using namespace pintle;

namespace {

/// On the ports of the file, which are not there: each of its thrusters says so.
bool knows_its_ports(const craft::VehicleFile& vehicle, craft::LiveModel& live) {
  flight::Flight flight(live.generation());
  serial_site::SerialSiteOptions options;
  options.patience_s = 0;
  serial_site::SerialSite site(vehicle, options);
  stack::Inputs in;
  if (!site.sense(site.now(), in)) return false;
  site.act(flight.model(), flight.step(in));
  std::size_t without = 0;
  for (const PropulsorReport& r : in.reports) without += r.contact == PropulsorContact::kNoPort;
  return without == vehicle.vehicle.propulsors.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const craft::VehicleFile vehicle = craft::load_vehicle(argv[1]);
    craft::LiveModel live(vehicle, nullptr, {});
    flight::Flight flight(live.generation());
    const std::size_t n = flight.model().effectiveness.n;
    std::vector<device::BusChannel> channels(n);
    for (std::size_t i = 0; i < n; ++i) {
      channels[i].name.assign(flight.model().vehicle.propulsors[i].name);
      channels[i].node = static_cast<std::uint8_t>(i);
    }
    device::PropulsorBus bus(std::make_unique<device::M5Protocol>(channels), channels, {});
    std::size_t bytes = 0;
    stack::Inputs in;
    for (int tick = 0; tick < 100; ++tick) {
      const Time now = Time::from_seconds(1 + 0.02 * tick);
      in = {};
      in.now = now;
      in.has_odometry = true;
      in.odometry.stamp = now;
      if (tick == 1) in.commands.push_back({stack::CommandCode::kArm});
      in.has_setpoint = true;
      in.setpoint.mode.fill(AxisMode::kWrench);
      in.setpoint.F_Bo_B.force.x = 0.2;
      const stack::Outputs& out = flight.step(in);
      bus.line(true, now);
      for (std::size_t i = 0; i < n; ++i) bus.command(i, out.actuation.effort[i], now);
      bytes += bus.next_frame(now).size();
    }
    double most = 0;
    for (const double u : flight.last().actuation.effort) most = u > most ? u : most;
    std::printf("%zu thrusters, largest effort %.3f, %zu bytes to the line\n", n, most, bytes);
    return most > 0 && bytes > 0 && knows_its_ports(vehicle, live) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
