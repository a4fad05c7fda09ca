/// How a program leaves a craft that may be in flight: it is brought down first.
///
///   asked     the abort path; left when the craft stands and the path has ended
///   asked by a signal or a lost window, and again by a key
///             the same for kLadder_s at most (from a key: not at all), then a landing where it is;
///             left when the flight controller has taken that on, since it finishes it by itself
///
/// roslaunch kills what has not ended after 15 s; a landing is asked for before that, whatever else
/// was under way. Where nothing brings it down, it is left after kComesDown_s. A craft without a
/// flight controller has no landing that goes on without a program: asked again, it is left at
/// once.
#pragma once
#include <optional>

#include "pintle/stack/signals.h"

namespace pintle::console {

inline constexpr double kLadder_s = 8, kComesDown_s = 2;

/// What there is to know of the craft.
struct DepartureView {
  bool in_flight = false;
  bool aborting = false;    ///< On the abort path.
  bool comes_down = false;  ///< Its flight controller lands it.
  bool has_controller = false;
};

struct DepartureStep {
  std::optional<stack::CommandCode> command;
  bool leave = false;  ///< Now.
};

class Departure {
 public:
  enum class Stage : unsigned char { kNone, kLadder, kLanding };

  /// `by_key`: a person is there and sees what it does.
  [[nodiscard]] DepartureStep ask(const DepartureView& now, double time_s, bool by_key);
  [[nodiscard]] DepartureStep update(const DepartureView& now, double time_s);
  [[nodiscard]] Stage stage() const { return stage_; }

 private:
  DepartureStep land(double time_s);
  Stage stage_ = Stage::kNone;
  bool by_key_ = false;
  double begun_s_ = 0, last_step_s_ = 0;
};

}  // namespace pintle::console
