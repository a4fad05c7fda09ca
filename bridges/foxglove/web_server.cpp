#include "pintle/foxglove/web_server.h"

#include <pthread.h>

#include <array>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

// Boost 1.74 takes std::exchange for granted: after <utility>
#include <boost/asio.hpp>
#include <boost/beast.hpp>

#include "pintle/flight/stood.h"

namespace pintle::foxglove {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ws = beast::websocket;
using Tcp = asio::ip::tcp;
using Error = beast::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr auto kForRequest = seconds(5), kForAnswer = seconds(20);
constexpr auto kSilent = seconds(20);
constexpr auto kBusy = milliseconds(5), kIdle = milliseconds(100);
constexpr auto kGoodbye = milliseconds(500);
constexpr std::uint32_t kMostHeaders = 8192;
constexpr std::size_t kMostMessage = 1U << 20U;
constexpr int kSocketBytes = 256 * 1024;
constexpr std::string_view kProtocols[] = {"foxglove.sdk.v1", "foxglove.websocket.v1"};

/// The subprotocol to speak, of those that a client offers; empty: none.
std::string_view protocol_for(std::string_view offered) {
  for (const std::string_view p : kProtocols)
    for (std::string_view rest = offered; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      std::string_view one = rest.substr(0, end);
      while (one.starts_with(' ')) one.remove_prefix(1);
      while (one.ends_with(' ')) one.remove_suffix(1);
      if (one == p) return p;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return {};
}

std::string_view view(beast::string_view s) { return {s.data(), s.size()}; }

}  // namespace

struct WebServer::Impl {
  class Visit;

  Impl(WebOptions o, Hub& h) : options(std::move(o)), hub(h), acceptor(io), clock(io), pause(io) {}

  void listen();
  void accept();
  void beat();
  void pump();
  void note(const std::string& text) const {
    if (options.note) options.note(text);
  }

  WebOptions options;
  Hub& hub;
  std::function<void()> turn;
  std::map<ClientId, std::weak_ptr<Visit>> clients;
  std::size_t connections = 0;
  ClientId next_id = 1;
  bool ending = false, was_full = false;
  std::uint16_t port = 0;
  // whatever still waits in it ends before what is above
  asio::io_context io{1};
  Tcp::acceptor acceptor;
  asio::steady_timer clock, pause;
  std::thread thread;
};

/// One connection: a request, then an answer or a WebSocket.
class WebServer::Impl::Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(Impl& server, Tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    ++server_.connections;
  }
  ~Visit() { --server_.connections; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void begin() {
    parser_.header_limit(kMostHeaders);
    parser_.body_limit(0);
    tcp().expires_after(kForRequest);
    http::async_read(tcp(), buffer_, parser_, [self = shared_from_this()](Error e, std::size_t) {
      if (!e) self->answer();
    });
  }
  /// Sends what waits for this client, one message at a time.
  void send() {
    if (!open_) return;
    const auto now = std::chrono::steady_clock::now();
    // who reads is told why; who does not is not waited for
    const bool is_stuck = writing_ && now - began_ > kGoodbye;
    if (server_.hub.is_to_go(id_) && (!writing_ || is_stuck))
      return leave(ws::close_code::policy_error);
    if (writing_) return;
    std::optional<Hub::Frame> frame = server_.hub.next(id_);
    if (!frame) {
      if (server_.ending) leave(ws::close_code::going_away);
      return;
    }
    frame_ = std::move(*frame);
    writing_ = true;
    began_ = now;
    stream_.text(frame_.is_text);
    std::array<asio::const_buffer, 2> pieces{asio::buffer(frame_.head), asio::const_buffer{}};
    if (frame_.body) pieces[1] = asio::buffer(*frame_.body);
    stream_.async_write(pieces, [self = shared_from_this()](Error e, std::size_t) {
      self->writing_ = false;
      if (e) return self->gone();
      self->send();
    });
  }
  void beat() {
    Error e;
    stood_.look();
    if (stood_.is_late() && tcp().socket().available(e) == 0) stood_.find_nothing();
  }
  void leave(ws::close_code code) {
    if (!open_) return;
    gone();
    if (writing_) return beast::close_socket(tcp());  // it does not read: no goodbye reaches it
    stream_.async_close(code, [self = shared_from_this()](Error) {});
  }

 private:
  beast::tcp_stream& tcp() { return beast::get_lowest_layer(stream_); }

  void answer() {
    const auto& request = parser_.get();
    const auto header = [&request](http::field f) { return view(request[f]); };
    const Refusal refusal =
        judge(server_.options.door, {header(http::field::host), header(http::field::origin),
                                     header(http::field::authorization), view(request.target())});
    if (refusal.status != 0) {
      server_.note("live: refused, " + refusal.why);
      return reply(static_cast<http::status>(refusal.status), "text/plain",
                   "refused: " + refusal.why + "\n");
    }
    if (ws::is_upgrade(request)) return upgrade(header(http::field::sec_websocket_protocol));
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return reply(http::status::method_not_allowed, "text/plain", "only GET\n");
    const std::string_view target = view(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (path != "/" && path != "/index.html")
      return reply(http::status::not_found, "text/plain", "there is only  /\n");
    reply(http::status::ok, "text/html; charset=utf-8", std::string(server_.options.page));
  }

  void reply(http::status status, const char* type, std::string body) {
    response_.result(status);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("X-Frame-Options", "DENY");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Content-Security-Policy",
                  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                  "img-src data: blob:; connect-src 'self'; frame-ancestors 'none'; "
                  "base-uri 'none'; form-action 'none'");
    response_.keep_alive(false);
    if (parser_.get().method() == http::verb::head)
      response_.content_length(body.size());
    else
      response_.body() = std::move(body), response_.prepare_payload();
    tcp().expires_after(kForAnswer);
    http::async_write(tcp(), response_, [self = shared_from_this()](Error, std::size_t) {
      Error ignored;
      self->tcp().socket().shutdown(Tcp::socket::shutdown_send, ignored);
    });
  }

  void upgrade(std::string_view offered) {
    const std::string protocol(protocol_for(offered));
    if (protocol.empty()) {
      server_.note("live: refused, a WebSocket without the subprotocol foxglove.sdk.v1");
      return reply(http::status::bad_request, "text/plain",
                   "expected the subprotocol foxglove.sdk.v1 or foxglove.websocket.v1\n");
    }
    tcp().expires_never();
    ws::stream_base::timeout limits{};
    limits.handshake_timeout = kForRequest;
    limits.idle_timeout = kSilent;
    limits.keep_alive_pings = true;
    stream_.set_option(limits);
    stream_.set_option(ws::stream_base::decorator([protocol](ws::response_type& r) {
      r.set(http::field::sec_websocket_protocol, protocol);
    }));
    stream_.read_message_max(kMostMessage);
    stream_.auto_fragment(false);
    Error ignored;
    tcp().socket().set_option(Tcp::no_delay(true), ignored);
    // what lies in the system's memory for a client that has stopped is bounded, too
    tcp().socket().set_option(asio::socket_base::send_buffer_size(kSocketBytes), ignored);
    stream_.async_accept(parser_.get(), [self = shared_from_this()](Error e) {
      if (!e && !self->server_.ending) self->welcome();
    });
  }

  void welcome() {
    open_ = true;
    id_ = server_.next_id++;
    stood_ = {};
    server_.clients[id_] = weak_from_this();
    server_.hub.connect(id_);
    buffer_.consume(buffer_.size());
    read();
    send();
    server_.clock.cancel();  // the next beat comes at the pace of who is busy
  }
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Error e, std::size_t) {
      if (e) return self->gone();
      if (!self->open_ || self->server_.ending) return;
      self->stood_.look();
      const bool late = self->stood_.is_late();
      const auto bytes = self->buffer_.data();
      const auto* data = static_cast<const std::byte*>(bytes.data());
      if (self->stream_.got_text())
        self->server_.hub.hear_text(self->id_, {reinterpret_cast<const char*>(data), bytes.size()},
                                    late);
      else
        self->server_.hub.hear_binary(self->id_, {data, bytes.size()}, late);
      self->buffer_.consume(self->buffer_.size());
      self->server_.pump();
      self->read();
    });
  }
  void gone() {
    if (!open_) return;
    open_ = false;
    server_.hub.disconnect(id_);
    server_.clients.erase(id_);
  }

  Impl& server_;
  ws::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_{kMostMessage + kMostHeaders};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  Hub::Frame frame_;
  ClientId id_ = 0;
  bool open_ = false, writing_ = false;
  flight::Stood stood_;
  std::chrono::steady_clock::time_point began_{};  ///< Of what is being written.
};

void WebServer::Impl::listen() {
  Error e;
  const auto address = asio::ip::make_address(
      options.bind == "localhost" ? std::string("127.0.0.1") : options.bind, e);
  if (e) throw std::runtime_error(options.bind + ": expected an address, such as 127.0.0.1");
  const Tcp::endpoint at(address, options.port);
  const auto fail = [&](const char* what) {
    throw std::runtime_error("port " + std::to_string(options.port) + " of " + options.bind + ": " +
                             what + ": " + e.message());
  };
  if (acceptor.open(at.protocol(), e); e) fail("open");
  acceptor.set_option(asio::socket_base::reuse_address(true), e);
  if (acceptor.bind(at, e); e)
    fail("it cannot be had; take another one, or 0 for any that is free");
  if (acceptor.listen(asio::socket_base::max_listen_connections, e); e) fail("listen");
  port = acceptor.local_endpoint(e).port();
}

void WebServer::Impl::accept() {
  acceptor.async_accept([this](Error e, Tcp::socket socket) {
    if (ending || e == asio::error::operation_aborted) return;
    const bool is_full = connections >= options.most_connections;
    if (!e && !is_full) std::make_shared<Visit>(*this, std::move(socket))->begin();
    if (!e && is_full && !was_full)
      note("live: refused, there are " + std::to_string(connections) + " connections already");
    was_full = is_full;
    if (!e) return accept();
    // no descriptors left: there will be when somebody leaves
    pause.expires_after(kIdle);
    pause.async_wait([this](Error ended) {
      if (!ended) accept();
    });
  });
}

void WebServer::Impl::pump() {
  // a visit that ends while it is served takes itself out of the list
  for (auto it = clients.begin(); it != clients.end();) {
    const auto visit = (it++)->second.lock();
    if (visit) visit->send();
  }
}

void WebServer::Impl::beat() {
  if (ending) return;
  for (const auto& [id, client] : clients)
    if (const auto visit = client.lock()) visit->beat();
  turn();
  pump();
  clock.expires_after(clients.empty() ? kIdle : kBusy);
  clock.async_wait([this](Error) { beat(); });
}

WebServer::WebServer(WebOptions options, Hub& hub)
    : impl_(std::make_unique<Impl>(std::move(options), hub)) {
  impl_->listen();
}

WebServer::~WebServer() { stop(); }

void WebServer::start(std::function<void()> turn) {
  Impl& s = *impl_;
  s.turn = std::move(turn);
  s.accept();
  s.beat();
  s.thread = std::thread([&s] {
    // who watches goes after who flies, whatever the program was started under
    const sched_param ordinary{};
    ::pthread_setschedparam(::pthread_self(), SCHED_OTHER, &ordinary);
    ::pthread_setname_np(::pthread_self(), "live");
    s.io.run();
  });
}

void WebServer::stop() {
  Impl& s = *impl_;
  if (!s.thread.joinable()) return;
  asio::post(s.io, [&s] {
    s.turn();
    s.ending = true;
    Error ignored;
    s.acceptor.close(ignored);
    s.pause.cancel();
    s.clock.expires_after(kGoodbye);
    s.clock.async_wait([&s](Error) { s.io.stop(); });
    s.pump();  // who has been told all is said goodbye to
  });
  s.thread.join();
}

std::uint16_t WebServer::port() const noexcept { return impl_->port; }

}  // namespace pintle::foxglove
