#include "pintle/vehicle/effectiveness.h"

#include <Eigen/SVD>

#include "pintle/vehicle/linear_programme.h"

namespace pintle::vehicle {

Effectiveness effectiveness_of(const Vehicle& vehicle) noexcept {
  // still air at sea level, everything running
  const propulsion::Ambient still{{}, 1.225, 16};
  Effectiveness out;
  out.n = static_cast<std::uint32_t>(std::min(vehicle.channels(), kMaxChannels));
  std::size_t channel = 0;
  for (const Propulsor& p : vehicle.propulsors) {
    const propulsion::Linearised l = full_range(p.model, still);
    const auto* propeller = std::get_if<propulsion::PropellerParams>(&p.model);
    // yaw by reaction torque: a hundredth of the thrust times a lever, and meant
    if (propeller != nullptr && propeller->torque_coef != 0) out.geometry_share = 0.01;
    const bool is_thruster = std::holds_alternative<propulsion::Thruster>(p.model);
    if (!is_thruster) out.bias = out.bias + at_origin(p.mount, l.bias_P);
    for (std::size_t i = 0; i < l.n && channel < out.n; ++i, ++channel) {
      out.column[channel] =
          is_thruster ? column_of(p.mount) : to_vec6(at_origin(p.mount, l.column_P[i]));
      out.lower[channel] = l.lower[i];
      out.upper[channel] = l.upper[i];
      out.effort_weight[channel] = p.effort_weight[i];
      if (is_thruster) out.preferred[channel] = l.preferred[i];
    }
  }
  return out;
}

MatrixReport analyse(const Vehicle& vehicle) {
  const Effectiveness e = effectiveness_of(vehicle);
  const auto n = static_cast<Eigen::Index>(e.n);
  MatrixReport report;
  Eigen::MatrixXd B(6, n);
  for (std::size_t i = 0; i < e.n; ++i) {
    report.columns.push_back(e.column[i]);
    for (std::size_t a = 0; a < kAxes; ++a)
      B(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(i)) = e.column[i][a];
  }

  // pseudo-inverse V S^-1 U^T over the singular values that are not zero
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(B, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& s = svd.singularValues();
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(s.size());
  for (Eigen::Index k = 0; k < s.size(); ++k) {
    report.singular_values.push_back(s[k]);
    if (s[k] > 1e-9 * s[0]) {
      inverse[k] = 1 / s[k];
      ++report.rank;
    }
  }
  const Eigen::MatrixXd pinv = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
  for (Eigen::Index i = 0; i < n; ++i) {
    Vec6 row;
    for (std::size_t a = 0; a < kAxes; ++a) row[a] = pinv(i, static_cast<Eigen::Index>(a));
    report.pinv_rows.push_back(row);
  }

  const std::span<const double> lower(e.lower.data(), e.n), upper(e.upper.data(), e.n);
  for (std::size_t a = 0; a < kAxes; ++a) {
    Vec6 axis;
    axis[a] = 1;
    report.attainable_positive[a] = furthest_along(report.columns, lower, upper, axis);
    axis[a] = -1;
    report.attainable_negative[a] = 0.0 - furthest_along(report.columns, lower, upper, axis);
  }
  return report;
}

}  // namespace pintle::vehicle
