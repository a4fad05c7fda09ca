/// Pictures on a topic, and as JPEG on TOPIC/compressed as image_transport has it: for who looks over
/// a radio link. Each is made while somebody listens.
///
/// ~TOPIC/compressed/jpeg_quality  1 to 100, 80        ~TOPIC/compressed/format  jpeg
#pragma once
#include <ros/node_handle.h>
#include <sensor_msgs/CompressedImage.h>
#include <sensor_msgs/Image.h>

#include <string>

#include "common/node.h"
#include "vision/picture.h"

namespace pintle::ros1 {

class PicturePublisher {
 public:
  PicturePublisher() = default;
  PicturePublisher(ros::NodeHandle& own, const std::string& topic) {
    const std::string packed = topic + "/compressed";
    (void)word_param(own, packed + "/format", "jpeg", {"jpeg"});
    quality_ = static_cast<int>(number_param(own, packed + "/jpeg_quality", 80, 1, 100));
    plain_ = own.advertise<sensor_msgs::Image>(topic, 1);
    packed_ = own.advertise<sensor_msgs::CompressedImage>(packed, 1);
  }

  [[nodiscard]] bool is_wanted() const {
    return plain_.getNumSubscribers() > 0 || packed_.getNumSubscribers() > 0;
  }

  void publish(const sensor_msgs::Image& m) const {
    plain_.publish(m);
    if (packed_.getNumSubscribers() == 0) return;
    sensor_msgs::CompressedImage out;
    out.header = m.header;
    out.format = "rgb8; jpeg compressed bgr8";
    const std::string why = jpeg_of(
        {m.width, m.height, m.step, m.encoding, m.data.data(), m.data.size()}, quality_, out.data);
    if (why.empty())
      packed_.publish(out);
    else
      ROS_WARN_THROTTLE(10, "%s: %s", packed_.getTopic().c_str(), why.c_str());
  }

 private:
  int quality_ = 80;
  ros::Publisher plain_, packed_;
};

}  // namespace pintle::ros1
