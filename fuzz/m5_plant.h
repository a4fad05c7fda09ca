/// Emulated M5s behind pseudo-terminals, served by a thread of their own: what the campaigns of serial
/// lines drive.
#pragma once
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>  // NOLINT: mkdtemp is not in <cstdlib>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pintle/device/bus_thread.h"
#include "pintle/device/line_emulator.h"
#include "pintle/device/m5_emulator.h"

namespace pintle::device {

class M5Plant {
 public:
  /// Of each line, who is on it. @throws std::runtime_error where the system gives no ports.
  explicit M5Plant(const std::vector<std::vector<M5Identity>>& lines) {
    folder_ = (std::filesystem::temp_directory_path() / "pintle-m5-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder for the ports");
    for (std::size_t k = 0; k < lines.size(); ++k) {
      thrusters_.push_back(std::make_unique<M5Emulator>(lines[k]));
      ends_.push_back(std::make_unique<LineEmulator>(*thrusters_[k], path(k)));
      if (!ends_[k]->plug()) throw std::runtime_error("no pseudo-terminal to be had");
    }
    thread_ = std::thread([this] { run(); });
  }
  ~M5Plant() {
    quit_ = true;
    thread_.join();
    ends_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  M5Plant(const M5Plant&) = delete;
  M5Plant& operator=(const M5Plant&) = delete;

  /// Real thrusters have processors of their own: these then wait for nobody.
  void run_first(int fifo_priority) {
    sched_param param{};
    param.sched_priority = fifo_priority;
    (void)::pthread_setschedparam(thread_.native_handle(), SCHED_FIFO, &param);
  }

  [[nodiscard]] std::string path(std::size_t line) const {
    return folder_ + "/if0" + std::to_string(line) + "-port0";
  }
  [[nodiscard]] double effort(std::size_t line, std::size_t i) {
    const std::lock_guard lock(mutex_);
    return thrusters_[line]->effort(i, BusThread::clock());
  }
  [[nodiscard]] std::uint64_t commands(std::size_t line, std::size_t i) {
    const std::lock_guard lock(mutex_);
    return thrusters_[line]->commands(i);
  }
  void unplug(std::size_t line) {
    const std::lock_guard lock(mutex_);
    ends_[line]->unplug();
  }
  [[nodiscard]] bool plug(std::size_t line) {
    const std::lock_guard lock(mutex_);
    return ends_[line]->plug();
  }

 private:
  void run() {
    while (!quit_) {
      std::vector<pollfd> watched;
      Time at = BusThread::clock() + Duration::from_seconds(0.001);
      {
        const std::lock_guard lock(mutex_);
        for (const auto& end : ends_) {
          end->update(BusThread::clock());
          at = std::min(at, end->wake_at());
          if (end->is_plugged()) watched.push_back({end->descriptor(), POLLIN, 0});
        }
      }
      const timespec wait{0, std::max<std::int64_t>((at - BusThread::clock()).ns, 0)};
      (void)::ppoll(watched.data(), watched.size(), &wait, nullptr);
    }
  }

  std::string folder_;
  std::vector<std::unique_ptr<M5Emulator>> thrusters_;
  std::vector<std::unique_ptr<LineEmulator>> ends_;
  std::mutex mutex_;  ///< Of both.
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

}  // namespace pintle::device
