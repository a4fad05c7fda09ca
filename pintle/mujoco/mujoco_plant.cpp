#include "pintle/mujoco/mujoco_plant.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "pintle/mujoco/mass_numbers.h"
#include "pintle/mujoco/model_text.h"
#include "pintle/mujoco/xml_lock.h"

namespace pintle::mujoco {
namespace {

using vehicle::JointKind;
using vehicle::Link;
using vehicle::MassProperties;
using world::LinkState;

struct FreeModel {
  void operator()(mjModel* m) const noexcept { mj_deleteModel(m); }
};
struct FreeData {
  void operator()(mjData* d) const noexcept { mj_deleteData(d); }
};
using Model = std::unique_ptr<mjModel, FreeModel>;
using Data = std::unique_ptr<mjData, FreeData>;

struct FreeFiles {
  void operator()(mjVFS* files) const noexcept {
    mj_deleteVFS(files);
    std::free(files);  // NOLINT: a C struct of two megabytes
  }
};

Model compile(const std::string& text) {
  const auto lock = one_reader_at_a_time();
  std::unique_ptr<mjVFS, FreeFiles> files(static_cast<mjVFS*>(std::malloc(sizeof(mjVFS))));
  if (!files) throw std::bad_alloc();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "craft.xml", static_cast<int>(text.size())) != 0)
    throw std::bad_alloc();
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "craft.xml")], text.data(), text.size());
  std::array<char, 1000> error{};
  Model model(mj_loadXML("craft.xml", files.get(), error.data(), static_cast<int>(error.size())));
  if (!model) throw std::invalid_argument(std::string("MuJoCo: ") + error.data());
  return model;
}

const vehicle::Structure& checked(const vehicle::Structure& structure) {
  for (const Finding& f : check(structure))
    if (f.is_error) throw std::invalid_argument(f.path + ": " + f.message);
  return structure;
}

void copy(double* to, Vec3 v) noexcept { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
void copy(double* to, Quat q) noexcept { to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z; }
Vec3 vec3_at(const double* p) noexcept { return {p[0], p[1], p[2]}; }

double difference(double a, double b) noexcept {
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-12});
}

}  // namespace

std::unique_lock<std::mutex> one_reader_at_a_time() {
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time);
  // once: later on, plants that already run read it without the lock
  [[maybe_unused]] static const auto quiet = mju_user_warning = [](const char*) {};
  return lock;
}

struct MujocoPlant::Impl {
  /// A body of the world: addresses of its numbers, -1 where it is fixed.
  struct Thing {
    int body, qpos, dof, weld;
  };

  Impl(const vehicle::Structure& structure, const MujocoSettings& settings,
       const world::Ground& ground, const std::vector<world::BodySpec>& things)
      : links(checked(structure).links),
        gravity(settings.gravity_m_s2),
        model(compile(model_text(structure, settings, ground, things))),
        data(mj_makeData(model.get())),
        scratch(mj_makeData(model.get())),
        subtree(links.size()),
        lifted(links.size()),
        rest(links.size()),
        children(links.size()),
        applied(links.size()) {
    if (!data || !scratch) throw std::bad_alloc();
    qpos.resize(static_cast<std::size_t>(model->nq));
    qvel.resize(static_cast<std::size_t>(model->nv));
    pushed_links.reserve(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      const int b = mj_name2id(model.get(), mjOBJ_BODY, std::to_string(i).c_str());
      body.push_back(b);
      R_PL.push_back(to_matrix(links[i].X_PL.q));
      const int j = model->body_jntadr[b];
      qpos_of.push_back(j < 0 ? -1 : model->jnt_qposadr[j]);
      dof_of.push_back(model->body_dofadr[b]);
    }
    for (std::size_t i = links.size() - 1; i > 0; --i)
      children[static_cast<std::size_t>(links[i].parent)].push_back(i);
    for (std::size_t i = links.size(); i-- > 0;) {
      subtree[i] = links[i].mass;
      for (const std::size_t c : children[i]) subtree[i] = combined(subtree[i], lifted[c]);
      lift(i);
    }
    bool movable = true;
    for (std::size_t i = 0; i < links.size(); ++i) movable = movable && can_move(i);
    if (!movable)
      throw std::invalid_argument("a joint, or the whole, has nothing to move: mass is missing");
    find_bodies(things);
    for (std::size_t i = 0; i < links.size(); ++i) write(i);
    mj_setConst(model.get(), scratch.get());
    settled_mass = subtree[0].mass_kg;
  }

  void find_bodies(const std::vector<world::BodySpec>& things) {
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::string name = body_name(i);
      const int b = mj_name2id(model.get(), mjOBJ_BODY, name.c_str());
      Thing t{b, -1, -1, mj_name2id(model.get(), mjOBJ_EQUALITY, name.c_str())};
      if (things[i].mass_kg > 0) {
        t.qpos = model->jnt_qposadr[model->body_jntadr[b]];
        t.dof = model->body_dofadr[b];
        bodies_kg += things[i].mass_kg;
      }
      bodies.push_back(t);
    }
  }

  [[nodiscard]] bool is_craft(int geom) const noexcept {
    const int b = model->geom_bodyid[geom];
    return b > 0 && (bodies.empty() || b < bodies.front().body);
  }

  [[nodiscard]] LinkState free_body(const Thing& t) const noexcept {
    const double* q = data->qpos + t.qpos;
    const double* v = data->qvel + t.dof;
    const Quat q_WB = normalized(Quat{q[4], q[5], q[6], q[3]});
    return {{vec3_at(q), q_WB}, {rotate(conjugate(q_WB), vec3_at(v)), vec3_at(v + 3)}};
  }

  /// The mass of a subtree in its parent's frame.
  void lift(std::size_t k) noexcept {
    const MassProperties& m = subtree[k];
    const Pose& X = links[k].X_PL;
    lifted[k] = {m.mass_kg, X.p + rotate(X.q, m.center_of_mass_m),
                 R_PL[k] * m.inertia_kgm2 * transpose(R_PL[k])};
  }

  /// Mass of the subtrees that hold a link, at rest, each in its own frame and in its parent's.
  /// What hangs beside the way up is summed once: mostly it is the same tank that changes.
  void sum_subtrees(std::size_t changed) noexcept {
    rest[changed].without = changed;
    subtree[changed] = links[changed].mass;
    for (const std::size_t c : children[changed])
      subtree[changed] = combined(subtree[changed], lifted[c]);
    for (std::size_t k = changed; k > 0;) {
      lift(k);
      const auto parent = static_cast<std::size_t>(links[k].parent);
      Rest& beside = rest[parent];
      if (beside.without != k) {
        beside.mass = links[parent].mass;
        for (const std::size_t c : children[parent])
          if (c != k) beside.mass = combined(beside.mass, lifted[c]);
        beside.without = k;
      }
      subtree[parent] = combined(beside.mass, lifted[k]);
      k = parent;
    }
  }

  /// Whether the whole and the joints on the way from a link to the root have something to move.
  [[nodiscard]] bool can_move(std::size_t i) const noexcept {
    for (; i > 0; i = static_cast<std::size_t>(links[i].parent))
      if (links[i].joint.kind != JointKind::kFixed && !(at_rest(i) > 0)) return false;
    return subtree[0].mass_kg > 0 && positive_definite(subtree[0].inertia_kgm2);
  }

  /// Joint-space inertia of a joint in the rest position.
  [[nodiscard]] double at_rest(std::size_t i) const noexcept {
    return links[i].joint.kind == JointKind::kSlide
               ? subtree[i].mass_kg
               : inertia_about(subtree[i], links[i].joint.axis);
  }

  /// The mass of a link and of the subtrees that hold it, into the model.
  void write(std::size_t i) noexcept {
    const MassProperties& m = links[i].mass;
    const int b = body[i];
    model->body_mass[b] = m.mass_kg;
    copy(model->body_ipos + 3 * b, m.center_of_mass_m);
    if (is_diagonal(m.inertia_kgm2)) {
      copy(model->body_inertia + 3 * b,
           Vec3{m.inertia_kgm2(0, 0), m.inertia_kgm2(1, 1), m.inertia_kgm2(2, 2)});
      copy(model->body_iquat + 4 * b, Quat{});
    } else {
      double axes[9];
      mju_eig3(model->body_inertia + 3 * b, axes, model->body_iquat + 4 * b,
               m.inertia_kgm2.m.data());
    }
    // the compiler saw a centre of mass elsewhere: MuJoCo always places it
    model->body_sameframe[b] = 0;

    for (int k = static_cast<int>(i); k >= 0; k = links[static_cast<std::size_t>(k)].parent)
      write_subtree(static_cast<std::size_t>(k));
    model->body_subtreemass[0] = subtree[0].mass_kg + bodies_kg;
  }

  void write_subtree(std::size_t k) noexcept {
    model->body_subtreemass[body[k]] = subtree[k].mass_kg;
    const int dof = dof_of[k];
    if (k == 0) {
      for (int a = 0; a < 3; ++a) model->dof_M0[dof + a] = subtree[0].mass_kg;
      model->dof_M0[dof + 3] = inertia_about(subtree[0], {1, 0, 0});
      model->dof_M0[dof + 4] = inertia_about(subtree[0], {0, 1, 0});
      model->dof_M0[dof + 5] = inertia_about(subtree[0], {0, 0, 1});
    } else if (links[k].joint.kind != JointKind::kFixed) {
      model->dof_M0[dof] = at_rest(k);
    }
  }

  [[nodiscard]] double position(std::size_t i) const noexcept {
    return i == 0 || qpos_of[i] < 0 ? 0 : data->qpos[qpos_of[i]];
  }

  [[nodiscard]] double rate(std::size_t i) const noexcept {
    return i == 0 || qpos_of[i] < 0 ? 0 : data->qvel[dof_of[i]];
  }

  [[nodiscard]] LinkState root() const noexcept {
    const double* q = data->qpos;
    const Quat q_WB = normalized(Quat{q[4], q[5], q[6], q[3]});
    // MuJoCo's linear velocity is in world coordinates, the angular one in those of the body
    return {{vec3_at(q), q_WB},
            {rotate(conjugate(q_WB), vec3_at(data->qvel)), vec3_at(data->qvel + 3)}};
  }

  /// The child of a link that is there. From positions alone: what MuJoCo keeps is a step old.
  [[nodiscard]] LinkState child(const LinkState& parent, std::size_t i) const noexcept {
    const vehicle::Joint& j = links[i].joint;
    const double q = position(i), qd = rate(i);
    const Pose X_PL =
        links[i].X_PL * (j.kind == JointKind::kHinge ? Pose{{}, from_rotation_vector(q * j.axis)}
                                                     : Pose{q * j.axis, {}});
    const Quat q_LP = conjugate(X_PL.q);
    const Twist& V = parent.V_WL_L;
    LinkState out{parent.X_WL * X_PL, {rotate(q_LP, V.v + cross(V.w, X_PL.p)), rotate(q_LP, V.w)}};
    if (j.kind == JointKind::kHinge) out.V_WL_L.w += qd * j.axis;
    if (j.kind == JointKind::kSlide) out.V_WL_L.v += qd * j.axis;
    return out;
  }

  [[nodiscard]] LinkState state(std::size_t i) const noexcept {
    return i == 0 ? root() : child(state(static_cast<std::size_t>(links[i].parent)), i);
  }

  void hand_over_wrenches() noexcept {
    for (const std::size_t i : pushed_links) {
      const Quat q_WL = state(i).X_WL.q;
      // MuJoCo takes them at the centre of mass
      const Wrench& F = applied[i];
      const Vec3 torque = F.torque - cross(links[i].mass.center_of_mass_m, F.force);
      double* out = data->xfrc_applied + 6 * body[i];
      copy(out, rotate(q_WL, F.force));
      copy(out + 3, rotate(q_WL, torque));
    }
  }

  void forget_wrenches() noexcept {
    for (const std::size_t i : pushed_links) {
      std::fill_n(data->xfrc_applied + 6 * body[i], 6, 0.0);
      applied[i] = {};
    }
    pushed_links.clear();
    if (driven) std::fill_n(data->qfrc_applied, model->nv, 0.0);
    driven = false;
  }

  void step(double dt_s) noexcept {
    model->opt.timestep = dt_s;
    hand_over_wrenches();

    std::copy_n(data->qpos, model->nq, qpos.begin());
    std::copy_n(data->qvel, model->nv, qvel.begin());
    mj_step(model.get(), data.get());
    if (data->warning[mjWARN_BADQPOS].number + data->warning[mjWARN_BADQVEL].number +
            data->warning[mjWARN_BADQACC].number !=
        0)
      take_back();

    forget_wrenches();
  }

  void take_back() noexcept {
    mj_resetData(model.get(), data.get());
    std::copy_n(qpos.begin(), model->nq, data->qpos);
    std::copy_n(qvel.begin(), model->nv, data->qvel);
    ++unstable;
  }

  std::vector<Link> links;
  double gravity;
  Model model;
  Data data, scratch;
  std::vector<int> body, qpos_of, dof_of;
  /// Of a link: its own mass and the subtrees that hang on it, without that of one child; `without`
  /// itself: not known.
  struct Rest {
    std::size_t without = 0;
    MassProperties mass;
  };
  std::vector<Mat3> R_PL;
  std::vector<MassProperties> subtree, lifted;
  std::vector<Rest> rest;
  std::vector<std::vector<std::size_t>> children;
  std::vector<Wrench> applied;            ///< At the links' origins, in their coordinates …
  std::vector<std::size_t> pushed_links;  ///< … of these.
  std::vector<double> qpos, qvel;
  std::vector<Thing> bodies;
  double bodies_kg = 0;
  double settled_mass = 0;
  bool driven = false;
  std::uint64_t unstable = 0;
};

MujocoPlant::MujocoPlant(const vehicle::Structure& structure, const MujocoSettings& settings,
                         const world::Ground& ground, const std::vector<world::BodySpec>& bodies)
    : impl_(std::make_unique<Impl>(structure, settings, ground, bodies)) {}
MujocoPlant::~MujocoPlant() = default;
MujocoPlant::MujocoPlant(MujocoPlant&&) noexcept = default;
MujocoPlant& MujocoPlant::operator=(MujocoPlant&&) noexcept = default;

std::size_t MujocoPlant::links() const noexcept { return impl_->links.size(); }

LinkState MujocoPlant::link(std::size_t i) const noexcept { return impl_->state(i); }

void MujocoPlant::place(const Pose& X_WB, const Twist& V_WB_B) noexcept {
  mjData* d = impl_->data.get();
  mj_resetData(impl_->model.get(), d);
  copy(d->qpos, X_WB.p);
  copy(d->qpos + 3, X_WB.q);
  copy(d->qvel, rotate(X_WB.q, V_WB_B.v));
  copy(d->qvel + 3, V_WB_B.w);
}

bool MujocoPlant::set_mass(std::size_t i, const MassProperties& mass_L) noexcept {
  Impl& p = *impl_;
  if (i >= p.links.size() || !is_possible(mass_L)) return false;
  const MassProperties before = p.links[i].mass;
  p.links[i].mass = mass_L;
  p.sum_subtrees(i);
  if (!p.can_move(i)) {
    p.links[i].mass = before;
    p.sum_subtrees(i);
    return false;
  }
  p.write(i);
  if (!(std::abs(p.subtree[0].mass_kg - p.settled_mass) <= 0.05 * p.settled_mass)) {
    mj_setConst(p.model.get(), p.scratch.get());
    p.settled_mass = p.subtree[0].mass_kg;
  }
  return true;
}

MassProperties MujocoPlant::mass() const noexcept {
  const Pose X_BW = inverse(impl_->root().X_WL);
  MassProperties total;
  for (std::size_t i = 0; i < links(); ++i)
    total = combined(total, in_frame(X_BW * impl_->state(i).X_WL, impl_->links[i].mass));
  return total;
}

void MujocoPlant::apply(std::size_t i, Vec3 p_LP, const Wrench& F_P_L) noexcept {
  if (i >= links() || !is_finite(p_LP) || !is_finite(F_P_L)) return;
  std::vector<std::size_t>& pushed = impl_->pushed_links;
  if (std::find(pushed.begin(), pushed.end(), i) == pushed.end()) pushed.push_back(i);
  impl_->applied[i] = impl_->applied[i] + shift_to_origin(F_P_L, p_LP);
}

void MujocoPlant::step(double dt_s) noexcept { impl_->step(dt_s); }

Vec3 MujocoPlant::contact_force_W() const noexcept {
  const mjModel* m = impl_->model.get();
  const mjData* d = impl_->data.get();
  Vec3 sum{};
  for (int k = 0; k < d->ncon; ++k) {
    const mjContact& c = d->contact[k];
    // of two links of the craft on each other the sum is nothing
    const bool first = !impl_->is_craft(c.geom1), second = !impl_->is_craft(c.geom2);
    if (first == second) continue;
    double f[6];
    mj_contactForce(m, d, k, f);
    Vec3 f_W{};
    for (std::size_t a = 0; a < 3; ++a) f_W += f[a] * vec3_at(c.frame + 3 * a);
    sum += first ? f_W : -f_W;
  }
  return sum;
}

world::Motion MujocoPlant::motion() const noexcept {
  world::Motion out;
  for (std::size_t i = 0; i < links(); ++i) {
    const LinkState s = impl_->state(i);
    const MassProperties& m = impl_->links[i].mass;
    const Vec3 com_W = s.X_WL.p + rotate(s.X_WL.q, m.center_of_mass_m);
    const Vec3 w = s.V_WL_L.w, v = s.V_WL_L.v + cross(w, m.center_of_mass_m);
    const Vec3 spin = m.inertia_kgm2 * w;
    const Vec3 P = rotate(s.X_WL.q, m.mass_kg * v);
    out.kinetic_J += 0.5 * (m.mass_kg * dot(v, v) + dot(w, spin));
    out.potential_J += m.mass_kg * impl_->gravity * com_W.z;
    out.momentum_W.force += P;
    out.momentum_W.torque += rotate(s.X_WL.q, spin) + cross(com_W, P);
  }
  return out;
}

std::size_t MujocoPlant::bodies() const noexcept { return impl_->bodies.size(); }

LinkState MujocoPlant::body(std::size_t i) const noexcept {
  if (i >= bodies()) return {};
  const Impl::Thing& t = impl_->bodies[i];
  if (t.qpos >= 0) return impl_->free_body(t);
  const mjModel* m = impl_->model.get();
  const double* q = m->body_quat + 4 * t.body;
  return {{vec3_at(m->body_pos + 3 * t.body), {q[1], q[2], q[3], q[0]}}, {}};
}

bool MujocoPlant::hold(std::size_t i, bool held) noexcept {
  if (i >= bodies() || impl_->bodies[i].weld < 0) return false;
  mjModel* m = impl_->model.get();
  const int e = impl_->bodies[i].weld;
  m->eq_active[e] = held ? 1 : 0;
  if (held) {
    // anchor in the second body, its pose in the first, share of the torque
    const Pose X_BT = inverse(impl_->root().X_WL) * body(i).X_WL;
    double* d = m->eq_data + mjNEQDATA * e;
    copy(d, Vec3{});
    copy(d + 3, X_BT.p);
    copy(d + 6, normalized(X_BT.q));
    d[10] = 1;
  }
  return true;
}

double MujocoPlant::joint_position(std::size_t i) const noexcept { return impl_->position(i); }

void MujocoPlant::set_joint(std::size_t i, double position, double rate) noexcept {
  if (i == 0 || i >= links() || impl_->qpos_of[i] < 0) return;
  if (!std::isfinite(position) || !std::isfinite(rate)) return;
  impl_->data->qpos[impl_->qpos_of[i]] = position;
  impl_->data->qvel[impl_->dof_of[i]] = rate;
}

void MujocoPlant::drive(std::size_t i, double effort) noexcept {
  if (i == 0 || i >= links() || impl_->qpos_of[i] < 0 || !std::isfinite(effort)) return;
  impl_->data->qfrc_applied[impl_->dof_of[i]] += effort;
  impl_->driven = true;
}

std::uint64_t MujocoPlant::unstable_steps() const noexcept { return impl_->unstable; }

double MujocoPlant::deviation_from_set_const() const {
  const mjModel* m = impl_->model.get();
  const Model copy_of(mj_copyModel(nullptr, m));
  const Data d(copy_of ? mj_makeData(copy_of.get()) : nullptr);
  if (!d) throw std::bad_alloc();
  mj_setConst(copy_of.get(), d.get());
  double worst = 0;
  for (int b = 0; b < m->nbody; ++b)
    worst = std::max(worst, difference(m->body_subtreemass[b], copy_of->body_subtreemass[b]));
  for (int v = 0; v < m->nv; ++v)
    worst = std::max(worst, difference(m->dof_M0[v], copy_of->dof_M0[v]));
  return worst;
}

}  // namespace pintle::mujoco
