#include "explain_wrench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pintle/allocation/rejection.h"
#include "printed.h"

namespace pintle::app {
namespace {

using allocation::AxisLoss;
using allocation::ChannelExplanation;
using allocation::Hold;

const char* force_unit(const Told& t) { return t.vehicle.unit.normalised ? "" : " N"; }
const char* axis_unit(const Told& t, std::size_t k) {
  return t.vehicle.unit.normalised ? "" : k < 3 ? " N" : " Nm";
}

// rounding is no number worth a look
double clean(double x, double size) { return std::abs(x) <= 1e-12 * size ? 0 : x; }

double size_of(const Told& t) {
  double size = norm(to_vec6(t.demand.F_Bo_B));
  for (const ChannelExplanation& c : t.why.channels)
    size = std::max({size, std::abs(c.lower), std::abs(c.upper)});
  return size;
}

bool several_groups(const Told& t) { return t.why.several_groups; }

std::string axis_words(const Told& t, std::size_t k) {
  const double most = t.why.most[k];
  const double least = t.why.least[k];
  switch (t.why.axis[k]) {
    case AxisLoss::kNone:
      return fmt::format("alone from {:.4g} to {:.4g}{}", least, most, axis_unit(t, k));
    case AxisLoss::kNoPush: return "not there: nothing pushes this way without the other axes";
    case AxisLoss::kOneWay:
      return fmt::format("not counted on: one way only, from {:.4g} to {:.4g}{}", least, most,
                         axis_unit(t, k));
    case AxisLoss::kNearlyNone: break;
  }
  return fmt::format("not counted on: only a trace, from {:.2g} to {:.2g}{}", least, most,
                     axis_unit(t, k));
}

std::string channel_words(const Told& t, const ChannelExplanation& c) {
  // multipliers below what rounding makes of them say nothing
  const bool matters = c.per_error * c.per_error > 1e-18;
  const auto price = [&](const char* where, const char* way) {
    if (!matters) return fmt::format("{}; the others make up for it", where);
    return fmt::format("{}; 1{} more {} would take {:.3g} off |missing|", where, force_unit(t), way,
                       std::abs(c.per_error));
  };
  switch (c.hold) {
    case Hold::kFree: return "";
    case Hold::kUpper: return price("at its upper limit", "upwards");
    case Hold::kLower: return price("at its lower limit", "downwards");
    case Hold::kNoRoom: return "has no room to move";
    case Hold::kStuck: return "stuck: gives the same whatever is asked";
    case Hold::kOut: return "out: gives nothing";
  }
  return "";
}

std::string axis_table(const Told& t) {
  const Vec6 wanted = to_vec6(t.demand.F_Bo_B);
  const Vec6 achieved = to_vec6(t.answer.achieved);
  const Vec6 residual = to_vec6(t.answer.residual);
  const double size = size_of(t);
  std::string out = fmt::format("{:<6} {:>10} {:>10} {:>10}   {}\n", "axis", "wanted", "achieved",
                                "missing", "what this axis can do");
  for (std::size_t k = 0; k < kAxes; ++k) {
    std::string note = axis_words(t, k);
    if (t.demand.weight[k] == 0) note += "; not demanded (weight 0)";
    if (several_groups(t)) note += fmt::format("; group {}", t.demand.group[k]);
    out += fmt::format("{:<6} {:>10.4g} {:>10.4g} {:>10.4g}   {}\n", t.columns[k], wanted[k],
                       clean(achieved[k], size), clean(residual[k], size), note);
  }
  return out;
}

std::string channel_table(const Told& t) {
  std::size_t width = 7;
  for (const std::string& name : t.channels) width = std::max(width, name.size());
  const double size = size_of(t);
  std::string out = fmt::format("{:<{}} {:>10} {:>9} {:>9} {:>6}   {}\n", "channel", width,
                                "effort", "lower", "upper", "used", "what stops it");
  for (std::size_t i = 0; i < t.why.channels.size(); ++i) {
    const ChannelExplanation& c = t.why.channels[i];
    const double effort = clean(c.effort, size);
    const double limit = effort < 0 ? c.lower : c.upper;
    const int used =
        effort != 0 && limit != 0 ? static_cast<int>(std::lround(100 * effort / limit)) : 0;
    std::string line = fmt::format("{:<{}} {:>10.4g} {:>9.4g} {:>9.4g} {:>4} %   {}", t.channels[i],
                                   width, effort, c.lower, c.upper, used, channel_words(t, c));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string group_lines(const Told& t) {
  if (!several_groups(t)) return {};
  std::string out;
  const Vec6 residual = to_vec6(t.answer.residual);
  for (int group = 0; group < 256; ++group) {
    double missing = 0;
    std::string axes;
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (t.demand.weight[k] == 0 || t.demand.group[k] != group) continue;
      axes += (axes.empty() ? "" : ", ") + std::string(kAxisNames[k]);
      missing = std::hypot(missing, residual[k]);
    }
    if (axes.empty()) continue;
    out += fmt::format("Group {} ({}): {}.\n", group, axes,
                       clean(missing, size_of(t)) == 0 ? "gets all it asks for"
                                                       : fmt::format("misses {:.4g}", missing));
  }
  return out;
}

std::string power_line(const Told& t) {
  if (!t.power.modelled) return {};
  if (!std::isfinite(t.power.allowed_W))
    return fmt::format("Draws {:.4g} W; there is no cap.\n", t.power.drawn_W);
  return fmt::format("Draws {:.4g} W of the {:.4g} W allowed{}.\n", t.power.drawn_W,
                     t.power.allowed_W,
                     t.power.capped ? ": more of the wrench would draw more" : "");
}

std::string margin_line(const Told& t) {
  if (t.power.capped) return "Not all of it can be given: the caps on power stand before it.\n";
  const double s = t.why.scale;
  if (t.answer.grade == AllocationGrade::kExact && s >= 1)
    return s >= allocation::kLargestMargin
               ? "All of it is given, and a thousand times as much could be.\n"
               : fmt::format(
                     "All of it is given; {:.4g} times as much could be before a limit is "
                     "met.\n",
                     s);
  if (s > 0)
    return fmt::format("Not all of it can be given. Keeping its direction, {:.1f} % of it could.\n",
                       100 * std::min(s, 1.0));
  return "Not all of it can be given, and no part of it without pushing along other axes.\n";
}

std::string proof_lines(const Told& t) {
  if (t.answer.grade == AllocationGrade::kRejected) return "Refused: " + t.refusal.words + "\n";
  if (t.power.capped)
    return "No proof: the caps on power ask for less, each group in its own direction.\n";
  if (!t.why.proof)
    return "The direction of the wrench is kept: less of it is given rather than another one.\n";
  const char* of = several_groups(t) ? " of the first group" : "";
  const double least = std::sqrt(std::max(0.0, t.why.cost - t.why.gap));
  const double found = std::sqrt(std::max(0.0, t.why.cost));
  if (clean(found, size_of(t)) == 0)
    return fmt::format("Proof{}: nothing is missing, so nothing could be better.\n", of);
  return fmt::format(
      "Proof{}: {} is {:.6g} here, and with no efforts inside the limits below {:.6g}\n"
      "(by the prices of the limits: at most {:.1e} of its square could be saved).\n",
      of, t.r > 0 ? "the root of what is minimised" : "|missing|", found, least, t.why.gap);
}

std::string number(double x) { return fmt::format("{:.6g}", x); }

/// The value that was refused, with its name.
std::string subject_of(const allocation::Rejection& why, const Effectiveness& e,
                       const WrenchDemand& demand, const PropulsorHealth* health, const Told& t) {
  using R = allocation::RejectionReason;
  const std::size_t i = why.channel;
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  switch (why.reason) {
    case R::kDemandNotFinite:
      for (std::size_t k = 0; k < kAxes; ++k)
        if (!std::isfinite(wanted[k])) return t.columns[k] + (" = " + number(wanted[k]));
      return {};
    case R::kWeightNotFinite:
      for (std::size_t k = 0; k < kAxes; ++k)
        if (!std::isfinite(demand.weight[k]))
          return fmt::format("weight of {} = {}", kAxisNames[k], number(demand.weight[k]));
      return {};
    case R::kBoundNotFinite:
    case R::kBoundsCrossed:
      return fmt::format("{}: lower = {}, upper = {}", t.channels[i], number(e.lower[i]),
                         number(e.upper[i]));
    case R::kColumnNotFinite: return t.channels[i] + ": its effectiveness";
    case R::kPreferredNotFinite: return t.channels[i] + ": preferred = " + number(e.preferred[i]);
    case R::kEffortWeightNotSound:
      return t.channels[i] + ": effort_weight = " + number(e.effort_weight[i]);
    case R::kHealthNotSound:
      return fmt::format("{}: efficiency = {}, stuck at {}", t.channels[i],
                         number(health[i].efficiency), number(health[i].stuck_effort));
    default: return {};
  }
}

}  // namespace

Refusal refusal_of(const allocation::Settings& settings, const Effectiveness& effectiveness,
                   const WrenchDemand& demand, const PropulsorHealth* health, const Told& told) {
  const allocation::Rejection why =
      allocation::why_rejected(settings, effectiveness, demand, health);
  Refusal refusal;
  refusal.code = to_string(why.reason);
  refusal.subject = subject_of(why, effectiveness, demand, health, told);
  for (const EnumValue& v : enum_table<allocation::RejectionReason>().values)
    if (v.value == static_cast<std::int64_t>(why.reason)) refusal.words = v.meaning;
  if (!refusal.subject.empty()) refusal.words = refusal.subject + ". " + refusal.words;
  refusal.words += " The safe efforts are sent.";
  return refusal;
}

std::string as_words(const Told& t) {
  std::string out = axis_table(t) + "\n" + channel_table(t) + "\n";
  if (t.answer.grade != AllocationGrade::kRejected) out += margin_line(t) + power_line(t);
  out += group_lines(t);
  if (t.r > 0)
    out += fmt::format("Effort has a price here (r = {:.3g}), so a little is missing by choice.\n",
                       t.r);
  return out + proof_lines(t) +
         fmt::format("Grade {}, {} step{} of the solver.\n", to_string(t.answer.grade),
                     t.answer.iterations, t.answer.iterations == 1 ? "" : "s");
}

std::string as_json(const Told& t) {
  nlohmann::ordered_json j;
  const Vec6 wanted = to_vec6(t.demand.F_Bo_B);
  const Vec6 achieved = to_vec6(t.answer.achieved);
  const Vec6 residual = to_vec6(t.answer.residual);
  j["grade"] = std::string(to_string(t.answer.grade));
  j["iterations"] = t.answer.iterations;
  for (std::size_t k = 0; k < kAxes; ++k)
    j["axes"].push_back({{"name", t.columns[k]},
                         {"wanted", wanted[k]},
                         {"achieved", achieved[k]},
                         {"missing", residual[k]},
                         {"weight", t.demand.weight[k]},
                         {"group", t.demand.group[k]},
                         {"lost", std::string(to_string(t.why.axis[k]))},
                         {"alone_least", t.why.least[k]},
                         {"alone_most", t.why.most[k]}});
  for (std::size_t i = 0; i < t.why.channels.size(); ++i) {
    const ChannelExplanation& c = t.why.channels[i];
    j["channels"].push_back({{"name", t.channels[i]},
                             {"effort", c.effort},
                             {"lower", c.lower},
                             {"upper", c.upper},
                             {"held", std::string(to_string(c.hold))},
                             {"multiplier", c.price},
                             {"missing_less_per_unit", c.per_error},
                             {"share", to_vec6(c.share).v}});
  }
  j["margin"] = t.why.scale;
  if (!t.refusal.words.empty())
    j["refused"] = {
        {"reason", t.refusal.code}, {"value", t.refusal.subject}, {"words", t.refusal.words}};
  if (t.power.modelled) {
    j["power"] = {{"drawn_W", t.power.drawn_W}, {"capped", t.power.capped}};
    if (std::isfinite(t.power.allowed_W)) j["power"]["allowed_W"] = t.power.allowed_W;
  }
  j["proof"] = {{"made", t.why.proof && !t.power.capped}, {"cost", t.why.cost}, {"gap", t.why.gap}};
  return printed(j);
}

}  // namespace pintle::app
