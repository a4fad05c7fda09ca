/// Sets of demands cut out by planes, and whether anything is left of them. Not for the tick.
/// Internal to this room.
///
/// Demands with a number s beside them, (b, s): b / s is a demand, s = 0 a direction to infinity.
/// What is affine in the demand is linear here, so that a cone inside the box |b| <= 1, 0 <= s <= 1
/// stands for demands of any size.
///
/// A dictionary of the simplex method: each row is a slack that must not be negative, in terms of
/// seven of them that are zero. A new row is made good by dual pivots (none lowers what holds).
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pintle::allocation {

inline constexpr std::size_t kConeAxes = 7;  ///< Six of the demand, and s.

/// sum_k form[k] z[k]
using Form = std::array<double, kConeAxes>;

Form operator*(double f, Form a);
Form operator+(Form a, const Form& b);
Form operator-(const Form& a, const Form& b);
[[nodiscard]] double magnitude_of(const Form& a);

/// Where a form is zero, by the number of its plane: negative for the form of the other sign, 0 for
/// a form that is zero everywhere.
using Plane = std::int32_t;

/// How far apart the forms of one plane may be, anywhere in the box.
inline constexpr double kSamePlane = 1e-8;

/// Planes that forms vanish on, each once: neighbouring held sets share the one between them.
class Planes {
 public:
  explicit Planes(double tolerance) : tolerance_(tolerance) {}

  [[nodiscard]] Plane of(Form form);
  /// Its form, the largest number in which is one.
  [[nodiscard]] const Form& operator[](Plane positive) const {
    return forms_[static_cast<std::size_t>(positive)];
  }
  [[nodiscard]] std::size_t size() const { return forms_.size(); }

 private:
  double tolerance_;
  std::vector<Form> forms_{{}};
  std::unordered_multimap<std::uint64_t, Plane> near_;
};

class DemandCone {
 public:
  /// All demands; `empty`: axes of which nothing is asked for, one bit each.
  explicit DemandCone(unsigned empty);
  DemandCone() = default;

  /// Where `form` is above 0, and the rest. Both are left: this one keeps the first, `rest` is the
  /// other. What is nearer than the margin to the plane is in neither. `form`: as in Planes.
  enum class Side : std::int8_t { kBelow = -1, kBoth = 0, kAbove = 1 };
  [[nodiscard]] Side split(const Form& form, DemandCone& rest);

  /// Only what of it has `form` above 0, by the margin; false where nothing is left.
  [[nodiscard]] bool keep(const Form& form);

  /// Some demand of it, s last.
  [[nodiscard]] Form witness() const;

  [[nodiscard]] std::size_t planes() const { return rows_.size(); }
  [[nodiscard]] static long programmes();  ///< Solved by this thread.

 private:
  using Row = std::array<double, kConeAxes + 1>;  // constant last
  [[nodiscard]] Row in_terms_of_slacks(const Form& form) const;
  void pivot(std::size_t row, std::size_t column);
  bool make_good();
  void drop_implied();

  std::size_t axes_ = 0;
  std::array<std::uint8_t, kConeAxes> axis_{};     // of z, those that are used
  std::array<Row, kConeAxes> z_{};                 // each of them in terms of slacks
  std::array<std::int32_t, kConeAxes> at_zero_{};  // which rows they are
  std::vector<Row> rows_;
};

}  // namespace pintle::allocation
