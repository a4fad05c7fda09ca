/// JSON that a stranger has sent; `Json` is nlohmann's, which headers do not name.
#pragma once
#include <string_view>

namespace pintle::config {

/// Deeper than any message: copies of what is nested without end, and texts of it, would need a stack without end.
inline constexpr int kDeepestJson = 32;

/// Discarded where it is none, or is nested deeper than that.
template <class Json>
Json json_of(std::string_view text) {
  bool is_deep = false;
  Json json = Json::parse(
      text.begin(), text.end(),
      [&is_deep](int depth, typename Json::parse_event_t, const Json&) {
        is_deep = is_deep || depth > kDeepestJson;
        return !is_deep;
      },
      false);
  return is_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace pintle::config
