/// A struct with a field of every kind, for the tests of the reader and the schemas.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/axis.h"
#include "pintle/base/signals.h"
#include "pintle/config/reader.h"

namespace pintle {
namespace {

enum class Mode : std::uint8_t { kCalculated = 0, kProvided = 1, kNone = 7 };

struct Gains {
  double kp = 0, ki = 0.5;
  Mode derivative_type = Mode::kCalculated;
};

struct Part {
  std::string name;
  Vec3 position_m{1, 2, 3};
  double tau_s = 0.1;
  std::array<double, 2> band{-1, 1};
};

struct Craft {
  double mass_kg = 5;
  double max_thrust_N = 50;
  double angle_rad = 0;
  double speed_m_s = 1;
  std::int32_t count = 3;
  std::uint64_t seed = 1;
  std::uint8_t small = 1;
  float rough = 1;
  Time start{};
  bool on = false;
  std::string note = "none";
  FixedString<5> code{"abc"};
  std::array<Gains, kAxes> gains{};
  std::array<double, kAxes> limits{1, 1, 1, 1, 1, 1};
  std::optional<double> after_s;
  std::optional<Part> spare;
  std::vector<Part> parts;
  FixedVector<double, 4> curve;
  std::vector<std::string> names;
};

}  // namespace

template <>
const EnumTable& enum_table<Mode>() {
  static constexpr EnumValue values[] = {{0, "calculated", "From the error."},
                                         {1, "provided", "From outside."},
                                         {7, "none", "No derivative."}};
  static constexpr EnumTable table{"Mode", values};
  return table;
}

template <>
const Table& table_of<Gains>() {
  static const Table table = TableBuilder<Gains>("Gains", "Of one axis.")
                                 .field("kp", &Gains::kp, "", "Proportional.")
                                 .required()
                                 .field("ki", &Gains::ki, "", "Integral.")
                                 .at_least(0)
                                 .field("derivative_type", &Gains::derivative_type, "", "Which.")
                                 .build();
  return table;
}

template <>
const Table& table_of<Part>() {
  static const Table table = TableBuilder<Part>("Part", "A part.")
                                 .field("name", &Part::name, "", "Its name.")
                                 .required()
                                 .field("position_m", &Part::position_m, "m", "Where.")
                                 .range(-10, 10)
                                 .field("tau_s", &Part::tau_s, "s", "Lag.")
                                 .range(0, 10)
                                 .field("band", &Part::band, "N", "Dead band.")
                                 .build();
  return table;
}

template <>
const Table& table_of<Craft>() {
  static const Table table = TableBuilder<Craft>("Craft", "A craft.")
                                 .field("mass_kg", &Craft::mass_kg, "kg", "Mass.")
                                 .above(0)
                                 .required()
                                 .field("max_thrust_N", &Craft::max_thrust_N, "N", "Thrust.")
                                 .above(0)
                                 .field("angle_rad", &Craft::angle_rad, "rad", "Angle.")
                                 .field("speed_m_s", &Craft::speed_m_s, "m/s", "Speed.")
                                 .field("count", &Craft::count, "", "Count.")
                                 .range(0, 10)
                                 .field("seed", &Craft::seed, "", "Seed.")
                                 .field("small", &Craft::small, "", "Small.")
                                 .field("rough", &Craft::rough, "", "Rough.")
                                 .field("start_ns", &Craft::start, "ns", "Start.")
                                 .field("on", &Craft::on, "", "On.")
                                 .field("note", &Craft::note, "", "Note.")
                                 .field("code", &Craft::code, "", "Code.")
                                 .field("gains", &Craft::gains, "", "Gains.")
                                 .keyed(kAxisNames)
                                 .field("limits", &Craft::limits, "N", "Limits.")
                                 .keyed(kAxisNames)
                                 .field("after_s", &Craft::after_s, "s", "Time.")
                                 .at_least(0)
                                 .field("spare", &Craft::spare, "", "Spare part.")
                                 .field("parts", &Craft::parts, "", "Parts.")
                                 .items_at_least(1)
                                 .field("curve", &Craft::curve, "", "Curve.")
                                 .field("names", &Craft::names, "", "Names.")
                                 .build();
  return table;
}

namespace config {
namespace {

struct Read {
  Craft craft;
  std::vector<Problem> problems;

  // every problem as one line: "line:column message => fix"
  [[nodiscard]] std::string all() const {
    std::string out;
    for (const Problem& p : problems)
      out += std::to_string(p.where.line) + ":" + std::to_string(p.where.column) + " " + p.message +
             " => " + p.fix + "\n";
    return out;
  }
};

inline Read read(std::string text, const ReadOptions& options = {}, Craft craft = {}) {
  const Document document = Document::parse(std::move(text), "craft.yaml");
  Reader reader(document);
  reader.read(document.root(), craft, options);
  return {craft, reader.problems()};
}

}  // namespace
}  // namespace config
}  // namespace pintle
