// OSQP: operator splitting, to 1e-6 and polished. Cold: set up anew. Warm: the vector updated.
#include "allocation/hessian.h"
#include "allocation/peers.h"

#ifdef PINTLE_PEER_OSQP
#include <osqp/osqp.h>

#include <array>

namespace pintle::bench {
namespace {

class Osqp final : public Peer {
 public:
  ~Osqp() override { osqp_cleanup(solver_); }
  std::string name() const override { return "OSQP"; }

  bool cold(const allocation::BoxProblem& p, double* x) override {
    const std::size_t n = p.n;
    dense_.resize(n * n);
    form_hessian(p, dense_.data());
    form_gradient(p, f_.data());
    upper_half_.clear();
    rows_.clear();
    starts_.assign(1, 0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i <= j; ++i) {
        upper_half_.push_back(dense_[i * n + j]);
        rows_.push_back(static_cast<OSQPInt>(i));
      }
      starts_.push_back(static_cast<OSQPInt>(rows_.size()));
      ones_[j] = 1;
      diagonal_[j] = static_cast<OSQPInt>(j);
      diagonal_starts_[j + 1] = static_cast<OSQPInt>(j + 1);
    }
    const auto m = static_cast<OSQPInt>(n);
    OSQPCscMatrix h, a;
    OSQPCscMatrix_set_data(&h, m, m, static_cast<OSQPInt>(rows_.size()), upper_half_.data(),
                           rows_.data(), starts_.data());
    OSQPCscMatrix_set_data(&a, m, m, m, ones_.data(), diagonal_.data(), diagonal_starts_.data());
    OSQPSettings settings;
    osqp_set_default_settings(&settings);
    settings.verbose = 0;
    settings.polishing = 1;
    settings.eps_abs = settings.eps_rel = 1e-6;
    osqp_cleanup(solver_);
    solver_ = nullptr;
    if (osqp_setup(&solver_, &h, f_.data(), &a, p.lower.data(), p.upper.data(), m, m, &settings) !=
        0)
      return false;
    return solve(p.n, x);
  }
  bool begin(const allocation::BoxProblem& p, double* x) override { return cold(p, x); }
  bool warm(const allocation::BoxProblem& p, double* x) override {
    form_gradient(p, f_.data());
    osqp_update_data_vec(solver_, f_.data(), nullptr, nullptr);
    return solve(p.n, x);
  }

 private:
  bool solve(std::size_t n, double* x) {
    osqp_solve(solver_);
    for (std::size_t i = 0; i < n; ++i) x[i] = solver_->solution->x[i];
    return solver_->info->status_val == OSQP_SOLVED;
  }

  OSQPSolver* solver_ = nullptr;
  std::vector<double> dense_, upper_half_;
  std::vector<OSQPInt> rows_, starts_;
  std::array<double, kMaxChannels> f_{}, ones_{};
  std::array<OSQPInt, kMaxChannels> diagonal_{};
  std::array<OSQPInt, kMaxChannels + 1> diagonal_starts_{};
};

}  // namespace

std::unique_ptr<Peer> make_osqp() { return std::make_unique<Osqp>(); }

}  // namespace pintle::bench
#else
std::unique_ptr<pintle::bench::Peer> pintle::bench::make_osqp() { return nullptr; }
#endif
