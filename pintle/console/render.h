/// The screen of the console as lines of text: exactly `height` lines, none longer than `width`.
#pragma once
#include <string>
#include <vector>

#include "pintle/console/menu.h"

namespace pintle::console {

struct ScreenLine {
  enum class Style : unsigned char { kPlain, kTitle, kGood, kBad, kFaint, kQuestion };
  std::string text;
  Style style = Style::kPlain;
};

/// Lines of this width that a text takes.
[[nodiscard]] std::size_t lines_of(const std::string& text, std::size_t width);

/// What does not fit is left out from the least important: events, then the menu's states that
/// are not on. Question or answer are always there, at the bottom, in as many lines as they
/// need; where there are not as many, an answer is cut, and a question is not shown.
[[nodiscard]] std::vector<ScreenLine> render(const std::string& title, const View& view,
                                             const Menu& menu, std::size_t width,
                                             std::size_t height);

}  // namespace pintle::console
