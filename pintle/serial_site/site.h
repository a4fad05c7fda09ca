/// A craft whose thrusters hang on serial lines: the ones its file wires up, or emulated ones on
/// pseudo-terminals in front of the simulated world. All bytes are real either way.
///
///   odometry (world, or lines of text) and reports of the thrusters -> Inputs
///   Outputs -> efforts -> buses, served by a thread of their own (device/bus_thread.h)
///
/// The clock is the machine's, from the construction on. A site converts: how old a report may be,
/// who is out and what is done about it is the tick's. A silent thruster that is `confident` is
/// told as one of which nothing is known.
#pragma once
#include <functional>

#include "pintle/flight/site.h"
#include "pintle/serial_site/emulated_craft.h"

namespace pintle::serial_site {

struct SerialSiteOptions {
  bool emulated = true;  ///< Thrusters and world are here; off: the ports of the vehicle file.
  std::uint64_t seed = 1;
  world::WorldOptions world;
  device::BusSettings bus;
  device::BusThreadOptions thread;
  /// Not emulated: where odometry comes from, a line a message: x y z qx qy qz qw vx vy vz wx wy wz
  /// in the frame that the vehicle file declares. -1: from nowhere.
  int odometry_from = -1;
  double patience_s = 3;  ///< For the first answers, before the first tick.
};

/// Of all lines together, for logs and figures.
struct LinesStatus {
  Time time;
  FixedVector<std::uint8_t, 32> error;  ///< A device::PortError a line; 0 is none.
  FixedVector<std::uint32_t, 32> opened;
  std::uint64_t garbage = 0, strangers = 0, answers = 0, unanswered = 0;
  /// How late the thread of the lines woke: counts up to 50, 100, 200, 500 µs, 1, 2, 5, 10 ms and
  /// beyond.
  std::array<std::uint64_t, 9> late{};
  double worst_late_s = 0;
};

class SerialSite final : public flight::Site {
 public:
  /// @throws std::invalid_argument, std::runtime_error for what keeps it from starting; a port that
  /// is missing does not.
  SerialSite(const craft::MissionFile& mission, SerialSiteOptions options);

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;

  /// Null where the thrusters are elsewhere.
  [[nodiscard]] EmulatedCraft* craft() noexcept { return craft_.get(); }
  [[nodiscard]] device::BusThread& buses() noexcept { return *buses_; }
  [[nodiscard]] const std::vector<WiredLine>& lines() const noexcept { return lines_; }
  [[nodiscard]] LinesStatus status();

 private:
  void take_reports(stack::Inputs& in);
  void take_lines_of_text(stack::Inputs& in);
  void wait_for_answers();

  const craft::MissionFile& mission_;
  SerialSiteOptions options_;
  std::vector<WiredLine> lines_;
  std::unique_ptr<EmulatedCraft> craft_;
  std::unique_ptr<device::BusThread> buses_;
  Time zero_{}, now_{};
  struct Told {
    Time stamp{-1};
    PropulsorContact contact = PropulsorContact::kUnknown;
    bool any = false;
  };
  std::vector<std::vector<Told>> told_;
  std::string text_;
};

/// The world's odometry as the vehicle file declares that it comes; or thirteen numbers as text.
[[nodiscard]] bool parse_odometry(std::string_view text, Pose& X_WB, Twist& V_WB_B);

}  // namespace pintle::serial_site

namespace pintle {
template <>
const Table& table_of<serial_site::LinesStatus>();
}
