#include "pintle/estimation/model_error.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/geometry.h"

namespace pintle::estimation {
namespace {

// neighbours on one axis share most of what they are wrong by, but for the noise of the twist
constexpr double kRepeat = 10;
// of a propulsor that has failed: how well its share is known, and how fast that may change
constexpr double kDoubt = 0.4, kDoubtWalk = 0.1;

// of a healthy propulsor: no further, in standard deviations, is its share from what its file says
constexpr double kPlausible = 3;

// where the common errors begin, behind the propulsors
constexpr std::size_t kForce = 0, kTorque = 3, kDrag = 6, kCurrent = 12, kCenterOfMass = 15;

/// One row of H: the propulsors densely, of the rest what is not zero.
struct Row {
  std::array<double, kMaxLearned> effort;
  std::array<std::size_t, 8> index;
  std::array<double, 8> value;
  std::size_t n = 0;

  void add(std::size_t i, double x) noexcept {
    index[n] = i;
    value[n++] = x;
  }
};

Vec3 scaled(const std::array<double, 6>& a, Vec3 x) noexcept {
  return {a[0] * x.x, a[1] * x.y, a[2] * x.z};
}

/// What water that moves at `water` (body coordinates) adds, to first order.
Wrench of_water(const BodyModel& m, const Regressors& g, Vec3 water) noexcept {
  const Vec3 carried = scaled(m.added_mass, water);
  const Vec3 drag{g.slope[0] * water.x, g.slope[1] * water.y, g.slope[2] * water.z};
  return {drag + cross(g.w, carried) - scaled(m.added_mass, cross(g.w, water)),
          cross(g.v, carried) + cross(water, scaled(m.added_mass, g.v))};
}

using Water = std::array<Vec6, 3>;  // of one m/s along each axis of the world

Water water_of(const BodyModel& m, const Regressors& g) noexcept {
  Water out;
  for (std::size_t a = 0; a < 3; ++a)
    out[a] = to_vec6(of_water(m, g, {g.R_BW(0, a), g.R_BW(1, a), g.R_BW(2, a)}));
  return out;
}

Row row_of(const BodyModel& m, std::size_t learned, const Regressors& g, const Water& water,
           std::size_t k) noexcept {
  Row row;
  for (std::size_t j = 0; j < learned; ++j) row.effort[j] = m.column_N[j][k] * g.effort[j];
  row.add(learned + kDrag + k, -g.drag[k]);
  for (std::size_t a = 0; a < 3; ++a) {
    row.add(learned + kCurrent + a, water[a][k]);
    if (k < 3) row.add(learned + kForce + a, g.R_BW(k, a));
  }
  if (k < 3) return row;
  // -W c x up
  const std::size_t i = k - 3, next = (i + 1) % 3, last = (i + 2) % 3;
  row.add(learned + kTorque + i, 1);
  row.add(learned + kCenterOfMass + next, -m.weight_N * g.R_BW(last, 2));
  row.add(learned + kCenterOfMass + last, m.weight_N * g.R_BW(next, 2));
  return row;
}

double times(const Row& row, std::size_t learned,
             const std::array<double, kMaxErrors>& x) noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < learned; ++j) sum += row.effort[j] * x[j];
  for (std::size_t j = 0; j < row.n; ++j) sum += row.value[j] * x[row.index[j]];
  return sum;
}

/// P h. P is symmetric: its rows are its columns.
void times(const ModelError& e, const Row& row, std::array<double, kMaxErrors>& out) noexcept {
  const std::size_t m = e.learned + kCommonErrors;
  for (std::size_t i = 0; i < m; ++i) out[i] = 0;
  for (std::size_t j = 0; j < e.learned; ++j)
    for (std::size_t i = 0; i < m; ++i) out[i] += row.effort[j] * e.P[j][i];
  for (std::size_t j = 0; j < row.n; ++j)
    for (std::size_t i = 0; i < m; ++i) out[i] += row.value[j] * e.P[row.index[j]][i];
}

/// H theta.
Vec6 product(const BodyModel& m, std::size_t learned, const std::array<double, kMaxErrors>& theta,
             const Regressors& g) noexcept {
  Vec6 r;
  for (std::size_t j = 0; j < learned; ++j) {
    const double effort = g.effort[j] * theta[j];
    for (std::size_t k = 0; k < 6; ++k) r[k] += m.column_N[j][k] * effort;
  }
  const double* t = theta.data() + learned;
  const Vec3 c{t[kCenterOfMass], t[kCenterOfMass + 1], t[kCenterOfMass + 2]};
  const Vec3 up{g.R_BW(0, 2), g.R_BW(1, 2), g.R_BW(2, 2)};
  const Vec3 force = g.R_BW * Vec3{t[kForce], t[kForce + 1], t[kForce + 2]};
  const Wrench water = of_water(m, g, g.R_BW * Vec3{t[kCurrent], t[kCurrent + 1], t[kCurrent + 2]});
  const Vec3 tilt = -m.weight_N * cross(c, up);
  for (std::size_t k = 0; k < 3; ++k) {
    r[k] += force[k] + water.force[k] - g.drag[k] * t[kDrag + k];
    r[k + 3] += t[kTorque + k] + tilt[k] + water.torque[k] - g.drag[k + 3] * t[kDrag + 3 + k];
  }
  return r;
}

/// A propulsor's share is this, and has nothing to do with what else was learnt.
void set_share(ModelError& e, std::size_t i, double share, double std) noexcept {
  for (std::size_t j = 0; j < e.learned + kCommonErrors; ++j) e.P[i][j] = e.P[j][i] = 0;
  e.P[i][i] = square(std);
  e.theta[i] = share;
}

}  // namespace

void complete(BodyModel& m) noexcept {
  m.linear_square = m.angular_square = {};
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t j = 0; j < 6; ++j)
      (j < 3 ? m.linear_square : m.angular_square)[k] += square(m.mass[6 * k + j]);
}

void begin(const ModelErrorParams& p, const BodyModel& m, ModelError& e) noexcept {
  e = {};
  e.learned = std::min<std::uint32_t>(m.n, kMaxLearned);
  const auto set = [&](std::size_t i, double std) noexcept { e.P[i][i] = std * std; };
  for (std::size_t i = 0; i < e.learned; ++i) set(i, p.thrust_std);
  for (std::size_t i = 0; i < 3; ++i) {
    set(e.learned + kForce + i, p.mass_std * m.weight_N);
    set(e.learned + kTorque + i, 0.3 * p.center_of_mass_std_m * m.weight_N);
    set(e.learned + kCurrent + i, p.current_std_m_s);
    set(e.learned + kCenterOfMass + i, p.center_of_mass_std_m);
  }
  for (std::size_t i = 0; i < 6; ++i) set(e.learned + kDrag + i, p.drag_std);
}

Vec3 current_of(const ModelError& e) noexcept {
  const double* c = e.theta.data() + e.learned + kCurrent;
  return {c[0], c[1], c[2]};
}

double current_std_m_s(const ModelError& e) noexcept {
  double sum = 0;
  for (std::size_t i = e.learned + kCurrent; i < e.learned + kCurrent + 3; ++i) sum += e.P[i][i];
  return std::sqrt(std::max(sum, 0.0) / 3);
}

Vec6 explained(const BodyModel& m, const ModelError& e, const Regressors& g) noexcept {
  return product(m, e.learned, e.theta, g);
}

Vec6 doubt(const BodyModel& m, ModelError& e, const Regressors& g, std::size_t i,
           double efficiency) noexcept {
  e.doubtful |= ChannelMask{1} << i;
  e.slow[i] = g.effort[i];
  if (i >= e.learned) return {};
  const double change = efficiency - 1 - e.theta[i];
  set_share(e, i, efficiency - 1, kDoubt);
  return change * g.effort[i] * m.column_N[i];
}

void trust(const ModelErrorParams& p, ModelError& e, std::size_t i) noexcept {
  e.doubtful &= ~(ChannelMask{1} << i);
  if (i < e.learned) set_share(e, i, 0, p.thrust_std);
}

Vec6 learn(const ModelErrorParams& p, const BodyModel& m, ModelError& e, const Regressors& g,
           const Vec6& r, const Vec6& noise, const Vec6& twist, double dt) noexcept {
  const std::size_t size = e.learned + kCommonErrors;
  // each row comes every sixth time
  const std::size_t k = e.next_row;
  e.next_row = (e.next_row + 1) % 6;
  for (std::size_t i = 0; i < e.learned; ++i)
    e.P[i][i] += square((e.doubtful >> i & 1U) != 0 ? kDoubtWalk : p.thrust_walk) * dt;
  const Vec3 up{g.R_BW(0, 2), g.R_BW(1, 2), g.R_BW(2, 2)};
  const double climbing = dot(up, g.v);
  for (std::size_t i = 0; i < 3; ++i) {
    double walked = square(p.force_walk_m_s2) * dt;
    if (i == 2) walked += square(p.vertical_walk_m_s2 * climbing) * dt;
    e.P[e.learned + kForce + i][e.learned + kForce + i] += walked * square(m.mass[7 * i]);
    e.P[e.learned + kTorque + i][e.learned + kTorque + i] +=
        square(p.torque_walk_rad_s2 * m.mass[7 * (i + 3)]) * dt;
    e.P[e.learned + kCurrent + i][e.learned + kCurrent + i] += square(p.current_walk_m_s) * dt;
  }

  const Row row = row_of(m, e.learned, g, water_of(m, g), k);
  std::array<double, kMaxErrors> Ph;
  times(e, row, Ph);
  const double known = times(row, e.learned, Ph);
  double R = kRepeat * (noise[k] - twist[k]) + twist[k];
  const double fit = square(r[k]) / (known + R);
  if (fit > 4) R = (known + R) * fit / 4 - known;
  const double scale = 1 / (known + R);
  if (!(scale > 0 && scale < 1e30)) return {};

  std::array<double, kMaxErrors> step;
  for (std::size_t i = 0; i < size; ++i) {
    const double gain = Ph[i] * scale;
    step[i] = gain * r[k];
    if (i < e.learned && (e.doubtful >> i & 1U) == 0) {
      const double most = kPlausible * p.thrust_std;
      step[i] = std::clamp(e.theta[i] + step[i], -most, most) - e.theta[i];
    }
    e.theta[i] += step[i];
    for (std::size_t j = 0; j < size; ++j) e.P[i][j] -= gain * Ph[j];
  }
  return product(m, e.learned, step, g);
}

Vec6 noise_of_twist(const ModelErrorParams& p, const BodyModel& m, double window_s,
                    double dt) noexcept {
  // white noise of the twist behind s / (T s + 1)^2
  const double sharp = dt / (4 * square(window_s) * window_s);
  const double v2 = square(p.velocity_std_m_s) * sharp,
               w2 = square(radians(p.rate_std_deg_s)) * sharp;
  Vec6 out;
  for (std::size_t k = 0; k < 6; ++k) out[k] = m.linear_square[k] * v2 + m.angular_square[k] * w2;
  return out;
}

Vec6 noise_of(const ModelErrorParams& p, const BodyModel& m, const ModelError& e,
              const Regressors& g, double window_s, double dt) noexcept {
  // a mount that is off, as far as the efforts are not what they mostly are
  double spread = 0;
  for (std::size_t j = 0; j < m.n; ++j) {
    const Vec6& b = m.column_N[j];
    spread += square(g.effort[j] - e.slow[j]) * (square(b[0]) + square(b[1]) + square(b[2]));
  }
  const double angle = radians(p.mount_angle_std_deg);
  const double at_mount = spread * (square(0.4 * angle) + square(p.mount_position_std_m));

  const auto& A = m.added_mass;
  // what added mass does in a turn, w x A v and v x A v: each of its terms is off by itself
  Vec6 turned;
  const Vec3 through = g.v - g.R_BW * current_of(e);
  const std::array<double, 3> v{through.x, through.y, through.z}, w{g.w.x, g.w.y, g.w.z};
  for (std::size_t i = 0; i < 3; ++i)
    for (const std::size_t step : {1U, 2U}) {
      const std::size_t j = (i + step) % 3, l = (i + 3 - step) % 3;
      turned[i] += square(w[j] * A[l] * v[l]);
      turned[i + 3] += square(v[j] * A[l] * v[l]) + square(w[j] * A[l + 3] * w[l]);
    }
  Vec6 out = noise_of_twist(p, m, window_s, dt);
  for (std::size_t k = 0; k < 6; ++k) {
    double d = out[k];
    d += square(m.mass[7 * k] *
                (k < 3 ? p.acceleration_floor_m_s2 : p.angular_acceleration_floor_rad_s2));
    d += square((p.mass_std * (m.mass[7 * k] - A[k]) + p.added_mass_std * A[k]) * g.rate[k]);
    d += square(p.added_mass_std) * turned[k];
    d += k < 3 ? spread * square(angle) : at_mount;
    out[k] = d;
  }
  return out;
}

void covariance(const ModelErrorParams& p, const BodyModel& m, const ModelError& e,
                const Regressors& first, const Regressors& second, const Vec6& noise,
                double window_s, Triangle& S) noexcept {
  const Water water = water_of(m, second);
  std::array<Row, 6> rows;
  for (std::size_t k = 0; k < 6; ++k) rows[k] = row_of(m, e.learned, second, water, k);
  std::array<double, kMaxErrors> Ph;
  for (std::size_t k = 0; k < 6; ++k) {
    times(e, rows[k], Ph);
    for (std::size_t c = 0; c <= k; ++c) S[k][c] = times(rows[c], e.learned, Ph);
    S[k][k] += noise[k];
  }
  for (std::size_t j = 0; j < m.n; ++j) {
    const Vec6& b = m.column_N[j];
    double v = square(p.lag_std_s * (first.effort[j] - second.effort[j]) / window_s);
    if (j >= e.learned) v += square(p.thrust_std * second.effort[j]);
    if ((e.doubtful >> j & 1U) != 0) v += square(0.5 * (second.effort[j] - e.slow[j]));
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c <= r; ++c) S[r][c] += v * b[r] * b[c];
  }
}

}  // namespace pintle::estimation
