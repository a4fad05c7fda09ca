#include "pintle/console/endpoint.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "pintle/console/local_socket.h"

namespace pintle::console {
namespace {

namespace fs = std::filesystem;

constexpr int kLook_ms = 50;      // how soon it notices that it is to end
constexpr int kClient_ms = 1000;  // for a client's line, and to take the answer
constexpr int kTakenUpWithin_ms = 2000;
constexpr int kAnswer_ms = 10'000;
constexpr std::size_t kLongestLine = 200;

// what a signal handler may touch
std::array<char, 4096> made{};
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
  if (is_made.exchange(false)) unlink(made.data());
}

Endpoint::Endpoint(const fs::path& path, const mission::Mission& mission)
    : path_(fs::absolute(path)), mission_(mission) {
  if (is_made.load()) throw std::runtime_error("this program listens at another socket already");
  const std::string name = path_.string();
  if (name.size() + 1 > made.size()) throw std::runtime_error(name + ": too long");
  socket_ = listen_at(path_);
  made.fill('\0');
  std::copy(name.begin(), name.end(), made.begin());
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

void Endpoint::put(const stack::Outputs& last, stack::Inputs& in) noexcept {
  if (!runner_.is_busy()) {
    Slot asked = Slot::kAsked;
    if (!slot_.compare_exchange_strong(asked, Slot::kRunning, std::memory_order_acq_rel)) return;
    runner_.begin(request_, last);
  }
  runner_.put(in);
}

void Endpoint::take(const stack::Inputs& in, const stack::Outputs& out) noexcept {
  update(now_, in, out);
  status_.write(now_);
  const auto outcome = runner_.take(out);
  if (!outcome) return;
  outcome_ = *outcome;
  slot_.store(Slot::kAnswered, std::memory_order_release);
}

void Endpoint::listen() {
  while (!stop_) {
    pollfd poller{socket_, POLLIN, 0};
    if (poll(&poller, 1, kLook_ms) <= 0) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    serve(connection);
    close(connection);
  }
}

void Endpoint::serve(int connection) {
  std::string line;
  if (!read_line(connection, line, kClient_ms, kLongestLine)) return;
  std::string reply;
  try {
    reply = answer(line);
  } catch (const std::invalid_argument& e) {
    reply = std::string("wrong\n") + e.what() + "\n";
  }
  write_all(connection, reply, kClient_ms);
}

std::string Endpoint::answer(std::string_view words) {
  if (words == "status") return "accepted\n" + text_of(status_.read(), mission_);
  if (words == "fields") return "accepted\n" + fields_of(status_.read(), mission_);
  return ask(flight::parse_request(words, mission_, mission::Operator::kCli));
}

/// Hands a request to the thread that ticks, and waits for what comes of it.
std::string Endpoint::ask(const flight::OperatorRequest& request) {
  using Clock = std::chrono::steady_clock;
  request_ = request;
  slot_.store(Slot::kAsked, std::memory_order_release);
  const auto until = Clock::now() + std::chrono::milliseconds(kTakenUpWithin_ms);
  while (slot_.load(std::memory_order_acquire) != Slot::kAnswered) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (stop_ && slot_.load(std::memory_order_acquire) != Slot::kAnswered)
      return "failed\nthe run has ended\n";
    // what was not taken up is withdrawn: it must not be obeyed when nobody waits for it any more
    Slot asked = Slot::kAsked;
    if (Clock::now() > until &&
        slot_.compare_exchange_strong(asked, Slot::kFree, std::memory_order_acq_rel))
      return "failed\nnothing was done: the run does not tick\n";
  }
  const flight::RequestOutcome outcome = outcome_;
  slot_.store(Slot::kFree, std::memory_order_release);
  return (outcome.accepted ? "accepted\n" : "refused\n") + sentence(outcome, mission_) + "\n";
}

std::unique_ptr<Endpoint> open_endpoint(const std::string& where, const std::string& name,
                                        const mission::Mission& mission, std::string& why) {
  try {
    return std::make_unique<Endpoint>(where == "default" ? default_endpoint(name) : fs::path(where),
                                      mission);
  } catch (const std::exception& e) {
    why = std::string("pintle command will not reach it: ") + e.what();
    return nullptr;
  }
}

EndpointReply ask_endpoint(const fs::path& path, std::string_view words) {
  const int socket = connect_to(path);
  std::string text;
  const bool good = write_all(socket, std::string(words) + "\n", kClient_ms) &&
                    read_all(socket, text, kAnswer_ms);
  close(socket);
  const std::size_t end = text.find('\n');
  if (!good || end == std::string::npos)
    throw std::runtime_error(path.string() + ": no answer; is the run stopped?");
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace pintle::console
