// DAQP: dual active set with an L D L' of the active constraints. Warm: only f changes, the active
// set and its factor are kept.
#include "allocation/hessian.h"
#include "allocation/peers.h"

#ifdef PINTLE_PEER_DAQP
#include <daqp/api.h>
#include <daqp/utils.h>

#include <array>

namespace pintle::bench {
namespace {

class Daqp final : public Peer {
 public:
  ~Daqp() override { release(); }
  std::string name() const override { return "DAQP"; }

  bool cold(const allocation::BoxProblem& p, double* x) override {
    load(p);
    qp_.H = h_.data();
    if (!ready_ || work_.n != qp_.n) return set_up() && solve(x);
    daqp_deactivate_constraints(&work_);
    reset_daqp_workspace(&work_);
    constexpr int kAll =
        DAQP_UPDATE_Rinv | DAQP_UPDATE_M | DAQP_UPDATE_v | DAQP_UPDATE_d | DAQP_UPDATE_sense;
    if (daqp_update_ldp(kAll, &work_, &qp_) < 0) return false;
    return solve(x);
  }
  bool begin(const allocation::BoxProblem& p, double* x) override { return cold(p, x); }
  bool warm(const allocation::BoxProblem& p, double* x) override {
    form_gradient(p, f_.data());
    if (daqp_update_ldp(DAQP_UPDATE_v | DAQP_UPDATE_d, &work_, &qp_) < 0) return false;
    return solve(x);
  }

 private:
  void load(const allocation::BoxProblem& p) {
    qp_ = {};
    qp_.n = qp_.m = qp_.ms = static_cast<int>(p.n);
    h_.resize(std::size_t{p.n} * p.n);
    form_hessian(p, h_.data());
    form_gradient(p, f_.data());
    for (std::size_t i = 0; i < p.n; ++i) {
      lower_[i] = p.lower[i];
      upper_[i] = p.upper[i];
    }
    sense_.fill(0);
    qp_.f = f_.data();
    qp_.blower = lower_.data();
    qp_.bupper = upper_.data();
    qp_.sense = sense_.data();
  }
  bool set_up() {
    release();
    work_ = {};
    ready_ = setup_daqp(&qp_, &work_, nullptr) >= 0;
    // its default of 1e-6 is coarser than what is compared here
    if (ready_) work_.settings->primal_tol = 1e-9;
    return ready_;
  }
  bool solve(double* x) {
    DAQPResult result{};
    result.x = x;
    result.lam = nullptr;
    daqp_solve(&result, &work_);
    return result.exitflag > 0;
  }
  void release() {
    if (!ready_) return;
    free_daqp_workspace(&work_);
    free_daqp_ldp(&work_);
    ready_ = false;
  }

  bool ready_ = false;
  DAQPWorkspace work_{};
  DAQPProblem qp_{};
  std::vector<double> h_;
  std::array<double, kMaxChannels> f_{}, lower_{}, upper_{};
  std::array<int, kMaxChannels> sense_{};
};

}  // namespace

std::unique_ptr<Peer> make_daqp() { return std::make_unique<Daqp>(); }

bool has_daqp() { return true; }

// the box first, then each group as equations that may be missed: least efforts without a Hessian
bool solve_groups_by_daqp(const Effectiveness& craft, const WrenchDemand& demand, double* x) {
  const std::size_t n = craft.n;
  std::vector<double> a, lower, upper;
  std::vector<int> ends{static_cast<int>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    lower.push_back(craft.lower[i] - craft.preferred[i]);
    upper.push_back(craft.upper[i] - craft.preferred[i]);
  }
  const Vec6 wanted = to_vec6(demand.F_Bo_B), bias = to_vec6(craft.bias);
  for (int group = 0; group < 256; ++group) {
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (demand.weight[k] == 0 || demand.group[k] != group) continue;
      double b = wanted[k] - bias[k];
      for (std::size_t i = 0; i < n; ++i) {
        a.push_back(demand.weight[k] * craft.column[i][k]);
        b -= craft.column[i][k] * craft.preferred[i];
      }
      lower.push_back(demand.weight[k] * b);
      upper.push_back(demand.weight[k] * b);
    }
    if (static_cast<int>(lower.size()) > ends.back())
      ends.push_back(static_cast<int>(lower.size()));
  }
  std::vector<int> sense(lower.size(), 0);
  DAQPProblem problem{};
  problem.n = problem.ms = static_cast<int>(n);
  problem.m = static_cast<int>(lower.size());
  problem.A = a.data();
  problem.blower = lower.data();
  problem.bupper = upper.data();
  problem.sense = sense.data();
  problem.break_points = ends.data();
  problem.nh = static_cast<int>(ends.size());
  DAQPSettings settings;
  daqp_default_settings(&settings);
  settings.primal_tol = 1e-9;
  DAQPResult result{};
  std::vector<double> multipliers(lower.size());
  result.x = x;
  result.lam = multipliers.data();
  daqp_quadprog(&result, &problem, &settings);
  return result.exitflag > 0;
}

}  // namespace pintle::bench
#else
std::unique_ptr<pintle::bench::Peer> pintle::bench::make_daqp() { return nullptr; }
bool pintle::bench::has_daqp() { return false; }
bool pintle::bench::solve_groups_by_daqp(const Effectiveness&, const WrenchDemand&, double*) {
  return false;
}
#endif
