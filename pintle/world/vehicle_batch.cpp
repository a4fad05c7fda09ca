#include "pintle/world/vehicle_batch.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <thread>
#include <variant>
#include <vector>

#include "pintle/world/batch_plan.h"
#include "pintle/world/batch_step.h"

namespace pintle::world {
namespace {

using batch::EngineItem;
using batch::FinItem;
using batch::kBlock;
using batch::Plan;
using batch::PropellerItem;
using propulsion::Instructions;

void step_baseline(const Plan& plan, double* rows, std::size_t a, std::size_t b) noexcept {
  batch::step<false>(plan, rows, a, b);
}
#if PINTLE_HAS_AVX
PINTLE_AVX2 void step_avx2(const Plan& plan, double* rows, std::size_t a, std::size_t b) noexcept {
  batch::step<false>(plan, rows, a, b);
}
PINTLE_AVX512 void step_avx512(const Plan& plan, double* rows, std::size_t a,
                               std::size_t b) noexcept {
  batch::step<false>(plan, rows, a, b);
}
#endif

using Stepper = void (*)(const Plan&, double*, std::size_t, std::size_t) noexcept;

Stepper stepper_here() noexcept {
#if PINTLE_HAS_AVX
  const Instructions set = propulsion::instructions_here();
  if (set == Instructions::kAvx512) return step_avx512;
  if (set == Instructions::kAvx2) return step_avx2;
#endif
  return step_baseline;
}

struct FreeRows {
  void operator()(double* rows) const noexcept { ::operator delete[](rows, std::align_val_t{64}); }
};

}  // namespace

struct VehicleBatch::Impl {
  Impl(const vehicle::Vehicle& craft, std::size_t n, const BatchSettings& settings)
      : laid_out(batch::lay_out(craft, settings)),
        plan(laid_out.plan),
        count(n),
        blocks((n + kBlock - 1) / kBlock),
        numbers(static_cast<double*>(
            ::operator new[](std::max<std::size_t>(blocks, 1) * plan.rows * kBlock * sizeof(double),
                             std::align_val_t{64}))) {
    std::fill_n(numbers.get(), blocks * plan.rows * kBlock, 0.0);
    // lanes behind the last craft are never stepped
    for (std::size_t i = 0; i < count; ++i) reset(craft, i);
  }

  void reset(const vehicle::Vehicle& craft, std::size_t i) noexcept {
    at(i, batch::kAttitude + 3) = 1;
    const BatchConditions c;
    at(i, batch::kDensity) = c.density_kg_m3;
    at(i, batch::kMassFactor) = c.mass_factor;
    at(i, batch::kThrustFactor) = c.thrust_factor;
    for (std::size_t k = 0; k < plan.tanks.size(); ++k)
      at(i, plan.tanks[k].row) =
          craft.tanks[k].starting_fuel_ratio * craft.tanks[k].params.capacity_kg;
    for (std::size_t k = 0; k < craft.propulsors.size(); ++k)
      if (laid_out.kind[k] == batch::Kind::kEngine)
        at(i, laid_out.row[k] + EngineItem::kFuel) = craft.propulsors[k].starting_fuel_ratio;
  }

  [[nodiscard]] double* block(std::size_t b) const noexcept {
    return numbers.get() + b * plan.rows * kBlock;
  }
  [[nodiscard]] double& at(std::size_t craft, std::size_t row) const noexcept {
    return block(craft / kBlock)[row * kBlock + craft % kBlock];
  }
  [[nodiscard]] Vec3 vec3_at(std::size_t craft, std::size_t row) const noexcept {
    return {at(craft, row), at(craft, row + 1), at(craft, row + 2)};
  }
  void put(std::size_t craft, std::size_t row, Vec3 v) const noexcept {
    at(craft, row) = v.x, at(craft, row + 1) = v.y, at(craft, row + 2) = v.z;
  }
  /// Where a propulsor of this kind keeps something; false where there is none.
  [[nodiscard]] bool is(std::size_t craft, std::size_t propulsor, batch::Kind kind) const noexcept {
    return craft < count && propulsor < laid_out.kind.size() && laid_out.kind[propulsor] == kind;
  }

  batch::LaidOut laid_out;
  const Plan& plan;
  std::size_t count, blocks;
  std::unique_ptr<double[], FreeRows> numbers;
};

VehicleBatch::VehicleBatch(const vehicle::Vehicle& craft, std::size_t count,
                           const BatchSettings& settings)
    : impl_(std::make_unique<Impl>(craft, count, settings)) {}
VehicleBatch::~VehicleBatch() = default;
VehicleBatch::VehicleBatch(VehicleBatch&&) noexcept = default;
VehicleBatch& VehicleBatch::operator=(VehicleBatch&&) noexcept = default;

std::size_t VehicleBatch::size() const noexcept { return impl_->count; }
std::size_t VehicleBatch::channels() const noexcept { return impl_->laid_out.channel_row.size(); }

BodyState VehicleBatch::body(std::size_t i) const noexcept {
  if (i >= size()) return {};
  const Impl& m = *impl_;
  return {{m.vec3_at(i, batch::kPosition),
           {m.at(i, batch::kAttitude), m.at(i, batch::kAttitude + 1), m.at(i, batch::kAttitude + 2),
            m.at(i, batch::kAttitude + 3)}},
          {m.vec3_at(i, batch::kVelocity), m.vec3_at(i, batch::kRate)}};
}

void VehicleBatch::set_body(std::size_t i, const BodyState& state) noexcept {
  if (i >= size()) return;
  const Quat q = normalized(state.X_WB.q);
  impl_->put(i, batch::kPosition, state.X_WB.p);
  impl_->put(i, batch::kAttitude, {q.x, q.y, q.z});
  impl_->at(i, batch::kAttitude + 3) = q.w;
  impl_->put(i, batch::kVelocity, state.V_WB_B.v);
  impl_->put(i, batch::kRate, state.V_WB_B.w);
}

bool VehicleBatch::set_conditions(std::size_t i, const BatchConditions& c) noexcept {
  if (i >= size() || !is_finite(c.wind_W) || !(c.density_kg_m3 >= 0) || !(c.mass_factor > 0) ||
      !std::isfinite(c.density_kg_m3 + c.mass_factor + c.thrust_factor))
    return false;
  impl_->put(i, batch::kWind, c.wind_W);
  impl_->at(i, batch::kDensity) = c.density_kg_m3;
  impl_->at(i, batch::kMassFactor) = c.mass_factor;
  impl_->at(i, batch::kThrustFactor) = c.thrust_factor;
  return true;
}

void VehicleBatch::set_command(std::size_t i, std::size_t channel, double value) noexcept {
  if (i < size() && channel < channels())
    impl_->at(i, impl_->laid_out.channel_row[channel]) = value;
}

void VehicleBatch::set_commands(std::size_t i, std::span<const double> values) noexcept {
  for (std::size_t k = 0; k < values.size(); ++k) set_command(i, k, values[k]);
}

void VehicleBatch::set_ignition(std::size_t i, std::size_t propulsor, bool on) noexcept {
  if (impl_->is(i, propulsor, batch::Kind::kEngine))
    impl_->at(i, impl_->laid_out.row[propulsor]) = on ? 1 : 0;
}

void VehicleBatch::set_noise(std::size_t i, std::size_t propulsor, double draw) noexcept {
  const Impl& m = *impl_;
  if (m.is(i, propulsor, batch::Kind::kEngine)) m.at(i, m.laid_out.row[propulsor] + 2) = draw;
  if (m.is(i, propulsor, batch::Kind::kPropeller))
    m.at(i, m.laid_out.row[propulsor] + PropellerItem::kNoise) = draw;
}

double VehicleBatch::thrust_N(std::size_t i, std::size_t propulsor) const noexcept {
  return impl_->is(i, propulsor, batch::Kind::kEngine)
             ? impl_->at(i, impl_->laid_out.row[propulsor] + EngineItem::kThrust)
             : 0;
}

double VehicleBatch::tank_kg(std::size_t i, std::size_t tank) const noexcept {
  return i < size() && tank < impl_->plan.tanks.size() ? impl_->at(i, impl_->plan.tanks[tank].row)
                                                       : 0;
}

void VehicleBatch::set_tank_kg(std::size_t i, std::size_t tank, double mass_kg) noexcept {
  if (i >= size() || tank >= impl_->plan.tanks.size()) return;
  const batch::TankItem& t = impl_->plan.tanks[tank];
  impl_->at(i, t.row) = propulsion::clip(mass_kg, 0, t.capacity);
}

double VehicleBatch::fuel_ratio(std::size_t i, std::size_t propulsor) const noexcept {
  return impl_->is(i, propulsor, batch::Kind::kEngine)
             ? impl_->at(i, impl_->laid_out.row[propulsor] + EngineItem::kFuel)
             : 0;
}

double VehicleBatch::actuation(std::size_t i, std::size_t propulsor) const noexcept {
  if (i >= size() || propulsor >= impl_->laid_out.kind.size()) return 0;
  const std::size_t row = impl_->laid_out.row[propulsor];
  switch (impl_->laid_out.kind[propulsor]) {
    case batch::Kind::kEngine: return impl_->at(i, row + EngineItem::kThrottle);
    case batch::Kind::kFin: return impl_->at(i, row + FinItem::kActuation);
    case batch::Kind::kPropeller: return impl_->at(i, row + PropellerItem::kThrottle);
  }
  return 0;
}

void VehicleBatch::step(std::size_t first, std::size_t last) noexcept {
  last = std::min(last, size());
  const Stepper stepper = stepper_here();
  while (first < last) {
    const std::size_t b = first / kBlock;
    const std::size_t end = std::min(last, (b + 1) * kBlock);
    stepper(impl_->plan, impl_->block(b), first - b * kBlock, end - b * kBlock);
    first = end;
  }
}

void VehicleBatch::step_one(std::size_t craft) noexcept {
  if (craft >= size()) return;
  batch::step<true>(impl_->plan, impl_->block(craft / kBlock), craft % kBlock, 0);
}

void VehicleBatch::run(std::size_t steps, std::size_t threads) {
  const auto slice = [this, steps](std::size_t first_block, std::size_t last_block) {
    // a block stays in the nearest cache for all its steps
    for (std::size_t b = first_block; b < last_block; ++b)
      for (std::size_t k = 0; k < steps; ++k) step(b * kBlock, (b + 1) * kBlock);
  };
  threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(impl_->blocks, 1));
  const auto border = [&](std::size_t k) { return k * impl_->blocks / threads; };
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < threads; ++k) others.emplace_back(slice, border(k), border(k + 1));
  slice(0, border(1));
}

}  // namespace pintle::world
