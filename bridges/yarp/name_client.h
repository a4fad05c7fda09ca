/// Asking a name server: where it is, what it knows.
///
///   "NAME_SERVER " command LF  ->  lines, up to one that begins with '*' or '['
///
/// The contact file says where it is: $YARP_CONFIG_HOME/yarp.conf, else
/// $XDG_CONFIG_HOME/yarp/yarp.conf, else ~/.config/yarp/yarp.conf, with `127.0.0.1 10000 yarp`.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pintle/yarp/loop.h"
#include "pintle/yarp/socket.h"

namespace pintle::yarp {

[[nodiscard]] std::filesystem::path contact_file();
/// What a contact file says; nothing when there is none, or no address in it.
[[nodiscard]] std::optional<Address> read_contact(const std::filesystem::path& file);
/// That of contact_file(), else 127.0.0.1:10000.
[[nodiscard]] Address name_server_address();

/// An entry of a name server.
struct Registration {
  std::string name;
  Address at;
  std::string carrier;
};
/// Of a line "registration name N ip I port P type C".
[[nodiscard]] std::optional<Registration> parse_registration(std::string_view line);
[[nodiscard]] std::string to_line(const Registration& registration);

using Lines = std::vector<std::string>;
/// The answer without its last line. @throws std::runtime_error when nobody answers in time.
[[nodiscard]] Lines ask(const Address& server, std::string_view command, double within_s = 2);
/// Nothing: it is not registered. @throws std::runtime_error as above.
[[nodiscard]] std::optional<Registration> query(const Address& server, std::string_view name,
                                                double within_s = 2);

/// The same in the loop's thread; nothing when nobody answers in time.
void ask_later(Loop& loop, const Address& server, const std::string& command,
               std::function<void(std::optional<Lines>)> answer);

}  // namespace pintle::yarp
