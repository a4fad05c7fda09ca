#pragma once
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

#include "pintle/config/text.h"

namespace pintle::app {

/// What fits 64 bits and has no sign: the parser itself takes -1 for the largest, and so what is longer.
inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [last, wrong] = std::from_chars(text.data(), end, number);
        if (wrong == std::errc() && last == end) return {};
        return "expected a whole number from 0 to 18446744073709551615, got " +
               config::in_quotes(text);
      },
      "");
}

}  // namespace pintle::app
