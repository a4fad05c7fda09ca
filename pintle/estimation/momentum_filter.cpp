#include "pintle/estimation/momentum_filter.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace pintle::estimation {
namespace {

using Params = MomentumFilterParams;
using State = MomentumFilterState;

double within(double x, double lo, double hi) noexcept { return x >= lo ? (x <= hi ? x : hi) : lo; }
double finite_or(double x, double other) noexcept { return std::isfinite(x) ? x : other; }

/// Where things stand in x.
struct Layout {
  explicit Layout(const Params& p) noexcept
      : n(p.jets.size()),
        k(std::min<std::size_t>(p.contacts, kMaxFilterContacts)),
        momentum(2 * n),
        contacts(2 * n + 6),
        size(2 * n + 6 + 6 * k) {}
  std::size_t n, k, momentum, contacts, size;
};

/// T'' and its derivatives by T and T'.
struct Turbine {
  double acceleration, by_thrust, by_rate;
};
Turbine turbine(const std::array<double, 10>& k, double T, double D, double u) noexcept {
  const double w = u + k[8] * u * u;
  return {k[0] * T + k[1] * T * T + k[2] * D + k[3] * D * D + k[4] * T * D + k[9] +
              (k[5] + k[6] * T + k[7] * D) * w,
          k[0] + 2 * k[1] * T + k[4] * D + k[6] * w, k[2] + 2 * k[3] * D + k[4] * T + k[7] * w};
}

Wrench about_center(const Wrench& w, Vec3 lever_m) noexcept { return shift_to_origin(w, lever_m); }

/// x as one row of numbers, and back.
using Numbers = std::array<double, kMaxFilterStates>;

Numbers numbers_of(const Layout& at, const State& s) noexcept {
  Numbers x{};
  for (std::size_t i = 0; i < at.n; ++i) x[i] = s.thrust_N[i], x[at.n + i] = s.rate_N_s[i];
  for (std::size_t r = 0; r < 6; ++r) x[at.momentum + r] = s.momentum[r];
  for (std::size_t j = 0; j < at.k; ++j) {
    const Vec6 w = to_vec6(s.contact[j]);
    for (std::size_t r = 0; r < 6; ++r) x[at.contacts + 6 * j + r] = w[r];
  }
  return x;
}

void put(const Layout& at, const Params& p, const Numbers& x, State& s) noexcept {
  for (std::size_t i = 0; i < at.n; ++i) {
    // the turbine's own limits, which it does not push against
    const double T = finite_or(x[i], 0), most = p.jets[i].max_thrust_N;
    double D = within(finite_or(x[at.n + i], 0), -1e6, 1e6);
    if (!(T > 0)) D = std::max(D, 0.0);
    if (T >= most) D = std::min(D, 0.0);
    s.thrust_N[i] = within(T, 0, most);
    s.rate_N_s[i] = D;
  }
  for (std::size_t r = 0; r < 6; ++r)
    s.momentum[r] = within(finite_or(x[at.momentum + r], 0), -1e9, 1e9);
  for (std::size_t j = 0; j < at.k; ++j) {
    Vec6 w;
    for (std::size_t r = 0; r < 6; ++r)
      w[r] = within(finite_or(x[at.contacts + 6 * j + r], 0), -1e9, 1e9);
    s.contact[j] = to_wrench(w);
  }
}

/// The covariance as rows over the states in use.
class Covariance {
 public:
  Covariance(const Layout& at, State& s) noexcept : size_(at.size), p_(s.covariance) {}
  double& operator()(std::size_t r, std::size_t c) noexcept { return p_[r * size_ + c]; }

  /// Symmetric and possible, whatever rounding did.
  void keep_possible() noexcept {
    Numbers deviation{};
    for (std::size_t i = 0; i < size_; ++i) {
      double& d = (*this)(i, i);
      d = within(finite_or(d, 1e12), 1e-12, 1e12);
      deviation[i] = std::sqrt(d);
    }
    for (std::size_t r = 0; r < size_; ++r)
      for (std::size_t c = 0; c < r; ++c) {
        const double most = deviation[r] * deviation[c];
        const double mean = finite_or(0.5 * ((*this)(r, c) + (*this)(c, r)), 0);
        (*this)(r, c) = (*this)(c, r) = within(mean, -most, most);
      }
  }

 private:
  std::size_t size_;
  std::array<double, kMaxFilterStates * kMaxFilterStates>& p_;
};

/// What a step does to small errors: e -> (I + A dt) e, on a row or column of the covariance.
struct Transition {
  const Layout& at;
  const MomentumFilterInput& in;
  double dt;
  std::array<double, kMaxFilterJets> by_thrust{}, by_rate{};

  template <class Get, class Set>
  void apply(const Get& get, const Set& set) const noexcept {
    Numbers old{};
    for (std::size_t i = 0; i < at.size; ++i) old[i] = get(i);
    for (std::size_t i = 0; i < at.n; ++i) {
      set(i, old[i] + dt * old[at.n + i]);
      set(at.n + i, by_thrust[i] * dt * old[i] + (1 + by_rate[i] * dt) * old[at.n + i]);
    }
    Vec6 rate;
    for (std::size_t i = 0; i < at.n; ++i)
      for (std::size_t r = 0; r < 6; ++r) rate[r] += in.column[i][r] * old[i];
    for (std::size_t j = 0; j < at.k; ++j) {
      Vec6 w;
      for (std::size_t r = 0; r < 6; ++r) w[r] = old[at.contacts + 6 * j + r];
      rate = rate + to_vec6(about_center(to_wrench(w), in.contact[j].lever_m));
    }
    for (std::size_t r = 0; r < 6; ++r) set(at.momentum + r, old[at.momentum + r] + dt * rate[r]);
  }
};

void predict(const Params& p, const Layout& at, State& s, const MomentumFilterInput& in,
             double dt) noexcept {
  Transition F{at, in, dt, {}, {}};
  Wrench force = in.known;
  for (std::size_t i = 0; i < at.n; ++i) {
    const double u = within(finite_or(in.throttle[i], 0), -1e3, 1e3);
    const double T = within(finite_or(s.thrust_N[i], 0), 0, p.jets[i].max_thrust_N);
    const double D = within(finite_or(s.rate_N_s[i], 0), -1e6, 1e6);
    const Turbine t = turbine(p.jets[i].coefficients, T, D, u);
    // the mean thrust of the step moves the craft
    force = force + (T + 0.5 * D * dt) * to_wrench(in.column[i]);
    s.thrust_N[i] = T + D * dt + 0.5 * t.acceleration * dt * dt;
    s.rate_N_s[i] = D + t.acceleration * dt;
    F.by_thrust[i] = t.by_thrust;
    F.by_rate[i] = t.by_rate;
  }
  for (std::size_t j = 0; j < at.k; ++j)
    force = force + about_center(s.contact[j], in.contact[j].lever_m);
  s.momentum = s.momentum + to_vec6(dt * force);

  Covariance P(at, s);
  for (std::size_t c = 0; c < at.size; ++c)
    F.apply([&](std::size_t r) { return P(r, c); }, [&](std::size_t r, double v) { P(r, c) = v; });
  for (std::size_t r = 0; r < at.size; ++r)
    F.apply([&](std::size_t c) { return P(r, c); }, [&](std::size_t c, double v) { P(r, c) = v; });
  for (std::size_t i = 0; i < at.n; ++i) {
    P(i, i) += p.q_thrust * dt;
    P(at.n + i, at.n + i) += p.q_rate * dt;
  }
  for (std::size_t r = 0; r < 6; ++r) {
    P(at.momentum + r, at.momentum + r) += (r < 3 ? p.q_force : p.q_torque) * dt;
    for (std::size_t j = 0; j < at.k; ++j)
      P(at.contacts + 6 * j + r, at.contacts + 6 * j + r) +=
          (r < 3 ? p.q_contact_force : p.q_contact_torque) * dt;
  }
  P.keep_possible();
}

/// One number measured that is itself a state.
void correct(const Layout& at, Covariance& P, Numbers& x, std::size_t which, double measured,
             double variance) noexcept {
  if (!std::isfinite(measured)) return;
  const double total = P(which, which) + variance;
  if (!(total > 0)) return;
  const double missing = within(measured, -1e9, 1e9) - x[which];
  Numbers column{};
  for (std::size_t i = 0; i < at.size; ++i) column[i] = P(i, which);
  for (std::size_t i = 0; i < at.size; ++i) {
    x[i] += column[i] / total * missing;
    for (std::size_t c = 0; c < at.size; ++c) P(i, c) -= column[i] * column[c] / total;
  }
}

bool is_usable(const Layout& at, const MomentumFilterInput& in, double dt_s) noexcept {
  const auto small = [](double x) { return x >= -1e9 && x <= 1e9; };
  bool good = dt_s > 0 && dt_s <= 10;
  for (std::size_t i = 0; i < at.n; ++i)
    for (std::size_t r = 0; r < 6; ++r) good = good && small(in.column[i][r]);
  for (std::size_t r = 0; r < 6; ++r) good = good && small(to_vec6(in.known)[r]);
  for (std::size_t j = 0; j < at.k; ++j)
    for (std::size_t r = 0; r < 3; ++r) good = good && small(in.contact[j].lever_m[r]);
  return good;
}

}  // namespace

MomentumFilterState initial_state(const Params& p) noexcept {
  const Layout at(p);
  State s;
  Covariance P(at, s);
  for (std::size_t i = 0; i < at.size; ++i)
    P(i, i) = i < at.momentum ? 900 : i < at.contacts ? 1e4 : 9e4;
  return s;
}

bool update(const Params& p, State& s, const MomentumFilterInput& in, double dt_s) noexcept {
  const Layout at(p);
  if (!is_usable(at, in, dt_s)) return false;
  predict(p, at, s, in, dt_s);

  Covariance P(at, s);
  Numbers x = numbers_of(at, s);
  for (std::size_t r = 0; in.has_momentum && r < 6; ++r)
    correct(at, P, x, at.momentum + r, in.momentum[r], (r < 3 ? p.r_linear : p.r_angular) / dt_s);
  for (std::size_t j = 0; j < at.k; ++j) {
    const ContactInput& contact = in.contact[j];
    if (contact.touches && !contact.is_measured) continue;
    const Vec6 y = contact.touches ? to_vec6(contact.measured) : Vec6{};
    for (std::size_t r = 0; r < 6; ++r) {
      const double felt = (r < 3 ? p.r_contact_force : p.r_contact_torque) / dt_s;
      correct(at, P, x, at.contacts + 6 * j + r, y[r], contact.touches ? felt : 1e-9);
    }
  }
  P.keep_possible();
  put(at, p, x, s);
  return true;
}

double thrust_variance(const Params& p, const State& s, std::size_t jet) noexcept {
  const Layout at(p);
  return jet < at.n ? s.covariance[jet * at.size + jet] : 0;
}

Findings check(const Params& p) {
  Findings out;
  for (std::size_t i = 0; i < p.jets.size(); ++i) {
    const std::string at = "jets[" + std::to_string(i) + "].";
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(p.jets[i].coefficients.begin(), p.jets[i].coefficients.end(), finite))
      out.push_back({at + "coefficients", "expected ten finite numbers",
                     "write K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c"});
    if (!(p.jets[i].max_thrust_N > 0 && std::isfinite(p.jets[i].max_thrust_N)))
      out.push_back({at + "max_thrust_N", "expected a number above 0", "write newtons"});
  }
  if (p.contacts > kMaxFilterContacts)
    out.push_back({"contacts", "expected at most " + std::to_string(kMaxFilterContacts),
                   "leave the others out"});
  const struct {
    const char* name;
    double value;
    bool may_be_zero;
  } all[] = {{"q_thrust", p.q_thrust, true},
             {"q_rate", p.q_rate, true},
             {"q_force", p.q_force, true},
             {"q_torque", p.q_torque, true},
             {"q_contact_force", p.q_contact_force, true},
             {"q_contact_torque", p.q_contact_torque, true},
             {"r_linear", p.r_linear, false},
             {"r_angular", p.r_angular, false},
             {"r_contact_force", p.r_contact_force, false},
             {"r_contact_torque", p.r_contact_torque, false}};
  for (const auto& one : all)
    if (!(one.may_be_zero ? one.value >= 0 : one.value > 0) || !std::isfinite(one.value))
      out.push_back(
          {one.name,
           std::string("expected a number ") + (one.may_be_zero ? "of at least" : "above") + " 0",
           "write a variance times seconds"});
  return out;
}

}  // namespace pintle::estimation

namespace pintle {

using estimation::MomentumFilterJet;
using estimation::MomentumFilterParams;

template <>
const Table& table_of<MomentumFilterJet>() {
  using J = MomentumFilterJet;
  static const Table table =
      TableBuilder<J>("MomentumFilterJet", "A turbine whose thrust is found from the momentum.")
          .field("coefficients", &J::coefficients, "",
                 "K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c; zeros: nothing is known.")
          .field("max_thrust_N", &J::max_thrust_N, "N", "Most thrust.")
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<MomentumFilterParams>() {
  using P = MomentumFilterParams;
  static const Table table =
      TableBuilder<P>("MomentumFilter", "Thrusts of turbines from the momentum of the craft.")
          .field("jets", &P::jets, "", "In the order of their columns.")
          .required()
          .field("contacts", &P::contacts, "", "Feet whose wrenches are states.")
          .range(0, static_cast<double>(estimation::kMaxFilterContacts))
          .field("q_thrust", &P::q_thrust, "N^2/s", "Process noise of a thrust.")
          .at_least(0)
          .field("q_rate", &P::q_rate, "N^2/s^3", "Of its rate.")
          .at_least(0)
          .field("q_force", &P::q_force, "N^2 s", "Of forces nobody knows.")
          .at_least(0)
          .field("q_torque", &P::q_torque, "N^2 m^2 s", "Of torques nobody knows.")
          .at_least(0)
          .field("q_contact_force", &P::q_contact_force, "N^2/s", "How fast contact forces change.")
          .at_least(0)
          .field("q_contact_torque", &P::q_contact_torque, "N^2 m^2/s", "And their torques.")
          .at_least(0)
          .field("r_linear", &P::r_linear, "kg^2 m^2/s",
                 "Variance of the measured linear momentum times the time between two.")
          .above(0)
          .field("r_angular", &P::r_angular, "kg^2 m^4/s", "Of the angular momentum.")
          .above(0)
          .field("r_contact_force", &P::r_contact_force, "N^2 s", "Of measured contact forces.")
          .above(0)
          .field("r_contact_torque", &P::r_contact_torque, "N^2 m^2 s", "And of their torques.")
          .above(0)
          .build();
  return table;
}

}  // namespace pintle
