/// Plain vectors, matrices and quaternions.
///
/// Trivially copyable and of standard layout, so that a state that holds them can be copied as
/// bytes, logged as fields and compared bit for bit (Eigen's types cannot). Rooms that need linear
/// algebra map them onto Eigen inside their .cpp files. Every sum has one fixed order.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

namespace pintle {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double& operator[](std::size_t i) noexcept { return i == 0 ? x : i == 1 ? y : z; }
  constexpr double operator[](std::size_t i) const noexcept { return i == 0 ? x : i == 1 ? y : z; }

  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend constexpr Vec3 operator-(Vec3 a) noexcept { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(double s, Vec3 a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, double s) noexcept { return s * a; }
  friend constexpr Vec3 operator/(Vec3 a, double s) noexcept { return {a.x / s, a.y / s, a.z / s}; }
  constexpr Vec3& operator+=(Vec3 b) noexcept { return *this = *this + b; }
  constexpr Vec3& operator-=(Vec3 b) noexcept { return *this = *this - b; }
};

[[nodiscard]] constexpr double dot(Vec3 a, Vec3 b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] constexpr Vec3 cross(Vec3 a, Vec3 b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double norm(Vec3 a) noexcept { return std::sqrt(dot(a, a)); }
[[nodiscard]] constexpr double square(double x) noexcept { return x * x; }
[[nodiscard]] inline bool is_finite(Vec3 a) noexcept {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Six numbers in axis order x, y, z, roll, pitch, yaw (see axis.h).
struct Vec6 {
  std::array<double, 6> v{};

  constexpr double& operator[](std::size_t i) noexcept { return v[i]; }
  constexpr double operator[](std::size_t i) const noexcept { return v[i]; }
  friend constexpr bool operator==(const Vec6&, const Vec6&) = default;
  friend constexpr Vec6 operator+(const Vec6& a, const Vec6& b) noexcept {
    Vec6 r;
    for (std::size_t i = 0; i < 6; ++i) r[i] = a[i] + b[i];
    return r;
  }
  friend constexpr Vec6 operator-(const Vec6& a, const Vec6& b) noexcept {
    Vec6 r;
    for (std::size_t i = 0; i < 6; ++i) r[i] = a[i] - b[i];
    return r;
  }
  friend constexpr Vec6 operator*(double s, const Vec6& a) noexcept {
    Vec6 r;
    for (std::size_t i = 0; i < 6; ++i) r[i] = s * a[i];
    return r;
  }
};

[[nodiscard]] constexpr double dot(const Vec6& a, const Vec6& b) noexcept {
  double s = 0;
  for (std::size_t i = 0; i < 6; ++i) s += a[i] * b[i];
  return s;
}
[[nodiscard]] inline double norm(const Vec6& a) noexcept { return std::sqrt(dot(a, a)); }
[[nodiscard]] inline bool is_finite(const Vec6& a) noexcept {
  for (double x : a.v)
    if (!std::isfinite(x)) return false;
  return true;
}

/// 3x3 matrix, row by row; zero unless something else is said.
struct Mat3 {
  std::array<double, 9> m{};

  [[nodiscard]] static constexpr Mat3 identity() noexcept { return {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
  [[nodiscard]] static constexpr Mat3 diagonal(Vec3 d) noexcept {
    return {{d.x, 0, 0, 0, d.y, 0, 0, 0, d.z}};
  }
  constexpr double& operator()(std::size_t r, std::size_t c) noexcept { return m[3 * r + c]; }
  constexpr double operator()(std::size_t r, std::size_t c) const noexcept { return m[3 * r + c]; }
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
  friend constexpr Vec3 operator*(const Mat3& a, Vec3 b) noexcept {
    return {a.m[0] * b.x + a.m[1] * b.y + a.m[2] * b.z, a.m[3] * b.x + a.m[4] * b.y + a.m[5] * b.z,
            a.m[6] * b.x + a.m[7] * b.y + a.m[8] * b.z};
  }
  friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) noexcept {
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        r(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
    return r;
  }
};

[[nodiscard]] constexpr Mat3 transpose(const Mat3& a) noexcept {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}

/// The matrix of a cross product: skew(a) * b == cross(a, b).
[[nodiscard]] constexpr Mat3 skew(Vec3 a) noexcept {
  return {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
}

}  // namespace pintle
