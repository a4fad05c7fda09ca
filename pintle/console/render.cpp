#include "pintle/console/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace pintle::console {
namespace {

using Style = ScreenLine::Style;
using Lines = std::vector<ScreenLine>;

std::string label(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

std::string age(const std::optional<double>& seconds) {
  if (!seconds) return "never";
  if (*seconds >= 100) return fmt::format("{:.0f} s", *seconds);
  return fmt::format("{:.2f} s", *seconds);
}

/// Every entry with its key; the state that is on has an arrow.
std::vector<std::string> entries(const View& v, const Menu& menu) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < menu.states().size(); ++i)
    all.push_back(fmt::format("{}[{}] {}", static_cast<int>(i) == v.state ? '>' : ' ',
                              kStateKeys[i], label(menu.states()[i].name)));
  for (const char* more : {" [f] Free style", " [g] Pause", " [h] Resume", " [i] Cutoff",
                           " [j] Help", " [s] Select a state", " [x] Abort", " [q] Quit"})
    all.emplace_back(more);
  all.push_back(v.armed ? " [m] Disarm" : v.latched ? " [m] Reset the latch" : " [m] Arm");
  return all;
}

/// In as few columns as the height asks for, read downwards.
void lay_out(const std::vector<std::string>& all, std::size_t width, std::size_t rows, Lines& out) {
  constexpr std::size_t kNarrowest = 20;
  const std::size_t most = std::max<std::size_t>(1, width / kNarrowest);
  const std::size_t columns =
      std::min(most, (all.size() + rows - 1) / std::max<std::size_t>(1, rows));
  const std::size_t used = std::max<std::size_t>(1, columns);
  const std::size_t lines = (all.size() + used - 1) / used;
  const std::size_t wide = width / used;
  for (std::size_t r = 0; r < std::min(lines, rows); ++r) {
    std::string text;
    for (std::size_t c = 0; c < used && r + c * lines < all.size(); ++c)
      text += fmt::format("{:<{}}", all[r + c * lines].substr(0, wide - 1), wide);
    out.push_back({text, Style::kPlain});
  }
}

Lines live(const View& v) {
  Lines out;
  const std::string name = v.state < 0 ? "none" : fmt::format("{} {}", v.state, v.state_name);
  out.push_back({fmt::format("state     {}  attempt {}  {:.1f} s  settled {:.1f} s", name,
                             v.attempt + 1, v.time_in_state_s, v.settled_s),
                 Style::kPlain});
  const Vec3 p = v.position_m, s = v.velocity_m_s, e = v.error_m;
  out.push_back(
      {fmt::format("position  x {:+7.2f}  y {:+7.2f}  height {:+6.2f} m   yaw {:+6.1f} deg", p.x,
                   p.y, p.z, v.yaw_deg),
       v.state_valid ? Style::kPlain : Style::kBad});
  out.push_back(
      {fmt::format("error     x {:+7.2f}  y {:+7.2f}  height {:+6.2f} m   yaw {:+6.1f} deg", e.x,
                   e.y, e.z, v.yaw_error_deg),
       Style::kPlain});
  out.push_back(
      {fmt::format("velocity  x {:+7.2f}  y {:+7.2f}  up     {:+6.2f} m/s", s.x, s.y, s.z),
       Style::kPlain});
  out.push_back({fmt::format("ages      odometry {}{}", age(v.odometry_age_s),
                             v.state_valid ? "" : " (not valid: no control)"),
                 v.state_valid ? Style::kPlain : Style::kBad});
  if (v.flight_age_s || v.target_age_s || v.gripper_age_s) {
    out.push_back(
        {fmt::format("flight    {} ({}, {})   battery {}", v.flight.empty() ? "unknown" : v.flight,
                     v.has_control ? "obeys" : "does not obey", age(v.flight_age_s),
                     v.battery ? fmt::format("{:.0f} %", 100 * *v.battery) : "unknown"),
         Style::kPlain});
    out.push_back({fmt::format("gripper   {} ({})   target {} ({})",
                               v.gripper.empty() ? "unknown" : v.gripper, age(v.gripper_age_s),
                               v.target.empty() ? "none" : v.target, age(v.target_age_s)),
                   Style::kPlain});
  }
  for (const std::string& alarm : v.alarms) out.push_back({"alarm     " + alarm, Style::kBad});
  return out;
}

void help(Lines& out) {
  for (const char* line :
       {"0-9 a-e  one state alone, in closed loop, then hold",
        "f        arm if need be, and fly the mission from its start (free style)",
        "g, h     pause: hold here; resume: go on towards the goal",
        "i        cutoff: hold here, back to the start of the mission",
        "s        select a state; h then goes on from there",
        "x        abort: hold, climb, return, land, as the mission says",
        "m        arm or disarm; after a fault, reset the latch", "j        this page, and back",
        "q        quit; in the air it asks, and comes down first",
        "Ctrl-Z   stop the program; fg goes on",
        "What is dangerous is asked first: y is yes, anything else is no."})
    out.push_back({line, Style::kPlain});
}

}  // namespace

std::size_t lines_of(const std::string& text, std::size_t width) {
  if (width == 0) return SIZE_MAX;
  return std::max<std::size_t>(1, (text.size() + width - 1) / width);
}

Lines render(const std::string& title, const View& v, const Menu& menu, std::size_t width,
             std::size_t height) {
  Lines out;
  if (width == 0 || height == 0) return out;
  const std::string commander = v.commander.empty() ? "" : ", commanded by " + v.commander;
  const auto stands = [&](const std::string& owner) {
    return fmt::format("{}  {}{}{}  t {:.1f} s", v.arm, v.phase, owner, commander, v.time_s);
  };
  std::string right = stands(v.owner.empty() ? "" : ", flown by " + v.owner);
  if (title.size() + right.size() + 2 > width) right = stands("");
  std::string head = title;
  if (head.size() + right.size() + 2 <= width)
    head += std::string(width - head.size() - right.size(), ' ');
  else
    head += "  ";
  out.push_back({head + right, v.latched ? Style::kBad : Style::kTitle});

  const Lines numbers = live(v);
  const std::size_t body = height > 2 ? height - 2 : 0;
  if (menu.help()) {
    help(out);
  } else {
    // the numbers keep their lines; three lines for events where the menu leaves them
    const std::size_t rest = body > numbers.size() ? body - numbers.size() : 0;
    const std::vector<std::string> all = entries(v, menu);
    // where two columns have room, what is left of the height is for events
    const std::size_t most = width >= 80 ? (all.size() + 1) / 2 : all.size();
    lay_out(all, width, std::min(most, rest > 14 ? rest - 3 : rest), out);
  }
  out.insert(out.end(), numbers.begin(), numbers.end());
  if (out.size() + 1 < height) {
    const std::size_t room = height - 1 - out.size();
    const std::size_t from = v.events.size() > room ? v.events.size() - room : 0;
    for (std::size_t i = from; i < v.events.size(); ++i)
      out.push_back({v.events[i], Style::kFaint});
  }
  // an answer is there as a whole, over what else the screen shows; a question, or not at all
  const bool whole = lines_of(menu.line(), width) <= height;
  const std::string last = menu.asking() && !whole ? "enlarge the window" : menu.line();
  const Style style = menu.asking() ? Style::kQuestion : Style::kGood;
  const std::size_t lines = whole ? lines_of(last, width) : std::size_t{1};
  out.resize(height - lines);
  for (std::size_t i = 0; i < lines; ++i)
    out.push_back({last.substr(std::min(last.size(), i * width), width), style});
  for (ScreenLine& line : out) {
    if (line.text.size() > width) line.text.resize(width);
    // names come from files: none of them commands the terminal
    for (char& c : line.text)
      if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

}  // namespace pintle::console
