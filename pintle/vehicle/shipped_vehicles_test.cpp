// Every vehicle that ships: the published numbers, and which way each named propulsor must push.
//
// The signs were worked out by hand from the mounts (x forward, y left, z up; positive roll lifts
// the left side, positive pitch lowers the bow, positive yaw turns to the left), not from the code:
// a wrong sign shared by simulation and allocation would cancel there, but not here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "pintle/config/file.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/vehicle/load_for_test.h"
#include "pintle/vehicle/supplies.h"

namespace pintle::vehicle {
namespace {

/// "+name" pushes forward and "-name" backward when the axis is asked for.
using Expectation = std::array<std::vector<std::string>, kAxes>;

struct Shipped {
  std::string file;
  Expectation push;
  std::size_t channels = 8;
  int rank = 6;
};

const Expectation kOogway{{
    {"-top_front_left", "-top_front_right", "+top_back_left", "+top_back_right"},
    {"+top_front_left", "-top_front_right", "+top_back_left", "-top_back_right"},
    {"-bottom_front_left", "+bottom_front_right", "-bottom_back_left", "-bottom_back_right"},
    {"-bottom_front_left", "-bottom_front_right", "-bottom_back_left", "+bottom_back_right"},
    {"+bottom_front_left", "-bottom_front_right", "-bottom_back_left", "-bottom_back_right"},
    {"+top_front_left", "-top_front_right", "-top_back_left", "+top_back_right"},
}};
const Expectation kCthulhu{{
    {"-top_front_right", "-top_front_left", "-top_back_right", "+top_back_left"},
    {"-top_front_right", "+top_front_left", "+top_back_right", "+top_back_left"},
    {"-bottom_front_right", "+bottom_front_left", "+bottom_back_right", "-bottom_back_left"},
    {"+bottom_front_right", "+bottom_front_left", "-bottom_back_right", "-bottom_back_left"},
    {"+bottom_front_right", "-bottom_front_left", "+bottom_back_right", "-bottom_back_left"},
    {"-top_front_right", "+top_front_left", "-top_back_right", "-top_back_left"},
}};
const Expectation kSubjugator{{
    {"+FLH", "+FRH", "-BLH", "-BRH"},
    {"-FLH", "+FRH", "-BLH", "+BRH"},
    {"+FLV", "+FRV", "+BLV", "+BRV"},
    {"+FLV", "-FRV", "+BLV", "-BRV"},
    {"-FLV", "-FRV", "+BLV", "+BRV"},
    {"-FLH", "+FRH", "+BLH", "-BRH"},
}};
// of 2024: the horizontal ones in front push the other way
const Expectation kSubjugatorCan{{
    {"-FLH", "-FRH", "-BLH", "-BRH"},
    {"+FLH", "-FRH", "-BLH", "+BRH"},
    kSubjugator[2],
    kSubjugator[3],
    kSubjugator[4],
    {"+FLH", "-FRH", "+BLH", "-BRH"},
}};
const Expectation kSubjugator2016{{
    {"-FLL", "-FRL", "+BLL", "+BRL"},
    {"+FLL", "-FRL", "+BLL", "-BRL"},
    {"-FLV", "-FRV", "+BLV", "+BRV"},
    {"-FLV", "+FRV", "+BLV", "-BRV"},
    {"+FLV", "+FRV", "+BLV", "+BRV"},
    {"+FLL", "-FRL", "-BLL", "+BRL"},
}};
const Expectation kBlueRov{{
    {"+front_right", "+front_left", "-back_right", "-back_left"},
    {"+front_right", "-front_left", "+back_right", "-back_left"},
    {"+vertical_front_right", "+vertical_front_left", "+vertical_back_right",
     "+vertical_back_left"},
    {"-vertical_front_right", "+vertical_front_left", "-vertical_back_right",
     "+vertical_back_left"},
    {"-vertical_front_right", "-vertical_front_left", "+vertical_back_right",
     "+vertical_back_left"},
    {"+front_right", "-front_left", "-back_right", "+back_left"},
}};

// the front pair leans towards each other's side, the back pair away from it; x and y are had by
// tilting
const Expectation kFlyingBox{{
    {},
    {},
    {"+JETCAT_P200-RX_FR", "+JETCAT_P200-RX_FL", "+JETCAT_P200-RX_BR", "+JETCAT_P200-RX_BL"},
    {"+JETCAT_P200-RX_FR", "-JETCAT_P200-RX_FL", "-JETCAT_P200-RX_BR", "+JETCAT_P200-RX_BL"},
    {"-JETCAT_P200-RX_FR", "-JETCAT_P200-RX_FL", "+JETCAT_P200-RX_BR", "+JETCAT_P200-RX_BL"},
    {"+JETCAT_P200-RX_FR", "-JETCAT_P200-RX_FL", "-JETCAT_P200-RX_BR", "+JETCAT_P200-RX_BL"},
}};
const Expectation kQuad{{
    {},
    {},
    {"+front_left", "+front_right", "+back_left", "+back_right"},
    {"+front_left", "-front_right", "+back_left", "-back_right"},
    {"-front_left", "-front_right", "+back_left", "+back_right"},
    {"+front_left", "-front_right", "-back_left", "+back_right"},
}};

// arms a little ahead of the body origin, the back's turbines behind; all of them upright, so no
// yaw
const Expectation kIronCub{{
    {},
    {},
    {"+l_arm_jet_turbine", "+r_arm_jet_turbine", "+chest_l_jet_turbine", "+chest_r_jet_turbine"},
    {"+l_arm_jet_turbine", "-r_arm_jet_turbine", "+chest_l_jet_turbine", "-chest_r_jet_turbine"},
    {"-l_arm_jet_turbine", "-r_arm_jet_turbine", "+chest_l_jet_turbine", "+chest_r_jet_turbine"},
    {},
}};

// the engine turns about x, which pushes it to the right (x cross z), and about y, forward; two
// metres below the origin the one rolls it to the left, the other lifts the bow; fins do nothing in
// still air
const Expectation kRocket{{
    {"+main_2"},
    {"-main_1"},
    {"+main"},
    {"-main_1"},
    {"-main_2"},
    {},
}};

// all of it 0.4 m below the waterline: sway leans it to one side, surge lifts the bow
const Expectation kLaunch{{
    {"+port", "+starboard"},
    {"+port_1", "+starboard_1", "+bow"},
    {},
    {"+port_1", "+starboard_1", "+bow"},
    {"-port", "-starboard"},
    {"-port", "+starboard", "-port_1", "-starboard_1", "+bow"},
}};

const std::vector<Shipped>& all_shipped() {
  static const std::vector<Shipped> all{
      {"oogway.yaml", kOogway},
      {"cthulhu.yaml", kCthulhu},
      {"subjugator8.yaml", kSubjugator},
      {"subjugator8_2016.yaml", kSubjugator2016},
      {"bluerov2_heavy.yaml", kBlueRov},
      {"flying_box.yaml", kFlyingBox, 4, 4},
      {"flying_box_nonlinear.yaml", kFlyingBox, 4, 4},
      {"quad.yaml", kQuad, 4, 4},
      {"rocket.yaml", kRocket, 7, 3},
      {"ironcub_body.yaml", kIronCub, 4, 3},
      {"harbour_launch.yaml", kLaunch, 5, 3},
      {"original/duke/config/oogway.yaml", kOogway},
      {"original/duke/config/cthulhu.yaml", kCthulhu},
      {"original/subjugator/thruster_layout.yaml", kSubjugator},
      {"original/subjugator/thruster_layout_can.yaml", kSubjugatorCan},
      {"original/subjugator/busses.yaml", kSubjugator2016},
  };
  return all;
}

MatrixReport report_of(const std::string& file) { return analyse(build(load_spec(shipped(file)))); }

TEST(ShippedVehicles, EveryFileInTheFolderIsTestedHere) {
  std::set<std::string> tested;
  for (const Shipped& s : all_shipped()) tested.insert(shipped(s.file).string());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped("")))
    if (entry.path().extension() == ".yaml") {
      EXPECT_TRUE(tested.contains(entry.path().string())) << entry.path();
    }
}

TEST(ShippedVehicles, LoadWithoutAWordOfComplaint) {
  for (const Shipped& s : all_shipped())
    EXPECT_NO_THROW(EXPECT_EQ(build(load_spec(shipped(s.file))).channels(), s.channels)) << s.file;
}

TEST(ShippedVehicles, APositiveWrenchOnEachAxisPushesTheNamedPropulsorsTheRightWay) {
  for (const Shipped& s : all_shipped()) {
    const Vehicle vehicle = build(load_spec(shipped(s.file)));
    const MatrixReport report = analyse(vehicle);
    const std::vector<std::string> channels = vehicle.channel_names();
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      // the named ones carry the axis: they push as said, and nobody else pushes as hard
      std::map<int, double> sign;
      double weakest = 1e9;
      for (const std::string& name : s.push[axis]) {
        const auto found = std::find(channels.begin(), channels.end(), name.substr(1));
        ASSERT_NE(found, channels.end()) << s.file << " " << name;
        const auto i = static_cast<int>(found - channels.begin());
        sign[i] = name[0] == '+' ? 1 : -1;
        const double share = sign[i] * report.pinv_rows[static_cast<std::size_t>(i)][axis];
        EXPECT_GT(share, 0.01) << s.file << " " << kAxisNames[axis] << " " << name;
        weakest = std::min(weakest, share);
      }
      for (std::size_t i = 0; i < report.pinv_rows.size(); ++i)
        if (!sign.contains(static_cast<int>(i))) {
          EXPECT_LT(std::fabs(report.pinv_rows[i][axis]), weakest)
              << s.file << " " << kAxisNames[axis] << " " << channels[i];
        }
    }
  }
}

TEST(ShippedVehicles, TheRocketCanBeWrittenAsTheOriginalsWithTheSameMassAtAnyFuel) {
  std::string text = config::read_file(shipped("rocket.yaml"));
  const auto put = [&text](const std::string& was, const std::string& is) {
    const std::size_t at = text.find(was);
    ASSERT_NE(at, std::string::npos) << was;
    text.replace(at, was.size(), is);
  };
  const std::size_t tanks = text.find("tanks:"), propulsors = text.find("propulsors:");
  text.erase(tanks, propulsors - tanks);
  put("max_rate_deg_s: 100, behaviour: physical", "max_rate_deg_s: 100, behaviour: reference");
  // the tank two metres above the engine
  put("tank: fuel,",
      "behaviour: reference, total_fuel_mass_kg: 410.9, max_inertia_kgm2: [1678, 1678, 7.01],\n"
      "     fuel_position_m: [0, 0, 2], starting_fuel_ratio: 0.05,");
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) /
                                     ("rocket-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << text;
  const Vehicle own = build(load_spec(file)), tank = build(load_spec(shipped("rocket.yaml")));
  std::filesystem::remove(file);
  for (const double ratio : {1.0, 0.37, 0.05, 0.0}) {
    PropulsorStates states = starting_states(own);
    std::get<propulsion::EngineState>(states[0]).booster.fuel_ratio = ratio;
    TankFill fill;
    fill.push_back(ratio * 410.9);
    const MassProperties a = mass_of(own, states, {}),
                         b = mass_of(tank, starting_states(tank), fill);
    EXPECT_NEAR(a.mass_kg, b.mass_kg, 1e-12) << ratio;
    EXPECT_NEAR(a.center_of_mass_m.z, b.center_of_mass_m.z, 1e-12) << ratio;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(a.inertia_kgm2(i, i), b.inertia_kgm2(i, i), 1e-9) << ratio;
  }
  EXPECT_NEAR(fuel_kg(own, starting_states(own), {}), 0.05 * 410.9, 1e-12);
}

TEST(ShippedVehicles, ReachEveryAxisBothWays) {
  for (const Shipped& s : all_shipped()) {
    const MatrixReport report = report_of(s.file);
    EXPECT_EQ(report.rank, s.rank) << s.file;
    if (s.rank < 6) continue;  // craft that only push up reach the others about hover alone
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      EXPECT_GT(report.attainable_positive[axis], 0) << s.file;
      EXPECT_LT(report.attainable_negative[axis], 0) << s.file;
    }
  }
}

TEST(ShippedVehicles, DukeSingularValuesAreThePublishedOnes) {
  const std::vector<double> cthulhu{2, 1.4142, 1.4142, 0.6735, 0.6096, 0.3302};
  const std::vector<double> oogway{2.0009, 1.4167, 1.4159, 0.9774, 0.7383, 0.4095};
  const MatrixReport c = report_of("cthulhu.yaml"), o = report_of("oogway.yaml");
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(c.singular_values[k], cthulhu[k], 5.1e-5);
    EXPECT_NEAR(o.singular_values[k], oogway[k], 5.1e-5);
  }
}

double largest_share(const MatrixReport& report, Axis axis) {
  double most = 0;
  for (const Vec6& row : report.pinv_rows)
    most = std::max(most, std::fabs(row[static_cast<std::size_t>(axis)]));
  return most;
}

TEST(ShippedVehicles, DukeSingleAxisDemandsSaturateWhereTheyShould) {
  const MatrixReport c = report_of("cthulhu.yaml"), o = report_of("oogway.yaml");
  EXPECT_NEAR(largest_share(c, Axis::kRoll), 1.514, 5e-4);
  EXPECT_NEAR(largest_share(o, Axis::kPitch), 1.22, 5e-3);
  for (Axis axis : {Axis::kX, Axis::kY, Axis::kZ, Axis::kYaw}) {
    EXPECT_LT(largest_share(c, axis), 1);
    EXPECT_LT(largest_share(o, axis), 1);
  }
  EXPECT_LT(largest_share(c, Axis::kPitch), 1);
  EXPECT_LT(largest_share(o, Axis::kRoll), 1);
}

TEST(ShippedVehicles, DukeSurgeIsFourThrustersAt45Degrees) {
  EXPECT_NEAR(report_of("cthulhu.yaml").attainable_positive[0], 4 * std::sqrt(0.5), 1e-12);

  // oogway's mounts are not symmetric: with the right side's two at full, the left side's two may
  // only give a share that leaves no yaw
  const double c = std::sqrt(0.5);
  const double left = c * (0.342119 + 0.378052) + c * (0.342897 + 0.378061);
  const double right = c * (0.342146 + 0.32021) + c * (0.342925 + 0.320244);
  EXPECT_NEAR(report_of("oogway.yaml").attainable_positive[0], 2 * c * (1 + right / left), 1e-3);
  // all four at full, yaw left to itself
  double surge = 0;
  for (const Vec6& column : report_of("oogway.yaml").columns) surge += std::fabs(column[0]);
  EXPECT_NEAR(surge, 2.828, 5e-4);
}

TEST(ShippedVehicles, SubjugatorMatrixIsTheListedOne) {
  const double h = 0.375947;
  const double listed[6][8] = {{0.866, 0, 0.866, 0, -0.866, 0, -0.866, 0},
                               {-0.5, 0, 0.5, 0, -0.5, 0, 0.5, 0},
                               {0, 1, 0, 1, 0, 1, 0, 1},
                               {0, 0.169, 0, -0.169, 0, 0.169, 0, -0.169},
                               {0, -0.1583, 0, -0.1583, 0, 0.1583, 0, 0.1583},
                               {-h, 0, h, 0, h, 0, -h, 0}};
  for (const char* file : {"subjugator8.yaml", "original/subjugator/thruster_layout.yaml"}) {
    const MatrixReport report = report_of(file);
    for (std::size_t a = 0; a < 6; ++a)
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(report.columns[i][a], listed[a][i], 1e-12) << file;
    const std::vector<double> singular{2, 1.732, 1, 0.751894, 0.338, 0.3166};
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(report.singular_values[k], singular[k], 1e-6) << file;
  }
}

TEST(ShippedVehicles, NativeAndOriginalFilesDescribeTheSameMounts) {
  for (const auto& [native, original] :
       {std::pair{"oogway.yaml", "original/duke/config/oogway.yaml"},
        std::pair{"cthulhu.yaml", "original/duke/config/cthulhu.yaml"},
        std::pair{"subjugator8.yaml", "original/subjugator/thruster_layout.yaml"},
        std::pair{"subjugator8_2016.yaml", "original/subjugator/busses.yaml"}}) {
    const Vehicle a = build(load_spec(shipped(native))), b = build(load_spec(shipped(original)));
    EXPECT_EQ(a.unit.one_unit_N, b.unit.one_unit_N) << native;
    EXPECT_NEAR(a.body.volume_m3, b.body.volume_m3, 1e-7) << native;
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(a.propulsors[i].name, b.propulsors[i].name);
      EXPECT_EQ(column_of(a.propulsors[i].mount), column_of(b.propulsors[i].mount));
      const auto& m = std::get<propulsion::Thruster>(a.propulsors[i].model);
      const auto& n = std::get<propulsion::Thruster>(b.propulsors[i].model);
      for (double effort : {-80.0, -0.7, -0.2, 0.0, 0.3, 0.9, 40.0, 90.0})
        EXPECT_EQ(m.command_for(effort, 15.2), n.command_for(effort, 15.2)) << native;
    }
  }
}

TEST(ShippedVehicles, SubjugatorsLimitsAreThoseOfTheirYear) {
  const Effectiveness final = effectiveness_of(build(load_spec(shipped("subjugator8.yaml"))));
  const Effectiveness old = effectiveness_of(build(load_spec(shipped("subjugator8_2016.yaml"))));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(final.lower[i], -100);
    EXPECT_EQ(final.upper[i], 65);
    EXPECT_NEAR(old.lower[i], -68.1344, 5e-5);
    EXPECT_NEAR(old.upper[i], 74.5368, 5e-5);
  }
}

TEST(ShippedVehicles, TheStoredMatricesOfTheOriginalsAgreeWithTheirThrusters) {
  for (const char* file : {"original/duke/config/oogway.yaml", "original/duke/config/cthulhu.yaml"})
    EXPECT_TRUE(check_matrices(load_spec(shipped(file)), shipped(file)).empty()) << file;
}

}  // namespace
}  // namespace pintle::vehicle
