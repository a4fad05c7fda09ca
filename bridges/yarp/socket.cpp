#include "pintle/yarp/socket.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace pintle::yarp {
namespace {

// more at once, and who writes without pause would keep the others waiting
constexpr std::size_t kChunk = 16 << 10;

std::string error_text(int error) { return std::strerror(error); }

std::optional<sockaddr_in> system_address(const Address& address) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(address.port));
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  if (address.port < 0 || address.port > 65535) return std::nullopt;
  if (inet_pton(AF_INET, host.c_str(), &out.sin_addr) != 1) return std::nullopt;
  return out;
}

Address plain(const sockaddr_in& a) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &a.sin_addr, text.data(), text.size());
  return {text.data(), ntohs(a.sin_port)};
}

void set_option(int descriptor, int level, int option, int value = 1) {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

Socket make_socket() {
  return Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool is_loopback(const std::string& host) { return host.starts_with("127."); }

}  // namespace

std::string to_string(const Address& a) { return a.host + ":" + std::to_string(a.port); }

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}
Socket::~Socket() { close(); }
void Socket::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Socket listen_at(Address& address) {
  const auto where = system_address(address);
  if (!where)
    throw std::runtime_error(to_string(address) + ": expected an address in numbers, 127.0.0.1");
  Socket out = make_socket();
  set_option(out.descriptor(), SOL_SOCKET, SO_REUSEADDR);
  sockaddr_in got{};
  socklen_t length = sizeof got;
  if (!out.is_open() ||
      bind(out.descriptor(), reinterpret_cast<const sockaddr*>(&*where), sizeof *where) != 0 ||
      listen(out.descriptor(), SOMAXCONN) != 0 ||
      getsockname(out.descriptor(), reinterpret_cast<sockaddr*>(&got), &length) != 0)
    throw std::runtime_error(to_string(address) + ": " + error_text(errno));
  address = plain(got);
  return out;
}

Socket accept_from(const Socket& listener, bool& starved) {
  Socket out(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  starved =
      !out.is_open() && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (!out.is_open()) return out;
  const int d = out.descriptor();
  set_option(d, IPPROTO_TCP, TCP_NODELAY);
  // a machine that was switched off says no good-bye
  set_option(d, SOL_SOCKET, SO_KEEPALIVE);
  set_option(d, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(d, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(d, IPPROTO_TCP, TCP_KEEPCNT, 3);
  return out;
}

std::string reachable_host(const Address& towards) {
  // a datagram socket that is "connected" sends nothing: only its way is looked up
  const Socket way(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  socklen_t length = sizeof own;
  if (const auto where = system_address(towards);
      where && way.is_open() &&
      connect(way.descriptor(), reinterpret_cast<const sockaddr*>(&*where), sizeof *where) == 0 &&
      getsockname(way.descriptor(), reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
      !is_loopback(plain(own).host))
    return plain(own).host;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> kept(all, freeifaddrs);
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    if ((i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in a{};
    std::memcpy(&a, i->ifa_addr, sizeof a);
    return plain(a).host;
  }
  return "127.0.0.1";
}

bool is_of_this_machine(const std::string& host) {
  const auto where = system_address({host, 0});
  const Socket there(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return where && there.is_open() &&
         bind(there.descriptor(), reinterpret_cast<const sockaddr*>(&*where), sizeof *where) == 0;
}

Socket begin_connect(const Address& address, std::string& why) {
  const auto where = system_address(address);
  if (!where) {
    why = to_string(address) + ": not an address in numbers";
    return {};
  }
  Socket out = make_socket();
  if (out.is_open()) set_option(out.descriptor(), IPPROTO_TCP, TCP_NODELAY);
  if (out.is_open() &&
      (connect(out.descriptor(), reinterpret_cast<const sockaddr*>(&*where), sizeof *where) == 0 ||
       errno == EINPROGRESS))
    return out;
  why = to_string(address) + ": " + error_text(errno);
  return {};
}

std::string connect_error(const Socket& socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  return error == 0 ? std::string{} : error_text(error);
}

Io receive(const Socket& socket, std::string& into) {
  std::array<char, kChunk> bytes;  // NOLINT: filled by recv
  const ssize_t n = recv(socket.descriptor(), bytes.data(), bytes.size(), 0);
  if (n > 0) {
    into.append(bytes.data(), static_cast<std::size_t>(n));
    return Io::kDone;
  }
  return n < 0 && (errno == EAGAIN || errno == EINTR) ? Io::kLater : Io::kClosed;
}

Io send(const Socket& socket, std::string& bytes) {
  std::size_t sent = 0;
  Io result = Io::kDone;
  while (sent < bytes.size()) {
    const ssize_t n =
        ::send(socket.descriptor(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    result = n < 0 && errno == EAGAIN ? Io::kLater : Io::kClosed;
    break;
  }
  bytes.erase(0, sent);
  return result;
}

Dialogue::Dialogue(const Address& address, Seconds within, Stopped stopped)
    : address_(address),
      until_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(within)),
      stopped_(std::move(stopped)) {
  std::string why;
  socket_ = begin_connect(address, why);
  if (!socket_.is_open()) throw std::runtime_error(why);
  if (!wait_for(POLLOUT)) throw std::runtime_error(to_string(address) + ": no answer");
  why = connect_error(socket_);
  if (!why.empty()) throw std::runtime_error(to_string(address) + ": " + why);
}

bool Dialogue::wait_for(short events) const {
  constexpr std::int64_t kGlance_ms = 50;
  for (;;) {
    if (stopped_ && stopped_()) throw std::runtime_error(to_string(address_) + ": stopped");
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd p{socket_.descriptor(), events, 0};
    const std::int64_t ms = stopped_ ? std::min(left.count(), kGlance_ms) : left.count();
    if (poll(&p, 1, static_cast<int>(ms)) > 0) return true;
  }
}

void Dialogue::say(std::string_view text) {
  std::string bytes(text);
  while (!bytes.empty()) {
    const Io io = send(socket_, bytes);
    if (io == Io::kClosed) throw std::runtime_error(to_string(address_) + ": it has hung up");
    if (io == Io::kLater && !wait_for(POLLOUT))
      throw Silent(to_string(address_) + ": it takes nothing");
  }
}

bool Dialogue::hear(std::string& into) {
  for (;;) {
    if (!wait_for(POLLIN)) throw Silent(to_string(address_) + ": no answer");
    const Io io = receive(socket_, into);
    if (io != Io::kLater) return io == Io::kDone;
  }
}

}  // namespace pintle::yarp
