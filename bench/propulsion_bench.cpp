// Boosters with gimbals and their kin, one at a time and in batches, on one core. The label says
// which instructions the batch used.
#include <benchmark/benchmark.h>

#include "pintle/propulsion/batch.h"

namespace {

using namespace pintle;
using namespace pintle::propulsion;

constexpr double kDt = 1.0 / 240;

EngineParams rocket(Behaviour behaviour) {
  EngineParams p;
  p.booster.tau_s = 0.01;
  p.booster.total_fuel_mass_kg = 1e9;  // it must not burn out under the stopwatch
  p.booster.max_fuel_rate_kg_s = 1.451;
  p.booster.min_thrust_N = 2966.7;
  p.booster.max_thrust_N = 7607;
  p.booster.noise_ratio = 0.01;
  p.booster.behaviour = behaviour;
  p.gimbal = {{1, 0, 0}, {0, 1, 0}, 0.01, {5, 5}, behaviour};
  return p;
}

FinParams finlet() {
  FinParams p;
  p.chord_m = p.span_m = 0.5;
  p.tau_s = 0.05;
  return p;
}

void BM_BoosterWithGimbal(benchmark::State& bench) {
  const EngineParams p = rocket(static_cast<Behaviour>(bench.range(0)));
  GimbalState gimbal;
  BoosterState booster;
  double t = 0;
  for (auto _ : bench) {
    t = t < 1 ? t + 0.01 : 0;
    BoosterInput in{1, t, 0.1};
    in.rotation = step(p.gimbal, gimbal, {t, -t}, kDt);
    benchmark::DoNotOptimize(step(p.booster, booster, in, {}, {}, kDt));
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(BM_BoosterWithGimbal)->Arg(0)->Arg(1);

template <class K>
void batched(benchmark::State& bench, const typename K::Consts& consts, bool shared) {
  const auto lanes = static_cast<std::size_t>(bench.range(0));
  Batch<K> batch(lanes);
  batch.share(consts);
  if (!shared)
    for (std::size_t j = 0; j < lanes; ++j) batch.consts(j, consts);
  for (std::size_t c = 0; c < kColumns<typename K::In>; ++c)
    for (std::size_t j = 0; j < lanes; ++j)
      batch.in(c)[j] =
          c == 0 ? 1.0 : 0.3 + 0.5 * static_cast<double>(j) / static_cast<double>(lanes);
  for (auto _ : bench) {
    batch.step(0, lanes);
    benchmark::DoNotOptimize(batch.out(0).data());
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
  bench.SetLabel(std::string(batch_instructions()));
}

void BM_BatchOfBoosters(benchmark::State& b) {
  batched<BoosterPhysicalKernel>(b, prepare(rocket(Behaviour::kPhysical).booster, kDt), true);
}
void BM_BatchOfBoostersEachItsOwnNumbers(benchmark::State& b) {
  batched<BoosterPhysicalKernel>(b, prepare(rocket(Behaviour::kPhysical).booster, kDt), false);
}
void BM_BatchOfReferenceBoosters(benchmark::State& b) {
  batched<BoosterReferenceKernel>(b, prepare(rocket(Behaviour::kReference).booster, kDt), true);
}
void BM_BatchOfGimballedBoosters(benchmark::State& b) {
  batched<EnginePhysicalKernel>(b, prepare(rocket(Behaviour::kPhysical), kDt), true);
}
void BM_BatchOfFins(benchmark::State& b) {
  batched<FinKernel>(b, prepare(finlet(), 1.225, kDt), true);
}
void BM_BatchOfTurbines(benchmark::State& b) {
  batched<JetNonlinearKernel>(b, prepare(*jet_library("p220_kerosene"), 0.001), true);
}
BENCHMARK(BM_BatchOfBoosters)->Arg(1024)->Arg(16384);
BENCHMARK(BM_BatchOfBoostersEachItsOwnNumbers)->Arg(1024);
BENCHMARK(BM_BatchOfReferenceBoosters)->Arg(1024);
BENCHMARK(BM_BatchOfGimballedBoosters)->Arg(1024)->Arg(16384);
BENCHMARK(BM_BatchOfFins)->Arg(1024);
BENCHMARK(BM_BatchOfTurbines)->Arg(1024);

}  // namespace
