#include "pintle/vision/quads.h"

#include <opencv2/imgproc/imgproc_c.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace pintle::vision {
namespace {

double twice_area(Pixel a, Pixel b, Pixel c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

/// Where the lines a b and c d meet; false when they hardly do.
bool meet(Pixel a, Pixel b, Pixel c, Pixel d, Pixel& out) {
  const Pixel r = b - a, s = d - c;
  const double cross = r.u * s.v - r.v * s.u;
  if (!(std::abs(cross) > 1e-9)) return false;
  const double t = ((c.u - a.u) * s.v - (c.v - a.v) * s.u) / cross;
  out = a + t * r;
  return true;
}

double side(const Quad& q, std::size_t i) {
  const Pixel d = q[(i + 1) % 4] - q[i];
  return std::hypot(d.u, d.v);
}

}  // namespace

bool reduce_to_quad(std::vector<Pixel> p, double most, Quad& out) {
  double area = 0;
  for (std::size_t i = 2; i < p.size(); ++i) area += twice_area(p[0], p[i - 1], p[i]);
  if (area < 0) {
    std::reverse(p.begin(), p.end());
    area = -area;
  }
  double added = 0;
  while (p.size() > 4) {
    const std::size_t n = p.size();
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    Pixel corner{};
    // without the edge from i to i + 1 its neighbours go on until they meet
    for (std::size_t i = 0; i < n; ++i) {
      const Pixel before = p[(i + n - 1) % n], a = p[i], b = p[(i + 1) % n], after = p[(i + 2) % n];
      Pixel m;
      if (!meet(before, a, after, b, m)) continue;
      const double more = twice_area(a, m, b);
      // they meet outside of this edge, or not at all
      if (!(more >= 0) || !(twice_area(before, a, m) > -1e-9 * area)) continue;
      const Pixel ahead = m - a, along = a - before;
      if (ahead.u * along.u + ahead.v * along.v < 0) continue;
      if (more < least) least = more, best = i, corner = m;
    }
    added += least;
    if (!(added <= most * area)) return false;
    p[best] = corner;
    p.erase(p.begin() + static_cast<std::ptrdiff_t>((best + 1) % n));
  }
  if (p.size() != 4) return false;
  std::copy(p.begin(), p.end(), out.begin());
  return true;
}

namespace {

constexpr int kDarker = 88;  // than what is around, in sixteenths of a step of the picture

/// 255 where a picture, smoothed by 1 2 1 both ways, is darker than the mean of the square about it;
/// beyond its border it goes on as it ends. More smoothing would take the border of a small marker
/// with the noise; with less, each pixel of noise becomes an outline. `dark` has one pixel more to
/// each side.
class DarkPlaces {
 public:
  /// The square reaches `half` to each side, at most 7: its sum has 16 bits.
  template <int half>
  void find(const cv::Mat& grey, cv::Mat& dark) {
    const int wide = grey.cols, tall = grey.rows;
    dark.create(tall + 2, wide + 2, CV_8UC1);
    columns_.assign(static_cast<std::size_t>(wide + 2 * half), 0);
    calm_.resize(static_cast<std::size_t>(wide + 2));
    Sum *columns = columns_.data() + half, *calm = calm_.data() + 1;
    const auto row = [&](int v) { return grey.ptr<std::uint8_t>(std::clamp(v, 0, tall - 1)); };
    for (int v = -half; v < half; ++v) change<1>(columns, row(v), wide);
    for (int v = 0; v < tall; ++v) {
      change<1>(columns, row(v + half), wide);
      std::fill(columns - half, columns, columns[0]);
      std::fill(columns + wide, columns + wide + half, columns[wide - 1]);
      smooth(row(v - 1), row(v), row(v + 1), calm, wide);
      calm[-1] = calm[0], calm[wide] = calm[wide - 1];
      compare<2 * half + 1>(columns - half, calm - 1, dark.ptr<std::uint8_t>(v + 1) + 1, wide);
      change<-1>(columns, row(v - half), wide);
    }
  }

 private:
  using Sum = std::uint16_t;

  template <int sign>
  static void change(Sum* __restrict sums, const std::uint8_t* __restrict row, int n) {
    for (int u = 0; u < n; ++u) sums[u] = static_cast<Sum>(sums[u] + sign * row[u]);
  }
  static void smooth(const std::uint8_t* above, const std::uint8_t* here, const std::uint8_t* below,
                     Sum* __restrict out, int n) {
    for (int u = 0; u < n; ++u) out[u] = static_cast<Sum>(above[u] + 2 * here[u] + below[u]);
  }
  template <int across>
  static void compare(const Sum* __restrict columns, const Sum* __restrict calm,
                      std::uint8_t* __restrict out, int n) {
    constexpr std::uint32_t kPart = (16U << 16) / (across * across);
    for (int u = 0; u < n; ++u) {
      Sum sum = 0;
      for (int k = 0; k < across; ++k) sum = static_cast<Sum>(sum + columns[u + k]);
      // both in sixteenths
      const auto mean = static_cast<std::int16_t>((sum * kPart) >> 16),
                 here =
                     static_cast<std::int16_t>(calm[u] + 2 * calm[u + 1] + calm[u + 2] + kDarker);
      out[u] = here <= mean ? 255 : 0;
    }
  }

  std::vector<Sum> columns_, calm_;
};

/// The outlines of what is not 0, as cv::findContours lists them backwards, one at a time: of noise in a
/// large picture there are millions. The border of the picture counts as 0, and the picture is lost.
template <class Take>
void each_outline(cv::Mat& dark, std::vector<cv::Point>& outline, Take take) {
  const std::unique_ptr<CvMemStorage, void (*)(CvMemStorage*)> memory(
      cvCreateMemStorage(), [](CvMemStorage* m) { cvReleaseMemStorage(&m); });
  CvMat picture = cvMat(dark);
  const auto end = [](CvContourScanner s) { cvEndFindContours(&s); };
  const std::unique_ptr<std::remove_pointer_t<CvContourScanner>, decltype(end)> scanner(
      cvStartFindContours(&picture, memory.get(), sizeof(CvContour), CV_RETR_LIST,
                          CV_CHAIN_APPROX_SIMPLE, cvPoint(-1, -1)),
      end);
  while (const CvSeq* found = cvFindNextContour(scanner.get())) {
    outline.resize(static_cast<std::size_t>(found->total));
    cvCvtSeqToArray(found, outline.data());
    take();
    cvSubstituteContour(scanner.get(), nullptr);  // its memory is for the next
  }
}

}  // namespace

struct Buffers {
  DarkPlaces places;
  cv::Mat smaller, dark;
  std::vector<cv::Point> outline, hull;

  template <int half>
  void find(const cv::Mat& grey, double scale, double least, std::vector<Quad>& out) {
    places.find<half>(grey, dark);
    const auto before = static_cast<std::ptrdiff_t>(out.size());
    each_outline(dark, outline, [&] { take(scale, least, out); });
    std::reverse(out.begin() + before, out.end());
  }

  void take(double scale, double least, std::vector<Quad>& out) {
    if (outline.size() < 4) return;
    const cv::Rect box = cv::boundingRect(outline);
    if (std::min(box.width, box.height) < 0.8 * least) return;
    cv::convexHull(outline, hull);
    // what is far from convex is no square; the border of a small one has gaps
    const double area = cv::contourArea(hull);
    if (!(area >= 0.6 * least * least) || !(cv::contourArea(outline) >= 0.4 * area)) return;
    std::vector<Pixel> polygon;
    for (const cv::Point& h : hull) polygon.push_back({double(h.x), double(h.y)});
    Quad q;
    if (!reduce_to_quad(std::move(polygon), 0.25, q)) return;
    // the outline runs through the middles of the outermost dark pixels, and smoothing has moved
    // it out by about as much
    double shortest = 1e9, longest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double s = side(q, i);
      shortest = std::min(shortest, s);
      longest = std::max(longest, s);
    }
    if (!(shortest >= least) || !(longest <= 4 * shortest)) return;
    for (Pixel& c : q) c = {scale * (c.u + 0.5) - 0.5, scale * (c.v + 0.5) - 0.5};
    out.push_back(q);
  }
};

struct QuadFinder::Impl {
  Buffers whole, half, part;  // each keeps its size, or nearly
};

void to_grey(const ImageView& rgb, const Window& w, std::vector<std::uint8_t>& grey) {
  grey.resize(static_cast<std::size_t>(rgb.width) * static_cast<std::size_t>(rgb.height));
  try {
    const cv::Mat from(rgb.height, rgb.width, CV_8UC3, const_cast<std::uint8_t*>(rgb.data),
                       rgb.stride);
    cv::Mat to(rgb.height, rgb.width, CV_8UC1, grey.data());
    const cv::Rect part(w.left, w.top, w.right - w.left, w.bottom - w.top);
    cv::Mat into = to(part);
    cv::cvtColor(from(part), into, cv::COLOR_RGB2GRAY);
  } catch (const cv::Exception& e) {
    throw std::runtime_error("OpenCV, a picture in grey: " + std::string(e.what()));
  }
}

QuadFinder::QuadFinder() : impl_(std::make_unique<Impl>()) { cv::setNumThreads(1); }
QuadFinder::~QuadFinder() = default;

void QuadFinder::find(const ImageView& grey, double min_side_px, std::vector<Quad>& out) {
  out.clear();
  try {
    const cv::Mat whole(grey.height, grey.width, CV_8UC1, const_cast<std::uint8_t*>(grey.data),
                        grey.stride);
    impl_->whole.find<5>(whole, 1, min_side_px, out);
    if (grey.width < 64 || grey.height < 64) return;
    cv::Mat& half = impl_->half.smaller;
    cv::resize(whole, half, {}, 0.5, 0.5, cv::INTER_AREA);
    impl_->half.find<7>(half, 2, std::max(8.0, 0.5 * min_side_px), out);
  } catch (const cv::Exception& e) {
    throw std::runtime_error("OpenCV, looking for squares: " + std::string(e.what()));
  }
}

void QuadFinder::find_in(const ImageView& grey, const Window& w, double side_px, double min_side_px,
                         std::vector<Quad>& out) {
  out.clear();
  // large ones need not be looked at closely
  const int level = side_px < 40 ? 0 : side_px < 80 ? 1 : 2, scale = 1 << level;
  Window o{w.left / scale * scale, w.top / scale * scale, w.right / scale * scale,
           w.bottom / scale * scale};
  if (o.right - o.left < 8 * scale || o.bottom - o.top < 8 * scale) return;
  try {
    const cv::Mat whole(grey.height, grey.width, CV_8UC1, const_cast<std::uint8_t*>(grey.data),
                        grey.stride);
    const cv::Mat part = whole(cv::Rect(o.left, o.top, o.right - o.left, o.bottom - o.top));
    const double least = level == 0 ? min_side_px : std::max(8.0, min_side_px / scale);
    cv::Mat& small = impl_->part.smaller;
    if (level == 0) {
      // a copy: filters of a part would look beyond it
      part.copyTo(small);
      impl_->part.find<5>(small, 1, least, out);
    } else {
      cv::resize(part, small, {}, 1.0 / scale, 1.0 / scale, cv::INTER_AREA);
      impl_->part.find<7>(small, scale, least, out);
    }
  } catch (const cv::Exception& e) {
    throw std::runtime_error("OpenCV, looking for squares: " + std::string(e.what()));
  }
  const Pixel corner{double(o.left), double(o.top)};
  for (Quad& q : out)
    for (Pixel& c : q) c = c + corner;
}

}  // namespace pintle::vision
