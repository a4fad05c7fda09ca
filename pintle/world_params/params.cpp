#include "pintle/world_params/params.h"

#include <cmath>

namespace pintle::world {
namespace {

std::string allowed(const Field& f) {
  const bool low = std::isfinite(f.minimum), high = std::isfinite(f.maximum);
  std::string from = (f.above_minimum ? "above " : "at least ") + text(f.minimum);
  if (low && high)
    return f.above_minimum ? from + " and at most " + text(f.maximum)
                           : text(f.minimum) + " to " + text(f.maximum);
  if (low) return from;
  return high ? "at most " + text(f.maximum) : std::string("a finite number");
}

bool inside(const Field& f, double x) {
  const bool above = f.above_minimum ? x > f.minimum : x >= f.minimum;
  return std::isfinite(x) && above && x <= f.maximum;
}

// every number of a struct against the range in its field table: what a file is held to holds for
// parameters made in code too
void check_ranges(const Table& table, const void* object, const std::string& prefix,
                  Findings& out) {
  for (const Field& f : table.fields) {
    const std::string path = prefix + std::string(f.name);
    for (std::size_t i = 0; i < f.size(object); ++i) {
      const std::string here = f.shape == Shape::kSingle || f.shape == Shape::kOptional
                                   ? path
                                   : path + "[" + std::to_string(i) + "]";
      const void* element = f.element(object, i);
      if (f.kind == Kind::kStruct) {
        check_ranges(*f.table, element, here + ".", out);
      } else if (f.kind == Kind::kFloat64 || f.kind == Kind::kFloat32) {
        const double x = number_of(f, element);
        if (inside(f, x)) continue;
        const std::string unit = f.unit.empty() ? "" : " " + std::string(f.unit);
        out.push_back({here, "expected " + allowed(f) + unit + ", got " + text(x),
                       "write a number in that range"});
      }
    }
  }
}

void check_current(const CurrentParams& p, Findings& out) {
  const double wave = norm(p.wave_m_s), steady = norm(p.steady_m_s);
  if (steady + wave + 2 * p.wander_m_s > 5)
    out.push_back({"water.current",
                   "this current reaches " + text(steady + wave + 2 * p.wander_m_s) +
                       " m/s, more than any vehicle of this kind can stem",
                   "write metres a second", false});
}

void check_odometry(const WorldParams& p, Findings& out) {
  const OdometryParams& o = p.odometry;
  if (o.rate_Hz * p.step_s > 1)
    out.push_back({"odometry.rate_Hz",
                   "expected at most one message a step (" + text(1 / p.step_s) + " Hz), got " +
                       text(o.rate_Hz),
                   "lower rate_Hz or step_s"});
  if (o.drop_out_mean_s > 0 && o.drop_out == 0)
    out.push_back({"odometry.drop_out_mean_s", "has no effect while drop_out is 0",
                   "give the share of messages lost as drop_out", false});
  if (o.drop_out == 1)
    out.push_back({"odometry.drop_out", "no message ever arrives",
                   "write the share of messages lost, such as  drop_out: 0.01", false});
}

void check_fault(const FaultSpec& f, const std::string& path, Findings& out) {
  const auto expect = [&](bool good, const char* what, const char* fix) {
    if (!good)
      out.push_back(
          {path + ".value", std::string("expected ") + what + ", got " + text(f.value), fix});
  };
  if (f.propulsor.empty())
    out.push_back({path + ".propulsor", "expected the name of a propulsor, got nothing",
                   "write a name that stands under propulsors in the vehicle file"});
  if (!(f.until_s > f.at_s))
    out.push_back({path + ".until_s",
                   "expected a time after at_s (" + text(f.at_s) + "), got " + text(f.until_s),
                   "leave until_s out for a fault that stays"});
  switch (f.kind) {
    case FaultKind::kWeak:
      expect(f.value >= 0 && f.value <= 1, "the part of the thrust that is left, 0 to 1",
             "write 0.4 for 40 %");
      break;
    case FaultKind::kSlow:
      expect(f.value >= 1 && f.value <= 1000, "a factor on the lag, 1 to 1000",
             "write 3 for three times as slow");
      break;
    case FaultKind::kDelayed:
      expect(f.value > 0 && f.value <= kMaxFaultDelay_s, "a delay above 0 and at most 10 s",
             "write seconds");
      break;
    case FaultKind::kDead:
    case FaultKind::kStuck:
    case FaultKind::kReversed:
    case FaultKind::kPropellerLost:
    case FaultKind::kFouled: break;
  }
  if (f.announced && (f.kind == FaultKind::kSlow || f.kind == FaultKind::kDelayed))
    out.push_back({path + ".announced",
                   "has no effect: the stack has no word for a " + std::string(to_string(f.kind)) +
                       " propulsor",
                   "leave announced out", false});
}

// what is worth saying of air, ground and pads beyond the ranges of their numbers
void check_land(const WorldParams& p, Findings& out) {
  if (p.gravity_m_s2 && p.water.gravity_m_s2 != WaterParams{}.gravity_m_s2)
    out.push_back(
        {"gravity_m_s2", "gravity is given twice, here and in water", "keep one of the two"});
  if (p.air && norm(p.air->wind_m_s) > 60)
    out.push_back({"air.wind_m_s",
                   "a wind of " + text(norm(p.air->wind_m_s)) + " m/s is a hurricane",
                   "write metres a second", false});
  if (p.plant == PlantKind::kMujoco && p.water.density_kg_m3 > 0)
    out.push_back({"plant", "the MuJoCo plant knows neither water nor buoyancy",
                   "write  water: {density_kg_m3: 0}  or  plant: rigid"});
  if (p.ground_effect && !p.ground)
    out.push_back(
        {"ground_effect", "has no effect without ground", "add  ground: {height_m: 0}", false});
  if (!p.ground && !p.pads.empty())
    out.push_back({"pads", "pads need a ground to stand on", "add  ground: {height_m: 0}"});
  if (p.ground && p.step_s > 0.005)
    out.push_back({"step_s",
                   "expected at most 0.005 s where there is ground to touch, got " + text(p.step_s),
                   "write 0.001"});
  for (std::size_t i = 0; i < p.pads.size(); ++i) {
    const std::string at = "pads[" + std::to_string(i) + "]";
    if (p.pads[i].name.empty())
      out.push_back({at + ".name", "expected a name, got nothing", "name every pad"});
    for (std::size_t k = 0; k < i; ++k)
      if (p.pads[k].name == p.pads[i].name)
        out.push_back({at + ".name", "a second pad named \"" + p.pads[i].name + "\"",
                       "give each pad a name of its own"});
    if (p.ground && p.pads[i].position_m.z < p.ground->height_m)
      out.push_back({at + ".position_m",
                     "the pad lies below the ground (" + text(p.ground->height_m) + " m)",
                     "write the middle of its top"});
  }
}

}  // namespace

Findings check(const WorldParams& p) {
  Findings out;
  if (p.format != "pintle/world/1")
    out.push_back({"format", "expected pintle/world/1, got \"" + p.format + "\"",
                   "write  format: pintle/world/1"});
  check_ranges(table_of<WorldParams>(), &p, "", out);
  check_current(p.water.current, out);
  check_odometry(p, out);
  check_land(p, out);
  if (p.meters && !(p.meters->delay_s * p.meters->rate_Hz <= kMostOnTheWay / 2))
    out.push_back({"meters.delay_s", "more than 16 reports would be on their way",
                   "write a shorter delay or a lower rate_Hz"});
  if (p.sightings.log_Hz > 0 && p.sightings.from != SightingSource::kImages)
    out.push_back({"sightings.log_Hz",
                   "there are no pictures to log: sightings come from the truth",
                   "write  from: images  beside it, or leave log_Hz out"});
  for (Finding& f : check_site(p)) out.push_back(std::move(f));
  for (std::size_t i = 0; i < p.faults.size(); ++i)
    check_fault(p.faults[i], "faults[" + std::to_string(i) + "]", out);
  for (std::size_t i = 0; i < p.device_faults.size(); ++i)
    for (Finding& f : check(p.device_faults[i], "device_faults[" + std::to_string(i) + "]"))
      out.push_back(std::move(f));
  if (p.water.density_kg_m3 > 0 && p.water.density_kg_m3 < 500)
    out.push_back({"water.density_kg_m3",
                   text(p.water.density_kg_m3) + " kg/m3 is neither water nor vacuum",
                   "fresh water is 998, sea water 1025", false});
  return out;
}

}  // namespace pintle::world
