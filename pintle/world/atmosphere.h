/// The standard atmosphere up to 32 km.
///
///   T = T_b + L (h - h_b)      p = p_b (T_b / T)^(g M / R L), or p_b exp(-g M (h - h_b) / R T_b)
///   rho = p / (R_air (T + offset))      a = sqrt(1.4 R_air (T + offset))
///
/// h is geopotential height, r z / (r + z). An offset of temperature changes density at the same
/// pressure. Outside -2 km to 32 km the nearest height counts. Source: ISO 2533:1975. Does not
/// model: humidity, weather.
#pragma once

namespace pintle::world {

struct AirState {
  double temperature_K = 288.15;
  double pressure_Pa = 101325;
  double density_kg_m3 = 1.225;
  double speed_of_sound_m_s = 340.294;
};

[[nodiscard]] AirState standard_atmosphere(double altitude_m,
                                           double temperature_offset_K = 0) noexcept;

}  // namespace pintle::world
