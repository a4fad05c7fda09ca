#include "pintle/base/visual_target.h"

#include <set>
#include <string>

namespace pintle {
namespace {

constexpr double kSmallest_m = 0.001, kLargest_m = 100;
constexpr double kSmallestRing_m = 0.01, kLargestRing_m = 50;

void check_side(const std::string& path, double side_m, Findings& out) {
  if (!(side_m >= kSmallest_m && side_m <= kLargest_m))
    out.push_back({path, "expected the side of the black border in metres, 0.001 to 100",
                   "measure it on the marker", true});
}

}  // namespace

Findings check(const MarkerTargets& m) {
  Findings out;
  check_side("side_m", m.side_m, out);
  const std::uint32_t many = m.family == MarkerFamily::kArucoOriginal ? 1024 : 587;
  std::set<std::uint32_t> seen;
  const auto check_id = [&](const std::string& path, std::uint32_t id) {
    if (id >= many)
      out.push_back({path,
                     "there is no marker " + std::to_string(id) + ": the family has 0 to " +
                         std::to_string(many - 1),
                     "", true});
    if (!seen.insert(id).second)
      out.push_back({path, "marker " + std::to_string(id) + " stands here twice",
                     "every number has one size", true});
  };
  for (std::size_t i = 0; i < m.ids.size(); ++i)
    check_id("ids[" + std::to_string(i) + "]", m.ids[i]);
  for (std::size_t i = 0; i < m.nested.size(); ++i) {
    const std::string path = "nested[" + std::to_string(i) + "]";
    check_id(path + ".id", m.nested[i].id);
    check_side(path + ".side_m", m.nested[i].side_m, out);
  }
  if (seen.empty())
    out.push_back({"ids", "no marker counts, so none will be seen",
                   "list the numbers, such as [100, 152]", true});
  return out;
}

Findings check(const RingTarget& r) {
  Findings out;
  if (!(r.outer_m >= kSmallestRing_m && r.outer_m <= kLargestRing_m))
    out.push_back({"outer_m", "expected a radius of 0.01 to 50 m",
                   "measure it, from the middle to the outer edge, in metres", true});
  else if (!(r.inner_m >= 0.3 * r.outer_m && r.inner_m <= 0.98 * r.outer_m))
    out.push_back({"inner_m", "expected 0.3 to 0.98 of the outer radius: the ratio is the proof",
                   "measure both radii", true});
  return out;
}

}  // namespace pintle
