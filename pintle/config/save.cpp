#include "pintle/config/save.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "pintle/base/disk.h"

namespace pintle::config {
namespace {

namespace fs = std::filesystem;

/// Why a step failed; thrown inside this file only.
struct Failure {
  std::string what;
};

[[noreturn]] void fail(std::string_view doing, const fs::path& path) {
  throw Failure{fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(errno))};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

fs::path generation(const fs::path& file, int number) {
  return file.string() + "." + std::to_string(number);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// by the effective user, unlike access()
bool is_writable(const fs::path& path) noexcept {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// a link is kept: what it points to is saved
fs::path follow_links(fs::path file) {
  constexpr int kMost = 40;
  std::error_code error;
  for (int i = 0; i < kMost && fs::is_symlink(file, error); ++i) {
    const fs::path target = fs::read_symlink(file, error);
    if (error) throw Failure{"cannot follow the link " + file.string() + ": " + error.message()};
    file = target.is_absolute() ? target : folder_of(file) / target;
  }
  if (fs::is_symlink(file, error))
    throw Failure{file.string() + " is a link that leads in a circle"};
  return file;
}

/// The temporary file: one name per saved file, locked while it is written, so that two programs
/// never write the same one and what a crash leaves is used up by the next save.
class Temporary {
 public:
  explicit Temporary(const fs::path& file)
      : file_(file),
        path_(folder_of(file) / ("." + file.filename().string() + ".saving")),
        descriptor_(acquire()) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  void write(std::string_view text) {
    if (::ftruncate(descriptor_.get(), 0) != 0) fail("write", file_);
    while (!text.empty()) {
      const ssize_t n = ::write(descriptor_.get(), text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write", file_);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void take_over(const struct stat& old) {
    // ownership first: changing it clears the set-id bits; only root may give files away
    if (old.st_uid != ::geteuid() || old.st_gid != ::getegid())
      if (::fchown(descriptor_.get(), old.st_uid, old.st_gid) != 0) errno = 0;
    if (::fchmod(descriptor_.get(), old.st_mode & 07777) != 0) fail("keep the mode of", file_);
  }
  void sync() {
    if (::fsync(descriptor_.get()) != 0) fail("write", file_);
  }
  void rename_to(const fs::path& file) {
    if (::rename(path_.c_str(), file.c_str()) != 0) fail("replace", file);
    renamed_ = true;
  }

 private:
  Descriptor acquire() {
    using namespace std::chrono_literals;
    for (int attempt = 0; attempt < 200; ++attempt) {
      Descriptor fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
      // left by a crash with the mode of a file that may not be written
      const bool stale = !fd.is_open() && errno == EACCES && is_writable(folder_of(path_));
      if (stale) fd = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
      if (!fd.is_open()) fail("create a new version of", file_);
      // a file system without locks has one writer at a time by agreement only
      const bool locked = ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
      if (locked && stale) {
        ::unlink(path_.c_str());
        continue;
      }
      if (locked && is_ours(fd)) return fd;
      std::this_thread::sleep_for(locked ? 0ms : 10ms);
    }
    throw Failure{"cannot save " + file_.string() + ": another program is saving it"};
  }
  // whoever held the lock before may have renamed the file away while we waited
  [[nodiscard]] bool is_ours(const Descriptor& fd) const {
    struct stat here {
    }, there{};
    return ::fstat(fd.get(), &here) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  }

  const fs::path& file_;
  fs::path path_;
  Descriptor descriptor_;
  bool renamed_ = false;
};

void duplicate(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(to, ignored);
  throw Failure{"cannot keep the present file as " + to.string() + ": " + error.message()};
}

// FILE becomes FILE.1, FILE.1 becomes FILE.2 …; a gap in the row is filled before any is dropped
void keep_generations(const fs::path& file, int generations) {
  if (generations < 1) return;
  int free = 1;
  struct stat status {};
  while (free < generations && ::lstat(generation(file, free).c_str(), &status) == 0) ++free;
  for (int i = free; i > 1; --i)
    if (::rename(generation(file, i - 1).c_str(), generation(file, i).c_str()) != 0)
      fail("keep the older file", generation(file, i));
  const fs::path first = generation(file, 1);
  if (generations == 1 || free == 1) ::unlink(first.c_str());
  if (::link(file.c_str(), first.c_str()) != 0) duplicate(file, first);
}

bool holds_already(const fs::path& file, std::string_view text) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string present(text.size() + 1, '\0');
  std::size_t n = 0;
  while (fd.is_open() && n < present.size()) {
    const ssize_t got = ::read(fd.get(), present.data() + n, present.size() - n);
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  return fd.is_open() && std::string_view(present).substr(0, n) == text;
}

void save(const fs::path& wanted, std::string_view text, const SaveOptions& options) {
  if (!wanted.has_filename()) throw Failure{"cannot save " + wanted.string() + ": not a file name"};
  const fs::path file = follow_links(wanted);
  struct stat old {};
  const bool exists = ::stat(file.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode))
    throw Failure{"cannot save " + file.string() + ": it is not a plain file"};
  if (exists && !is_writable(file)) fail("save", file);
  // nothing to do keeps the generations for what did change
  if (exists && holds_already(file, text)) return;

  Temporary temporary(file);
  temporary.write(text);
  if (exists) temporary.take_over(old);
  if (options.sync) temporary.sync();
  if (exists) keep_generations(file, options.generations);
  temporary.rename_to(file);
  if (options.sync && !sync_folder_of(file)) fail("write the folder of", file);
}

}  // namespace

SaveResult save_atomically(const fs::path& file, std::string_view text,
                           const SaveOptions& options) noexcept {
  // out of memory while telling why is still a failed save, not an exception
  try {
    try {
      save(file, text, options);
      return {true, {}};
    } catch (const Failure& failure) {
      return {false, failure.what};
    } catch (const std::exception& e) {
      return {false, fmt::format("cannot save {}: {}", file.string(), e.what())};
    }
  } catch (...) {
    return {};
  }
}

}  // namespace pintle::config
