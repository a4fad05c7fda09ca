#include "pintle/simulation/input_spoiler.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace pintle::simulation {
namespace {

/// One input, as far as it can be spoilt.
struct View {
  bool* present = nullptr;
  Time* stamp = nullptr;
  FixedVector<double*, 13> numbers;  ///< The first `axes` of them say where, or how fast.
  std::size_t axes = 0;
};

/// `saw`: whether there is a sighting. Of several the first is left, and spoilt.
View view_of(Inputs& in, InputCode input, bool& saw) noexcept {
  switch (input) {
    case InputCode::kOdometry: {
      Pose& X = in.odometry.X_WB;
      Twist& V = in.odometry.V_WB_B;
      View v{&in.has_odometry, &in.odometry.stamp, {}, 3};
      for (double* x : {&X.p.x, &X.p.y, &X.p.z, &X.q.x, &X.q.y, &X.q.z, &X.q.w, &V.v.x, &V.v.y,
                        &V.v.z, &V.w.x, &V.w.y, &V.w.z})
        v.numbers.push_back(x);
      return v;
    }
    case InputCode::kImu: {
      View v{&in.has_imu, &in.imu.stamp, {}, 6};
      for (Vec3* a : {&in.imu.f_B, &in.imu.w_B})
        for (double* x : {&a->x, &a->y, &a->z}) v.numbers.push_back(x);
      return v;
    }
    case InputCode::kFlight: {
      FlightReport& r = in.flight;
      View v{&in.has_flight, &r.stamp, {}, 3};
      for (double* x : {&r.v_W.x, &r.v_W.y, &r.v_W.z, &r.yaw_rad, &r.battery})
        v.numbers.push_back(x);
      return v;
    }
    case InputCode::kTarget: {
      in.targets.resize(1);
      Vec3& p = in.targets[0].p_BT_B;
      View v{&saw, &in.targets[0].stamp, {}, 3};
      for (double* x : {&p.x, &p.y, &p.z}) v.numbers.push_back(x);
      return v;
    }
    case InputCode::kGripper: return {&in.has_gripper, &in.gripper.stamp, {}, 0};
    case InputCode::kBusVoltage: {
      View v{&in.has_bus_voltage, nullptr, {}, 1};
      v.numbers.push_back(&in.bus_V);
      return v;
    }
    case InputCode::kClock: return {nullptr, &in.now, {}, 0};
    default: return {};
  }
}

/// The message of one input alone.
void copy(const Inputs& from, InputCode input, Inputs& to) noexcept {
  if (input == InputCode::kOdometry) to.odometry = from.odometry;
  if (input == InputCode::kImu) to.imu = from.imu;
  if (input == InputCode::kFlight) to.flight = from.flight;
  if (input == InputCode::kGripper) to.gripper = from.gripper;
  if (input == InputCode::kTarget) to.targets = from.targets;
  if (input == InputCode::kBusVoltage) to.bus_V = from.bus_V;
  if (input == InputCode::kClock) to.now = from.now;
}

double garbage(RandomStream& random) {
  const double x = std::bit_cast<double>(random.bits());
  return std::isfinite(x) ? x : 1e300;
}

void fill_with_garbage(Inputs& in, InputCode input, const View& view,
                       RandomStream& random) noexcept {
  for (double* x : view.numbers) *x = garbage(random);
  const auto byte = [&random] { return static_cast<std::uint8_t>(random.bits()); };
  const auto number = [&random] { return static_cast<std::uint32_t>(random.bits()); };
  if (input == InputCode::kFlight) {
    in.flight.phase = static_cast<FlightPhase>(byte());
    in.flight.outcome = static_cast<RequestOutcome>(byte());
    in.flight.request = number();
  }
  if (input == InputCode::kGripper) {
    in.gripper.hold = static_cast<GripperHold>(byte());
    in.gripper.outcome = static_cast<RequestOutcome>(byte());
    in.gripper.request = number();
  }
  if (input == InputCode::kTarget) in.targets[0].kind = static_cast<TargetKind>(byte());
}

}  // namespace

InputSpoiler::InputSpoiler(std::vector<InputFault> faults, std::uint64_t seed) {
  for (std::size_t i = 0; i < faults.size(); ++i)
    faults_.push_back({faults[i], RandomStream(seed, "input fault " + std::to_string(i))});
}

void InputSpoiler::apply(Inputs& in, Time now) noexcept {
  const double t = now.seconds();
  for (Active& a : faults_) {
    const InputFault& f = a.fault;
    if (!(t >= f.at_s && t < f.until_s)) continue;
    bool saw = !in.targets.empty();
    const View view = view_of(in, f.input, saw);
    const bool present = view.present == nullptr || *view.present;
    const auto shift = [&view](double by_s) {
      if (view.stamp != nullptr) *view.stamp = *view.stamp + Duration::from_seconds(by_s);
    };
    switch (f.kind) {
      case InputFaultKind::kOff:
        if (view.present != nullptr) *view.present = false;
        break;
      case InputFaultKind::kStuck:
      case InputFaultKind::kFrozen: {
        if (!a.has_first && present) a.first = in;
        a.has_first = a.has_first || present;
        if (!a.has_first) break;
        const Time stamp = view.stamp != nullptr ? *view.stamp : Time{};
        copy(a.first, f.input, in);
        if (f.kind == InputFaultKind::kFrozen && view.stamp != nullptr) *view.stamp = stamp;
        break;
      }
      case InputFaultKind::kNan:
        for (double* x : view.numbers) *x = std::numeric_limits<double>::quiet_NaN();
        break;
      case InputFaultKind::kInfinite:
        for (double* x : view.numbers) *x = *x < 0 ? -HUGE_VAL : HUGE_VAL;
        break;
      case InputFaultKind::kGarbage: fill_with_garbage(in, f.input, view, a.random); break;
      case InputFaultKind::kTimeReversed: shift(-2 * (t - f.at_s) - 0.1); break;
      case InputFaultKind::kFromFuture: shift(f.value); break;
      case InputFaultKind::kDelayed: shift(-f.value); break;
      case InputFaultKind::kIntermittent:
        if (a.random.uniform() < f.value && view.present != nullptr) *view.present = false;
        break;
      case InputFaultKind::kShifted:
        if (view.axes > 0) *view.numbers[0] += f.value;
        break;
      case InputFaultKind::kNoisy:
        for (std::size_t i = 0; i < view.axes; ++i) *view.numbers[i] += f.value * a.random.normal();
        break;
    }
    if (!saw) in.targets.clear();
  }
}

bool SpoiltSite::sense(Time due, Inputs& in) {
  const bool goes_on = site_.sense(due, in);
  spoiler_.apply(in, in.now);
  return goes_on;
}

}  // namespace pintle::simulation
