#include "pintle/stack/input_faults.h"

#include <bit>
#include <cmath>
#include <limits>

namespace pintle {

using namespace stack;

template <>
const EnumTable& enum_table<InputFaultKind>() {
  static constexpr std::array values{
      enum_value(InputFaultKind::kOff, "off", "Nothing comes."),
      enum_value(InputFaultKind::kStuck, "stuck", "The same message comes again and again."),
      enum_value(InputFaultKind::kNan, "nan", "Every number is NaN."),
      enum_value(InputFaultKind::kInfinite, "infinite", "Every number is infinite."),
      enum_value(InputFaultKind::kGarbage, "garbage", "Random finite numbers of any size."),
      enum_value(InputFaultKind::kTimeReversed, "time_reversed", "Stamps run backwards."),
      enum_value(InputFaultKind::kFromFuture, "from_future", "Stamps are `value` seconds ahead."),
      enum_value(InputFaultKind::kDelayed, "delayed", "Stamps are `value` seconds old."),
      enum_value(InputFaultKind::kIntermittent, "intermittent", "Lost with probability `value`.")};
  static constexpr EnumTable table{"InputFaultKind", values};
  return table;
}

template <>
const Table& table_of<InputFault>() {
  static const Table table =
      TableBuilder<InputFault>("InputFault", "An input spoilt on purpose for some time.")
          .field("input", &InputFault::input, "", "odometry, bus_voltage or clock.")
          .required()
          .field("kind", &InputFault::kind, "", "What happens to it.")
          .required()
          .field("at_s", &InputFault::at_s, "s", "From this time on.")
          .at_least(0)
          .field("until_s", &InputFault::until_s, "s", "Until this time.")
          .at_least(0)
          .field("value", &InputFault::value, "", "Seconds or a probability, as the kind says.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {
namespace {

// every double of the measurement through one function
template <class F>
void each_number(estimation::Measurement& m, F&& f) {
  for (double* x :
       {&m.X_WB.p.x, &m.X_WB.p.y, &m.X_WB.p.z, &m.X_WB.q.x, &m.X_WB.q.y, &m.X_WB.q.z, &m.X_WB.q.w,
        &m.V_WB_B.v.x, &m.V_WB_B.v.y, &m.V_WB_B.v.z, &m.V_WB_B.w.x, &m.V_WB_B.w.y, &m.V_WB_B.w.z})
    f(*x);
}

template <class F>
void spoil_numbers(Inputs& in, InputCode input, F&& f) {
  if (input == InputCode::kOdometry) each_number(in.odometry, f);
  if (input == InputCode::kBusVoltage) f(in.bus_V);
}

void shift_stamp(Inputs& in, InputCode input, Duration by) {
  if (input == InputCode::kOdometry) in.odometry.stamp = in.odometry.stamp + by;
  if (input == InputCode::kClock) in.now = in.now + by;
}

double garbage(RandomStream& random) {
  const double x = std::bit_cast<double>(random.bits());
  return std::isfinite(x) ? x : 1e300;
}

}  // namespace

Findings check(const std::vector<InputFault>& faults) {
  Findings findings;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const InputFault& f = faults[i];
    const std::string path = "[" + std::to_string(i) + "]";
    if (f.input != InputCode::kOdometry && f.input != InputCode::kBusVoltage &&
        f.input != InputCode::kClock)
      findings.push_back({path + ".input", "only odometry, bus_voltage and clock can be spoilt",
                          "write  input: odometry"});
    if (f.input == InputCode::kClock && f.kind != InputFaultKind::kTimeReversed)
      findings.push_back(
          {path + ".kind", "the clock can only be time_reversed", "write  kind: time_reversed"});
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
    bool& present = f.input == InputCode::kBusVoltage ? in.has_bus_voltage : in.has_odometry;
    switch (f.kind) {
      case InputFaultKind::kOff: present = false; break;
      case InputFaultKind::kStuck:
        if (!a.has_first && present) {
          a.first = in;
          a.has_first = true;
        }
        if (a.has_first) {
          in.odometry = f.input == InputCode::kOdometry ? a.first.odometry : in.odometry;
          in.bus_V = f.input == InputCode::kBusVoltage ? a.first.bus_V : in.bus_V;
        }
        break;
      case InputFaultKind::kNan:
        spoil_numbers(in, f.input, [](double& x) { x = std::numeric_limits<double>::quiet_NaN(); });
        break;
      case InputFaultKind::kInfinite:
        spoil_numbers(in, f.input, [](double& x) { x = x < 0 ? -HUGE_VAL : HUGE_VAL; });
        break;
      case InputFaultKind::kGarbage:
        spoil_numbers(in, f.input, [&a](double& x) { x = garbage(a.random); });
        break;
      case InputFaultKind::kTimeReversed:
        shift_stamp(in, f.input, Duration::from_seconds(-2 * (t - f.at_s) - 0.1));
        break;
      case InputFaultKind::kFromFuture:
        shift_stamp(in, f.input, Duration::from_seconds(f.value));
        break;
      case InputFaultKind::kDelayed:
        shift_stamp(in, f.input, Duration::from_seconds(-f.value));
        break;
      case InputFaultKind::kIntermittent:
        if (a.random.uniform() < f.value) present = false;
        break;
    }
  }
}

}  // namespace pintle::stack
