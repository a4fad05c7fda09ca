#include "run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "pintle/simulation/report_data.h"
#include "terminal.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// A mission may be called anything; a folder's name holds no / and does not begin with a point.
std::string folder_name(std::string name) {
  constexpr std::size_t kLongest = 100;
  for (char& c : name)
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '-';
  if (name.empty() || name[0] == '.') name.insert(0, "run-");
  std::size_t n = std::min(name.size(), kLongest);
  while (n < name.size() && n > 0 && (static_cast<unsigned char>(name[n]) & 0xC0) == 0x80) --n;
  return name.substr(0, n);
}

}  // namespace

RunFolder::RunFolder(const fs::path& folder, bool overwrite)
    : log_(folder / "log.mcap"), report_(folder / "report.html") {
  fs::create_directories(folder);
  lock_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // a file system without locks has one writer at a time by agreement only
  const bool busy = lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  std::string why;
  if (busy)
    why = ": another run writes there; name another folder";
  else if (!overwrite && (is_there(log_) || is_there(report_)))
    why = ": holds the log of another run; name another folder, or say  --overwrite";
  if (why.empty()) return;
  if (lock_ >= 0) ::close(lock_);
  throw std::invalid_argument(folder.string() + why);
}

RunFolder RunFolder::fresh(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const fs::path base = fs::path("runs") / (folder_name(name) + "-" + stamp);
  fs::path folder = base;
  fs::create_directories("runs");
  // two that begin in the same second: one of them makes it
  for (int i = 2; !fs::create_directory(folder); ++i)
    folder = base.string() + "-" + std::to_string(i);
  return {folder, false};
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)),
      log_(std::move(other.log_)),
      report_(std::move(other.report_)) {}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(log_, other.log_);
  std::swap(report_, other.report_);
  return *this;
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

bool RunFolder::write_report() const {
  if (report_.empty()) return true;
  try {
    simulation::write_report(log_, report_);
    return true;
  } catch (const std::exception& e) {
    complain(std::string("no report: ") + e.what());
    return false;
  }
}

void expect_sense(const std::string& out, bool overwrite, bool no_log) {
  if (no_log && (overwrite || !out.empty()))
    throw std::invalid_argument(std::string(out.empty() ? "--overwrite" : "--out") +
                                ": with --no-log nothing is written; leave one of the two out");
  if (overwrite && out.empty())
    throw std::invalid_argument(
        "--overwrite: replaces a run in a folder that you name; say which by  --out FOLDER");
}

}  // namespace pintle::app
