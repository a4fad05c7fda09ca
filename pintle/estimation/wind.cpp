#include "pintle/estimation/wind.h"

#include <algorithm>
#include <cmath>

namespace pintle::estimation {
namespace {

constexpr std::size_t kN = 4;
constexpr double kMost = 1e9;

double& at(std::array<double, 16>& m, std::size_t r, std::size_t c) noexcept {
  return m[kN * r + c];
}

bool is_moderate(Vec3 a) noexcept {
  return std::abs(a.x) < kMost && std::abs(a.y) < kMost && std::abs(a.z) < kMost;
}

void begin(const WindParams& p, WindState& s, Vec3 v_W) noexcept {
  s = {};
  s.has_velocity = true;
  s.x[0] = v_W.x;
  s.x[1] = v_W.y;
  for (std::size_t i = 0; i < 2; ++i) {
    at(s.p, i, i) = p.speed_noise_m_s * p.speed_noise_m_s;
    at(s.p, i + 2, i + 2) = p.start_m_s * p.start_m_s;
  }
}

/// P = A P A^T + Q with A = [1, J dt; 0, 1].
void predict(const WindParams& p, WindState& s, const WindModel& m, double dt) noexcept {
  const std::array<double, 4> j{dt / m.mass_kg * m.per_east.x, dt / m.mass_kg * m.per_north.x,
                                dt / m.mass_kg * m.per_east.y, dt / m.mass_kg * m.per_north.y};
  s.x[0] += dt / m.mass_kg * m.force_N.x;
  s.x[1] += dt / m.mass_kg * m.force_N.y;
  for (std::size_t c = 0; c < kN; ++c)
    for (std::size_t r = 0; r < 2; ++r)
      at(s.p, r, c) += j[2 * r] * at(s.p, 2, c) + j[2 * r + 1] * at(s.p, 3, c);
  for (std::size_t r = 0; r < kN; ++r)
    for (std::size_t c = 0; c < 2; ++c)
      at(s.p, r, c) += j[2 * c] * at(s.p, r, 2) + j[2 * c + 1] * at(s.p, r, 3);
  const double thrust = p.thrust_error * m.thrust_N / m.mass_kg;
  for (std::size_t i = 0; i < 2; ++i) {
    at(s.p, i, i) += dt * (p.force_error * p.force_error + thrust * thrust);
    at(s.p, i + 2, i + 2) += dt * p.gust * p.gust;
  }
}

/// One component of the velocity.
void correct(const WindParams& p, WindState& s, std::size_t axis, double measured) noexcept {
  const double variance = at(s.p, axis, axis) + p.speed_noise_m_s * p.speed_noise_m_s;
  if (!(variance > 0)) return;
  std::array<double, kN> gain{}, row{};
  for (std::size_t i = 0; i < kN; ++i) {
    gain[i] = at(s.p, i, axis) / variance;
    row[i] = at(s.p, axis, i);
  }
  const double error = measured - s.x[axis];
  for (std::size_t r = 0; r < kN; ++r) {
    s.x[r] += gain[r] * error;
    for (std::size_t c = 0; c < kN; ++c) at(s.p, r, c) -= gain[r] * row[c];
  }
}

}  // namespace

void update(const WindParams& p, WindState& s, const WindModel& m, Vec3 v_W, double dt_s) noexcept {
  if (!(p.largest_m_s > 0) || !(m.mass_kg > 1e-6 && m.mass_kg < kMost) || !is_moderate(v_W) ||
      !is_moderate(m.force_N) || !is_moderate(m.per_east) || !is_moderate(m.per_north) ||
      !(std::abs(m.thrust_N) < kMost) || !(dt_s >= 0 && dt_s < 1))
    return;
  const WindState before = s;
  if (!s.has_velocity) {
    begin(p, s, v_W);
  } else {
    predict(p, s, m, dt_s);
    correct(p, s, 0, v_W.x);
    correct(p, s, 1, v_W.y);
  }
  const double size = std::hypot(s.x[2], s.x[3]);
  if (size > p.largest_m_s) {
    s.x[2] *= p.largest_m_s / size;
    s.x[3] *= p.largest_m_s / size;
  }
  double sum = 0;
  for (const double x : s.x) sum += std::abs(x);
  for (const double x : s.p) sum += std::abs(x);
  // never leaves anything behind that the next step could not use
  if (!(sum < kMost)) s = before;
}

}  // namespace pintle::estimation

namespace pintle {

using estimation::WindParams;
using estimation::WindState;

template <>
const Table& table_of<WindParams>() {
  using P = WindParams;
  static const Table table =
      TableBuilder<P>("Wind", "The level wind, from how the craft moves in it.")
          .field("largest_m_s", &P::largest_m_s, "m/s",
                 "The estimate stays below; 0: no wind is estimated.")
          .range(0, 100)
          .field("start_m_s", &P::start_m_s, "m/s", "Standard deviation at the start, each axis.")
          .range(0, 100)
          .field("gust", &P::gust, "m/s/sqrt(s)", "Growth of that deviation in a second.")
          .range(0, 100)
          .field("speed_noise_m_s", &P::speed_noise_m_s, "m/s", "Of the measured velocity.")
          .range(1e-6, 100)
          .field("force_error", &P::force_error, "m/s/sqrt(s)", "Of the models, in a second.")
          .range(0, 100)
          .field("thrust_error", &P::thrust_error, "",
                 "The same, as a share of the thrust's acceleration.")
          .range(0, 1)
          .build();
  return table;
}

template <>
const Table& table_of<WindState>() {
  using S = WindState;
  static const Table table =
      TableBuilder<S>("WindState", "What the wind's filter believes.")
          .field("has_velocity", &S::has_velocity, "", "Has begun.")
          .field("x", &S::x, "m/s", "Velocity of craft and air, east and north.")
          .field("p", &S::p, "m^2/s^2", "Covariance, row by row.")
          .build();
  return table;
}

}  // namespace pintle
