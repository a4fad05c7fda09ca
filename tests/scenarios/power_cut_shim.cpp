// Preloaded into a program, it cuts the power: before the PINTLE_CUT_AT-th operation on PINTLE_CUT_DIR the
// process ends, and PINTLE_CUT_TO gets what a disk may hold then. Of a file that is what its last fsync left,
// and of what was written since nothing, a part, or zeros; of the folder it is any moment since its last
// fsync, its operations in order. With PINTLE_CUT_AT 0 nothing is cut, and PINTLE_CUT_TO/count says how many
// operations there were. Regular files directly in the folder; by open, write, ftruncate, rename, link, unlink.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

thread_local bool inside = false;  // what is done in here is not counted
struct Inside {
  bool was = inside;
  Inside() { inside = true; }
  ~Inside() { inside = was; }
};

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

class Disk {
 public:
  static Disk& get() {
    static Disk* disk = new Disk;  // never destroyed: used while the process ends
    return *disk;
  }
  [[nodiscard]] bool has(const char* path) const {
    return on_ && fs::path(path).parent_path() == folder_;
  }
  [[nodiscard]] bool has(int fd) const {
    return on_ && (is_folder(fd) || has(path_of(fd).c_str()));
  }

  /// Counts an operation, or is the end.
  void count() {
    if (++count_ == cut_at_) cut();
  }
  void folder_changed() { moments_.push_back(names()); }
  void created(const char* path) {
    struct stat s {};
    if (::stat(path, &s) == 0 && !knows(s.st_ino)) {
      synced_[s.st_ino] = {};
      folder_changed();
    }
  }
  void synced(int fd) {
    if (is_folder(fd)) {
      first_possible_ = moments_.size() - 1;
      return;
    }
    struct stat s {};
    if (::fstat(fd, &s) == 0) synced_[s.st_ino] = content("/proc/self/fd/" + std::to_string(fd));
  }
  void tell() {
    if (on_) std::ofstream(to_ / "count") << count_ << "\n";
  }
  std::mutex lock;

 private:
  using Names = std::map<std::string, ino_t>;
  Disk() : folder_(env("PINTLE_CUT_DIR")), to_(env("PINTLE_CUT_TO")) {
    on_ = !folder_.empty() && !to_.empty();
    if (!on_) return;
    cut_at_ = std::strtoull(env("PINTLE_CUT_AT").c_str(), nullptr, 10);
    random_.seed(std::strtoull(env("PINTLE_CUT_SEED").c_str(), nullptr, 10));
    folder_changed();
    for (const auto& [name, ino] : moments_.back()) synced_[ino] = content(folder_ / name);
  }
  [[nodiscard]] static std::string path_of(int fd) {
    std::error_code error;
    return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
  }
  [[nodiscard]] bool is_folder(int fd) const { return path_of(fd) == folder_; }
  [[nodiscard]] bool knows(ino_t ino) const {
    for (const auto& [name, known] : moments_.back())
      if (known == ino) return true;
    return false;
  }
  [[nodiscard]] Names names() const {
    Names out;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      struct stat s {};
      if (::lstat(entry.path().c_str(), &s) == 0 && S_ISREG(s.st_mode))
        out[entry.path().filename().string()] = s.st_ino;
    }
    return out;
  }
  std::size_t below(std::size_t n) { return n > 0 ? random_() % n : 0; }

  /// What the disk may hold of a file.
  std::string survives(ino_t ino) {
    const std::string safe = synced_[ino];
    std::string now = safe;
    for (const auto& [name, other] : names())
      if (other == ino) now = content(folder_ / name);
    const bool appended = now.compare(0, safe.size(), safe) == 0;
    switch (below(3)) {
      case 0: return safe;
      case 1: {
        const std::size_t least = appended ? safe.size() : 0;
        return now.substr(0, least + below(now.size() - least + 1));
      }
      default: return appended ? safe + std::string(now.size() - safe.size(), '\0') : safe;
    }
  }
  [[noreturn]] void cut() {
    const std::size_t moment = first_possible_ + below(moments_.size() - first_possible_);
    std::map<ino_t, std::string> held;  // two names of one file hold the same
    for (const auto& [name, ino] : moments_[moment]) {
      if (held.count(ino) == 0) held[ino] = survives(ino);
      std::ofstream(to_ / name, std::ios::binary) << held[ino];
    }
    ::_exit(9);
  }

  fs::path folder_, to_;
  bool on_ = false;
  std::uint64_t cut_at_ = 0, count_ = 0;
  std::mt19937_64 random_;
  std::map<ino_t, std::string> synced_;
  std::vector<Names> moments_;
  std::size_t first_possible_ = 0;
};

/// An operation on what is watched: counted before, noted after.
template <class What, class Do, class Note>
auto operate(What what, Do&& act, Note&& note) {
  if (inside) return act();
  const Inside guard;
  Disk& disk = Disk::get();
  const std::lock_guard held(disk.lock);
  if (!disk.has(what)) return act();
  disk.count();
  const auto answer = act();
  if (answer >= 0) note(disk);
  return answer;
}
constexpr auto kNothing = [](Disk&) {};
constexpr auto kFolder = [](Disk& disk) { disk.folder_changed(); };

[[gnu::constructor]] void begin() {
  const Inside guard;
  (void)Disk::get();
}
[[gnu::destructor]] void end() {
  const Inside guard;
  Disk::get().tell();
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {  // NOLINT: the C library's name
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  static auto* const next = real<int(const char*, int, ...)>("open");
  if ((flags & O_CREAT) == 0) return next(path, flags);
  return operate(
      path, [&] { return next(path, flags, mode); }, [&](Disk& disk) { disk.created(path); });
}
ssize_t write(int fd, const void* bytes, size_t n) {
  static auto* const next = real<ssize_t(int, const void*, size_t)>("write");
  return operate(
      fd, [&] { return next(fd, bytes, n); }, kNothing);
}
int ftruncate(int fd, off_t length) noexcept {
  static auto* const next = real<int(int, off_t)>("ftruncate");
  return operate(
      fd, [&] { return next(fd, length); }, kNothing);
}
int rename(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("rename");
  return operate(
      to, [&] { return next(from, to); }, kFolder);
}
int link(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("link");
  return operate(
      to, [&] { return next(from, to); }, kFolder);
}
int unlink(const char* path) noexcept {
  static auto* const next = real<int(const char*)>("unlink");
  return operate(
      path, [&] { return next(path); }, kFolder);
}
int fsync(int fd) {
  static auto* const next = real<int(int)>("fsync");
  // nothing in here needs the real disk
  (void)next;
  return operate(
      fd, [] { return 0; }, [fd](Disk& disk) { disk.synced(fd); });
}
int fdatasync(int fd) { return fsync(fd); }
}
