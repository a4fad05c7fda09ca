/// The parameter files of the `jet` package (delivery aircraft), read and written unchanged:
/// dropoint.yaml, duration.yaml, flight.yaml, pid.yaml, timeout.yaml.
///
/// Refused, unlike in the original, where each fell back to a default or to zero without a word:
/// unknown keys, missing keys, a list of durations that is not fifteen long, numbers that are not
/// finite or out of range. Zero limits of a loop keep the original's meaning (clamp to zero) and
/// are warned about where they leave an axis dead.
///
/// JetFiles holds one whole and valid set at any time. A change comes from a file, from a document
/// (a tree of ROS parameters as text) or by value; it is read and checked as a whole, and only then
/// the set is exchanged: what a reader holds never changes under it. Every change can be undone.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/config/document.h"
#include "pintle/config/reader.h"
#include "pintle/config/save.h"

namespace pintle::vehicle {

inline constexpr std::size_t kJetStates = 15;

struct JetPoint {
  double x = 0, y = 0;  ///< North and east of the origin, m.
  double z = 0;         ///< Height above the marker, m.
};
struct JetDropoint {
  JetPoint dropoint;
};
struct JetDuration {
  std::array<std::uint32_t, kJetStates> duration{};  ///< Ticks of 20 ms, by state.
};
struct JetFlight {
  double takeoff_height = 0;   ///< Unused by the original.
  double landing_height = 0;   ///< Above the pad, by sight.
  double normal_altitude = 0;  ///< Above the origin.
};
/// Gains and limits per tick at 50 Hz: control/deadband_pid.h.
struct JetGains {
  double kp = 0, ki = 0, kd = 0, db = 0, it = 0;
  double Emax = 0, Pmax = 0, Imax = 0, Dmax = 0, Omax = 0;
};
struct JetLoops {
  JetGains xy, z, yaw;
};
struct JetPid {
  JetLoops pid;
};
struct JetTimeout {
  double odom_callback_timeout = 60;     ///< ms
  double vision_callback_timeout = 100;  ///< ms
};

struct JetParameters {
  JetDropoint dropoint;
  JetDuration duration;
  JetFlight flight;
  JetPid pid;
  JetTimeout timeout;
};

enum class JetFile : std::uint8_t { kDropoint, kDuration, kFlight, kPid, kTimeout };
inline constexpr std::size_t kJetFiles = 5;

/// Reads one of the files into its part of the set. Problems go to `reader`.
void read_jet_file(config::Reader& reader, const config::Document& document, JetFile which,
                   JetParameters& out);

struct JetChange {
  bool applied = false;
  std::string message;  ///< Why not: every problem with line and column.
};

class JetFiles {
 public:
  /// Loads all five from a folder.
  /// @throws config::ConfigError with everything that is wrong in any of them.
  [[nodiscard]] static JetFiles load(const std::filesystem::path& folder);

  /// The set in use; whoever holds it keeps it as it is.
  [[nodiscard]] std::shared_ptr<const JetParameters> current() const { return now_.parameters; }
  /// Goes up with every change, undone ones too.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] const std::string& text(JetFile which) const;
  /// A number by its path in the file; none: there is no such path.
  [[nodiscard]] std::optional<double> value(JetFile which, std::string_view path) const;

  /// From the file in the folder, as it now is.
  JetChange reload(JetFile which);
  /// From a text in the file's format; what is saved later keeps the file's comments.
  JetChange reload_text(JetFile which, std::string text, std::string name);
  /// By value: paths as in the file, "pid.xy.kp", "duration[3]". All or nothing; comments stay.
  JetChange set(JetFile which, const std::vector<std::pair<std::string, double>>& values);
  /// Back to the set before the last change; false when there is none.
  bool undo();
  [[nodiscard]] std::size_t history() const { return before_.size(); }

  /// Into the folder, atomically, with every comment.
  [[nodiscard]] config::SaveResult save(JetFile which,
                                        const config::SaveOptions& options = {}) const;

  [[nodiscard]] static std::string_view file_name(JetFile which);

 private:
  struct Set {
    std::array<std::shared_ptr<const config::Document>, kJetFiles> documents;
    std::shared_ptr<const JetParameters> parameters;
  };
  static constexpr std::size_t kMostHistory = 100;
  JetChange exchange(JetFile which, config::Document document);

  std::filesystem::path folder_;
  Set now_;
  std::vector<Set> before_;
  std::uint64_t generation_ = 0;
};

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::JetPoint>();
template <>
const Table& table_of<vehicle::JetDropoint>();
template <>
const Table& table_of<vehicle::JetDuration>();
template <>
const Table& table_of<vehicle::JetFlight>();
template <>
const Table& table_of<vehicle::JetGains>();
template <>
const Table& table_of<vehicle::JetLoops>();
template <>
const Table& table_of<vehicle::JetPid>();
template <>
const Table& table_of<vehicle::JetTimeout>();
}  // namespace pintle
