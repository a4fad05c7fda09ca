/// SubjuGator's thruster mapper: a wrench in, one thrust per thruster out, by one `flight::Flight`
/// whose planner gives the wrench on every axis.
///
///   minimise  | B u - w |^2 + r | u |^2   subject to  lower <= u <= upper;  B_i = [d_i; p_i x d_i]
///
/// Source: SubjuGator 8's mapper of 2017 on, r = 1e-4. What is different here, each because the
/// original's way hurt somebody:
///   - a wrench that is not finite is answered with the safe command (no thrust) at once;
///   - without a wrench for `wrench_timeout_s` the safe command goes out, once;
///   - actual wrench and error are those of the numbers sent (out ones 0, below the least 0, as
///     float), against the wrench that was asked for;
///   - a change of layout is taken whole or not at all, and a held wrench is answered anew for it;
///   - of wrenches above the rate limit the newest waits for its turn, none is forgotten.
///
/// Here is only what belongs to the bus: whose turn it is, names, what is told. A wrench is a tick
/// that takes in, a drop and an answer are whole ones; while anything is wrong they go on without
/// one, so that its end is told. Bounds that come late make a new generation.
/// Times are integer nanoseconds of any clock; one that goes back starts the waiting anew.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/plain.h"
#include "mapper/layout.h"

namespace pintle::ros1 {

struct MapperSettings {
  double effort_weight = 1e-4;   ///< r.
  double least_thrust_N = 0.01;  ///< What is smaller is sent as 0.
  double max_rate_Hz = 20;       ///< 0: every wrench is answered at once.
  double wrench_timeout_s = 0.5;
  std::string log;  ///< MCAP file for replay; empty: none.
  /// Whether it waits for the disk rather than lose a tick: for a caller whose time is its own.
  bool log_waits = false;
};

struct MapperCommand {
  std::vector<float> thrust_N;  ///< One per thruster, order of the layout, inside the bounds.
  Six actual{}, error{};        ///< B u of these numbers; demand minus that.
  bool safe = false;            ///< No thrust, because no wrench could be used.
  bool bounded = false;         ///< Bounds or lost thrusters keep it from the wrench.
};

class Mapper {
 public:
  /// @throws std::runtime_error
  Mapper(Layout layout, const MapperSettings& settings);
  /// Ends the log.
  ~Mapper();
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;

  [[nodiscard]] const Layout& layout() const;
  /// 6 x n, row by row, all thrusters; not changed by a drop.
  [[nodiscard]] std::vector<double> b_matrix() const;

  /// Bounds of a thruster whose layout has none. False, with the reason: nothing is changed.
  [[nodiscard]] bool set_bounds(const std::string& name, double lower_N, double upper_N,
                                std::string& why_not);
  /// Names of thrusters whose bounds are not known yet; no thrust is sent before all are.
  [[nodiscard]] std::vector<std::string> unbounded() const;

  /// Replaces the list of dropped thrusters. False, with the reason: nothing is changed.
  [[nodiscard]] bool set_dropped(const std::vector<std::string>& names, std::int64_t now_ns,
                                 std::string& why_not);
  [[nodiscard]] std::vector<std::string> dropped() const;
  /// What stands in the tick's list of alarms …
  [[nodiscard]] Faults faults() const;
  /// … of it the axes that all thrusters together can move, and those in use cannot: "y", "yaw", …
  [[nodiscard]] std::vector<std::string> lost_axes() const;
  /// … and that wrenches came and come no more.
  [[nodiscard]] bool wrench_lost() const;

  /// A wrench in the body frame. What is to be sent now, if anything is.
  [[nodiscard]] std::optional<MapperCommand> take(const Six& wrench, std::int64_t now_ns);
  /// The same between wrenches: one that waits for its turn, or the timeout. To be called often.
  [[nodiscard]] std::optional<MapperCommand> poll(std::int64_t now_ns);

  /// The safe command, unless it is the last that was sent.
  [[nodiscard]] std::optional<MapperCommand> stop(std::int64_t now_ns);

  /// The last wrench was not finite (or beyond what the solver can hold); until a good one comes.
  [[nodiscard]] bool rejected() const;
  /// The last wrench is older than the timeout; true also before the first.
  [[nodiscard]] bool silent() const;
  /// One sentence when a log was asked for and is not whole.
  [[nodiscard]] std::string log_trouble() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
