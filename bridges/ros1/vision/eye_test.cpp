#include "vision/eye.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "pintle/base/rotation.h"
#include "pintle/config/reader.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/dictionary.h"
#include "pintle/world/renderer.h"
#include "vision/camera.h"

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;

const fs::path kFiles = fs::path(PINTLE_SOURCE_DIR) / "vision";

/// A folder with the shipped files, which a test may change.
struct Folder {
  explicit Folder(const std::string& name) : path(fs::temp_directory_path() / ("pintle_" + name)) {
    fs::remove_all(path);
    fs::create_directories(path);
    for (const auto& file : fs::directory_iterator(kFiles))
      fs::copy_file(file.path(), path / file.path().filename());
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path / file) << text;
  }
  fs::path path;
};

EyeOptions options(const fs::path& folder) {
  EyeOptions o;
  o.config_dir = folder.string();
  o.camera_file = (folder / "camera_onboard.yaml").string();
  return o;
}

CameraModel model_of(const fs::path& file) {
  const auto document = config::Document::load(file);
  config::Reader reader(document);
  vehicle::CameraFile out;
  vehicle::read_camera_file(reader, document, out);
  (void)reader.finish();
  return out.model;
}

/// A craft over a pad with ring and markers, and beside a marker of the car.
struct Over {
  Image image;
  Pose X_WB;
  explicit Over(Vec3 p, double yaw_rad = 0, double roll_rad = 0, CameraModel camera = {}) {
    if (camera == CameraModel{}) camera = model_of(kFiles / "camera_onboard.yaml");
    X_WB = {p, from_rpy({roll_rad, 0, yaw_rad})};
    world::Scene scene;
    scene.faces.push_back(world::ring_face({}, 0.45, 0.50, {20, 60, 190}));
    const auto family = MarkerFamily::kArucoOriginal;
    const auto put = [&](Vec3 at, std::uint32_t id, double side) {
      scene.faces.push_back(world::marker_face({at, {}}, side, vision::cells_along(family),
                                               vision::marker_cells(family, id)));
    };
    put({0, 0.15, 0}, 11, 0.15);
    put({0, 0, 0}, 7, 0.05);
    put({2, 0, 0}, 100, 0.15);
    world::Renderer(camera).render(scene, X_WB * camera.X_BC, {}, image);
  }
  [[nodiscard]] PlainPicture picture() const {
    return {std::uint32_t(image.width), std::uint32_t(image.height), image.stride(), "rgb8",
            image.pixels.data(),        image.pixels.size()};
  }
  [[nodiscard]] Four attitude() const { return {X_WB.q.x, X_WB.q.y, X_WB.q.z, X_WB.q.w}; }
  [[nodiscard]] Three forward_right_down(Vec3 p_W) const {
    const Vec3 p = rotate(conjugate(X_WB.q), p_W - X_WB.p);
    return {p.x, -p.y, -p.z};
  }
};

void expect_near(const Three& a, const Three& b, double within) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], within) << i;
}

TEST(Eye, LooksForWhatTheStateOfTheMissionLooksFor) {
  Eye eye(options(kFiles));
  EXPECT_EQ(eye.capture(), -1);
  const Over pad({0.1, 0.2, 1.5}, 0.4), car({2.1, 0, 0.8}, -0.7);
  for (int state = 0; state < 15; ++state) {
    eye.state(state);
    const bool marker = state == 6 || state == 7, ring = state >= 11 && state <= 13;
    EXPECT_EQ(eye.capture(), marker || ring ? 1 : 0) << state;
    const EyeLook at_pad = eye.look(pad.picture(), nullptr, nullptr),
                  at_car = eye.look(car.picture(), nullptr, nullptr);
    EXPECT_EQ(at_pad.has_looked, marker || ring) << state;
    EXPECT_EQ(at_pad.has_target, ring) << state;
    EXPECT_EQ(at_car.has_target, marker) << state;
    if (at_pad.has_target) {
      EXPECT_TRUE(at_pad.target.is_pad);
      expect_near(at_pad.target.forward_right_down, pad.forward_right_down({0, 0, 0}), 0.01);
    }
    if (at_car.has_target) {
      EXPECT_FALSE(at_car.target.is_pad);
      expect_near(at_car.target.forward_right_down, car.forward_right_down({2, 0, 0}), 0.01);
    }
  }
}

// seen from a craft that has turned to the left the marker has turned to the right: about down
TEST(Eye, TellsHowTheMarkerIsTurned) {
  Eye eye(options(kFiles));
  eye.state(7);
  for (const double yaw : {-2.0, 0.0, 0.5, 1.5707963267948966}) {
    const Over car({2.0, 0.05, 0.7}, yaw);
    const EyeLook seen = eye.look(car.picture(), nullptr, nullptr);
    ASSERT_TRUE(seen.has_target) << yaw;
    const Four& q = seen.target.orientation;
    // the marker's top is the world's y; ahead is the world's x where yaw is 0
    const double turn = yaw - 0.5 * 3.14159265358979323846;
    const double got = 2 * std::atan2(q[2], q[3]);
    EXPECT_NEAR(std::remainder(got - turn, 2 * 3.14159265358979323846), 0, 0.01) << yaw;
    EXPECT_NEAR(std::hypot(q[0], q[1]), 0, 0.02) << yaw;
  }
}

TEST(Eye, TakesTheCalibrationOfThePicturesAndTheFilesPlaceOfTheCamera) {
  Eye eye(options(kFiles));
  eye.state(7);
  CameraModel other = model_of(kFiles / "camera_onboard.yaml");
  other.fx = 700, other.fy = 690, other.cx = 330, other.cy = 250;
  other.distortion = {-0.1, 0.02, 0, 0, 0};
  const Over car({1.95, 0, 0.8}, 0, 0, other);
  const EyeLook wrong = eye.look(car.picture(), nullptr, nullptr);
  ASSERT_TRUE(wrong.has_target);
  EXPECT_GT(std::abs(wrong.target.forward_right_down[2] - 0.8), 0.1);
  PlainCameraInfo info;
  info.width = 640, info.height = 480;
  info.D.assign(other.distortion.begin(), other.distortion.end());
  info.K = {other.fx, 0, other.cx, 0, other.fy, other.cy, 0, 0, 1};
  info.P = {100, 0, 1, 0, 0, 100, 1, 0, 0, 0, 1, 0};  // of a rectified picture: not looked at
  EXPECT_EQ(eye.calibration(info), "");
  const EyeLook right = eye.look(car.picture(), nullptr, nullptr);
  ASSERT_TRUE(right.has_target);
  expect_near(right.target.forward_right_down, car.forward_right_down({2, 0, 0}), 0.01);
  info.distortion_model = "equidistant";
  EXPECT_NE(eye.calibration(info).find("plumb_bob"), std::string::npos);
  info.distortion_model = "plumb_bob";
  info.K[0] = 0;
  EXPECT_NE(eye.calibration(info), "");
  EXPECT_TRUE(eye.look(car.picture(), nullptr, nullptr).has_target);
}

TEST(Eye, RectifiedPicturesHaveTheProjectionAndNoDistortion) {
  EyeOptions o = options(kFiles);
  o.image_is_rectified = true;
  Eye eye(o);
  eye.state(7);
  CameraModel ideal = model_of(kFiles / "camera_onboard.yaml");
  ideal.distortion = {};
  ideal.fx = ideal.fy = 420;
  PlainCameraInfo info;
  info.width = 640, info.height = 480;
  info.D = {0.3, 0, 0, 0, 0};
  info.K = {700, 0, 330, 0, 690, 250, 0, 0, 1};
  info.P = {420, 0, ideal.cx, 0, 0, 420, ideal.cy, 0, 0, 0, 1, 0};
  EXPECT_EQ(eye.calibration(info), "");
  const Over car({1.95, 0, 0.8}, 0, 0, ideal);
  const EyeLook seen = eye.look(car.picture(), nullptr, nullptr);
  ASSERT_TRUE(seen.has_target);
  expect_near(seen.target.forward_right_down, car.forward_right_down({2, 0, 0}), 0.01);
}

TEST(Eye, FilesAreTakenOverWholeOrNotAtAll) {
  const Folder folder("eye_reload");
  Eye eye(options(folder.path));
  eye.state(7);
  const Over car({2.1, 0, 0.8});
  const auto height = [&] {
    const EyeLook seen = eye.look(car.picture(), nullptr, nullptr);
    return seen.has_target ? seen.target.forward_right_down[2] : 0.0;
  };
  EXPECT_NEAR(height(), 0.8, 0.01);
  // hazard 8: the size that is written is the size that counts
  folder.write("marker.yaml", "marker: {size: 0.05, id_list: [100, 152]}\n");
  EXPECT_NEAR(height(), 0.8, 0.01);
  EXPECT_EQ(eye.reload(EyePart::kMarker, nullptr), "");
  EXPECT_NEAR(height(), 0.8 / 3, 0.01);
  const std::string bad = "marker: {sise: 0.15, id_list: [100]}\n";
  EXPECT_NE(eye.reload(EyePart::kMarker, &bad).find("sise"), std::string::npos);
  EXPECT_NEAR(height(), 0.8 / 3, 0.01);
  // where the camera sits is the file's
  const auto forward = [&] {
    return eye.look(car.picture(), nullptr, nullptr).target.forward_right_down[0];
  };
  const double before = forward();
  const std::string camera = "camera_onboard.yaml", ahead = "[ 0.10, 0.0, 0.0 ]";
  std::ifstream from(folder.path / camera);
  std::string text{std::istreambuf_iterator<char>(from), {}};
  ASSERT_NE(text.find(ahead), std::string::npos);
  text.replace(text.find(ahead), ahead.size(), "[ 0.30, 0.0, 0.0 ]");
  folder.write(camera, text);
  // to what the fit of a target that is followed leaves
  EXPECT_NEAR(forward(), before, 1e-5);
  EXPECT_EQ(eye.reload(EyePart::kCamera, nullptr), "");
  EXPECT_NEAR(forward(), before + 0.2, 1e-5);
  const std::string ids = "marker: {size: 0.15, id_list: [152]}\n";
  EXPECT_EQ(eye.reload(EyePart::kMarker, &ids), "");
  EXPECT_EQ(height(), 0);
  // as the seed writes it, and as the file really was
  for (const std::string list : {"[[7, 8]]", "[7, 8]"}) {
    const std::string modes = "detection_mode: {marker: [6], circle: " + list + "}\n";
    EXPECT_EQ(eye.reload(EyePart::kDetectionMode, &modes), "") << list;
    EXPECT_TRUE(eye.look(Over({0, 0, 1.5}).picture(), nullptr, nullptr).target.is_pad) << list;
  }
  const std::string none = "detection_mode: {marker: [6], circle: []}\n";
  EXPECT_EQ(eye.reload(EyePart::kDetectionMode, &none), "");
  EXPECT_EQ(eye.capture(), 0);
  // set by halves, as rosparam does it, the other half would be switched off
  const std::string half = "detection_mode: {circle: [7]}\n";
  EXPECT_NE(eye.reload(EyePart::kDetectionMode, &half).find("marker is missing"),
            std::string::npos);
  EXPECT_EQ(eye.capture(), 0);
}

TEST(Eye, MarkersOfThePadThatAreGoneOrBrokenKeepTheOldOnes) {
  const Folder folder("eye_pad_marker");
  Eye eye(options(folder.path));
  eye.state(12);
  // so low that the ring is outside of the picture
  const Over low({0, 0, 0.4});
  const auto sees = [&] { return eye.look(low.picture(), nullptr, nullptr).has_target; };
  ASSERT_TRUE(sees());
  fs::remove(folder.path / "pad_marker.yaml");
  const std::string car = "marker: {size: 0.15, id_list: [100]}\n";
  for (const std::string* text : {static_cast<const std::string*>(nullptr), &car}) {
    EXPECT_NE(eye.reload(EyePart::kMarker, text).find("pad_marker.yaml"), std::string::npos);
    EXPECT_TRUE(sees());
  }
  for (const char* broken : {"", "marker: {size: 0.05", "marker: {size: -1, id_list: [7]}\n"}) {
    folder.write("pad_marker.yaml", broken);
    EXPECT_NE(eye.reload(EyePart::kMarker, nullptr), "") << broken;
    EXPECT_TRUE(sees()) << broken;
  }
  fs::remove(folder.path / "pad_marker.yaml");
  fs::create_symlink("nowhere.yaml", folder.path / "pad_marker.yaml");
  EXPECT_NE(eye.reload(EyePart::kMarker, nullptr), "");
  EXPECT_TRUE(sees());
  EXPECT_THROW(Eye{options(folder.path)}, std::exception);
  fs::remove(folder.path / "pad_marker.yaml");
  folder.write("pad_marker.yaml", "marker: {size: 0.05, id_list: [900]}\n");
  EXPECT_EQ(eye.reload(EyePart::kMarker, nullptr), "");
  EXPECT_FALSE(sees());
  // a pad without any is one that never had the file
  fs::remove(folder.path / "pad_marker.yaml");
  Eye bare(options(folder.path));
  EXPECT_EQ(bare.reload(EyePart::kMarker, nullptr), "");
}

PlainCameraInfo info_of(const CameraModel& camera, std::uint32_t width, std::uint32_t height) {
  PlainCameraInfo info;
  info.width = width, info.height = height;
  info.D.assign(camera.distortion.begin(), camera.distortion.end());
  info.K = {camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1};
  return info;
}

TEST(Eye, ACalibrationForAnotherSizeThanThePicturesChangesNothing) {
  Eye eye(options(kFiles));
  eye.state(7);
  const CameraModel camera = model_of(kFiles / "camera_onboard.yaml");
  const PlainCameraInfo right = info_of(camera, 640, 480);
  PlainCameraInfo wrong = info_of(camera, 320, 240);
  wrong.K[2] = 160, wrong.K[5] = 120;
  const Over car({2.1, 0, 0.8});
  const auto look = [&] { return eye.look(car.picture(), nullptr, nullptr); };
  // before any picture: nothing is searched by it, and why is said
  EXPECT_EQ(eye.calibration(wrong), "");
  const EyeLook none = look();
  EXPECT_FALSE(none.has_looked);
  EXPECT_NE(none.why.find("640 x 480 px, and their calibration is for 320 x 240"),
            std::string::npos)
      << none.why;
  EXPECT_EQ(eye.calibration(right), "");
  const EyeLook before = look();
  ASSERT_TRUE(before.has_target);
  // between two right ones
  EXPECT_NE(eye.calibration(wrong).find("320 x 240 px, and the pictures are 640 x 480 px"),
            std::string::npos);
  expect_near(look().target.forward_right_down, before.target.forward_right_down, 1e-4);
  EXPECT_EQ(eye.calibration(right), "");
  expect_near(look().target.forward_right_down, before.target.forward_right_down, 1e-4);
}

TEST(Eye, MarkersOnlyFindsThePadByItsMarkersAndNoRing) {
  EyeOptions o = options(kFiles);
  o.markers_only = true;
  Eye eye(o);
  eye.state(12);
  const Over low({-0.1, 0, 0.5}), off({0, -0.9, 2.5});
  const EyeLook seen = eye.look(low.picture(), nullptr, nullptr);
  ASSERT_TRUE(seen.has_target && seen.target.is_pad);
  expect_near(seen.target.forward_right_down, low.forward_right_down({0, 0, 0}), 0.01);
  // the ring alone counts for nothing
  const Folder folder("eye_markers");
  folder.write("pad_marker.yaml", "marker: {size: 0.05, id_list: [900]}\n");
  o.config_dir = folder.path.string();
  Eye blind(o);
  blind.state(12);
  EXPECT_FALSE(blind.look(Over({0, 0, 1.5}).picture(), nullptr, nullptr).has_target);
}

TEST(Eye, WhatIsNoPictureIsRefusedWithoutReadingBeyondIt) {
  Eye eye(options(kFiles));
  eye.state(12);
  const Over pad({0, 0, 1.5});
  PlainPicture p = pad.picture();
  const auto why = [&](const PlainPicture& x) { return eye.look(x, nullptr, nullptr).why; };
  EXPECT_EQ(why(p), "");
  PlainPicture cut = p;
  cut.size -= 1;
  EXPECT_NE(why(cut).find("cut short"), std::string::npos);
  cut = p;
  cut.step = 3;
  EXPECT_NE(why(cut), "");
  cut = p;
  cut.height = 4000000000U;
  EXPECT_NE(why(cut), "");
  cut = p;
  cut.encoding = "bayer_rggb8";
  EXPECT_NE(why(cut).find("rgb8, bgr8 or mono8"), std::string::npos);
  cut = p;
  cut.height = 240;  // of another size than the calibration's
  EXPECT_NE(why(cut), "");
}

// hazard 17: red and blue that change places
TEST(Eye, BlueIsBlueInEitherOrderOfTheChannels) {
  Eye eye(options(kFiles));
  const std::string ring_only = "marker: {size: 0.05, id_list: [900]}\n";
  const Folder folder("eye_colour");
  folder.write("pad_marker.yaml", ring_only);
  Eye ring(options(folder.path));
  ring.state(12);
  Over pad({0, 0, 1.5});
  EXPECT_TRUE(ring.look(pad.picture(), nullptr, nullptr).has_target);
  PlainPicture said_otherwise = pad.picture();
  said_otherwise.encoding = "bgr8";  // then it is a red one
  EXPECT_FALSE(ring.look(said_otherwise, nullptr, nullptr).has_target);
  for (std::size_t i = 0; i < pad.image.pixels.size(); i += 3)
    std::swap(pad.image.pixels[i], pad.image.pixels[i + 2]);
  EXPECT_FALSE(ring.look(pad.picture(), nullptr, nullptr).has_target);
  PlainPicture bgr = pad.picture();
  bgr.encoding = "bgr8";
  EXPECT_TRUE(ring.look(bgr, nullptr, nullptr).has_target);
}

TEST(CameraFile, IsSavedNumberByNumberAndKeepsTheRest) {
  const Folder folder("camera_file");
  const std::string file = (folder.path / "camera_onboard.yaml").string();
  const CameraModel before = model_of(file);
  PlainCameraInfo info = load_calibration(file);
  EXPECT_EQ(info.width, 640u);
  EXPECT_EQ(info.K[0], before.fx);
  EXPECT_EQ(info.P[0], 488.5268249511719);
  info.K[0] = 501.25;
  info.D[1] = -0.0625;
  EXPECT_EQ(save_calibration(file, info), "");
  const CameraModel after = model_of(file);
  EXPECT_EQ(after.fx, 501.25);
  EXPECT_EQ(after.distortion[1], -0.0625);
  EXPECT_EQ(after.X_BC, before.X_BC);
  // what could not be read again is not written
  info.K[0] = -1;
  EXPECT_NE(save_calibration(file, info), "");
  EXPECT_EQ(model_of(file).fx, 501.25);
}

}  // namespace
}  // namespace pintle::ros1
