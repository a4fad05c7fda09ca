#include "pintle/vehicle/vehicle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/vehicle/load_for_test.h"

namespace pintle::vehicle {
namespace {

VehicleSpec sound() {
  VehicleSpec spec;
  spec.name = "raft";
  spec.thruster_types.push_back({"push", {}});
  PropulsorSpec p;
  p.name = "stern";
  p.direction = Vec3{1, 0, 0};
  p.use = "push";
  spec.propulsors.push_back(p);
  return spec;
}

bool has_error(const Findings& findings, std::string_view path) {
  for (const Finding& f : findings)
    if (f.is_error && f.path == path) return true;
  return false;
}

template <class Change>
Findings after(Change change) {
  VehicleSpec spec = sound();
  change(spec);
  return check(spec);
}

TEST(Weights, AnAzimuthThrusterHasOneForEachOfItsTwoChannels) {
  VehicleSpec spec = load_spec(std::string(PINTLE_SOURCE_DIR) + "/vehicles/harbour_launch.yaml");
  spec.propulsors[0].effort_weight = {0.002, 0.004};
  EXPECT_FALSE(has_error(check(spec), "propulsors[0].effort_weight"));
  spec.propulsors[0].effort_weight = {0.002};
  EXPECT_TRUE(has_error(check(spec), "propulsors[0].effort_weight"));
}

TEST(Mount, RotatedAndTranslatedGivesTheHandComputedColumn) {
  // yaw 90 pushes along y; 2 m ahead of the origin that turns left with 2 N m a newton
  PropulsorSpec p;
  p.position_m = {2, 0, 0.5};
  p.rpy_deg = Vec3{17, 0, 90};
  const Vec6 column = column_of(mount_of(p));
  EXPECT_EQ(column, (Vec6{{0, 1, 0, -0.5, 0, 2}}));
}

TEST(Mount, ADirectionInSpaceIsRollPitchYawAboutFixedAxes) {
  // yaw 30, pitch 60: (cos30 cos60, sin30 cos60, -sin60)
  PropulsorSpec p;
  p.position_m = {1, -2, 3};
  p.rpy_deg = Vec3{-120, 60, 30};
  const Mount mount = mount_of(p);
  const double c30 = std::sqrt(3.0) / 2;
  EXPECT_NEAR(mount.direction.x, c30 * 0.5, 1e-15);
  EXPECT_NEAR(mount.direction.y, 0.25, 1e-15);
  EXPECT_NEAR(mount.direction.z, -c30, 1e-15);
  const Vec6 column = column_of(mount);
  // p x d by hand: (-2 dz - 3 dy, 3 dx - 1 dz, 1 dy + 2 dx)
  EXPECT_NEAR(column[3], 2 * c30 - 0.75, 1e-14);
  EXPECT_NEAR(column[4], 1.5 * c30 + c30, 1e-14);
  EXPECT_NEAR(column[5], 0.25 + c30, 1e-14);
}

TEST(Mount, AgreesWithTheRotationMatrixOfBase) {
  for (double pitch : {-80.0, -10.0, 0.0, 35.0})
    for (double yaw : {-170.0, -45.0, 12.0, 135.0}) {
      PropulsorSpec p;
      p.rpy_deg = Vec3{33, pitch, yaw};
      const Vec3 expected =
          matrix_from_rpy({radians(33), radians(pitch), radians(yaw)}) * Vec3{1, 0, 0};
      EXPECT_NEAR(norm(mount_of(p).direction - expected), 0, 1e-15);
    }
}

TEST(Mount, FlippedPushesTheOtherWay) {
  PropulsorSpec p;
  p.rpy_deg = Vec3{0, 90, 0};
  EXPECT_EQ(mount_of(p).direction, (Vec3{0, 0, -1}));
  p.flipped = true;
  EXPECT_EQ(mount_of(p).direction, (Vec3{0, 0, 1}));
}

TEST(Check, ASoundVehicleHasNoFindings) { EXPECT_TRUE(check(sound()).empty()); }

TEST(Check, NamesTheFieldThatIsWrong) {
  EXPECT_TRUE(has_error(after([](auto& s) { s.name.clear(); }), "name"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.body.mass_kg = 0; }), "body.mass_kg"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.body.mass_kg = std::nan(""); }), "body.mass_kg"));
  EXPECT_TRUE(has_error(after([](auto& s) {
                          s.body.inertia_kgm2 = {1, -1, 1};
                        }),
                        "body.inertia_kgm2"));
  EXPECT_TRUE(has_error(after([](auto& s) {
                          s.body.inertia_products_kgm2 = {2, 0, 0};
                        }),
                        "body.inertia_kgm2"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.hydrodynamics.linear_damping[5] = -1; }),
                        "hydrodynamics.linear_damping.yaw"));
  EXPECT_TRUE(
      has_error(after([](auto& s) { s.effort_unit.one_unit_N = 34; }), "effort_unit.one_unit_N"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.propulsors.clear(); }), "propulsors"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.propulsors.push_back(s.propulsors[0]); }),
                        "propulsors[1].name"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.propulsors[0].use = "puhs"; }), "propulsors[0].use"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.propulsors[0].rpy_deg = Vec3{}; }), "propulsors[0]"));
  EXPECT_TRUE(
      has_error(after([](auto& s) { s.propulsors[0].direction.reset(); }), "propulsors[0]"));
  EXPECT_TRUE(
      has_error(after([](auto& s) { s.propulsors[0].type = "sail"; }), "propulsors[0].type"));
  EXPECT_TRUE(has_error(after([](auto& s) { s.thruster_types[0].thruster.tau_s = -1; }),
                        "thruster_types[0].thruster.tau_s"));
  EXPECT_TRUE(has_error(after([](auto& s) {
                          s.propulsors[0].use.clear();
                          s.propulsors[0].thruster.emplace().max_effort = -3;
                        }),
                        "propulsors[0].thruster.max_effort"));
  EXPECT_TRUE(has_error(after([](auto& s) {
                          while (s.propulsors.size() <= kMaxPropulsors) {
                            s.propulsors.push_back(s.propulsors[0]);
                            s.propulsors.back().name += std::to_string(s.propulsors.size());
                          }
                        }),
                        "propulsors"));
}

TEST(Check, DirectionsAreUsedAsGivenWithinAThousandthAndRefusedBeyond) {
  const auto with = [](Vec3 d) { return after([&](auto& s) { s.propulsors[0].direction = d; }); };
  EXPECT_TRUE(with({0.866, 0.5, 0}).empty());
  EXPECT_TRUE(with({1.001, 0, 0}).empty());
  EXPECT_TRUE(has_error(with({1.0011, 0, 0}), "propulsors[0].direction"));
  EXPECT_TRUE(has_error(with({0.9985, 0, 0}), "propulsors[0].direction"));
  EXPECT_TRUE(has_error(with({0, 0, 0}), "propulsors[0].direction"));
  EXPECT_TRUE(has_error(with({std::nan(""), 0, 0}), "propulsors[0].direction"));
  VehicleSpec spec = sound();
  spec.propulsors[0].direction = Vec3{0.866, 0.5, 0};
  EXPECT_EQ(build(spec).propulsors[0].mount.direction, (Vec3{0.866, 0.5, 0}));
}

TEST(Check, AnInertiaThatNoBodyHasIsWarnedAbout) {
  const Findings findings = after([](auto& s) { s.body.inertia_kgm2 = {1, 1, 3}; });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_FALSE(findings[0].is_error);
}

TEST(Build, RefusesWhatCheckRefuses) {
  VehicleSpec spec = sound();
  spec.body.mass_kg = -1;
  EXPECT_THROW((void)build(spec), std::invalid_argument);
}

TEST(Build, KeepsTheOrderOfTheFileAndFindsByName) {
  VehicleSpec spec = sound();
  spec.propulsors.push_back(spec.propulsors[0]);
  spec.propulsors[1].name = "bow";
  const Vehicle vehicle = build(spec);
  EXPECT_EQ(vehicle.index_of("stern"), 0);
  EXPECT_EQ(vehicle.index_of("bow"), 1);
  EXPECT_EQ(vehicle.index_of("mast"), -1);
}

TEST(NativeFile, ErrorsPointAtTheLineOfTheField) {
  const config::Document document = config::Document::parse(
      "format: pintle/vehicle/1\n"
      "name: raft\n"
      "body: {mass_kg: 10, inertia_kgm2: [1, 1, 1]}\n"
      "propulsors:\n"
      "  - name: stern\n"
      "    position_m: [0, 0, 0]\n"
      "    direction: [2, 0, 0]\n"
      "    thruster: {max_effort: 50, min_effort: -40}\n",
      "raft.yaml");
  config::Reader reader(document);
  VehicleSpec spec;
  reader.read(document.root(), spec);
  EXPECT_TRUE(reader.problems().empty());
  reader.add(check(spec), document.root());
  ASSERT_EQ(reader.problems().size(), 1u);
  EXPECT_EQ(reader.problems()[0].where.line, 7);
}

TEST(FieldTables, EveryFieldOfAVehicleFileSaysWhatItMeans) {
  for (const Table* table :
       {&table_of<Body>(), &table_of<Hydrodynamics>(), &table_of<EffortUnit>(),
        &table_of<PropulsorSpec>(), &table_of<NamedThruster>(), &table_of<VehicleSpec>(),
        &table_of<DukeRobot>(), &table_of<DukeAxis>()})
    for (const Field& field : table->fields) {
      EXPECT_FALSE(field.meaning.empty()) << field.name;
      EXPECT_EQ(field.meaning.back(), '.') << field.name;
    }
}

}  // namespace
}  // namespace pintle::vehicle
