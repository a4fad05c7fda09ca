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

/// What does not fit is left out from the least important: events, then the menu's states that
/// are not on. The bottom line is always there; a question takes as many as it needs.
[[nodiscard]] std::vector<ScreenLine> render(const std::string& title, const View& view,
                                             const Menu& menu, std::size_t width,
                                             std::size_t height);

}  // namespace pintle::console
