#include "pintle/config/units.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "pintle/config/reader.h"

namespace pintle::config {
namespace {

struct Unit {
  std::string_view name;
  std::string_view quantity;
  double in_si;
};

constexpr double kDegree = std::numbers::pi / 180;
constexpr std::array kUnits{
    Unit{"N", "force", 1},
    Unit{"kN", "force", 1e3},
    Unit{"mN", "force", 1e-3},
    Unit{"kgf", "force", 9.80665},
    Unit{"gf", "force", 9.80665e-3},
    Unit{"lbf", "force", 4.4482216152605},
    Unit{"kg", "mass", 1},
    Unit{"g", "mass", 1e-3},
    Unit{"t", "mass", 1e3},
    Unit{"lb", "mass", 0.45359237},
    Unit{"lbs", "mass", 0.45359237},
    Unit{"m", "length", 1},
    Unit{"km", "length", 1e3},
    Unit{"cm", "length", 1e-2},
    Unit{"mm", "length", 1e-3},
    Unit{"in", "length", 0.0254},
    Unit{"inch", "length", 0.0254},
    Unit{"ft", "length", 0.3048},
    Unit{"s", "time", 1},
    Unit{"sec", "time", 1},
    Unit{"ms", "time", 1e-3},
    Unit{"us", "time", 1e-6},
    Unit{"µs", "time", 1e-6},
    Unit{"ns", "time", 1e-9},
    Unit{"min", "time", 60},
    Unit{"h", "time", 3600},
    Unit{"rad", "angle", 1},
    Unit{"deg", "angle", kDegree},
    Unit{"degrees", "angle", kDegree},
    Unit{"°", "angle", kDegree},
    Unit{"m/s", "speed", 1},
    Unit{"cm/s", "speed", 1e-2},
    Unit{"mm/s", "speed", 1e-3},
    Unit{"km/h", "speed", 1 / 3.6},
    Unit{"kn", "speed", 1852.0 / 3600},
    Unit{"knots", "speed", 1852.0 / 3600},
    Unit{"rad/s", "rate", 1},
    Unit{"deg/s", "rate", kDegree},
    Unit{"rpm", "rate", 2 * std::numbers::pi / 60},
    Unit{"Hz", "frequency", 1},
    Unit{"kHz", "frequency", 1e3},
    Unit{"V", "voltage", 1},
    Unit{"mV", "voltage", 1e-3},
    Unit{"A", "current", 1},
    Unit{"mA", "current", 1e-3},
    Unit{"W", "power", 1},
    Unit{"kW", "power", 1e3},
    Unit{"Pa", "pressure", 1},
    Unit{"kPa", "pressure", 1e3},
    Unit{"bar", "pressure", 1e5},
    Unit{"Nm", "torque", 1},
    Unit{"m2", "area", 1},
    Unit{"cm2", "area", 1e-4},
    Unit{"m3", "volume", 1},
    Unit{"cm3", "volume", 1e-6},
    Unit{"l", "volume", 1e-3},
    Unit{"L", "volume", 1e-3},
    Unit{"kgm2", "inertia", 1},
    Unit{"kg/m3", "density", 1},
    Unit{"g/cm3", "density", 1e3},
    Unit{"", "number", 1},
    Unit{"%", "number", 1e-2},
};

struct Words {
  std::string_view unit, words;
};
constexpr std::array kWords{
    Words{"N", "newtons"},
    Words{"Nm", "newton metres"},
    Words{"kg", "kilograms"},
    Words{"kgm2", "kg m^2"},
    Words{"m", "metres"},
    Words{"m2", "square metres"},
    Words{"m3", "cubic metres"},
    Words{"s", "seconds"},
    Words{"ms", "milliseconds"},
    Words{"us", "microseconds"},
    Words{"ns", "nanoseconds"},
    Words{"rad", "radians"},
    Words{"deg", "degrees"},
    Words{"Hz", "hertz"},
    Words{"V", "volts"},
    Words{"A", "amperes"},
    Words{"W", "watts"},
    Words{"Pa", "pascals"},
    Words{"m/s", "metres per second"},
    Words{"rad/s", "radians per second"},
    Words{"deg/s", "degrees per second"},
    Words{"rpm", "revolutions per minute"},
};

// "N m", "N*m" and "kg m^2" without what people put between
std::string normal(std::string_view unit) {
  std::string out;
  for (const char c : unit)
    if (c != ' ' && c != '*' && c != '^' && c != '.') out += c;
  for (const std::string_view middle_dot : {"·", "⋅"})
    if (const std::size_t at = out.find(middle_dot); at != std::string::npos)
      out.erase(at, middle_dot.size());
  return out;
}

const Unit* find(std::string_view unit) {
  const std::string name = normal(unit);
  for (const Unit& u : kUnits)
    if (u.name == name) return &u;
  return nullptr;
}

std::vector<std::string_view> words_of(std::string_view key) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t n = std::min(key.find('_'), key.size());
    words.push_back(key.substr(0, n));
    if (n == key.size()) return words;
    key.remove_prefix(n + 1);
  }
}

bool is_unit_word(std::string_view word) {
  constexpr std::array kOthers{std::string_view{"newton"},  std::string_view{"newtons"},
                               std::string_view{"meter"},   std::string_view{"meters"},
                               std::string_view{"metres"},  std::string_view{"seconds"},
                               std::string_view{"radians"}, std::string_view{"s2"}};
  return (!word.empty() && find(word) != nullptr) ||
         std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end();
}

// how many words of a key come before its unit; the first is never a unit
std::size_t stem_words(const std::vector<std::string_view>& words) {
  std::size_t n = words.size();
  while (n > 1 && is_unit_word(words[n - 1])) --n;
  return n;
}

}  // namespace

std::string unit_in_words(std::string_view unit) {
  const std::string name = normal(unit);
  for (const Words& w : kWords)
    if (w.unit == name) return std::string(w.words);
  return std::string(unit);
}

std::optional<double> convert(double value, std::string_view from, std::string_view to) {
  const Unit* a = find(from);
  const Unit* b = find(to);
  if (a == nullptr || b == nullptr || a->quantity != b->quantity) return std::nullopt;
  return a == b ? value : value * a->in_si / b->in_si;
}

std::optional<WithUnit> split_unit(std::string_view text) noexcept {
  // the longest beginning that is a number: "1e3 N" is a thousand, "5 e" is five
  const std::size_t last = text.substr(0, kMaxNumber).find_last_of("0123456789.");
  for (std::size_t n = last + 1; n > 0; --n) {
    const std::optional<double> value = parse_number(text.substr(0, n));
    if (!value) continue;
    std::string_view unit = text.substr(n);
    while (unit.starts_with(' ') || unit.starts_with('\t')) unit.remove_prefix(1);
    return WithUnit{*value, unit};
  }
  return std::nullopt;
}

bool same_stem(std::string_view a, std::string_view b) {
  const auto words_a = words_of(a), words_b = words_of(b);
  const std::size_t n = stem_words(words_a);
  return n == stem_words(words_b) &&
         std::equal(words_a.begin(), words_a.begin() + static_cast<std::ptrdiff_t>(n),
                    words_b.begin());
}

std::string unit_of_key(std::string_view key) {
  const auto words = words_of(key);
  std::string unit;
  for (std::size_t i = stem_words(words); i < words.size(); ++i)
    unit += (unit.empty() ? "" : "/") + std::string(words[i]);
  return unit;
}

}  // namespace pintle::config
