// Any bytes as a file: parsed, read through a table, edited, and read back.
//
// What must hold: nothing but ConfigError leaves; a refusal has a place inside the file; an edit
// changes what it names and gives a text that parses.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/axis.h"
#include "pintle/base/signals.h"
#include "pintle/config/document.h"
#include "pintle/config/reader.h"

namespace {

enum class Mode : std::uint8_t { kOff, kSlow, kFast };

struct Inner {
  double kp = 0;
  Mode mode = Mode::kOff;
  pintle::Vec3 p_m{};
  std::optional<double> t_s;
};

struct Outer {
  std::string name;
  double mass_kg = 1;
  std::int32_t n = 0;
  std::uint64_t seed = 0;
  bool on = false;
  std::array<Inner, pintle::kAxes> axes{};
  std::vector<Inner> list;
  std::optional<Inner> maybe;
  pintle::FixedVector<double, 4> few;
};

}  // namespace

template <>
const pintle::EnumTable& pintle::enum_table<Mode>() {
  static constexpr EnumValue values[] = {{0, "off", ""}, {1, "slow", ""}, {2, "fast", ""}};
  static constexpr EnumTable table{"Mode", values};
  return table;
}

template <>
const pintle::Table& pintle::table_of<Inner>() {
  static const Table table = TableBuilder<Inner>("Inner", "")
                                 .field("kp", &Inner::kp, "", "")
                                 .required()
                                 .field("mode", &Inner::mode, "", "")
                                 .field("p_m", &Inner::p_m, "m", "")
                                 .range(-5, 5)
                                 .field("t_s", &Inner::t_s, "s", "")
                                 .above(0)
                                 .build();
  return table;
}

template <>
const pintle::Table& pintle::table_of<Outer>() {
  static const Table table = TableBuilder<Outer>("Outer", "")
                                 .field("name", &Outer::name, "", "")
                                 .required()
                                 .field("mass_kg", &Outer::mass_kg, "kg", "")
                                 .above(0)
                                 .field("n", &Outer::n, "", "")
                                 .range(-3, 9)
                                 .field("seed", &Outer::seed, "", "")
                                 .field("on", &Outer::on, "", "")
                                 .field("axes", &Outer::axes, "", "")
                                 .keyed(kAxisNames)
                                 .field("list", &Outer::list, "", "")
                                 .field("maybe", &Outer::maybe, "", "")
                                 .field("few", &Outer::few, "N", "")
                                 .build();
  return table;
}

namespace {

using namespace pintle::config;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_problems(const ConfigError& e, const std::string& text) {
  require(!e.problems().empty());
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Problem& problem : e.problems()) {
    require(!problem.message.empty());
    require(problem.where.line >= 0 && problem.where.line <= lines);
    require(problem.where.column >= 0 && problem.where.column <= static_cast<int>(text.size()) + 1);
  }
}

// ranges lie inside the text and inside one another
void check_tree(const Node& node, const std::string& text) {
  require(node.begin <= node.end && node.end <= text.size());
  require(node.where.line >= 0 && node.where.column >= 0);
  for (const Node& item : node.items) check_tree(item, text);
  for (const Node::Entry& entry : node.entries) {
    require(entry.key_end <= text.size());
    check_tree(entry.value, text);
  }
}

// the first few scalars by path, so that edits reach what the input has
void edit_everything(const Document& document, const Node& node, const std::string& path,
                     int& budget) {
  if (budget-- <= 0) return;
  try {
    const Document changed = document.with(path, 0.1);
    const Node* target = changed.at(path);
    require(target != nullptr && parse_number(target->scalar) == 0.1);
    require(Document::parse(changed.text(), "again").at(path) != nullptr);
  } catch (const ConfigError& e) {
    check_problems(e, document.text());
  }
  try {
    const Document changed = document.with_text(path, node.scalar + "x");
    require(changed.at(path)->scalar == node.scalar + "x");
  } catch (const ConfigError& e) {
    check_problems(e, document.text());
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    edit_everything(document, node.items[i], path + "[" + std::to_string(i) + "]", budget);
  for (const Node::Entry& entry : node.entries)
    if (!entry.key.empty() && entry.key.find_first_of(".[]") == std::string::npos)
      edit_everything(document, entry.value, path + "." + entry.key, budget);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Document document = Document::parse(text, "fuzz.yaml");
    check_tree(document.root(), text);

    Reader reader(document);
    Outer outer;
    reader.read(document.root(), outer);
    require(std::isfinite(outer.mass_kg) && outer.mass_kg > 0 && outer.n >= -3 && outer.n <= 9);
    reader.add({{"axes.x.kp", "m", ""}, {"axes[2].p_m.y", "m", ""}, {"list[0]", "m", ""}},
               document.root());
    try {
      (void)reader.finish();
    } catch (const ConfigError& e) {
      check_problems(e, text);
    }
    // an edit reads the text twice more: one input in eight
    if (size % 8 != 0) return 0;
    int budget = 12;
    edit_everything(document, document.root(), "", budget);
    try {
      require(document.with("added", 2.5).at("added")->scalar == "2.5" ||
              parse_number(document.at("added")->scalar) == 2.5);
    } catch (const ConfigError& e) {
      check_problems(e, text);
    }
  } catch (const ConfigError& e) {
    check_problems(e, text);
  }
  return 0;
}
