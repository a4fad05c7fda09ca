#include "pintle/foxglove/workbench.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pintle/config/json_text.h"
#include "pintle/stack/tick.h"

namespace pintle::foxglove {

using OrderedJson = nlohmann::ordered_json;
using flight::TrialRequest;
using flight::TrialTrouble;

namespace {

constexpr std::size_t kPlotted = 1000;
// as many find room on the way to the tick and back
constexpr std::size_t kMostAsked = 4;

std::string answer_text(const OrderedJson& j) {
  return j.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string refusal(const std::string& why) {
  return answer_text({{"accepted", false}, {"answer", why}});
}

std::string text(const OrderedJson& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_string() ? it->get<std::string>() : std::string{};
}

double number(const OrderedJson& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_number() ? it->get<double>() : 0;
}

std::size_t propulsor_of(const craft::Generation& g, const std::string& name) {
  const auto& all = g.configuration.vehicle.vehicle.propulsors;
  std::size_t i = 0;
  while (i < all.size() && all[i].name != name) ++i;
  if (i == all.size()) throw std::invalid_argument("there is no propulsor \"" + name + "\"");
  return i;
}

std::string words_of(TrialTrouble trouble) {
  const EnumTable& table = enum_table<TrialTrouble>();
  for (const EnumValue& v : table.values)
    if (v.value == static_cast<std::int64_t>(trouble)) return std::string(v.meaning);
  return {};
}

OrderedJson json_of(const control::StepFigures& f) {
  OrderedJson j{{"at_s", f.at_s},
                {"from", f.from},
                {"size", f.size},
                {"overshoot", f.overshoot},
                {"error", f.error}};
  j["rise_s"] = f.rise_s ? OrderedJson(*f.rise_s) : OrderedJson();
  j["settling_s"] = f.settling_s ? OrderedJson(*f.settling_s) : OrderedJson();
  return j;
}

std::vector<estimation::PushFinding> findings_of(const OrderedJson& request,
                                                 const craft::Generation& g) {
  std::vector<estimation::PushFinding> all(g.configuration.vehicle.vehicle.propulsors.size());
  const auto list = request.find("findings");
  if (list == request.end() || !list->is_array())
    throw std::invalid_argument("expected findings: [{propulsor, verdict, like}]");
  for (const OrderedJson& f : *list) {
    if (!f.is_object())
      throw std::invalid_argument("expected findings: [{propulsor, verdict, like}]");
    estimation::PushFinding& out = all[propulsor_of(g, text(f, "propulsor"))];
    const auto verdict = enum_table<estimation::PushVerdict>().value_of(text(f, "verdict"));
    if (!verdict)
      throw std::invalid_argument(
          "verdict: expected good, reversed, dead, like or unclear, got \"" + text(f, "verdict") +
          "\"");
    out.verdict = static_cast<estimation::PushVerdict>(*verdict);
    if (out.verdict == estimation::PushVerdict::kLike)
      out.like = static_cast<std::int32_t>(propulsor_of(g, text(f, "like")));
    out.reversed = f.value("reversed", OrderedJson()) == true;
  }
  return all;
}

}  // namespace

std::vector<Service> workbench_services() {
  constexpr const char* kAnswer =
      R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"}}})";
  return {
      {"/pintle/step_test", "pintle/StepTest",
       R"({"type":"object","properties":{"axis":{"type":"string"},"size":{"type":"number","description":"m, rad, m/s, rad/s"},"seconds":{"type":"number"},"velocity":{"type":"boolean"}}})",
       R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"},"figures":{"type":"object"},"samples":{"type":"object"}}})"},
      {"/pintle/push_test", "pintle/PushTest",
       R"({"type":"object","properties":{"propulsor":{"type":"string"},"share":{"type":"number","description":"of what it can give, 0.05 to 0.5"}}})",
       R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"},"verdict":{"type":"string"},"like":{"type":"string"}}})"},
      {"/pintle/stop_test", "pintle/StopTest", R"({"type":"object"})", kAnswer},
      {"/pintle/directions", "pintle/Directions",
       R"({"type":"object","properties":{"findings":{"type":"array"},"shown":{"type":"string","description":"the diff, to have it written"}}})",
       R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"},"diff":{"type":"string"}}})"},
      {"/pintle/save", "pintle/Save",
       R"({"type":"object","properties":{"shown":{"type":"string","description":"the diff, to have it written"}}})",
       R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"},"diff":{"type":"string"}}})"}};
}

std::string Workbench::offer(const std::vector<craft::FileChange>& changes,
                             const std::string& shown, std::string what) {
  std::string diff;
  for (const craft::FileChange& c : changes) diff += craft::diff(c);
  OrderedJson j{
      {"accepted", true}, {"answer", std::move(what)}, {"diff", diff}, {"written", false}};
  if (shown.empty()) return answer_text(j);
  if (shown != diff) {
    j["accepted"] = false;
    j["answer"] = "not written: it is not what was shown any more; look at it again";
    return answer_text(j);
  }
  std::string files;
  for (const craft::FileChange& c : changes) {
    const config::SaveResult saved = craft::write(c);
    if (!saved.saved) return refusal("not written: " + saved.reason);
    files += (files.empty() ? "" : ", ") + c.path.string();
  }
  j["answer"] = "written: " + files;
  j["written"] = true;
  return answer_text(j);
}

std::optional<TrialRequest> Workbench::call(std::size_t service, const ServiceCall& call,
                                            std::string_view request,
                                            const craft::Generation& generation) {
  const auto answer = [&](std::string json) {
    answers_.push_back({call, std::move(json)});
    return std::nullopt;
  };
  const OrderedJson asked =
      request.empty() ? OrderedJson::object() : config::json_of<OrderedJson>(request);
  if (!asked.is_object()) return answer(refusal("expected a JSON object"));
  try {
    TrialRequest trial;
    switch (static_cast<Bench>(service)) {
      case Bench::kStep: {
        trial.kind = TrialRequest::Kind::kStep;
        const auto at = std::find(kAxisNames.begin(), kAxisNames.end(), text(asked, "axis"));
        if (at == kAxisNames.end())
          throw std::invalid_argument("axis: expected x, y, z, roll, pitch or yaw");
        trial.axis = static_cast<std::size_t>(at - kAxisNames.begin());
        trial.size = number(asked, "size");
        trial.seconds = number(asked, "seconds");
        trial.velocity = asked.value("velocity", OrderedJson()) == true;
        break;
      }
      case Bench::kPush:
        trial.kind = TrialRequest::Kind::kPush;
        trial.propulsor = propulsor_of(generation, text(asked, "propulsor"));
        trial.share = number(asked, "share");
        break;
      case Bench::kStop: trial.kind = TrialRequest::Kind::kStop; break;
      case Bench::kDirections: {
        if (files_.vehicle.empty()) return answer(refusal("there is no vehicle file to change"));
        const auto wrong = estimation::conclude(findings_of(asked, generation));
        std::string what;
        for (const estimation::Miswiring& m : wrong)
          what += (what.empty() ? "" : "; ") + craft::sentence(m, generation.configuration.vehicle);
        return answer(offer(craft::with_mends(files_.vehicle, wrong), text(asked, "shown"),
                            what.empty() ? "nothing is wrong" : what));
      }
      case Bench::kSave: {
        if (files_.vehicle.empty()) return answer(refusal("there is no file to save in"));
        std::vector<std::pair<std::string, double>> changes;
        for (const craft::LiveParameter& p :
             craft::live_parameters(generation.configuration.vehicle)) {
          const auto was = std::find_if(first_.begin(), first_.end(),
                                        [&](const auto& f) { return f.path == p.path; });
          if (was == first_.end() || was->value != p.value) changes.emplace_back(p.path, p.value);
        }
        return answer(
            offer(craft::with_parameters(files_.vehicle, generation.configuration.vehicle.format,
                                         files_.mission, changes),
                  text(asked, "shown"),
                  changes.empty() ? "nothing has been changed"
                                  : std::to_string(changes.size()) + " numbers have been changed"));
      }
      default: return answer(refusal("there is no such service"));
    }
    // a stop answers by itself, and ends what is under way
    if (!waiting_.empty() && trial.kind != TrialRequest::Kind::kStop)
      return answer(refusal(words_of(TrialTrouble::kBusy)));
    if (waiting_.size() >= kMostAsked) return answer(refusal("it is to stop already"));
    trial.number = ++next_;
    waiting_.push_back({call, trial});
    if (trial.kind == TrialRequest::Kind::kStep) samples_.clear();
    return trial;
  } catch (const std::exception& e) {
    return answer(refusal(e.what()));
  }
}

void Workbench::end() {
  for (const Waiting& w : waiting_) answers_.push_back({w.call, refusal("the flight has ended")});
  waiting_.clear();
}

void Workbench::take(const control::StepSample& sample) { samples_.push_back(sample); }

void Workbench::take(const flight::TrialOutcome& outcome, const craft::Generation& generation) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) {
    return w.request.number == outcome.number;
  });
  if (it == waiting_.end()) return;
  const Waiting asked = *it;
  waiting_.erase(it);
  OrderedJson j{{"accepted", outcome.trouble == TrialTrouble::kNone},
                {"answer", words_of(outcome.trouble)}};
  if (outcome.trouble == TrialTrouble::kNone && asked.request.kind == TrialRequest::Kind::kStep) {
    const auto figures = control::step_figures(samples_);
    j["figures"] = figures ? json_of(*figures) : OrderedJson();
    OrderedJson t = OrderedJson::array(), wanted = OrderedJson::array(), is = OrderedJson::array();
    const std::size_t every = samples_.size() / kPlotted + 1;
    for (std::size_t i = 0; i < samples_.size(); i += every) {
      t.push_back(samples_[i].t_s);
      wanted.push_back(samples_[i].wanted);
      is.push_back(samples_[i].is);
    }
    j["samples"] = {{"t_s", std::move(t)}, {"wanted", std::move(wanted)}, {"is", std::move(is)}};
  } else if (outcome.trouble == TrialTrouble::kNone &&
             asked.request.kind == TrialRequest::Kind::kPush) {
    const auto& spec = generation.configuration.vehicle.vehicle;
    const std::size_t i = asked.request.propulsor;
    const estimation::PushFinding f = estimation::judge_push(
        stack::body_model(generation.model.vehicle, generation.model.effectiveness), i,
        outcome.change, outcome.impulse);
    j["propulsor"] = spec.propulsors[i].name;
    j["verdict"] = std::string(to_string(f.verdict));
    if (f.like >= 0) j["like"] = spec.propulsors[static_cast<std::size_t>(f.like)].name;
    j["reversed"] = f.reversed;
    j["share"] = f.share;
  }
  answers_.push_back({asked.call, answer_text(j)});
}

}  // namespace pintle::foxglove
