/// One step of one fin, all in doubles and without branches. For sources of this room.
#pragma once
#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/fin.h"

namespace pintle::propulsion {

struct FinConsts {
  double end;  ///< Of the lag.
  double lx, ly, lz, fx, fy, fz;
  double cla;             ///< Lift slope of the finite wing.
  double limit;           ///< rad.
  double per_deflection;  ///< Change of the angle of no lift per rad: taero eta.
  double flap;
  double alpha_0, stall_positive, stall_negative;  ///< rad.
  double cd_0;
  double per_lift;  ///< 1 / (pi aspect ratio).
  double plate;     ///< 0.41 (1 - exp(-17 / aspect ratio)).
  double half_rho_area;
  double chord;
};
struct FinCommand {
  double command, vx, vy, vz;
};
struct FinWrench {
  double fx, fy, fz, tx, ty, tz;
};

[[nodiscard]] FinConsts prepare(const FinParams& p, double density_kg_m3, double dt_s) noexcept;

struct FinKernel {
  using Consts = FinConsts;
  using State = FinState;
  using In = FinCommand;
  using Out = FinWrench;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    constexpr double kPi = 3.14159265358979323846;
    const double before = clip(tame(s.actuation), -4, 4);
    s.commanded = clip(tame(in.command), -1, 1);
    const double actuation = before + c.end * (s.commanded - before);
    s.actuation = actuation;

    // air: no vehicle of ours meets more than 1e6 m/s
    const double vx = clip(tame(in.vx), -1e6, 1e6), vy = clip(tame(in.vy), -1e6, 1e6),
                 vz = clip(tame(in.vz), -1e6, 1e6);
    const double up = -(vx * c.lx + vy * c.ly + vz * c.lz);
    const double ahead = vx * c.fx + vy * c.fy + vz * c.fz;
    const double in_plane = __builtin_sqrt(up * up + ahead * ahead);
    // divisions cost as much as ten products: one for each thing that is divided by
    const double per_speed = 1.0 / (in_plane > 0 ? in_plane : 1.0);
    const double sin_alpha = up * per_speed;
    const double cos_alpha = in_plane > 0 ? ahead * per_speed : 1.0;
    const double angle = arc_tangent(up, ahead);
    const double alpha = in_plane > 0 ? angle : 0.0;

    // what the deflection does to the angle of no lift and to the stall
    const double deflection = actuation * c.limit;
    const double shift = c.per_deflection * deflection;
    const double zero = c.alpha_0 - shift;
    const double high = zero + (c.stall_positive - c.alpha_0) + c.flap * shift;
    const double low = zero + (c.stall_negative - c.alpha_0) + c.flap * shift;
    const double not_above = alpha < high ? 1.0 : 0.0;
    const double attached = alpha > low ? not_above : 0.0;

    // induced angle: of the lifting line, or falling off towards 90 deg
    const double lift_line = c.cla * (alpha - zero);
    const double stall = alpha > 0 ? high : low;
    const double width = 0.5 * kPi - (alpha > 0 ? high : -low);
    const double beyond = alpha > 0 ? alpha - high : low - alpha;
    const double part = clip(beyond / (width > 1e-9 ? width : 1e-9), 0, 1);
    const double stalled_angle = c.cla * (stall - zero) * c.per_lift * (1.0 - part);
    const double line_angle = lift_line * c.per_lift;
    const double induced = attached > 0.5 ? line_angle : stalled_angle;
    const double effective = alpha - zero - induced;
    const SinCos e = sincos(effective);

    // along and across the chord
    const double size = magnitude(effective);
    const double bent = attached > 0.5 ? effective : size;
    const double plate_90 = (-4.26e-2 * deflection + 2.1e-1) * deflection + 1.98;
    const double along = (attached > 0.5 ? c.cd_0 : 0.5 * c.cd_0) * e.cos;
    const double below = attached > 0.5 ? e.cos : 0.56 + 0.44 * magnitude(e.sin);
    const double per_below = 1.0 / below;
    const double plate = plate_90 * e.sin * (per_below - c.plate);
    const double line = (lift_line + along * e.sin) * per_below;
    const double across = attached > 0.5 ? line : plate;
    const double plate_lift = across * e.cos - along * e.sin;
    const double lift = attached > 0.5 ? lift_line : plate_lift;
    const double drag = across * e.sin + along * e.cos;
    const double moment = -across * (0.25 - 0.175 * (1.0 - (2.0 / kPi) * bent));

    const double q = c.half_rho_area * (vx * vx + vy * vy + vz * vz);
    const double L = tame(lift * q), D = tame(drag * q), M = tame(moment * q * c.chord);
    const double a = L * cos_alpha + D * sin_alpha, b = L * sin_alpha - D * cos_alpha;
    return {c.lx * a + c.fx * b,
            c.ly * a + c.fy * b,
            c.lz * a + c.fz * b,
            M * (c.ly * c.fz - c.lz * c.fy),
            M * (c.lz * c.fx - c.lx * c.fz),
            M * (c.lx * c.fy - c.ly * c.fx)};
  }
};

}  // namespace pintle::propulsion
