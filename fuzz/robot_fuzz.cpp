// Files of other systems: any bytes as a YARP configuration, which is the jets plugin's .ini, and of even length as URDF.
// What is read must be whole, what is refused must say where.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pintle/vehicle/jets_ini.h"
#include "pintle/vehicle/urdf.h"

using namespace pintle::vehicle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size % 2 != 0) {
    // an include may name any file of this machine: not that
    if (text.find("include") != std::string_view::npos) return 0;
    try {
      const JetsIni jets = parse_jets_ini(text, "jets.ini");
      for (const JetsIniJet& jet : jets.jets)
        if (!(jet.max_thrust_N >= 0) || jet.link.empty() || !std::isfinite(norm(jet.axis)))
          std::abort();
    } catch (const pintle::config::ConfigError& e) {
      for (const auto& p : e.problems())
        if (p.where.line < 1 || p.message.empty()) std::abort();
    }
    return 0;
  }
  try {
    const UrdfModel model = parse_urdf(text, "robot.urdf");
    if (model.structure.links.empty() || !check(model.structure).empty()) std::abort();
    (void)mass_of(model.structure);
  } catch (const pintle::config::ConfigError& e) {
    for (const auto& p : e.problems())
      if (p.where.line < 1 || p.message.empty()) std::abort();
  }
  return 0;
}
