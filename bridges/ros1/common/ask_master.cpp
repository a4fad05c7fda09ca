#include "common/ask_master.h"

#include <ros/master.h>
#include <ros/this_node.h>
#include <xmlrpcpp/XmlRpcClient.h>

#include <algorithm>

#include "common/node.h"

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

class Client : public XmlRpc::XmlRpcClient {
 public:
  using XmlRpc::XmlRpcClient::XmlRpcClient;
  [[nodiscard]] bool is_lost() const { return _connectionState == NO_CONNECTION; }
};

}  // namespace

MasterSays ask_master(const std::string& method, const XmlRpcValue& request, XmlRpcValue& payload,
                      double limit_s, const std::atomic<bool>* stop) {
  return ask_at(ros::master::getHost(), ros::master::getPort(), method, request, payload, limit_s,
                stop);
}

MasterSays ask_at(const std::string& host, std::uint32_t port, const std::string& method,
                  const XmlRpcValue& request, XmlRpcValue& payload, double limit_s,
                  const std::atomic<bool>* stop) {
  constexpr double kLook_s = 0.05;
  Client client(host.c_str(), static_cast<int>(port), "/");
  double left_s = limit_s;
  XmlRpcValue answer;
  if (!client.executeNonBlock(method.c_str(), request)) return MasterSays::kAbsent;
  while (!client.is_lost() && !client.executeCheckDone(answer)) {
    if (left_s <= 0 || (stop != nullptr && *stop)) return MasterSays::kNothing;
    const double looked_s = steady_s();
    client._disp.work(kLook_s);
    // no longer than was asked for: while this process stands, nobody is silent
    left_s -= std::min(steady_s() - looked_s, kLook_s);
  }
  if (client.isFault()) return MasterSays::kNo;
  // also what a connection that was refused looks like
  if (answer.getType() != XmlRpcValue::TypeArray || answer.size() != 3 ||
      answer[0].getType() != XmlRpcValue::TypeInt)
    return MasterSays::kAbsent;
  if (static_cast<int>(answer[0]) != 1) return MasterSays::kNo;
  payload = answer[2];
  return MasterSays::kYes;
}

XmlRpcValue as_this_node() {
  XmlRpcValue request;
  request[0] = ros::this_node::getName();
  return request;
}

}  // namespace pintle::ros1
