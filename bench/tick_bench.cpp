// One tick of the whole stack (estimate, mission, control, allocation, inverse, gate), eight
// thrusters, against a baseline in the same run: one 6x8 matrix-vector product and the thruster
// inverses, which every stack must do.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "pintle/craft/load.h"
#include "pintle/simulation/run.h"

namespace {

using namespace pintle;

craft::MissionFile pool() {
  return craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
}

/// Inputs of a vehicle that sways a little round its setpoint, fresh odometry in every tick.
class Feed {
 public:
  explicit Feed(const stack::Model& model) : period_(model.period) {}
  stack::Inputs& next() {
    in_ = {};
    now_ = now_ + period_;
    const double t = now_.seconds();
    in_.now = now_;
    in_.has_odometry = true;
    in_.odometry.stamp = now_ - Duration{2'000'000};
    in_.odometry.X_WB = {
        {0.05 * std::sin(t), 0.04 * std::cos(0.7 * t), -1.5 + 0.03 * std::sin(1.3 * t)},
        from_rpy({0.03 * std::sin(2 * t), 0.02 * std::cos(1.7 * t), 0.04 * std::sin(0.9 * t)})};
    in_.odometry.V_WB_B = {{0.05 * std::cos(t), 0, 0.04 * std::cos(1.3 * t)},
                           {0.06 * std::cos(2 * t), 0, 0.03}};
    if (++ticks_ == 2) in_.commands.push_back({stack::CommandCode::kArm, -1});
    if (ticks_ == 3) in_.commands.push_back({stack::CommandCode::kMissionStart, -1});
    return in_;
  }

 private:
  Duration period_;
  Time now_{};
  int ticks_ = 0;
  stack::Inputs in_;
};

/// With the making of the inputs, which is measured alone below and can be taken away. The vehicle
/// of these inputs does not do what it is told, so that the detector of failures has to judge all
/// the time: its dear case.
void BM_WholeTickWithInputs(benchmark::State& bench) {
  craft::MissionFile file = pool();
  file.vehicle.detector.enable = bench.range(0) != 0;
  for (auto& s : file.mission.states) s.timeout_s = 86000;
  file.mission.time_limit_s = 1e6;
  const stack::Model model = craft::build_model(file.vehicle, &file.mission);
  auto state = std::make_unique<stack::State>(stack::initial_state(model));
  auto work = std::make_unique<stack::Workspace>();
  auto out = std::make_unique<stack::Outputs>();
  Feed feed(model);
  for (auto _ : bench) {
    tick(model, *state, *work, feed.next(), *out);
    benchmark::DoNotOptimize(out->actuation.command[0]);
  }
}

void BM_InputsAlone(benchmark::State& bench) {
  const craft::MissionFile file = pool();
  const stack::Model model = craft::build_model(file.vehicle, &file.mission);
  Feed feed(model);
  for (auto _ : bench) {
    // all of them are looked at: else clearing them, two thirds of the making, is left out here alone
    const stack::Inputs* in = &feed.next();
    benchmark::DoNotOptimize(in);
    benchmark::ClobberMemory();
  }
}

void BM_BaselineMatrixAndInverses(benchmark::State& bench) {
  const craft::MissionFile file = pool();
  const stack::Model model = craft::build_model(file.vehicle, &file.mission);
  const auto& e = model.effectiveness;
  std::array<propulsion::ThrusterState, kMaxChannels> states{};
  Vec6 wrench{{0.1, 0.05, -0.2, 0.01, 0.02, 0.03}};
  propulsion::Ambient ambient;
  for (auto _ : bench) {
    double sum = 0;
    for (std::size_t i = 0; i < e.n; ++i) {
      const auto& t = std::get<propulsion::Thruster>(model.vehicle.propulsors[i].model);
      sum += invert(t, states[i], 0.2 * dot(e.column[i], wrench), ambient, 0.02).command;
    }
    benchmark::DoNotOptimize(sum);
    wrench[0] = 0.1 + 1e-9 * sum;
  }
}

/// The pool mission: simulated seconds per second, 1 kHz physics, 50 Hz control, recorder on.
void BM_PoolMission(benchmark::State& bench) {
  const craft::MissionFile file = pool();
  const bool record = bench.range(0) != 0;
  double simulated = 0, wall = 0;
  for (auto _ : bench) {
    simulation::RunOptions options;
    if (record) options.log = std::filesystem::temp_directory_path() / "pintle-bench.mcap";
    const simulation::RunResult r = simulation::run(file, options);
    simulated += r.duration_s;
    wall += r.wall_s;
  }
  bench.counters["x_real_time"] = simulated / wall;
}

/// What recording a tick costs who ticks, at 1 kHz of log time: on the clock of his thread alone, so
/// that it says nothing of the disk and of who else runs.
void BM_Record(benchmark::State& bench) {
  const craft::MissionFile file = pool();
  craft::LiveModel live(file.vehicle, &file.mission, {});
  const std::filesystem::path log = std::filesystem::temp_directory_path() / "pintle-bench.mcap";
  // as against the wall clock, with room for all that comes
  const telemetry::McapOptions mcap{.queue = 64, .waits = false};
  flight::Recorder recorder(log, flight::title_of(file, 1), {.mcap = mcap});
  recorder.generation(*live.generation(), Time{});
  auto state = std::make_unique<stack::State>(stack::initial_state(*live.current()));
  auto work = std::make_unique<stack::Workspace>();
  auto out = std::make_unique<stack::Outputs>();
  Feed feed(*live.current());
  std::int64_t ticks = 0;
  double worst_s = 0, sum_s = 0;
  const auto cpu_s = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  for (auto _ : bench) {
    stack::Inputs& in = feed.next();
    tick(*live.current(), *state, *work, in, *out);
    out->now = Time{++ticks * 1'000'000};
    const double before_s = cpu_s();
    recorder.tick(in, *out);
    const double took_s = cpu_s() - before_s;
    bench.SetIterationTime(took_s);
    worst_s = std::max(worst_s, took_s);
    sum_s += took_s;
  }
  if (recorder.missing() > 0) bench.SkipWithError("the queue was full");
  recorder.finish("pass");
  bench.counters["mean_us"] = 1e6 * sum_s / static_cast<double>(ticks);
  bench.counters["worst_us"] = 1e6 * worst_s;
  std::filesystem::remove(log);
}

BENCHMARK(BM_Record)->UseManualTime()->Iterations(5'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_WholeTickWithInputs)->ArgName("detector")->Arg(0)->Arg(1);
BENCHMARK(BM_InputsAlone);
BENCHMARK(BM_BaselineMatrixAndInverses);
BENCHMARK(BM_PoolMission)->ArgName("recorder")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// so many at each run, for bench/tick_counts
BENCHMARK(BM_WholeTickWithInputs)
    ->Name("Counted/tick")
    ->ArgName("detector")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(5'000);
BENCHMARK(BM_PoolMission)->Name("Counted/pool")->ArgName("recorder")->Arg(0)->Arg(1)->Iterations(1);
BENCHMARK(BM_PoolMission)
    ->Name("Counted/thrice")
    ->ArgName("recorder")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(3);

}  // namespace
