// Of the campaign tests/soak/delivery_images: deliveries whose targets are found in pictures, with a
// car that drives at 0.3 m/s while it is looked for and served, and with a pad that is gone from the
// picture below 0.6 m. Usage: car|lost SEED.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pintle/testing/pictured_rig.h"

namespace pintle {
namespace {

constexpr double kCar_m_s = 0.3, kLostBelow_m = 0.6;

int fly(const char* what, std::uint64_t seed) {
  const bool drives = std::strcmp(what, "car") == 0;
  const testing::DeliveryRig* rig = nullptr;
  testing::PicturedRig r(
      seed,
      [&](Time, world::Scene& scene, world::Exposure&) {
        if (drives || rig->p.z > kLostBelow_m) return;
        // all that is painted on the ground
        std::erase_if(scene.faces, [](const world::Face& f) {
          return (f.kind == world::Face::Kind::kRing ? f.ring.X_WF : f.cells.X_WF).p.z < 0.01;
        });
      },
      {}, 30, 1);
  rig = &r.rig;
  RandomStream random(seed, "way of the car");
  const double heading = random.uniform(-kPi, kPi);
  const Vec3 step = 0.02 * kCar_m_s * Vec3{std::cos(heading), std::sin(heading), 0};
  Vec3 off{9, 9, 0};
  r.fly([&] {
    if (r.rig.dropped && off.x == 9) off = r.rig.dropped_at - r.rig.car;
    if (drives && r.rig.out->mission.state == 7 && !r.rig.dropped) r.rig.car = r.rig.car + step;
    if (drives && r.rig.out->mission.state == 8 && !r.rig.dropped) r.rig.car = r.rig.car + step;
  });
  const bool passed = r.rig.out->mission.phase == MissionPhase::kPassed;
  std::printf(
      "{\"verdict\":\"%s\",\"seed\":%llu,\"payload_to_marker_m\":%.4f,\"craft_to_pad_m\":%.4f,"
      "\"duration_s\":%.2f}\n",
      passed ? "pass" : "fail", static_cast<unsigned long long>(seed), std::hypot(off.x, off.y),
      testing::PicturedRig::level(r.rig.p, r.rig.pad), r.rig.now.seconds());
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  if (argc != 3 || (std::strcmp(argv[1], "car") != 0 && std::strcmp(argv[1], "lost") != 0)) {
    std::fprintf(stderr, "usage: delivery_images_campaign car|lost SEED\n");
    return 2;
  }
  return pintle::fly(argv[1], std::strtoull(argv[2], nullptr, 10));
}
