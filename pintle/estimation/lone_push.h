/// Which way a propulsor really pushes, from the motion that it alone has made.
///
///   q = M (nu_after - nu_before),   p_j = b_j * impulse        M: rigid body and added mass
///
/// q is held against what each propulsor's column would have made, both scaled by the square root of
/// the mass of each axis, so that metres and radians weigh by their energy: cos(q, p_j) says which one
/// it is and which way, |q| / |p_j| how much of it. Not modelled: drag and restoring moments during the
/// push; a push should last half a second, and pushes both ways cancel what acts all the time.
#pragma once
#include <cstdint>
#include <span>

#include "pintle/base/fields.h"
#include "pintle/base/signals.h"
#include "pintle/estimation/model_error.h"

namespace pintle::estimation {

/// What a push has shown, by measurement or by somebody's eyes.
enum class PushVerdict : std::uint8_t {
  kUnclear,   ///< The motion is nobody's: something else pushed, too.
  kGood,      ///< As its column says.
  kReversed,  ///< The other way.
  kDead,      ///< It did not push.
  kLike,      ///< As another one would have, `like`.
};

struct PushFinding {
  PushVerdict verdict = PushVerdict::kUnclear;
  std::int32_t like = -1;  ///< Whose motion it was, of kLike.
  bool reversed = false;   ///< Of kLike: and the other way.
  double share = 0;        ///< Of the motion that its column says, along it.
};

/// `change` of the twist of the body origin (body coordinates) by `impulse` = integral of its effort,
/// effort units times s.
[[nodiscard]] PushFinding judge_push(const BodyModel& body, std::size_t propulsor,
                                     const Vec6& change, double impulse) noexcept;

/// What is to be changed so that each propulsor is where the file has it.
struct Miswiring {
  enum class Kind : std::uint8_t { kReversed, kSwapped, kDead };
  Kind kind = Kind::kReversed;
  std::int32_t propulsor = -1, other = -1;  ///< `other` of a swapped pair, the higher number.
  /// Of a swapped pair, by its number in the file: what hangs at its place pushes the other way.
  bool reversed = false, other_reversed = false;
};

inline constexpr std::size_t kMostMiswirings = kMaxPropulsors;

/// One finding for each propulsor. A pair is swapped when each was seen as the other; one alone that
/// looks like another is unclear and in no miswiring.
[[nodiscard]] FixedVector<Miswiring, kMostMiswirings> conclude(
    std::span<const PushFinding> findings) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::PushVerdict>();
template <>
const EnumTable& enum_table<estimation::Miswiring::Kind>();
}  // namespace pintle
