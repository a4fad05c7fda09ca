#ifdef PINTLE_COMMAND
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "command.h"

namespace pintle::testing {
namespace {

namespace fs = std::filesystem;

/// A file that is gone afterwards.
struct File {
  fs::path path;
  File(const std::string& name, const std::string& text)
      : path(fs::temp_directory_path() / (std::to_string(::getpid()) + name)) {
    std::ofstream(path) << text;
  }
  ~File() { fs::remove(path); }
  [[nodiscard]] std::string quoted() const { return " '" + path.string() + "' "; }
};

double cell(const Said& s, std::size_t row, std::size_t column) {
  return std::stod(cells(s.lines().at(row)).at(column));
}

TEST(TraceBooster, GivesTheReferencesNumbersByHand) {
  // dt/tau = 0.5, r = 0.2: full throttle gives 0.5 then 0.75; a tenth of noise on top of the third
  const File file("booster.yaml", R"(propulsors:
  - {name: b, type: booster, tau_s: 0.02, total_fuel_mass_kg: 10, max_fuel_rate_kg_s: 2, max_inertia_kgm2: [4, 5, 6],
     min_thrust_N: 20, max_thrust_N: 100, thrust_unit: [0, 0, 1], noise_ratio: 0.1, tank: null, behaviour: reference}
)");
  const Said s = pintle("trace booster" + file.quoted() + "--dt 0.01",
                        "b_ignition,b_pwm,b_noise\n1,1,0\n1,1,0\n0,1,1\n");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(s.lines()[0],
            "b_lit,b_throttle,b_fuel_ratio,b_thrust_N,b_fx_N,b_fy_N,b_fz_N,b_tank_mass_kg,"
            "b_tank_ixx_kgm2,b_tank_iyy_kgm2,b_tank_izz_kgm2");
  EXPECT_NEAR(cell(s, 1, 1), 0.5, 1e-15);
  EXPECT_NEAR(cell(s, 1, 2), 1 - 0.5 * 0.2 * 0.01, 1e-15);
  EXPECT_NEAR(cell(s, 2, 3), 75, 1e-12);
  EXPECT_NEAR(cell(s, 2, 6), 75, 1e-12);
  EXPECT_EQ(cell(s, 3, 0), 0);
  EXPECT_NEAR(cell(s, 3, 1), 0.375 * 1.1, 1e-15);
  EXPECT_NEAR(cell(s, 3, 7), 10 * cell(s, 3, 2), 1e-12);
  EXPECT_NEAR(cell(s, 3, 10), 6 * cell(s, 3, 2), 1e-12);
}

TEST(TraceBooster, IsNotLitByWhatIsNotFinite) {
  const File file("booster.yaml", R"(propulsors:
  - {name: b, type: booster, total_fuel_mass_kg: 10, max_fuel_rate_kg_s: 2, min_thrust_N: 20, max_thrust_N: 100, tank: null}
)");
  for (const char* lit : {"inf", "-inf", "nan"}) {
    const Said s = pintle("trace booster" + file.quoted() + "--dt 0.01",
                          std::string("b_ignition,b_pwm\n") + lit + ",1\n0,1\n");
    ASSERT_EQ(s.code, 0) << s.err;
    for (const std::size_t row : {1U, 2U}) {
      EXPECT_EQ(cell(s, row, 0), 0) << lit;
      EXPECT_EQ(cell(s, row, 3), 0) << lit;
    }
  }
}

TEST(TraceBooster, TurnsTheThrustByTheRotationAndSharesATank) {
  const File file("boosters.yaml", R"(propulsors:
  - {name: a, type: booster, total_fuel_mass_kg: 3, max_fuel_rate_kg_s: 1, max_thrust_N: 100, tank: main}
  - {name: b, type: booster, total_fuel_mass_kg: 3, max_fuel_rate_kg_s: 1, max_thrust_N: 100, tank: main}
)");
  // a quarter turn about x takes z to -y; two kilograms a second last a second and a half
  const Said s = pintle("trace booster" + file.quoted() + "--dt 1",
                        "a_ignition,a_pwm,b_ignition,b_pwm,a_r11,a_r12,a_r13,a_r21,a_r22,a_r23,"
                        "a_r31,a_r32,a_r33\n1,1,1,1,1,0,0,0,0,-1,0,1,0\n1,1,1,1,1,0,0,0,0,-1,0,1,0"
                        "\n1,1,1,1,1,0,0,0,0,-1,0,1,0\n");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(cell(s, 1, 5), -100);
  EXPECT_EQ(cell(s, 1, 11 + 6), 100);
  EXPECT_NEAR(cell(s, 1, 7), 1, 1e-15);
  EXPECT_NEAR(cell(s, 2, 3), 50, 1e-12);
  EXPECT_EQ(cell(s, 2, 7), 0);
  EXPECT_EQ(cell(s, 3, 3), 0);
}

TEST(TraceGimbal, GivesTheProductOfBothTurns) {
  const File file("gimbal.yaml",
                  "- {name: g, type: gimbal, unit_1: [1, 0, 0], unit_2: [0, 1, 0], tau_s: 0.02, "
                  "range_deg: [60, 60]}\n");
  const Said s = pintle("trace gimbal" + file.quoted() + "--dt 0.01", "g_1,g_2\n1,-1\n");
  ASSERT_EQ(s.code, 0) << s.err;
  // half way: 30 deg about x times -30 deg about y
  const double c = std::sqrt(0.75), n = 0.5;
  const double expected[]{c, 0, -n, -n * n, c, -n * c, c * n, n, c * c};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(cell(s, 1, i), expected[i], 1e-15) << i;
}

TEST(TracePropeller, GivesThrustAndReactionOfTheSpeedSquared) {
  const File file("propeller.yaml",
                  "- {name: p, type: propeller, tau_s: 0.02, max_rpm: 1000, thrust_coef: 4e-6, "
                  "torque_coef: -1e-7, thrust_unit: [0, 0, 1]}\n");
  const Said s = pintle("trace propeller" + file.quoted() + "--dt 0.01", "p_pwm\n1\n-1\n");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(s.lines()[0], "p_throttle,p_rpm,p_fx_N,p_fy_N,p_fz_N,p_tx_Nm,p_ty_Nm,p_tz_Nm");
  EXPECT_NEAR(cell(s, 1, 1), 500, 1e-12);
  EXPECT_NEAR(cell(s, 1, 4), 1, 1e-15);
  EXPECT_NEAR(cell(s, 1, 7), -0.025, 1e-16);
  EXPECT_NEAR(cell(s, 2, 0), -0.25, 1e-15);
  EXPECT_NEAR(cell(s, 2, 4), -0.25, 1e-15);
}

TEST(TraceFin, LiftsAndDragsByHand) {
  const File file("fin.yaml",
                  "- {name: f, type: fin, lift_unit: [0, 0, 1], forward_unit: [1, 0, 0], chord_m: "
                  "0.5, span_m: 0.5, cd_0: 0.01, tau_s: 0.05}\n");
  const Said s = pintle("trace fin" + file.quoted() + "--dt 0.01",
                        "f_cmd,f_vx_m_s,f_vy_m_s,f_vz_m_s\n0,20,0,0\n");
  ASSERT_EQ(s.code, 0) << s.err;
  // straight ahead: cd_0 alone, 1.225/2 * 400 * 0.25
  EXPECT_NEAR(cell(s, 1, 1), -0.01 * 61.25, 1e-12);
  EXPECT_NEAR(cell(s, 1, 3), 0, 1e-15);
}

TEST(TraceJet, StepsTheModelThatIsAskedFor) {
  const File file("jet.yaml", R"(propulsors:
  - {name: left, type: jet, max_thrust_N: 63, jet_axis: [1, 0, 0], inverse_time_constant_per_s: 0.5, library: p100_diesel}
  - {name: right, type: jet, max_thrust_N: 220, jet_axis: [-1, 0, 0], tau_s: 1, library: p220_diesel}
)");
  const Said first = pintle("trace jet" + file.quoted() + "--dt 0.1 --initial-thrust 10,20",
                            "left,right\n5,100\n900,100\n");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.lines()[0],
            "left_thrust_N,left_thrust_rate_N_s,right_thrust_N,right_thrust_rate_N_s");
  EXPECT_NEAR(cell(first, 1, 0), 10.5 / 0.95, 1e-13);
  EXPECT_EQ(cell(first, 1, 1), 5);
  EXPECT_NEAR(cell(first, 1, 2), 100 - 80 * std::exp(-0.1), 1e-12);
  EXPECT_EQ(cell(first, 2, 0), 63);
  EXPECT_EQ(cell(first, 2, 1), 900);
  const Said direct =
      pintle("trace jet" + file.quoted() + "--dt 0.1 --model direct", "left,right,t_s\n-5,100,0\n");
  EXPECT_EQ(direct.lines()[1], "0,0,100,0");
}

TEST(TraceJet, ReadsTheIniOfTheOriginal) {
  const File file("jets.ini",
                  "input-port-name /jets/input:i\nthrust-port-name /jets/thrust:o\n"
                  "link-jets (A_FR, A_FL)\nmax-thrust-in-N (63.0, 220.0)\n"
                  "inverse-time-constant-in-one-over-seconds 0.0\n"
                  "jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0))\n");
  const Said s = pintle("trace jet" + file.quoted() + "--dt 0.01", "A_FR,A_FL\n100,-1\n");
  ASSERT_EQ(s.code, 0) << s.err;
  EXPECT_EQ(s.lines()[0], "A_FR_thrust_N,A_FR_thrust_rate_N_s,A_FL_thrust_N,A_FL_thrust_rate_N_s");
  EXPECT_EQ(s.lines()[1], "1,100,0,-1");
}

TEST(TracePropulsors, SayWhatIsWrongWithColumnsFilesAndOptions) {
  const File file("wrong.yaml", "- {name: g, type: gimbal, range_deg: [5, 5], tau: 1}\n");
  const Said broken = pintle("trace gimbal" + file.quoted() + "--dt 0.01", "g_1,g_2\n0,0\n");
  EXPECT_EQ(broken.code, 3);
  EXPECT_NE(broken.err.find("tau_s"), std::string::npos) << broken.err;
  const File good("good.yaml", "- {name: g, type: gimbal, range_deg: [5, 5]}\n");
  const Said columns = pintle("trace gimbal" + good.quoted() + "--dt 0.01", "g_1,g_3\n0,0\n");
  EXPECT_NE(columns.code, 0);
  EXPECT_NE(columns.err.find("missing columns: g_2"), std::string::npos) << columns.err;
  EXPECT_EQ(pintle("trace gimbal" + good.quoted(), "g_1,g_2\n").code, 2) << "no --dt";
}

}  // namespace
}  // namespace pintle::testing
#endif
