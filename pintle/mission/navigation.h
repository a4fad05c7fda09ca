/// A flight to one pose, asked for from outside: a goal with feedback, and one outcome for each.
///
///   error    = goal - current, yaw by the shortest turn
///   progress = 100 - trunc(100 |error| / |error at the start|)   per axis, percent
///
/// Progress is between 0 and 100 and never falls, whatever the way flown; an axis that starts
/// within its tolerance has 100 from the start. A goal succeeds when all errors have been within
/// tolerance for settle_s, or at once when they are in its first tick. It fails when it takes
/// longer than timeout_s, or when there was no pose for stale_s. A newer goal pre-empts the one
/// before it, and a cancel ends it, both before the next tick.
///
/// Source: the navigation action of the `jet` package, which never looked at cancel, judged the
/// first tick by what the loops had answered last, and let percent run over.
///
/// Not modelled: who flies. `error` is for the loops of the one owner of the craft; without an
/// active goal it is zero, which is to hold.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/base/fields.h"
#include "pintle/base/time.h"
#include "pintle/base/vector.h"

namespace pintle::mission {

struct NavigationPose {
  Vec3 position_m;
  double yaw_rad = 0;
};

struct NavigationParams {
  double tolerance_m = 0.03;
  double tolerance_rad = 0.05;
  double settle_s = 0.5;
  double timeout_s = 60;
  double stale_s = 0.5;
};

enum class NavigationOutcome : std::uint8_t {
  kNone,  ///< Not ended, or never begun.
  kSucceeded,
  kCanceled,
  kPreempted,  ///< By a newer goal.
  kRefused,    ///< Not finite, or beyond 1e9.
  kTimedOut,
  kStale,  ///< No pose to fly by.
};

struct NavigationEnd {
  std::uint64_t id = 0;
  NavigationOutcome outcome = NavigationOutcome::kNone;
};

class Navigation {
 public:
  explicit Navigation(const NavigationParams& params) noexcept : params_(params) {}

  /// Takes a goal on, or refuses it and leaves the present one alone. The answer tells how another
  /// goal, or this one, ended by that.
  NavigationEnd start(std::uint64_t id, const NavigationPose& goal, Time now) noexcept;
  /// Ends the goal with that id; kNone when it is not the active one.
  NavigationEnd cancel(std::uint64_t id) noexcept;
  /// Once per tick, without a pose when there is no fresh one. Tells the end in the tick it comes.
  NavigationEnd update(const std::optional<NavigationPose>& pose, Time now) noexcept;

  [[nodiscard]] bool is_active() const noexcept { return active_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// x, y, z in m and yaw in rad; zero without an active goal or a fresh pose.
  [[nodiscard]] const std::array<double, 4>& error() const noexcept { return error_; }
  [[nodiscard]] const std::array<std::uint8_t, 4>& progress() const noexcept { return progress_; }

 private:
  NavigationEnd end(NavigationOutcome outcome) noexcept;
  [[nodiscard]] double tolerance(std::size_t axis) const noexcept {
    return axis < 3 ? params_.tolerance_m : params_.tolerance_rad;
  }

  NavigationParams params_;
  bool active_ = false;
  std::uint64_t id_ = 0;
  NavigationPose goal_;
  Time begun_{}, seen_{};
  std::optional<Time> inside_since_;
  std::optional<std::array<double, 4>> offset_;  ///< Errors of the first tick with a pose.
  std::array<double, 4> error_{};
  std::array<std::uint8_t, 4> progress_{};
};

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::NavigationOutcome>();
}  // namespace pintle
