#include "pintle/simulation/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "pintle/base/lines_status.h"
#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/flight/event_words.h"
#include "pintle/flight/recorder.h"
#include "pintle/flight/replay.h"
#include "pintle/flight/state_log.h"
#include "pintle/simulation/aircraft_rig.h"
#include "pintle/simulation/landing_story.h"
#include "pintle/simulation/names.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/world/world.h"

namespace pintle::simulation {
namespace {

using telemetry::ReportAlarm;
using telemetry::ReportBand;
using telemetry::ReportData;
using telemetry::ReportEvent;
using telemetry::ReportSample;

/// The course of things: each of these keeps its own line.
bool is_course(EventCode code) {
  switch (code) {
    case EventCode::kArmed:
    case EventCode::kDisarmed:
    case EventCode::kLatchedSafe:
    case EventCode::kMissionStarted:
    case EventCode::kMissionPaused:
    case EventCode::kMissionResumed:
    case EventCode::kMissionFinished:
    case EventCode::kMissionAborted:
    case EventCode::kStateEntered:
    case EventCode::kStateSucceeded:
    case EventCode::kStateTimedOut:
    case EventCode::kStateRetried:
    case EventCode::kIgnited:
    case EventCode::kShutDown:
    case EventCode::kLandingPhase: return true;
    default: return false;
  }
}

/// What a channel's effort is counted in, and by what it is multiplied for that.
struct ChannelUnit {
  std::string unit;
  double scale = 1;
};
ChannelUnit unit_of(const vehicle::Propulsor& p, const std::string& force) {
  if (const auto* fin = std::get_if<propulsion::FinParams>(&p.model))
    return {"\xC2\xB0", fin->deflection_limit_deg};
  return {force, 1};
}

Vec6 pose6(const Pose& X) {
  const RollPitchYaw a = to_rpy(to_matrix(X.q));
  return {{X.p.x, X.p.y, X.p.z, a.roll, a.pitch, a.yaw}};
}

/// Builds the report's data while the log goes by.
class Collector {
 public:
  Collector(const MissionFile& mission, ReportData& data)
      : mission_(mission),
        data_(data),
        states_(names_of(mission.mission.states)),
        names_(event_names(mission)),
        landing_(mission) {
    if (!data.has_wrenches) return;
    const vehicle::Vehicle built = vehicle::build(mission.vehicle.vehicle);
    for (const std::size_t owner : built.channel_owners())
      scale_.push_back(unit_of(built.propulsors[owner], data.effort_unit).scale);
  }

  void outputs(const Outputs& out) {
    last_ = out;
    landing_.outputs(out);
    ReportSample s;
    s.t_s = out.now.seconds();
    s.p_WB = has_truth_ ? from_origin(truth_.X_WB.p) : out.used.X_WB.p;
    s.wanted = pose6(out.setpoint.X_WD);
    s.actual = pose6(out.used.X_WB);
    for (std::size_t a = 0; a < kAxes; ++a)
      s.position_mode[a] = out.setpoint.mode[a] == AxisMode::kPosition;
    s.velocity_wanted = to_vec6(out.setpoint.V_WD_B);
    s.velocity = to_vec6(out.used.V_WB_B);
    s.demand = to_vec6(out.demand.F_Bo_B);
    s.achieved = to_vec6(out.allocation.achieved);
    for (std::size_t i = 0; i < out.actuation.effort.size(); ++i)
      s.effort.push_back(out.actuation.effort[i] * (i < scale_.size() ? scale_[i] : 1));
    data_.samples.push_back(std::move(s));
    // what was carried before it flew had another origin
    if (mission::is_moving(out.mission.phase)) origin_ = out.aircraft.origin_m;
    for (const Event& e : out.events) event(e, severity_of(e, out.alarms));
    alarms(out);
  }
  void truth(const world::Truth& truth) {
    truth_ = truth;
    has_truth_ = true;
    // the true position of the instant, where the log has it right behind the outputs
    if (!data_.samples.empty() && std::abs(data_.samples.back().t_s - truth.time.seconds()) < 1e-9)
      data_.samples.back().p_WB = from_origin(truth.X_WB.p);
    for (std::size_t i = 0; i < truth.bodies.size(); ++i) {
      if (i >= bodies_.size()) bodies_.resize(i + 1);
      const bool held = truth.held == static_cast<std::int32_t>(i);
      bodies_[i].push_back({truth.time.seconds(), truth.bodies[i].p, held});
    }
  }
  void inputs(const Inputs& in) {
    if (in.has_flight) battery_ = in.flight.battery;
    landing_.inputs(in);
  }
  void finish() {
    put_things();
    put_delivery();
    landing_.put(data_);
    states_.close(last_.now.seconds());
    for (const StateRecord& s : states_.records())
      data_.states.push_back({s.name, s.entered_s, s.left_s,
                              s.outcome == "timed_out" ? "timed out" : s.outcome, s.number});
    data_.facts.emplace_back(
        "duration", telemetry::number_text(std::round(last_.now.seconds() * 100) / 100) + " s");
    data_.facts.emplace_back("mission", std::string(to_string(last_.mission.phase)));
  }

 private:
  /// Where setpoints count from: of an aircraft, where it stood.
  [[nodiscard]] Vec3 from_origin(Vec3 p) const { return p - last_.aircraft.origin_m; }
  /// Where payload and craft came to rest, and what charge was left.
  void put_delivery() {
    if (data_.has_wrenches) return;
    if (has_truth_)
      for (const auto& [name, value] : aircraft_figures(mission_.world, truth_)) {
        const bool is_length = name.ends_with("_m");
        std::string words = spaced(is_length ? name.substr(0, name.size() - 2) : name);
        if (is_length)
          data_.facts.emplace_back(words,
                                   fmt::format("{:.2f} m", std::round(100 * value) / 100 + 0.0));
      }
    if (battery_) data_.facts.emplace_back("charge left", fmt::format("{:.0f} %", 100 * *battery_));
  }
  /// Pads and bodies, counted from where the flight does.
  void put_things() {
    if (!has_truth_) return;
    for (const world::PadSpec& pad : mission_.world.pads)
      data_.things.push_back({pad.name,
                              "",
                              true,
                              2 * pad.radius_m,
                              2 * pad.radius_m,
                              0,
                              {{0, pad.position_m - origin_, false}}});
    for (std::size_t i = 0; i < std::min(bodies_.size(), mission_.world.bodies.size()); ++i) {
      const world::BodySpec& body = mission_.world.bodies[i];
      telemetry::ReportThing thing{body.name,
                                   body.colour,
                                   body.shape == world::BodyShape::kCylinder,
                                   body.size_m.x,
                                   body.size_m.y,
                                   radians(body.rpy_deg.z),
                                   {}};
      if (!(body.mass_kg > 0)) bodies_[i].resize(1);
      for (telemetry::ReportThing::At at : bodies_[i]) {
        at.p = at.p - origin_;
        thing.path.push_back(at);
      }
      data_.things.push_back(std::move(thing));
    }
  }
  /// From the list itself: some are raised without an event of their own. One that gets worse is raised anew.
  void alarms(const Outputs& out) {
    const auto is = [](const Alarm& a) {
      return [&a](const Standing& s) {
        return s.alarm.code == a.code && s.alarm.subject == a.subject && s.alarm.since == a.since;
      };
    };
    std::erase_if(standing_, [&](const Standing& s) {
      if (std::any_of(out.alarms.begin(), out.alarms.end(),
                      [&](const Alarm& a) { return is(a)(s); }))
        return false;
      data_.alarms[s.row].cleared_s = out.now.seconds();
      return true;
    });
    for (const Alarm& a : out.alarms) {
      if (std::any_of(standing_.begin(), standing_.end(), is(a))) continue;
      standing_.push_back({a, data_.alarms.size()});
      data_.alarms.push_back({a.since.seconds(), std::nan(""), std::string(to_string(a.severity)),
                              sentence(a, names_)});
    }
  }
  void event(const Event& e, Severity severity) {
    states_.take(e);
    ReportEvent r;
    r.t_s = e.time.seconds();
    r.what = std::string(to_string(e.code));
    r.detail = about(e, names_);
    r.is_bad = severity >= Severity::kWarning;
    r.last_s = r.t_s;
    if (is_course(e.code)) {
      data_.events.push_back(std::move(r));
      return;
    }
    // what comes again is counted where it came first
    const auto [first, is_new] =
        seen_.try_emplace({e.code, e.subject, r.is_bad}, data_.events.size());
    if (is_new) {
      data_.events.push_back(std::move(r));
      return;
    }
    ReportEvent& told = data_.events[first->second];
    told.last_s = r.t_s;
    ++told.count;
  }

  const MissionFile& mission_;
  ReportData& data_;
  Outputs last_;
  world::Truth truth_;
  bool has_truth_ = false;
  Vec3 origin_{};
  std::vector<std::vector<telemetry::ReportThing::At>> bodies_;
  StateLog states_;
  EventNames names_;
  LandingStory landing_;
  std::map<std::tuple<EventCode, std::int32_t, bool>, std::size_t> seen_;
  struct Standing {
    Alarm alarm;
    std::size_t row;
  };
  std::vector<Standing> standing_;
  std::vector<double> scale_;  ///< Of the channels' efforts.
  std::optional<double> battery_;
};

void describe(const MissionFile& mission, const std::map<std::string, std::string>& metadata,
              ReportData& data) {
  const auto get = [&](const char* key) {
    const auto it = metadata.find(key);
    return it == metadata.end() ? std::string{} : it->second;
  };
  const vehicle::VehicleSpec& spec = mission.vehicle.vehicle;
  data.title = mission.name + " on " + spec.name;
  data.verdict = get("verdict/verdict").empty() ? "aborted" : get("verdict/verdict");
  if (!mission.description.empty()) data.facts.emplace_back("what", mission.description);
  data.facts.emplace_back("vehicle", spec.name);
  data.facts.emplace_back("seed", get("pintle/seed"));
  data.facts.emplace_back(
      "control",
      telemetry::number_text(mission.vehicle.control_rate_Hz) + " Hz, " +
          std::string(to_string(control::behaviour(control::selected(mission.vehicle.laws)))));
  data.facts.emplace_back("build", get("pintle/build"));
  if (spec.effort_unit.normalised) {
    data.wrench_unit_force = "unit";
    data.wrench_unit_torque = "unit m";
    data.effort_unit = "unit of " + telemetry::number_text(spec.effort_unit.one_unit_N) + " N";
  }
  for (const world::FaultSpec& f : mission.world.faults)
    data.faults.push_back({f.propulsor + " " + std::string(to_string(f.kind)), f.at_s, f.until_s,
                           f.announced ? "announced" : "unannounced"});
  // a flight controller closes the inner loops: nothing was allocated
  data.has_wrenches = control::traits(mission.vehicle.laws.law).allocates;
  if (!data.has_wrenches) return;
  const vehicle::Vehicle built = vehicle::build(spec);
  data.channels = built.channel_names();
  const std::vector<std::size_t> owners = built.channel_owners();
  const Effectiveness whole = vehicle::effectiveness_of(built);
  const bool thrusters_only = std::all_of(
      built.propulsors.begin(), built.propulsors.end(), [](const vehicle::Propulsor& p) {
        return std::holds_alternative<propulsion::Thruster>(p.model);
      });
  for (std::size_t c = 0; c < whole.n; ++c) {
    // of thrusters the bounds as written, before the margin
    const auto* thruster =
        thrusters_only ? std::get_if<propulsion::Thruster>(&built.propulsors[c].model) : nullptr;
    const ChannelUnit u = unit_of(built.propulsors[owners[c]], data.effort_unit);
    data.lower.push_back(u.scale *
                         (thruster != nullptr ? thruster->params().min_effort : whole.lower[c]));
    data.upper.push_back(u.scale *
                         (thruster != nullptr ? thruster->params().max_effort : whole.upper[c]));
    data.units.push_back(u.unit);
  }
}

/// Of a craft whose thrusters hang on serial lines.
telemetry::ReportHistogram histogram_of(const LinesStatus& lines) {
  telemetry::ReportHistogram out;
  out.title = "Serial lines";
  out.note = "How late the thread that serves them woke for what was due.";
  std::uint64_t opened = 0;
  for (const std::uint32_t n : lines.opened) opened += n;
  out.facts = {{"ports", std::to_string(lines.opened.size())},
               {"opened", fmt::format("{} times", opened)},
               {"answers", std::to_string(lines.answers)},
               {"questions given up", std::to_string(lines.unanswered)},
               {"bytes that were part of no frame", std::to_string(lines.garbage)},
               {"latest", fmt::format("{:.2f} ms", 1e3 * lines.worst_late_s)}};
  for (std::size_t k = 0; k < kLateBounds_s.size(); ++k)
    out.bars.emplace_back(fmt::format("up to {:g} ms", 1e3 * kLateBounds_s[k]), lines.late[k]);
  out.bars.emplace_back("later", lines.late.back());
  return out;
}

/// Changes of parameters that were not made.
void put_refused(const std::map<std::string, std::string>& metadata, ReportData& data) {
  constexpr std::string_view kRecord = "refused/";
  for (const auto& [key, reason] : metadata) {
    if (!key.starts_with(kRecord)) continue;
    const double t_s = config::parse_number(key.substr(kRecord.size())).value_or(0);
    data.events.push_back({t_s, "parameter_refused", reason, true, t_s, 1});
  }
  std::stable_sort(data.events.begin(), data.events.end(),
                   [](const ReportEvent& a, const ReportEvent& b) { return a.t_s < b.t_s; });
}

}  // namespace

telemetry::ReportData report_data(const std::filesystem::path& log) {
  telemetry::McapReader reader(log);
  const MissionFile mission = mission_of(reader);
  ReportData data;
  describe(mission, reader.metadata(), data);
  Collector collector(mission, data);
  auto outputs = std::make_unique<Outputs>();
  auto inputs = std::make_unique<Inputs>();
  world::Truth truth;
  LinesStatus lines;
  bool checked = false, has_lines = false;
  reader.for_each([&](const telemetry::McapMessage& m) {
    if (m.topic == "/outputs") {
      if (!checked && !telemetry::same_layout(m.schema_text, table_of<Outputs>()))
        throw std::runtime_error("the log was written with other fields than this version knows");
      checked = true;
      if (telemetry::decode_cdr(m.bytes, *outputs)) collector.outputs(*outputs);
    } else if (m.topic == "/inputs" && !data.has_wrenches) {
      if (telemetry::decode_cdr(m.bytes, *inputs)) collector.inputs(*inputs);
    } else if (m.topic == "/truth") {
      if (telemetry::decode_cdr(m.bytes, truth)) collector.truth(truth);
    } else if (m.topic == "/lines") {
      has_lines = telemetry::decode_cdr(m.bytes, lines) || has_lines;
    }
    return true;
  });
  collector.finish();
  if (has_lines) data.histograms.push_back(histogram_of(lines));
  put_refused(reader.metadata(), data);
  for (ReportBand& f : data.faults)
    if (!data.samples.empty()) f.to_s = std::min(f.to_s, data.samples.back().t_s);
  return data;
}

namespace {

void write_page(const std::filesystem::path& html, const std::string& text) {
  config::SaveOptions options;
  options.generations = 0;
  const config::SaveResult saved = config::save_atomically(html, text, options);
  if (!saved.saved) throw std::runtime_error(saved.reason);
}

}  // namespace

void write_report(const std::filesystem::path& log, const std::filesystem::path& html) {
  write_page(html, telemetry::report_html(report_data(log)));
}

void write_comparison(const std::filesystem::path& a, const std::filesystem::path& b,
                      const std::filesystem::path& html) {
  write_page(html, telemetry::comparison_html(report_data(a), report_data(b)));
}

}  // namespace pintle::simulation
