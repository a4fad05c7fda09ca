#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pintle/telemetry/report_plots.h"

namespace pintle::telemetry {
namespace {

/// Small triangles along a path that point where it goes.
std::string arrows(const Plot& plot, const std::vector<double>& x, const std::vector<double>& y) {
  struct Step {
    double x, y, dx, dy;
  };
  std::vector<Step> steps;
  double length = 0, last_x = kNaN, last_y = kNaN;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    const double a = plot.px(x[i]), b = plot.py(y[i]);
    const double step = std::hypot(a - last_x, b - last_y);
    // a direction needs a few pixels to be one
    if (step < 7) continue;
    if (step >= 7) {
      steps.push_back({a, b, a - last_x, b - last_y});
      length += step;
    }
    last_x = a;
    last_y = b;
  }

  const double every = std::max(80.0, length / 60);
  double travelled = every / 2;
  std::string out;
  for (const Step& s : steps) {
    travelled += std::hypot(s.dx, s.dy);
    if (travelled < every) continue;
    travelled = 0;
    out += fmt::format(
        "<path class=\"arrow\" d=\"M6 0L-4 4.5L-4 -4.5Z\" transform=\"translate({:.1f} {:.1f}) "
        "rotate({:.0f})\"/>",
        s.x, s.y, std::atan2(s.dy, s.dx) * kDegrees);
  }
  return out;
}

struct Corner {
  double x, y;
};

/// Outline in plan, of where it was last.
std::vector<Corner> outline(const ReportThing& thing) {
  std::vector<Corner> out;
  if (thing.path.empty()) return out;
  const Vec3 p = thing.path.back().p;
  const int corners = thing.is_round ? 48 : 4;
  for (int i = 0; i < corners; ++i) {
    const double a = (i + 0.5) * 2 * std::numbers::pi / corners;
    const double scale = thing.is_round ? 0.5 : 0.5 * std::numbers::sqrt2;
    const double x = scale * thing.width_m * std::cos(a), y = scale * thing.depth_m * std::sin(a);
    out.push_back({p.x + x * std::cos(thing.yaw_rad) - y * std::sin(thing.yaw_rad),
                   p.y + x * std::sin(thing.yaw_rad) + y * std::cos(thing.yaw_rad)});
  }
  return out;
}

/// What stands about, below the path; the smaller, the later.
void draw_things(Plot& plot, const ReportView& view) {
  std::vector<const ReportThing*> order;
  for (const ReportThing& thing : view.data.things) order.push_back(&thing);
  std::stable_sort(order.begin(), order.end(), [](const ReportThing* a, const ReportThing* b) {
    return a->width_m * a->depth_m > b->width_m * b->depth_m;
  });
  for (const ReportThing* thing : order) {
    std::string points;
    for (const Corner& c : outline(*thing))
      points += fmt::format("{:.1f},{:.1f} ", plot.px(c.x), plot.py(c.y));
    const std::string fill =
        thing->colour.empty() ? "" : fmt::format(" fill=\"{}\"", escape_html(thing->colour));
    plot.raw(fmt::format("<polygon class=\"thing{}\"{} points=\"{}\"><title>{}</title></polygon>",
                         fill.empty() ? " plain" : "", fill, points, escape_html(thing->name)));
  }
}

/// Ways of what was carried, and where it was let go.
void draw_carried(Plot& plot, const ReportView& view) {
  for (const ReportThing& thing : view.data.things) {
    std::vector<double> x, y;
    for (const ReportThing::At& at : thing.path) {
      x.push_back(at.is_held ? at.p.x : kNaN);
      y.push_back(at.is_held ? at.p.y : kNaN);
    }
    plot.curve(x, y, "carried");
    for (std::size_t i = 1; i < thing.path.size(); ++i) {
      if (!thing.path[i - 1].is_held || thing.path[i].is_held) continue;
      const Vec3 p = thing.path[i - 1].p;
      plot.raw(
          fmt::format("<path class=\"dropped\" d=\"M{:.1f} {:.1f}l12 12M{:.1f} {:.1f}l12 -12\"/>",
                      plot.px(p.x) - 6, plot.py(p.y) - 6, plot.px(p.x) - 6, plot.py(p.y) + 6));
    }
  }
}

/// Names beside the things, above what is drawn.
void name_things(Plot& plot, const ReportView& view) {
  for (const ReportThing& thing : view.data.things) {
    double top = 1e9, right = -1e9, bottom = -1e9;
    for (const Corner& c : outline(thing)) {
      top = std::min(top, plot.py(c.y));
      bottom = std::max(bottom, plot.py(c.y));
      right = std::max(right, plot.px(c.x));
    }
    if (!(right > -1e9)) continue;
    const Vec3 p = thing.path.back().p;
    // what moves about lies on what stands: its name is beside it
    if (thing.path.size() > 1)
      plot.label(right + 6, plot.py(p.y) + 4, thing.name, "thing-name");
    else
      plot.label(plot.px(p.x), thing.is_round ? top - 5 : bottom + 13, thing.name, "thing-name",
                 "middle");
  }
}

std::string plan(const ReportView& view) {
  const auto x = view.column([](const ReportSample& s) { return s.p_WB.x; });
  const auto y = view.column([](const ReportSample& s) { return s.p_WB.y; });
  const auto both = [](const ReportSample& s) { return s.position_mode[0] && s.position_mode[1]; };
  const auto want_x =
      view.column([&](const ReportSample& s) { return both(s) ? s.wanted[0] : kNaN; });
  const auto want_y =
      view.column([&](const ReportSample& s) { return both(s) ? s.wanted[1] : kNaN; });
  const bool is_wanted =
      std::any_of(want_x.begin(), want_x.end(), [](double v) { return std::isfinite(v); });

  PlotRange rx = range_of(x), ry = range_of(y);
  if (is_wanted) {
    rx = join(rx, range_of(want_x));
    ry = join(ry, range_of(want_y));
  }
  for (const ReportThing& thing : view.data.things)
    for (const Corner& c : outline(thing)) {
      rx = join(rx, {c.x, c.x});
      ry = join(ry, {c.y, c.y});
    }
  rx = with_air(rx, 1);
  ry = with_air(ry, 1);
  // the same scale along both axes
  const Plot::Frame frame{
      .width = 560, .height = 452, .left = 52, .right = 14, .top = 26, .bottom = 40};
  const double w = frame.width - frame.left - frame.right;
  const double h = frame.height - frame.top - frame.bottom;
  const double scale = std::max((rx.high - rx.low) / w, (ry.high - ry.low) / h);
  const auto widen = [](PlotRange r, double span) {
    const double more = (span - (r.high - r.low)) / 2;
    return PlotRange{r.low - more, r.high + more};
  };
  Plot plot(frame, widen(rx, scale * w), widen(ry, scale * h));
  plot.y_axis(TickKind::kDecimal, 7);
  plot.x_axis(TickKind::kDecimal, 8);
  plot.label(frame.left + w / 2, frame.height - 6, "x (east), m", "tick", "middle");
  draw_things(plot, view);
  draw_carried(plot, view);
  plot.curve(want_x, want_y, "want");
  plot.curve(x, y, "is");
  plot.raw(arrows(plot, x, y));

  // marks of both ends, drawn where the values are
  std::size_t first = x.size(), last = x.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    if (first == x.size()) first = i;
    last = i;
  }
  if (first < x.size()) {
    plot.raw(fmt::format("<circle class=\"start\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>",
                         plot.px(x[first]), plot.py(y[first])));
    plot.raw(fmt::format("<rect class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\"/>",
                         plot.px(x[last]) - 4.5, plot.py(y[last]) - 4.5));
  }
  name_things(plot, view);
  return plot.svg("Plan: y (north) over x (east), m", "path in plan view", false);
}

/// Stretches of the states, every other one shaded, with their numbers in the table.
void shade_states(Plot& plot, const ReportView& view) {
  constexpr double kDigits_px = 13;
  const std::vector<ReportBand>& states = view.data.states;
  if (states.size() > 60) return;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const ReportBand& s = states[i];
    const bool is_bad = !s.outcome.empty() && s.outcome != "succeeded";
    if (is_bad || i % 2 == 0)
      plot.band(s.from_s, s.to_s, is_bad ? "state-bad" : "state", s.name + ", " + s.outcome);
    const double from = plot.px(std::max(s.from_s, view.time.low));
    const double to = plot.px(std::min(s.to_s, view.time.high));
    if (to - from >= kDigits_px)
      plot.label(0.5 * (from + to), 35, std::to_string(i + 1), "tick", "middle");
  }
}

/// Heights of what was carried, from when it was taken.
void draw_heights(Plot& plot, const ReportView& view) {
  for (const ReportThing& thing : view.data.things) {
    std::vector<double> t, z;
    bool is_taken = false;
    for (const ReportThing::At& at : thing.path) {
      is_taken = is_taken || at.is_held;
      if (!is_taken) continue;
      t.push_back(at.t_s);
      z.push_back(at.p.z);
    }
    plot.line(t, z, "thing-line");
  }
}

bool anything_carried(const ReportView& view) {
  return std::any_of(view.data.things.begin(), view.data.things.end(),
                     [](const ReportThing& thing) {
                       return std::any_of(thing.path.begin(), thing.path.end(),
                                          [](const ReportThing::At& at) { return at.is_held; });
                     });
}

}  // namespace

std::string trajectory_section(const ReportView& view) {
  const auto z = view.column([](const ReportSample& s) { return s.p_WB.z; });
  const auto want_z =
      view.column([](const ReportSample& s) { return s.position_mode[2] ? s.wanted[2] : kNaN; });
  const bool is_wanted =
      std::any_of(want_z.begin(), want_z.end(), [](double v) { return std::isfinite(v); });
  PlotRange y = range_of(z);
  if (is_wanted) y = join(y, range_of(want_z));
  const bool carries = anything_carried(view);
  for (const ReportThing& thing : view.data.things)
    for (const ReportThing::At& at : thing.path)
      if (carries && std::isfinite(at.p.z)) y = join(y, {at.p.z, at.p.z});
  y = with_air(y, 0.2);
  // room for the numbers of the states
  if (!view.data.states.empty()) y.high += 0.1 * (y.high - y.low);
  Plot height({.height = 222}, view.time, y);
  shade_states(height, view);
  height.y_axis(TickKind::kDecimal, 6);
  height.x_axis(TickKind::kSeconds, 8);
  mark_time(height, view);
  draw_heights(height, view);
  height.line(view.t, want_z, "want");
  height.line(view.t, z, "is");

  const auto off = view.column(distance_off);
  Plot distance({.height = 222}, view.time, with_air(join(range_of(off), {0, 0}), 0.1));
  distance.y_axis(TickKind::kDecimal, 6);
  distance.x_axis(TickKind::kSeconds, 8);
  mark_time(distance, view);
  distance.line(view.t, off, "is");

  return section(
      "trajectory", "Trajectory",
      swatch("want", "wanted") + swatch("is", "travelled") + swatch("start", "start") +
          swatch("end", "end") + swatch("arrow", "direction") +
          (carries ? swatch("carried", "carried (its height dashed)") + swatch("dropped", "let go")
                   : "") +
          (view.data.states.empty() ? "" : swatch("state", "states, by their numbers")),
      "",
      "<div class=\"grid two\">\n" + plan(view) + "<div>\n" +
          height.svg("Height: z (up) over time, m", "height over time", true) +
          distance.svg("Distance from the wanted position, followed axes, m",
                       "distance from the wanted position over time", true) +
          "</div>\n</div>\n");
}

}  // namespace pintle::telemetry
