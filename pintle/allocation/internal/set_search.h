/// The last proved set of up to eight channels, and those a few exchanges away. Internal to this
/// room.
///
/// For a demand near the last one the kept map (loaded_map.h) is six products. One that moves
/// channels over their bounds exchanges those, and the set found is proved in the numbers of the
/// problem: by the step that Newton's method would still make, and by gradients that are clear of
/// rounding. Whatever is close, or loses digits, goes to the solver. A new problem begins so too,
/// with the map of nothing held (make_free, run_from_free).
#pragma once
#include <algorithm>
#include <bit>

#include "pintle/allocation/internal/loaded_map.h"

namespace pintle::allocation {

// of a diagonal: with a pivot below it the products of the case without bounds are looked at
inline constexpr double kFreeIsWeak = 0.1;
// of the largest bound: a set whose products are further from the optimum is made anew
inline constexpr double kDrift = 1e-13;
// of the largest bound: a held channel that would be this little outwards if it were free is not
// wrong
inline constexpr double kTied = 1e-14;
// of what may enter it: a gradient above has its sign
inline constexpr double kClearGradient = 1e-12;
// of what enters it: what is less is nothing to the solver too
inline constexpr double kNoGradient = kLeft;
// sets tried for one demand beside the first
inline constexpr int kMostSets = 5;
// more wrong at once are far: a new problem is solved faster
inline constexpr int kMostWrong = 5;
// demands for which a set that was too close to call is left to the matrices
inline constexpr int kRest = 16;

namespace PINTLE_LEVEL {

// zero for channels without width
PINTLE_INLINE SixLanes kept_rows(const Prepared& p, std::size_t at) noexcept {
  SixLanes row;
  for (std::size_t k = 0; k < kAxes; ++k) row[k] = load(&p.row[k][at]);
  return row;
}

class SetSearch {
 public:
  explicit SetSearch(Prepared& prepared) noexcept
      : p_(prepared),
        box_(prepared.scaled.box),
        kept_(prepared.map),
        fixed_(~static_cast<unsigned>(prepared.scaled_wide) & 0xFFU) {
    lower_ = load(box_.lower.data());
    upper_ = load(box_.upper.data());
  }

  /// The case without bounds, and what stays while columns and widths do; false where it cannot be
  /// used.
  bool make_free() noexcept {
    const SixLanes row = kept_rows(p_, 0);
    store(sizes_of(row), kept_.length.data());
    store(combined(row, row), kept_.length2.data());
    kept_.lost = 0;
    const unsigned free = ~fixed_ & 0xFFU;
    Definite g;
    gram_of_eight(row, row, g.row);
    clear_rounding(g.row);
    if (!g.factor<true, true>() || (g.lost != 0 && !find_lost(g, g.lost, row))) return false;
    const auto invert = [&](double r) { return map_.invert(row, filled(g.row), r, free); };
    p_.free_map.ready =
        g.lost == 0 && box_.r == 0
            ? map_.take(g, row, 0, free)
            : (g.lost == 0 || invert(0)) && ((!turn_lost(row) && box_.r == 0) || invert(box_.r));
    if (p_.free_map.ready) map_.write(p_.free_map, box_.r);
    // what is not turned is filled for no set
    kept_.lost = p_.free_map.ready ? kept_.lost : 0;
    p_.free_weak = g.lost != 0 || g.weaker_than(kFreeIsWeak);
    return p_.free_map.ready;
  }

  /// The optimum for the demand from prepared.set.held.
  bool run_from_held() noexcept {
    keep_reach();
    kept_.tried = false;
    const HeldBits held = read_eight(p_.set.held.data());
    up_ = held.upper & ~fixed_;
    const unsigned free = ~(held.lower | held.upper | fixed_) & 0xFFU;
    if (!make_for(free)) return false;
    kept_.tried = !start();
    return !kept_.tried;
  }

  /// What of the box enters.
  void refresh() noexcept {
    map_.read(kept_, box_.r);
    up_ = kept_.up;
    store(map_.of_bounds(bounds(), box_), kept_.constant.data());
    keep_reach();
  }

  /// The optimum for the demand, with the kept set or one that is a few exchanges away.
  bool run() noexcept {
    if (!keeps_digits()) return leave();
    up_ = kept_.up;
    map_.free = kept_.free;
    map_.spanned = kept_.spanned;
    const auto part = [&](std::size_t a)
                          PINTLE_EACH { return box_.b[a] * load(kept_.gain[a].data()); };
    y_ = ((part(0) + part(1)) + (part(2) + part(3))) +
         ((part(4) + part(5)) + load(kept_.constant.data()));
    through_ = most_through(box_) * load(kept_.length.data());
    p_.solution.iterations = 1;
    unsigned wrong = judge();
    if (wrong == 0) return finish();
    map_.read(kept_, box_.r);
    if (wrong > 0xFF && decide(wrong)) return finish();
    return wrong != 0 ? search(wrong) && finish() : leave();
  }

  /// The same from the set without held channels, whose map is ready.
  bool run_from_free() noexcept {
    keep_reach();
    map_.read(p_.free_map, box_.r);
    return start();
  }

 private:
  // finds the directions that the columns do not give, to be filled. False where only their squares say so, or
  // where they were taken out and left their rounding
  PINTLE_SELDOM bool find_lost(const Definite& g, unsigned missing, const SixLanes& row) noexcept {
    if (p_.traces) return false;
    Lost lost;
    const Lanes nothing = kRankTolerance * load(kept_.length.data());
    for (; missing != 0; missing &= missing - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(missing));
      const Lanes& d = lost.add(pad(g.direction_of(j).v.data()));
      if (bits_of(magnitude(combined(d, row)) <= nothing) != 0xFF) return false;
      store(d, kept_.direction[lost.count - 1].data());
    }
    kept_.fill = greatest_of(pad(g.diagonal.data()));
    kept_.lost = lost.count;
    return true;
  }

  // takes out of the lost directions what the columns still give of them, by the map without trade:
  // it would count as much as they are weak beside it. False where that is nothing
  bool turn_lost(const SixLanes& row) noexcept {
    bool some = false;
    for (std::size_t s = 0; s < kept_.lost; ++s) {
      const Lanes d = load(kept_.direction[s].data()), given = combined(numbers_of(d), row);
      some |= bits_of(magnitude(given) <= kLeft * load(kept_.length.data())) != 0xFF;
      store(d - pad(six_sums(times_each(given, map_.gain)).v.data()), kept_.direction[s].data());
    }
    return some;
  }

  [[nodiscard]] SixLanes filled(SixLanes gram) const noexcept {
    for (std::size_t s = 0; s < kept_.lost; ++s)
      add_outer(gram, kept_.fill, load(kept_.direction[s].data()));
    return gram;
  }

  [[nodiscard]] bool spans(unsigned free) const noexcept {
    return static_cast<std::size_t>(std::popcount(free)) + kept_.lost >= kAxes;
  }

  bool make_for(unsigned free) noexcept {
    followed_ = kept_.of_columns && !kept_.spanned && !spans(free) &&
                std::popcount(kept_.free ^ free) <= std::popcount(free);
    if (followed_) {
      map_.read(kept_, box_.r);
      return move_to(free);
    }
    // with those without width, which move others by what they are held at
    if (!spans(free))
      return map_.sweep_in(rows_of(box_.column.data(), (1U << box_.n) - 1), box_.r, free,
                           load(kept_.length2.data()));
    const SixLanes row = kept_rows(p_, 0);
    return map_.invert(row, filled(gram_of_free(row, free)), box_.r, free);
  }

  // who breaks a condition, and in the next eight bits who of them may do so by rounding alone
  unsigned judge() const noexcept {
    const unsigned held = ~map_.free, inside = bits_of((lower_ <= y_) & (y_ <= upper_)) & map_.free;
    unsigned clear = 0, close = 0;
    if (map_.spanned) {
      const Lanes outwards = select(lanes_of(up_), y_ - upper_, lower_ - y_);
      clear = bits_of(all_lanes(-kTied) <= outwards) & held;
    } else {
      const Lanes outwards = select(lanes_of(up_), all_lanes(0) - y_, y_);
      const Lanes level = kClearGradient * through_;
      clear = bits_of(level < outwards) & held;
      close = bits_of(magnitude(outwards) <= level) & held & ~fixed_;
    }
    const unsigned wrong = ~(inside | clear | fixed_) & 0xFFU;
    return wrong != 0 ? wrong | close << 8 : 0;
  }

  // whether nobody does after all: where what of a column lies outside the free ones has no gradient
  // the least effort decides as r vanishes, and the sweeps say what the channel would take over from
  // the free ones. Nobody, too, but false, where it is too close to call
  PINTLE_SELDOM bool decide(unsigned& wrong) const noexcept {
    const unsigned close = wrong >> 8;
    const SixLanes row = kept_rows(p_, 0);
    SixLanes outside = row;
    Lanes first = all_lanes(0), size = first, effort = first;
    for (unsigned bits = map_.free; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      effort += y_[i] * map_.k[i];
      for (std::size_t a = 0; a < kAxes; ++a) outside[a] -= row[a][i] * map_.k[i];
    }
    const Lanes x = select(lanes_of(map_.free), y_, bounds());
    Vec6 missing;
    store_six(pad(box_.b.v.data()) - map_.wrench_of(x, box_), missing.v.data());
    for (std::size_t a = 0; a < kAxes; ++a) {
      const double through = std::abs(box_.b[a]) + sum_of(magnitude(x * row[a]));
      first += missing[a] * outside[a];
      size += through * magnitude(outside[a]) + std::abs(missing[a]) * magnitude(row[a]);
    }
    const Lanes beyond = select(lanes_of(up_), effort - upper_, lower_ - effort);
    const bool known = box_.r == 0 && (bits_of(kNoGradient * size < magnitude(first)) & close) == 0;
    wrong = known ? 0xFF & wrong & ~(bits_of(all_lanes(-kTied) <= beyond) & close) : 0;
    return known && wrong == 0;
  }

  bool holds(unsigned& wrong) noexcept {
    y_ = map_.of_bounds(bounds(), box_) + combined(box_.b, map_.gain);
    wrong = judge();
    return wrong == 0 || (wrong > 0xFF && decide(wrong));
  }

  bool start() noexcept {
    through_ = most_through(box_) * load(kept_.length.data());
    p_.solution.iterations = 1;
    unsigned wrong = 0;
    if (holds(wrong)) return is_proved() && finish();
    return wrong != 0 ? search(wrong) && finish() : leave();
  }

  // all wrong channels change at once while that makes them fewer, then the last
  bool search(unsigned wrong) noexcept {
    if (std::popcount(wrong) > kMostWrong) return false;
    Fewer fewer{0};
    const int cap = iteration_cap(p_.settings, box_.n);
    for (int set = 0; set < kMostSets && p_.solution.iterations < cap; ++set) {
      ++p_.solution.iterations;
      if (!fewer.go_on(std::popcount(wrong))) wrong = std::bit_floor(wrong);
      const unsigned above = bits_of(y_ > upper_) & wrong & map_.free;
      up_ = (up_ & ~wrong) | above;
      if (!move_to(map_.free ^ wrong)) return false;
      if (holds(wrong)) return is_proved();
      if (wrong == 0) return false;
    }
    return false;
  }

  bool move_to(unsigned free) noexcept {
    if (spans(free) != map_.spanned) return make_for(free);
    const Lanes length2 = load(kept_.length2.data());
    const unsigned moves = map_.free ^ free;
    // few at a time of columns that stand apart, many of those that span
    const unsigned first = moves & (map_.spanned ? free : ~free);
    for (unsigned some : {first, moves & ~first})
      for (; some != 0; some &= some - 1)
        if (!map_.exchange(static_cast<unsigned>(std::countr_zero(some)), box_, length2))
          return false;
    return true;
  }

  // 0 for the free ones and behind the last
  [[nodiscard]] Lanes bounds() const noexcept {
    const unsigned held = ((1U << box_.n) - 1) & ~map_.free;
    return select(lanes_of(held), select(lanes_of(up_), upper_, lower_), all_lanes(0));
  }

  // all free: that is for others to answer
  bool is_proved() noexcept {
    // a map that has just been made is looked at, too
    return (map_.free | fixed_) != 0xFFU && is_exact() && keep() && (keeps_digits() || leave());
  }

  // whether one more step of Newton's would move next to nothing
  [[nodiscard]] bool is_exact() const noexcept {
    const Lanes bound = bounds(), x = select(lanes_of(map_.free), y_, bound);
    const Lanes step = map_.step(x, bound, box_, kept_rows(p_, 0));
    return (bits_of(magnitude(step) <= all_lanes(kDrift)) & map_.free) == map_.free;
  }

  // keeps the set if its free columns stand apart
  bool keep() noexcept {
    if (!map_.apart(load(kept_.length2.data()))) return false;
    const LaneMask is_free = lanes_of(map_.free);
    map_.write(kept_, box_.r);
    for (std::size_t a = 0; a < kAxes; ++a)
      kept_.most[a] = greatest_of(select(is_free, magnitude(map_.gain[a]), all_lanes(0)));
    kept_.up = up_;
    kept_.ready = kept_.of_columns = true;
    store(map_.of_bounds(bounds(), box_), kept_.constant.data());
    write_eight({0xFFU & ~(map_.free | up_ | fixed_), up_, fixed_}, p_.set.held.data());
    p_.set.ready = p_.set_due = false;
    return true;
  }

  [[nodiscard]] bool keeps_digits() const noexcept {
    const Lanes summed =
        pad(kept_.most.v.data()) * (magnitude(pad(box_.b.v.data())) + pad(kept_.reach.v.data()));
    return sum_of(summed) <= kMostSummed;
  }

  // the most that the channels move along each axis
  void keep_reach() noexcept {
    const Lanes most = greater_of(magnitude(lower_), magnitude(upper_));
    Lanes reach = all_lanes(0);
    for (std::size_t i = 0; i < box_.n; ++i)
      reach += most[i] * magnitude(pad(box_.column[i].v.data()));
    store_six(reach, kept_.reach.v.data());
  }

  bool finish() noexcept {
    BoxSolution& s = p_.solution;
    store(select(lanes_of(map_.free), y_, bounds()), s.x.data());
    std::copy_n(p_.set.held.begin(), kLanes, s.held.begin());
    s.converged = true;
    s.loses_digits = false;
    return true;
  }

  bool leave() noexcept {
    kept_.rest = kRest;
    return false;
  }

  Prepared& p_;
  const BoxProblem& box_;
  SetMap& kept_;
  const unsigned fixed_;  ///< Without width, or not there.
  unsigned up_ = 0;
  bool followed_ = false;  ///< The map is that of the last set but for exchanges.
  LoadedMap map_;
  Lanes lower_, upper_, y_, through_;
};

namespace {

bool make_map(Prepared& p) noexcept { return p.map.ready = SetSearch(p).run_from_held(); }

void refresh_map(Prepared& p) noexcept { SetSearch(p).refresh(); }

// what is kept stays where it fails
PINTLE_SELDOM bool follow_map(Prepared& p) noexcept {
  const bool proved = SetSearch(p).run();
  p.map.tried = !proved;
  return proved;
}

bool repeat_map(Prepared& p) noexcept { return p.map.ready = !p.map.tried && follow_map(p); }

bool leave_free(Prepared& p) noexcept { return p.map.ready = SetSearch(p).run_from_free(); }

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
