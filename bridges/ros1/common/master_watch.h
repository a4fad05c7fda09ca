/// Keeps a node known to the master.
///
/// roscpp registers topics and services once. When the master is started anew it knows nothing, and
/// nobody new finds the node, though connections that exist go on. This thread asks the master once
/// a period whether it knows the node, and registers everything again when it does not. It talks to
/// the master and to this process's own XML-RPC server only; the node's own threads never wait for
/// it.
///
/// A node that subscribes or advertises something while there is no master is known to the next one
/// by that alone. So the witness is a service of roscpp's own logger: every node has it from its
/// start, and it is registered again as the last thing.
///
/// A publisher that another node has not registered again is unknown to the new master. roscpp
/// drops connections that are missing from a list of publishers, so lists are only ever extended
/// here.
#pragma once
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace pintle::ros1 {

/// host:port at which this node answers for its topics and services. To be asked once before there is a
/// thread that may outlive roscpp: its own word for it ends the program once it has shut down.
const std::string& own_address();

/// Whether the master knows all of this node, `reached` whether there is one.
/// `stop` ends the wait for a master that hangs.
[[nodiscard]] bool is_known_to_master(bool& reached, const std::atomic<bool>* stop = nullptr);

/// Whether another node that lives goes by this one's name.
[[nodiscard]] bool is_replaced(const std::atomic<bool>* stop = nullptr);

class MasterWatch {
 public:
  /// `services`: resolved names of the services that the node has advertised. roscpp has no list of
  /// them; the two of its logger are added here.
  explicit MasterWatch(std::vector<std::string> services, double period_s = 1.0);
  ~MasterWatch();
  MasterWatch(const MasterWatch&) = delete;
  MasterWatch& operator=(const MasterWatch&) = delete;

 private:
  void watch(double period_s);

  std::vector<std::string> services_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace pintle::ros1
