/// Whether `kill` or `hw-kill` stand, for a driver that may start while they do.
///
/// Nothing moves before both are known. What is said on /alarm/updates counts at once, and more than the answer to a
/// question that was asked before it.
#pragma once
#include <optional>

namespace pintle::ros1 {

class KillState {
 public:
  enum class Alarm { kKill, kPower };  ///< kPower: `hw-kill`.

  void said(Alarm alarm, bool raised) noexcept { of(alarm) = raised; }
  void answered(Alarm alarm, bool raised) noexcept {
    if (!of(alarm)) of(alarm) = raised;
  }
  [[nodiscard]] bool is_known() const noexcept { return kill_ && power_; }
  [[nodiscard]] bool killed() const noexcept {
    return kill_.value_or(false) || power_.value_or(false);
  }
  [[nodiscard]] bool power_is_cut() const noexcept { return power_.value_or(false); }

 private:
  std::optional<bool>& of(Alarm alarm) noexcept { return alarm == Alarm::kKill ? kill_ : power_; }

  std::optional<bool> kill_, power_;
};

}  // namespace pintle::ros1
