#include "pintle/vehicle/jet_craft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace pintle::vehicle {
namespace {

using config::Location;
using config::Problem;

constexpr double kGravity = 9.80665;
constexpr std::string_view kPlaceholder = "to_be_replaced";

/// Twelve digits: more than any drawing knows, and few enough that rounding does not show.
std::string number(double x, double size = 1) {
  return fmt::format("{:.12g}", std::fabs(x) <= 1e-12 * size ? 0.0 : x);
}
std::string list(Vec3 v) {
  const double size = std::max(norm(v), 1e-3);
  return fmt::format("[{}, {}, {}]", number(v.x, size), number(v.y, size), number(v.z, size));
}

/// A name as YAML takes it for text, between other keys too; no name has control characters.
std::string name_of(std::string_view text) {
  static const std::set<std::string> words{"y",  "n",   "yes",  "no",   "true",
                                           "on", "off", "null", "false"};
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
           c == '/';
  };
  const bool begins = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 ||
                                        text[0] == '_' || text[0] == '/');
  if (begins && !words.contains(lower) && std::all_of(text.begin(), text.end(), plain))
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7F)
      out += '_';
    else
      out += c;
  }
  return out + '"';
}

/// In a comment nothing may end the line.
std::string in_comment(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return out;
}

std::string place(const Location& where) {
  return fmt::format("{}:{}", in_comment(std::filesystem::path(where.file).filename().string()),
                     where.line);
}

class Importer {
 public:
  Importer(const JetCraftSource& source, std::string_view law)
      : in_(source),
        law_(law),
        file_(source.model_file.empty() && source.jets ? source.jets->file : source.model_file) {}

  ImportedVehicle make() {
    name_and_body();
    jets();
    ports();
    check_all();
    if (std::any_of(out_.warnings.begin(), out_.warnings.end(),
                    [](const Problem& p) { return p.is_error; }))
      throw config::ConfigError(std::move(out_.warnings));
    out_.text = text();
    return std::move(out_);
  }

 private:
  void say(bool is_error, std::string message, std::string fix) {
    out_.warnings.push_back(
        {{file_.string(), 0, 0}, "", std::move(message), std::move(fix), is_error});
  }

  void name_and_body() {
    VehicleSpec& spec = out_.spec;
    if (in_.structure != nullptr) spec.name = in_.structure->name;
    if (spec.name.empty() && in_.jets != nullptr) spec.name = in_.jets->robot_name;
    if (spec.name.empty()) spec.name = file_.stem().string();
    if (in_.structure == nullptr) {
      say(false,
          "an .ini alone knows no links: mass, inertia and the places of the jets are made up",
          "fill in body, and position_m and rpy_deg of each jet; or import the model, with --jets");
      return;
    }
    const MassProperties whole = mass_of(*in_.structure);
    const Mat3& I = whole.inertia_kgm2;
    spec.body.mass_kg = whole.mass_kg;
    spec.body.center_of_mass_m = whole.center_of_mass_m;
    spec.body.inertia_kgm2 = {I(0, 0), I(1, 1), I(2, 2)};
    spec.body.inertia_products_kgm2 = {I(0, 1), I(0, 2), I(1, 2)};
    spec.body.feet_m = standing_points(*in_.structure);
    if (spec.body.feet_m.empty())
      say(false, "no boxes, spheres or cylinders to stand on: it falls through the ground",
          "write  feet_m:  under body, the points that touch the ground");
    std::string moving;
    for (const Link& link : in_.structure->links)
      if (link.joint.kind != JointKind::kFixed)
        moving += (moving.empty() ? "" : ", ") + link.joint.name;
    if (!moving.empty())
      say(false,
          fmt::format("the craft becomes one rigid body: these joints stay at 0: {}", moving),
          "fly it with them held there, or write the body of another posture");
  }

  /// Two jets may sit on one link; a vehicle tells them apart.
  std::string unique(const std::string& name) {
    std::string out = name;
    for (int i = 2; !names_.insert(out).second; ++i) out = fmt::format("{}_{}", name, i);
    return out;
  }

  void jets() {
    if (in_.jets == nullptr) {
      PropulsorSpec none;
      none.name = kPlaceholder;
      none.type = "jet";
      out_.spec.propulsors.push_back(none);
      say(false, "no jets: the vehicle cannot move",
          fmt::format("name their .ini with --jets, or write propulsors in place of {}",
                      kPlaceholder));
      return;
    }
    std::vector<Pose> poses;
    std::vector<MountedJet> mounts;
    if (in_.structure != nullptr) {
      poses = poses_in_body(*in_.structure);
      mounts = mount_jets(*in_.jets, *in_.structure);
    }
    for (std::size_t i = 0; i < in_.jets->jets.size(); ++i) {
      const JetsIniJet& jet = in_.jets->jets[i];
      PropulsorSpec& p = out_.spec.propulsors.emplace_back();
      p.name = unique(jet.link);
      p.type = "jet";
      if (in_.structure != nullptr) {
        const Pose& X_BL = poses[mounts[i].link];
        const RollPitchYaw rpy = to_rpy(to_matrix(X_BL.q));
        p.position_m = X_BL.p;
        p.rpy_deg = whole_turns({degrees(rpy.roll), degrees(rpy.pitch), degrees(rpy.yaw)});
        links_.push_back(in_.structure->links[mounts[i].link].name);
      } else {
        p.rpy_deg = Vec3{};
        links_.push_back(jet.link);
      }
      p.jet.model = in_.model;
      p.jet.max_thrust_N = jet.max_thrust_N;
      p.jet.jet_axis = jet.axis;
      p.jet.inverse_time_constant_per_s = in_.jets->inverse_time_constant_1_s;
      if (jet.coefficients) p.jet.jet_coefficients = *jet.coefficients;
    }
  }

  /// What chains of rounded numbers have moved off a quarter turn, back onto it (17 nm at a metre):
  /// turns by quarters are exact.
  static Vec3 whole_turns(Vec3 rpy_deg) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double nearest = 90 * std::round(rpy_deg[k] / 90);
      if (std::fabs(rpy_deg[k] - nearest) < 1e-6) rpy_deg[k] = nearest;
    }
    return rpy_deg;
  }

  void ports() {
    if (in_.jets != nullptr)
      out_.spec.yarp = YarpPorts{in_.jets->robot_name, in_.jets->input_port, in_.jets->thrust_port,
                                 in_.jets->d_thrust_port, 1};
  }

  void check_all() {
    for (const Finding& f : check(out_.spec)) say(f.is_error, f.path + ": " + f.message, f.fix);
    if (in_.jets == nullptr || in_.structure == nullptr) return;
    double lift = 0;
    for (const PropulsorSpec& p : out_.spec.propulsors)
      lift += std::max(0.0, (mount_of(p).R_BP * p.jet.jet_axis).z) * p.jet.max_thrust_N;
    const double weight = kGravity * out_.spec.body.mass_kg;
    if (lift <= weight)
      say(false,
          fmt::format("its jets lift at most {:.4g} N of its {:.4g} N: it cannot hover", lift,
                      weight),
          "check masses, axes and the pose of the root link: the vehicle's z axis points up");
  }

  // ---------------------------------------------------------------------------------------------
  // as text

  [[nodiscard]] std::string model_name() const { return in_comment(file_.filename().string()); }
  [[nodiscard]] std::string ini_name() const {
    return in_comment(in_.jets->file.filename().string());
  }

  [[nodiscard]] std::string body_text() const {
    const Body& b = out_.spec.body;
    std::string out = in_.structure != nullptr
                          ? fmt::format(
                                "# {}: its {} links as one rigid body with all joints at 0,\n"
                                "# in the frame of {}\n",
                                model_name(), in_.structure->links.size(),
                                in_comment(in_.structure->links[0].name))
                          : "# made up: weigh the craft and measure where its mass sits\n";
    return out +
           fmt::format(
               "body:\n  mass_kg: {}\n  inertia_kgm2: {}\n"
               "  inertia_products_kgm2: {}\n  center_of_mass_m: {}\n",
               number(b.mass_kg), list(b.inertia_kgm2), list(b.inertia_products_kgm2),
               list(b.center_of_mass_m)) +
           feet_text();
  }
  [[nodiscard]] std::string feet_text() const {
    std::string out;
    for (const Vec3& p : out_.spec.body.feet_m)
      out += (out.empty() ? "  feet_m: [" : ", ") + list(p);
    return out.empty() ? out : out + "]  # where its shapes stand\n";
  }

  [[nodiscard]] std::string jet_text(std::size_t i) const {
    const PropulsorSpec& p = out_.spec.propulsors[i];
    const JetsIniJet& jet = in_.jets->jets[i];
    std::string out = fmt::format("  # {}: {}; link {}{}\n", place(jet.link_at),
                                  in_comment(jet.link), in_comment(links_[i]),
                                  in_.structure == nullptr ? ", place and turn made up" : "");
    out += fmt::format(
        "  - {{name: {}, type: jet, model: {}, position_m: {}, rpy_deg: {},\n"
        "     jet_axis: {}, max_thrust_N: {}",
        name_of(p.name), to_string(p.jet.model), list(p.position_m),
        list(p.rpy_deg.value_or(Vec3{})), list(p.jet.jet_axis), number(p.jet.max_thrust_N));
    if (p.jet.inverse_time_constant_per_s != 0)
      out += ", inverse_time_constant_per_s: " + number(p.jet.inverse_time_constant_per_s);
    if (jet.coefficients) {
      out += ",\n     jet_coefficients: [";
      for (std::size_t k = 0; k < p.jet.jet_coefficients.size(); ++k)
        out += (k == 0 ? "" : ", ") + number(p.jet.jet_coefficients[k]);
      out += "]";
    }
    return out + "}\n";
  }

  [[nodiscard]] std::string propulsors_text() const {
    if (in_.jets == nullptr)
      return fmt::format(
          "# there were none: this one gives nothing\npropulsors:\n"
          "  - {{name: {}, type: jet, position_m: [0, 0, 0], max_thrust_N: 0}}\n",
          kPlaceholder);
    std::string out = fmt::format(
        "# {}: thrusts and axes as written, each at the origin of its link's frame and turned with "
        "it\npropulsors:\n",
        ini_name());
    for (std::size_t i = 0; i < in_.jets->jets.size(); ++i) out += jet_text(i);
    out += fmt::format("\n# {}: for a bridge to YARP\nyarp:\n", ini_name());
    const YarpPorts& y = *out_.spec.yarp;
    for (const auto& [key, value] :
         {std::pair{"robot", &y.robot}, std::pair{"input-port-name", &y.input_port},
          std::pair{"thrust-port-name", &y.thrust_port},
          std::pair{"d_thrust-port-name", &y.d_thrust_port}})
      if (!value->empty()) out += fmt::format("  {}: {}\n", key, name_of(*value));
    return out;
  }

  /// How stiff each rate loop may be, 1/s: see the header.
  [[nodiscard]] Vec3 rate_gains() const {
    Vec3 jerk{};
    const Body& b = out_.spec.body;
    for (const PropulsorSpec& p : out_.spec.propulsors) {
      const Mount mount = mount_of(p);
      const Vec3 f = mount.R_BP * p.jet.jet_axis;
      const Vec3 t = cross(mount.position_m - b.center_of_mass_m, f);
      for (std::size_t k = 0; k < 3; ++k)
        jerk[k] += std::fabs(t[k]) * p.jet.max_rate_N_s / b.inertia_kgm2[k];
    }
    Vec3 gain;
    for (std::size_t k = 0; k < 3; ++k)
      gain[k] = rounded(std::clamp(std::sqrt(jerk[k] / 1.5), 0.5, 6.0));
    return gain;
  }
  /// Downwards: no loop outruns the one inside it.
  static double rounded(double x) { return std::floor(100 * x) / 100; }

  [[nodiscard]] std::string law_text() const {
    const std::string blind =
        "# assumed: an inertial sensor, which lets it down softly when its state is lost\n"
        "imu: {rate_Hz: 200}\n"
        "safety: {on_state_lost: descend, descend_m_s: 0.7, latch_after_s: 20}\n"
        "# tipped over, or lying after a crash: off; without that sensor: not armed, or down\n"
        "failsafes:\n"
        "  tilt: {limit_deg: 60, after_s: 0.3, action: off}\n"
        "  crash: {limit_m_s: 2, after_s: 1, action: off}\n"
        "  imu_silent: {limit_s: 0.3, after_s: 0.3, action: abort}\n";
    if (in_.jets == nullptr || in_.structure == nullptr) return "law: " + law_ + "\n" + blind;
    const Vec3 rate = rate_gains();
    const double side = rounded(std::min(rate.x, rate.y) / 6), up = rounded(1.5 * side);
    return fmt::format(
               "# made up, for thrust that changes by 100 N/s: tune from the last line to the "
               "first\n"
               "control_rate_Hz: 100\nlaw: {8}\n{8}:\n"
               "  position_gain: [{0}, {0}, {1}]\n  velocity_gain: [{2}, {2}, {3}]\n"
               "  velocity_integral: [{4}, {4}, {5}]\n"
               "  max_speed_m_s: 1.5\n  max_climb_m_s: 1\n  max_descent_m_s: 0.7\n"
               "  max_acceleration_m_s2: 1.5\n  max_tilt_rad: 0.25\n  max_rate_rad_s: [1, 1, 0.5]\n"
               "  attitude_gain: {6}\n  rate_gain: {7}\n",
               number(rounded(side / 2)), number(rounded(up / 2)), number(side), number(up),
               number(rounded(side / 5)), number(rounded(up / 5)),
               list({rounded(rate.x / 2), rounded(rate.y / 2), rounded(rate.z / 3)}), list(rate),
               law_) +
           blind;
  }

  [[nodiscard]] std::string text() const {
    std::string from = model_name();
    if (in_.structure != nullptr && in_.jets != nullptr) from += " and " + ini_name();
    return fmt::format(
        "# Written by  pintle import  from {}.\n"
        "format: pintle/vehicle/1\nname: {}\n\n{}\n{}\n"
        "{}",
        from, name_of(out_.spec.name), body_text(), propulsors_text(), law_text());
  }

  const JetCraftSource& in_;
  std::string law_;
  std::filesystem::path file_;
  ImportedVehicle out_;
  std::set<std::string> names_;
  std::vector<std::string> links_;  ///< Of the jets, whole names.
};

}  // namespace

ImportedVehicle import_jet_craft(const JetCraftSource& source, std::string_view law) {
  return Importer(source, law).make();
}

}  // namespace pintle::vehicle
