#include "pintle/stack/input_faults.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace pintle {

using namespace stack;

template <>
const EnumTable& enum_table<InputFaultKind>() {
  static constexpr std::array values{
      enum_value(InputFaultKind::kOff, "off", "Nothing comes."),
      enum_value(InputFaultKind::kStuck, "stuck", "The same message comes again and again."),
      enum_value(InputFaultKind::kFrozen, "frozen", "The same message comes under new stamps."),
      enum_value(InputFaultKind::kNan, "nan", "Every number is NaN."),
      enum_value(InputFaultKind::kInfinite, "infinite", "Every number is infinite."),
      enum_value(InputFaultKind::kGarbage, "garbage", "Random finite numbers of any size."),
      enum_value(InputFaultKind::kTimeReversed, "time_reversed", "Stamps run backwards."),
      enum_value(InputFaultKind::kFromFuture, "from_future", "Stamps are `value` seconds ahead."),
      enum_value(InputFaultKind::kDelayed, "delayed", "Stamps are `value` seconds old."),
      enum_value(InputFaultKind::kIntermittent, "intermittent", "Lost with probability `value`."),
      enum_value(InputFaultKind::kShifted, "shifted",
                 "`value` too much on the first axis: m of odometry and target, m/s of flight."),
      enum_value(InputFaultKind::kNoisy, "noisy",
                 "Noise with the standard deviation `value` on every axis.")};
  static constexpr EnumTable table{"InputFaultKind", values};
  return table;
}

template <>
const Table& table_of<InputFault>() {
  static const Table table =
      TableBuilder<InputFault>("InputFault", "An input spoilt on purpose for some time.")
          .field("input", &InputFault::input, "",
                 "odometry, imu, flight, gripper, target, bus_voltage or clock.")
          .required()
          .field("kind", &InputFault::kind, "", "What happens to it.")
          .required()
          .field("at_s", &InputFault::at_s, "s", "From this time on.")
          .at_least(0)
          .field("until_s", &InputFault::until_s, "s", "Until this time.")
          .at_least(0)
          .field("value", &InputFault::value, "",
                 "Seconds, a probability, m or m/s, as the kind says.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {
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

bool can_be_spoilt(InputCode input) noexcept {
  return input == InputCode::kOdometry || input == InputCode::kImu || input == InputCode::kFlight ||
         input == InputCode::kGripper || input == InputCode::kTarget ||
         input == InputCode::kBusVoltage || input == InputCode::kClock;
}

/// What is wrong with a kind for such an input; "" for nothing.
std::string misfit(const InputFault& f) {
  using K = InputFaultKind;
  if (f.input == InputCode::kClock)
    return f.kind == K::kTimeReversed ? "" : "the clock can only be time_reversed";
  const bool of_numbers =
      f.kind == K::kNan || f.kind == K::kInfinite || f.kind == K::kShifted || f.kind == K::kNoisy;
  if (f.input == InputCode::kGripper && of_numbers) return "the gripper's report has no numbers";
  const bool of_time = f.kind == K::kTimeReversed || f.kind == K::kFromFuture ||
                       f.kind == K::kDelayed || f.kind == K::kFrozen;
  if (f.input == InputCode::kBusVoltage && of_time) return "the bus voltage has no stamp";
  return "";
}

}  // namespace

Findings check(const std::vector<InputFault>& faults) {
  Findings findings;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const InputFault& f = faults[i];
    const std::string path = "[" + std::to_string(i) + "]";
    if (!can_be_spoilt(f.input))
      findings.push_back(
          {path + ".input",
           "only odometry, imu, flight, gripper, target, bus_voltage and clock can be spoilt",
           "write  input: odometry"});
    else if (const std::string why = misfit(f); !why.empty())
      findings.push_back(
          {path + ".kind", why,
           f.input == InputCode::kClock ? "write  kind: time_reversed" : "write  kind: off"});
    if (!(f.until_s > f.at_s))
      findings.push_back({path + ".until_s", "expected a time after at_s",
                          "leave until_s out for a fault that stays"});
    if (f.kind == InputFaultKind::kIntermittent && f.value > 1)
      findings.push_back({path + ".value", "expected a probability of at most 1",
                          "write 0.2 for one message in five"});
  }
  return findings;
}

InputSpoiler::InputSpoiler(std::vector<InputFault> faults, std::uint64_t seed) {
  for (std::size_t i = 0; i < faults.size(); ++i)
    faults_.push_back({faults[i], RandomStream(seed, "input fault " + std::to_string(i))});
}

void InputSpoiler::apply(Inputs& in) noexcept {
  const double t = in.now.seconds();
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

}  // namespace pintle::stack
