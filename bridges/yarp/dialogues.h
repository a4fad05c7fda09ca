/// What a tool asks of somebody else's port, by text_ack as the tools of YARP do. All of it takes
/// 10 s at most, however slowly the other side answers, and less when it is stopped.
#pragma once
#include <string>

#include "pintle/yarp/name_client.h"
#include "pintle/yarp/wire.h"

namespace pintle::yarp {

/// Asks `from` to send to `to`. Empty: done, else why not. @throws std::runtime_error when the name
/// server or the port does not answer.
[[nodiscard]] std::string connect_ports(const Address& name_server, const std::string& from,
                                        const std::string& to, Carrier carrier,
                                        const Stopped& stopped = {});
[[nodiscard]] std::string disconnect_ports(const Address& name_server, const std::string& from,
                                           const std::string& to);
/// What it says of itself, line by line. @throws std::runtime_error
[[nodiscard]] std::string describe_port(const Address& name_server, const std::string& name);

}  // namespace pintle::yarp
