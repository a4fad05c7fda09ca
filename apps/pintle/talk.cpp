#include "talk.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace pintle::app {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostWaiting = 256;
constexpr auto kPatience = 300ms;

/// Shared with the thread, which may outlive the program's main function by a write that hangs.
struct Queue {
  std::mutex mutex;
  std::condition_variable come, written;
  std::deque<std::string> texts;
  std::uint64_t dropped = 0;
  bool is_writing = false, ending = false;

  [[nodiscard]] bool is_empty() const { return texts.empty() && dropped == 0 && !is_writing; }
};

/// False: there is no room now, and it shall end.
bool has_room(Queue& queue) {
  for (;;) {
    pollfd p{STDERR_FILENO, POLLOUT, 0};
    if (poll(&p, 1, 50) > 0) return (p.revents & (POLLERR | POLLNVAL)) == 0;
    const std::lock_guard lock(queue.mutex);
    if (queue.ending) return false;
  }
}

/// A pipe that can be written to takes PIPE_BUF bytes without waiting.
void write_all(Queue& queue, std::string_view text) {
  while (!text.empty() && has_room(queue)) {
    const ssize_t n =
        write(STDERR_FILENO, text.data(), std::min(text.size(), std::size_t{PIPE_BUF}));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void write_what_comes(const std::shared_ptr<Queue>& queue) {
  std::unique_lock lock(queue->mutex);
  for (;;) {
    queue->come.wait(lock, [&] { return !queue->is_empty() || queue->ending; });
    if (queue->is_empty()) return;
    std::string text;
    if (!queue->texts.empty()) {
      text = std::move(queue->texts.front());
      queue->texts.pop_front();
    } else {
      // these came after all that stood in the queue
      text = fmt::format("  {} lines are missing here: nobody read them\n", queue->dropped);
      queue->dropped = 0;
    }
    queue->is_writing = true;
    lock.unlock();
    write_all(*queue, text);
    lock.lock();
    queue->is_writing = false;
    queue->written.notify_all();
  }
}

class Talk {
 public:
  Talk() {
    // signals are for the thread that runs the program
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([queue = queue_] { write_what_comes(queue); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Talk() {
    settle();
    const std::lock_guard lock(queue_->mutex);
    queue_->ending = true;
    queue_->come.notify_all();
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  void tell(std::string text) {
    const std::lock_guard lock(queue_->mutex);
    // once one was dropped all are, until there is room: the order stays
    if (queue_->texts.size() >= kMostWaiting || queue_->dropped > 0)
      ++queue_->dropped;
    else
      queue_->texts.push_back(std::move(text));
    queue_->come.notify_all();
  }
  void settle() {
    std::unique_lock lock(queue_->mutex);
    queue_->written.wait_for(lock, kPatience, [this] { return queue_->is_empty(); });
  }

 private:
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

Talk& talk() {
  static Talk the;
  return the;
}

}  // namespace

void tell(std::string text) { talk().tell(std::move(text)); }
void settle_talk() { talk().settle(); }

}  // namespace pintle::app
