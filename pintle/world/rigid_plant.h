/// One rigid body as a plant: all links fixed to each other, mass that may change, feet.
///
/// The wrenches of a step are shifted to Bo and held during it (see BodyDynamics, RK4); those of
/// the ground are taken at the step's beginning. The mass of the whole is summed anew
/// when that of a link changes, from that link and the sum of the others. What of the craft touches
/// are points, feet: the corners of boxes, the middle of spheres (lowered by their radius), eight
/// points on each rim of a cylinder.
///
/// Friction on a foot is what stops it within one step, at most mu N. With t the way it would slip
/// and r its place from the centre of mass, an impulse J along t changes its speed by J / m_eff:
///
///   1 / m_eff = 1 / m + (r x t)^T I^-1 (r x t)
///
/// The feet are taken in turns, a few rounds of Gauss and Seidel on the speeds that all other forces
/// would give: what stands, stands, whatever the step. More than what stops a foot would throw it
/// back, and a craft at rest would turn for ever. Added mass is not counted.
#pragma once
#include <vector>

#include "pintle/world/body_dynamics.h"
#include "pintle/world/ground.h"
#include "pintle/world/plant.h"

namespace pintle::world {

class RigidPlant final : public Plant {
 public:
  /// @throws std::invalid_argument for a structure with errors, or with joints that move: those
  /// need the MuJoCo plant.
  RigidPlant(const vehicle::Structure& structure, double gravity_m_s2, Ground ground = {});
  /// The body of a vehicle in water: one link, named "body".
  RigidPlant(const vehicle::Vehicle& craft, const WaterParams& water, double gravity_m_s2,
             Ground ground = {});

  [[nodiscard]] std::size_t links() const noexcept override { return links_.size(); }
  [[nodiscard]] LinkState link(std::size_t i) const noexcept override;
  void place(const Pose& X_WB, const Twist& V_WB_B) noexcept override { state_ = {X_WB, V_WB_B}; }
  bool set_mass(std::size_t i, const vehicle::MassProperties& mass_L) noexcept override;
  [[nodiscard]] vehicle::MassProperties mass() const noexcept override { return mass_; }
  void apply(std::size_t i, Vec3 p_LP, const Wrench& F_P_L) noexcept override;
  void step(double dt_s) noexcept override;
  [[nodiscard]] Vec3 contact_force_W() const noexcept override { return contact_W_; }
  [[nodiscard]] Motion motion() const noexcept override;

  [[nodiscard]] const BodyState& state() const noexcept { return state_; }
  /// Velocity of the water at the beginning of the next step, and how fast it changes during it.
  void set_current(Vec3 current_W, Vec3 rate_W) noexcept {
    current_W_ = current_W, current_rate_W_ = rate_W;
  }

 private:
  struct Part {
    Pose X_BL;
    Mat3 R_BL;
    vehicle::MassProperties mass_B;
  };
  /// A point that may touch: p_B, lowered by `radius_m`.
  struct Foot {
    Vec3 p_B;
    double radius_m;
  };
  /// A foot that touches.
  struct Contact {
    Vec3 p_B, r_B;     ///< From Bo, and from the centre of mass.
    double push_N;     ///< N of the ground.
    Vec3 friction_Ns;  ///< Impulse of this step, body coordinates.
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void add_feet(const vehicle::Shape& shape, const Pose& X_BL);
  [[nodiscard]] Wrench ground_wrench(double dt_s) noexcept;
  void hold_feet(const Wrench& without, double dt_s) noexcept;

  std::vector<Part> links_;
  std::vector<Foot> feet_;
  std::vector<Contact> contacts_;  ///< Of the feet that touch in this step; room for all.
  Ground ground_;
  vehicle::MassProperties mass_;
  vehicle::MassProperties others_;  ///< Sum of all links …
  std::size_t changing_ = kNone;    ///< … but this one.
  double gravity_;
  BodyDynamics dynamics_;
  BodyState state_;
  Vec3 current_W_{}, current_rate_W_{}, contact_W_{};
  Wrench applied_;
  bool pushed_ = false;
};

}  // namespace pintle::world
