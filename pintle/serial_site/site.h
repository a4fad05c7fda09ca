/// A craft whose thrusters hang on serial lines: the ones its file wires up, or a stand-in on
/// pseudo-terminals (serial_world has one). All bytes are real either way.
///
///   odometry (lines of text) and reports of the thrusters -> Inputs; of a stand-in what it measures
///   Outputs -> efforts -> buses, served by a thread of their own (device/bus_thread.h)
///
/// The clock is the machine's, from the construction on. A site converts: how old a report may be,
/// who is out and what is done about it is the tick's. A silent thruster that is `confident` is
/// told as one of which nothing is known.
#pragma once
#include <functional>

#include "pintle/base/lines_status.h"
#include "pintle/flight/site.h"
#include "pintle/serial_site/wiring.h"

namespace pintle::serial_site {

/// What flies in place of the craft.
class StandIn {
 public:
  StandIn() = default;
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
  virtual ~StandIn() = default;

  /// Of the other end of a line.
  [[nodiscard]] virtual std::string path(std::size_t line) const = 0;
  /// The site's time 0 is this instant of BusThread::clock().
  virtual void start(Time zero) = 0;
  /// What it has measured since the last call.
  virtual void sense(Time now, stack::Inputs& in) = 0;
};

struct SerialSiteOptions {
  device::BusSettings bus;
  device::BusThreadOptions thread;
  /// Without a stand-in: where odometry comes from, a line a message: x y z qx qy qz qw vx vy vz wx wy wz
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
  /// `craft`: null where it is elsewhere, on the ports of the vehicle file; outlives the site.
  /// @throws std::invalid_argument, std::runtime_error for what keeps it from starting; a port that
  /// is missing does not.
  SerialSite(const craft::VehicleFile& vehicle, SerialSiteOptions options,
             StandIn* craft = nullptr);

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return true; }

  /// The vehicle's kill switch is pulled, or is no more: the lines say 0 at once, the tick hears of
  /// it next.
  void kill(bool killed);

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

  SerialSiteOptions options_;
  std::vector<WiredLine> lines_;
  StandIn* craft_;
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

/// Thirteen numbers as text.
[[nodiscard]] bool parse_odometry(std::string_view text, Pose& X_WB, Twist& V_WB_B);

}  // namespace pintle::serial_site
