/// Bounds of thrusters whose layout has none, asked of the driver's service thrusters/thruster_info
/// until each has answered. In a thread of its own: a service call may wait, the mapper must not.
#pragma once
#include <sub8_msgs/ThrusterInfo.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace pintle::ros1 {

class BoundsFromDriver {
 public:
  struct Bounds {
    std::string name;
    double lower_N, upper_N;
  };

  explicit BoundsFromDriver(const std::vector<std::string>& names);
  ~BoundsFromDriver();
  BoundsFromDriver(const BoundsFromDriver&) = delete;
  BoundsFromDriver& operator=(const BoundsFromDriver&) = delete;

  /// Answers since the last call.
  [[nodiscard]] std::vector<Bounds> take();
  /// This one need not be asked again.
  void done(const std::string& name);

 private:
  void ask();

  std::mutex mutex_;
  std::set<std::string> open_;
  std::vector<Bounds> found_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace pintle::ros1
