#include "pintle/estimation/excitation.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/geometry.h"

namespace pintle::estimation {
namespace {

constexpr double kRise_s = 0.15;
constexpr float kStays_s = 0.5F;
constexpr int kLevels = 2;           // of a pattern, either way
constexpr double kBetter = 0.3;      // of the effort, that another level must be better
constexpr double kLasts_s = 2;       // after a suspicion
constexpr double kInPattern = 0.2;   // part of a propulsor that its pattern can help
constexpr double kFree = 0.02;       // what is left of a unit effort that is no wrench
constexpr double kDependent = 1e-9;  // of a row, beside those before it

using Shares = std::array<double, kMaxChannels>;

double dot_of(const Shares& a, const Shares& b, std::size_t n) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// The least that a propulsor of the pattern is asked for, with `more` of it.
double least(const Shares& x, const Shares& v, std::size_t n, double more) noexcept {
  double out = 1e9;
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(v[i]) >= kInPattern) out = std::min(out, std::abs(x[i] + more * v[i]));
  return out;
}

/// Gives each pattern the level with which its least used propulsor is used most.
void choose(const ExcitationParams& p, const Freedom& f, const Shares& asked, double dt,
            ExcitationState& s) noexcept {
  const double step = p.effort / kLevels;
  Shares x = asked;
  for (std::size_t k = 0; k < f.patterns; ++k)
    for (std::size_t i = 0; i < f.n; ++i) x[i] += step * s.level[k] * f.v[k][i];
  for (std::size_t k = 0; k < f.patterns; ++k) {
    s.stays_s[k] = std::max(s.stays_s[k] - static_cast<float>(dt), 0.0F);
    if (s.stays_s[k] > 0) continue;
    double best = least(x, f.v[k], f.n, 0) + kBetter * p.effort;
    int change = 0;
    for (int to = -kLevels; to <= kLevels; ++to) {
      const double used = least(x, f.v[k], f.n, step * (to - s.level[k]));
      if (!(used > best)) continue;
      best = used;
      change = to - s.level[k];
    }
    if (change == 0) continue;
    s.level[k] = static_cast<std::int8_t>(s.level[k] + change);
    s.stays_s[k] = kStays_s;
    for (std::size_t i = 0; i < f.n; ++i) x[i] += step * change * f.v[k][i];
  }
}

}  // namespace

Freedom freedom_of(const BodyModel& body) noexcept {
  Freedom f;
  f.n = body.n;
  // N = 1 - B^+ B, by an orthonormal basis of the rows of B
  std::array<Shares, kMaxChannels> N{};
  for (std::size_t i = 0; i < f.n; ++i) N[i][i] = 1;
  std::array<Shares, 6> basis{};
  std::size_t rank = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    Shares row{};
    for (std::size_t i = 0; i < f.n; ++i) row[i] = body.column_N[i][k] * body.largest[i];
    const double whole = std::sqrt(dot_of(row, row, f.n));
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t j = 0; j < rank; ++j) {
        const double share = dot_of(row, basis[j], f.n);
        for (std::size_t i = 0; i < f.n; ++i) row[i] -= share * basis[j][i];
      }
    const double left = std::sqrt(dot_of(row, row, f.n));
    if (!(left > kDependent * whole)) continue;
    for (std::size_t i = 0; i < f.n; ++i) row[i] /= left;
    for (std::size_t i = 0; i < f.n; ++i)
      for (std::size_t j = 0; j < f.n; ++j) N[i][j] -= row[i] * row[j];
    basis[rank++] = row;
  }
  // the freest propulsor's row is a pattern; what is left has nothing of it
  while (f.patterns < kPatterns) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < f.n; ++i)
      if (N[i][i] > N[at][at]) at = i;
    if (f.n == 0 || !(N[at][at] > kFree)) break;
    const Shares row = N[at];
    Shares& v = f.v[f.patterns++];
    double most = 0;
    for (std::size_t i = 0; i < f.n; ++i) most = std::max(most, std::abs(row[i]));
    for (std::size_t i = 0; i < f.n; ++i) v[i] = row[i] / most;
    for (std::size_t i = 0; i < f.n; ++i)
      for (std::size_t j = 0; j < f.n; ++j) N[i][j] -= row[i] * row[j] / row[at];
  }
  if (f.patterns == 0) f.n = 0;
  return f;
}

void excite(const ExcitationParams& p, const Freedom& f, const BodyModel& body,
            const ChannelVector& sent, bool wanted, bool suspicious, double dt_s,
            ExcitationState& s) noexcept {
  if (sent.size() < f.n) return;
  const double dt = dt_s > 0 ? std::min(dt_s, 10.0) : 0;
  const bool begins = s.left_s <= 0;
  s.left_s = wanted ? kLasts_s : std::max(0.0, s.left_s - dt);
  Shares to{};
  if (s.left_s > 0) {
    Shares asked;
    for (std::size_t i = 0; i < f.n; ++i)
      asked[i] = body.largest[i] > 0 ? sent[i] / body.largest[i] - s.e[i] : 0;
    // a level that changes makes all of it unclear for a while
    if (!suspicious || begins) choose(p, f, asked, dt, s);
    double most = 0;
    for (std::size_t i = 0; i < f.n; ++i) {
      for (std::size_t k = 0; k < f.patterns; ++k)
        to[i] += p.effort / kLevels * s.level[k] * f.v[k][i];
      most = std::max(most, std::abs(to[i]));
    }
    if (most > p.effort)
      for (std::size_t i = 0; i < f.n; ++i) to[i] *= p.effort / most;
  } else {
    s.level = {};
    s.stays_s = {};
  }
  double gap = 0;
  for (std::size_t i = 0; i < f.n; ++i) gap = std::max(gap, std::abs(to[i] - s.e[i]));
  const double reach = p.effort * dt / kRise_s;
  const double share = gap > reach ? reach / gap : 1;
  for (std::size_t i = 0; i < f.n; ++i) s.e[i] += share * (to[i] - s.e[i]);
}

}  // namespace pintle::estimation

namespace pintle {

using namespace estimation;

template <>
const EnumTable& enum_table<ExciteWhen>() {
  static constexpr std::array values{
      enum_value(ExciteWhen::kSuspicious, "suspicious",
                 "While a propulsor gives what a healthy one would not, and two seconds after."),
      enum_value(ExciteWhen::kAlways, "always", "As long as none is found.")};
  static constexpr EnumTable table{"ExciteWhen", values};
  return table;
}

template <>
const Table& table_of<ExcitationParams>() {
  using P = ExcitationParams;
  static const Table table =
      TableBuilder<P>("ExcitationParams",
                      "Efforts that cancel each other, so that no propulsor is used too little to "
                      "be judged.")
          .field("effort", &P::effort, "",
                 "The most that is added, as a share of a propulsor's largest effort; 0: none.")
          .range(0, 0.5)
          .field("when", &P::when, "", "When it is added.")
          .build();
  return table;
}

}  // namespace pintle
