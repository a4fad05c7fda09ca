#include "pintle/vehicle/vision_files.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace pintle {
namespace {

using config::Document;
using config::Node;
using config::Reader;

/// A matrix as OpenCV and ROS write it.
struct FileMatrix {
  std::uint32_t rows = 0, cols = 0;
  std::string dt = "d";  // of OpenCV: the type of the numbers
  std::vector<double> data;
};

enum class ImageUp : std::uint8_t { kForward, kRight, kBack, kLeft };

struct Calibration {
  std::uint32_t image_width = 0, image_height = 0;
  std::string camera_name, distortion_model = "plumb_bob";
  FileMatrix camera_matrix, distortion_coefficients;
  std::optional<FileMatrix> rectification_matrix, projection_matrix;
  std::optional<FileMatrix> extrinsic_rotation, extrinsic_translation;
  ImageUp image_up = ImageUp::kForward;
};

struct MarkerKeys {
  double size = 0;
  MarkerFamily dictionary = MarkerFamily::kArucoOriginal;
  std::vector<std::uint32_t> id_list;
  std::vector<MarkerSize> nested;
};
struct MarkerFile {
  MarkerKeys marker;
};

struct CircleKeys {
  double inner_radius = 0, outer_radius = 0;
  RingColor detection_color = RingColor::kBlue;
  RingMethod detection_method = RingMethod::kBest;
};
struct CircleFile {
  CircleKeys circle;
};

}  // namespace

template <>
const EnumTable& enum_table<MarkerFamily>() {
  static constexpr std::array values{
      enum_value(MarkerFamily::kArucoOriginal, "aruco_original", "5 x 5 bits, 1024 numbers."),
      enum_value(MarkerFamily::kTag36h11, "tag36h11", "AprilTag, 6 x 6 bits, 587 numbers.")};
  static constexpr EnumTable table{"MarkerFamily", values};
  return table;
}
template <>
const EnumTable& enum_table<RingColor>() {
  static constexpr std::array values{enum_value(RingColor::kBlue, "blue", "A blue ring."),
                                     enum_value(RingColor::kRed, "red", "A red ring."),
                                     enum_value(RingColor::kBlueOrRed, "aux", "Either.")};
  static constexpr EnumTable table{"RingColor", values};
  return table;
}
template <>
const EnumTable& enum_table<RingMethod>() {
  static constexpr std::array values{
      enum_value(RingMethod::kHough, "hough", "Whole circles by gradients."),
      enum_value(RingMethod::kRansac, "ransac", "Circles through three edge points."),
      enum_value(RingMethod::kBest, "best", "Both edges together; arcs are enough.")};
  static constexpr EnumTable table{"RingMethod", values};
  return table;
}
template <>
const EnumTable& enum_table<ImageUp>() {
  static constexpr std::array values{
      enum_value(ImageUp::kForward, "forward", ""), enum_value(ImageUp::kRight, "right", ""),
      enum_value(ImageUp::kBack, "back", ""), enum_value(ImageUp::kLeft, "left", "")};
  static constexpr EnumTable table{"ImageUp", values};
  return table;
}

template <>
const Table& table_of<FileMatrix>() {
  static const Table table =
      TableBuilder<FileMatrix>("Matrix", "A matrix, row by row.")
          .field("rows", &FileMatrix::rows, "", "Rows.")
          .range(1, 4)
          .required()
          .field("cols", &FileMatrix::cols, "", "Columns.")
          .range(1, 14)
          .required()
          .field("dt", &FileMatrix::dt, "", "Type of the numbers, as OpenCV notes it.")
          .field("data", &FileMatrix::data, "", "The numbers.")
          .required()
          .build();
  return table;
}
template <>
const Table& table_of<Calibration>() {
  using C = Calibration;
  static const Table table =
      TableBuilder<C>("CameraFile", "A camera's calibration and its place in the body.")
          .field("image_width", &C::image_width, "", "Of the pictures, px.")
          .range(16, kLargestPicture_px)
          .required()
          .field("image_height", &C::image_height, "", "Of the pictures, px.")
          .range(16, kLargestPicture_px)
          .required()
          .field("camera_name", &C::camera_name, "", "Its name.")
          .field("camera_matrix", &C::camera_matrix, "", "[fx, 0, cx, 0, fy, cy, 0, 0, 1].")
          .required()
          .field("distortion_model", &C::distortion_model, "", "plumb_bob.")
          .field("distortion_coefficients", &C::distortion_coefficients, "",
                 "[k1, k2, p1, p2, k3].")
          .required()
          .field("rectification_matrix", &C::rectification_matrix, "", "Not used.")
          .field("projection_matrix", &C::projection_matrix, "",
                 "Of the rectified picture: not used.")
          .field("extrinsic_rotation", &C::extrinsic_rotation, "",
                 "From the camera's up, right, along into the body's forward, right, down.")
          .field("extrinsic_translation", &C::extrinsic_translation, "",
                 "Of the camera from the body origin, forward, right, down, m.")
          .field("image_up", &C::image_up, "", "Where the top of the picture looks.")
          .build();
  return table;
}
template <>
const Table& table_of<MarkerSize>() {
  static const Table table = TableBuilder<MarkerSize>("MarkerSize", "A marker of another size.")
                                 .field("id", &MarkerSize::id, "", "Its number.")
                                 .required()
                                 .field("size", &MarkerSize::side_m, "m", "Side of its border.")
                                 .required()
                                 .field("x", &MarkerSize::x_m, "m",
                                        "Its middle from the target's, to the right as printed.")
                                 .range(-100, 100)
                                 .field("y", &MarkerSize::y_m, "m", "The same, to the top.")
                                 .range(-100, 100)
                                 .build();
  return table;
}
template <>
const Table& table_of<MarkerKeys>() {
  static const Table table =
      TableBuilder<MarkerKeys>("Marker", "The markers that count.")
          .field("size", &MarkerKeys::size, "m", "Side of the black border.")
          .required()
          .field("id_list", &MarkerKeys::id_list, "", "Numbers that count, one by one.")
          .required()
          .field("dictionary", &MarkerKeys::dictionary, "", "Which patterns they are of.")
          .field("nested", &MarkerKeys::nested, "", "Further ones of other sizes.")
          .build();
  return table;
}
template <>
const Table& table_of<MarkerFile>() {
  static const Table table = TableBuilder<MarkerFile>("MarkerFile", "marker.yaml")
                                 .field("marker", &MarkerFile::marker, "", "The markers.")
                                 .required()
                                 .build();
  return table;
}
template <>
const Table& table_of<CircleKeys>() {
  using C = CircleKeys;
  static const Table table =
      TableBuilder<C>("Circle", "The ring of the pad.")
          .field("inner_radius", &C::inner_radius, "m", "Of the ring's inner edge.")
          .required()
          .field("outer_radius", &C::outer_radius, "m", "Of its outer edge.")
          .required()
          .field("detection_color", &C::detection_color, "", "0 blue, 1 red, 2 either.")
          .field("detection_method", &C::detection_method, "", "0 hough, 1 ransac, 2 best.")
          .build();
  return table;
}
template <>
const Table& table_of<CircleFile>() {
  static const Table table = TableBuilder<CircleFile>("CircleFile", "circle.yaml")
                                 .field("circle", &CircleFile::circle, "", "The ring.")
                                 .required()
                                 .build();
  return table;
}

namespace vehicle {
namespace {

/// Whether a matrix has the shape that it must have; if not, says so.
bool has_shape(Reader& reader, const Node& root, std::string_view key, const FileMatrix& m,
               std::uint32_t rows, std::uint32_t cols) {
  const Node* node = root.find(key);
  if (node == nullptr || !reader.is_sound(root, key)) return false;
  const auto numbers = std::to_string(rows * cols);
  if (m.rows == rows && m.cols == cols && m.data.size() == std::size_t{rows} * cols &&
      std::all_of(m.data.begin(), m.data.end(), [](double x) { return std::isfinite(x); }))
    return true;
  reader.error(node->where,
               std::string(key) + ": expected " + std::to_string(rows) + " rows, " +
                   std::to_string(cols) + " columns and " + numbers + " finite numbers, got " +
                   std::to_string(m.rows) + ", " + std::to_string(m.cols) + " and " +
                   std::to_string(m.data.size()),
               "take the matrix from the calibration as it is");
  return false;
}

Mat3 matrix3(const std::vector<double>& numbers) {
  Mat3 m;
  std::copy_n(numbers.begin(), 9, m.m.begin());
  return m;
}

bool is_rotation(const Mat3& R) {
  const Mat3 one = R * transpose(R);
  double off = 0;
  for (std::size_t i = 0; i < 9; ++i)
    off = std::max(off, std::abs(one.m[i] - Mat3::identity().m[i]));
  const Vec3 x{R(0, 0), R(1, 0), R(2, 0)}, y{R(0, 1), R(1, 1), R(2, 1)},
      z{R(0, 2), R(1, 2), R(2, 2)};
  return off < 1e-3 && dot(cross(x, y), z) > 0;
}

/// A turn of the picture about the optical axis, and then up, right, along from x, y, z.
Mat3 picture_axes(ImageUp up) {
  constexpr Mat3 kUpRightAlong{{0, -1, 0, 1, 0, 0, 0, 0, 1}};
  // where the top looks, and where then the right looks, in forward, right
  constexpr std::array<Mat3, 4> kTurn{
      Mat3{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, Mat3{{0, -1, 0, 1, 0, 0, 0, 0, 1}},
      Mat3{{-1, 0, 0, 0, -1, 0, 0, 0, 1}}, Mat3{{0, 1, 0, -1, 0, 0, 0, 0, 1}}};
  return kTurn[static_cast<std::size_t>(up)] * kUpRightAlong;
}

}  // namespace

void read_camera_file(Reader& reader, const Document& document, CameraFile& out) {
  const Node& root = document.root();
  Calibration c;
  reader.read(root, c);
  if (!root.is_map()) return;
  out.name = c.camera_name;
  CameraModel m;
  m.width = static_cast<int>(c.image_width);
  m.height = static_cast<int>(c.image_height);
  bool whole = reader.is_sound(root, "image_width") && reader.is_sound(root, "image_height");

  if (has_shape(reader, root, "camera_matrix", c.camera_matrix, 3, 3)) {
    const auto& k = c.camera_matrix.data;
    if (k[1] != 0 || k[3] != 0 || k[6] != 0 || k[7] != 0 || k[8] != 1)
      reader.error(root.find("camera_matrix")->where,
                   "camera_matrix: expected the form [fx, 0, cx, 0, fy, cy, 0, 0, 1]",
                   "take the matrix from the calibration as it is");
    m.fx = k[0], m.cx = k[2], m.fy = k[4], m.cy = k[5];
  } else {
    whole = false;
  }
  // OpenCV writes one row, some tools one column, and four numbers where k3 is 0
  FileMatrix& d = c.distortion_coefficients;
  if (d.cols == 1) std::swap(d.rows, d.cols);
  if (d.cols == 4 && d.data.size() == 4) d.cols = 5, d.data.push_back(0);
  if (has_shape(reader, root, "distortion_coefficients", d, 1, 5))
    std::copy_n(d.data.begin(), 5, m.distortion.begin());
  else
    whole = false;
  if (const Node* model = root.find("distortion_model");
      model != nullptr && c.distortion_model != "plumb_bob")
    reader.error(model->where,
                 "distortion_model: expected plumb_bob, got \"" + c.distortion_model + "\"",
                 "calibrate with the five coefficients of plumb_bob");
  if (c.rectification_matrix)
    (void)has_shape(reader, root, "rectification_matrix", *c.rectification_matrix, 3, 3);
  if (c.projection_matrix)
    (void)has_shape(reader, root, "projection_matrix", *c.projection_matrix, 3, 4);

  // forward, right, down to forward, left, up
  constexpr Mat3 kFlip{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
  Mat3 R = Mat3::identity();
  if (c.extrinsic_rotation &&
      has_shape(reader, root, "extrinsic_rotation", *c.extrinsic_rotation, 3, 3)) {
    R = matrix3(c.extrinsic_rotation->data);
    if (!is_rotation(R)) {
      reader.error(root.find("extrinsic_rotation")->where,
                   "extrinsic_rotation: this is not a rotation",
                   "rows of length one, at right angles, right-handed");
      R = Mat3::identity();
    }
  }
  m.X_BC.q = to_quaternion(kFlip * R * picture_axes(c.image_up));
  m.X_BC.q = normalized(m.X_BC.q);
  if (c.extrinsic_translation) {
    if (has_shape(reader, root, "extrinsic_translation", *c.extrinsic_translation, 3, 1)) {
      const auto& t = c.extrinsic_translation->data;
      m.X_BC.p = {t[0], -t[1], -t[2]};
    }
  } else {
    reader.warning(root.where, "no extrinsic_translation: the camera is taken to be at the origin",
                   "write where it sits, forward, right, down of the body origin, m");
  }
  out.model = m;
  if (!whole) return;
  for (const Finding& f : check(m)) {
    const Node* at =
        root.find(f.path == "distortion" ? "distortion_coefficients" : "camera_matrix");
    reader.error(at != nullptr ? at->where : root.where, f.path + ": " + f.message, f.fix);
  }
}

namespace {

/// Findings of a checked struct, at the keys of the file.
void report(Reader& reader, const Node& map, const Findings& findings,
            std::initializer_list<std::pair<std::string_view, std::string_view>> keys) {
  for (const Finding& f : findings)
    for (const auto& [path, key] : keys)
      if (f.path.starts_with(path)) {
        const Node* at = map.find(key);
        if (!reader.is_sound(map, key)) continue;
        reader.error(at != nullptr ? at->where : map.where, std::string(key) + ": " + f.message,
                     f.fix);
      }
}

}  // namespace

void read_marker_file(Reader& reader, const Document& document, MarkerTargets& out) {
  MarkerFile file;
  reader.read(document.root(), file);
  const Node* map = document.root().is_map() ? document.root().find("marker") : nullptr;
  if (map == nullptr || !map->is_map()) return;
  out = {file.marker.dictionary, file.marker.size, file.marker.id_list, file.marker.nested};
  report(reader, *map, check(out), {{"side_m", "size"}, {"ids", "id_list"}, {"nested", "nested"}});
}

void read_circle_file(Reader& reader, const Document& document, RingTarget& out) {
  CircleFile file;
  reader.read(document.root(), file);
  const Node* map = document.root().is_map() ? document.root().find("circle") : nullptr;
  if (map == nullptr || !map->is_map()) return;
  const CircleKeys& c = file.circle;
  out = {c.inner_radius, c.outer_radius, c.detection_color, c.detection_method};
  report(reader, *map, check(out), {{"inner_m", "inner_radius"}, {"outer_m", "outer_radius"}});
}

namespace {

void read_states(Reader& reader, const Node& node, int depth, std::vector<std::uint32_t>& out) {
  if (node.is_list() && depth < 2) {
    for (const Node& item : node.items) read_states(reader, item, depth + 1, out);
    return;
  }
  const auto number = node.is_scalar() && !node.quoted ? config::parse_number(node.scalar)
                                                       : std::optional<double>{};
  if (number && *number >= 0 && *number <= 255 && *number == std::floor(*number))
    out.push_back(static_cast<std::uint32_t>(*number));
  else
    reader.error(node.where, "expected the number of a state, 0 to 255",
                 "write a list such as  [11, 12]");
}

}  // namespace

void read_detection_mode_file(Reader& reader, const Document& document, DetectionModes& out) {
  const Node& root = document.root();
  const Node* modes = root.is_map() ? root.find("detection_mode") : nullptr;
  if (modes == nullptr || !modes->is_map() || root.entries.size() != 1) {
    reader.error(root.where, "expected one key, detection_mode, with the lists marker and circle",
                 "write  detection_mode: {marker: [6, 7], circle: [11, 12]}");
    return;
  }
  out = {};
  for (const Node::Entry& e : modes->entries) {
    if (e.key == "marker")
      read_states(reader, e.value, 0, out.marker);
    else if (e.key == "circle")
      read_states(reader, e.value, 0, out.circle);
    else
      reader.error(e.key_where, "unknown key \"" + e.key + "\"", "there are marker and circle");
  }
  for (const std::uint32_t s : out.marker)
    if (std::find(out.circle.begin(), out.circle.end(), s) != out.circle.end())
      reader.error(modes->where,
                   "state " + std::to_string(s) + " stands in both lists: one picture, one target",
                   "keep it in one");
}

}  // namespace vehicle
}  // namespace pintle
