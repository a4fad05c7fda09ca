#include "pintle/mujoco/mjcf.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "pintle/config/bounded.h"
#include "pintle/config/file.h"
#include "pintle/mujoco/xml_lock.h"

namespace pintle::mujoco {
namespace {

namespace fs = std::filesystem;
using config::Problem;
using vehicle::JointKind;
using vehicle::Link;
using vehicle::Structure;

Vec3 vec3_at(const mjtNum* p) { return {p[0], p[1], p[2]}; }
Quat quat_at(const mjtNum* p) { return {p[1], p[2], p[3], p[0]}; }

class MjcfReader {
 public:
  MjcfReader(const mjModel& model, const fs::path& file) : m_(model), file_(file) {}

  MjcfModel read() {
    const auto crafts = std::count(m_.body_parentid + 1, m_.body_parentid + m_.nbody, 0);
    if (m_.nbody < 2 || crafts != 1) {
      error(fmt::format("expected one body under the world, got {}", m_.nbody < 2 ? 0 : crafts),
            "keep one craft in the file");
    } else {
      out_.structure.name = m_.names;  // the model's own name comes first
      link_of_.assign(static_cast<std::size_t>(m_.nbody), -1);
      for (int b = 1; b < m_.nbody; ++b) add_body(b);
    }
    const auto bad = [&] {
      return std::any_of(problems_.begin(), problems_.end(),
                         [](const Problem& p) { return p.is_error; });
    };
    if (!bad())
      for (const Finding& f : check(out_.structure)) error(f.message, f.fix);
    if (bad()) throw config::ConfigError(std::move(problems_));
    out_.warnings = std::move(problems_);
    return std::move(out_);
  }

 private:
  void say(bool is_error, std::string message, std::string fix) {
    problems_.push_back({{file_.string(), 0, 0}, "", std::move(message), std::move(fix), is_error});
  }
  void error(std::string message, std::string fix) {
    say(true, std::move(message), std::move(fix));
  }

  std::string name_of(mjtObj kind, int id, const char* otherwise) const {
    const char* name = mj_id2name(&m_, kind, id);
    return name && *name ? name : fmt::format("{}_{}", otherwise, id);
  }

  void add_body(int b) {
    auto& links = out_.structure.links;
    Link link;
    link.name = name_of(mjOBJ_BODY, b, "body");
    link.mass =
        vehicle::in_frame({vec3_at(m_.body_ipos + 3 * b), quat_at(m_.body_iquat + 4 * b)},
                          {m_.body_mass[b], {}, Mat3::diagonal(vec3_at(m_.body_inertia + 3 * b))});
    for (int g = m_.body_geomadr[b]; g >= 0 && g < m_.body_geomadr[b] + m_.body_geomnum[b]; ++g)
      add_shape(g, link);
    if (m_.body_parentid[b] != 0) {
      link.parent = link_of_[static_cast<std::size_t>(m_.body_parentid[b])];
      link.X_PL = {vec3_at(m_.body_pos + 3 * b), quat_at(m_.body_quat + 4 * b)};
      for (int k = 0; k < m_.body_jntnum[b]; ++k)
        add_joint(m_.body_jntadr[b] + k, k + 1 == m_.body_jntnum[b], link);
    } else if (m_.body_jntnum[b] > 0 && m_.jnt_type[m_.body_jntadr[b]] != mjJNT_FREE) {
      error("the body under the world is held by a joint: it cannot fly", "give it a <freejoint/>");
    }
    links.push_back(std::move(link));
    link_of_[static_cast<std::size_t>(b)] = static_cast<int>(links.size()) - 1;
  }

  void add_joint(int j, bool last, Link& link) {
    vehicle::Joint joint;
    joint.name = name_of(mjOBJ_JOINT, j, "joint");
    const int type = m_.jnt_type[j];
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE)
      return error(fmt::format("joint {} is neither hinge nor slide", joint.name), "use hinges");
    joint.kind = type == mjJNT_HINGE ? JointKind::kHinge : JointKind::kSlide;
    joint.axis = vec3_at(m_.jnt_axis + 3 * j);
    joint.limited = m_.jnt_limited[j] != 0;
    if (joint.limited) joint.lower = m_.jnt_range[2 * j], joint.upper = m_.jnt_range[2 * j + 1];
    joint.damping = m_.dof_damping[m_.jnt_dofadr[j]];
    joint.stiffness = m_.jnt_stiffness[j];

    const Vec3 anchor = type == mjJNT_HINGE ? vec3_at(m_.jnt_pos + 3 * j) : Vec3{};
    if (last && anchor == Vec3{}) {
      link.joint = joint;
      return;
    }
    Link between;
    between.name = link.name + "/" + joint.name;
    between.parent = link.parent;
    between.X_PL = link.X_PL * Pose{anchor, {}};
    between.joint = joint;
    out_.structure.links.push_back(between);
    link.parent = static_cast<int>(out_.structure.links.size()) - 1;
    link.X_PL = {-anchor, {}};
  }

  void add_shape(int g, Link& link) {
    // what can touch nothing is for the eye
    if (m_.geom_contype[g] == 0 && m_.geom_conaffinity[g] == 0) return;
    const Vec3 s = vec3_at(m_.geom_size + 3 * g);
    const Pose X{vec3_at(m_.geom_pos + 3 * g), quat_at(m_.geom_quat + 4 * g)};
    switch (m_.geom_type[g]) {
      case mjGEOM_SPHERE:
        link.shapes.push_back({vehicle::ShapeKind::kSphere, {s.x, 0, 0}, X});
        break;
      case mjGEOM_BOX: link.shapes.push_back({vehicle::ShapeKind::kBox, s, X}); break;
      case mjGEOM_CYLINDER:
        link.shapes.push_back({vehicle::ShapeKind::kCylinder, {s.x, s.y, 0}, X});
        break;
      default:
        say(false,
            fmt::format("{} of {} is no box, sphere or cylinder: it touches nothing",
                        name_of(mjOBJ_GEOM, g, "geom"), link.name),
            "add a simple shape");
    }
  }

  const mjModel& m_;
  const fs::path& file_;
  std::vector<int> link_of_;  ///< By body.
  std::vector<Problem> problems_;
  MjcfModel out_;
};

}  // namespace

MjcfModel load_mjcf(const fs::path& file) {
  (void)config::read_file(file);
  std::array<char, 1000> error{};
  std::unique_ptr<mjModel, void (*)(mjModel*)> model(nullptr,
                                                     [](mjModel* m) { mj_deleteModel(m); });
  {
    const auto lock = one_reader_at_a_time();
    const auto load = [&] {
      model.reset(
          mj_loadXML(file.string().c_str(), nullptr, error.data(), static_cast<int>(error.size())));
    };
    const std::string why = config::try_out(load);
    if (!why.empty())
      throw config::ConfigError(Problem{{file.string(), 0, 0},
                                        "",
                                        "the model " + why,
                                        "leave out large meshes, height fields and composites: a "
                                        "craft needs bodies, joints and simple shapes",
                                        true});
    load();
  }
  if (!model)
    throw config::ConfigError(Problem{{file.string(), 0, 0},
                                      "",
                                      std::string("MuJoCo says: ") + error.data(),
                                      "mend the model",
                                      true});
  return MjcfReader(*model, file).read();
}

}  // namespace pintle::mujoco
