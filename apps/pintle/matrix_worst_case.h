/// `pintle matrix --worst-case`: the most steps of the allocation's solver, proved and found.
#pragma once
#include <string>

#include "pintle/craft/load.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::app {

/// A table, or JSON. Progress goes to stderr.
[[nodiscard]] std::string worst_case_report(const vehicle::Vehicle& v,
                                            const craft::VehicleFile& file, bool json,
                                            long most_parts);

}  // namespace pintle::app
