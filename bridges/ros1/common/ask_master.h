/// One call to the ROS master that has an end. roscpp's own calls wait without limit for a master that
/// hangs, or whose machine is out of reach; those that a node makes by itself while it runs go
/// through here.
#pragma once
#include <xmlrpcpp/XmlRpcValue.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace pintle::ros1 {

enum class MasterSays {
  kYes,      ///< Done; `payload` is the answer.
  kNo,       ///< It answers, with a failure.
  kAbsent,   ///< Nobody listens there.
  kNothing,  ///< No answer within the limit.
};

inline constexpr double kMasterPatience_s = 3;

/// The request begins with the node's name. `stop` ends the wait too: kNothing.
[[nodiscard]] MasterSays ask_master(const std::string& method, const XmlRpc::XmlRpcValue& request,
                                    XmlRpc::XmlRpcValue& payload,
                                    double limit_s = kMasterPatience_s,
                                    const std::atomic<bool>* stop = nullptr);

/// The same of any XML-RPC server.
[[nodiscard]] MasterSays ask_at(const std::string& host, std::uint32_t port,
                                const std::string& method, const XmlRpc::XmlRpcValue& request,
                                XmlRpc::XmlRpcValue& payload, double limit_s,
                                const std::atomic<bool>* stop = nullptr);

/// A request with the node's name alone.
[[nodiscard]] XmlRpc::XmlRpcValue as_this_node();

}  // namespace pintle::ros1
