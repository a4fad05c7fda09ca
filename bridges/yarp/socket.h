/// TCP sockets that never wait, and the one exchange that does.
///
/// POSIX sockets rather than Boost.Asio: the whole protocol is one state machine over bytes, which
/// is tested and fuzzed without a socket; what is left are six calls of the system and one poll.
/// Asio would bring handlers that take memory for each message, and a dependency into everything
/// that links an installed Pintle.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pintle::yarp {

struct Address {
  std::string host = "127.0.0.1";  ///< In numbers.
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

/// Listens; port 0 takes any, and `address` then says which.
/// @throws std::runtime_error
[[nodiscard]] Socket listen_at(Address& address);
/// The next that dials; not open: there is none.
[[nodiscard]] Socket accept_from(const Socket& listener, Address& peer);
/// Begins to dial. Not open, and `why`: it cannot be.
[[nodiscard]] Socket begin_connect(const Address& address, std::string& why);
/// After it has become writable: empty when it is connected, else why not.
[[nodiscard]] std::string connect_error(const Socket& socket);

enum class Io : std::uint8_t { kDone, kLater, kClosed };
/// Appends what is there, at most 64 KiB.
[[nodiscard]] Io receive(const Socket& socket, std::string& into);
/// Takes what could be sent off the front.
[[nodiscard]] Io send(const Socket& socket, std::string& bytes);

/// A socket with blocking calls bounded in time, for the command line.
class Dialogue {
 public:
  using Seconds = std::chrono::duration<double>;
  /// @throws std::runtime_error when nobody is there within `within`.
  Dialogue(const Address& address, Seconds within);
  void say(std::string_view text);
  /// More bytes; false at the end of the stream. @throws std::runtime_error when it takes too long.
  bool hear(std::string& into);
  [[nodiscard]] const Socket& socket() const noexcept { return socket_; }

 private:
  Socket socket_;
  Address address_;
  Seconds within_;
};

}  // namespace pintle::yarp
