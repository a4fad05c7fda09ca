#include "verbs.h"
#include "whole_number.h"

#ifdef PINTLE_HAS_VISION

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <variant>

#include "one_picture.h"
#include "out_file.h"
#include "pintle/config/save.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/calibrate.h"
#include "pintle/vision/image_file.h"

namespace pintle::app {
namespace {

struct CalibrateArguments {
  std::string board = "9x6", markers, out, name = "usb_cam";
  double square_m = 0.025, side_m = 0.03, gap_m = 0.006;
  std::uint32_t first_id = 0;
  bool overwrite = false;
  std::vector<std::string> images;
};

using AnyBoard = std::variant<vision::Board, vision::MarkerBoard>;

AnyBoard board_of(const CalibrateArguments& a) {
  int columns = 0, rows = 0;
  char rest = 0;
  if (std::sscanf(a.board.c_str(), "%dx%d%c", &columns, &rows, &rest) != 2)
    throw CLI::ValidationError("--board", "expected along and across such as 9x6, got " + a.board);
  AnyBoard board = vision::Board{columns, rows, a.square_m};
  if (!a.markers.empty()) {
    const auto& families = enum_table<MarkerFamily>().values;
    const auto family = std::find_if(families.begin(), families.end(),
                                     [&](const EnumValue& v) { return v.name == a.markers; });
    if (family == families.end())
      throw CLI::ValidationError("--markers",
                                 "expected aruco_original or tag36h11, got " + a.markers);
    board = vision::MarkerBoard{
        static_cast<MarkerFamily>(family->value), columns, rows, a.side_m, a.gap_m, a.first_id};
  }
  for (const Finding& f : std::visit([](const auto& b) { return check(b); }, board))
    throw CLI::ValidationError("--" + f.path, f.message + ": " + f.fix);
  return board;
}

std::string in_words(const CalibrateArguments& a) {
  return a.markers.empty()
             ? fmt::format("a chessboard of {} inner corners, {} m a square", a.board, a.square_m)
             : fmt::format("a board of {} markers of {} from {} on, {} m a side, {} m apart",
                           a.board, a.markers, a.first_id, a.side_m, a.gap_m);
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
      "# {} pictures of {};\n"
      "# corners are off by {:.3f} px (root mean square). One standard deviation: fx {:.2g}, fy "
      "{:.2g}, cx {:.2g}, cy {:.2g} px, k1 "
      "{:.1g}, k2 {:.1g}, p1 "
      "{:.1g}, p2 {:.1g}.\n"
      "image_width: {}\nimage_height: {}\ncamera_name: {}\n"
      "camera_matrix: {{rows: 3, cols: 3, data: {}}}\n"
      "distortion_model: plumb_bob\n"
      "distortion_coefficients: {{rows: 1, cols: 5, data: {}}}\n"
      "# measure it: the camera from the middle of the craft, forward, right, down, m\n"
      "extrinsic_translation: {{rows: 3, cols: 1, data: [0, 0, 0]}}\n",
      c.of_picture_px.size(), in_words(a), c.residual_px, s[0], s[1], s[2], s[3], s[4], s[5], s[6],
      s[7], m.width, m.height, a.name, numbers({m.fx, 0, m.cx, 0, m.fy, m.cy, 0, 0, 1}),
      numbers({d[0], d[1], d[2], d[3], d[4]}));
}

/// As the bytes that it has in memory, between two processes of one program.
template <class T>
void put(const T& from, std::string& to) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(reinterpret_cast<const char*>(&from), sizeof from);
}
template <class T>
T take(std::string_view& from) {
  T out{};
  const std::size_t n = std::min(sizeof out, from.size());
  std::memcpy(&out, from.data(), n);
  from.remove_prefix(n);
  return out;
}

/// An answer of this picture's process: its size with the board in it, or what is wrong. All have the
/// size of the first one, where `first` has any.
std::string find_in_picture(const AnyBoard& board, const std::string& name,
                            vision::PictureSize first) {
  Image image;
  std::string why;
  if (!vision::read_image(name, image, why)) return begin(Answer::kUnread) + why;
  if (first.width != 0 && (image.width != first.width || image.height != first.height))
    return begin(Answer::kUnread) + fmt::format("{} x {} px, the first picture has {} x {}",
                                                image.width, image.height, first.width,
                                                first.height);
  vision::BoardView view;
  const bool found = std::visit(
      [&](const auto& b) { return vision::find_board(image.view(), b, view, why); }, board);
  std::string out = begin(found ? Answer::kDone : Answer::kNothing);
  put(vision::PictureSize{image.width, image.height}, out);
  if (!found) return out + why;
  for (std::size_t i = 0; i < view.seen.size(); ++i) put(view.seen[i], out), put(view.at_m[i], out);
  return out;
}

vision::BoardView view_in(std::string_view said) {
  vision::BoardView out;
  while (said.size() >= sizeof(Pixel) + sizeof(Vec3)) {
    out.seen.push_back(take<Pixel>(said));
    out.at_m.push_back(take<Vec3>(said));
  }
  return out;
}

int calibrate(const CalibrateArguments& a) {
  const AnyBoard board = board_of(a);
  expect_free(a.out, a.overwrite, a.images);
  const auto is_plain = [](char ch) {
    return std::isalnum(static_cast<unsigned char>(ch)) != 0 || ch == '_' || ch == '-';
  };
  if (a.name.empty() || !std::all_of(a.name.begin(), a.name.end(), is_plain))
    throw CLI::ValidationError("--name", "expected letters, digits, _ and -");
  std::vector<vision::BoardView> views;
  std::vector<std::string> used;
  vision::PictureSize size;
  int exit_code = kOk;
  for (const std::string& name : a.images) {
    std::string said;
    const Answer answer =
        answer_of([&] { return find_in_picture(board, name, size); }, kOnePicture, said);
    if (answer == Answer::kUnread) exit_code = kCheckFailed;
    std::string_view rest = said;
    if (answer != Answer::kUnread) size = take<vision::PictureSize>(rest);
    if (answer == Answer::kDone) {
      views.push_back(view_in(rest));
      used.push_back(name);
    } else {
      fmt::print(stderr, "pintle: {}: {}\n", name, rest);
    }
  }
  vision::Calibration c;
  std::string why;
  if (!vision::calibrate(views, static_cast<int>(size.width), static_cast<int>(size.height), c,
                         why))
    throw std::runtime_error("calibrate: " + why);
  for (std::size_t i = 0; i < used.size(); ++i)
    fmt::print("{:8.3f} px  {}\n", c.of_picture_px[i], used[i]);
  fmt::print("{:8.3f} px  all\n", c.residual_px);
  const config::SaveResult saved = config::save_atomically(a.out, as_file(a, c));
  if (!saved.saved) throw std::runtime_error(saved.reason);
  return exit_code;
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  auto a = std::make_shared<CalibrateArguments>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "A camera's file from pictures of a chessboard or of markers.");
  verb->add_option("images", a->images, "Pictures: PNG, JPEG, BMP, PNM")->required();
  verb->add_option("--out", a->out, "The camera's file")->required();
  verb->add_option("--board", a->board,
                   "Inner corners, or markers, along and across, 9x6 by default");
  CLI::Option* square =
      verb->add_option("--square", a->square_m, "Side of a square, m, 0.025 by default");
  CLI::Option* markers =
      verb->add_option("--markers", a->markers,
                       "The board is of markers of this dictionary: aruco_original, tag36h11")
          ->excludes(square);
  verb->add_option("--side", a->side_m, "Side of a marker's black border, m, 0.03 by default")
      ->needs(markers);
  verb->add_option("--gap", a->gap_m, "From border to border, m, 0.006 by default")->needs(markers);
  verb->add_option("--first", a->first_id,
                   "Number of the upper left marker, 0 by default; the others follow row by row")
      ->check(whole_number())
      ->needs(markers);
  verb->add_option("--name", a->name, "Of the camera, usb_cam by default");
  verb->add_flag("--overwrite", a->overwrite, "Replace the file");
  verb->footer(
      "Examples:\n"
      "  pintle calibrate --board 9x6 --square 0.025 --out camera.yaml board/*.png\n"
      "  pintle calibrate --markers tag36h11 --board 5x7 --side 0.03 --gap 0.006 --out camera.yaml "
      "board/*.png\n"
      "Exit codes: 0 ok, 1 a picture could not be read (the others were), 2 --out exists or is a\n"
      "picture that is read, 4 too little was found.");
  verb->callback([a, &session] { session.exit_code = calibrate(*a); });
}

}  // namespace pintle::app

#else

namespace pintle::app {

void add_calibrate(CLI::App& app, Session&) {
  CLI::App* verb = app.add_subcommand(
      "calibrate", "A camera's file from pictures of a chessboard or of markers.");
  verb->allow_extras();
  verb->callback([] {
    throw std::runtime_error(
        "this build searches no pictures (pintle-full is not there): install OpenCV (scripts/setup "
        "--vision) and build again");
  });
}

}  // namespace pintle::app

#endif
