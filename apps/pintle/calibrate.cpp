#include "verbs.h"

#ifdef PINTLE_HAS_VISION

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "pintle/vision/calibrate.h"
#include "pintle/vision/image_file.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

struct CalibrateArguments {
  std::string board = "9x6", out, name = "usb_cam";
  double square_m = 0.025;
  bool overwrite = false;
  std::vector<std::string> images;
};

vision::Board board_of(const CalibrateArguments& a) {
  vision::Board b;
  b.square_m = a.square_m;
  char rest = 0;
  if (std::sscanf(a.board.c_str(), "%dx%d%c", &b.columns, &b.rows, &rest) != 2)
    throw CLI::ValidationError("--board", "expected inner corners such as 9x6, got " + a.board);
  for (const Finding& f : check(b))
    throw CLI::ValidationError("--" + f.path, f.message + ": " + f.fix);
  return b;
}

std::string numbers(std::initializer_list<double> list) {
  std::string out;
  for (const double x : list) out += (out.empty() ? "" : ", ") + fmt::format("{}", x);
  return "[" + out + "]";
}

std::string as_file(const CalibrateArguments& a, const vision::Calibration& c) {
  const CameraModel& m = c.camera;
  const auto& d = m.distortion;
  const auto& s = c.sigma;
  return fmt::format(
      "# {} pictures of a chessboard of {} inner corners, {} m a square; corners are off by {:.3f} "
      "px (root mean\n"
      "# square). One standard deviation: fx {:.2g}, fy {:.2g}, cx {:.2g}, cy {:.2g} px, k1 "
      "{:.1g}, k2 {:.1g}, p1 "
      "{:.1g}, p2 {:.1g}.\n"
      "image_width: {}\nimage_height: {}\ncamera_name: {}\n"
      "camera_matrix: {{rows: 3, cols: 3, data: {}}}\n"
      "distortion_model: plumb_bob\n"
      "distortion_coefficients: {{rows: 1, cols: 5, data: {}}}\n"
      "# measure it: the camera from the middle of the craft, forward, right, down, m\n"
      "extrinsic_translation: {{rows: 3, cols: 1, data: [0, 0, 0]}}\n",
      c.of_picture_px.size(), a.board, a.square_m, c.residual_px, s[0], s[1], s[2], s[3], s[4],
      s[5], s[6], s[7], m.width, m.height, a.name, numbers({m.fx, 0, m.cx, 0, m.fy, m.cy, 0, 0, 1}),
      numbers({d[0], d[1], d[2], d[3], d[4]}));
}

int calibrate(const CalibrateArguments& a) {
  const vision::Board board = board_of(a);
  if (!a.overwrite && fs::exists(a.out))
    throw CLI::ValidationError("--out", a.out + " exists: name another file, or add --overwrite");
  std::vector<std::vector<Pixel>> corners;
  std::vector<std::string> used;
  Image image;
  int width = 0, height = 0, exit_code = kOk;
  for (const std::string& name : a.images) {
    std::string why;
    if (!vision::read_image(name, image, why)) {
      fmt::print(stderr, "pintle: {}: {}\n", name, why);
      exit_code = kCheckFailed;
      continue;
    }
    if (width == 0) width = image.width, height = image.height;
    if (image.width != width || image.height != height) {
      fmt::print(stderr, "pintle: {}: {} x {} px, the first picture has {} x {}\n", name,
                 image.width, image.height, width, height);
      exit_code = kCheckFailed;
      continue;
    }
    if (auto found = vision::find_board(image.view(), board)) {
      corners.push_back(std::move(*found));
      used.push_back(name);
    } else {
      fmt::print(stderr, "pintle: {}: no board of {} inner corners in it\n", name, a.board);
    }
  }
  vision::Calibration c;
  std::string why;
  if (!vision::calibrate(board, corners, width, height, c, why))
    throw std::runtime_error("calibrate: " + why);
  for (std::size_t i = 0; i < used.size(); ++i)
    fmt::print("{:8.3f} px  {}\n", c.of_picture_px[i], used[i]);
  fmt::print("{:8.3f} px  all\n", c.residual_px);
  std::ofstream file(a.out);
  file << as_file(a, c);
  file.close();
  if (!file) throw std::runtime_error(a.out + ": cannot be written");
  return exit_code;
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  auto a = std::make_shared<CalibrateArguments>();
  CLI::App* verb =
      app.add_subcommand("calibrate", "A camera's file from pictures of a chessboard.");
  verb->add_option("images", a->images, "Pictures: PNG, JPEG, BMP, PNM")->required();
  verb->add_option("--out", a->out, "The camera's file")->required();
  verb->add_option("--board", a->board, "Inner corners along and across, 9x6 by default");
  verb->add_option("--square", a->square_m, "Side of a square, m, 0.025 by default");
  verb->add_option("--name", a->name, "Of the camera, usb_cam by default");
  verb->add_flag("--overwrite", a->overwrite, "Replace the file");
  verb->footer(
      "Example:\n"
      "  pintle calibrate --board 9x6 --square 0.025 --out camera.yaml board/*.png\n"
      "Exit codes: 0 ok, 1 a picture could not be read (the others were), 4 too little was found.");
  verb->callback([a, &session] { session.exit_code = calibrate(*a); });
}

}  // namespace pintle::app

#else

namespace pintle::app {

void add_calibrate(CLI::App& app, Session&) {
  CLI::App* verb =
      app.add_subcommand("calibrate", "A camera's file from pictures of a chessboard.");
  verb->allow_extras();
  verb->callback([] {
    throw std::runtime_error(
        "this build searches no pictures: install OpenCV (scripts/setup --vision) and build again");
  });
}

}  // namespace pintle::app

#endif
