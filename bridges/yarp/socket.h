/// TCP sockets that never wait, and the one exchange that does.
///
/// POSIX sockets rather than Boost.Asio: the whole protocol is one state machine over bytes, which
/// is tested and fuzzed without a socket; what is left are six calls of the system and one poll.
/// Asio would bring handlers that take memory for each message, and a dependency into everything
/// that links an installed Pintle.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pintle::yarp {

struct Address {
  std::string host = "127.0.0.1";  ///< In numbers, or localhost.
  int port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};
/// "127.0.0.1:10000".
[[nodiscard]] std::string to_string(const Address& address);

/// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  void close() noexcept;

 private:
  int descriptor_ = -1;
};

/// Listens; port 0 takes any, and `address` then says which, in numbers.
/// @throws std::runtime_error
[[nodiscard]] Socket listen_at(Address& address);
/// The next that dials, watched by the system (keepalive: 10 s of silence, then three questions 5 s
/// apart). Not open: there is none, or, when `starved`, no descriptor or memory for it.
[[nodiscard]] Socket accept_from(const Socket& listener, bool& starved);
/// Begins to dial. Not open, and `why`: it cannot be.
[[nodiscard]] Socket begin_connect(const Address& address, std::string& why);
/// After it has become writable: empty when it is connected, else why not.
[[nodiscard]] std::string connect_error(const Socket& socket);

enum class Io : std::uint8_t { kDone, kLater, kClosed };
/// Appends what is there, at most 16 KiB.
[[nodiscard]] Io receive(const Socket& socket, std::string& into);
/// Takes what could be sent off the front.
[[nodiscard]] Io send(const Socket& socket, std::string& bytes);

/// Where others reach what listens at all addresses of this machine: the address that a connection
/// to `towards` would come from, unless that is this machine's alone; else the first of a network
/// that is up; else 127.0.0.1. Asks the system alone, and sends nothing.
[[nodiscard]] std::string reachable_host(const Address& towards);
/// Whether it is an address of this machine.
[[nodiscard]] bool is_of_this_machine(const std::string& host);

/// Whether somebody wants it ended; looked at every 50 ms.
using Stopped = std::function<bool()>;

/// Who took the call says nothing, or takes nothing: a program that stands, perhaps.
struct Silent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A socket with blocking calls. However slowly the other side answers, all of them together take
/// `within`, and less when it is stopped.
class Dialogue {
 public:
  using Seconds = std::chrono::duration<double>;
  /// @throws std::runtime_error when nobody is there in time, as all that follows does: Silent when
  /// somebody is.
  Dialogue(const Address& address, Seconds within, Stopped stopped = {});
  void say(std::string_view text);
  /// More bytes; false at the end of the stream.
  bool hear(std::string& into);

 private:
  /// False: it is too late.
  bool wait_for(short events) const;

  Socket socket_;
  Address address_;
  std::chrono::steady_clock::time_point until_;
  Stopped stopped_;
};

}  // namespace pintle::yarp
