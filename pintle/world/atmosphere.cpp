#include "pintle/world/atmosphere.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pintle::world {
namespace {

constexpr double kGravity = 9.80665, kAirConstant = 287.05287;  // J/(kg K)
constexpr double kEarthRadius_m = 6356766;

struct Layer {
  double base_m, temperature_K, lapse_K_m, pressure_Pa;
};
// pressures at the bases follow from the layers below, to the digits of the standard
constexpr std::array<Layer, 3> kLayers{{{0, 288.15, -0.0065, 101325},
                                        {11000, 216.65, 0, 22632.040095007804},
                                        {20000, 216.65, 0.001, 5474.877424281049}}};

}  // namespace

AirState standard_atmosphere(double altitude_m, double temperature_offset_K) noexcept {
  const double z = std::clamp(altitude_m, -2000.0, 32000.0);
  const double h = kEarthRadius_m * z / (kEarthRadius_m + z);
  const Layer& layer = kLayers[h < 11000 ? 0 : h < 20000 ? 1 : 2];

  const double above = h - layer.base_m;
  const double T = layer.temperature_K + layer.lapse_K_m * above;
  const double p = layer.lapse_K_m == 0
                       ? layer.pressure_Pa * std::exp(-kGravity * above / (kAirConstant * T))
                       : layer.pressure_Pa * std::pow(layer.temperature_K / T,
                                                      kGravity / (kAirConstant * layer.lapse_K_m));
  const double real_T = T + temperature_offset_K;
  return {real_T, p, p / (kAirConstant * real_T), std::sqrt(1.4 * kAirConstant * real_T)};
}

}  // namespace pintle::world
