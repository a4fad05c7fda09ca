#include "common/master_watch.h"

#include <ros/connection_manager.h>
#include <ros/network.h>
#include <ros/ros.h>
#include <ros/service_manager.h>
#include <ros/xmlrpc_manager.h>
#include <xmlrpcpp/XmlRpcClient.h>

#include <chrono>
#include <set>

#include "common/ask_master.h"

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

std::string service_uri() { return "rosrpc://" + own_address(); }

/// What is registered last.
std::string witness() { return ros::this_node::getName() + "/set_logger_level"; }

/// One call to this process's own XML-RPC server: roscpp keeps the lists that are needed private.
XmlRpcValue ask_self(const char* method, const XmlRpcValue& request) {
  XmlRpcValue response, nothing;
  nothing.setSize(0);
  // the server is about to end: it may take the call and never answer
  if (ros::isShuttingDown()) return nothing;
  ros::XMLRPCManager& manager = *ros::XMLRPCManager::instance();
  XmlRpc::XmlRpcClient* client = manager.getXMLRPCClient(
      ros::network::getHost(), static_cast<int>(manager.getServerPort()), "/");
  if (client == nullptr) return nothing;
  const bool ok = client->execute(method, request, response) && !client->isFault();
  manager.releaseXMLRPCClient(client);
  if (!ok || response.getType() != XmlRpcValue::TypeArray || response.size() != 3 ||
      response[2].getType() != XmlRpcValue::TypeArray)
    return nothing;
  return response[2];
}

/// Publishers that this process has connections to, on one topic.
std::set<std::string> connected_publishers(const std::string& topic) {
  std::set<std::string> uris;
  XmlRpcValue info = ask_self("getBusInfo", as_this_node());
  for (int i = 0; i < info.size(); ++i) {
    XmlRpcValue& link = info[i];
    if (link.getType() != XmlRpcValue::TypeArray || link.size() < 5) continue;
    for (int k : {1, 2, 4})
      if (link[k].getType() != XmlRpcValue::TypeString) return uris;
    if (std::string(link[2]) == "i" && std::string(link[4]) == topic)
      uris.insert(std::string(link[1]));
  }
  return uris;
}

/// Tells this process's own subscription of the publishers that the master knows.
void introduce(const std::string& topic, XmlRpcValue& known) {
  if (known.getType() != XmlRpcValue::TypeArray || known.size() == 0) return;
  std::set<std::string> all = connected_publishers(topic);
  for (int i = 0; i < known.size(); ++i) all.insert(std::string(known[i]));
  XmlRpcValue request = as_this_node(), list;
  int n = 0;
  for (const std::string& uri : all) list[n++] = uri;
  request[1] = topic;
  request[2] = list;
  ask_self("publisherUpdate", request);
}

/// False: the master has gone or hangs, or this node is ending, and the witness is not there yet.
bool register_everything(const std::vector<std::string>& services, const std::atomic<bool>& stop) {
  const std::string uri = ros::XMLRPCManager::instance()->getServerURI();
  XmlRpcValue publications = ask_self("getPublications", as_this_node());
  XmlRpcValue subscriptions = ask_self("getSubscriptions", as_this_node());
  const auto tell = [&](const char* method, const XmlRpcValue& name, const XmlRpcValue& what,
                        XmlRpcValue& payload) {
    XmlRpcValue request = as_this_node();
    request[1] = name;
    request[2] = what;
    request[3] = uri;
    if (stop || ros::isShuttingDown()) return MasterSays::kNothing;
    return ask_master(method, request, payload, kMasterPatience_s, &stop);
  };
  XmlRpcValue payload;
  for (int i = 0; i < publications.size(); ++i)
    if (tell("registerPublisher", publications[i][0], publications[i][1], payload) >
        MasterSays::kNo)
      return false;
  for (int i = 0; i < subscriptions.size(); ++i) {
    XmlRpcValue known;
    const MasterSays says =
        tell("registerSubscriber", subscriptions[i][0], subscriptions[i][1], known);
    if (says > MasterSays::kNo) return false;
    if (says == MasterSays::kYes) introduce(std::string(subscriptions[i][0]), known);
  }
  for (const std::string& service : services)
    if (tell("registerService", service, service_uri(), payload) > MasterSays::kNo) return false;
  return true;
}

}  // namespace

const std::string& own_address() {
  static const std::string address =
      ros::network::getHost() + ":" +
      std::to_string(ros::ConnectionManager::instance()->getTCPPort());
  return address;
}

bool is_known_to_master(bool& reached, const std::atomic<bool>* stop) {
  XmlRpcValue request = as_this_node(), payload;
  request[1] = witness();
  const MasterSays says = ask_master("lookupService", request, payload, kMasterPatience_s, stop);
  reached = says <= MasterSays::kNo;
  // one that was killed and started anew under this name has left its old place behind
  return says == MasterSays::kYes && payload.getType() == XmlRpcValue::TypeString &&
         std::string(payload) == service_uri();
}

bool is_replaced(const std::atomic<bool>* stop) {
  XmlRpcValue request = as_this_node(), payload;
  request[1] = ros::this_node::getName();
  if (ask_master("lookupNode", request, payload, kMasterPatience_s, stop) != MasterSays::kYes ||
      payload.getType() != XmlRpcValue::TypeString)
    return false;
  const std::string uri = payload;
  std::string host;
  std::uint32_t port = 0;
  if (uri == ros::XMLRPCManager::instance()->getServerURI() ||
      !ros::network::splitURI(uri, host, port))
    return false;
  return ask_at(host, port, "getPid", as_this_node(), payload, kMasterPatience_s, stop) <=
         MasterSays::kNo;
}

MasterWatch::MasterWatch(std::vector<std::string> services, double period_s)
    : services_(std::move(services)) {
  // with log4cxx 1.0, which Debian 12 has, it frees what each later line of the log is written by
  ros::ServiceManager::instance()->unadvertiseService(ros::this_node::getName() + "/get_loggers");
  (void)own_address();
  thread_ = std::thread([this, period_s] { watch(period_s); });
}

MasterWatch::~MasterWatch() {
  stop_ = true;
  thread_.join();
}

void MasterWatch::watch(double period_s) {
  bool present = true;
  while (!stop_ && ros::ok()) {
    for (double t = 0; t < period_s && !stop_; t += 0.05)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (stop_ || !ros::ok()) return;
    bool reached = false;
    const bool known = is_known_to_master(reached, &stop_);
    if (stop_) return;
    if (reached != present) {
      present = reached;
      if (!reached) ROS_WARN("the ROS master is gone; control goes on over existing connections");
    }
    // who is ending has told the master so: it is unknown by its own will
    if (stop_ || ros::isShuttingDown()) return;
    if (!reached || known) continue;
    // to register again would end the one that has taken this one's place
    if (is_replaced(&stop_)) continue;
    // it stands in for an alarm server only where there was none
    std::vector<std::string> services = services_;
    if (ros::ServiceManager::instance()->lookupServicePublication("/alarm/get"))
      services.emplace_back("/alarm/get");
    services.push_back(witness());
    if (register_everything(services, stop_))
      ROS_WARN("a new ROS master: all topics and services are registered again");
  }
}

}  // namespace pintle::ros1
