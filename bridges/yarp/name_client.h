/// Asking a name server: where it is, what it knows.
///
///   "NAME_SERVER " command LF  ->  lines, up to one that begins with '*' or '['
///
/// The contact file says where it is: $YARP_CONFIG_HOME/yarp.conf, else
/// $XDG_CONFIG_HOME/yarp/yarp.conf, else ~/.config/yarp/yarp.conf, with `127.0.0.1 10000 yarp`, or
///
///   [name]
///   host 127.0.0.1
///   port 10000
///   mode yarp
///
/// Source: NameConfig of robotology/yarp at 4bc737e.
#pragma once
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pintle/yarp/loop.h"
#include "pintle/yarp/socket.h"

namespace pintle::yarp {

[[nodiscard]] std::filesystem::path contact_file();
/// What a contact file says; nothing when there is none, or nothing in it.
/// @throws std::runtime_error with file and line for what is no address.
[[nodiscard]] std::optional<Address> read_contact(const std::filesystem::path& file);
/// That of contact_file(), else 127.0.0.1:10000. @throws std::runtime_error as above.
[[nodiscard]] Address name_server_address();

/// Where the name server is for a program that runs: as it was told, or as the contact file says,
/// which is read again when nobody answers. Of any thread.
class NameServerPlace {
 public:
  /// Nothing: the contact file. @throws std::runtime_error as above.
  explicit NameServerPlace(const std::optional<Address>& told)
      : from_file_(!told), at_(told ? *told : name_server_address()) {}
  [[nodiscard]] Address address() const;
  /// True: the file has another address than before.
  bool look_again();

 private:
  bool from_file_;
  mutable std::mutex mutex_;
  Address at_;
};

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
/// The answer without its last line. @throws std::runtime_error when nobody answers in time, and
/// for a command with control characters: it would be two.
[[nodiscard]] Lines ask(const Address& server, std::string_view command, double within_s = 2,
                        const Stopped& stopped = {});
/// Nothing: it is not registered. @throws std::runtime_error as above.
[[nodiscard]] std::optional<Registration> query(const Address& server, std::string_view name,
                                                double within_s = 2, const Stopped& stopped = {});

// in the loop's thread, with an answer within a second

/// Nothing: nobody answers, also where the contact file leads by now.
void ask_later(Loop& loop, NameServerPlace& server, const std::string& command,
               std::function<void(const std::optional<Lines>&)> answer);
/// Nothing: it is not registered, or nobody answers.
void query_later(Loop& loop, NameServerPlace& server, const std::string& name,
                 std::function<void(const std::optional<Registration>&)> answer);
/// Whether somebody answers there.
void knock_later(Loop& loop, const Address& address, std::function<void(bool)> answer);
/// Asks a port to send to `reader` no more; done, or not.
void disconnect_later(Loop& loop, const Address& port, const std::string& reader,
                      std::function<void()> done);

}  // namespace pintle::yarp
