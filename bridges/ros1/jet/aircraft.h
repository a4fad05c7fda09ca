/// The border of the node jet: the whole stack of the delivery aircraft in plain values.
///
/// Clean C++17 and nothing of Pintle's rooms (see common/plain.h for the conventions). All
/// times are nanoseconds of one clock that never goes back; a stamp says when something was
/// measured, and freshness is judged by it, whenever it arrives.
///
///   odometry     NEU or NED as declared, raw       ->  world (east, north, up)
///   target       forward, right, down of the body  ->  forward, left, up
///   navigation   north, east, up of the origin, yaw clockwise from north, as `pose_calied`
///
/// All of it belongs to the thread that calls `cycle`, but for `reload` and `parameter`, which one
/// other thread may call: they build off the tick, and what they built is taken over between two
/// ticks.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/plain.h"

namespace pintle::ros1 {

struct AircraftOptions {
  std::string vehicle_file;
  std::string config_dir;    ///< Of the five parameter files.
  bool use_guidance = true;  ///< Odometry is north, east, down; else north, east, up.
  bool require_arming = true;
  bool proof_by_carrying = true;  ///< Odometry's frame is proved before it may be armed.
  double rate_Hz = 50;
  double fence_m = 15, ceiling_m = 8;  ///< Whatever the parameter files say.
  bool enable_serial = true;
  std::string serial_port = "/dev/ttyTHS2";
  int serial_baudrate = 115200;
  std::string log;       ///< MCAP file of the flight; empty: none.
  std::string listen;    ///< Socket of `pintle command`: "default", a path; empty: none.
  int console_out = -1;  ///< A descriptor of the terminal that the console is shown on; -1: none.
};

/// What the flight controller says of itself. Numbers of the phase: Charge.srv.
struct PlainFlight {
  std::int64_t stamp_ns = 0;
  int phase = 0;
  bool has_control = false;
  Three velocity{};  ///< East, north, up.
  bool has_attitude = false;
  Four attitude{0, 0, 0, 1};  ///< Of the body (forward, left, up) in the world.
  bool has_battery = false;   ///< Told, and not long ago.
  double battery = 0;
};

enum class FlightService { kNone, kTakeControl, kReleaseControl, kTakeOff, kLand };
enum class ServiceAnswer { kAccepted, kRefused, kFailed };

/// The five parameter files, in the order of vehicle::JetFile.
enum class JetPart { kDropoint, kDuration, kFlight, kPid, kTimeout };

struct NavigationNews {
  bool active = false;
  std::uint64_t id = 0;
  std::array<std::uint8_t, 4> progress{};
  std::uint64_t ended_id = 0;
  std::string ended_as;  ///< "" while none has ended; "succeeded", "canceled", …
};

struct Note {
  enum class Level { kInfo, kWarn, kError } level = Level::kInfo;
  std::string text;
};

/// What one tick decided.
struct JetCycle {
  int state = 0;         ///< Of the fifteen; the abort path has those that do the same, and ends
                         ///< as the delivery does: at stand by.
  std::string activity;  ///< Idle, running …, and why it is so.
  bool armed = false, pose_valid = false;
  PlainPose pose;        ///< World, from the origin of the flight; attitude as known.
  Three origin{};        ///< World: of the flight, in the odometry's own origin.
  Three pose_neu{};      ///< The same pose north, east, up …
  double yaw_north = 0;  ///< … and clockwise from north.
  Three velocity{};      ///< For the flight controller: forward, left, up, level.
  double yaw_rate = 0;   ///< Counter-clockwise seen from above.
  FlightService service = FlightService::kNone;  ///< Asked for, by this number.
  std::uint32_t service_number = 0;
  bool has_target = false;  ///< A new one, forward, left, up of the body.
  Three target{};
  std::int64_t target_stamp_ns = 0;
  NavigationNews navigation;
  std::vector<Note> notes;  ///< For the log; new in this tick.
  std::string answer;  ///< To what was asked for last, when it has come: "accepted: paused …".
  bool accepted = false;
};

/// Words that make it stay or come down; they are taken before those that make it move.
[[nodiscard]] bool is_urgent(const std::string& words);

class Aircraft {
 public:
  /// @throws std::runtime_error with everything that is wrong in any of the files.
  explicit Aircraft(const AircraftOptions& options);
  ~Aircraft();
  Aircraft(const Aircraft&) = delete;
  Aircraft& operator=(const Aircraft&) = delete;

  /// Where the camera sits in the body (right, down, ahead of it in forward, left, up): as its file
  /// (camera_*.yaml) says, or, where none is named, that of the vehicle. @throws std::exception
  [[nodiscard]] PlainPose camera(const std::string& file) const;

  // what comes in; the newest of each kind is used in the next cycle
  /// `position_std_m`: of its place, as it says itself; 0: it does not.
  void odometry(std::int64_t stamp_ns, const PlainPose& pose, double position_std_m = 0);
  void flight(const PlainFlight& report);
  /// `frame`: "pad" or "marker"; "object", "base_link" or none: what the state of the mission looks
  /// for. In any other it is not taken, and the notes say so.
  void target(std::int64_t stamp_ns, const Three& forward_right_down, const std::string& frame);
  /// For so long the tick knows where the craft was: a target of before cannot be taken.
  [[nodiscard]] static double oldest_target_s() noexcept;
  /// What became of the call to a service of the flight controller.
  void answered(std::uint32_t number, ServiceAnswer answer);

  // what is asked for, one at a time. Answers "" when it is handed on, and then a cycle has the
  // answer; else why not
  std::string arm(bool on);
  /// Starts the delivery that somebody has armed: on the ground, once. `result`: the flight status.
  std::string charge(int& result);
  /// A line of the console: "free_style", "pause", "resume", "cutoff", "abort", "step 4",
  /// "select 4", "take_over", "hand_over".
  std::string command(const std::string& line);
  std::string navigate(std::uint64_t id, const Three& north_east_up, double yaw_north);
  void cancel_navigation(std::uint64_t id);
  /// Grab 1 or release 0; not while the mission moves.
  std::string grabber(int command);
  /// 1 done, 0 failed, -1 not yet: of the last `grabber`.
  [[nodiscard]] int grabber_progress() const;
  /// The alarms of the tick that stand.
  [[nodiscard]] Faults faults() const;
  /// By its keys; what they asked for before is for the next cycle.
  [[nodiscard]] bool console_left() const;
  /// Gives the terminal back and says the last word in the log; no cycle is to follow.
  void end();
  /// One sentence when a log was asked for and is not whole.
  [[nodiscard]] std::string log_trouble() const;
  /// As it last said; 255 without a fresh status.
  [[nodiscard]] int grabber_status() const;
  /// Where the mission stands: one line for a log.
  [[nodiscard]] int flight_status() const;

  /// Before the first cycle: `text` in the place of a file. Answers "" or every problem. `warning`:
  /// of what was taken all the same.
  std::string start_with(JetPart part, const std::string& text, std::string& warning);
  /// From `text`, a document in the file's format, or, when it is null, from the file. Answers ""
  /// or every problem; then nothing has changed. What the file is warned about is one, unless that
  /// value is in effect. May be called from one other thread.
  std::string reload(JetPart part, const std::string* text);
  /// A line of live_parameters.h: "set pid.xy.kp 0.9", "get …", "undo", "save all". By the same
  /// other thread; `told` is what to say when "" comes back.
  std::string parameter(const std::string& line, std::string& told);

  /// One tick.
  const JetCycle& cycle(std::int64_t now_ns);

  /// The program is to end: before each cycle from then on, until it answers true. Brings down what
  /// flies, and lands it where it is when that takes long (console/departure.h).
  [[nodiscard]] bool leave(double time_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
