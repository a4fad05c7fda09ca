/// JSON that a stranger has sent; `Json` is nlohmann's, which headers do not name.
#pragma once
#include <string_view>

namespace pintle::foxglove {

/// Discarded where it is none, or is nested deeper than any message: copies of that, and texts of it, would need a
/// stack without end.
template <class Json>
Json json_of(std::string_view text) {
  bool is_deep = false;
  Json json = Json::parse(
      text.begin(), text.end(),
      [&is_deep](int depth, typename Json::parse_event_t, const Json&) {
        is_deep = is_deep || depth > 32;
        return !is_deep;
      },
      false);
  return is_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace pintle::foxglove
