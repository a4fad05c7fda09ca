/// The second plant: articulated links with contact, stepped by MuJoCo.
///
/// Every link is a body of MuJoCo's, the root floats; joints and shapes are those of the structure.
/// A mass that changes is written straight into the model: mass, centre, principal inertia, the
/// mass of every subtree that holds it, and the diagonal of the joint-space inertia in the rest
/// position, which is what `mj_setConst` would give at a hundredth of its cost. What else that call
/// derives (the softness of contacts) is brought up to date whenever the whole has changed by 5 %.
///
/// Wrenches are turned into the world once a step: with them the plant is of first order in the
/// step, whatever the integrator. Without them Euler is of first order, and RK4 of fourth for a
/// craft that does not turn, of second for one that does (MuJoCo adds up angular velocities of
/// different instants). Shapes touch ground and pads, and each other with `self_contact`. A step
/// that MuJoCo calls unstable is taken back: the craft stays as it was, and `unstable_steps` counts
/// it. Free bodies of the world push and are pushed; one that is held is tied to link 0 by a stiff
/// spring and damper (a weld of MuJoCo's, 10 ms), through which all momentum passes: taking hold of
/// it makes none. Source: Todorov, Erez and Tassa, "MuJoCo: A physics engine for model-based
/// control", IROS 2012. Does not model: fluid, bounce, flexible parts.
#pragma once
#include <cstdint>
#include <memory>

#include "pintle/world/ground.h"
#include "pintle/world/plant.h"

namespace pintle::mujoco {

enum class Integrator : std::uint8_t {
  kEuler,  ///< Semi-implicit, one evaluation a step; joints' damping implicit.
  kRk4,
};

struct MujocoSettings {
  double gravity_m_s2 = 9.80665;
  Integrator integrator = Integrator::kEuler;
  bool self_contact = false;  ///< Links touch each other, save parent and child.
};

class MujocoPlant final : public world::Plant {
 public:
  /// @throws std::invalid_argument for a structure with errors, or one that MuJoCo refuses.
  explicit MujocoPlant(const vehicle::Structure& structure, const MujocoSettings& settings = {},
                       const world::Ground& ground = {},
                       const std::vector<world::BodySpec>& bodies = {});
  ~MujocoPlant() override;
  MujocoPlant(MujocoPlant&&) noexcept;
  MujocoPlant& operator=(MujocoPlant&&) noexcept;

  [[nodiscard]] std::size_t links() const noexcept override;
  [[nodiscard]] world::LinkState link(std::size_t i) const noexcept override;
  void place(const Pose& X_WB, const Twist& V_WB_B) noexcept override;
  bool set_mass(std::size_t i, const vehicle::MassProperties& mass_L) noexcept override;
  [[nodiscard]] vehicle::MassProperties mass() const noexcept override;
  void apply(std::size_t i, Vec3 p_LP, const Wrench& F_P_L) noexcept override;
  void step(double dt_s) noexcept override;
  [[nodiscard]] Vec3 contact_force_W() const noexcept override;
  [[nodiscard]] world::Motion motion() const noexcept override;
  [[nodiscard]] std::size_t bodies() const noexcept override;
  [[nodiscard]] world::LinkState body(std::size_t i) const noexcept override;
  bool hold(std::size_t i, bool held) noexcept override;

  /// Of the joint of a link, rad or m; 0 for a fixed one.
  [[nodiscard]] double joint_position(std::size_t i) const noexcept;
  void set_joint(std::size_t i, double position, double rate) noexcept;
  /// Torque or force along the joint during the next step, as a motor in it would give.
  void drive(std::size_t i, double effort) noexcept;

  [[nodiscard]] std::uint64_t unstable_steps() const noexcept;
  /// For checks: the largest relative difference between what `set_mass` has written and what
  /// `mj_setConst` makes of the same masses (subtree masses, joint-space inertia at rest).
  [[nodiscard]] double deviation_from_set_const() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::mujoco
