#include "pintle/simulation/landing_story.h"

#include <fmt/format.h>

#include <algorithm>

#include "pintle/flight/event_words.h"

namespace pintle::simulation {
namespace {

using mission::ApproachPhase;
using mission::SightingFate;

/// Sightings that are left out for one reason and come within this belong together.
constexpr double kTogether_s = 2;

std::string words_of(SightingFate fate) {
  return std::string(enum_table<SightingFate>().values[static_cast<std::size_t>(fate)].meaning);
}

bool is_by_sight(const mission::StateSpec& s) {
  return s.search.pattern != mission::SearchPattern::kNone ||
         s.servo.target != mission::TargetChoice::kNone;
}

const char* name_of(std::size_t kind) { return kind == 0 ? "marker" : "pad"; }
std::size_t kind_of(mission::TargetChoice c) { return c == mission::TargetChoice::kPad ? 1 : 0; }

std::string clock(double t_s) { return fmt::format("{:.1f} s", t_s); }

std::string plural(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

void LandingStory::tell(double t_s, std::string what, std::string why) {
  rows_.push_back({clock(t_s), std::move(what), std::move(why)});
}

const mission::StateSpec* LandingStory::state(std::int32_t number) const {
  const auto& all = mission_.mission.states;
  const auto at = static_cast<std::size_t>(number);
  return number >= 0 && at < all.size() ? &all[at] : nullptr;
}

void LandingStory::inputs(const Inputs& in) {
  seen_.clear();
  for (const TargetSighting& s : in.targets) seen_.push_back(s.kind);
}

void LandingStory::outputs(const Outputs& out) {
  const double t_s = out.now.seconds();
  for (std::size_t k = 0; k < 2; ++k)
    if (out.aircraft.target_found[k]) seen_at_s_[k] = t_s - out.aircraft.target_age_s[k];
  sightings(out);
  // what led to a phase before the phase
  for (const Event& e : out.events) event(out, e);
  approach(out);
  seen_.clear();
}

void LandingStory::sightings(const Outputs& out) {
  const double t_s = out.now.seconds();
  for (std::size_t i = 0; i < std::min(seen_.size(), out.aircraft.sightings.size()); ++i) {
    const SightingFate of_it = out.aircraft.sightings[i];
    const auto fate = static_cast<std::size_t>(of_it);
    const std::size_t kind = seen_[i] == TargetKind::kPad ? 1 : 0;
    if (fate >= kFates) continue;
    ++fates_[fate].count[kind];
    fates_[fate].last_s = t_s;
    if (!is_left_out(of_it) || !looked_) continue;
    LeftOut& run = left_out_[kind][fate];
    if (run.count == 0 || t_s - run.to_s > kTogether_s) {
      run = {0, t_s, t_s, rows_.size()};
      tell(t_s, "", words_of(of_it));
    }
    ++run.count;
    run.to_s = t_s;
    rows_[run.row][1] = plural(run.count, "sighting") + " of the " + name_of(kind) +
                        (run.count == 1 ? " left out" : " left out until " + clock(t_s));
  }
}

void LandingStory::event(const Outputs& out, const Event& e) {
  const double t_s = e.time.seconds();
  const auto kind = static_cast<std::size_t>(e.subject == 1);
  const std::string target = name_of(kind);
  switch (e.code) {
    case EventCode::kStateEntered: {
      const mission::StateSpec* s = state(e.subject);
      if (s == nullptr) return;
      if (s->search.pattern != mission::SearchPattern::kNone) {
        looked_ = true;
        tell(t_s, "looks for the " + std::string(name_of(kind_of(s->success.target.kind))),
             "state " + s->name);
      } else if (s->servo.target != mission::TargetChoice::kNone) {
        looked_ = true;
        tell(t_s, "goes over the " + std::string(name_of(kind_of(s->servo.target))),
             fmt::format("state {}, to {:.2f} m above it", s->name, s->servo.height_m));
      }
      return;
    }
    case EventCode::kStateTimedOut:
    case EventCode::kStateRetried:
      if (const mission::StateSpec* s = state(e.subject); s != nullptr && is_by_sight(*s))
        tell(t_s, e.code == EventCode::kStateTimedOut ? "has failed" : "tries once more",
             fmt::format("state {}: what it waits for did not come in time", s->name));
      return;
    case EventCode::kTargetFound:
      tell(t_s, "has found the " + target,
           fmt::format("{} pictures agree within {:.2f} m", mission_.mission.aircraft.sightings,
                       mission_.mission.aircraft.spread_m));
      return;
    case EventCode::kTargetLost:
      if (looked_)
        tell(t_s, "has forgotten where the " + target + " is",
             fmt::format("no agreeing sighting for {:.1f} s",
                         mission_.mission.aircraft.target_memory_s));
      return;
    case EventCode::kTargetSoughtAgain:
      if (const mission::StateSpec* s = state(out.mission.state)) {
        const std::string unseen = fmt::format(
            "the {} has not been seen for {:.1f} s, {:.2f} m above it", target,
            seen_at_s_[kind] < 0 ? 0.0 : t_s - seen_at_s_[kind], out.aircraft.approach_height_m);
        if (e.value > 0)
          tell(t_s,
               fmt::format("climbs {:.2f} m to see it again ({:.0f} of {})", s->servo.climb_m,
                           e.value, s->servo.attempts),
               unseen);
        else
          tell(t_s, "gives it up",
               unseen + fmt::format(", after {}", plural(static_cast<std::uint64_t>(
                                                             std::max(s->servo.attempts, 0)),
                                                         "climb")));
      }
      return;
    case EventCode::kRequestSent:
      if (static_cast<mission::Request>(e.subject) == mission::Request::kLand) {
        const bool has = out.aircraft.target_found[1];
        tell(t_s, has ? "is asked to land on the pad" : "is asked to land without the pad",
             has ? fmt::format(
                       "it was seen {:.1f} s before, one standard deviation of its place {:.3f} m",
                       out.aircraft.target_age_s[1], out.aircraft.target_sigma_m[1])
             : seen_at_s_[1] < 0
                 ? std::string("it was never found")
                 : fmt::format("it was seen last {:.1f} s before", t_s - seen_at_s_[1]));
      }
      return;
    case EventCode::kMissionAborted:
      if (const mission::StateSpec* s = state(e.subject))
        tell(t_s, "takes the abort path", "out of state " + s->name);
      return;
    default: return;
  }
}

void LandingStory::approach(const Outputs& out) {
  const AircraftStatus& a = out.aircraft;
  const ApproachPhase was = std::exchange(phase_, a.approach);
  const mission::StateSpec* s = state(out.mission.state);
  if (a.approach == was || s == nullptr) return;
  const double t_s = out.now.seconds();
  const std::string place =
      fmt::format("{:.2f} m above it, {:.2f} m aside", a.approach_height_m, a.approach_aside_m);
  switch (a.approach) {
    case ApproachPhase::kComes:
      tell(t_s, was == ApproachPhase::kClimbs ? "sees it again and comes down" : "comes down",
           fmt::format("{}; the cone is {:.2f} m wide there", place, a.approach_allowed_m));
      return;
    case ApproachPhase::kHolds:
      tell(t_s, "keeps its height and comes over it",
           fmt::format("{}; the cone is {:.2f} m wide there", place, a.approach_allowed_m));
      return;
    case ApproachPhase::kBlind:
      tell(t_s, "goes on without seeing it",
           fmt::format("{}; below {:.2f} m it need not be seen", place, s->servo.blind_below_m));
      return;
    // told by the event
    case ApproachPhase::kClimbs:
    case ApproachPhase::kGivenUp:
    case ApproachPhase::kNone: return;
  }
}

void LandingStory::put(telemetry::ReportData& data) {
  const bool any = std::any_of(fates_.begin(), fates_.end(),
                               [](const Fate& f) { return f.count[0] + f.count[1] > 0; });
  if (!any && !looked_) return;
  telemetry::ReportStory story;
  story.id = "landing";
  story.title = "Landing";
  story.note =
      "What was seen, what was made of it, and why the craft came down, climbed again or landed as "
      "it "
      "did. From the log's inputs and outputs.";
  telemetry::ReportTable fates{"Sightings", {"what became of them", "marker", "pad", "last"}, {}};
  for (std::size_t i = 0; i < kFates; ++i)
    if (const Fate& f = fates_[i]; f.count[0] + f.count[1] > 0)
      fates.rows.push_back({words_of(static_cast<SightingFate>(i)), std::to_string(f.count[0]),
                            std::to_string(f.count[1]), clock(f.last_s)});
  story.tables.push_back(std::move(fates));
  story.tables.push_back({"Decisions", {"time", "what it did", "why"}, std::move(rows_)});
  data.stories.push_back(std::move(story));
}

}  // namespace pintle::simulation
