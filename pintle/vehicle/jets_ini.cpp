#include "pintle/vehicle/jets_ini.h"
#include "pintle/base/port_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/config/file.h"
#include "pintle/config/reader.h"
#include "pintle/config/text.h"
#include "pintle/vehicle/port_names.h"

namespace pintle::vehicle {
namespace {

using config::Location;
using config::Problem;
using Kind = YarpValue::Kind;

constexpr std::string_view kInput = "input-port-name";
constexpr std::string_view kThrust = "thrust-port-name";
constexpr std::string_view kRate = "d_thrust-port-name";
constexpr std::string_view kMax = "max-thrust-in-N";
constexpr std::string_view kCoefficients = "jet-coefficients";
constexpr std::string_view kConstant = "inverse-time-constant-in-one-over-seconds";
constexpr std::string_view kAxis = "jet-axis";
constexpr std::string_view kLinks = "link-jets";
constexpr double kMostConstant = 1000;  // 1 / 1 ms
constexpr std::string_view kRobot = "gazeboYarpPluginsRobotName";
constexpr std::array kKnown{kInput,    kThrust, kRate,  kMax,  kCoefficients,
                            kConstant, kAxis,   kLinks, kRobot};

class JetsReader {
 public:
  explicit JetsReader(YarpConfig config, const std::filesystem::path& file)
      : top_(config.top()), problems_(std::move(config.problems)) {
    jets_.file = file;
  }

  JetsIni read() {
    warn_unknown();
    if (top_.find(kRobot)) jets_.robot_name = text(kRobot, false);
    jets_.input_port = port(kInput, true);
    jets_.thrust_port = port(kThrust, true);
    jets_.d_thrust_port = port(kRate, false);
    check_ports_differ();
    read_thrusts();
    read_constant();
    read_coefficients();
    read_axes();
    read_links();
    if (std::any_of(problems_.begin(), problems_.end(),
                    [](const Problem& p) { return p.is_error; }))
      throw config::ConfigError(problems_);
    jets_.warnings = std::move(problems_);
    return std::move(jets_);
  }

 private:
  void say(const Location& where, bool is_error, std::string message, std::string fix) {
    if (problems_.size() < config::kMaxProblems + (is_error ? 1 : 0))
      problems_.push_back({where, "", std::move(message), std::move(fix), is_error});
  }
  void error(const Location& where, std::string message, std::string fix) {
    say(where, true, std::move(message), std::move(fix));
  }

  void warn_unknown() {
    const std::vector<std::string_view> known(kKnown.begin(), kKnown.end());
    for (const YarpEntry& e : top_.entries) {
      if (std::find(known.begin(), known.end(), e.key) != known.end()) continue;
      const std::string near = config::did_you_mean(e.key, known);
      say(e.where, false, fmt::format("{}: nobody reads this key", e.key),
          near.empty() ? "take it out" : "did you mean  " + near);
    }
  }

  /// The value of a key; null with a problem when it is missing.
  const YarpValue* value(std::string_view key, bool required) {
    const YarpEntry* e = top_.find(key);
    if (!e) {
      if (required)
        error({jets_.file.string(), 1, 1}, fmt::format("{}: missing", key),
              fmt::format("add a line  {} …", key));
      return nullptr;
    }
    if (e->values.empty()) {
      error(e->where, fmt::format("{}: expected a value, got nothing", key),
            "write one after the key");
      return nullptr;
    }
    if (e->values.size() > 1)
      error(e->values[1].where,
            fmt::format("{}: expected one value, got {}", key, e->values.size()),
            "put a list in brackets ( )");
    return &e->values[0];
  }

  std::string text(std::string_view key, bool required) {
    const YarpValue* v = value(key, required);
    if (!v) return {};
    if (v->kind == Kind::kText) return v->text;
    error(v->where,
          fmt::format("{}: expected a name, got {}", key,
                      v->kind == Kind::kList ? "a list" : v->text),
          "write a name");
    return {};
  }

  std::string port(std::string_view key, bool required) {
    std::string name = text(key, required);
    // a missing one, and what is not one name, is said already, or there is no room left to say it
    const YarpEntry* e = top_.find(key);
    if (!e || e->values.size() != 1 || e->values[0].kind != Kind::kText) return name;
    if (const auto fault = port_name_fault(name))
      error(e->values[0].where, fmt::format("{}: {}", key, fault->message), fault->fix);
    return name;
  }

  void check_ports_differ() {
    const auto same = [&](const std::string& a, const std::string& b, std::string_view key) {
      if (!a.empty() && a == b)
        error(top_.find(key)->where, fmt::format("{}: two ports named {}", key, a),
              "give each port a name of its own");
    };
    same(jets_.input_port, jets_.thrust_port, kThrust);
    same(jets_.input_port, jets_.d_thrust_port, kRate);
    same(jets_.thrust_port, jets_.d_thrust_port, kRate);
    for (const std::string& own : own_ports_of_jets(folder_of_jets(jets_.input_port)))
      for (const auto& [name, key] :
           {std::pair{&jets_.thrust_port, kThrust}, std::pair{&jets_.d_thrust_port, kRate}})
        if (*name == own)
          error(top_.find(key)->where,
                fmt::format("{}: Pintle opens a port named {} itself", key, own),
                "give the port another name");
  }

  /// The items of a list; null with a problem when it is none, or not of `n` items (0: any).
  const std::vector<YarpValue>* list(std::string_view key, std::size_t n, const char* what) {
    const YarpValue* v = value(key, true);
    if (!v) return nullptr;
    if (v->kind != Kind::kList || v->items.empty()) {
      error(v->where, fmt::format("{}: expected a list of {}", key, what),
            "put it in brackets ( )");
      return nullptr;
    }
    if (n != 0 && v->items.size() != n) {
      error(v->where,
            fmt::format("{}: expected {} {}, one a jet, got {}", key, n, what, v->items.size()),
            "max-thrust-in-N says how many jets there are");
      return nullptr;
    }
    return &v->items;
  }

  double number(std::string_view key, const YarpValue& v) {
    if (v.is_number() && std::isfinite(v.number)) return v.number;
    error(v.where,
          fmt::format("{}: expected a number, got {}", key,
                      v.kind == Kind::kList ? "a list" : "\"" + v.text + "\""),
          v.kind == Kind::kText ? "YARP reads text as 0: write a number without quotes"
                                : "write a number");
    return 0;
  }

  void read_thrusts() {
    const auto* items = list(kMax, 0, "numbers");
    if (!items) return;
    for (const YarpValue& v : *items) {
      const double x = number(kMax, v);
      if (!(x >= 0))
        error(v.where, fmt::format("{}: expected at least 0 N, got {}", kMax, x), "write newtons");
      if (x == 0 && v.is_number())
        say(v.where, false, fmt::format("{}: a jet of 0 N never pushes", kMax), "write its thrust");
      jets_.jets.push_back({});
      jets_.jets.back().max_thrust_N = x;
    }
  }

  void read_constant() {
    const YarpValue* v = value(kConstant, true);
    if (!v) return;
    const double a = number(kConstant, *v);
    if (v->kind == Kind::kInt)
      say(v->where, false,
          fmt::format("{}: the original wants a point in this number and complains", kConstant),
          fmt::format("write  {}.0", v->text));
    if (a < 0)
      error(v->where, fmt::format("{}: expected at least 0, got {}", kConstant, a),
            "the original's sign makes positive ones unstable and refuses negative ones; 0.0 "
            "integrates");
    if (a >= kMostConstant)
      error(v->where,
            fmt::format("{}: expected less than {}, got {}: at steps of 1 ms the original cannot "
                        "integrate it and complains each step, and the thrust never changes",
                        kConstant, kMostConstant, a),
            "write 0.0 for an integrator");
    else if (a > 0)
      say(v->where, false,
          fmt::format("{}: x' = {} x + u is unstable in open loop, as in the original", kConstant,
                      a),
          "write 0.0 for an integrator");
    jets_.inverse_time_constant_1_s = a;
  }

  void read_coefficients() {
    if (!top_.find(kCoefficients) || jets_.jets.empty()) return;
    const auto* items = list(kCoefficients, jets_.jets.size(), "lists of 10 numbers");
    if (!items) return;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const YarpValue& v = (*items)[i];
      if (v.kind != Kind::kList || v.items.size() != 10) {
        error(v.where,
              fmt::format(
                  "{}: expected 10 numbers, got {}", kCoefficients,
                  v.kind == Kind::kList ? fmt::format("{}", v.items.size()) : "\"" + v.text + "\""),
              "K_T K_TT K_D K_DD K_TD B_U B_T B_D B_UU c");
        continue;
      }
      propulsion::JetCoefficients c{};
      for (std::size_t k = 0; k < 10; ++k) c[k] = number(kCoefficients, v.items[k]);
      jets_.jets[i].coefficients = c;
    }
  }

  void read_axes() {
    if (jets_.jets.empty()) return void(value(kAxis, true));
    const auto* items = list(kAxis, jets_.jets.size(), "axes");
    if (!items) return;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const YarpValue& v = (*items)[i];
      if (v.kind != Kind::kList || v.items.size() != 3) {
        error(v.where,
              fmt::format(
                  "{}: expected three numbers in brackets, got {}", kAxis,
                  v.kind == Kind::kList ? fmt::format("{}", v.items.size()) : "\"" + v.text + "\""),
              "write  (0.0 0.0 -1.0)");
        continue;
      }
      Vec3& a = jets_.jets[i].axis;
      a = {number(kAxis, v.items[0]), number(kAxis, v.items[1]), number(kAxis, v.items[2])};
      const double n = norm(a);
      if (n == 0) {
        error(v.where, fmt::format("{}: an axis of length 0 pushes nowhere", kAxis),
              "write a unit vector");
      } else if (std::abs(n - 1) > 1e-6) {
        say(v.where, false,
            fmt::format("{}: this axis has length {:.6g}, which scales the thrust", kAxis, n),
            "write a unit vector");
      }
    }
  }

  void read_links() {
    if (jets_.jets.empty()) return void(value(kLinks, true));
    const auto* items = list(kLinks, jets_.jets.size(), "link names");
    if (!items) return;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const YarpValue& v = (*items)[i];
      if (v.kind != Kind::kText || v.text.empty())
        error(v.where, fmt::format("{}: expected the name of a link", kLinks),
              "YARP takes an empty one for the first link: write a name");
      jets_.jets[i].link = v.text;
      jets_.jets[i].link_at = v.where;
    }
  }

  YarpGroup top_;
  std::vector<Problem> problems_;
  JetsIni jets_;
};

/// The line that a problem is about, from the text of its file.
void add_excerpts(std::vector<Problem>& problems, std::string_view text, const std::string& file) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (Problem& p : problems)
    if (p.excerpt.empty() && p.where.file == file && p.where.line >= 1 &&
        p.where.line <= static_cast<int>(lines.size()))
      p.excerpt = config::excerpt_of(lines[static_cast<std::size_t>(p.where.line - 1)]);
}

}  // namespace

JetsIni parse_jets_ini(std::string_view text, const std::filesystem::path& file,
                       const std::string& model_name) {
  std::map<std::string, std::string> given;
  if (!model_name.empty()) given.emplace(kRobot, model_name);
  try {
    return JetsReader(parse_yarp_config(text, file, given), file).read();
  } catch (const config::ConfigError& e) {
    std::vector<Problem> problems = e.problems();
    add_excerpts(problems, text, file.string());
    throw config::ConfigError(std::move(problems));
  }
}

JetsIni load_jets_ini(const std::filesystem::path& file, const std::string& model_name) {
  return parse_jets_ini(config::read_file(file, kMaxYarpBytes), file, model_name);
}

bool is_jets_ini(const std::filesystem::path& file, std::string_view text) {
  const std::string extension = file.extension().string();
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  constexpr std::string_view kIni = ".ini";
  if (std::equal(extension.begin(), extension.end(), kIni.begin(), kIni.end(), same)) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view word =
        line.substr(begin, std::min(line.find_first_of(" \t=", begin), line.size()) - begin);
    if (begin + word.size() < line.size() && word != kRobot &&
        std::find(kKnown.begin(), kKnown.end(), word) != kKnown.end())
      return true;
  }
  return false;
}

std::vector<MountedJet> mount_jets(const JetsIni& jets, const Structure& structure) {
  std::vector<MountedJet> out;
  std::vector<Problem> problems;
  for (const JetsIniJet& jet : jets.jets) {
    const LinkMatch match = match_link(structure, jet.link);
    if (match.link < 0)
      problems.push_back(
          {jet.link_at, "", fmt::format("{}: {}", kLinks, match.why), match.fix, true});
    else
      out.push_back({static_cast<std::size_t>(match.link), jet.axis, jet.max_thrust_N});
  }
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
  return out;
}

}  // namespace pintle::vehicle
