/// The live page: one HTML file with everything in it.
#pragma once
#include <string_view>

namespace pintle::foxglove {

[[nodiscard]] std::string_view page() noexcept;

}  // namespace pintle::foxglove
