/// Parameters that change while the vehicle runs.
///
/// A change is checked and built into a new Model outside the tick and, where asked, saved into the
/// vehicle file (only the changed scalar is touched); the tick takes it over and logs it at its next
/// boundary. `failsafes` cannot be changed so. One thread at a time (flight/tuning.h). A save that
/// fails keeps the running value, says so, and is made up for by the next that succeeds; it never
/// stops the vehicle.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/save.h"
#include "pintle/craft/load.h"

namespace pintle::craft {

struct ChangeResult {
  bool applied = false;
  bool saved = false;
  std::string message;  ///< Why not applied, or "applied, NOT saved: …".
  std::string warning;  ///< Applied, and questionable: "control.position.x.kp: …".
};

class LiveModel {
 public:
  /// `path`: where changes are saved; empty: they are not.
  LiveModel(VehicleFile file, const mission::MissionSpec* mission, std::filesystem::path path);
  LiveModel(Configuration first, std::filesystem::path path);

  /// The newest; immutable, kept alive by the caller's copy.
  [[nodiscard]] std::shared_ptr<const Generation> generation() const noexcept { return newest_; }
  [[nodiscard]] std::shared_ptr<const Model> current() const noexcept {
    return {newest_, &newest_->model};
  }
  [[nodiscard]] const VehicleFile& file() const noexcept { return newest_->configuration.vehicle; }

  /// Sets one number by its path in a native file ("control.position.x.kp", "control.scale"),
  /// whatever the format on disk. Refuses unknown paths, values out of range and what the owning
  /// room's check refuses.
  ChangeResult set(std::string_view path, double value, bool save = true);
  /// All or nothing.
  ChangeResult set_all(const std::vector<std::pair<std::string, double>>& changes,
                       bool save = true);
  /// Into the file, with what earlier saves have left out.
  ChangeResult save(const std::vector<std::pair<std::string, double>>& changes);

 private:
  std::filesystem::path path_;
  std::vector<std::pair<std::string, double>> unsaved_;  ///< In force, and not in the file.
  std::shared_ptr<const Generation> newest_;
};

/// One number that `LiveModel::set` takes, with its range, unit and meaning.
struct LiveParameter {
  std::string path;
  double value = 0;
  const Field* field = nullptr;
};
[[nodiscard]] std::vector<LiveParameter> live_parameters(const VehicleFile& file);

/// Sets one number inside a struct by its dotted path. False, with the reason in `why` and nothing
/// changed: no such path, not one number, out of its range, not whole where it must be.
[[nodiscard]] bool set_by_path(const Table& table, void* object, std::string_view path,
                               double value, std::string& why);

}  // namespace pintle::craft
