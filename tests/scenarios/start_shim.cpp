// Preloaded into a program, it runs it many times after one linking, which is most of what a short run of it
// costs: where main would begin, each request from the socket that is file 3 gets a copy of the process.
//
// A request is its length (uint32) and that many bytes of texts that end with 0: the folder, files for stdin,
// stdout and stderr, how many arguments, these, and the surroundings. Answered are the process (int32), and when
// it has ended its status (int32), the seconds it took (double) and the most memory, KiB (int64).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace {

constexpr int kSocket = 3;
constexpr rlim_t kCpu_s = 60;

using Main = int(int, char**, char**);
Main* true_main = nullptr;

bool take(void* to, std::size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = read(kSocket, at, size);
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

template <class T>
void answer(T x) {
  if (write(kSocket, &x, sizeof x) != static_cast<ssize_t>(sizeof x)) _exit(1);
}

void put(const char* file, int flags, int as) {
  const int fd = open(file, flags);
  if (fd < 0) _exit(126);
  dup2(fd, as);
  close(fd);
}

/// What a program that is started finds.
[[noreturn]] void begin(std::vector<char*>& texts) {
  if (chdir(texts[0]) != 0) _exit(126);
  put(texts[1], O_RDONLY, 0);
  put(texts[2], O_WRONLY, 1);
  put(texts[3], O_WRONLY, 2);
  close(kSocket);
  const rlimit limit{kCpu_s, kCpu_s + 1};
  setrlimit(RLIMIT_CPU, &limit);
  const int count = std::atoi(texts[4]);
  texts.push_back(nullptr);
  std::vector<char*> arguments(texts.begin() + 5, texts.begin() + 5 + count);
  arguments.push_back(nullptr);
  environ = texts.data() + 5 + count;
  std::exit(true_main(count, arguments.data(), environ));
}

int serve(int, char**, char**) {
  std::uint32_t size = 0;
  while (take(&size, sizeof size)) {
    std::string request(size, '\0');
    if (!take(request.data(), size)) return 1;
    std::vector<char*> texts;
    for (std::size_t at = 0; at < size; at = request.find('\0', at) + 1)
      texts.push_back(request.data() + at);
    const pid_t child = fork();
    if (child == 0) begin(texts);
    answer<std::int32_t>(child);
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    answer<std::int32_t>(status);
    answer(double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * double(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
    answer<std::int64_t>(used.ru_maxrss);
  }
  // what was made before main goes with the process
  _exit(0);
}

}  // namespace

extern "C" int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*end)(), void* stack) {
  true_main = main;
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"))(serve, argc, argv, init,
                                                                         fini, end, stack);
}
