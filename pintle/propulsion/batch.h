/// Thousands of independent propulsors of one kind, stepped together.
///
/// A batch keeps every number of the state in a column of its own (structure of arrays) and steps
/// all lanes with the widest vector instructions that the machine has, chosen at run time. The
/// arithmetic is that of the scalar `step`, in the same order, without contraction: each lane gives
/// the same bits as a propulsor stepped alone, whatever the width, the number of lanes or how they
/// are split between threads (`step(first, last)` of disjoint ranges may run at the same time).
///
///   Batch<BoosterPhysicalKernel> batch(n);            see *_kernel.h for the columns
///   batch.share(prepare(params, dt));                 or batch.consts(lane, …) for each its own
///   batch.in(0)[lane] = 1;                            ignition of a lane
///   batch.step(0, batch.size());
///   batch.out(0)[lane]                                its thrust
///
/// Columns are the members of the kernel's In, State and Out in their order. Nothing allocates
/// after the constructor.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "pintle/propulsion/booster_kernel.h"
#include "pintle/propulsion/engine_kernel.h"
#include "pintle/propulsion/fin_kernel.h"
#include "pintle/propulsion/gimbal_kernel.h"
#include "pintle/propulsion/instructions.h"
#include "pintle/propulsion/jet_kernel.h"
#include "pintle/propulsion/propeller_kernel.h"

namespace pintle::propulsion {

template <class T>
inline constexpr std::size_t kColumns = sizeof(T) / sizeof(double);

template <class Kernel>
class Batch {
 public:
  using Consts = typename Kernel::Consts;
  using State = typename Kernel::State;
  using In = typename Kernel::In;
  using Out = typename Kernel::Out;

  explicit Batch(std::size_t lanes);
  [[nodiscard]] std::size_t size() const noexcept { return lanes_; }

  /// One set of parameters for all lanes …
  void share(const Consts& consts) noexcept;
  /// … or each its own; the first call copies what was shared to all.
  void consts(std::size_t lane, const Consts& consts) noexcept;

  [[nodiscard]] std::span<double> in(std::size_t column) noexcept { return column_of(in_, column); }
  [[nodiscard]] std::span<double> out(std::size_t column) noexcept {
    return column_of(out_, column);
  }
  [[nodiscard]] State state(std::size_t lane) const noexcept;
  void set_state(std::size_t lane, const State& state) noexcept;

  /// Steps lanes first to last - 1.
  void step(std::size_t first, std::size_t last) noexcept;

 private:
  [[nodiscard]] std::span<double> column_of(std::vector<double>& block, std::size_t k) noexcept {
    return {block.data() + k * lanes_, lanes_};
  }
  std::size_t lanes_;
  bool shared_ = true;
  Consts common_{};
  std::vector<double> consts_, in_, state_, out_;
};

extern template class Batch<BoosterReferenceKernel>;
extern template class Batch<BoosterPhysicalKernel>;
extern template class Batch<GimbalKernel>;
extern template class Batch<EngineReferenceKernel>;
extern template class Batch<EnginePhysicalKernel>;
extern template class Batch<PropellerKernel>;
extern template class Batch<FinKernel>;
extern template class Batch<JetFirstOrderKernel>;
extern template class Batch<JetLagKernel>;
extern template class Batch<JetDirectKernel>;
extern template class Batch<JetNonlinearKernel>;

}  // namespace pintle::propulsion
