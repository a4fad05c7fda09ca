// The tick at the two rates of Duke Robotics' `controls`, against the frozen oracle: random
// messages in random order, every value compared to the bit.
#include <gtest/gtest.h>

#include <filesystem>

#include "pintle/base/random.h"
#include "pintle/craft/load.h"
#include "pintle/stack/tick.h"
#include "pintle/testing/controls_oracle.h"

namespace pintle::stack {

using namespace craft;

namespace {

using estimation::MeasurementVerdict;
using pintle::testing::ControlsOracle;
using pintle::testing::OracleCycle;
using pintle::testing::OracleHold;
using pintle::testing::OracleUse;

constexpr double kTimeout_s = 0.5, kLatch_s = 2;

VehicleFile robot(const char* name, bool cascaded, bool position, bool velocity) {
  VehicleFile file = load_vehicle(std::filesystem::path(PINTLE_SOURCE_DIR) /
                                  "vehicles/original/duke/config" / name);
  file.laws.control.cascaded = cascaded;
  file.laws.control.enable_position = position;
  file.laws.control.enable_velocity = velocity;
  file.estimation.method = estimation::Method::kAsSent;
  file.estimation.stale_after_s = kTimeout_s;
  file.safety.ramp_to_safe_s = 0;
  file.safety.latch_after_s = kLatch_s;
  return file;
}

Model model_of(const VehicleFile& file, std::uint32_t generation) {
  Model model = build_model(file, nullptr, generation);
  model.sends_efforts = true;
  return model;
}

/// Both, side by side.
class Pair {
 public:
  explicit Pair(const VehicleFile& file)
      : file_(file),
        model_(model_of(file, 1)),
        state_(std::make_unique<State>(initial_state(model_))),
        oracle_(model_, kTimeout_s, kLatch_s) {}

  void wait(double s) { now_ = now_ + Duration::from_seconds(s); }

  void state(const Pose& odometry, const Twist& V, const Pose* transform, bool acts) {
    in_ = {};
    in_.has_odometry = true;
    in_.odometry = {now_, transform != nullptr ? *transform : Pose{}, V, {}, transform != nullptr};
    in_.has_attitude = true;
    in_.attitude = odometry.q;
    const OracleUse use = oracle_.on_state(odometry, V, transform, now_, now_);
    used_last = use == OracleUse::kUsed;
    step(acts ? Phase::kAct : Phase::kTake);
    const auto expected = use == OracleUse::kUsed          ? MeasurementVerdict::kAccepted
                          : use == OracleUse::kFirst       ? MeasurementVerdict::kFirst
                          : use == OracleUse::kNoTransform ? MeasurementVerdict::kNoPose
                                                           : out_.measured;
    ASSERT_EQ(out_.measured, expected);
    if (use == OracleUse::kRefused) {
      ASSERT_TRUE(out_.measured == MeasurementVerdict::kNotFinite ||
                  out_.measured == MeasurementVerdict::kBadQuaternion);
    } else {
      ASSERT_EQ(out_.law.control.delta_time_s, oracle_.trace().delta_time_s);
    }
    const control::SixAxisTrace &a = out_.law.control, &b = oracle_.trace();
    ASSERT_EQ(a.position_error, b.position_error);
    ASSERT_EQ(a.velocity_error, b.velocity_error);
    ASSERT_EQ(std::get<control::SixAxisState>(state_->law).position_effort,
              oracle_.state().position_effort);
    ASSERT_EQ(std::get<control::SixAxisState>(state_->law).velocity_effort,
              oracle_.state().velocity_effort);
    ASSERT_EQ(std::get<control::SixAxisState>(state_->law).static_local,
              oracle_.state().static_local);
    for (std::size_t i = 0; i < kAxes; ++i) {
      compare(a.position[i], b.position[i]);
      compare(a.velocity[i], b.velocity[i]);
    }
    if (acts) compare_cycle(oracle_.trace().delta_time_s);
  }

  void cycle() {
    in_ = {};
    step(Phase::kAct);
    compare_cycle(0.05);
  }

  void ask(std::uint8_t parts, const Setpoint& s) {
    in_ = {};
    in_.has_setpoint = true;
    in_.setpoint = s;
    in_.setpoint_parts = parts;
    step(Phase::kTake);
    const bool taken = parts == kPosePart       ? oracle_.desired_position(s.X_WD)
                       : parts == kVelocityPart ? oracle_.desired_velocity(s.V_WD_B)
                       : parts == kWrenchPart   ? oracle_.desired_power(s.F_Bo_B)
                                                : oracle_.control_types(s.mode);
    ASSERT_EQ(out_.setpoint_answer.refusal == control::SetpointRefusal::kNone, taken);
  }
  void command(CommandCode code) {
    in_ = {};
    in_.commands.push_back({code, -1});
    step(Phase::kTake);
  }
  void enable(bool on) {
    oracle_.enable(on);
    if (!on && out_.arm == ArmState::kLatchedSafe) command(CommandCode::kResetLatch);
    command(on ? CommandCode::kEnable : CommandCode::kDisarm);
  }
  void reset() {
    oracle_.reset();
    command(CommandCode::kResetControl);
  }
  void change(const control::SixAxisParams& control) {
    file_.laws.control = control;
    model_ = model_of(file_, model_.generation + 1);
    oracle_.change(control);
  }
  [[nodiscard]] const VehicleFile& file() const { return file_; }
  std::array<int, 5> holds{};
  int saturated = 0;
  bool used_last = false;

 private:
  void step(Phase phase) {
    in_.now = now_;
    in_.phase = phase;
    in_.generation = model_.generation;
    tick(model_, *state_, *work_, in_, out_);
  }
  static void compare(const control::PidTerms& a, const control::PidTerms& b) {
    ASSERT_EQ(a.output, b.output);
    ASSERT_EQ(a.p, b.p);
    ASSERT_EQ(a.i, b.i);
    ASSERT_EQ(a.d, b.d);
    ASSERT_EQ(a.ff, b.ff);
    ASSERT_EQ(a.filtered_error, b.filtered_error);
    ASSERT_EQ(a.integral, b.integral);
    ASSERT_EQ(a.filtered_derivative, b.filtered_derivative);
    ASSERT_EQ(a.calculated_derivative, b.calculated_derivative);
    ASSERT_EQ(a.provided_derivative, b.provided_derivative);
  }
  void compare_cycle(double dt_s) {
    OracleCycle c;
    oracle_.allocate(now_, dt_s, c);
    ++holds[static_cast<std::size_t>(c.hold)];
    ASSERT_EQ(out_.law.control.base, c.base);
    ASSERT_EQ(out_.law.control.unscaled, c.unscaled);
    ASSERT_EQ(to_vec6(out_.demand.F_Bo_B), c.wanted);
    ASSERT_EQ(std::vector<double>(out_.proposed.begin(), out_.proposed.end()), c.constrained);
    ASSERT_EQ(to_vec6(out_.proposed_B), c.achieved);
    const bool live = out_.authority != Authority::kSafe;
    ASSERT_EQ(live, c.status) << static_cast<int>(c.hold) << " at " << now_.seconds();
    ASSERT_EQ(out_.arm == ArmState::kLatchedSafe, c.hold == OracleHold::kLatched);
    const ChannelVector& sent = out_.actuation.effort;
    ASSERT_EQ(std::vector<double>(sent.begin(), sent.end()), c.allocs);
    for (const double u : c.constrained) saturated += u == 1 || u == -1 ? 1 : 0;
  }

  VehicleFile file_;
  Model model_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Workspace> work_ = std::make_unique<Workspace>();
  ControlsOracle oracle_;
  Time now_ = Time::from_seconds(100);
  Inputs in_;
  Outputs out_;
};

class ControlsTick : public ::testing::TestWithParam<int> {};

/// A vehicle that drifts about, so that errors, derivatives and saturation are all met.
struct Drift {
  RandomStream& random;
  Pose X;
  Twist V;
  void go() {
    V.v = V.v + 0.2 * vector();
    V.w = 0.9 * V.w + 0.2 * vector();
    X.p = X.p + 0.05 * V.v;
    X.q = normalized(X.q * from_rotation_vector(0.05 * V.w));
  }
  Vec3 vector() { return {random.normal(), random.normal(), random.normal()}; }
};

TEST_P(ControlsTick, GivesTheOraclesNumbersForAnyOrderOfMessages) {
  const int variant = GetParam();
  const bool on_state = (variant & 1) != 0, cascaded = (variant & 2) != 0;
  Pair pair(robot((variant & 4) != 0 ? "cthulhu.yaml" : "oogway.yaml", cascaded,
                  (variant & 24) != 8, (variant & 24) != 16));
  RandomStream random(static_cast<std::uint64_t>(variant), "controls");
  Drift drift{random, {}, {}};
  const auto one_in = [&random](std::uint64_t n) { return random.bits() % n == 0; };
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    Setpoint s;
    switch (random.bits() % 24) {
      case 0:
        s.X_WD = {drift.X.p + drift.vector(), normalized(Quat{random.normal(), random.normal(),
                                                              random.normal(), random.normal()})};
        if (one_in(5)) s.X_WD.q.w += 0.5;
        if (one_in(9)) s.X_WD.p.y = std::numeric_limits<double>::quiet_NaN();
        pair.ask(kPosePart, s);
        break;
      case 1:
        s.V_WD_B = {0.5 * drift.vector(), 0.2 * drift.vector()};
        pair.ask(kVelocityPart, s);
        break;
      case 2:
        s.F_Bo_B = {0.6 * drift.vector(), 0.3 * drift.vector()};
        pair.ask(kWrenchPart, s);
        break;
      case 3:
        for (AxisMode& m : s.mode) m = static_cast<AxisMode>(random.bits() % 3);
        if (one_in(4)) s.mode.fill(AxisMode::kWrench);
        pair.ask(kModePart, s);
        break;
      case 4: pair.enable(!one_in(4)); break;
      case 5:
        if (one_in(3)) pair.reset();
        break;
      case 6: {
        control::SixAxisParams control = pair.file().laws.control;
        (cascaded ? control.position_cascaded : control.position)[random.bits() % kAxes].kp =
            2 * random.uniform();
        control.velocity[random.bits() % kAxes].ki = random.uniform();
        control.scale = 0.5 + random.uniform();
        if (one_in(2)) control.static_force = {};
        pair.change(control);
        break;
      }
      case 7: {
        // silence, at times for long enough to latch
        // a row goes by its good states here, by all of them there: no gap behind a bad one
        if (!std::exchange(pair.used_last, false)) break;
        const double silence = one_in(4) ? 4 : 0.4;
        for (double t = 0; t < silence && !HasFatalFailure(); t += 0.1) {
          pair.wait(0.1);
          pair.cycle();
        }
        break;
      }
      default: {
        pair.wait(one_in(10) ? 0 : 0.02 + 0.06 * random.uniform());
        drift.go();
        Pose odometry = drift.X;
        if (one_in(6)) odometry.q = {2 * odometry.q.x, 2 * odometry.q.y, 2 * odometry.q.z, 0};
        Pose transform = drift.X;
        const bool steady = pair.used_last;
        if (steady && one_in(50)) transform.p.x = std::numeric_limits<double>::quiet_NaN();
        pair.state(odometry, drift.V, steady && one_in(12) ? nullptr : &transform, on_state);
        if (!on_state && one_in(2)) pair.cycle();
      }
    }
  }
  // all of it has been met
  EXPECT_GT(pair.holds[0], 100);
  EXPECT_GT(pair.holds[1], 20);
  EXPECT_GT(pair.holds[3], 5);
  EXPECT_GT(pair.holds[4], 5);
  EXPECT_GT(pair.saturated, 20);
}

INSTANTIATE_TEST_SUITE_P(Variants, ControlsTick, ::testing::Range(0, 24));

}  // namespace
}  // namespace pintle::stack
