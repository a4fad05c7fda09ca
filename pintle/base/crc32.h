/// CRC-32 as zlib, PNG, MCAP and VRCSR use it: polynomial 0x04C11DB7 reflected, start and end
/// inverted.
///
/// By carry-less products where the processor has them (Gopal et al., "Fast CRC Computation for
/// Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009), else eight bytes at a time by
/// tables (Kounavis and Berry, "A Systematic Approach to Building High
/// Performance Software-Based CRC Generators", 2005).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace pintle {

/// Carries on from `crc`, the value of what came before: crc32(b, crc32(a)) is that of a then b.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0) noexcept;

}  // namespace pintle
