#include "pintle/yarp_world/plant.h"

#include <variant>

namespace pintle::yarp_world {
namespace {

using propulsion::JetModel;
using propulsion::JetParams;

/// Of one jet with that thrust.
double run_down_of(const JetParams& p, double thrust_N) noexcept {
  if (p.model == JetModel::kNonlinear) return p.min_throttle;
  const bool integrates = p.model == JetModel::kFirstOrder && !(p.tau_s > 0);
  return integrates && thrust_N > 0 ? -p.max_rate_N_s : 0;
}

class Stand final : public Plant {
 public:
  Stand(std::vector<vehicle::ListedJet> jets, Duration step_time)
      : jets_(std::move(jets)), step_time_(step_time), step_s_(step_time.seconds()) {
    Stand::restart();
  }
  std::size_t inputs() const noexcept override { return jets_.size(); }
  Duration step_time() const noexcept override { return step_time_; }
  Time now() const noexcept override { return now_; }
  void step(const ChannelVector& input, bool burns) noexcept override {
    for (std::size_t i = 0; i < jets_.size(); ++i) {
      const propulsion::JetStep out =
          propulsion::step(jets_[i].params, states_[i], {input[i], burns}, {}, {}, step_s_);
      thrust_N_[i] = out.thrust_N;
      rate_N_s_[i] = out.rate_N_s;
    }
    now_ = now_ + step_time_;
  }
  const ChannelVector& thrust_N() const noexcept override { return thrust_N_; }
  const ChannelVector& rate_N_s() const noexcept override { return rate_N_s_; }
  ChannelVector run_down() const noexcept override {
    ChannelVector out;
    for (std::size_t i = 0; i < jets_.size(); ++i)
      out.push_back(run_down_of(jets_[i].params, thrust_N_[i]));
    return out;
  }
  void restart() override {
    now_ = {};
    states_.clear();
    for (const auto& jet : jets_) states_.push_back(propulsion::initial_state(jet.params));
    thrust_N_ = rate_N_s_ = ChannelVector(jets_.size());
  }

 private:
  std::vector<vehicle::ListedJet> jets_;
  Duration step_time_;
  double step_s_;
  Time now_{};
  std::vector<propulsion::JetState> states_;
  ChannelVector thrust_N_, rate_N_s_;
};

class InWorld final : public Plant {
 public:
  explicit InWorld(std::function<world::World()> make) : make_(std::move(make)), world_(make_()) {
    for (const vehicle::Propulsor& p : world_.vehicle().propulsors)
      inputs_ += propulsion::channels(p.model);
    InWorld::look();
  }
  std::size_t inputs() const noexcept override { return inputs_; }
  Duration step_time() const noexcept override { return world_.step_time(); }
  Time now() const noexcept override { return world_.now(); }
  void step(const ChannelVector& input, bool burns) noexcept override {
    world_.advance(input, burns ? ~std::uint64_t{0} : 0, world_.now() + world_.step_time());
    look();
  }
  const ChannelVector& thrust_N() const noexcept override { return thrust_N_; }
  const ChannelVector& rate_N_s() const noexcept override { return rate_N_s_; }
  ChannelVector run_down() const noexcept override {
    ChannelVector out;
    for (std::size_t i = 0; i < world_.vehicle().propulsors.size(); ++i) {
      const propulsion::Propulsor& model = world_.vehicle().propulsors[i].model;
      const auto neutral = propulsion::neutral_command(model, world_.bus_V());
      for (std::size_t k = 0; k < propulsion::channels(model); ++k) out.push_back(neutral[k]);
      if (const auto* jet = std::get_if<JetParams>(&model))
        out[out.size() - 1] = run_down_of(*jet, thrust_N_[i]);
    }
    return out;
  }
  void restart() override {
    world_ = make_();
    look();
  }
  std::optional<world::OdometrySample> take_odometry() noexcept override {
    return world_.take_odometry();
  }
  std::optional<ImuSample> take_imu() noexcept override { return world_.take_imu(); }

 private:
  void look() noexcept {
    const world::Truth truth = world_.truth();
    thrust_N_ = truth.thrust_N;
    rate_N_s_ = truth.thrust_rate_N_s;
  }

  std::function<world::World()> make_;
  world::World world_;
  std::size_t inputs_ = 0;
  ChannelVector thrust_N_, rate_N_s_;
};

}  // namespace

std::unique_ptr<Plant> make_stand(std::vector<vehicle::ListedJet> jets, Duration step_time) {
  return std::make_unique<Stand>(std::move(jets), step_time);
}

std::unique_ptr<Plant> make_world(std::function<world::World()> make) {
  return std::make_unique<InWorld>(std::move(make));
}

}  // namespace pintle::yarp_world
