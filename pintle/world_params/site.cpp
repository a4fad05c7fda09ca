#include "pintle/world_params/site.h"

#include <algorithm>
#include <cmath>

#include "pintle/world_params/params.h"

namespace pintle {

using namespace world;

template <>
const EnumTable& enum_table<BodyShape>() {
  static constexpr std::array values{enum_value(BodyShape::kBox, "box", "A box."),
                                     enum_value(BodyShape::kCylinder, "cylinder", "Upright.")};
  static constexpr EnumTable table{"BodyShape", values};
  return table;
}

template <>
const Table& table_of<BodySpec>() {
  static const Table table =
      TableBuilder<BodySpec>("WorldBody", "A solid thing beside the vehicle.")
          .field("name", &BodySpec::name, "", "Unique name.")
          .required()
          .field("shape", &BodySpec::shape, "", "What it looks like.")
          .field("size_m", &BodySpec::size_m, "m",
                 "From side to side; of a cylinder diameter, diameter, height.")
          .required()
          .field("mass_kg", &BodySpec::mass_kg, "kg", "0: it is fixed where it stands.")
          .range(0, 1e6)
          .field("position_m", &BodySpec::position_m, "m", "Of its middle.")
          .required()
          .field("rpy_deg", &BodySpec::rpy_deg, "deg", "Roll, pitch and yaw.")
          .field("colour", &BodySpec::colour, "", "For reports, a name or #rrggbb.")
          .build();
  return table;
}

template <>
const Table& table_of<TargetSpec>() {
  static const Table table =
      TableBuilder<TargetSpec>("WorldTarget", "What a camera can make out.")
          .field("kind", &TargetSpec::kind, "", "marker or pad.")
          .required()
          .field("on", &TargetSpec::on, "", "A body, on whose top it lies, or a pad.")
          .required()
          .field("radius_m", &TargetSpec::radius_m, "m", "Of its outline.")
          .range(0.001, 100)
          .build();
  return table;
}

template <>
const EnumTable& enum_table<SightingSource>() {
  static constexpr std::array values{
      enum_value(SightingSource::kTruth, "truth", "From the ground truth."),
      enum_value(SightingSource::kImages, "images", "From pictures, drawn and searched.")};
  static constexpr EnumTable table{"SightingSource", values};
  return table;
}

template <>
const Table& table_of<SightingParams>() {
  static const Table table =
      TableBuilder<SightingParams>("Sightings", "What comes of a picture of a target.")
          .field("delay_s", &SightingParams::delay_s, "s", "From the picture to the sighting.")
          .range(0, 5)
          .field("drop_out", &SightingParams::drop_out, "", "Share of pictures that give nothing.")
          .range(0, 1)
          .field("noise_m", &SightingParams::noise_m, "m",
                 "Standard deviation of the position, each axis.")
          .range(0, 10)
          .field("noise_ratio", &SightingParams::noise_ratio, "",
                 "The same as a share of the distance, on top.")
          .range(0, 1)
          .field("false_alarms", &SightingParams::false_alarms, "",
                 "Share of pictures that give a target where there is none.")
          .range(0, 1)
          .field("from", &SightingParams::from, "", "Where sightings come from.")
          .field("blur_px", &SightingParams::blur_px, "px", "Of pictures: one sigma of the lens.")
          .range(0, 20)
          .field("shutter_s", &SightingParams::shutter_s, "s",
                 "Of pictures: they move while it is open.")
          .range(0, 0.2)
          .field("grain", &SightingParams::grain, "",
                 "Of pictures: one sigma of a pixel's noise, of 255.")
          .range(0, 100)
          .field("log_Hz", &SightingParams::log_Hz, "Hz",
                 "Of pictures: so many a second, at most, are logged as JPEG; 0: none.")
          .range(0, 100)
          .build();
  return table;
}

template <>
const Table& table_of<CarryParams>() {
  static const Table table =
      TableBuilder<CarryParams>("Carry", "A hand lifts the craft and puts it down.")
          .field("at_s", &CarryParams::at_s, "s", "When it begins.")
          .range(0, 1e6)
          .field("height_m", &CarryParams::height_m, "m", "How high.")
          .range(0.01, 10)
          .field("lift_s", &CarryParams::lift_s, "s", "Up, and down again, each.")
          .range(0.2, 100)
          .field("hold_s", &CarryParams::hold_s, "s", "Up there.")
          .range(0, 1000)
          .field("aside_m", &CarryParams::aside_m, "m",
                 "From its place, up there; it goes aside in the upper half of the way.")
          .range(-10, 10)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::world {

bool carried(const CarryParams& c, double t_s, Vec3& offset_m, Vec3& velocity_m_s) noexcept {
  const double t = t_s - c.at_s;
  if (!(t >= 0 && t < 2 * c.lift_s + c.hold_s)) return false;
  // share of the way up, and its change
  double s = 1, rate = 0;
  if (t < c.lift_s)
    s = t / c.lift_s, rate = 1 / c.lift_s;
  else if (t >= c.lift_s + c.hold_s)
    s = std::max(0.0, 1 - (t - c.lift_s - c.hold_s) / c.lift_s), rate = -1 / c.lift_s;
  // 3 s^2 - 2 s^3: at rest at both ends
  const auto way = [](double x) { return x * x * (3 - 2 * x); };
  const auto slope = [](double x) { return 6 * x * (1 - x); };
  const double upper = std::max(0.0, 2 * s - 1);
  offset_m = way(upper) * c.aside_m + Vec3{0, 0, way(s) * c.height_m};
  velocity_m_s = (2 * rate * slope(upper)) * c.aside_m + Vec3{0, 0, rate * slope(s) * c.height_m};
  return true;
}

int index_of(const std::vector<BodySpec>& bodies, std::string_view name) noexcept {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

double distance_to(const BodySpec& body, Vec3 p) noexcept {
  const Vec3 half = 0.5 * body.size_m;
  const double dz = std::max(std::abs(p.z) - half.z, 0.0);
  if (body.shape == BodyShape::kCylinder)
    return std::hypot(std::max(std::hypot(p.x, p.y) - half.x, 0.0), dz);
  const double dx = std::max(std::abs(p.x) - half.x, 0.0);
  const double dy = std::max(std::abs(p.y) - half.y, 0.0);
  return std::sqrt(dx * dx + dy * dy + dz * dz);
}

Vec3 inertia_of(const BodySpec& b) noexcept {
  const double m = b.mass_kg;
  const double x2 = b.size_m.x * b.size_m.x, y2 = b.size_m.y * b.size_m.y,
               z2 = b.size_m.z * b.size_m.z;
  if (b.shape == BodyShape::kCylinder) {
    const double r2 = x2 / 4;
    return {m * (3 * r2 + z2) / 12, m * (3 * r2 + z2) / 12, m * r2 / 2};
  }
  return {m * (y2 + z2) / 12, m * (x2 + z2) / 12, m * (x2 + y2) / 12};
}

namespace {

void check_body(const WorldParams& p, std::size_t i, Findings& out) {
  const BodySpec& b = p.bodies[i];
  const std::string at = "bodies[" + std::to_string(i) + "]";
  if (b.name.empty())
    out.push_back({at + ".name", "expected a name, got nothing", "name every body"});
  if (index_of(p.bodies, b.name) != static_cast<int>(i))
    out.push_back({at + ".name", "a second body named \"" + b.name + "\"",
                   "give each body a name of its own"});
  if (!(b.size_m.x > 0 && b.size_m.y > 0 && b.size_m.z > 0) || !is_finite(b.size_m))
    out.push_back(
        {at + ".size_m", "expected three lengths above 0", "write  size_m: [0.1, 0.1, 0.1]"});
  if (b.shape == BodyShape::kCylinder && b.size_m.x != b.size_m.y)
    out.push_back({at + ".size_m", "the first two of a cylinder are both its diameter",
                   "write diameter, diameter, height"});
  if (!is_finite(b.position_m) || !is_finite(b.rpy_deg))
    out.push_back({at + ".position_m", "expected finite numbers", "write three numbers"});
}

bool is_pad(const WorldParams& p, const std::string& name) {
  return std::any_of(p.pads.begin(), p.pads.end(),
                     [&name](const PadSpec& pad) { return pad.name == name; });
}

}  // namespace

Findings check_site(const WorldParams& p) {
  Findings out;
  if (!p.bodies.empty() && p.plant != PlantKind::kMujoco)
    out.push_back({"bodies", "only the MuJoCo plant knows bodies beside the vehicle",
                   "write  plant: mujoco"});
  if (p.bodies.size() > kMaxBodies)
    out.push_back({"bodies",
                   "expected at most " + std::to_string(kMaxBodies) + " bodies, got " +
                       std::to_string(p.bodies.size()),
                   "leave some out"});
  for (std::size_t i = 0; i < p.bodies.size(); ++i) check_body(p, i, out);
  for (std::size_t i = 0; i < p.targets.size(); ++i) {
    const std::string& on = p.targets[i].on;
    if (index_of(p.bodies, on) < 0 && !is_pad(p, on))
      out.push_back({"targets[" + std::to_string(i) + "].on",
                     "no body and no pad is named \"" + on + "\"",
                     "name one of bodies or of pads"});
  }
  return out;
}

}  // namespace pintle::world
