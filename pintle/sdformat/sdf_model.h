/// Models in SDF, and the jets that Gazebo's jets plugin hangs on them.
///
/// A model becomes a structure: links with mass, inertia and pose (frames resolved), hinges and
/// slides, shapes that touch. The body frame is that of the canonical link. A hinge whose anchor is
/// not at its child's origin gets a massless link in between, named "CHILD/anchor", so that forces
/// at link origins stay where they are. `<yarpConfigurationFile>` of a plugin leads to its `.ini`.
///
/// model://NAME/x and package://NAME/x are looked for in the given folders, in those of the
/// environment (GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH; ROS_PACKAGE_PATH
/// for packages), and in each folder above the model file that is named NAME or holds it.
/// Does not read: nested models, meshes as shapes, joints of other kinds, links that hang on
/// nothing.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/vehicle/jets_ini.h"
#include "pintle/vehicle/structure.h"

namespace pintle::sdformat {

/// A plugin of the model that names a YARP configuration.
struct YarpPlugin {
  std::string name, library;
  std::string uri;  ///< As written.
  config::Location where;
};

struct SdfModel {
  vehicle::Structure structure;
  std::vector<YarpPlugin> plugins;  ///< Those with a <yarpConfigurationFile>.
  std::vector<config::Problem> warnings;
};

/// The one model of a file.
/// @throws config::ConfigError with every problem at once.
[[nodiscard]] SdfModel load_sdf(const std::filesystem::path& file,
                                const std::vector<std::filesystem::path>& folders = {});

/// Where an address leads; empty when nothing is there. A plain path is beside `file`.
[[nodiscard]] std::filesystem::path resolve_uri(
    std::string_view uri, const std::filesystem::path& file,
    const std::vector<std::filesystem::path>& folders = {});

/// The `.ini` that the one plugin of a model names.
/// @throws config::ConfigError; also when no plugin of the model has such a file, or several have.
[[nodiscard]] vehicle::JetsIni load_plugin_jets(
    const SdfModel& model, const std::filesystem::path& sdf_file,
    const std::vector<std::filesystem::path>& folders = {});

struct JetCraft {
  vehicle::Structure structure;
  vehicle::JetsIni jets;
  std::vector<vehicle::MountedJet> mounts;
  std::vector<config::Problem> warnings;
};
/// The model, the `.ini` of its jets plugin, and each jet on its link.
/// @throws config::ConfigError with every problem at once.
[[nodiscard]] JetCraft import_jet_craft(const std::filesystem::path& sdf_file,
                                        const std::vector<std::filesystem::path>& folders = {});

}  // namespace pintle::sdformat
