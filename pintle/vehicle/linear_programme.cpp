#include "pintle/vehicle/linear_programme.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

namespace pintle::vehicle {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One variable: its column, its range from 0, and where it rests while it is not in the basis.
struct Variable {
  Vector6 column;
  double range = 0;
  double gain = 0;  ///< In the objective.
  bool at_range = false;
  int row = -1;  ///< In the basis, -1 outside.
};

/// The variable that improves the objective, by smallest index; -1 at the optimum.
int entering(const std::vector<Variable>& variables, const Vector6& prices) {
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const Variable& v = variables[j];
    if (v.row >= 0 || v.range == 0) continue;
    const double profit = v.gain - prices.dot(v.column);
    if (v.at_range ? profit < -1e-10 : profit > 1e-10) return static_cast<int>(j);
  }
  return -1;
}

}  // namespace

double furthest_along(std::span<const Vec6> columns, std::span<const double> lower,
                      std::span<const double> upper, const Vec6& e) {
  const auto vector = [](const Vec6& v, double sign) {
    return Vector6(sign * Eigen::Map<const Vector6>(v.v.data()));
  };

  // u = u_plus - u_minus, both from 0; then t; then one artificial a row, held at 0
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    variables.push_back({vector(columns[i], 1), upper[i] > 0 ? upper[i] : 0});
    variables.push_back({vector(columns[i], -1), lower[i] < 0 ? -lower[i] : 0});
  }
  const std::size_t t_index = variables.size();
  variables.push_back({vector(e, -1), kInfinity, 1});
  std::array<std::size_t, 6> basis{};
  for (int row = 0; row < 6; ++row) {
    basis[static_cast<std::size_t>(row)] = variables.size();
    variables.push_back({Vector6::Unit(row), 0, 0, false, row});
  }

  // far more steps than a problem of this size takes; beyond them the best so far stands
  double best = 0;
  for (int iteration = 0; iteration < 2000; ++iteration) {
    Matrix6 B;
    Vector6 gains, rest = Vector6::Zero();
    for (std::size_t r = 0; r < 6; ++r) {
      B.col(static_cast<Eigen::Index>(r)) = variables[basis[r]].column;
      gains[static_cast<Eigen::Index>(r)] = variables[basis[r]].gain;
    }
    for (const Variable& v : variables)
      if (v.row < 0 && v.at_range) rest -= v.range * v.column;
    const Eigen::FullPivLU<Matrix6> lu(B);
    const Vector6 value = lu.solve(rest);
    if (variables[t_index].row >= 0) best = std::max(best, value[variables[t_index].row]);

    const Vector6 prices = Eigen::FullPivLU<Matrix6>(B.transpose()).solve(gains);
    const int j = entering(variables, prices);
    if (j < 0) break;
    Variable& in = variables[static_cast<std::size_t>(j)];

    // how far it may go before a basic variable, or it itself, meets a bound
    const Vector6 change = lu.solve(in.column) * (in.at_range ? -1.0 : 1.0);
    double step = in.range;
    int leaves = -1;
    bool leaves_at_range = false;
    for (int r = 0; r < 6; ++r) {
      if (!(std::fabs(change[r]) > 1e-9)) continue;
      const Variable& out = variables[basis[static_cast<std::size_t>(r)]];
      const bool falls = change[r] > 0;
      const double room = falls ? value[r] : out.range - value[r];
      const double limit = std::max(0.0, room / std::fabs(change[r]));
      const bool tie = leaves >= 0 && limit == step &&
                       basis[static_cast<std::size_t>(r)] < basis[static_cast<std::size_t>(leaves)];
      if (limit < step || tie) {
        step = limit;
        leaves = r;
        leaves_at_range = !falls;
      }
    }
    if (leaves < 0) {
      if (!std::isfinite(step)) break;
      in.at_range = !in.at_range;
      continue;
    }
    Variable& out = variables[basis[static_cast<std::size_t>(leaves)]];
    out.row = -1;
    out.at_range = leaves_at_range && out.range > 0;
    in.row = leaves;
    in.at_range = false;
    basis[static_cast<std::size_t>(leaves)] = static_cast<std::size_t>(j);
  }
  return best;
}

}  // namespace pintle::vehicle
