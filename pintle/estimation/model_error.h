/// How the real vehicle differs from its file, learnt from what the file does not explain.
///
/// The unexplained wrench r is linear in few numbers theta, r = H theta:
///
///   each propulsor's thrust, as a share of it          b_i phi_i
///   a force, steady in world coordinates               R'            (weight, buoyancy, current)
///   a torque, steady in body coordinates               1
///   drag, as a share of it, per axis                   -D_k(nu)
///   the water's velocity v_c, by drag and added mass   (D_l + 2 D_q |nu|) v_c + w x A v_c
///     seen from the body                                 - A (w x v_c), v x A v_c + v_c x A v
///   the centre of mass                                 -W [c x] up
///
/// A Kalman filter with a slow random walk for each takes one row (axis) a measurement, in turn.
/// A row that fits badly counts less (Huber), so that a failure is not learnt before it is found.
/// What is not learnt (noise of the twist, lags, added mass, mounts) goes into the covariance only.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/signals.h"

namespace pintle::estimation {

/// Standard deviations: what is known of the vehicle before it moves.
struct ModelErrorParams {
  double velocity_std_m_s = 0.006, rate_std_deg_s = 0.25;  ///< Noise of the measured twist.
  double thrust_std = 0.05;                                ///< Of each propulsor, relative.
  double drag_std = 0.2;                                   ///< Relative.
  double mass_std = 0.03;                                  ///< Relative.
  double current_std_m_s = 0.15;
  double center_of_mass_std_m = 0.003;
  // not learnt
  double added_mass_std = 0.2;  ///< Relative.
  double lag_std_s = 0.01;
  double mount_angle_std_deg = 1.3;
  double mount_position_std_m = 0.005;
  double acceleration_floor_m_s2 = 0.004;  ///< What nothing of this explains.
  double angular_acceleration_floor_rad_s2 = 0.004;
  // random walks, per square root of a second
  double force_walk_m_s2 = 0.0006;  ///< As an acceleration.
  double vertical_walk_m_s2 = 0.2;  ///< Of the vertical force, when it climbs at 1 m/s.
  double torque_walk_rad_s2 = 0.0003;
  double thrust_walk = 0.001;
  double current_walk_m_s = 0.005;
};

/// The body in water, and how its propulsors follow. Row-major M = M_RB + M_A at the body origin.
struct BodyModel {
  std::array<double, 36> mass{};
  std::array<double, 6> added_mass{}, linear_damping{}, quadratic_damping{};
  /// Of the rows of the mass: sums of squares over the linear and over the angular columns.
  std::array<double, 6> linear_square{}, angular_square{};
  double weight_N = 0, buoyancy_N = 0;
  Vec3 center_of_mass_m{}, center_of_buoyancy_m{};
  std::uint32_t n = 0;
  std::array<Vec6, kMaxChannels> column_N{};  ///< Wrench in N and N m of one unit of effort.
  std::array<double, kMaxChannels> tau_s{};
  std::array<double, kMaxChannels> largest{};  ///< Effort, either way.
};

/// Fills the sums of squares; to be called after `mass` is set.
void complete(BodyModel& model) noexcept;

/// Propulsors beyond this number are not learnt, only distrusted.
inline constexpr std::size_t kMaxLearned = 16;
inline constexpr std::size_t kCommonErrors = 18;
inline constexpr std::size_t kMaxErrors = kMaxLearned + kCommonErrors;

/// What multiplies theta, at an instant or behind a window. Drag is that of the way through the
/// water as it is learnt to flow, slope its derivative there.
struct Regressors {
  std::array<double, kMaxChannels> effort{};
  Vec6 drag{}, slope{}, rate{};
  Vec3 v{}, w{};
  Mat3 R_BW{};
};

struct ModelError {
  std::uint32_t learned = 0;  ///< Propulsors among theta.
  std::uint32_t next_row = 0;
  std::array<double, kMaxErrors> theta{};
  std::array<std::array<double, kMaxErrors>, kMaxErrors> P{};
  std::array<double, kMaxChannels> slow{};  ///< Slow mean of the efforts.
  ChannelMask doubtful = 0;  ///< Found to have failed: what they give is known badly.
};

void begin(const ModelErrorParams&, const BodyModel&, ModelError&) noexcept;

/// From now on a propulsor's share is believed to be `efficiency`, and hardly trusted. Answers how
/// the r behind the windows changes by that.
[[nodiscard]] Vec6 doubt(const BodyModel&, ModelError&, const Regressors&, std::size_t propulsor,
                         double efficiency) noexcept;

/// A propulsor is again what its file says, as far as anybody knows.
void trust(const ModelErrorParams&, ModelError&, std::size_t propulsor) noexcept;

/// The water's velocity in world coordinates, as learnt, and how well it is known (each axis).
[[nodiscard]] Vec3 current_of(const ModelError&) noexcept;
[[nodiscard]] double current_std_m_s(const ModelError&) noexcept;

/// H theta.
[[nodiscard]] Vec6 explained(const BodyModel&, const ModelError&, const Regressors&) noexcept;

/// One row of r, whose variance is `noise`; of that, `noise_of_twist` averages out. A share leaves
/// what is plausible of a healthy propulsor for nothing. Answers how the r behind the windows
/// changes by what was learnt.
[[nodiscard]] Vec6 learn(const ModelErrorParams&, const BodyModel&, ModelError&, const Regressors&,
                         const Vec6& r, const Vec6& noise, const Vec6& noise_of_twist,
                         double dt_s) noexcept;

/// Variance per axis that the noise of the measured twist makes.
[[nodiscard]] Vec6 noise_of_twist(const ModelErrorParams&, const BodyModel&, double window_s,
                                  double dt_s) noexcept;

/// Variance per axis of what is not learnt: a lower bound of the whole.
[[nodiscard]] Vec6 noise_of(const ModelErrorParams&, const BodyModel&, const ModelError&,
                            const Regressors&, double window_s, double dt_s) noexcept;

/// Lower triangle of a symmetric 6x6.
using Triangle = std::array<std::array<double, 6>, 6>;

/// noise + H P H' + what the lags make.
void covariance(const ModelErrorParams&, const BodyModel&, const ModelError&,
                const Regressors& first, const Regressors& second, const Vec6& noise,
                double window_s, Triangle& S) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::ModelErrorParams>();
}  // namespace pintle
