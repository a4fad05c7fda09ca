/// A craft whose thrusters hang on serial lines: the ones its file wires up, or emulated ones on
/// pseudo-terminals in front of the simulated world. All bytes are real either way.
///
///   odometry (world, or lines of text) and reports of the thrusters -> Inputs; of the world also
///   what its inertial sensor and its hull say
///   Outputs -> efforts -> buses, served by a thread of their own (device/bus_thread.h)
///
/// The clock is the machine's, from the construction on. A site converts: how old a report may be,
/// who is out and what is done about it is the tick's. A silent thruster that is `confident` is
/// told as one of which nothing is known.
#pragma once
#include <functional>

#include "pintle/base/lines_status.h"
#include "pintle/flight/site.h"
#include "pintle/serial_site/emulated_craft.h"
#include "pintle/simulation/hull_sensors.h"

namespace pintle::serial_site {

struct SerialSiteOptions {
  bool emulated = true;  ///< Thrusters and world are here; off: the ports of the vehicle file.
  std::uint64_t seed = 1;
  world::WorldOptions world;
  device::BusSettings bus;
  device::BusThreadOptions thread;
  /// Not emulated: where odometry comes from, a line a message: x y z qx qy qz qw vx vy vz wx wy wz
  /// in the frame that the vehicle file declares; or `kill`, `unkill`. -1: from nowhere.
  int odometry_from = -1;
  double patience_s = 3;  ///< For the first answers, before the first tick.
  /// Told what a person should know, one sentence each: what the system refused (priority, locked
  /// memory, low latency), ports that are missing, gone or back and whom they drive, axes that are lost
  /// with thrusters or are back, who does not answer, text on stdin that says nothing.
  std::function<void(const std::string&)> say;
};

class SerialSite final : public flight::Site {
 public:
  /// @throws std::invalid_argument, std::runtime_error for what keeps it from starting; a port that
  /// is missing does not.
  SerialSite(const craft::MissionFile& mission, SerialSiteOptions options);

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return true; }

  /// The vehicle's kill switch is pulled, or is no more: the lines say 0 at once, the tick hears of
  /// it next.
  void kill(bool killed);

  /// Null where the thrusters are elsewhere.
  [[nodiscard]] EmulatedCraft* craft() noexcept { return craft_.get(); }
  [[nodiscard]] device::BusThread& buses() noexcept { return *buses_; }
  [[nodiscard]] const std::vector<WiredLine>& lines() const noexcept { return lines_; }
  [[nodiscard]] LinesStatus status();
  /// What the line knows of a propulsor now; its time is that of the lines.
  [[nodiscard]] const PropulsorReport& report(std::size_t propulsor);

 private:
  void take_reports(stack::Inputs& in);
  void take_lines_of_text(stack::Inputs& in);
  void wait_for_answers();
  void say(const std::string& what) const {
    if (options_.say) options_.say(what);
  }
  void tell_what_was_refused();
  void tell_how_it_begins();
  void tell_of_ports();
  void tell_of_axes(const stack::Outputs& out);
  void take_bad_text(std::string_view line);

  const craft::MissionFile& mission_;
  SerialSiteOptions options_;
  std::vector<WiredLine> lines_;
  std::unique_ptr<EmulatedCraft> craft_;
  simulation::HullSensors hull_;  ///< Of that craft.
  std::unique_ptr<device::BusThread> buses_;
  Time zero_{}, now_{};
  bool killed_ = false, told_killed_ = false;
  struct Told {
    Time stamp{-1};
    PropulsorContact contact = PropulsorContact::kUnknown;
    bool any = false;
  };
  std::vector<std::vector<Told>> told_;
  std::vector<device::PortError> told_port_;  ///< Of each line …
  AxisMask told_axes_ = 0;                    ///< Lost.
  std::vector<bool> told_multicast_;          ///< … that it cannot be commanded by one frame.
  std::string text_;
  std::uint64_t bad_text_ = 0, bad_text_told_ = 1;
  bool text_ended_ = false;
};

/// The world's odometry as the vehicle file declares that it comes; or thirteen numbers as text.
[[nodiscard]] bool parse_odometry(std::string_view text, Pose& X_WB, Twist& V_WB_B);

}  // namespace pintle::serial_site
