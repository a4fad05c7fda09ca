// qpOASES: QProblemB (bounds only) with its options for model predictive control. Warm: hotstart.
#include "allocation/hessian.h"
#include "allocation/peers.h"

#ifdef PINTLE_PEER_QPOASES
#include <qpOASES.hpp>

#include <array>

namespace pintle::bench {
namespace {

class QpOases final : public Peer {
 public:
  std::string name() const override { return "qpOASES"; }

  bool cold(const allocation::BoxProblem& p, double* x) override {
    if (!solver_ || n_ != p.n) {
      n_ = p.n;
      solver_ = std::make_unique<qpOASES::QProblemB>(static_cast<int>(n_));
      qpOASES::Options options;
      options.setToMPC();
      options.printLevel = qpOASES::PL_NONE;
      solver_->setOptions(options);
    } else {
      solver_->reset();
    }
    h_.resize(std::size_t{n_} * n_);
    form_hessian(p, h_.data());
    form_gradient(p, f_.data());
    qpOASES::int_t changes = kChanges;
    const bool ok = solver_->init(h_.data(), f_.data(), p.lower.data(), p.upper.data(), changes) ==
                    qpOASES::SUCCESSFUL_RETURN;
    solver_->getPrimalSolution(x);
    return ok;
  }
  bool begin(const allocation::BoxProblem& p, double* x) override { return cold(p, x); }
  bool warm(const allocation::BoxProblem& p, double* x) override {
    form_gradient(p, f_.data());
    qpOASES::int_t changes = kChanges;
    const bool ok = solver_->hotstart(f_.data(), p.lower.data(), p.upper.data(), changes) ==
                    qpOASES::SUCCESSFUL_RETURN;
    solver_->getPrimalSolution(x);
    return ok;
  }

 private:
  static constexpr int kChanges = 1000;
  std::unique_ptr<qpOASES::QProblemB> solver_;
  std::uint32_t n_ = 0;
  std::vector<double> h_;
  std::array<double, kMaxChannels> f_{};
};

}  // namespace

std::unique_ptr<Peer> make_qpoases() { return std::make_unique<QpOases>(); }

}  // namespace pintle::bench
#else
std::unique_ptr<pintle::bench::Peer> pintle::bench::make_qpoases() { return nullptr; }
#endif
