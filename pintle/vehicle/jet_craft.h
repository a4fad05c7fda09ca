/// A robot description and the `.ini` of the jets plugin as one vehicle file (`pintle/vehicle/1`).
///
/// The craft becomes one rigid body with all joints at 0: its mass is that of every link (Steiner's
/// theorem, structure.h), its frame that of the root link. Each jet sits at the origin of its
/// link's frame, turned with it, and pushes along its jet-axis as written:
///
///   p_BoP_B = X_BL.p,   R_BP = X_BL.R,   F_P = jet_axis T
///
/// Feet are where its shapes stand. Gains of the law are made up for thrust that changes by what
/// the jets take, 100 N/s each: rates so stiff that the torque they ask for an error of half a
/// radian a second is there within the time of that loop, the others a third as fast each.
///
/// The text says of each part where it came from. The same input gives the same bytes. What a
/// person must still decide is a warning: joints that move, numbers that nobody gave, thrust that
/// does not carry the weight. Not taken over: collision shapes, joint limits, sensors.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/vehicle/jets_ini.h"
#include "pintle/vehicle/structure.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

struct JetCraftSource {
  std::filesystem::path model_file;      ///< Empty: there is no model, only jets.
  const Structure* structure = nullptr;  ///< Of that file.
  const JetsIni* jets = nullptr;         ///< Null: the craft has none.
  propulsion::JetModel model = propulsion::JetModel::kFirstOrder;
};

struct ImportedVehicle {
  VehicleSpec spec;
  std::string text;                       ///< The vehicle file.
  std::vector<config::Problem> warnings;  ///< Those of the `.ini` are not repeated.
};

/// @throws config::ConfigError with every problem at once: link names that mean none or several, a
/// craft without mass.
/// `law`: that of craft whose own thrust carries them, as a file names it and its section of gains.
[[nodiscard]] ImportedVehicle import_jet_craft(const JetCraftSource& source, std::string_view law);

}  // namespace pintle::vehicle
