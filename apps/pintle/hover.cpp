#include "hover.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pintle::app {
namespace {

using craft::HoverChannel;
using craft::HoverReport;

// rounding is no number worth a look
double without_rounding(double x, double size) { return std::abs(x) <= 1e-9 * size ? 0 : x; }

std::string table(const vehicle::Vehicle& v, const HoverReport& h) {
  const std::vector<std::string> names = v.channel_names();
  std::size_t width = 7;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string out = fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>8} {:>9}   {}\n", "channel", width,
                                "lower", "effort", "upper", "used", "deepest", "its room");
  for (std::size_t i = 0; i < h.channels.size(); ++i) {
    const HoverChannel& c = h.channels[i];
    const double range = c.upper - c.lower;
    std::string line = fmt::format("{:<{}} {:>9.4g} {:>9.4g} {:>9.4g}", names[i], width, c.lower,
                                   without_rounding(c.effort, range), c.upper);
    if (range > 0)
      line += fmt::format(" {:>6.0f} % {:>9.4g}   {:.4g} down, {:.4g} up",
                          100 * (c.effort - c.lower) / range, without_rounding(c.deepest, range),
                          without_rounding(c.deepest - c.lower, range),
                          without_rounding(c.upper - c.deepest, range));
    else
      line += fmt::format(" {:>8} {:>9.4g}   cannot move", "", c.deepest);
    out += line + "\n";
  }
  return out;
}

std::string missing_words(const HoverReport& h) {
  const Vec6 missing = to_vec6(h.missing);
  std::string out;
  for (std::size_t k = 2; k < kAxes; ++k)
    if (std::abs(missing[k]) > 1e-6 * h.weight_N)
      out += fmt::format("{}{:.4g} {} of {}", out.empty() ? "" : ", ", missing[k],
                         k < 3 ? "N" : "Nm", k < 3 ? "lift" : std::string(kAxisNames[k]));
  return out;
}

std::string verdict(const HoverReport& h) {
  if (!h.balanced)
    return fmt::format("It cannot hover: inside the limits {} stay missing.\n", missing_words(h));
  if (!h.hovers())
    return "It cannot hover safely: to carry the weight some channel must stand on its limit, "
           "with\n"
           "no room to correct.\n";
  std::string out = fmt::format(
      "It hovers. With the efforts of \"deepest\" every channel keeps at least {:.1f} % of its "
      "range\n"
      "to both of its limits (50 % is the middle); \"effort\" is what its own allocation gives, "
      "the\n"
      "least that carries it.\n",
      100 * h.margin);
  if (h.margin < 0.05)
    out +=
        "That is little: it will meet a limit at the first gust. Less mass or more thrust helps.\n";
  if (h.tilt_deg > 0.05)
    out += fmt::format(
        "It stands still tilted by {:.2f} degrees: level, its propulsors push sideways.\n",
        h.tilt_deg);
  return out;
}

}  // namespace

std::string hover_words(const vehicle::Vehicle& v, const HoverReport& h) {
  const Vec3 c = h.craft.center_of_mass_m;
  return fmt::format(
             "{} at rest in still air: {:.4g} kg with its fuel, {:.4g} N of weight, centre of mass "
             "[{:.4g}, {:.4g}, {:.4g}] m.\n\n",
             v.name, h.craft.mass_kg, h.weight_N, c.x, c.y, c.z) +
         table(v, h) + "\n" + verdict(h);
}

nlohmann::ordered_json hover_json(const vehicle::Vehicle& v, const HoverReport& h) {
  const Vec3 c = h.craft.center_of_mass_m;
  nlohmann::ordered_json j;
  j["hovers"] = h.hovers();
  j["balanced"] = h.balanced;
  j["margin"] = h.margin;
  j["mass_kg"] = h.craft.mass_kg;
  j["weight_N"] = h.weight_N;
  j["center_of_mass_m"] = {c.x, c.y, c.z};
  j["tilt_deg"] = h.tilt_deg;
  j["missing"] = to_vec6(h.missing).v;
  const std::vector<std::string> names = v.channel_names();
  j["channels"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < h.channels.size(); ++i) {
    const HoverChannel& x = h.channels[i];
    j["channels"].push_back({{"name", names[i]},
                             {"lower", x.lower},
                             {"effort", x.effort},
                             {"upper", x.upper},
                             {"deepest", x.deepest}});
  }
  return j;
}

}  // namespace pintle::app
