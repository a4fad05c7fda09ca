#include <cstdio>

#include "pintle/estimation/failure_detector.h"

namespace pintle {

using namespace estimation;

template <>
const EnumTable& enum_table<OnDetection>() {
  static constexpr std::array values{
      enum_value(OnDetection::kReport, "report",
                 "An event; a failsafe that aborts or lands goes by it."),
      enum_value(OnDetection::kDrop, "drop",
                 "An event, and the propulsor counts as what it was found to be.")};
  static constexpr EnumTable table{"OnDetection", values};
  return table;
}

template <>
const Table& table_of<ModelErrorParams>() {
  using P = ModelErrorParams;
  static const Table table =
      TableBuilder<P>("ModelErrorParams", "How well the vehicle is known: standard deviations.")
          .field("velocity_std_m_s", &P::velocity_std_m_s, "m/s",
                 "Noise of a measured velocity, per axis.")
          .range(1e-6, 10)
          .field("rate_std_deg_s", &P::rate_std_deg_s, "deg/s",
                 "Noise of a measured turn rate, per axis.")
          .range(1e-6, 1000)
          .field("thrust_std", &P::thrust_std, "", "Of each propulsor's thrust, as a share of it.")
          .range(0, 1)
          .field("drag_std", &P::drag_std, "", "Of the drag, as a share of it.")
          .range(0, 1)
          .field("mass_std", &P::mass_std, "", "Of the mass and the trim, as a share of the mass.")
          .range(0, 1)
          .field("current_std_m_s", &P::current_std_m_s, "m/s", "How fast the water may move.")
          .range(0, 10)
          .field("center_of_mass_std_m", &P::center_of_mass_std_m, "m",
                 "Of the centre of mass, per axis.")
          .range(0, 1)
          .field("added_mass_std", &P::added_mass_std, "", "Of the added mass, as a share of it.")
          .range(0, 1)
          .field("lag_std_s", &P::lag_std_s, "s", "Of the propulsors' lag.")
          .range(0, 10)
          .field("mount_angle_std_deg", &P::mount_angle_std_deg, "deg", "Of a mount's direction.")
          .range(0, 45)
          .field("mount_position_std_m", &P::mount_position_std_m, "m",
                 "Of a mount's position, per axis.")
          .range(0, 1)
          .field("acceleration_floor_m_s2", &P::acceleration_floor_m_s2, "m/s^2",
                 "What nothing of this explains.")
          .range(1e-6, 100)
          .field("angular_acceleration_floor_rad_s2", &P::angular_acceleration_floor_rad_s2,
                 "rad/s^2", "What nothing of this explains.")
          .range(1e-6, 100)
          .field("force_walk_m_s2", &P::force_walk_m_s2, "m/s^2",
                 "How far a horizontal force wanders in a second, over the mass.")
          .range(0, 100)
          .field(
              "vertical_walk_m_s2", &P::vertical_walk_m_s2, "m/s^2",
              "How far the vertical force wanders in a second of climbing at 1 m/s: trapped air.")
          .range(0, 100)
          .field("torque_walk_rad_s2", &P::torque_walk_rad_s2, "rad/s^2",
                 "How far a torque wanders in a second, over the inertia.")
          .range(0, 100)
          .field("thrust_walk", &P::thrust_walk, "",
                 "How far a share of thrust wanders in a second.")
          .range(0, 1)
          .field("current_walk_m_s", &P::current_walk_m_s, "m/s",
                 "How far the current wanders in a second.")
          .range(0, 10)
          .build();
  return table;
}

template <>
const Table& table_of<DetectorParams>() {
  using P = DetectorParams;
  static const Table table =
      TableBuilder<P>("DetectorParams", "Finds propulsors that fail without a word.")
          .field("enable", &P::enable, "", "Look for them.")
          .field("on_detection", &P::on_detection, "", "What is done about one that is found.")
          .field("threshold", &P::threshold, "",
                 "Likelihood ratio, against a healthy one that is off by 20 %, that convicts: the "
                 "square of "
                 "a number of standard deviations.")
          .range(9, 1e6)
          .field("margin", &P::margin, "", "By how much it must exceed that of the next suspect.")
          .range(0, 1e6)
          .field("explained", &P::explained, "",
                 "Share of what is unexplained that the suspect must explain.")
          .range(0, 1)
          .field("least_loss", &P::least_loss, "", "Share of thrust that must be missing.")
          .range(0.05, 1)
          .field("least_effort", &P::least_effort, "",
                 "Missing thrust that matters, as a share of the propulsor's largest.")
          .range(0, 1)
          .field("confirm_s", &P::confirm_s, "s", "All of this must hold for so long.")
          .range(0, 10)
          .field("settle_s", &P::settle_s, "s", "No verdict so soon after arming.")
          .range(0, 600)
          .field("window_s", &P::window_s, "s",
                 "Time constant of each of the two low-passes that measurements go through.")
          .range(0.01, 10)
          .field("known_to", &P::known_to, "", "How well the vehicle is known.")
          .field("excitation", &P::excitation, "", "What is sent besides, so that a failure shows.")
          .field("reports", &P::reports, "", "Of propulsors that say how they are.")
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::estimation {
namespace {

/// The ranges of the tables, for parameters that no file has been through.
void check_ranges(const Table& table, const void* object, const std::string& at, Findings& out) {
  for (const Field& f : table.fields) {
    const std::string path = at + std::string(f.name);
    if (f.kind == Kind::kStruct) {
      check_ranges(*f.table, f.in(object), path + ".", out);
    } else if (f.kind == Kind::kFloat64) {
      const double x = number_of(f, f.in(object));
      if (x >= f.minimum && x <= f.maximum) continue;
      std::array<char, 96> text{};
      std::snprintf(text.data(), text.size(), "expected %.6g to %.6g, found %.6g", f.minimum,
                    f.maximum, x);
      out.push_back({path, text.data(), "write a number in that range", true});
    }
  }
}

}  // namespace

Findings check(const DetectorParams& p) {
  Findings out;
  check_ranges(table_of<DetectorParams>(), &p, "", out);
  if (p.on_detection != OnDetection::kReport && p.on_detection != OnDetection::kDrop)
    out.push_back({"on_detection", "expected report or drop", "write  report", true});
  if (p.excitation.when != ExciteWhen::kSuspicious && p.excitation.when != ExciteWhen::kAlways)
    out.push_back({"excitation.when", "expected suspicious or always", "write  suspicious", true});
  return out;
}

}  // namespace pintle::estimation
