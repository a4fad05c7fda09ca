/// Where a run leaves its log and its report: one run at a time, nothing replaced unasked.
#pragma once
#include <filesystem>
#include <string>

namespace pintle::app {

class RunFolder {
 public:
  /// None: nothing is recorded.
  RunFolder() = default;
  /// Makes and locks it. @throws std::invalid_argument when a run writes there, or one has and
  /// `overwrite` is not said; std::filesystem::filesystem_error when it cannot be made.
  RunFolder(const std::filesystem::path& folder, bool overwrite);
  /// runs/NAME-YYYYmmdd-HHMMSS, with a number behind it if that exists.
  [[nodiscard]] static RunFolder fresh(const std::string& name);
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;
  ~RunFolder();

  [[nodiscard]] const std::filesystem::path& log() const noexcept { return log_; }
  [[nodiscard]] const std::filesystem::path& report() const noexcept { return report_; }
  /// False after a line on stderr: the report could not be made or written.
  [[nodiscard]] bool write_report() const;

 private:
  int lock_ = -1;
  std::filesystem::path log_, report_;
};

/// Before anything is flown: options of which one would take the other's meaning away.
/// @throws std::invalid_argument
void expect_sense(const std::string& out, bool overwrite, bool no_log);

}  // namespace pintle::app
