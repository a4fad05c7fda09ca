/// What is asked of somebody else's port, by text_ack as the tools of YARP do. All of it takes 10 s
/// at most, however slowly the other side answers, and less when it is stopped.
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

/// Whether the port of that name answers where it is registered. A program that was killed leaves
/// its name behind, and its number may be another's by now. Who takes the call and says nothing for
/// `within` counts as that port.
[[nodiscard]] bool is_there(const Registration& registered, Dialogue::Seconds within,
                            const Stopped& stopped = {});

}  // namespace pintle::yarp
