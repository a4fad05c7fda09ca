#include "peers.h"

#include <opencv2/aruco.hpp>

#ifdef PINTLE_HAS_APRILTAG
extern "C" {
#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
}
#endif

namespace pintle::testing {

struct OpenCvMarkers::Impl {
  cv::Ptr<cv::aruco::Dictionary> dictionary;
  cv::Ptr<cv::aruco::DetectorParameters> parameters = cv::aruco::DetectorParameters::create();
};

OpenCvMarkers::OpenCvMarkers(MarkerFamily family, bool refine) : impl_(std::make_unique<Impl>()) {
  cv::setNumThreads(1);
  impl_->dictionary = cv::aruco::getPredefinedDictionary(family == MarkerFamily::kTag36h11
                                                             ? cv::aruco::DICT_APRILTAG_36h11
                                                             : cv::aruco::DICT_ARUCO_ORIGINAL);
  impl_->parameters->cornerRefinementMethod =
      refine ? cv::aruco::CORNER_REFINE_SUBPIX : cv::aruco::CORNER_REFINE_NONE;
}
OpenCvMarkers::~OpenCvMarkers() = default;

void OpenCvMarkers::detect(const ImageView& grey, std::vector<PeerMarker>& out) {
  out.clear();
  const cv::Mat image(grey.height, grey.width, CV_8UC1, const_cast<std::uint8_t*>(grey.data),
                      grey.stride);
  std::vector<std::vector<cv::Point2f>> corners;
  std::vector<int> ids;
  cv::aruco::detectMarkers(image, impl_->dictionary, corners, ids, impl_->parameters);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    PeerMarker m{static_cast<std::uint32_t>(ids[i]), {}};
    for (std::size_t k = 0; k < 4; ++k) m.corners[k] = {corners[i][k].x, corners[i][k].y};
    out.push_back(m);
  }
}

#ifdef PINTLE_HAS_APRILTAG

struct AprilTags::Impl {
  apriltag_family_t* family = tag36h11_create();
  apriltag_detector_t* detector = apriltag_detector_create();
};
AprilTags::AprilTags(double decimate) : impl_(std::make_unique<Impl>()) {
  apriltag_detector_add_family(impl_->detector, impl_->family);
  impl_->detector->quad_decimate = static_cast<float>(decimate);
  impl_->detector->nthreads = 1;
}
AprilTags::~AprilTags() {
  apriltag_detector_destroy(impl_->detector);
  tag36h11_destroy(impl_->family);
}
bool AprilTags::available() { return true; }
void AprilTags::detect(const ImageView& grey, std::vector<PeerMarker>& out) {
  out.clear();
  image_u8_t image{grey.width, grey.height, static_cast<int>(grey.stride),
                   const_cast<std::uint8_t*>(grey.data)};
  zarray_t* found = apriltag_detector_detect(impl_->detector, &image);
  for (int i = 0; i < zarray_size(found); ++i) {
    apriltag_detection_t* d = nullptr;
    zarray_get(found, i, &d);
    PeerMarker m{static_cast<std::uint32_t>(d->id), {}};
    // its pixels begin at their corner, ours in their middle
    for (std::size_t k = 0; k < 4; ++k) m.corners[k] = {d->p[k][0] - 0.5, d->p[k][1] - 0.5};
    out.push_back(m);
  }
  apriltag_detections_destroy(found);
}

#else

struct AprilTags::Impl {};
AprilTags::AprilTags(double) {}
AprilTags::~AprilTags() = default;
bool AprilTags::available() { return false; }
void AprilTags::detect(const ImageView&, std::vector<PeerMarker>& out) { out.clear(); }

#endif

}  // namespace pintle::testing
