// qpmad: dual active set (Goldfarb and Idnani) with inverted Cholesky factors. Sizes fixed when
// built where they are known. Warm: the inverted factor of the Hessian is kept.
#include "allocation/hessian.h"
#include "allocation/peers.h"

#ifdef PINTLE_PEER_QPMAD
#include <qpmad/solver.h>

namespace pintle::bench {
namespace {

template <int N>
class Qpmad final : public Peer {
 public:
  explicit Qpmad(std::string name) : name_(std::move(name)) {
    if constexpr (N == Eigen::Dynamic) solver_.reserve(64, 64, 0);
    keep_.return_inverted_cholesky_factor_ = true;
  }
  std::string name() const override { return name_; }

  bool cold(const allocation::BoxProblem& p, double* x) override {
    load(p);
    return solve(fresh_, x);
  }
  bool begin(const allocation::BoxProblem& p, double* x) override {
    load(p);
    keep_.hessian_type_ = fresh_.hessian_type_;
    const bool ok = solve(keep_, x);
    keep_.hessian_type_ = solver_.getHessianType();
    return ok;
  }
  bool warm(const allocation::BoxProblem& p, double* x) override {
    gradient(p);
    const bool ok = solve(keep_, x);
    // the factor is inverted only when a bound first asks for it
    keep_.hessian_type_ = solver_.getHessianType();
    return ok;
  }

 private:
  using Vector = Eigen::Matrix<double, N, 1>;

  void gradient(const allocation::BoxProblem& p) {
    const Eigen::Map<const Eigen::Matrix<double, 6, N>> a(p.column.data()->v.data(), 6, n_);
    const Eigen::Map<const Eigen::Matrix<double, 6, 1>> b(p.b.v.data());
    f_.noalias() = -(a.transpose() * b);
  }
  void load(const allocation::BoxProblem& p) {
    n_ = static_cast<Eigen::Index>(p.n);
    if constexpr (N == Eigen::Dynamic) {
      h_.resize(n_, n_);
      x_.resize(n_);
      f_.resize(n_);
    }
    const Eigen::Map<const Eigen::Matrix<double, 6, N>> a(p.column.data()->v.data(), 6, n_);
    h_.noalias() = a.transpose() * a;
    h_.diagonal().array() += p.r;
    lower_ = Eigen::Map<const Vector>(p.lower.data(), n_);
    upper_ = Eigen::Map<const Vector>(p.upper.data(), n_);
    gradient(p);
  }
  bool solve(const qpmad::SolverParameters& parameters, double* x) {
    bool ok = false;
    try {
      ok = solver_.solve(x_, h_, f_, lower_, upper_, parameters) == Solver::OK;
    } catch (const std::exception&) {
    }
    Eigen::Map<Vector>(x, n_) = x_;
    return ok;
  }

  using Solver = qpmad::SolverTemplate<double, N, 1, 0>;
  std::string name_;
  Solver solver_;
  qpmad::SolverParameters fresh_, keep_;
  Eigen::Index n_ = 0;
  Eigen::Matrix<double, N, N> h_;
  Vector x_, f_, lower_, upper_;
};

}  // namespace

std::unique_ptr<Peer> make_qpmad(std::uint32_t n) {
  if (n == 8) return std::make_unique<Qpmad<8>>("qpmad");
  return std::make_unique<Qpmad<Eigen::Dynamic>>("qpmad");
}

}  // namespace pintle::bench
#else
std::unique_ptr<pintle::bench::Peer> pintle::bench::make_qpmad(std::uint32_t) { return nullptr; }
#endif
