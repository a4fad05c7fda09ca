// Any bytes on a connection to the live server: as an HTTP request, and as what comes after the handshake of a WebSocket. The
// server answers the next one. Each input is a connection: run these a tenth as often as others.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pintle/foxglove/web_server.h"

namespace {

using namespace pintle::foxglove;

class NoDeeds : public Deeds {
 public:
  [[nodiscard]] const std::vector<Service>& services() const override { return none_; }
  std::string call(const ServiceCall&) override { return "no"; }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return {}; }
  std::string set(const std::vector<Parameter>&, std::string&) override { return "no"; }
  std::string publish(const ClientMessage&) override { return "no"; }
  [[nodiscard]] std::optional<std::string> asset(std::string_view) const override { return {}; }

 private:
  std::vector<Service> none_;
};

struct Served {
  NoDeeds deeds;
  Hub hub{{"pintle", "1"}, deeds};
  WebServer server{{.port = 0, .page = "<p>here</p>"}, hub};
  Served() {
    server.start([] {});
    // the fuzzer looks at the time in a signal every few seconds: a call that waits goes on after it
    struct sigaction alarm {};
    ::sigaction(SIGALRM, nullptr, &alarm);
    alarm.sa_flags |= SA_RESTART;
    ::sigaction(SIGALRM, &alarm, nullptr);
  }
};

/// What is answered to these bytes, after which nothing more comes.
std::string say(std::uint16_t port, std::string_view bytes) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(s, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) std::abort();
  while (!bytes.empty()) {
    const ssize_t n = ::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) break;  // it has hung up, as it may
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  ::shutdown(s, SHUT_WR);
  std::string answer;
  char part[4096];
  for (ssize_t n; (n = ::recv(s, part, sizeof part, 0)) > 0;)
    answer.append(part, static_cast<std::size_t>(n));
  ::close(s);
  return answer;
}

constexpr std::string_view kHandshake =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Served served;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 != 0) bytes.insert(0, kHandshake);
  (void)say(served.server.port(), bytes);
  if (data[0] % 16 == 0 &&
      say(served.server.port(), "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n").find("<p>here</p>") ==
          std::string::npos)
    std::abort();
  return 0;
}
