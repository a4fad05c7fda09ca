/// One step of a block of equal craft, all in doubles and without branches: the passes that
/// vehicle_batch.cpp compiles once per set of instructions. Internal to this room.
///
/// A block holds kBlock craft, every number of theirs in a row of its own. A pass goes along the
/// rows once; what the passes tell each other is in Scratch. Lanes never meet, so that their bits
/// depend on nothing but their own numbers.
#pragma once
#include <vector>

#include "pintle/base/geometry.h"
#include "pintle/propulsion/engine_kernel.h"
#include "pintle/propulsion/fin_kernel.h"
#include "pintle/propulsion/instructions.h"
#include "pintle/propulsion/propeller_kernel.h"

namespace pintle::world::batch {

inline constexpr std::size_t kBlock = 64;

/// xx, yy, zz, xy, xz, yz.
struct Symmetric {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// Rows that every craft has: the first of each.
enum Row : std::size_t {
  kPosition = 0,
  kAttitude = 3,  // x, y, z, w
  kVelocity = 7,
  kRate = 10,
  kWind = 13,
  kDensity = 16,
  kMassFactor = 17,
  kThrustFactor = 18,
  kFixedRows = 19,
};

struct EngineItem {
  propulsion::EngineConsts consts;  ///< Axes in body coordinates.
  bool reference = false;
  Vec3 at;                 ///< p_B.
  double own_fuel_kg = 0;  ///< Of its own; 0 on a tank.
  Vec3 fuel_at;            ///< Where that lies.
  Symmetric own_inertia;   ///< Of that fuel, per full load.
  std::size_t row = 0;     ///< ignition, pwm, noise, command_1, command_2 …
  static constexpr std::size_t kLit = 5, kFuel = 6, kThrottle = 7, kGimbal = 8, kThrust = 10,
                               kRows = 11;
};
struct FinItem {
  propulsion::FinConsts consts;  ///< Axes in body coordinates; density 1 where it is `scaled`.
  bool scaled = false;
  Vec3 at;
  std::size_t row = 0;
  static constexpr std::size_t kActuation = 1, kRows = 2;
};
struct PropellerItem {
  propulsion::PropellerConsts consts;
  bool scaled = false;
  Vec3 at;
  std::size_t row = 0;
  static constexpr std::size_t kNoise = 1, kThrottle = 2, kRows = 3;
};
struct DragItem {
  Vec3 at;
  Vec3 half_area;  ///< Cd A / 2, times the density where it is not `scaled`.
  bool scaled = false;
};
/// m kg in it: centre at + low + (m / capacity) rise, inertia m (flat + (m / capacity)^2 deep).
struct TankItem {
  double per_capacity = 0, capacity = 0;
  Vec3 low, rise;
  Vec3 flat, deep;
  std::vector<EngineItem> engines;
  std::size_t row = 0;
};

/// What all craft of a batch have in common.
struct Plan {
  double dt = 0, gravity = 0;
  double mass = 0;
  Vec3 com;
  Symmetric inertia;  ///< About the centre of mass, without fuel.
  std::vector<DragItem> drags;
  std::vector<FinItem> fins;
  std::vector<PropellerItem> propellers;
  std::vector<EngineItem> engines;
  std::vector<TankItem> tanks;
  std::size_t rows = kFixedRows;
};

struct alignas(64) Scratch {
  double vx[kBlock], vy[kBlock], vz[kBlock];  // of Bo through the air, body coordinates
  double fx[kBlock], fy[kBlock], fz[kBlock];  // wrench at Bo
  double tx[kBlock], ty[kBlock], tz[kBlock];
  double m[kBlock], mx[kBlock], my[kBlock], mz[kBlock];  // mass, and mass times place
  double xx[kBlock], yy[kBlock], zz[kBlock], xy[kBlock], xz[kBlock], yz[kBlock];  // about Bo
  double need[kBlock], share[kBlock];  // of the tank at hand
};

/// Unit quaternion to matrix, as in BodyDynamics.
struct Turned {
  double r00, r01, r02, r10, r11, r12, r20, r21, r22;
};
PINTLE_INLINE Turned matrix_of(double x, double y, double z, double w) noexcept {
  const double x2 = x + x, y2 = y + y, z2 = z + z;
  const double xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
  const double wx = w * x2, wy = w * y2, wz = w * z2;
  return {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
          yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
}

struct V {
  double x, y, z;
};
PINTLE_INLINE V cross_of(V a, V b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
PINTLE_INLINE V plus(V a, V b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
PINTLE_INLINE V minus(V a, V b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
PINTLE_INLINE V times(double s, V a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
PINTLE_INLINE V apply(const Symmetric& a, V b) noexcept {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
PINTLE_INLINE V row_vector(const double* rows, std::size_t row, std::size_t j) noexcept {
  return {rows[row * kBlock + j], rows[(row + 1) * kBlock + j], rows[(row + 2) * kBlock + j]};
}
PINTLE_INLINE V flow(const Scratch& s, const double* rows, Vec3 at, std::size_t j) noexcept {
  const V w = row_vector(rows, kRate, j);
  return plus({s.vx[j], s.vy[j], s.vz[j]}, cross_of(w, {at.x, at.y, at.z}));
}
PINTLE_INLINE void push(Scratch& s, std::size_t j, Vec3 at, V f, V t) noexcept {
  const V arm = cross_of({at.x, at.y, at.z}, f);
  s.fx[j] += f.x, s.fy[j] += f.y, s.fz[j] += f.z;
  s.tx[j] += t.x + arm.x, s.ty[j] += t.y + arm.y, s.tz[j] += t.z + arm.z;
}
/// A mass with its inertia about its own centre.
PINTLE_INLINE void add_mass(Scratch& s, std::size_t j, double m, V c, const Symmetric& i) noexcept {
  s.m[j] += m;
  s.mx[j] += m * c.x, s.my[j] += m * c.y, s.mz[j] += m * c.z;
  s.xx[j] += i.xx + m * (c.y * c.y + c.z * c.z);
  s.yy[j] += i.yy + m * (c.x * c.x + c.z * c.z);
  s.zz[j] += i.zz + m * (c.x * c.x + c.y * c.y);
  s.xy[j] += i.xy - m * (c.x * c.y);
  s.xz[j] += i.xz - m * (c.x * c.z);
  s.yz[j] += i.yz - m * (c.y * c.z);
}
PINTLE_INLINE Symmetric scaled(double s, const Symmetric& i) noexcept {
  return {s * i.xx, s * i.yy, s * i.zz, s * i.xy, s * i.xz, s * i.yz};
}

PINTLE_INLINE void begin(const Plan& plan, const double* rows, Scratch& s, std::size_t first,
                         std::size_t last) noexcept {
  const double mass = plan.mass;
  const Vec3 com = plan.com;
  const Symmetric inertia = plan.inertia;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const double* const q = rows + kAttitude * kBlock + j;
    const Turned R = matrix_of(q[0], q[kBlock], q[2 * kBlock], q[3 * kBlock]);
    const V wind = row_vector(rows, kWind, j), v = row_vector(rows, kVelocity, j);
    s.vx[j] = v.x - (R.r00 * wind.x + R.r10 * wind.y + R.r20 * wind.z);
    s.vy[j] = v.y - (R.r01 * wind.x + R.r11 * wind.y + R.r21 * wind.z);
    s.vz[j] = v.z - (R.r02 * wind.x + R.r12 * wind.y + R.r22 * wind.z);
    s.fx[j] = s.fy[j] = s.fz[j] = s.tx[j] = s.ty[j] = s.tz[j] = 0;
    s.m[j] = s.mx[j] = s.my[j] = s.mz[j] = 0;
    s.xx[j] = s.yy[j] = s.zz[j] = s.xy[j] = s.xz[j] = s.yz[j] = 0;
    const double factor = rows[kMassFactor * kBlock + j];
    add_mass(s, j, factor * mass, {com.x, com.y, com.z}, scaled(factor, inertia));
  }
}

PINTLE_INLINE void drag(const DragItem& item, const double* rows, Scratch& s, std::size_t first,
                        std::size_t last) noexcept {
  const DragItem d = item;
  const double by_density = d.scaled ? 1.0 : 0.0, fixed = 1.0 - by_density;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const V v = flow(s, rows, d.at, j);
    const double density = fixed + by_density * rows[kDensity * kBlock + j];
    push(s, j, d.at,
         {-density * d.half_area.x * v.x * propulsion::magnitude(v.x),
          -density * d.half_area.y * v.y * propulsion::magnitude(v.y),
          -density * d.half_area.z * v.z * propulsion::magnitude(v.z)},
         {0, 0, 0});
  }
}

PINTLE_INLINE void fin(const FinItem& item, double* rows, Scratch& s, std::size_t first,
                       std::size_t last) noexcept {
  const FinItem f = item;
  const double by_density = f.scaled ? 1.0 : 0.0, fixed = 1.0 - by_density;
  double* const row = rows + f.row * kBlock;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const V v = flow(s, rows, f.at, j);
    propulsion::FinState state{row[FinItem::kActuation * kBlock + j]};
    const propulsion::FinWrench w =
        propulsion::FinKernel::update(f.consts, state, {row[j], v.x, v.y, v.z});
    row[FinItem::kActuation * kBlock + j] = state.actuation;
    const double density = fixed + by_density * rows[kDensity * kBlock + j];
    push(s, j, f.at, times(density, {w.fx, w.fy, w.fz}), times(density, {w.tx, w.ty, w.tz}));
  }
}

PINTLE_INLINE void propeller(const PropellerItem& item, double* rows, Scratch& s, std::size_t first,
                             std::size_t last) noexcept {
  const PropellerItem p = item;
  const double by_density = p.scaled ? 1.0 : 0.0, fixed = 1.0 - by_density;
  double* const row = rows + p.row * kBlock;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    propulsion::PropellerState state{row[PropellerItem::kThrottle * kBlock + j]};
    const propulsion::PropellerWrench w = propulsion::PropellerKernel::update(
        p.consts, state, {row[j], row[PropellerItem::kNoise * kBlock + j], 1});
    row[PropellerItem::kThrottle * kBlock + j] = state.throttle;
    const double scale =
        (fixed + by_density * rows[kDensity * kBlock + j]) * rows[kThrustFactor * kBlock + j];
    push(s, j, p.at, times(scale, {w.fx, w.fy, w.fz}), times(scale, {w.tx, w.ty, w.tz}));
  }
}

/// What an engine would burn with all that it wants, kg, added to the tank's need.
PINTLE_INLINE void ask(const EngineItem& item, const double* rows, Scratch& s, std::size_t first,
                       std::size_t last) noexcept {
  const propulsion::BoosterConsts consts = item.consts.booster;
  const double* const row = rows + item.row * kBlock;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    propulsion::BoosterState state{row[EngineItem::kLit * kBlock + j],
                                   row[EngineItem::kFuel * kBlock + j],
                                   row[EngineItem::kThrottle * kBlock + j]};
    const propulsion::BoosterThrust t = propulsion::BoosterPhysicalKernel::update(
        consts, state, {row[j], row[kBlock + j], row[2 * kBlock + j], 1});
    s.need[j] += t.burnt;
  }
}

/// s.share is what it may have; s.need counts what it takes.
template <class Kernel>
PINTLE_INLINE void engine(const EngineItem& item, double* rows, Scratch& s, std::size_t first,
                          std::size_t last) noexcept {
  using E = EngineItem;
  const E e = item;
  double* const row = rows + e.row * kBlock;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const double before = row[E::kFuel * kBlock + j];
    propulsion::EngineState state{
        {row[E::kLit * kBlock + j], before, row[E::kThrottle * kBlock + j]},
        {row[E::kGimbal * kBlock + j], row[(E::kGimbal + 1) * kBlock + j]}};
    const propulsion::EngineThrust t =
        Kernel::update(e.consts, state,
                       {row[j], row[kBlock + j], row[2 * kBlock + j], s.share[j],
                        row[3 * kBlock + j], row[4 * kBlock + j]});
    row[E::kLit * kBlock + j] = state.booster.lit;
    row[E::kFuel * kBlock + j] = state.booster.fuel_ratio;
    row[E::kThrottle * kBlock + j] = state.booster.throttle;
    row[E::kGimbal * kBlock + j] = state.gimbal.q_1;
    row[(E::kGimbal + 1) * kBlock + j] = state.gimbal.q_2;
    const double factor = rows[kThrustFactor * kBlock + j];
    row[E::kThrust * kBlock + j] = factor * t.thrust;
    s.need[j] += t.burnt;
    push(s, j, e.at, times(factor, {t.fx, t.fy, t.fz}), {0, 0, 0});
    const double load = 0.5 * (before + state.booster.fuel_ratio);
    add_mass(s, j, load * e.own_fuel_kg, {e.fuel_at.x, e.fuel_at.y, e.fuel_at.z},
             scaled(load, e.own_inertia));
  }
}

PINTLE_INLINE void engine_of(const EngineItem& e, double* rows, Scratch& s, std::size_t first,
                             std::size_t last) noexcept {
  if (e.reference)
    engine<propulsion::EngineReferenceKernel>(e, rows, s, first, last);
  else
    engine<propulsion::EnginePhysicalKernel>(e, rows, s, first, last);
}

PINTLE_INLINE void tank(const TankItem& tank, double* rows, Scratch& s, std::size_t first,
                        std::size_t last) noexcept {
  double* const fill = rows + tank.row * kBlock;
  for (std::size_t j = first; j < last; ++j) s.need[j] = 0;
  for (const EngineItem& e : tank.engines) ask(e, rows, s, first, last);
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const double there = fill[j], need = s.need[j];
    const double part = there < need ? there / (need > 0 ? need : 1.0) : 1.0;
    s.share[j] = there > 0 ? part : 0.0;
    s.need[j] = 0;
  }
  for (const EngineItem& e : tank.engines) engine_of(e, rows, s, first, last);

  const double capacity = tank.capacity, per_capacity = tank.per_capacity;
  const Vec3 low = tank.low, rise = tank.rise, flat = tank.flat, deep = tank.deep;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const double before = fill[j], left = before - s.need[j];
    // what rounding leaves of the last step is nothing
    const double after = left > 1e-15 * capacity ? left : 0.0;
    fill[j] = after;
    const double m = 0.5 * (before + after), ratio = propulsion::clip(m * per_capacity, 0, 1);
    const double square = ratio * ratio;
    add_mass(s, j, m, {low.x + ratio * rise.x, low.y + ratio * rise.y, low.z + ratio * rise.z},
             {m * (flat.x + square * deep.x), m * (flat.y + square * deep.y),
              m * (flat.z + square * deep.z), 0, 0, 0});
  }
}

// ---------------------------------------------------------------------------------------------
// the rigid body

struct Held {
  V force_per_mass, torque, c;  // at the centre of mass, body coordinates
  Symmetric inertia, inverse;
  double gravity;
};
struct Motion4 {
  V v, w;
  double x, y, z, u;  // attitude
};
struct Change {
  V p, v, w;
  double x, y, z, u;
};

/// v' and w' of Bo under the held wrench; gravity in the axes of the moment.
PINTLE_INLINE Change change(const Held& h, const Motion4& s) noexcept {
  const Turned R = matrix_of(s.x, s.y, s.z, s.u);
  const V v = s.v, w = s.w;
  const V alpha = apply(h.inverse, minus(h.torque, cross_of(w, apply(h.inertia, w))));
  const V carried = plus(cross_of(alpha, h.c), cross_of(w, plus(v, cross_of(w, h.c))));
  const V weight = times(h.gravity, {R.r20, R.r21, R.r22});
  return {{R.r00 * v.x + R.r01 * v.y + R.r02 * v.z, R.r10 * v.x + R.r11 * v.y + R.r12 * v.z,
           R.r20 * v.x + R.r21 * v.y + R.r22 * v.z},
          minus(minus(h.force_per_mass, weight), carried),
          alpha,
          0.5 * (s.u * w.x + s.y * w.z - s.z * w.y),
          0.5 * (s.u * w.y - s.x * w.z + s.z * w.x),
          0.5 * (s.u * w.z + s.x * w.y - s.y * w.x),
          -0.5 * (s.x * w.x + s.y * w.y + s.z * w.z)};
}
PINTLE_INLINE Motion4 moved(const Motion4& s, double h, const Change& d) noexcept {
  return {plus(s.v, times(h, d.v)),
          plus(s.w, times(h, d.w)),
          s.x + h * d.x,
          s.y + h * d.y,
          s.z + h * d.z,
          s.u + h * d.u};
}
PINTLE_INLINE double mean(double a, double b, double c, double d) noexcept {
  return a + 2.0 * (b + c) + d;
}
PINTLE_INLINE V mean(V a, V b, V c, V d) noexcept {
  return {mean(a.x, b.x, c.x, d.x), mean(a.y, b.y, c.y, d.y), mean(a.z, b.z, c.z, d.z)};
}

PINTLE_INLINE Held held(const Scratch& s, std::size_t j, double gravity) noexcept {
  const double per_mass = 1.0 / s.m[j], m = s.m[j];
  Held h;
  h.gravity = gravity;
  h.c = times(per_mass, {s.mx[j], s.my[j], s.mz[j]});
  const V f{s.fx[j], s.fy[j], s.fz[j]}, c = h.c;
  h.force_per_mass = times(per_mass, f);
  h.torque = minus({s.tx[j], s.ty[j], s.tz[j]}, cross_of(c, f));
  h.inertia = {s.xx[j] - m * (c.y * c.y + c.z * c.z),
               s.yy[j] - m * (c.x * c.x + c.z * c.z),
               s.zz[j] - m * (c.x * c.x + c.y * c.y),
               s.xy[j] + m * (c.x * c.y),
               s.xz[j] + m * (c.x * c.z),
               s.yz[j] + m * (c.y * c.z)};
  const Symmetric& i = h.inertia;
  const Symmetric adjoint{i.yy * i.zz - i.yz * i.yz, i.xx * i.zz - i.xz * i.xz,
                          i.xx * i.yy - i.xy * i.xy, i.xz * i.yz - i.xy * i.zz,
                          i.xy * i.yz - i.xz * i.yy, i.xy * i.xz - i.xx * i.yz};
  const double determinant = i.xx * adjoint.xx + i.xy * adjoint.xy + i.xz * adjoint.xz;
  h.inverse = scaled(1.0 / determinant, adjoint);
  return h;
}

PINTLE_INLINE void move(const Plan& plan, double* rows, const Scratch& s, std::size_t first,
                        std::size_t last) noexcept {
  const double dt = plan.dt, half = 0.5 * dt, sixth = dt / 6, gravity = plan.gravity;
  double* const p = rows + kPosition * kBlock;
  double* const q = rows + kAttitude * kBlock;
  double* const v = rows + kVelocity * kBlock;
  double* const w = rows + kRate * kBlock;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const Held h = held(s, j, gravity);
    const Motion4 at{row_vector(rows, kVelocity, j),
                     row_vector(rows, kRate, j),
                     q[j],
                     q[kBlock + j],
                     q[2 * kBlock + j],
                     q[3 * kBlock + j]};
    const Change a = change(h, at);
    const Change b = change(h, moved(at, half, a));
    const Change c = change(h, moved(at, half, b));
    const Change d = change(h, moved(at, dt, c));
    const V dp = mean(a.p, b.p, c.p, d.p), dv = mean(a.v, b.v, c.v, d.v),
            dw = mean(a.w, b.w, c.w, d.w);
    p[j] += sixth * dp.x, p[kBlock + j] += sixth * dp.y, p[2 * kBlock + j] += sixth * dp.z;
    v[j] = at.v.x + sixth * dv.x, v[kBlock + j] = at.v.y + sixth * dv.y;
    v[2 * kBlock + j] = at.v.z + sixth * dv.z;
    w[j] = at.w.x + sixth * dw.x, w[kBlock + j] = at.w.y + sixth * dw.y;
    w[2 * kBlock + j] = at.w.z + sixth * dw.z;
    const double x = at.x + sixth * mean(a.x, b.x, c.x, d.x);
    const double y = at.y + sixth * mean(a.y, b.y, c.y, d.y);
    const double z = at.z + sixth * mean(a.z, b.z, c.z, d.z);
    const double u = at.u + sixth * mean(a.u, b.u, c.u, d.u);
    const double norm = 1.0 / __builtin_sqrt(x * x + y * y + z * z + u * u);
    q[j] = norm * x, q[kBlock + j] = norm * y, q[2 * kBlock + j] = norm * z;
    q[3 * kBlock + j] = norm * u;
  }
}

/// Lanes `first` to `to` - 1 of a block; with kOne the first alone, a loop nowhere.
template <bool kOne>
PINTLE_INLINE void step(const Plan& plan, double* rows, std::size_t first,
                        std::size_t to) noexcept {
  const std::size_t last = kOne ? first + 1 : to;
  Scratch s;
  begin(plan, rows, s, first, last);
  for (const DragItem& d : plan.drags) drag(d, rows, s, first, last);
  for (const FinItem& f : plan.fins) fin(f, rows, s, first, last);
  for (const PropellerItem& p : plan.propellers) propeller(p, rows, s, first, last);
  for (std::size_t j = first; j < last; ++j) s.share[j] = 1, s.need[j] = 0;
  for (const EngineItem& e : plan.engines) engine_of(e, rows, s, first, last);
  for (const TankItem& t : plan.tanks) tank(t, rows, s, first, last);
  move(plan, rows, s, first, last);
}

}  // namespace pintle::world::batch
