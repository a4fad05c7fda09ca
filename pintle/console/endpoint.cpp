#include "pintle/console/endpoint.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "pintle/console/local_socket.h"

namespace pintle::console {
namespace {

namespace fs = std::filesystem;

constexpr int kLook_ms = 50;        // how soon it notices that it is to end
constexpr int kTick_ms = 1;         // while a request is under way
constexpr int kClient_ms = 10'000;  // for a client's line, and to take the answer
constexpr std::size_t kMostClients = 200;
// of words that stop nothing; the room that is left is for those that do
constexpr std::ptrdiff_t kMostWaiting = 64;
constexpr int kAnswer_ms = 10'000;
constexpr std::size_t kLongestLine = 200;
constexpr std::string_view kAsYarp = "as yarp ";  // before words that a port has heard

// what a signal handler may touch
std::array<char, 4096> made_name{};
std::atomic<bool> is_made{false};

extern "C" void end_by(int signal) {
  remove_endpoint_now();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Signals that would end the program without a word, and that nobody else looks after.
void watch_signals() {
  for (const int signal :
       {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
      std::signal(signal, end_by);
  }
}

}  // namespace

void remove_endpoint_now() noexcept {
  if (is_made.exchange(false)) unlink(made_name.data());
}

Endpoint::Endpoint(const fs::path& path, const mission::Mission& mission,
                   std::vector<std::string> propulsors)
    : path_(fs::absolute(path)), mission_(mission) {
  names_.propulsors = std::move(propulsors);
  for (const mission::State& s : mission.states) names_.states.emplace_back(s.name);
  if (is_made.load()) throw std::runtime_error("this program listens at another socket already");
  const std::string name = path_.string();
  if (name.size() + 1 > made_name.size()) throw std::runtime_error(name + ": too long");
  socket_ = listen_at(path_);
  made_name.fill('\0');
  std::copy(name.begin(), name.end(), made_name.begin());
  is_made = true;
  static const int registered = std::atexit([] { remove_endpoint_now(); });
  static_cast<void>(registered);
  watch_signals();
  thread_ = std::thread([this] { listen(); });
}

Endpoint::~Endpoint() {
  stop_ = true;
  thread_.join();
  close(socket_);
  remove_endpoint_now();
}

void Endpoint::put(const stack::Outputs& last, stack::Inputs& in) noexcept { desk_.put(last, in); }

void Endpoint::take(const stack::Inputs& in, const stack::Outputs& out) noexcept {
  update(now_, in, out);
  status_.write(now_);
  desk_.take(out);
}

void Endpoint::listen() {
  while (!stop_) {
    std::vector<pollfd> pollers{{socket_, POLLIN, 0}};
    for (const Client& c : clients_) {
      const bool says = c.stage == Client::Stage::kSays, hears = c.stage == Client::Stage::kHears;
      pollers.push_back({c.socket, static_cast<short>(says ? POLLIN : hears ? POLLOUT : 0), 0});
    }
    const bool is_busy = desk_.is_busy();
    if (!is_busy) ++looks_;
    if (poll(pollers.data(), pollers.size(), is_busy ? kTick_ms : kLook_ms) < 0) continue;
    if (stood_.look()) {
      for (Client& c : clients_) c.is_late = true;
      lay_there_ = kBacklog + 1;  // Linux keeps one more
    }
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (pollers[i + 1].revents != 0) serve(clients_[i], (pollers[i + 1].revents & POLLHUP) != 0);
    if ((pollers[0].revents & POLLIN) != 0) {
      welcome();
      // who comes after as many as can have lain there has asked since, also where one comes at every moment
      if (lay_there_ > 0 && --lay_there_ == 0) stood_ = {};
    } else {
      stood_.find_nothing();
    }
    pass_on_answers();
    see_off();
  }
  for (Client& c : clients_) {
    if (c.stage == Client::Stage::kWaits) tell(c, "failed\nthe run has ended\n");
    if (c.stage == Client::Stage::kHears) serve(c, false);
    close(c.socket);
  }
}

void Endpoint::welcome() {
  const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return;
  // who has been there for longest makes room, but for who waits for the tick
  if (clients_.size() >= kMostClients) {
    const auto first = std::find_if(clients_.begin(), clients_.end(), [](const Client& c) {
      return c.stage != Client::Stage::kWaits;
    });
    if (first == clients_.end()) {
      close(connection);
      return;
    }
    close(first->socket);
    clients_.erase(first);
  }
  Client c;
  c.id = next_id_++;
  c.socket = connection;
  c.is_late = stood_.is_late();
  c.until = Clock::now() + std::chrono::milliseconds(kClient_ms);
  clients_.push_back(std::move(c));
  pollfd look{connection, POLLIN, 0};
  serve(clients_.back(), poll(&look, 1, 0) == 1 && (look.revents & POLLHUP) != 0);
}

/// Takes what a client says, or gives it what it waits for; never waits itself. Who has hung up was
/// told that nothing was done, so nothing is, but what makes the craft stay or come down.
void Endpoint::serve(Client& c, bool has_hung_up) {
  if (c.stage == Client::Stage::kWaits && has_hung_up && !c.is_urgent) {
    desk_.leave(c.id);
    c.stage = Client::Stage::kGone;
    return;
  }
  if (c.stage == Client::Stage::kSays) {
    std::array<char, 1024> bytes{};
    const ssize_t n = recv(c.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0) c.line.append(bytes.data(), static_cast<std::size_t>(n));
    const std::size_t end = c.line.find('\n');
    if (end == std::string::npos && n > 0 && c.line.size() <= kLongestLine) return;
    c.line.resize(std::min(end, c.line.size()));
    if (n < 0 || c.line.empty() || c.line.size() > kLongestLine) {
      c.stage = Client::Stage::kGone;
      return;
    }
    hear(c, has_hung_up);
  }
  if (c.stage != Client::Stage::kHears) return;
  const ssize_t n = send(c.socket, c.reply.data(), c.reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  c.reply.erase(0, n < 0 ? std::string::npos : static_cast<std::size_t>(n));
  if (c.reply.empty()) c.stage = Client::Stage::kGone;
}

void Endpoint::tell(Client& c, std::string reply) {
  c.reply = std::move(reply);
  c.stage = Client::Stage::kHears;
  c.until = Clock::now() + std::chrono::milliseconds(kClient_ms);
}

void Endpoint::hear(Client& c, bool has_hung_up) {
  std::string_view words = c.line;
  auto from = mission::Operator::kCli;
  if (words.starts_with(kAsYarp)) {
    words.remove_prefix(kAsYarp.size());
    from = mission::Operator::kYarp;
  }
  if (words == "status") return tell(c, "accepted\n" + text_of(status_.read(), names_));
  if (words == "fields") return tell(c, "accepted\n" + fields_of(status_.read(), names_));
  try {
    const flight::OperatorRequest request =
        flight::parse_request(words, mission_, from, names_.propulsors);
    c.is_urgent = flight::is_urgent(request);
    if (c.is_late && !c.is_urgent)
      return tell(c, std::string("failed\n") + flight::kSaidLate + "\n");
    if (has_hung_up && !c.is_urgent) {
      c.stage = Client::Stage::kGone;
      return;
    }
    const auto waiting = std::count_if(clients_.begin(), clients_.end(), [](const Client& other) {
      return other.stage == Client::Stage::kWaits && !other.is_urgent;
    });
    if (!c.is_urgent && waiting >= kMostWaiting)
      return tell(c, "failed\nnothing was done: too many ask at once\n");
    desk_.ask(c.id, request);
  } catch (const std::invalid_argument& e) {
    return tell(c, std::string("wrong\n") + e.what() + "\n");
  }
  c.stage = Client::Stage::kWaits;
}

Endpoint::Client* Endpoint::client(std::int64_t id) {
  for (Client& c : clients_)
    if (c.id == id) return &c;
  return nullptr;
}

void Endpoint::pass_on_answers() {
  for (const flight::OperatorDesk::Answer& a : desk_.turn()) {
    Client* c = client(a.client);
    if (c == nullptr) continue;
    if (!a.outcome)
      tell(*c, "failed\nnothing was done: the run does not tick\n");
    else
      tell(*c, (a.outcome->accepted ? "accepted\n" : "refused\n") + sentence(*a.outcome, mission_) +
                   "\n");
  }
}

/// Who has heard its answer, or kept us waiting.
void Endpoint::see_off() {
  const auto now = Clock::now();
  for (Client& c : clients_) {
    if (c.stage != Client::Stage::kWaits && now > c.until) c.stage = Client::Stage::kGone;
    if (c.stage == Client::Stage::kGone) close(c.socket);
  }
  std::erase_if(clients_, [](const Client& c) { return c.stage == Client::Stage::kGone; });
}

std::unique_ptr<Endpoint> open_endpoint(const std::string& where, const std::string& name,
                                        const mission::Mission& mission,
                                        std::vector<std::string> propulsors, std::string& why) {
  try {
    return std::make_unique<Endpoint>(where == "default" ? default_endpoint(name) : fs::path(where),
                                      mission, std::move(propulsors));
  } catch (const std::exception& e) {
    why = std::string("pintle command will not reach it: ") + e.what();
    return nullptr;
  }
}

EndpointReply ask_endpoint(const fs::path& path, std::string_view words, mission::Operator from) {
  const int socket = connect_to(path);
  std::string text;
  const std::string_view as = from == mission::Operator::kYarp ? kAsYarp : "";
  const bool good = write_all(socket, std::string(as) + std::string(words) + "\n", kClient_ms) &&
                    read_all(socket, text, kAnswer_ms);
  close(socket);
  const std::size_t end = text.find('\n');
  if (!good || end == std::string::npos)
    throw std::runtime_error(path.string() + ": no answer; is the run stopped?");
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace pintle::console
