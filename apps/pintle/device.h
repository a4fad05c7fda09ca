/// `pintle device m5 …`: what stands on a serial line, and what is said there.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pintle/device/m5_registers.h"
#include "verbs.h"

namespace pintle::app {

/// Bytes of hexadecimal digits, blanks between them allowed. @throws CsvError.
[[nodiscard]] std::vector<std::uint8_t> from_hex(std::string_view text, const std::string& where);
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);

/// What is in `bytes`, one object per frame or piece of garbage, in the columns of
/// docs/reference-cli.md.
[[nodiscard]] std::vector<nlohmann::ordered_json> decode_m5(std::span<const std::uint8_t> bytes,
                                                            device::M5Firmware firmware);

int device_m5_decode(const std::string& input, device::M5Firmware firmware);
int device_m5_send(const std::string& input, device::M5Firmware firmware);

}  // namespace pintle::app
