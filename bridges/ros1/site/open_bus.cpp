#include <dlfcn.h>

#include <stdexcept>

#include "pintle/ros1_site/bus.h"

namespace pintle::ros1_site {

BusPtr open_bus(const std::string& module, const BusOptions& options) {
  // it stays: what ROS has started does not like to be unloaded
  void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto open =
      library == nullptr ? nullptr : reinterpret_cast<OpenBus>(dlsym(library, kOpenBus));
  if (open == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error("the ROS 1 bridge cannot be loaded: " +
                             std::string(why == nullptr ? module : why));
  }
  std::string why_not;
  BusPtr bus(open(options, why_not));
  if (!bus) throw std::runtime_error(why_not);
  return bus;
}

}  // namespace pintle::ros1_site
