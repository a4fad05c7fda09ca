#include "model_file.h"

#include <string>

#include "import_mjcf.h"
#include "import_sdf.h"
#include "pintle/config/file.h"
#include "pintle/vehicle/jet_craft.h"
#include "pintle/vehicle/urdf.h"

namespace pintle::app {

namespace fs = std::filesystem;

std::optional<ModelFormat> model_format(const fs::path& file) {
  const std::string text = config::read_file(file);
  if (vehicle::is_jets_ini(file, text)) return ModelFormat::kJets;
  // its own reader says what such a file is not
  if (file.extension() == ".sdf") return ModelFormat::kSdf;
  if (file.extension() == ".urdf") return ModelFormat::kUrdf;
  // nothing but comments may stand before the first element
  if (text.find_first_not_of(" \t\r\n\xEF\xBB\xBF") != text.find('<')) return std::nullopt;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("<!--")) {
      at = text.find("-->", at);
      if (at == std::string::npos) break;
      continue;
    }
    if (rest.starts_with("<?") || rest.starts_with("<!")) continue;
    if (rest.starts_with("<robot")) return ModelFormat::kUrdf;
    if (rest.starts_with("<sdf")) return ModelFormat::kSdf;
    if (rest.starts_with("<mujoco")) return ModelFormat::kMjcf;
    break;
  }
  return std::nullopt;
}

std::vector<config::Problem> problems_of_model(const fs::path& file, ModelFormat format,
                                               const std::vector<fs::path>& folders) {
  std::vector<config::Problem> found;
  const auto add = [&found](const std::vector<config::Problem>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  try {
    switch (format) {
      case ModelFormat::kJets: add(vehicle::load_jets_ini(file).warnings); break;
      case ModelFormat::kUrdf: add(vehicle::load_urdf(file).warnings); break;
      case ModelFormat::kMjcf: add(read_mjcf(file).warnings); break;
      case ModelFormat::kSdf: {
        const SdfCraft craft = read_sdf(file, true, folders);
        add(craft.warnings);
        if (!craft.jets) break;
        add(craft.jets->warnings);
        // what it says beside is for who imports it
        (void)vehicle::import_jet_craft({file, &craft.structure, &*craft.jets},
                                        to_string(control::inner_law()));
      }
    }
  } catch (const config::ConfigError& e) {
    add(e.problems());
  }
  return found;
}

}  // namespace pintle::app
