#include "pintle/simulation/run.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pintle/simulation/failure_log.h"
#include "pintle/simulation/input_spoiler.h"
#include "pintle/simulation/touch_log.h"

namespace pintle::simulation {
namespace {

/// Figures that say how well it went.
class Figures {
 public:
  void take(const Outputs& out, const world::Truth& truth) {
    ++ticks_;
    saturated_ += out.allocation.grade != AllocationGrade::kExact ? 1 : 0;
    events_ += out.events.size() + out.events_lost;
    for (const Event& e : out.events) {
      rejected_ +=
          e.code == EventCode::kInputRejected || e.code == EventCode::kTimeReversed ? 1 : 0;
      stale_ += e.code == EventCode::kInputStale ? 1 : 0;
    }
    residual_ = std::max(residual_, norm(to_vec6(out.allocation.residual)));
    depth_ = std::max(depth_, -truth.X_WB.p.z);
    speed_ = std::max(speed_, norm(truth.V_WB_B.v));
    estimate_error_ = std::max(estimate_error_, norm(out.used.X_WB.p - truth.X_WB.p));
    final_ = norm(out.setpoint.X_WD.p - truth.X_WB.p);
    for (std::size_t i = 0; i < out.actuation.effort.size(); ++i)
      effort_ += std::abs(out.actuation.effort[i]);
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> list(double duration_s,
                                                                 double period_s) const {
    return {{"duration_s", duration_s},
            {"max_depth_m", depth_},
            {"max_speed_m_s", speed_},
            {"final_position_error_m", final_},
            {"max_estimate_error_m", estimate_error_},
            {"max_residual", residual_},
            {"saturated_share",
             ticks_ > 0 ? static_cast<double>(saturated_) / static_cast<double>(ticks_) : 0},
            {"effort_integral_s", effort_ * period_s},
            {"inputs_rejected", static_cast<double>(rejected_)},
            {"inputs_stale", static_cast<double>(stale_)},
            {"events", static_cast<double>(events_)}};
  }

 private:
  std::uint64_t ticks_ = 0, saturated_ = 0, events_ = 0, rejected_ = 0, stale_ = 0;
  double residual_ = 0, depth_ = 0, speed_ = 0, estimate_error_ = 0, final_ = 0, effort_ = 0;
};

/// Follows a run from outside, by the truth, which it adds to the log.
class Judge {
 public:
  Judge(const MissionFile& mission, const SimulatedSite& site, Flight& flight)
      : mission_(mission),
        site_(site),
        log_(flight.log()),
        first_(flight.generation()),
        failures_(mission, first_->model),
        touch_(first_->model) {
    if (log_ == nullptr) return;
    channel_ = log_->add_channel<world::Truth>("/truth");
    if (site.sight() != nullptr && mission.world.sightings.log_Hz > 0)
      pictures_ = log_->add_channel<telemetry::ros::CompressedImage>("/camera/image/compressed");
  }

  void take(const Outputs& out) {
    const world::World& world = site_.world();
    truth_ = world.truth();
    if (log_ != nullptr) log_->write(channel_, truth_, truth_.time);
    figures_.take(out, truth_);
    failures_.take(out, truth_);
    touch_.take(out, truth_, world.touch());
    heights_.take(out, truth_);
    // nothing waits for a picture in real time
    put_pictures(site_.waits());
  }
  /// Those that are encoded; `all`: and those under way.
  void put_pictures(bool all) {
    if (!pictures_) return;
    while (site_.sight()->take_encoded(encoded_, all)) {
      picture_.header = {telemetry::ros::stamp_of(encoded_.stamp), "camera"};
      picture_.format = encoded_.format;
      std::swap(picture_.data, encoded_.bytes);
      log_->write(*pictures_, picture_, encoded_.stamp);
    }
  }
  [[nodiscard]] const world::Truth& truth() const { return truth_; }
  void finish(RunResult& result) const {
    const auto add = [&result](const auto& figures) {
      result.figures.insert(result.figures.end(), figures.begin(), figures.end());
    };
    add(figures_.list(result.duration_s, first_->model.period.seconds()));
    add(failures_.figures());
    add(touch_.figures());
    if (const std::string how = touch_.sentence(); !result.reason.empty() && !how.empty())
      result.reason += ": " + how;
    if (!site_.has_flight_controller()) return;
    add(aircraft_figures(mission_.world, truth_));
    add(heights_.list());
  }

 private:
  const MissionFile& mission_;
  const SimulatedSite& site_;
  Recorder* log_;
  Recorder::Channel channel_ = 0;
  std::optional<Recorder::Channel> pictures_;
  EncodedPicture encoded_;
  telemetry::ros::CompressedImage picture_;
  std::shared_ptr<const Generation> first_;
  Figures figures_;
  FailureLog failures_;
  TouchLog touch_;
  HeightFigures heights_;
  world::Truth truth_;
};

/// Channels have no names on their way: what is told to one must reach the propulsor of its name.
void check_truth(const MissionFile& mission, const MissionFile& truth) {
  const auto names = [](const MissionFile& m) {
    std::string list;
    for (const auto& p : m.vehicle.vehicle.propulsors) list += (list.empty() ? "" : ", ") + p.name;
    return list;
  };
  const std::string told = names(mission), is = names(truth);
  if (is == told) return;
  throw config::ConfigError({{truth.vehicle_path.string()},
                             "",
                             "propulsors: expected those of " + mission.vehicle_path.string() +
                                 " in their order (" + told + "), got " + is,
                             "keep names and order, and change mounts, directions or curves"});
}

}  // namespace

RunResult run(const MissionFile& mission, const RunOptions& options) {
  if (options.truth != nullptr) check_truth(mission, *options.truth);
  const MissionFile& truth = options.truth != nullptr ? *options.truth : mission;
  const std::uint64_t seed = seed_of(mission, options);
  SimulatedSite site(truth, seed, options.site);
  std::optional<Judge> judge;
  FlyOptions fly_options = options;
  fly_options.begin = [&](Flight& flight) {
    judge.emplace(mission, site, flight);
    if (options.begin) options.begin(flight);
  };
  fly_options.watch = [&](const Model& model, const Inputs& in, const Outputs& out) {
    judge->take(out);
    if (options.witness) options.witness(out, judge->truth());
    if (options.watch) options.watch(model, in, out);
  };
  fly_options.end = [&] {
    if (judge) judge->put_pictures(true);
    if (options.end) options.end();
  };
  const std::unique_ptr<flight::Site> over = options.over ? options.over(site) : nullptr;
  SpoiltSite spoilt(over ? *over : site, truth, seed);
  RunResult result = fly(mission, spoilt, fly_options);
  judge->finish(result);
  return result;
}

}  // namespace pintle::simulation
