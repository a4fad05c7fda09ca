#include "pintle/estimation/lone_push.h"

#include <array>
#include <cmath>

namespace pintle::estimation {
namespace {

/// Less of the expected motion counts as none. Drag and lag take half of it and more.
constexpr double kLeastShare = 0.15;
/// A motion that fits its own column less than this is not simply its own …
constexpr double kFits = 0.8;
/// … and another's when that fits better by so much.
constexpr double kClearer = 0.1;

}  // namespace

PushFinding judge_push(const BodyModel& body, std::size_t propulsor, const Vec6& change,
                       double impulse) noexcept {
  PushFinding out;
  if (propulsor >= body.n || !(std::abs(impulse) > 0)) return out;
  Vec6 q, scale;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const double m = body.mass[7 * i];
    scale[i] = m > 0 ? 1 / std::sqrt(m) : 0;
    for (std::size_t j = 0; j < kAxes; ++j) q[i] += body.mass[6 * i + j] * change[j];
    q[i] *= scale[i];
  }
  const auto expected = [&](std::size_t j) {
    Vec6 p;
    for (std::size_t i = 0; i < kAxes; ++i) p[i] = scale[i] * body.column_N[j][i] * impulse;
    return p;
  };
  const auto fit = [&](const Vec6& p) {
    const double n = std::sqrt(dot(q, q) * dot(p, p));
    return n > 0 ? dot(q, p) / n : 0;
  };
  const Vec6 own = expected(propulsor);
  const double length = std::sqrt(dot(own, own));
  if (!(length > 0) || !std::isfinite(dot(q, q))) return out;
  out.share = dot(q, own) / (length * length);
  if (std::sqrt(dot(q, q)) < kLeastShare * length) {
    out.verdict = PushVerdict::kDead;
    return out;
  }
  const double mine = fit(own);
  double best = std::abs(mine);
  std::size_t like = propulsor;
  for (std::size_t j = 0; j < body.n; ++j) {
    const double f = std::abs(fit(expected(j)));
    if (j != propulsor && f > best && f > std::abs(mine) + kClearer) {
      best = f;
      like = j;
    }
  }
  if (best < kFits) return out;
  if (like == propulsor) {
    out.verdict = mine > 0 ? PushVerdict::kGood : PushVerdict::kReversed;
    return out;
  }
  out.verdict = PushVerdict::kLike;
  out.like = static_cast<std::int32_t>(like);
  out.reversed = fit(expected(like)) < 0;
  return out;
}

FixedVector<Miswiring, kMostMiswirings> conclude(std::span<const PushFinding> findings) noexcept {
  FixedVector<Miswiring, kMostMiswirings> all;
  for (std::size_t i = 0; i < findings.size() && !all.full(); ++i) {
    const PushFinding& f = findings[i];
    Miswiring m;
    m.propulsor = static_cast<std::int32_t>(i);
    if (f.verdict == PushVerdict::kReversed || f.verdict == PushVerdict::kDead) {
      m.kind =
          f.verdict == PushVerdict::kDead ? Miswiring::Kind::kDead : Miswiring::Kind::kReversed;
      all.push_back(m);
    } else if (f.verdict == PushVerdict::kLike && f.like > m.propulsor &&
               static_cast<std::size_t>(f.like) < findings.size()) {
      const PushFinding& other = findings[static_cast<std::size_t>(f.like)];
      if (other.verdict != PushVerdict::kLike || other.like != m.propulsor) continue;
      m.kind = Miswiring::Kind::kSwapped;
      m.other = f.like;
      // what this one moves hangs at the other's place
      m.other_reversed = f.reversed;
      m.reversed = other.reversed;
      all.push_back(m);
    }
  }
  return all;
}

}  // namespace pintle::estimation

namespace pintle {

template <>
const EnumTable& enum_table<estimation::PushVerdict>() {
  using V = estimation::PushVerdict;
  static constexpr std::array values{
      enum_value(V::kUnclear, "unclear", "Something else pushed, too."),
      enum_value(V::kGood, "good", "As the file says."),
      enum_value(V::kReversed, "reversed", "The other way."),
      enum_value(V::kDead, "dead", "It did not push."),
      enum_value(V::kLike, "like", "As another one would have.")};
  static constexpr EnumTable table{"PushVerdict", values};
  return table;
}

template <>
const EnumTable& enum_table<estimation::Miswiring::Kind>() {
  using K = estimation::Miswiring::Kind;
  static constexpr std::array values{
      enum_value(K::kReversed, "reversed", "It pushes the other way."),
      enum_value(K::kSwapped, "swapped", "Two are at each other's place."),
      enum_value(K::kDead, "dead", "It does not push.")};
  static constexpr EnumTable table{"Miswiring", values};
  return table;
}

}  // namespace pintle
