#include "pintle/telemetry/report_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pintle::telemetry {
namespace {

constexpr double kTiny = 1e-12;

/// A coordinate with a tenth of a pixel.
std::string coordinate(double v) {
  const double tenths = std::abs(v) * 10;
  if (tenths < 1e7) {
    const auto n = static_cast<std::uint32_t>(tenths + 0.5);
    // a report has tens of thousands of these; only near a tie do all digits of v matter
    if (std::abs(tenths - n) < 0.5 - 1e-6) {
      std::array<char, 16> text;
      char* p = text.data();
      if (v < 0 && n > 0) *p++ = '-';
      p = std::to_chars(p, text.data() + text.size(), n / 10).ptr;
      if (n % 10 > 0) {
        *p++ = '.';
        *p++ = static_cast<char>('0' + n % 10);
      }
      return {text.data(), p};
    }
  }
  std::string s = fmt::format("{:.1f}", v);
  if (s.size() > 2 && s.ends_with(".0")) s.resize(s.size() - 2);
  return s == "-0" ? "0" : s;
}

/// Path data that joins points and drops those in the middle of a straight horizontal run.
class Path {
 public:
  void add(double x, double y) {
    const Point p{coordinate(x), coordinate(y)};
    if (n_ >= 2 && last_.y == p.y && before_.y == p.y) {
      last_ = p;
      return;
    }
    if (n_ >= 2) put(before_);
    before_ = last_;
    last_ = p;
    ++n_;
    if (n_ == 1) before_ = p;
  }
  /// Ends the present line; the next point begins a new one.
  void lift() {
    if (n_ >= 2) put(before_);
    if (n_ >= 1) put(last_);
    // a point alone is drawn by its round cap
    if (n_ == 1) put(last_);
    n_ = written_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return n_ == 0; }
  [[nodiscard]] const std::string& data() const noexcept { return data_; }
  void close() { data_ += 'Z'; }

 private:
  struct Point {
    std::string x, y;
  };
  void put(const Point& p) {
    data_ += written_ == 0 ? 'M' : written_ == 1 ? 'L' : ' ';
    data_ += p.x + (p.y.starts_with('-') ? "" : " ") + p.y;
    ++written_;
  }
  Point before_, last_;
  std::size_t n_ = 0, written_ = 0;
  std::string data_;
};

/// Points of one pixel column, of which the extremes stay.
struct Column {
  double x = 0;
  double low = 0, high = 0;
  bool low_first = true, any = false;
  void add(double y) noexcept {
    if (!any) {
      low = high = y;
      any = true;
    } else if (y < low) {
      low = y;
      low_first = false;
    } else if (y > high) {
      high = y;
      low_first = true;
    }
  }
  template <class Put>
  void drain(const Put& put) {
    if (!any) return;
    put(x, low_first ? low : high);
    if (high > low) put(x, low_first ? high : low);
    any = false;
  }
};

/// Calls `put` with thinned points in pixels and `gap` where the line is broken: by what is not a
/// number for a pixel or more, by an infinity always, but only once a column.
template <class Put, class Gap>
void thin(const Plot& plot, std::span<const double> x, std::span<const double> y, const Put& put,
          const Gap& gap) {
  Column column;
  bool is_broken = false;
  double broken_at = -1;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (std::isinf(y[i]) && column.any && column.x != broken_at) {
      broken_at = column.x;
      column.drain(put);
      gap();
    }
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      is_broken = true;
      continue;
    }
    const double at = std::floor(plot.px(x[i]));
    if (column.any && at != column.x) {
      column.drain(put);
      if (is_broken && std::abs(at - column.x) > 1) gap();
    }
    is_broken = false;
    column.x = at;
    column.add(plot.py(y[i]));
  }
  column.drain(put);
  gap();
}

double tick_step(double span, int about, TickKind kind) {
  const double rough = span / std::max(1, about);
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  static constexpr std::array kDegreeSteps{0.1, 0.2, 0.5, 1.,  2.,  5.,
                                           10., 15., 30., 45., 90., 180.};
  static constexpr std::array kTimeSteps{0.1, 0.2,  0.5,  1.,   2.,   5.,    10.,   15.,   30.,
                                         60., 120., 300., 600., 900., 1800., 3600., 7200., 14400.};
  const auto first_above = [&](const auto& steps) -> double {
    for (const double s : steps)
      if (s >= rough) return s;
    return 0;
  };
  if (rough >= 0.1) {
    double s = kind == TickKind::kDegrees   ? first_above(kDegreeSteps)
               : kind == TickKind::kSeconds ? first_above(kTimeSteps)
                                            : 0;
    if (s > 0) return s;
  }
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double m = rough / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

}  // namespace

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return number_text(value);
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-4) return fmt::format("{:.{}g}", value, digits);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string s = fmt::format("{:.{}f}", value, std::max(0, digits - before));
  if (s.find('.') != std::string::npos) {
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
  }
  return s == "-0" ? "0" : s;
}

std::string time_label(double t_s, bool in_minutes) {
  if (!std::isfinite(t_s)) return number_text(t_s);
  if (!in_minutes || std::abs(t_s) > 1e12) return fmt::format("{:.2f} s", t_s);
  // tenths first, so that 59.97 does not become :60
  const auto tenths = static_cast<long long>(std::llround(std::abs(t_s) * 10));
  return fmt::format("{}{}:{:02}.{}", t_s < 0 ? "-" : "", tenths / 600, tenths / 10 % 60,
                     tenths % 10);
}

PlotRange range_of(std::span<const double> values) {
  PlotRange r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    r.low = std::min(r.low, v);
    r.high = std::max(r.high, v);
  }
  return r.low <= r.high ? r : PlotRange{0, 0};
}

PlotRange join(PlotRange a, PlotRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

PlotRange with_air(PlotRange r, double least_span) {
  // beyond this, differences overflow
  constexpr double kLimit = 1e300;
  r.low = std::clamp(r.low, -kLimit, kLimit);
  r.high = std::clamp(r.high, -kLimit, kLimit);
  const double missing =
      std::max(least_span, kTiny * (std::abs(r.low) + std::abs(r.high))) - (r.high - r.low);
  if (missing > 0) {
    r.low -= missing / 2;
    r.high += missing / 2;
  }
  const double air = 0.06 * (r.high - r.low);
  return {r.low - air, r.high + air};
}

std::vector<double> round_ticks(PlotRange r, int about, TickKind kind) {
  std::vector<double> ticks;
  const double step = tick_step(r.high - r.low, about, kind);
  const double first = std::ceil(r.low / step - 1e-9);
  for (int i = 0; i < 100; ++i) {
    const double v = (first + i) * step;
    if (!(v <= r.high + 1e-9 * step)) break;
    ticks.push_back(std::abs(v) < 1e-9 * step ? 0 : v);
  }
  return ticks;
}

Plot::Plot(Frame frame, PlotRange x, PlotRange y) : frame_(frame), x_(x), y_(y) {
  if (!(x_.high > x_.low)) x_.high = x_.low + 1;
  if (!(y_.high > y_.low)) y_.high = y_.low + 1;
}

double Plot::px(double x) const noexcept {
  const double f = std::clamp((x - x_.low) / (x_.high - x_.low), -1.0, 2.0);
  return frame_.left + f * (frame_.width - frame_.left - frame_.right);
}

double Plot::py(double y) const noexcept {
  const double f = std::clamp((y - y_.low) / (y_.high - y_.low), -1.0, 2.0);
  return frame_.height - frame_.bottom - f * (frame_.height - frame_.top - frame_.bottom);
}

void Plot::y_axis(TickKind kind, int about) {
  for (const double v : round_ticks(y_, about, kind)) {
    const std::string y = coordinate(py(v));
    body_ += fmt::format("<path class=\"grid\" d=\"M{} {}H{}\"/>", coordinate(frame_.left), y,
                         coordinate(frame_.width - frame_.right));
    label(frame_.left - 6, py(v) + 3.5, short_number(v), "tick", "end");
  }
  if (y_.low < 0 && y_.high > 0) horizontal(0, "zero");
}

void Plot::x_axis(TickKind kind, int about, bool labelled) {
  const double bottom = frame_.height - frame_.bottom;
  const bool clock = kind == TickKind::kSeconds && x_.high >= 180;
  // the first label carries the unit
  const auto tick_text = [&](double v, bool is_first) {
    if (!clock) return short_number(v, 4) + (is_first && kind == TickKind::kSeconds ? " s" : "");
    const auto s = static_cast<long long>(std::llround(v));
    return fmt::format("{}:{:02}{}", s / 60, std::abs(s % 60), is_first ? " min" : "");
  };
  bool is_first = true;
  for (const double v : round_ticks(x_, about, kind)) {
    body_ += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", coordinate(px(v)),
                         coordinate(frame_.top), coordinate(bottom));
    if (!labelled) continue;
    label(px(v), bottom + 14, tick_text(v, is_first), "tick", "middle");
    is_first = false;
  }
  body_ += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>", coordinate(frame_.left),
                       coordinate(frame_.top), coordinate(bottom),
                       coordinate(frame_.width - frame_.right));
}

void Plot::band(double from, double to, std::string_view style, std::string_view title) {
  if (std::isnan(from) || std::isnan(to)) return;
  const double a = px(std::max(from, x_.low)), b = px(std::min(to, x_.high));
  if (!(b >= a)) return;
  body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", style,
                       coordinate(a), coordinate(frame_.top), coordinate(std::max(b - a, 1.0)),
                       coordinate(frame_.height - frame_.top - frame_.bottom));
  body_ += title.empty() ? std::string("/>")
                         : fmt::format("><title>{}</title></rect>", escape_html(title));
}

void Plot::vertical(double x, std::string_view style) {
  if (!(x >= x_.low && x <= x_.high)) return;
  body_ += fmt::format("<path class=\"{}\" d=\"M{} {}V{}\"/>", style, coordinate(px(x)),
                       coordinate(frame_.top), coordinate(frame_.height - frame_.bottom));
}

void Plot::horizontal(double y, std::string_view style) {
  if (!(y >= y_.low && y <= y_.high)) return;
  body_ += fmt::format("<path class=\"{}\" d=\"M{} {}H{}\"/>", style, coordinate(frame_.left),
                       coordinate(py(y)), coordinate(frame_.width - frame_.right));
}

void Plot::line(std::span<const double> x, std::span<const double> y, std::string_view style) {
  Path path;
  thin(
      *this, x, y, [&](double a, double b) { path.add(a, b); }, [&] { path.lift(); });
  if (!path.data().empty())
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path.data());
}

void Plot::area(std::span<const double> x, std::span<const double> y, std::string_view style) {
  Path path;
  const double base = py(std::clamp(0.0, y_.low, y_.high));
  double last = 0;
  thin(
      *this, x, y,
      [&](double a, double b) {
        if (path.empty()) path.add(a, base);
        path.add(a, b);
        last = a;
      },
      [&] {
        if (path.empty()) return;
        path.add(last, base);
        path.lift();
        path.close();
      });
  if (!path.data().empty())
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path.data());
}

void Plot::curve(std::span<const double> x, std::span<const double> y, std::string_view style) {
  // the least movement that is drawn grows until the curve is small enough for a page
  constexpr std::size_t kMostPoints = 4000;
  Path path;
  std::size_t points = 0;
  double least = 0.7;
  for (int tries = 0; tries < 8; ++tries, least *= 2) {
    path = {};
    points = 0;
    double last_x = 0, last_y = 0;
    bool is_broken = false;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
        is_broken = true;
        continue;
      }
      const double a = px(x[i]), b = py(y[i]);
      const bool moved = std::abs(a - last_x) + std::abs(b - last_y) >= least;
      if (is_broken && moved) path.lift();
      is_broken = false;
      if (!path.empty() && !moved && i + 1 < x.size()) continue;
      path.add(a, b);
      ++points;
      last_x = a;
      last_y = b;
    }
    path.lift();
    if (points <= kMostPoints) break;
  }
  if (!path.data().empty())
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path.data());
}

void Plot::label(double at_px, double at_py, std::string_view text, std::string_view style,
                 std::string_view anchor) {
  body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", style,
                       coordinate(at_px), coordinate(at_py), anchor, escape_html(text));
}

std::string Plot::svg(std::string_view title, std::string_view description, bool over_time) const {
  const std::string scale =
      over_time ? fmt::format(" data-t0=\"{}\" data-t1=\"{}\" data-x0=\"{}\" data-x1=\"{}\"",
                              number_text(x_.low), number_text(x_.high), coordinate(frame_.left),
                              coordinate(frame_.width - frame_.right))
                : std::string();
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"{}>",
                                coordinate(frame_.width), coordinate(frame_.height),
                                escape_html(description), scale);
  if (!title.empty())
    out += fmt::format("<text class=\"name\" x=\"{}\" y=\"15\">{}</text>",
                       coordinate(std::min(frame_.left, 52.0)), escape_html(title));
  return out + body_ + "</svg>\n";
}

}  // namespace pintle::telemetry
