/// Pictures: eight bits a channel, rows from top to bottom, channels side by side.
///
/// One channel is grey; three are red, green, blue, in this order everywhere (libraries that want
/// another order get it at their border). The middle of the first pixel is at (0, 0), u to the
/// right, v downwards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pintle {

/// A point of a picture, px.
struct Pixel {
  double u = 0, v = 0;

  friend constexpr bool operator==(const Pixel&, const Pixel&) = default;
  friend constexpr Pixel operator+(Pixel a, Pixel b) noexcept { return {a.u + b.u, a.v + b.v}; }
  friend constexpr Pixel operator-(Pixel a, Pixel b) noexcept { return {a.u - b.u, a.v - b.v}; }
  friend constexpr Pixel operator*(double s, Pixel a) noexcept { return {s * a.u, s * a.v}; }
};

/// Somebody else's pixels.
struct ImageView {
  const std::uint8_t* data = nullptr;
  int width = 0, height = 0;
  int channels = 3;        ///< 1 or 3.
  std::size_t stride = 0;  ///< Bytes from row to row.

  [[nodiscard]] const std::uint8_t* row(int v) const noexcept {
    return data + static_cast<std::size_t>(v) * stride;
  }
};

struct Image {
  int width = 0, height = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels;

  /// Keeps its memory when it has enough.
  void resize(int new_width, int new_height, int new_channels) {
    width = new_width;
    height = new_height;
    channels = new_channels;
    pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                  static_cast<std::size_t>(channels));
  }
  [[nodiscard]] std::size_t stride() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }
  [[nodiscard]] ImageView view() const noexcept {
    return {pixels.data(), width, height, channels, stride()};
  }
};

}  // namespace pintle
