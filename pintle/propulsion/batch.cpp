#include "pintle/propulsion/batch.h"

#include <algorithm>
#include <utility>

namespace pintle::propulsion {
namespace {

/// Where the columns of a batch begin.
struct Columns {
  const double* consts;
  const double* in;
  double* state;
  double* out;
  std::size_t lanes;
};

template <class T>
using Numbers = std::array<double, kColumns<T>>;

template <class T, std::size_t... I>
PINTLE_INLINE T load(const double* block, std::size_t lanes, std::size_t lane,
                     std::index_sequence<I...>) noexcept {
  return std::bit_cast<T>(Numbers<T>{block[I * lanes + lane]...});
}
template <class T>
PINTLE_INLINE T load(const double* block, std::size_t lanes, std::size_t lane) noexcept {
  return load<T>(block, lanes, lane, std::make_index_sequence<kColumns<T>>{});
}
template <class T, std::size_t... I>
PINTLE_INLINE void store(double* block, std::size_t lanes, std::size_t lane, const T& value,
                         std::index_sequence<I...>) noexcept {
  const auto numbers = std::bit_cast<Numbers<T>>(value);
  ((block[I * lanes + lane] = numbers[I]), ...);
}
template <class T>
PINTLE_INLINE void store(double* block, std::size_t lanes, std::size_t lane,
                         const T& value) noexcept {
  store(block, lanes, lane, value, std::make_index_sequence<kColumns<T>>{});
}

template <class K, bool kShared>
PINTLE_INLINE void sweep(const typename K::Consts& common, const Columns& c, std::size_t first,
                         std::size_t last) noexcept {
  const double* const consts = c.consts;
  const double* const in = c.in;
  double* const state = c.state;
  double* const out = c.out;
  const std::size_t lanes = c.lanes;
  const typename K::Consts shared = common;
  PINTLE_INDEPENDENT
  for (std::size_t j = first; j < last; ++j) {
    const auto k = kShared ? shared : load<typename K::Consts>(consts, lanes, j);
    auto s = load<typename K::State>(state, lanes, j);
    const auto result = K::update(k, s, load<typename K::In>(in, lanes, j));
    store(state, lanes, j, s);
    store(out, lanes, j, result);
  }
}

// the same loop, compiled for each set of instructions
template <class K, bool kShared>
void sweep_baseline(const typename K::Consts& k, const Columns& c, std::size_t a,
                    std::size_t b) noexcept {
  sweep<K, kShared>(k, c, a, b);
}
#if PINTLE_HAS_AVX
template <class K, bool kShared>
PINTLE_AVX2 void sweep_avx2(const typename K::Consts& k, const Columns& c, std::size_t a,
                            std::size_t b) noexcept {
  sweep<K, kShared>(k, c, a, b);
}
template <class K, bool kShared>
PINTLE_AVX512 void sweep_avx512(const typename K::Consts& k, const Columns& c, std::size_t a,
                                std::size_t b) noexcept {
  sweep<K, kShared>(k, c, a, b);
}
#endif

template <class K, bool kShared>
void dispatch(const typename K::Consts& k, const Columns& c, std::size_t a,
              std::size_t b) noexcept {
#if PINTLE_HAS_AVX
  const Instructions set = instructions_here();
  if (set == Instructions::kAvx512) return sweep_avx512<K, kShared>(k, c, a, b);
  if (set == Instructions::kAvx2) return sweep_avx2<K, kShared>(k, c, a, b);
#endif
  sweep_baseline<K, kShared>(k, c, a, b);
}

}  // namespace

template <class K>
Batch<K>::Batch(std::size_t lanes)
    : lanes_(lanes),
      consts_(kColumns<Consts> * lanes),
      in_(kColumns<In> * lanes),
      state_(kColumns<State> * lanes),
      out_(kColumns<Out> * lanes) {}

template <class K>
void Batch<K>::share(const Consts& consts) noexcept {
  common_ = consts;
  shared_ = true;
}

template <class K>
void Batch<K>::consts(std::size_t lane, const Consts& consts) noexcept {
  if (shared_)
    for (std::size_t j = 0; j < lanes_; ++j) store(consts_.data(), lanes_, j, common_);
  shared_ = false;
  store(consts_.data(), lanes_, lane, consts);
}

template <class K>
typename Batch<K>::State Batch<K>::state(std::size_t lane) const noexcept {
  return load<State>(state_.data(), lanes_, lane);
}

template <class K>
void Batch<K>::set_state(std::size_t lane, const State& state) noexcept {
  store(state_.data(), lanes_, lane, state);
}

template <class K>
void Batch<K>::step(std::size_t first, std::size_t last) noexcept {
  const Columns c{consts_.data(), in_.data(), state_.data(), out_.data(), lanes_};
  last = std::min(last, lanes_);
  if (shared_)
    dispatch<K, true>(common_, c, first, last);
  else
    dispatch<K, false>(common_, c, first, last);
}

template class Batch<BoosterReferenceKernel>;
template class Batch<BoosterPhysicalKernel>;
template class Batch<GimbalKernel>;
template class Batch<EngineReferenceKernel>;
template class Batch<EnginePhysicalKernel>;
template class Batch<PropellerKernel>;
template class Batch<FinKernel>;
template class Batch<JetFirstOrderKernel>;
template class Batch<JetLagKernel>;
template class Batch<JetDirectKernel>;
template class Batch<JetNonlinearKernel>;

}  // namespace pintle::propulsion
