/// Work in forked processes, no more at a time than there are processors: each child begins with
/// all that its parent has, and answers through memory that both share.
#pragma once
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <thread>
#include <type_traits>

namespace pintle::testing {

/// Children under way, no more than there are processors.
class Children {
 public:
  template <class F>
  void start(F&& work) {
    while (running_ >= limit_) wait_for_one();
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    if (child > 0) ++running_;
  }
  void wait_for_all() {
    while (running_ > 0) wait_for_one();
  }

 private:
  void wait_for_one() {
    int status = 0;
    if (wait(&status) > 0) --running_;
  }
  unsigned running_ = 0;
  unsigned limit_ = std::max(1U, std::thread::hardware_concurrency());
};

/// Each as T{} until a child writes it; never freed.
template <class T>
std::span<T> shared_results(std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  void* at =
      mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error("there is no memory to share");
  T* first = static_cast<T*>(at);
  for (std::size_t i = 0; i < n; ++i) new (first + i) T{};
  return {first, n};
}

}  // namespace pintle::testing
