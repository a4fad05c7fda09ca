#include <fmt/format.h>

#include <algorithm>

#include "pintle/config/problem.h"
#include "pintle/mission/evidence.h"
#include "pintle/mission/graph.h"
#include "pintle/mission/mission.h"

namespace pintle::mission {
namespace {

constexpr std::array<std::string_view, 3> kReserved{"pass", "fail", "abort"};

bool is_reserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

class Checker {
 public:
  explicit Checker(const MissionSpec& spec) : spec_(spec) {}

  Findings run() {
    numbers(table_of<MissionSpec>(), &spec_, "");
    if (spec_.states.empty()) {
      if (!reported("states"))
        error("states", "expected at least one state, got none",
              "write  states: [{name: down, go: {z_m: -1}, timeout_s: 30}]");
      return std::move(out_);
    }
    if (spec_.states.size() > kMaxStates)
      error("states",
            fmt::format("expected at most {} states, got {}", kMaxStates, spec_.states.size()),
            "split the mission into several files");
    names();
    const Graph graph = targets();
    for (std::size_t i = 0; i < spec_.states.size(); ++i) state(i);
    if (names_usable_ && spec_.states.size() <= kMaxStates) follow(graph);
    return std::move(out_);
  }

 private:
  void error(std::string path, std::string message, std::string fix = {}) {
    out_.push_back({std::move(path), std::move(message), std::move(fix), true});
  }
  void warning(std::string path, std::string message, std::string fix = {}) {
    out_.push_back({std::move(path), std::move(message), std::move(fix), false});
  }
  [[nodiscard]] bool reported(std::string_view path) const {
    return std::any_of(out_.begin(), out_.end(), [&](const Finding& f) { return f.path == path; });
  }
  static std::string path(std::size_t i, std::string_view field) {
    return fmt::format("states[{}].{}", i, field);
  }

  /// Every number finite and in the range of its field, through all structs below.
  void numbers(const Table& table, const void* object, const std::string& prefix) {
    for (const Field& field : table.fields) {
      const std::size_t n = field.size(object);
      if (n < field.minimum_items)
        error(prefix + std::string(field.name),
              fmt::format("expected at least {}, got {}", field.minimum_items, n),
              "add what is missing");
      for (std::size_t i = 0; i < n; ++i) {
        std::string at = prefix + std::string(field.name);
        if (field.shape == Shape::kVector) at += fmt::format("[{}]", i);
        const void* element = field.element(object, i);
        if (field.kind == Kind::kStruct)
          numbers(*field.table, element, at + ".");
        else if (field.kind == Kind::kFloat64 || field.kind == Kind::kInt32)
          number(field, number_of(field, element), at);
      }
    }
  }
  void number(const Field& field, double value, const std::string& at) {
    if (!std::isfinite(value))
      return error(at, fmt::format("expected a number, got {}", value), "write a number");
    const bool low = field.above_minimum ? !(value > field.minimum) : !(value >= field.minimum);
    if (low)
      error(at,
            fmt::format("expected {} {}, got {}", field.above_minimum ? "above" : "at least",
                        field.minimum, value),
            "raise it");
    if (!(value <= field.maximum))
      error(at, fmt::format("expected at most {}, got {}", field.maximum, value), "lower it");
  }

  void names() {
    for (std::size_t i = 0; i < spec_.states.size(); ++i) {
      const std::string& name = spec_.states[i].name;
      if (name.empty()) {
        error(path(i, "name"), "expected a name, got none", "give every state a name of its own");
        names_usable_ = false;
      } else if (is_reserved(name)) {
        error(path(i, "name"), fmt::format("\"{}\" is an ending and cannot name a state", name),
              "choose another name");
        names_usable_ = false;
      }
      for (std::size_t j = 0; j < i && !name.empty(); ++j) {
        if (spec_.states[j].name != name) continue;
        error(path(i, "name"), fmt::format("\"{}\" is already the name of states[{}]", name, j),
              "give every state a name of its own");
        names_usable_ = false;
        break;
      }
    }
  }

  /// Index, an end, or the state that was probably meant, with an error.
  std::int32_t target(const std::string& at, std::string_view name, bool ends_allowed) {
    if (is_reserved(name)) {
      if (!ends_allowed)
        error(at, fmt::format("expected a state, got the ending \"{}\"", name),
              "name a state of this mission, or leave it out");
      return name == "pass" ? kEndPass : name == "fail" ? kEndFail : kEndAbort;
    }
    std::vector<std::string_view> known(kReserved.begin(), kReserved.end());
    if (!ends_allowed) known.clear();
    for (const StateSpec& s : spec_.states) known.push_back(s.name);
    const std::int32_t index = index_of(name);
    if (index >= 0) return index;

    const std::string near = config::did_you_mean(name, known);
    error(at, fmt::format("there is no state \"{}\"", name),
          !near.empty()  ? fmt::format("did you mean  {}", near)
          : ends_allowed ? "name a state of this mission, or one of pass, fail, abort"
                         : "name a state of this mission");
    guessed_ = true;
    if (near.empty()) targets_known_ = false;
    if (is_reserved(near)) return near == "pass" ? kEndPass : near == "fail" ? kEndFail : kEndAbort;
    return near.empty() ? kEndAbort : index_of(near);
  }
  [[nodiscard]] std::int32_t index_of(std::string_view name) const {
    for (std::size_t i = 0; i < spec_.states.size(); ++i)
      if (spec_.states[i].name == name) return static_cast<std::int32_t>(i);
    return kEndAbort;
  }

  Graph targets() {
    Graph graph;
    if (!spec_.start.empty()) graph.start = target("start", spec_.start, false);
    if (!spec_.abort.empty()) graph.abort = target("abort", spec_.abort, false);
    for (std::size_t i = 0; i < spec_.states.size(); ++i) {
      const StateSpec& s = spec_.states[i];
      Edges e;
      const bool last = i + 1 == spec_.states.size();
      e.can_succeed = has_condition(s.success);
      e.on_success = last ? kEndPass : static_cast<std::int32_t>(i + 1);
      if (!s.on_success.empty()) e.on_success = target(path(i, "on_success"), s.on_success, true);
      e.on_failure = target(path(i, "on_failure"), s.on_failure, true);
      e.on_abort = graph.abort;
      if (!s.on_abort.empty()) e.on_abort = target(path(i, "on_abort"), s.on_abort, true);
      if (e.on_abort == kEndAbort) e.on_abort = graph.abort;
      graph.states.push_back(e);
    }
    return graph;
  }

  /// A goal that the craft would be called back from is a typing error, and the fence is not.
  void goal_within_limits(std::size_t i) {
    const StateSpec& s = spec_.states[i];
    const AircraftSpec& limits = spec_.aircraft;
    const auto at = [&](const char* key, Vec3 goal) {
      if (const std::string why = why_beyond(limits, goal); !why.empty())
        error(path(i, key), "the goal is " + why, "move the goal, or the limit if it is meant");
    };
    // an axis that is not named is where it was: within
    at("go", {s.go.x_m.value_or(0), s.go.y_m.value_or(0), kLowestGoal_m});
    if (s.go.z_m && !s.land) at("go.z_m", {0, 0, *s.go.z_m});
    if (s.servo.target != TargetChoice::kNone)
      at("servo.height_m", {0, 0, std::max(kLowestGoal_m, s.servo.height_m)});
    if (s.search.pattern != SearchPattern::kNone)
      at("search.climb_to_m", {0, 0, std::max(kLowestGoal_m, s.search.climb_to_m)});
  }

  void state(std::size_t i) {
    goal_within_limits(i);
    for (Finding& f : check_state(spec_.states[i])) {
      f.path = f.path.empty() ? fmt::format("states[{}]", i) : path(i, f.path);
      // a number out of its range has been reported already
      if (!reported(f.path)) out_.push_back(std::move(f));
    }
    if (spec_.states[i].timeout_s > spec_.time_limit_s)
      warning(path(i, "timeout_s"),
              fmt::format("{} s is longer than the whole mission may take ({} s)",
                          spec_.states[i].timeout_s, spec_.time_limit_s),
              "raise time_limit_s or lower timeout_s");
  }

  /// Where a target was guessed, errors that do not depend on it are told, warnings are not.
  void follow(const Graph& graph) {
    Findings found;
    check_graph(spec_, graph, targets_known_, found);
    for (Finding& f : found)
      if (f.is_error || !guessed_) out_.push_back(std::move(f));
  }

  const MissionSpec& spec_;
  Findings out_;
  bool guessed_ = false;
  bool names_usable_ = true;
  bool targets_known_ = true;
};

}  // namespace

Findings check(const MissionSpec& spec) { return Checker(spec).run(); }

}  // namespace pintle::mission
