/// Plots as SVG text: scales, ticks, and lines thinned to what a screen can show.
///
/// Values that are not finite leave a gap. A line keeps the least and the greatest value of every
/// pixel column, so that no peak is lost however long the run.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/telemetry/encoding.h"

namespace pintle::telemetry {

struct PlotRange {
  double low = 0, high = 1;
};

/// About `digits` significant digits, no exponent where that stays short: "0.0123", "1540", "-3".
[[nodiscard]] std::string short_number(double value, int digits = 3);
/// "12.34 s", or "0:12.3" with `in_minutes`.
[[nodiscard]] std::string time_label(double t_s, bool in_minutes);

/// Least and greatest finite value; `{0, 0}` when there is none.
[[nodiscard]] PlotRange range_of(std::span<const double> values);
[[nodiscard]] PlotRange join(PlotRange a, PlotRange b);
/// Wide enough to be read (at least `least_span`), with a little air at both ends.
[[nodiscard]] PlotRange with_air(PlotRange r, double least_span);

enum class TickKind { kDecimal, kDegrees, kSeconds };
/// Round values inside the range, about `about` of them.
[[nodiscard]] std::vector<double> round_ticks(PlotRange r, int about, TickKind kind);

/// One panel: a frame with axes, and what is drawn in it. Classes are those of the page's style.
class Plot {
 public:
  struct Frame {
    double width = 560, height = 190;
    double left = 52, right = 10, top = 24, bottom = 22;
  };
  Plot(Frame frame, PlotRange x, PlotRange y);

  [[nodiscard]] double px(double x) const noexcept;
  [[nodiscard]] double py(double y) const noexcept;

  void y_axis(TickKind kind, int about);
  /// Ticks along the bottom; `labelled` with their values.
  void x_axis(TickKind kind, int about, bool labelled = true);
  /// A stretch of x over the whole height; `title` shows on hovering.
  void band(double from, double to, std::string_view style, std::string_view title = {});
  void vertical(double x, std::string_view style);
  void horizontal(double y, std::string_view style);
  void line(std::span<const double> x, std::span<const double> y, std::string_view style);
  /// The area between a line and y = 0.
  void area(std::span<const double> x, std::span<const double> y, std::string_view style);
  /// A curve in the plane, drawn point by point where it has moved by a pixel.
  void curve(std::span<const double> x, std::span<const double> y, std::string_view style);
  void raw(std::string_view svg) { body_ += svg; }
  /// `anchor`: start, middle or end.
  void label(double at_px, double at_py, std::string_view text, std::string_view style,
             std::string_view anchor = "start");

  /// The panel with its title; `description` is for those who cannot see it. Panels over time
  /// carry their scale for the cursor.
  [[nodiscard]] std::string svg(std::string_view title, std::string_view description,
                                bool over_time) const;

 private:
  Frame frame_;
  PlotRange x_, y_;
  std::string body_;
};

}  // namespace pintle::telemetry
