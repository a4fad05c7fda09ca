/// Bus voltage from what the thrusters report, and how bad it is.
///
/// Each thruster has a filter of its own: the median of the half-second means of the last
/// `window_s`. The bus is the median over thrusters, so that neither a garbled reading nor one bad
/// connector makes a battery look empty; a connector is told by itself.
///
///   severity 5: bus < kill    3: bus < warn    2: one thruster < kill, the bus is not    0: none
///
/// A second of readings comes before the first judgement. The severity falls only when the voltage
/// has risen `hysteresis_V` above the limit it was raised for. The original took the mean over all
/// readings, 0 V among them, kept old ones after a gap, and never cleared. Readings outside [10,
/// 60] V say nothing about a battery and are only counted.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace pintle::device {

struct VoltageSettings {
  double warn_V = 44.5, kill_V = 44.0;
  double hysteresis_V = 0.3;
  double window_s = 30;
};

class BusVoltage {
 public:
  BusVoltage(VoltageSettings settings, std::size_t thrusters);

  void add(std::size_t thruster, double volt, double now_s);
  /// While the power to the thrusters is cut by a switch, their voltage says nothing.
  void ignore(bool yes);

  struct Estimate {
    bool known = false;  ///< Some thruster has reported within the window.
    double bus_V = 0;
    double lowest_V = 0;     ///< Of one thruster …
    std::size_t lowest = 0;  ///< … and which.
    int severity = 0;
  };
  /// Severity stays what it was while nothing is known.
  Estimate estimate(double now_s);

  [[nodiscard]] unsigned implausible() const { return implausible_; }

 private:
  struct Bucket {
    double begin_s, sum;
    int n;
  };
  [[nodiscard]] static double median(std::vector<double> values);

  VoltageSettings settings_;
  std::vector<std::vector<Bucket>> readings_;
  double latest_s_ = -1e300;
  bool ignored_ = false;
  int severity_ = 0;
  unsigned implausible_ = 0;
};

}  // namespace pintle::device
