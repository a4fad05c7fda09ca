/// `pintle directions`: one propulsor after the other alone, and which way it pushed. The trial, the
/// judgement and the change of the file are those of the live page's wizard.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "input_faults.h"
#include "listen.h"
#include "optional_rooms.h"
#include "pintle/config/problem.h"
#include "pintle/craft/file_change.h"
#include "pintle/flight/trial.h"
#include "printed.h"
#include "run_on_ros1.h"
#include "run_on_serial.h"
#include "run_on_yarp.h"
#include "stop.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

using estimation::PushFinding;
using estimation::PushVerdict;
using flight::TrialOutcome;
using flight::TrialRequest;
using flight::TrialTrouble;
using nlohmann::ordered_json;

constexpr auto kLook = std::chrono::milliseconds(5);
constexpr int kLook_ms = 50;
constexpr const char* kConditions[] = {
    "It is in the water (or the propellers are off, and you look at the shafts)",
    "It has room for two metres each way, and a tether or somebody beside it",
    "Nobody's hands are near the propellers"};

struct DirectionsArguments {
  std::string mission, on, world = "simulated", truth;
  std::vector<std::string> propulsors;
  double share = 0.2;
  bool by_hand = false, agreed = false, write = false, json = false;
};

/// A person at a terminal, or what is piped in: a line each, until the end or a signal.
class Person {
 public:
  Person(int fd, const std::atomic<bool>& stop) : fd_(fd), stop_(stop) {}
  /// Nothing: nobody answers any more.
  std::optional<std::string> ask(const std::string& question) {
    fmt::print(stderr, "{} ", question);
    // without a terminal there is nobody
    while (fd_ >= 0 && !stop_) {
      const std::size_t end = heard_.find('\n');
      if (end != std::string::npos) {
        std::string line = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        return line;
      }
      pollfd polled{fd_, POLLIN, 0};
      if (::poll(&polled, 1, kLook_ms) <= 0) continue;
      char some[256];
      const ssize_t n = ::read(fd_, some, sizeof some);
      if (n <= 0) break;
      heard_.append(some, static_cast<std::size_t>(n));
    }
    fmt::print(stderr, "\n");
    return std::nullopt;
  }
  bool says_yes(const std::string& question) {
    const auto answer = ask(question + " [y/N]");
    return answer && (*answer == "y" || *answer == "yes");
  }

 private:
  int fd_;
  const std::atomic<bool>& stop_;
  std::string heard_;
};

/// Between the thread that ticks and the one that asks: one push at a time, handed over and answered.
class PushDesk {
 public:
  // of the thread that ticks
  /// `waits`: time stands still while nothing is asked for.
  void put(const stack::Model& model, const stack::Outputs& last, stack::Inputs& in,
           bool waits) noexcept {
    const bool is_armed = last.arm == stack::ArmState::kArmed;
    if (is_armed && last.used.validity == Validity::kValid) ready_ = true;
    if (waits && ready_ && !trial_.is_busy()) asked_.wait(taken_);
    if (asked_ != taken_ && !gone_) {
      ++taken_;
      if (const auto refused = trial_.begin(model, request_, last)) answer(*refused);
    }
    trial_.put(model, last, in);
  }
  void take(const stack::Model& model, const stack::Outputs& out) noexcept {
    if (const auto outcome = trial_.take(model, out)) answer(*outcome);
  }
  void end() noexcept { over_ = true; }

  // of the one that asks
  /// False: the flight ended before.
  [[nodiscard]] bool wait_until_ready() const {
    while (!ready_ && !over_) std::this_thread::sleep_for(kLook);
    return !over_;
  }
  /// None: the flight ended.
  std::optional<TrialOutcome> push(std::size_t propulsor, double share) {
    request_ = {asked_ + 1, TrialRequest::Kind::kPush};
    request_.propulsor = propulsor;
    request_.share = share;
    ++asked_;
    asked_.notify_all();
    while (answered_ != asked_) {
      if (over_) return std::nullopt;
      std::this_thread::sleep_for(kLook);
    }
    return outcome_;
  }
  /// Nothing is asked for any more, and who ticks waits for nothing.
  void leave() {
    gone_ = true;
    ++asked_;
    asked_.notify_all();
  }

 private:
  void answer(const TrialOutcome& outcome) noexcept {
    outcome_ = outcome;
    answered_ = taken_;
  }

  std::atomic<bool> ready_{false}, over_{false}, gone_{false};
  std::atomic<std::uint64_t> asked_{0}, answered_{0};
  TrialRequest request_;
  TrialOutcome outcome_;
  flight::Trial trial_;
  std::uint64_t taken_ = 0;  ///< Of the thread that ticks.
};

std::string to_where(const Vec6& column) {
  static constexpr const char* kWays[3][2] = {
      {"forward", "backward"}, {"left", "right"}, {"up", "down"}};
  const Vec3 f = to_wrench(column).force;
  const double length = norm(f);
  std::string all;
  for (std::size_t k = 0; k < 3; ++k)
    if (std::abs(f[k]) > 0.3 * length)
      all += (all.empty() ? "" : " and ") + std::string(kWays[k][f[k] > 0 ? 0 : 1]);
  return all;
}

std::string words_of(TrialTrouble trouble) {
  for (const EnumValue& v : enum_table<TrialTrouble>().values)
    if (v.value == static_cast<std::int64_t>(trouble)) return std::string(v.meaning);
  return {};
}

/// The whole of it, of the thread that asks.
class Directions {
 public:
  Directions(const DirectionsArguments& a, const craft::MissionFile& mission, Person& person)
      : a_(a), file_(mission.vehicle), path_(mission.vehicle_path), person_(person) {
    const auto& all = file_.vehicle.propulsors;
    for (const auto& p : all) names_.push_back(p.name);
    findings_.resize(all.size());
    for (const std::string& name : a.propulsors) chosen_.push_back(number_of(name));
    if (chosen_.empty())
      for (std::size_t i = 0; i < all.size(); ++i) chosen_.push_back(i);
  }

  PushDesk desk;
  std::shared_ptr<const flight::Generation> generation;

  void run() {
    try {
      if (desk.wait_until_ready() && push_all()) conclude();
    } catch (...) {
      // files may have changed meanwhile: the flight comes to its safe end first
      fault_ = std::current_exception();
    }
    desk.leave();
  }
  void tell_fault() const {
    if (fault_) std::rethrow_exception(fault_);
  }
  [[nodiscard]] int exit_code() const { return code_; }
  /// Nothing has been said yet of why it did not come to its end.
  [[nodiscard]] bool is_silent() const { return code_ == kRunTimeFault; }

 private:
  [[nodiscard]] std::size_t number_of(const std::string& name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    const std::string near = config::did_you_mean(name, known);
    throw std::invalid_argument("there is no propulsor \"" + name + "\"" +
                                (near.empty() ? "" : ", did you mean \"" + near + "\""));
  }

  bool push_all() {
    for (const std::size_t i : chosen_) {
      fmt::print(stderr, "{}: is to push {}\n", names_[i],
                 to_where(generation->model.effectiveness.column[i]));
      const auto outcome = desk.push(i, a_.share);
      if (!outcome) return false;
      if (outcome->trouble != TrialTrouble::kNone) {
        complain(names_[i] + ": " + words_of(outcome->trouble));
        code_ = kCheckFailed;
        return false;
      }
      findings_[i] = estimation::judge_push(
          stack::body_model(generation->model.vehicle, generation->model.effectiveness), i,
          outcome->change, outcome->impulse);
      if (a_.by_hand && !see(i)) return false;
      if (!a_.json) fmt::print("{:<24} {}\n", names_[i], in_words(findings_[i]));
    }
    return true;
  }

  /// What the person saw stands for what was measured. False: nobody answers.
  bool see(std::size_t i) {
    PushFinding& f = findings_[i];
    f = {};
    for (;;) {
      const auto said = person_.ask(
          "Which way? g: as it is to, o: the other way, n: nothing, u: not clear, NAME: as that "
          "one is to");
      if (!said) {
        complain("nobody says which way: nothing is changed");
        code_ = kCheckFailed;
        return false;
      }
      constexpr std::pair<const char*, PushVerdict> kKeys[] = {{"g", PushVerdict::kGood},
                                                               {"o", PushVerdict::kReversed},
                                                               {"n", PushVerdict::kDead},
                                                               {"u", PushVerdict::kUnclear}};
      for (const auto& [key, verdict] : kKeys)
        if (*said == key) {
          f.verdict = verdict;
          return true;
        }
      try {
        f.like = static_cast<std::int32_t>(number_of(*said));
        f.verdict = PushVerdict::kLike;
        return true;
      } catch (const std::invalid_argument& e) {
        complain(e.what());
      }
    }
  }

  [[nodiscard]] std::string in_words(const PushFinding& f) const {
    switch (f.verdict) {
      case PushVerdict::kGood: return "as the file says";
      case PushVerdict::kReversed: return "the other way";
      case PushVerdict::kDead: return "nothing";
      case PushVerdict::kLike:
        return "as " + names_[static_cast<std::size_t>(f.like)] + " is to" +
               (f.reversed ? ", and the other way" : "");
      case PushVerdict::kUnclear: break;
    }
    return "not clear";
  }

  void conclude() {
    const auto wrong = estimation::conclude(findings_);
    std::vector<std::string> sentences;
    for (const estimation::Miswiring& m : wrong) sentences.push_back(craft::sentence(m, file_));
    // what was pushed and is neither good nor in what follows from the others
    for (const std::size_t i : chosen_) {
      const PushFinding& f = findings_[i];
      const bool explained = std::any_of(wrong.begin(), wrong.end(), [i](const auto& m) {
        return m.propulsor == static_cast<std::int32_t>(i) ||
               m.other == static_cast<std::int32_t>(i);
      });
      if (f.verdict != PushVerdict::kGood && !explained)
        sentences.push_back(names_[i] + ": " + in_words(f) + "; push it again");
    }
    const std::vector<craft::FileChange> changes = craft::with_mends(path_, wrong);
    std::string diff;
    for (const craft::FileChange& c : changes) diff += craft::diff(c);
    if (!a_.json) {
      for (const std::string& s : sentences) fmt::print("{}\n", s);
      fmt::print("{}", sentences.empty() ? "nothing is wrong\n" : diff);
      std::fflush(stdout);
    }
    bool written = false;
    if (!changes.empty() && (a_.write || (!a_.json && person_.says_yes("Write it?")))) {
      written = true;
      for (const craft::FileChange& c : changes) {
        const config::SaveResult saved = craft::write(c);
        if (!saved.saved) complain("not written: " + saved.reason);
        if (saved.saved && !a_.json) fmt::print("written: {}\n", c.path.string());
        written = written && saved.saved;
      }
    }
    if (a_.json) print_json(sentences, diff, written);
    const bool mended =
        std::all_of(wrong.begin(), wrong.end(),
                    [](const auto& m) { return m.kind != estimation::Miswiring::Kind::kDead; }) &&
        sentences.size() == wrong.size() && (changes.empty() || written);
    code_ = mended ? kOk : kCheckFailed;
  }

  void print_json(const std::vector<std::string>& sentences, const std::string& diff,
                  bool written) const {
    ordered_json findings = ordered_json::array();
    for (const std::size_t i : chosen_) {
      const PushFinding& f = findings_[i];
      ordered_json j{{"propulsor", names_[i]}, {"verdict", std::string(to_string(f.verdict))}};
      if (f.like >= 0) j["like"] = names_[static_cast<std::size_t>(f.like)];
      if (f.like >= 0) j["reversed"] = f.reversed;
      if (!a_.by_hand) j["share"] = f.share;
      findings.push_back(std::move(j));
    }
    const ordered_json all{
        {"findings", findings}, {"wrong", sentences}, {"diff", diff}, {"written", written}};
    fmt::print("{}\n", printed(all));
  }

  const DirectionsArguments& a_;
  const craft::VehicleFile& file_;
  std::filesystem::path path_;
  Person& person_;
  std::vector<std::string> names_;
  std::vector<std::size_t> chosen_;
  std::vector<PushFinding> findings_;
  int code_ = kRunTimeFault;
  std::exception_ptr fault_;
};

flight::FlightResult fly(const DirectionsArguments& a, const craft::MissionFile& mission,
                         simulation::RunOptions& options) {
  const bool simulated = a.world == "simulated";
  if (a.on == "serial") return fly_on_serial(mission, options, {simulated, 0, {}});
  if (a.on == "ros1") {
    RunOnRos1 on;
    on.with_world = simulated;
    on.stop = options.stop;
    return fly_on_ros1(on, mission, options);
  }
  if (a.on == "yarp") {
    RunOnYarp on;
    on.stop = options.stop;
    on.planner = true;
    return fly_on_yarp(on, mission, options, {});
  }
  return simulation::run(mission, options);
}

int directions(const DirectionsArguments& a) {
  const craft::MissionFile mission = craft::load_mission(a.mission);
  simulation::RunOptions options;
  use_optional_rooms(mission, options);
  if (!mission.warnings.empty()) fmt::print(stderr, "{}", config::to_string(mission.warnings));
  if (a.on == "serial") check_on_serial(mission);
  if (a.on == "yarp") check_over_ports(mission);
  if (a.on == "ros1" && a.world == "elsewhere") check_over_topics(mission);
  if (a.world == "elsewhere") expect_no_input_faults(mission, a.mission);
  std::atomic<bool>& stop = stop_safely_on_signals();
  // there stdin is where odometry comes from
  const bool stdin_is_taken = a.on == "serial" && a.world == "elsewhere";
  Person person(stdin_is_taken ? ::open("/dev/tty", O_RDONLY | O_CLOEXEC) : STDIN_FILENO, stop);
  Directions it(a, mission, person);
  if (!a.agreed)
    for (const char* condition : kConditions)
      if (!person.says_yes(condition))
        throw std::invalid_argument(
            "nothing is pushed unless all of that is so (--yes-in-water says it beforehand)");

  options.planner = true;
  options.stop = &stop;
  std::optional<craft::MissionFile> truth;
  if (!a.truth.empty()) options.truth = &truth.emplace(craft::load_mission(a.truth));
  const bool virtual_time = a.on.empty();
  std::unique_ptr<console::Endpoint> endpoint;
  if (!virtual_time) endpoint = listen_at_endpoint("", mission);
  std::thread asker;
  options.tune = [&](flight::Tuning& tuning) {
    it.generation = tuning.newest();
    asker = std::thread([&] {
      it.run();
      stop = true;
    });
  };
  options.ask = [&](const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) {
    if (endpoint) endpoint->put(last, in);
    it.desk.put(model, last, in, virtual_time);
  };
  options.watch = [&](const stack::Model& model, const stack::Inputs& in,
                      const stack::Outputs& out) {
    if (endpoint) endpoint->take(in, out);
    it.desk.take(model, out);
  };
  options.end = [&] { it.desk.end(); };
  const auto join = [&] {
    it.desk.end();
    stop = true;
    if (asker.joinable()) asker.join();
  };
  flight::FlightResult result;
  try {
    result = fly(a, mission, options);
  } catch (...) {
    join();
    throw;
  }
  join();
  it.tell_fault();
  if (it.is_silent()) complain("it did not come to its end: " + result.reason);
  return it.exit_code();
}

}  // namespace

void add_directions(CLI::App& app, Session& session) {
  auto a = std::make_shared<DirectionsArguments>();
  CLI::App* verb = app.add_subcommand(
      "directions",
      "Which way does each propulsor push? One after the other alone, gently; then the change of "
      "the vehicle file.");
  verb->add_option("mission", a->mission, "Mission file: its vehicle, without its states")
      ->required();
  verb->add_option("--propulsor", a->propulsors, "These alone (default: all)")->delimiter(',');
  verb->add_option("--share", a->share, "Of what it can give the weaker way (default: 0.2)")
      ->check(CLI::Range(flight::kLeastShare, flight::kMostShare));
  verb->add_flag("--by-hand", a->by_hand,
                 "Asks which way it pushed, instead of looking at the odometry");
  verb->add_flag("--yes-in-water", a->agreed,
                 "It is in water, has room for two metres each way, and nobody is near it");
  verb->add_flag("--write", a->write, "Writes the change without asking");
  verb->add_flag("--json", a->json, "One JSON object on stdout; writes only with --write");
  CLI::Option* on =
      verb->add_option("--on", a->on, "ros1, yarp, serial: where the craft is, as for  pintle run")
          ->check(CLI::IsMember({"ros1", "yarp", "serial"}));
  verb->add_option("--world", a->world, "With --on: simulated, or elsewhere (a real vehicle)")
      ->check(CLI::IsMember({"simulated", "elsewhere"}));
  verb->add_option("--truth", a->truth,
                   "A mission whose vehicle and world are what is simulated, to try it out");
  verb->footer(
      "Examples:\n"
      "  pintle directions missions/pool.yaml\n"
      "  pintle directions missions/pool_m5.yaml --on serial --world elsewhere --propulsor "
      "FLV,FRV\n"
      "Finds what is reversed, a pair that is swapped, and what is dead; shows the change of the\n"
      "vehicle file, and writes it when you say so. Thrusters on craft that do not fly.\n"
      "Exit codes: 0 all push as the file says, now; 1 not, or a push was refused; 2 usage; 3 "
      "configuration; 4 run-time fault.");
  verb->callback([a, on, &session] {
    if (a->world == "elsewhere" && on->count() == 0)
      throw CLI::ValidationError("--world", "elsewhere goes with  --on");
    if (a->on == "yarp" && a->world == "simulated")
      throw CLI::ValidationError("--on", "yarp flies a craft elsewhere: add  --world elsewhere");
    if (!a->truth.empty() && on->count() > 0)
      throw CLI::ValidationError("--truth",
                                 "is for the world that is simulated here, without --on");
    session.exit_code = directions(*a);
  });
}

}  // namespace pintle::app
