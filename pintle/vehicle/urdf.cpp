#include "pintle/vehicle/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pintle/config/file.h"
#include "pintle/config/reader.h"
#include "pintle/config/text.h"
#include "pintle/vehicle/xml.h"

namespace pintle::vehicle {
namespace {

namespace fs = std::filesystem;
using config::Problem;

constexpr std::size_t kMaxLinks = 1000;

class UrdfReader {
 public:
  explicit UrdfReader(const XmlElement& robot) : robot_(robot) {}

  UrdfModel read() {
    if (robot_.name != "robot") {
      error(robot_, fmt::format("expected <robot>, got <{}>", robot_.name), "name a URDF file");
    } else {
      if (const std::string* name = robot_.attribute("name")) out_.structure.name = *name;
      collect();
      build();
    }
    const auto bad = [&] {
      return std::any_of(problems_.begin(), problems_.end(),
                         [](const Problem& p) { return p.is_error; });
    };
    if (!bad())
      for (const Finding& f : check(out_.structure)) error(robot_, f.message, f.fix);
    if (bad()) throw config::ConfigError(std::move(problems_));
    out_.warnings = std::move(problems_);
    return std::move(out_);
  }

 private:
  void say(const XmlElement& at, bool is_error, std::string message, std::string fix) {
    if (problems_.size() < config::kMaxProblems)
      problems_.push_back({at.where, "", std::move(message), std::move(fix), is_error});
  }
  void error(const XmlElement& at, std::string message, std::string fix) {
    say(at, true, std::move(message), std::move(fix));
  }

  std::string text(const XmlElement& e, std::string_view key) {
    if (const std::string* v = e.attribute(key); v && !v->empty()) return *v;
    error(e, fmt::format("<{}>: {} is missing", e.name, key), fmt::format("write  {}=\"…\"", key));
    return {};
  }

  /// `n` numbers separated by blanks; `otherwise` when the attribute is not there.
  template <std::size_t N>
  std::array<double, N> numbers(const XmlElement& e, std::string_view key,
                                std::array<double, N> otherwise, bool required = false) {
    const std::string* v = e.attribute(key);
    if (!v) {
      if (required)
        error(e, fmt::format("<{}>: {} is missing", e.name, key),
              fmt::format("write  {}=\"…\"", key));
      return otherwise;
    }
    std::array<double, N> out{};
    std::size_t count = 0;
    for (std::size_t at = 0; at < v->size();) {
      at = v->find_first_not_of(" \t\r\n", at);
      if (at == std::string::npos) break;
      const std::size_t end = std::min(v->find_first_of(" \t\r\n", at), v->size());
      const auto x = config::parse_number(std::string_view(*v).substr(at, end - at));
      if (!x || !std::isfinite(*x)) count = N;  // one too many: refused below
      if (count < N) out[count] = *x;
      ++count;
      at = end;
    }
    if (count == N) return out;
    error(e,
          fmt::format("<{}>: {}: expected {} number{}, got {}", e.name, key, N, N > 1 ? "s" : "",
                      config::in_quotes(*v)),
          "write numbers with points, separated by blanks");
    return otherwise;
  }
  double number(const XmlElement& e, std::string_view key, double otherwise,
                bool required = false) {
    return numbers<1>(e, key, {otherwise}, required)[0];
  }
  Vec3 vec3(const XmlElement& e, std::string_view key, Vec3 otherwise, bool required = false) {
    const auto v = numbers<3>(e, key, {otherwise.x, otherwise.y, otherwise.z}, required);
    return {v[0], v[1], v[2]};
  }

  Pose origin(const XmlElement& e) {
    const XmlElement* o = e.child("origin");
    if (!o) return {};
    const Vec3 a = vec3(*o, "rpy", {});
    return {vec3(*o, "xyz", {}), from_rpy({a.x, a.y, a.z})};
  }

  void collect() {
    for (const XmlElement& e : robot_.children) {
      if (e.name == "link") {
        const std::string name = text(e, "name");
        if (!links_.emplace(name, &e).second)
          error(e, fmt::format("a second link named {}", name), "give each link a name of its own");
      } else if (e.name == "joint" && e.child("parent") && e.child("child")) {
        const std::string child = text(*e.child("child"), "link");
        if (!joint_of_.emplace(child, &e).second)
          error(e, fmt::format("link {} hangs on two joints", child),
                "a tree has one joint a link");
      } else if (e.name == "joint") {
        error(e, "<joint>: parent or child is missing",
              "write  <parent link=\"…\"/>  and  <child link=\"…\"/>");
      }
    }
    for (const auto& [child, joint] : joint_of_)
      for (const std::string& name : {child, text(*joint->child("parent"), "link")})
        if (!name.empty() && !links_.count(name))
          error(*joint, fmt::format("<joint>: there is no link named {}", name),
                "write the name of a link");
  }

  void build() {
    if (links_.size() > kMaxLinks)
      error(robot_, fmt::format("more than {} links", kMaxLinks), "describe one craft alone");
    if (!problems_.empty()) return;
    const XmlElement* root = nullptr;
    for (const XmlElement& e : robot_.children) {
      if (e.name != "link" || joint_of_.count(*e.attribute("name"))) continue;
      if (root)
        return error(e,
                     fmt::format("two links hang on nothing: {} and {}", *root->attribute("name"),
                                 *e.attribute("name")),
                     "join them");
      root = &e;
    }
    if (!root) return error(robot_, "no link that hangs on nothing", "the tree needs a root");
    index_of_.emplace(*root->attribute("name"), 0);
    out_.structure.links.push_back(link(*root));
    // joints in file order, until none ties a new link to the tree
    for (bool added = true; added;) {
      added = false;
      for (const XmlElement& e : robot_.children)
        if (e.name == "joint") added = hang(e) || added;
    }
    if (out_.structure.links.size() != links_.size())
      error(robot_, "some links hang on each other in a circle", "a tree has no circles");
  }

  bool hang(const XmlElement& e) {
    const std::string& child = *e.child("child")->attribute("link");
    const auto parent = index_of_.find(*e.child("parent")->attribute("link"));
    if (parent == index_of_.end() || index_of_.count(child) != 0) return false;
    Link out = link(*links_.at(child));
    out.parent = parent->second;
    index_of_.emplace(child, static_cast<int>(out_.structure.links.size()));
    out.X_PL = origin(e);
    out.joint = joint(e);
    out_.structure.links.push_back(std::move(out));
    return true;
  }

  Joint joint(const XmlElement& e) {
    Joint out;
    out.name = text(e, "name");
    const std::string type = text(e, "type");
    if (type == "fixed") return out;
    if (type != "revolute" && type != "continuous" && type != "prismatic") {
      error(e,
            fmt::format("joint {}: {} is neither fixed, revolute, continuous nor prismatic",
                        out.name, type),
            "use one of those");
      return out;
    }
    out.kind = type == "prismatic" ? JointKind::kSlide : JointKind::kHinge;
    out.axis = e.child("axis") ? vec3(*e.child("axis"), "xyz", {1, 0, 0}, true) : Vec3{1, 0, 0};
    const double length = norm(out.axis);
    if (!(length > 0)) {
      error(e, fmt::format("joint {}: an axis of length 0", out.name),
            "write  <axis xyz=\"0 0 1\"/>");
    } else {
      out.axis = out.axis / length;
    }
    if (const XmlElement* d = e.child("dynamics")) out.damping = number(*d, "damping", 0);
    if (type == "continuous") return out;
    const XmlElement* limit = e.child("limit");
    if (!limit) {
      error(e, fmt::format("joint {}: a {} joint needs a <limit>", out.name, type),
            "write  <limit lower=\"…\" upper=\"…\"/>, or make it continuous");
      return out;
    }
    out.limited = true;
    out.lower = number(*limit, "lower", 0), out.upper = number(*limit, "upper", 0);
    return out;
  }

  Link link(const XmlElement& e) {
    Link out;
    out.name = *e.attribute("name");
    if (const XmlElement* inertial = e.child("inertial")) out.mass = mass(*inertial);
    for (const XmlElement& c : e.children)
      if (c.name == "collision") add_shape(c, out);
    return out;
  }

  MassProperties mass(const XmlElement& e) {
    const XmlElement* m = e.child("mass");
    const XmlElement* i = e.child("inertia");
    if (!m || !i) {
      error(e, "<inertial>: mass or inertia is missing",
            "write  <mass value=\"…\"/>  and  <inertia ixx=\"…\" …/>");
      return {};
    }
    MassProperties own{number(*m, "value", 0, true), {}, {}};
    const double xx = number(*i, "ixx", 0, true), yy = number(*i, "iyy", 0, true);
    const double zz = number(*i, "izz", 0, true), xy = number(*i, "ixy", 0);
    const double xz = number(*i, "ixz", 0), yz = number(*i, "iyz", 0);
    own.inertia_kgm2 = {{xx, xy, xz, xy, yy, yz, xz, yz, zz}};
    if (!is_possible(own))
      error(e, "<inertial>: a mass or an inertia that no body has",
            "write a mass of at least 0 kg and moments about the centre of mass");
    return in_frame(origin(e), own);
  }

  void add_shape(const XmlElement& e, Link& out) {
    const XmlElement* g = e.child("geometry");
    if (!g || g->children.empty())
      return error(e, "<collision>: a geometry is missing",
                   "write  <geometry><box size=\"…\"/></geometry>");
    const XmlElement& s = g->children[0];
    Shape shape{ShapeKind::kSphere, {}, origin(e)};
    if (s.name == "box") {
      shape.kind = ShapeKind::kBox;
      shape.size = 0.5 * vec3(s, "size", {1, 1, 1}, true);
    } else if (s.name == "sphere") {
      shape.size.x = number(s, "radius", 1, true);
    } else if (s.name == "cylinder") {
      shape.kind = ShapeKind::kCylinder;
      shape.size = {number(s, "radius", 1, true), 0.5 * number(s, "length", 1, true), 0};
    } else {
      return say(e, false, fmt::format("a {} of link {} touches nothing", s.name, out.name),
                 "add a box, a sphere or a cylinder");
    }
    out.shapes.push_back(shape);
  }

  const XmlElement& robot_;
  std::map<std::string, const XmlElement*> links_;
  std::map<std::string, const XmlElement*> joint_of_;  ///< By child.
  std::map<std::string, int> index_of_;                ///< Of the links in the tree so far.
  std::vector<Problem> problems_;
  UrdfModel out_;
};

}  // namespace

UrdfModel parse_urdf(std::string_view text, const fs::path& file) {
  return UrdfReader(parse_xml(text, file.string())).read();
}

UrdfModel load_urdf(const fs::path& file) { return parse_urdf(config::read_file(file), file); }

}  // namespace pintle::vehicle
