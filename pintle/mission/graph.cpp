#include "pintle/mission/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace pintle::mission {
namespace {

/// Who is visited when: 0 never, 1 on the way, 2 done.
using Marks = std::vector<int>;

class Walk {
 public:
  Walk(const MissionSpec& spec, const Graph& graph, Findings& out)
      : spec_(spec), graph_(graph), out_(out) {}

  /// Visits all that follows; every circle met is reported once.
  void visit(std::int32_t i, Marks& marks, bool aborting) {
    if (i < 0) return;
    int& mark = marks[static_cast<std::size_t>(i)];
    if (mark == 1) return circle(i, aborting);
    if (mark == 2) return;
    mark = 1;
    way_.push_back(i);
    const Edges& e = graph_.states[static_cast<std::size_t>(i)];
    if (e.can_succeed) follow(i, e.on_success, "on_success", marks, aborting);
    follow(i, e.on_failure, "on_failure", marks, aborting);
    way_.pop_back();
    mark = 2;
  }

 private:
  void follow(std::int32_t from, std::int32_t to, std::string_view field, Marks& marks,
              bool aborting) {
    edge_ = fmt::format("states[{}].{}", from, field);
    visit(to, marks, aborting);
  }

  void circle(std::int32_t to, bool aborting) {
    std::string names;
    bool inside = false;
    for (const std::int32_t i : way_) {
      inside = inside || i == to;
      if (inside) names += spec_.states[static_cast<std::size_t>(i)].name + " -> ";
    }
    names += spec_.states[static_cast<std::size_t>(to)].name;
    if (aborting)
      out_.push_back({edge_,
                      fmt::format("the abort path must end, but goes in a circle: {}", names),
                      "let one of them lead to an ending: pass, fail or abort", true});
    else
      out_.push_back({edge_, fmt::format("a circle that only time_limit_s ends: {}", names),
                      "give retries to a state instead, if that is meant", false});
  }

  const MissionSpec& spec_;
  const Graph& graph_;
  Findings& out_;
  std::vector<std::int32_t> way_;
  std::string edge_;
};

/// States that nothing leads to. What follows one of them is not told too: it is the same mistake.
void unreachable(const MissionSpec& spec, const Graph& graph, Marks reached, Findings& out) {
  const auto n = static_cast<std::int32_t>(graph.states.size());
  const auto edges = [&](std::int32_t i) -> const Edges& {
    return graph.states[static_cast<std::size_t>(i)];
  };
  const auto name = [&](std::int32_t i) -> const std::string& {
    return spec.states[static_cast<std::size_t>(i)].name;
  };
  const auto is_reached = [&](std::int32_t i) -> int& {
    return reached[static_cast<std::size_t>(i)];
  };
  const auto leads_to = [&](std::int32_t from, std::int32_t to) {
    const Edges& e = edges(from);
    return e.on_success == to || e.on_failure == to || e.on_abort == to;
  };
  const std::function<void(std::int32_t)> follow = [&](std::int32_t i) {
    if (i < 0 || is_reached(i) != 0) return;
    is_reached(i) = 1;
    follow(edges(i).on_success);
    follow(edges(i).on_failure);
    follow(edges(i).on_abort);
  };
  const auto tell = [&](std::int32_t i) {
    std::string message = fmt::format("nothing leads to the state \"{}\"", name(i));
    std::string fix =
        "name it in on_success, on_failure, on_abort, start or abort of another, or take it out";
    for (std::int32_t p = 0; p < n; ++p)
      if (edges(p).on_success == i && !edges(p).can_succeed) {
        message += fmt::format(": \"{}\" has no success condition", name(p));
        fix = fmt::format("give \"{}\" a success condition", name(p));
        break;
      }
    out.push_back({fmt::format("states[{}].name", i), std::move(message), std::move(fix), true});
    follow(i);
  };

  // first those that no other unreachable one leads to, then what is left: circles
  const Marks at_first = reached;
  for (std::int32_t i = 0; i < n; ++i) {
    bool is_first = is_reached(i) == 0;
    for (std::int32_t p = 0; is_first && p < n; ++p)
      is_first = p == i || at_first[static_cast<std::size_t>(p)] != 0 || !leads_to(p, i);
    if (is_first) tell(i);
  }
  for (std::int32_t i = 0; i < n; ++i)
    if (is_reached(i) == 0) tell(i);
}

/// Which states can come to an end (to `pass`, if only that counts) by success and failure alone.
std::vector<bool> ending(const Graph& graph, bool pass_only) {
  std::vector<bool> ends(graph.states.size(), false);
  const auto leads = [&](std::int32_t to) {
    return to < 0 ? (!pass_only || to == kEndPass) : bool{ends[static_cast<std::size_t>(to)]};
  };
  // each round carries the knowledge one edge further
  for (std::size_t round = 0; round < ends.size(); ++round)
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Edges& e = graph.states[i];
      if (leads(e.on_failure) || (e.can_succeed && leads(e.on_success))) ends[i] = true;
    }
  return ends;
}

/// From what height above its target a state begins: the least that leads to it. None: not said.
std::optional<double> begins_at(const MissionSpec& spec, const Graph& graph, std::size_t to,
                                Marks& seen) {
  std::optional<double> least;
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    if (graph.states[i].on_success != static_cast<std::int32_t>(to) || !graph.states[i].can_succeed)
      continue;
    const StateSpec& s = spec.states[i];
    std::optional<double> height;
    if (s.servo.target != TargetChoice::kNone)
      height = s.servo.height_m;
    else if (s.go.z_m)
      height = s.go.z_m;
    else if (std::exchange(seen[i], 1) == 0)
      height = begins_at(spec, graph, i, seen);
    if (height && (!least || *height < *least)) least = height;
  }
  return least;
}

/// Blind from the first metre on it never climbs to see its target again.
void blind_descents(const MissionSpec& spec, const Graph& graph, Findings& out) {
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    const ServoSpec& servo = spec.states[i].servo;
    if (servo.target == TargetChoice::kNone) continue;
    Marks seen(graph.states.size(), 0);
    const auto begin = begins_at(spec, graph, i, seen);
    if (!begin || !(*begin > servo.height_m) || !(servo.blind_below_m >= *begin)) continue;
    out.push_back({fmt::format("states[{}].servo.blind_below_m", i),
                   fmt::format("{} m is not below {} m, where the way down may begin: a target "
                               "that is lost is never sought again",
                               servo.blind_below_m, *begin),
                   fmt::format("write less than {}, such as {:.2g}", *begin,
                               std::max(servo.height_m, 0.9 * *begin)),
                   false});
  }
}

}  // namespace

void check_graph(const MissionSpec& spec, const Graph& graph, bool all_known, Findings& out) {
  const std::size_t n = graph.states.size();
  Findings warnings, errors;
  Marks normal(n, 0), abort(n, 0);
  Walk(spec, graph, warnings).visit(graph.start, normal, false);
  Walk walk(spec, graph, errors);
  walk.visit(graph.abort, abort, true);
  for (std::size_t i = 0; i < n; ++i)
    if (normal[i] != 0) walk.visit(graph.states[i].on_abort, abort, true);

  // the same circle on both paths is one error
  for (const Finding& w : warnings)
    if (std::none_of(errors.begin(), errors.end(),
                     [&w](const Finding& e) { return e.path == w.path; }))
      out.push_back(w);
  out.insert(out.end(), errors.begin(), errors.end());

  if (all_known) {
    Marks reached(n, 0);
    for (std::size_t i = 0; i < n; ++i) reached[i] = normal[i] != 0 || abort[i] != 0 ? 1 : 0;
    unreachable(spec, graph, reached, out);
  }
  blind_descents(spec, graph, out);
  const std::vector<bool> ends = ending(graph, false);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string path = fmt::format("states[{}]", i);
    if (normal[i] == 0 && abort[i] == 0) continue;
    if (!ends[i] && abort[i] == 0) {
      out.push_back({path + ".on_failure",
                     fmt::format("no way from \"{}\" leads to an ending", spec.states[i].name),
                     "let it, or a state that follows it, lead to pass, fail or abort", true});
    }
  }
  // where there is no way out, circles are told already
  const bool sound =
      std::none_of(out.begin(), out.end(), [](const Finding& f) { return f.is_error; });
  if (!sound) std::erase_if(out, [](const Finding& f) { return !f.is_error; });
  const bool start_known = graph.start >= 0 && all_known && sound;
  if (start_known && !ending(graph, true)[static_cast<std::size_t>(graph.start)])
    out.push_back({"states", "the mission cannot pass: no way from its start leads to pass",
                   "let the last state have a success condition and on_success: pass", false});
}

}  // namespace pintle::mission
