/// Where another process of the same user reaches a stack that runs: a Unix-domain socket.
///
///   client -> "pause\n"            the words of operator_request.h, or `status`, `fields`
///   server -> "accepted\n" TEXT    or refused, wrong (no such words), failed
///
/// One question a connection, many connections at once: who is silent or slow keeps nobody waiting,
/// and is left after ten seconds; where there is no place left, at once, who came first before the
/// others, unless it waits for the tick. What stops (pause, cutoff, abort, land, disarm) goes before
/// what starts, and alone is done of what was said while the program stood still for two seconds. Who
/// passes words on for others begins them with `as yarp`. A thread of its own listens, reads words and
/// writes sentences. It meets the thread that ticks at an OperatorDesk and a triple buffer.
///
/// The socket is removed on every way out: the destructor, exit(), a signal that ends the program
/// (after SIGKILL, by the next who looks).
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "pintle/base/triple_buffer.h"
#include "pintle/console/endpoint_status.h"
#include "pintle/flight/operator_desk.h"

namespace pintle::console {

class Endpoint {
 public:
  /// Listens from now on; one at a time in a program.
  /// @throws std::runtime_error when that cannot be.
  Endpoint(const std::filesystem::path& path, const mission::Mission& mission,
           std::vector<std::string> propulsors = {});
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Before the tick, after everybody else's commands.
  void put(const stack::Outputs& last, stack::Inputs& in) noexcept;
  /// After the tick.
  void take(const stack::Inputs& in, const stack::Outputs& out) noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// How often it has looked around while no request was under way: its own clock, of 50 ms at most.
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    enum class Stage : unsigned char { kSays, kWaits, kHears, kGone };

    std::int64_t id = 0;
    bool is_urgent = false;  ///< What it asks for.
    bool is_late = false;    ///< It was there, or came, while the program stood still.
    int socket = -1;
    Stage stage = Stage::kSays;
    std::string line, reply;
    Clock::time_point until;  ///< When it is left.
  };
  void listen();
  void welcome();
  void serve(Client& client, bool has_hung_up);
  void hear(Client& client, bool has_hung_up);
  static void tell(Client& client, std::string reply);
  void pass_on_answers();
  void see_off();
  [[nodiscard]] Client* client(std::int64_t id);

  std::atomic<std::uint64_t> looks_{0};
  std::filesystem::path path_;
  mission::Mission mission_;
  flight::EventNames names_;
  int socket_ = -1;
  std::atomic<bool> stop_{false};

  flight::OperatorDesk desk_;
  TripleBuffer<EndpointStatus> status_;

  // of the thread that listens
  std::vector<Client> clients_;
  flight::Stood stood_;
  int lay_there_ = 0;  ///< Of those who come, so many may have been there while it stood.
  std::int64_t next_id_ = 0;

  // of the thread that ticks
  EndpointStatus now_;

  std::thread thread_;
};

/// At `where`: a path, or "default" for default_endpoint(name). Null, and `why`, when it cannot be
/// made: what flies goes on without.
[[nodiscard]] std::unique_ptr<Endpoint> open_endpoint(const std::string& where,
                                                      const std::string& name,
                                                      const mission::Mission& mission,
                                                      std::vector<std::string> propulsors,
                                                      std::string& why);

struct EndpointReply {
  std::string kind;  ///< accepted, refused, wrong, failed.
  std::string text;
};
/// `from`: kCli, or kYarp for who passes on what a port has heard.
/// @throws std::runtime_error when nobody listens there or no answer comes.
[[nodiscard]] EndpointReply ask_endpoint(const std::filesystem::path& path, std::string_view words,
                                         mission::Operator from = mission::Operator::kCli);

/// For a signal handler that ends the program.
void remove_endpoint_now() noexcept;

}  // namespace pintle::console
