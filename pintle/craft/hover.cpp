#include "pintle/craft/hover.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/allocator.h"
#include "pintle/vehicle/supplies.h"

namespace pintle::craft {
namespace {

/// About the centre of mass instead of the body origin: torques lose c x force.
Wrench about(Vec3 center_m, const Wrench& F_Bo) {
  return {F_Bo.force, F_Bo.torque - cross(center_m, F_Bo.force)};
}

/// In newtons, whatever the vehicle's unit.
Effectiveness about(Vec3 center_m, Effectiveness e, double one_unit_N) {
  e.bias = about(center_m, one_unit_N * e.bias);
  for (std::size_t i = 0; i < e.n; ++i)
    e.column[i] = one_unit_N * to_vec6(about(center_m, to_wrench(e.column[i])));
  return e;
}

/// Every range shortened by a share of itself at both ends.
Effectiveness shortened(Effectiveness e, double share) {
  for (std::size_t i = 0; i < e.n; ++i) {
    const double by = share * (e.upper[i] - e.lower[i]);
    e.lower[i] += by;
    e.upper[i] = std::max(e.lower[i], e.upper[i] - by);
  }
  return e;
}

struct Balance {
  bool given = false;
  Allocation answer;
};

Balance balance(const allocation::Settings& settings, const Effectiveness& e, AxisMask reachable,
                double weight_N) {
  WrenchDemand demand;
  demand.F_Bo_B.force.z = weight_N;
  // torques that exist only because no mount is perfect are not asked for, but must be nothing
  for (std::size_t k = 3; k < kAxes; ++k)
    if ((reachable & axis_bit(k)) == 0) demand.weight[k] = 0;
  demand.weight[0] = demand.weight[1] = 0;
  Balance out;
  allocation::allocate(settings, e, demand, nullptr, out.answer);
  Vec6 missing = to_vec6(out.answer.residual);
  missing[0] = missing[1] = 0;
  // a millionth of the weight, with a lever of a metre
  out.given = out.answer.grade != AllocationGrade::kRejected && norm(missing) <= 1e-6 * weight_N;
  return out;
}

}  // namespace

HoverReport hover_of(const VehicleFile& file) {
  const Model model = build_model(file, nullptr);
  const vehicle::Vehicle& vehicle = model.vehicle;
  HoverReport report;
  report.craft = mass_of(vehicle, starting_states(vehicle), starting_fill(vehicle));
  report.weight_N = report.craft.mass_kg * file.surroundings.gravity_m_s2;
  const Effectiveness e =
      about(report.craft.center_of_mass_m, model.effectiveness, vehicle.unit.one_unit_N);

  allocation::Settings settings;
  settings.objective = model.allocation.objective;
  const AxisMask reachable = allocation::reachable_axes(e, nullptr);
  const Balance now = balance(settings, e, reachable, report.weight_N);
  report.missing = now.answer.residual;
  const Vec3 force = now.answer.achieved.force;
  report.tilt_deg = degrees(std::atan2(std::hypot(force.x, force.y), force.z));

  // deepest inside: the demand is met or not, so halving finds the largest share that meets it
  settings.objective = {1, 0};
  Balance deepest = balance(settings, e, reachable, report.weight_N);
  report.balanced = deepest.given;
  if (report.balanced) {
    double lo = 0, hi = 0.5;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (lo + hi);
      const Balance b = balance(settings, shortened(e, middle), reachable, report.weight_N);
      (b.given ? lo : hi) = middle;
      if (b.given) deepest = b;
    }
    // what only the tolerance of the balance allowed is no room
    report.margin = lo > 1e-5 ? lo : 0;
  }
  for (std::size_t i = 0; i < e.n; ++i)
    report.channels.push_back(
        {e.lower[i], e.upper[i], now.answer.effort[i], deepest.answer.effort[i]});
  return report;
}

}  // namespace pintle::craft
