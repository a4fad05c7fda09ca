/// One port for pages and WebSockets, in a thread of its own.
///
/// A connection has five seconds for its request and 8 kB of headers; a WebSocket is pinged and left
/// after 20 s of silence; what it sends may be 1 MB long. So many connections at once, no more; who
/// comes then is shown out. Where this thread has stood still for two seconds (a program that was
/// stopped, a disk that hangs) what has come meanwhile is late.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pintle/foxglove/door.h"
#include "pintle/foxglove/hub.h"

namespace pintle::foxglove {

struct WebOptions {
  std::string bind = "127.0.0.1";
  std::uint16_t port = 8765;  ///< 0: any that is free.
  DoorRules door;
  std::string_view page;                         ///< HTML for "/"; must outlive the server.
  std::function<void(const std::string&)> note;  ///< What was refused, or is to be known.
  std::size_t most_connections = 128;
};

class WebServer {
 public:
  /// Listens at once; nothing is served before `start`.
  /// @throws std::runtime_error when the port cannot be had.
  WebServer(WebOptions options, Hub& hub);
  /// Says goodbye to who is there, for half a second at most.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// From now on the hub belongs to the server's thread, in which `turn` is called: two hundred
  /// times a second while somebody is there, else ten.
  void start(std::function<void()> turn);
  /// Ends the thread; the hub is the caller's again. Once.
  void stop();
  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::foxglove
