#include "pintle/vehicle/vision_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "pintle/base/random.h"

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Reader;

std::string shipped(const std::string& name) {
  return Document::load(std::filesystem::path(PINTLE_SOURCE_DIR) / "tests/files/vision" / name)
      .text();
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// What is said about a text; "" when nothing is.
template <class T>
std::string read(void (*reading)(Reader&, const Document&, T&), const std::string& text, T& out) {
  const Document document = Document::parse(text, "file.yaml");
  Reader reader(document);
  reading(reader, document, out);
  try {
    return config::to_string(reader.finish());
  } catch (const config::ConfigError& e) {
    return e.what();
  }
}

/// Where each problem of a text is.
template <class T>
std::vector<config::Location> places(void (*reading)(Reader&, const Document&, T&),
                                     const std::string& text) {
  const Document document = Document::parse(text, "file.yaml");
  Reader reader(document);
  T out;
  reading(reader, document, out);
  std::vector<config::Location> where;
  for (const config::Problem& p : reader.problems()) where.push_back(p.where);
  return where;
}

TEST(VisionFiles, AFileWithNothingInItLacksThingsAtItsBeginning) {
  for (const std::string text : {"", "\n", "# a comment\n\n", "---\n", "~"})
    for (const auto& where :
         {places(read_camera_file, text), places(read_marker_file, text),
          places(read_circle_file, text), places(read_detection_mode_file, text)}) {
      ASSERT_FALSE(where.empty()) << text;
      for (const config::Location& at : where) {
        EXPECT_EQ(at.file, "file.yaml") << text;
        EXPECT_LE(at.line, 2) << text;
        EXPECT_GE(at.line, 1) << text;
      }
    }
  MarkerTargets marker;
  EXPECT_NE(read(read_marker_file, "", marker).find("file.yaml:1:1"), std::string::npos)
      << read(read_marker_file, "", marker);
}

TEST(VisionFiles, TheOriginalsFilesLoadUnchanged) {
  CameraFile camera;
  EXPECT_EQ(read(read_camera_file, shipped("camera_onboard.yaml"), camera), "");
  EXPECT_EQ(camera.name, "usb_cam");
  EXPECT_EQ(camera.model.width, 640);
  EXPECT_EQ(camera.model.height, 480);
  // of the camera matrix, not of the projection matrix
  EXPECT_EQ(camera.model.fx, 489.4777069384356);
  EXPECT_EQ(camera.model.cy, 268.6371343845645);
  EXPECT_EQ(camera.model.distortion[3], -0.00436503049466556);

  MarkerTargets marker;
  EXPECT_EQ(read(read_marker_file, shipped("marker.yaml"), marker), "");
  EXPECT_EQ(marker.side_m, 0.05);
  EXPECT_EQ(marker.ids, (std::vector<std::uint32_t>{100, 152}));

  RingTarget ring;
  EXPECT_EQ(read(read_circle_file, shipped("circle.yaml"), ring), "");
  EXPECT_EQ(ring.inner_m, 0.45);
  EXPECT_EQ(ring.outer_m, 0.50);
  EXPECT_EQ(ring.color, RingColor::kBlue);
  EXPECT_EQ(ring.method, RingMethod::kHough);

  DetectionModes modes;
  EXPECT_EQ(read(read_detection_mode_file, shipped("detection_mode.yaml"), modes), "");
  EXPECT_EQ(modes.marker, (std::vector<std::uint32_t>{6, 7}));
  EXPECT_EQ(modes.circle, (std::vector<std::uint32_t>{11, 12}));
}

TEST(VisionFiles, ColoursAndMethodsAreNumberedAsInTheOriginal) {
  const std::array colors{RingColor::kBlue, RingColor::kRed, RingColor::kBlueOrRed};
  const std::array methods{RingMethod::kHough, RingMethod::kRansac, RingMethod::kBest};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    RingTarget ring;
    EXPECT_EQ(read(read_circle_file,
                   "circle: {inner_radius: 0.45, outer_radius: 0.50, detection_color: " + n +
                       ", detection_method: " + n + "}",
                   ring),
              "");
    EXPECT_EQ(ring.color, colors[k]);
    EXPECT_EQ(ring.method, methods[k]);
  }
}

TEST(VisionFiles, RadiiBeyondSenseAreRefusedWithLineAndFix) {
  const struct {
    const char *inner, *outer, *line;
  } bad[] = {{"45", "50.1", "file.yaml:3"},   {"0.004", "0.009", "file.yaml:3"},
             {"0.495", "0.5", "file.yaml:2"}, {"0.5", "0.5", "file.yaml:2"},
             {"0.6", "0.5", "file.yaml:2"},   {"0.1", "0.5", "file.yaml:2"},
             {"-0.4", "0.5", "file.yaml:2"},  {"0.45", ".inf", "file.yaml:3"}};
  for (const auto& [inner, outer, line] : bad) {
    RingTarget ring;
    const std::string said =
        read(read_circle_file,
             "circle:\n  inner_radius: " + std::string(inner) + "\n  outer_radius: " + outer + "\n",
             ring);
    EXPECT_NE(said.find(line), std::string::npos) << inner << " " << outer << ": " << said;
    EXPECT_NE(said.find("fix: "), std::string::npos) << said;
  }
  for (const auto& [inner, outer] : {std::pair("0.49", "0.5"), {"49", "50"}, {"0.009", "0.01"}}) {
    RingTarget ring;
    EXPECT_EQ(
        read(read_circle_file,
             "circle:\n  inner_radius: " + std::string(inner) + "\n  outer_radius: " + outer, ring),
        "");
  }
}

TEST(VisionFiles, TheTopOfThePictureIsForwardAndTheCameraSitsAheadOfTheOrigin) {
  CameraFile c;
  ASSERT_EQ(read(read_camera_file, shipped("camera_onboard.yaml"), c), "");
  // 2 m below the camera, 0.3 m towards the top of the picture, 0.2 m towards its right
  const Vec3 p = c.model.X_BC.p + rotate(c.model.X_BC.q, {0.2, -0.3, 2});
  EXPECT_NEAR(p.x, 0.3 + 0.10, 1e-12);
  EXPECT_NEAR(p.y, -0.2, 1e-12);
  EXPECT_NEAR(p.z, -2, 1e-12);
}

TEST(VisionFiles, ImageUpTurnsThePictureAboutItsAxis) {
  const struct {
    const char* up;
    double x, y;
  } cases[] = {
      {"forward", 0.3, -0.2}, {"right", -0.2, -0.3}, {"back", -0.3, 0.2}, {"left", 0.2, 0.3}};
  for (const auto& [up, x, y] : cases) {
    CameraFile c;
    ASSERT_EQ(read(read_camera_file, shipped("camera_onboard.yaml") + "image_up: " + up + "\n", c),
              "");
    const Vec3 p = rotate(c.model.X_BC.q, {0.2, -0.3, 2});
    EXPECT_NEAR(p.x, x, 1e-9) << up;
    EXPECT_NEAR(p.y, y, 1e-9) << up;
    EXPECT_NEAR(p.z, -2, 1e-9) << up;
  }
}

TEST(VisionFiles, AnExtrinsicRotationTurnsForwardRightDown) {
  CameraFile c;
  // the camera looks forward: what is along its axis is ahead, what is up in the picture is up
  const std::string text = changed(shipped("camera_onboard.yaml"),
                                   "data: [ 1, 0, 0,\n          0, 1, 0,\n          0, 0, 1 ]",
                                   "data: [0, 0, 1, 0, 1, 0, -1, 0, 0]");
  ASSERT_EQ(read(read_camera_file, text, c), "");
  const Vec3 p = rotate(c.model.X_BC.q, {0.2, -0.3, 2});
  EXPECT_NEAR(p.x, 2, 1e-9);
  EXPECT_NEAR(p.y, -0.2, 1e-9);
  EXPECT_NEAR(p.z, 0.3, 1e-9);
}

TEST(VisionFiles, WhatIsWrongIsSaidWithItsLine) {
  const std::string good = shipped("camera_onboard.yaml");
  const auto said = [](const std::string& text) {
    CameraFile c;
    return read(read_camera_file, text, c);
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(said(changed(good, "268.6371343845645, 0, 0, 1]", "268.6371343845645, 0, 0]")),
         "file.yaml:4:");
  expect(said(changed(good, "image_width: 640", "image_width: 8")), "file.yaml:1:");
  expect(said(changed(good, "plumb_bob", "equidistant")), "expected plumb_bob");
  expect(said(changed(good, "[ 1, 0, 0,", "[ -1, 0, 0,")), "this is not a rotation");
  expect(said(changed(good, "489.4777069384356", ".nan")), "file.yaml:8:10");
  expect(said(changed(good, "489.4777069384356", "0")), "expected a focal length");
  expect(said(changed(good, "0.03618971518001553", "-2")), "cannot be undone");
  expect(said(changed(good, "camera_name", "camera_nome")), "camera_name");
  expect(said(changed(good, "extrinsic_translation", "extrinsic_translatio")),
         "extrinsic_translation");
  MarkerTargets m;
  expect(read(read_marker_file, std::string("marker: {size: 0.05, id_list: [100, 1024]}"), m),
         "there is no marker 1024");
  expect(read(read_marker_file, std::string("marker: {size: 0.05, id_list: [7, 7]}"), m), "twice");
  expect(read(read_marker_file, std::string("marker: {size: 50, id_list: []}"), m), "no marker");
  expect(read(read_marker_file, std::string("marker: {size: -1, id_list: [1]}"), m), "side");
  RingTarget r;
  expect(read(read_circle_file, std::string("circle: {inner_radius: 0.5, outer_radius: 0.45}"), r),
         "inner_radius");
  expect(read(read_circle_file,
              std::string("circle: {inner_radius: 0.4, outer_radius: 0.5, detection_color: 7}"), r),
         "detection_color");
  DetectionModes d;
  expect(read(read_detection_mode_file,
              std::string("detection_mode: {marker: [6], circle: [[[11]]]}"), d),
         "number of a state");
  expect(
      read(read_detection_mode_file, std::string("detection_mode: {marker: [6], circle: [6]}"), d),
      "both lists");
  expect(read(read_detection_mode_file, std::string("detection_mode: {markers: [6]}"), d),
         "unknown key");
}

TEST(VisionFiles, NestedMarkersHaveSizesOfTheirOwn) {
  MarkerTargets m;
  EXPECT_EQ(read(read_marker_file,
                 std::string("marker: {size: 0.15, id_list: [7], nested: [{id: 9, size: 0.05}], "
                             "dictionary: tag36h11}"),
                 m),
            "");
  ASSERT_EQ(m.nested.size(), 1u);
  EXPECT_EQ(m.nested[0].id, 9u);
  EXPECT_EQ(m.nested[0].side_m, 0.05);
  EXPECT_EQ(m.family, MarkerFamily::kTag36h11);
}

TEST(VisionFiles, SpoiltTextIsRefusedOrGivesACameraThatPassesItsCheck) {
  RandomStream random(11, "spoil");
  const std::string good = shipped("camera_onboard.yaml");
  const std::string some = "0123456789.-+e:[]{},!&*#\n\t \"'x";
  int taken = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text = good;
    for (int k = 0; k < 1 + i % 5; ++k) {
      const auto at = static_cast<std::size_t>(random.uniform() * static_cast<double>(text.size()));
      const char c =
          some[static_cast<std::size_t>(random.uniform() * static_cast<double>(some.size()))];
      if (i % 3 == 0)
        text.insert(at, 1, c);
      else if (i % 3 == 1)
        text.erase(at, 1);
      else
        text[at] = c;
    }
    CameraFile out;
    try {
      const Document document = Document::parse(text, "file.yaml");
      Reader reader(document);
      read_camera_file(reader, document, out);
      (void)reader.finish();
    } catch (const config::ConfigError& e) {
      EXPECT_FALSE(e.problems().empty());
      continue;
    }
    ++taken;
    EXPECT_TRUE(check(out.model).empty()) << text;
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace pintle::vehicle
