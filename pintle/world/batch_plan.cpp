#include "pintle/world/batch_plan.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

namespace pintle::world::batch {
namespace {

Symmetric symmetric(const Mat3& a) noexcept {
  return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(0, 2), a(1, 2)};
}

Vec3 turned(const vehicle::Mount& mount, double x, double y, double z) noexcept {
  return mount.R_BP * Vec3{x, y, z};
}

// a booster without a gimbal stands in one that does not move
EngineItem engine_item(const propulsion::EngineParams& p, const vehicle::Propulsor& propulsor,
                       const BatchSettings& settings) {
  const vehicle::Mount& mount = propulsor.mount;
  EngineItem item;
  item.consts = prepare(p, settings.dt_s);
  propulsion::EngineConsts& c = item.consts;
  const Vec3 t = turned(mount, c.x, c.y, c.z);
  const Vec3 a = turned(mount, c.gimbal.x1, c.gimbal.y1, c.gimbal.z1);
  const Vec3 b = turned(mount, c.gimbal.x2, c.gimbal.y2, c.gimbal.z2);
  c.x = t.x, c.y = t.y, c.z = t.z;
  c.gimbal.x1 = a.x, c.gimbal.y1 = a.y, c.gimbal.z1 = a.z;
  c.gimbal.x2 = b.x, c.gimbal.y2 = b.y, c.gimbal.z2 = b.z;
  item.reference = p.booster.behaviour == propulsion::Behaviour::kReference;
  item.at = mount.position_m;
  if (propulsor.tank == vehicle::kNoTank) {
    item.own_fuel_kg = p.booster.total_fuel_mass_kg;
    item.fuel_at = mount.position_m + mount.R_BP * p.booster.fuel_position_m;
    item.own_inertia =
        symmetric(mount.R_BP * Mat3::diagonal(p.booster.max_inertia_kgm2) * transpose(mount.R_BP));
  }
  return item;
}

FinItem fin_item(const propulsion::FinParams& p, const vehicle::Mount& mount,
                 const BatchSettings& settings) {
  FinItem item;
  // the published equations have a density of their own
  item.scaled = p.behaviour == propulsion::Behaviour::kPhysical;
  item.consts = prepare(p, 1, settings.dt_s);
  propulsion::FinConsts& c = item.consts;
  const Vec3 l = turned(mount, c.lx, c.ly, c.lz), f = turned(mount, c.fx, c.fy, c.fz);
  c.lx = l.x, c.ly = l.y, c.lz = l.z;
  c.fx = f.x, c.fy = f.y, c.fz = f.z;
  item.at = mount.position_m;
  return item;
}

PropellerItem propeller_item(const propulsion::PropellerParams& p, const vehicle::Mount& mount,
                             const BatchSettings& settings) {
  PropellerItem item;
  item.scaled = p.density_kg_m3 > 0;
  propulsion::Ambient air;
  air.density_kg_m3 = 1;
  item.consts = prepare(p, air, settings.dt_s);
  const Vec3 t = turned(mount, item.consts.x, item.consts.y, item.consts.z);
  item.consts.x = t.x, item.consts.y = t.y, item.consts.z = t.z;
  item.at = mount.position_m;
  return item;
}

TankItem tank_item(const propulsion::TankParams& p) {
  TankItem item;
  item.capacity = p.capacity_kg;
  item.per_capacity = 1 / p.capacity_kg;
  item.low = p.position_m;
  if (p.shape == propulsion::TankShape::kProportional) {
    item.flat = item.per_capacity * p.max_inertia_kgm2;
    return item;
  }
  // settled liquid, see propulsion/supply.h
  const Vec3 up = propulsion::unit_or_x(p.axis);
  item.low = p.position_m - (0.5 * p.height_m) * up;
  item.rise = (0.5 * p.height_m) * up;
  const double flat_across = p.radius_m * p.radius_m / 4;
  const double along = p.radius_m * p.radius_m / 2, deep = p.height_m * p.height_m / 12;
  std::size_t axis = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::abs(up[i]) >= std::abs(up[axis])) axis = i;
  for (std::size_t i = 0; i < 3; ++i) {
    item.flat[i] = i == axis ? along : flat_across;
    item.deep[i] = i == axis ? 0 : deep;
  }
  return item;
}

std::size_t take(Plan& plan, std::size_t rows) noexcept {
  const std::size_t first = plan.rows;
  plan.rows += rows;
  return first;
}

void add_engine(LaidOut& out, const propulsion::EngineParams& p, bool gimballed,
                const vehicle::Propulsor& propulsor, const BatchSettings& settings) {
  EngineItem item = engine_item(p, propulsor, settings);
  item.row = take(out.plan, EngineItem::kRows);
  out.kind.push_back(Kind::kEngine);
  out.row.push_back(item.row);
  out.channel_row.push_back(item.row + 1);
  if (gimballed) out.channel_row.insert(out.channel_row.end(), {item.row + 3, item.row + 4});
  const std::int32_t tank = propulsor.tank;
  if (tank >= 0 && static_cast<std::size_t>(tank) < out.plan.tanks.size())
    out.plan.tanks[static_cast<std::size_t>(tank)].engines.push_back(item);
  else
    out.plan.engines.push_back(item);
}

void add(LaidOut& out, const vehicle::Propulsor& p, const BatchSettings& settings) {
  if (const auto* engine = std::get_if<propulsion::EngineParams>(&p.model))
    return add_engine(out, *engine, true, p, settings);
  if (const auto* booster = std::get_if<propulsion::BoosterParams>(&p.model))
    return add_engine(out, {*booster, {}}, false, p, settings);
  if (const auto* fin = std::get_if<propulsion::FinParams>(&p.model)) {
    FinItem item = fin_item(*fin, p.mount, settings);
    item.row = take(out.plan, FinItem::kRows);
    out.kind.push_back(Kind::kFin);
    out.row.push_back(item.row);
    out.plan.fins.push_back(item);
  } else if (const auto* propeller = std::get_if<propulsion::PropellerParams>(&p.model)) {
    PropellerItem item = propeller_item(*propeller, p.mount, settings);
    item.row = take(out.plan, PropellerItem::kRows);
    out.kind.push_back(Kind::kPropeller);
    out.row.push_back(item.row);
    out.plan.propellers.push_back(item);
  } else {
    throw std::invalid_argument(p.name + " is a " + std::string(kind_of(p.model)) +
                                ": a batch steps boosters, fins and propellers");
  }
  out.channel_row.push_back(out.row.back());
}

}  // namespace

LaidOut lay_out(const vehicle::Vehicle& craft, const BatchSettings& settings) {
  if (!(settings.dt_s > 0) || !std::isfinite(settings.dt_s) ||
      !std::isfinite(settings.gravity_m_s2))
    throw std::invalid_argument("a batch needs a step above 0 s and a finite gravity");
  // also refuses a body without mass or inertia
  [[maybe_unused]] const BodyDynamics body(craft.body, {}, 0, settings.gravity_m_s2, 0);

  LaidOut out;
  Plan& plan = out.plan;
  plan.dt = settings.dt_s;
  plan.gravity = settings.gravity_m_s2;
  plan.mass = craft.body.mass_kg;
  plan.com = craft.body.center_of_mass_m;
  const Vec3 d = craft.body.inertia_kgm2, o = craft.body.inertia_products_kgm2;
  plan.inertia = {d.x, d.y, d.z, o.x, o.y, o.z};

  for (const vehicle::Tank& t : craft.tanks) {
    plan.tanks.push_back(tank_item(t.params));
    plan.tanks.back().row = take(plan, 1);
  }
  for (const vehicle::DragBody& b : craft.drag_bodies) {
    const bool scaled = !(b.params.density_kg_m3 > 0);
    const double half = scaled ? 0.5 : 0.5 * b.params.density_kg_m3;
    const Vec3 cd = b.params.drag_coef, a = b.params.area_m2;
    plan.drags.push_back(
        {b.position_m, {half * cd.x * a.x, half * cd.y * a.y, half * cd.z * a.z}, scaled});
  }
  for (const vehicle::Propulsor& p : craft.propulsors) add(out, p, settings);
  return out;
}

}  // namespace pintle::world::batch
