#include "pintle/serial_world/run.h"

#include <algorithm>
#include <cmath>

#include "pintle/simulation/input_spoiler.h"

namespace pintle::serial_world {
namespace {

using flight::Flight;
using flight::Recorder;
using serial_site::SerialSite;
using stack::Outputs;

constexpr double kEvery_s = 1;

/// Follows a flight: lines and truth into the log, figures for the verdict.
class Watch {
 public:
  Watch(SerialSite& site, EmulatedCraft* craft, Flight& flight)
      : site_(site), craft_(craft), log_(flight.log()) {
    if (log_ == nullptr) return;
    lines_ = log_->add_channel<LinesStatus>("/lines");
    if (craft != nullptr) truth_ = log_->add_channel<world::Truth>("/truth");
  }

  void take(const Outputs& out) {
    for (const Event& e : out.events) failures_ += e.code == EventCode::kPropulsorFailed ? 1 : 0;
    alarms_ = std::max(alarms_, out.alarms.size());
    for (const Alarm& a : out.alarms) worst_ = std::max(worst_, a.severity);
    if (craft_ != nullptr) {
      const world::Truth truth = craft_->truth();
      if (log_ != nullptr) log_->write(truth_, truth, truth.time);
      depth_ = std::max(depth_, -truth.X_WB.p.z);
      off_ = norm(out.setpoint.X_WD.p - truth.X_WB.p);
    }
    if (log_ != nullptr && out.now >= due_) write_lines(out.now);
  }
  void finish(flight::FlightResult& result) const {
    const LinesStatus s = site_.status();
    device::Lateness late;
    late.count = s.late;
    late.worst_s = s.worst_late_s;
    const double flown_s = std::max(result.duration_s, 1e-9);
    std::uint64_t opened = 0;
    for (const std::uint32_t n : s.opened) opened += n;
    result.figures = {{"duration_s", result.duration_s},
                      {"max_depth_m", depth_},
                      {"final_position_error_m", off_},
                      {"propulsors_failed", failures_},
                      {"most_alarms", static_cast<double>(alarms_)},
                      {"worst_severity", static_cast<double>(worst_)},
                      {"ports_opened", static_cast<double>(opened)},
                      {"answers", static_cast<double>(s.answers)},
                      {"answers_per_s", static_cast<double>(s.answers) / flown_s},
                      {"unanswered", static_cast<double>(s.unanswered)},
                      {"garbage_bytes", static_cast<double>(s.garbage)},
                      {"late_p999_s", std::min(late.quantile_s(0.999), late.worst_s)},
                      {"late_worst_s", late.worst_s},
                      {"stood_s", s.stood_s},
                      {"bad_text", static_cast<double>(s.bad_text)}};
  }

 private:
  void write_lines(Time now) {
    due_ = now + Duration::from_seconds(kEvery_s);
    log_->write(lines_, site_.status(), now);
  }

  SerialSite& site_;
  EmulatedCraft* craft_;
  Recorder* log_;
  Recorder::Channel lines_ = 0, truth_ = 0;
  Time due_{};
  double depth_ = 0, off_ = 0, failures_ = 0;
  std::size_t alarms_ = 0;
  Severity worst_ = Severity::kInfo;
};

}  // namespace

flight::FlightResult run(const craft::MissionFile& mission, const RunOptions& options) {
  const std::uint64_t seed = flight::seed_of(mission, options);
  std::optional<EmulatedCraft> craft;
  if (options.emulated) craft.emplace(mission, seed, options.world);
  EmulatedCraft* const here = craft ? &*craft : nullptr;
  SerialSite site(mission.vehicle, options.site, here);
  std::optional<Watch> watch;
  flight::FlyOptions with = options;
  with.begin = [&](Flight& flight) {
    watch.emplace(site, here, flight);
    if (options.begin) options.begin(flight);
  };
  with.watch = [&](const stack::Model& model, const stack::Inputs& in, const Outputs& out) {
    watch->take(out);
    if (options.witness) options.witness(site, here, out);
    if (options.watch) options.watch(model, in, out);
  };
  std::optional<simulation::SpoiltSite> spoilt;
  if (craft) spoilt.emplace(site, mission, seed);
  flight::FlightResult result =
      flight::fly(mission, spoilt ? static_cast<flight::Site&>(*spoilt) : site, with);
  watch->finish(result);
  return result;
}

}  // namespace pintle::serial_world
