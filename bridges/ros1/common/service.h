/// Services whose refusals carry their reason.
///
/// roscpp answers a failed call with nothing; the wire has room for a text, which rospy and
/// rosservice show to the caller ("responded with an error: …"). For services whose response has
/// no field to say it in.
#pragma once
#include <ros/node_handle.h>
#include <ros/service_callback_helper.h>

#include <boost/make_shared.hpp>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace pintle::ros1 {

/// Answers "" when it is done, or the reason why not.
template <class Service>
using Handler =
    std::function<std::string(const typename Service::Request&, typename Service::Response&)>;

template <class Service>
class ReasoningService : public ros::ServiceCallbackHelper {
 public:
  explicit ReasoningService(Handler<Service> handler) : handler_(std::move(handler)) {}

  bool call(ros::ServiceCallbackHelperCallParams& params) override {
    namespace ser = ros::serialization;
    typename Service::Request request;
    typename Service::Response response;
    std::string reason;
    try {
      ser::deserializeMessage(params.request, request);
      reason = handler_(request, response);
    } catch (const std::exception& e) {
      reason = std::string("refused: ") + e.what();
    }
    params.response = reason.empty() ? ser::serializeServiceResponse(true, response)
                                     : ser::serializeServiceResponse(false, reason);
    return true;  // otherwise roscpp sends an empty text in place of this response
  }

 private:
  Handler<Service> handler_;
};

template <class Service>
[[nodiscard]] ros::ServiceServer advertise_service(ros::NodeHandle& node, const std::string& name,
                                                   Handler<Service> handler) {
  ros::AdvertiseServiceOptions options;
  options.service = name;
  options.md5sum = ros::service_traits::md5sum<Service>();
  options.datatype = ros::service_traits::datatype<Service>();
  options.req_datatype = ros::message_traits::datatype<typename Service::Request>();
  options.res_datatype = ros::message_traits::datatype<typename Service::Response>();
  options.helper = boost::make_shared<ReasoningService<Service>>(std::move(handler));
  return node.advertiseService(options);
}

}  // namespace pintle::ros1
