#include "pintle/sdformat/sdf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sdf/sdf.hh>
#include <utility>

#include "pintle/config/bounded.h"
#include "pintle/config/file.h"

namespace pintle::sdformat {
namespace {

namespace fs = std::filesystem;
using config::Location;
using config::Problem;
using vehicle::JointKind;
using vehicle::Link;
using vehicle::MassProperties;
using vehicle::Structure;

Pose pose_of(const ignition::math::Pose3d& X) {
  return {{X.Pos().X(), X.Pos().Y(), X.Pos().Z()},
          normalized(Quat{X.Rot().X(), X.Rot().Y(), X.Rot().Z(), X.Rot().W()})};
}

Location where(const fs::path& file, const ::sdf::ElementPtr& element) {
  return {file.string(), element && element->LineNumber() ? *element->LineNumber() : 0, 0};
}

void take(const ::sdf::Errors& errors, const fs::path& file, std::vector<Problem>& out) {
  std::error_code ignored;
  const std::string whole = fs::absolute(file, ignored).string();
  for (const ::sdf::Error& e : errors) {
    // it can be read, as was tried before: what it holds is not what its reader takes
    const bool no_xml = e.Code() == ::sdf::ErrorCode::FILE_READ;
    out.push_back({{e.FilePath().value_or(whole) == whole ? file.string() : *e.FilePath(),
                    e.LineNumber().value_or(0), 0},
                   "",
                   no_xml ? "expected XML, an <sdf> element that is closed" : e.Message(),
                   no_xml ? "write  <sdf version=\"1.7\"> … </sdf>;  xmllint says where it breaks"
                          : "see the format at sdformat.org",
                   true});
  }
}

/// Links and joints of one model as a tree from its canonical link.
class TreeReader {
 public:
  TreeReader(const ::sdf::Model& model, const fs::path& file, std::vector<Problem>& problems)
      : model_(model), file_(file), problems_(problems) {}

  Structure read() {
    Structure out;
    out.name = model_.Name();
    if (model_.ModelCount() > 0)
      error(model_.Element(), fmt::format("model {} holds other models", model_.Name()),
            "merge their links into one model");
    const auto [root, name] = model_.CanonicalLinkAndRelativeName();
    if (!root) {
      error(model_.Element(), fmt::format("model {} has no link", model_.Name()), "give it a link");
      return out;
    }
    out.links.push_back(link(*root));
    places_.push_back(pose(*root));
    while (add_children(out)) {
    }
    for (std::uint64_t i = 0; i < model_.LinkCount(); ++i)
      if (index_of(out, model_.LinkByIndex(i)->Name()) < 0)
        error(model_.LinkByIndex(i)->Element(),
              fmt::format("link {} hangs on nothing", model_.LinkByIndex(i)->Name()),
              fmt::format("join it to {} with a joint", out.links[0].name));
    return out;
  }

 private:
  void error(const ::sdf::ElementPtr& at, std::string message, std::string fix) {
    problems_.push_back({where(file_, at), "", std::move(message), std::move(fix), true});
  }
  void warning(const ::sdf::ElementPtr& at, std::string message, std::string fix) {
    problems_.push_back({where(file_, at), "", std::move(message), std::move(fix), false});
  }

  static int index_of(const Structure& s, const std::string& name) {
    for (std::size_t i = 0; i < s.links.size(); ++i)
      if (s.links[i].name == name) return static_cast<int>(i);
    return -1;
  }

  /// In the model's frame.
  Pose pose(const ::sdf::Link& link) {
    ignition::math::Pose3d X;
    take(link.SemanticPose().Resolve(X, "__model__"), file_, problems_);
    return pose_of(X);
  }

  Link link(const ::sdf::Link& in) {
    Link out;
    out.name = in.Name();
    const auto& m = in.Inertial().MassMatrix();
    MassProperties at_own{m.Mass(), {}, {}};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) at_own.inertia_kgm2(r, c) = m.Moi()(r, c);
    out.mass = in_frame(pose_of(in.Inertial().Pose()), at_own);
    if (!in.Element()->HasElement("inertial"))
      warning(in.Element(), fmt::format("link {} has no inertial: SDF gives it 1 kg", in.Name()),
              "write its mass and inertia");
    for (std::uint64_t k = 0; k < in.CollisionCount(); ++k) add_shape(*in.CollisionByIndex(k), out);
    return out;
  }

  void add_shape(const ::sdf::Collision& in, Link& out) {
    ignition::math::Pose3d X;
    take(in.SemanticPose().Resolve(X, out.name), file_, problems_);
    const ::sdf::Geometry& g = *in.Geom();
    if (const auto* box = g.BoxShape())
      out.shapes.push_back({vehicle::ShapeKind::kBox,
                            {box->Size().X() / 2, box->Size().Y() / 2, box->Size().Z() / 2},
                            pose_of(X)});
    else if (const auto* sphere = g.SphereShape())
      out.shapes.push_back({vehicle::ShapeKind::kSphere, {sphere->Radius(), 0, 0}, pose_of(X)});
    else if (const auto* cylinder = g.CylinderShape())
      out.shapes.push_back({vehicle::ShapeKind::kCylinder,
                            {cylinder->Radius(), cylinder->Length() / 2, 0},
                            pose_of(X)});
    else
      warning(in.Element(),
              fmt::format("{} of link {} is no box, sphere or cylinder: it touches nothing",
                          in.Name(), out.name),
              "add a simple shape");
  }

  /// Hangs every link that a joint ties to one in the tree; false when there was none.
  bool add_children(Structure& s) {
    bool added = false;
    for (std::uint64_t i = 0; i < model_.JointCount(); ++i) {
      const ::sdf::Joint& joint = *model_.JointByIndex(i);
      std::string parent, child;
      if (!joint.ResolveParentLink(parent).empty() || !joint.ResolveChildLink(child).empty())
        continue;  // told when the file was loaded
      bool turned = false;
      int p = index_of(s, parent), c = index_of(s, child);
      if (p < 0 && c >= 0 && parent != "world") {
        std::swap(parent, child), std::swap(p, c);
        turned = true;
      }
      if (p < 0 || c >= 0) continue;
      const ::sdf::Link* in = model_.LinkByName(child);
      if (!in) continue;
      hang(s, joint, *in, p, turned);
      added = true;
    }
    return added;
  }

  void hang(Structure& s, const ::sdf::Joint& joint, const ::sdf::Link& in, int parent,
            bool turned) {
    Link out = link(in);
    const Pose X_ML = pose(in);
    const Pose X_PL = inverse(places_[static_cast<std::size_t>(parent)]) * X_ML;
    out.joint = read_joint(joint, in.Name());
    if (turned && out.joint.kind != JointKind::kFixed)
      error(joint.Element(),
            fmt::format("joint {} has the link nearer to the body as its child", joint.Name()),
            "swap its parent and child");

    ignition::math::Pose3d X_LJ;
    take(joint.SemanticPose().Resolve(X_LJ, in.Name()), file_, problems_);
    const Vec3 anchor = pose_of(X_LJ).p;
    if (out.joint.kind == JointKind::kHinge && !(norm(anchor) <= 1e-12)) {
      Link between;
      between.name = in.Name() + "/anchor";
      between.parent = parent;
      between.X_PL = X_PL * Pose{anchor, {}};
      between.joint = std::exchange(out.joint, {});
      s.links.push_back(between);
      places_.push_back(X_ML * Pose{anchor, {}});
      out.parent = static_cast<int>(s.links.size()) - 1;
      out.X_PL = {-anchor, {}};
    } else {
      out.parent = parent;
      out.X_PL = X_PL;
    }
    s.links.push_back(std::move(out));
    places_.push_back(X_ML);
  }

  vehicle::Joint read_joint(const ::sdf::Joint& in, const std::string& child) {
    vehicle::Joint out;
    out.name = in.Name();
    if (in.Type() == ::sdf::JointType::FIXED) return out;
    const bool slide = in.Type() == ::sdf::JointType::PRISMATIC;
    const ::sdf::JointAxis* axis = in.Axis(0);
    if ((!slide && in.Type() != ::sdf::JointType::REVOLUTE &&
         in.Type() != ::sdf::JointType::CONTINUOUS) ||
        !axis) {
      error(in.Element(),
            fmt::format("joint {} is neither fixed, revolute nor prismatic", in.Name()),
            "use one of those");
      return out;
    }
    out.kind = slide ? JointKind::kSlide : JointKind::kHinge;
    ignition::math::Vector3d xyz;
    take(axis->ResolveXyz(xyz, child), file_, problems_);
    out.axis = {xyz.X(), xyz.Y(), xyz.Z()};
    out.damping = axis->Damping();
    out.stiffness = axis->SpringStiffness();
    if (axis->SpringReference() != 0 && out.stiffness > 0)
      warning(in.Element(), fmt::format("the spring of joint {} pulls towards 0 here", in.Name()),
              "make its rest position 0");
    // what is as large as SDF's defaults is no limit
    out.limited = axis->Lower() > -1e15 && axis->Upper() < 1e15;
    if (out.limited) out.lower = axis->Lower(), out.upper = axis->Upper();
    return out;
  }

  const ::sdf::Model& model_;
  const fs::path& file_;
  std::vector<Problem>& problems_;
  std::vector<Pose> places_;  ///< Of the links of the structure, in the model's frame.
};

const ::sdf::Model* only_model(const ::sdf::Root& root, const fs::path& file,
                               std::vector<Problem>& problems) {
  std::vector<const ::sdf::Model*> models;
  if (root.Model()) models.push_back(root.Model());
  for (std::uint64_t w = 0; w < root.WorldCount(); ++w)
    for (std::uint64_t i = 0; i < root.WorldByIndex(w)->ModelCount(); ++i)
      if (!root.WorldByIndex(w)->ModelByIndex(i)->Static())
        models.push_back(root.WorldByIndex(w)->ModelByIndex(i));
  if (models.size() == 1) return models[0];
  problems.push_back({{file.string(), 0, 0},
                      "",
                      fmt::format("expected one model that can move, got {}", models.size()),
                      "name the model's own file",
                      true});
  return nullptr;
}

void read_plugins(const ::sdf::Model& model, const fs::path& file, SdfModel& out) {
  const ::sdf::ElementPtr element = model.Element();
  if (!element->HasElement("plugin")) return;
  for (::sdf::ElementPtr p = element->GetElement("plugin"); p; p = p->GetNextElement("plugin")) {
    if (!p->HasElement("yarpConfigurationFile")) continue;
    const ::sdf::ElementPtr uri = p->GetElement("yarpConfigurationFile");
    const Location place = where(file, uri->LineNumber() ? uri : p);
    out.plugins.push_back({p->Get<std::string>("name"), p->Get<std::string>("filename"),
                           uri->Get<std::string>(), place});
  }
}

[[noreturn]] void refuse(Location at, std::string message, std::string fix) {
  throw config::ConfigError(Problem{std::move(at), "", std::move(message), std::move(fix), true});
}

void append_environment(const char* name, std::vector<fs::path>& out) {
  const char* value = std::getenv(name);  // NOLINT: not while threads run
  if (!value) return;
  const std::string_view all = value;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    if (end > at) out.emplace_back(all.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace

fs::path resolve_uri(std::string_view uri, const fs::path& file,
                     const std::vector<fs::path>& folders) {
  std::error_code ignored;
  const auto there = [&](const fs::path& p) { return fs::exists(p, ignored) ? p : fs::path(); };
  const std::size_t colon = uri.find("://");
  if (colon == std::string_view::npos) return there(file.parent_path() / uri);
  const std::string_view scheme = uri.substr(0, colon), rest = uri.substr(colon + 3);
  if (scheme == "file") return there(rest);
  if ((scheme != "model" && scheme != "package") || rest.empty()) return {};

  std::vector<fs::path> places = folders;
  if (scheme == "package") append_environment("ROS_PACKAGE_PATH", places);
  for (const char* name : {"GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH"})
    append_environment(name, places);
  for (const fs::path& place : places)
    if (fs::path p = there(place / rest); !p.empty()) return p;

  // above the model: the folder of that name itself, or one that holds it
  for (fs::path up = fs::absolute(file, ignored).parent_path();; up = up.parent_path()) {
    if (fs::path p = there(up / rest); !p.empty()) return p;
    if (up == up.parent_path()) return {};
  }
}

SdfModel load_sdf(const fs::path& file, const std::vector<fs::path>& folders) {
  std::error_code ignored;
  (void)config::read_file(file);
  // what it would print comes as problems
  ::sdf::Console::Instance()->SetQuiet(true);
  ::sdf::ParserConfig settings = ::sdf::ParserConfig::GlobalConfig();
  settings.SetFindCallback(
      [&](const std::string& uri) { return resolve_uri(uri, file, folders).string(); });

  SdfModel out;
  std::vector<Problem> problems;
  ::sdf::Root root;
  // a name without a folder would be looked for elsewhere
  const auto load = [&] {
    take(root.Load(fs::absolute(file, ignored).string(), settings), file, problems);
  };
  const std::string why = config::try_out(load);
  if (!why.empty())
    refuse({file.string(), 0, 0}, "the model " + why,
           "does it include itself? One craft alone needs a fraction of that");
  try {
    load();
  } catch (const std::exception& e) {
    // of numbers where it expects some, its reader says no more
    refuse({file.string(), 0, 0}, fmt::format("sdformat stops at it ({})", e.what()),
           "check the version of <sdf>, and every number");
  }
  const auto bad = [&] {
    return std::any_of(problems.begin(), problems.end(),
                       [](const Problem& p) { return p.is_error; });
  };
  if (!bad()) {
    if (const ::sdf::Model* model = only_model(root, file, problems)) {
      out.structure = TreeReader(*model, file, problems).read();
      read_plugins(*model, file, out);
    }
  }
  if (!bad())
    for (const Finding& f : check(out.structure))
      problems.push_back({{file.string(), 0, 0}, "", f.message, f.fix, f.is_error});
  if (bad()) throw config::ConfigError(std::move(problems));
  out.warnings = std::move(problems);
  return out;
}

vehicle::JetsIni load_plugin_jets(const SdfModel& model, const fs::path& sdf_file,
                                  const std::vector<fs::path>& folders) {
  if (model.plugins.size() != 1)
    refuse({sdf_file.string(), 0, 0},
           fmt::format("expected one plugin with a <yarpConfigurationFile>, got {}",
                       model.plugins.size()),
           "write  <yarpConfigurationFile>model://NAME/conf/jets.ini</yarpConfigurationFile>");
  const YarpPlugin& plugin = model.plugins[0];
  const fs::path ini = resolve_uri(plugin.uri, sdf_file, folders);
  if (ini.empty())
    refuse(plugin.where, fmt::format("<yarpConfigurationFile>: nothing at {}", plugin.uri),
           "add the folder that holds the model to GAZEBO_MODEL_PATH");
  return vehicle::load_jets_ini(ini, model.structure.name);
}

JetCraft import_jet_craft(const fs::path& sdf_file, const std::vector<fs::path>& folders) {
  SdfModel model = load_sdf(sdf_file, folders);
  JetCraft out;
  out.jets = load_plugin_jets(model, sdf_file, folders);
  out.mounts = mount_jets(out.jets, model.structure);
  out.structure = std::move(model.structure);
  out.warnings = std::move(model.warnings);
  std::copy(out.jets.warnings.begin(), out.jets.warnings.end(), std::back_inserter(out.warnings));
  return out;
}

}  // namespace pintle::sdformat
