#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pintle/config/text.h"
#include "pintle/yarp/dialogues.h"
#include "pintle/yarp/name_server.h"
#include "printed.h"
#include "stop.h"
#include "talk.h"
#include "terminal.h"
#include "verbs.h"
#include "yarp_ports.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

struct YarpArguments {
  std::string name, other, carrier = "tcp", bind = "127.0.0.1";
  int port = -1;
  std::uint64_t count = 0;
  bool envelope = false, json = false;
};

volatile std::sig_atomic_t asked_to_stop = 0;
extern "C" void end_ports(int) { asked_to_stop = 1; }

void watch_signals() {
  // who reads from a pipe may leave it: a write that fails, after which names are taken back
  std::signal(SIGPIPE, SIG_IGN);
  // a line that is waited for is given up
  end_on_signals(end_ports);
}

/// Until somebody ends it, or `done`.
template <class Done>
void wait_until(const Done& done) {
  while (asked_to_stop == 0 && !done()) poll(nullptr, 0, 20);
}

yarp::NetworkOptions options_of(const YarpArguments& a) {
  yarp::NetworkOptions o;
  o.bind = a.bind;
  o.say = say_on_stderr;
  o.stopped = [] { return asked_to_stop != 0; };
  return o;
}

yarp::Carrier carrier_named(const std::string& name) {
  const auto carrier = yarp::carrier_of(name);
  if (!carrier)
    throw CLI::ValidationError("carrier",
                               "expected tcp, fast_tcp, text or text_ack, got \"" + name + "\"");
  return *carrier;
}

/// Whether a name server is there.
bool answers(const yarp::Address& at) {
  try {
    (void)yarp::ask(at, "query /root", 1);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// Writes the contact file if there is none, or if it leads to where nobody on this machine answers
/// (a server that was killed leaves it behind); takes it back.
class Contact {
 public:
  explicit Contact(const yarp::Address& at) : file_(yarp::contact_file()), at_(at) {
    if (file_.empty()) return;
    const auto there = yarp::read_contact(file_);
    if (there && (*there == at || !yarp::is_of_this_machine(there->host) || answers(*there)))
      return;
    if (there)
      fmt::print(stderr, "{} led to {}, where nobody answers: replaced\n", file_.string(),
                 to_string(*there));
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    // whole or not at all: others read it at any time
    const fs::path fresh = file_.string() + "." + std::to_string(getpid());
    std::ofstream out(fresh);
    out << at.host << ' ' << at.port << " yarp\n";
    out.close();
    if (out) fs::rename(fresh, file_, error);
    written_ = out && !error;
    if (!written_) fs::remove(fresh, error);
  }
  ~Contact() {
    try {
      // another server may have its own there by now
      if (written_ && yarp::read_contact(file_) == at_) fs::remove(file_);
    } catch (const std::runtime_error&) {
      // somebody is at work on it
    }
  }
  Contact(const Contact&) = delete;
  Contact& operator=(const Contact&) = delete;
  [[nodiscard]] bool is_written() const { return written_; }
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  yarp::Address at_;
  bool written_ = false;
};

int serve_names(const YarpArguments& a) {
  const auto contact = yarp::read_contact(yarp::contact_file());
  yarp::Address at = contact.value_or(yarp::Address{a.bind, 10000});
  if (a.port >= 0) at.port = a.port;
  // a real one is preferred
  if (at.port != 0 && answers(at)) {
    fmt::print("a name server answers at {}; nothing to do\n", to_string(at));
    return kOk;
  }
  watch_signals();
  const yarp::NameServer server({a.bind, at.port});
  const Contact written(server.address());
  fmt::print("name server at {}\n", to_string(server.address()));
  if (written.is_written())
    fmt::print(stderr, "{} written, while it runs\n", written.file().string());
  else if (!contact || !(*contact == server.address()))
    fmt::print(stderr, "warning: {} leads elsewhere: write  {} {} yarp  into it\n",
               written.file().string(), server.address().host, server.address().port);
  std::fflush(stdout);
  wait_until([] { return false; });
  return kOk;
}

/// Nobody will read what is printed from now on.
bool output_is_closed() {
  pollfd p{STDOUT_FILENO, 0, 0};
  return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

int read_port(const YarpArguments& a) {
  watch_signals();
  std::atomic<std::uint64_t> heard{0};
  std::atomic<bool> broken{false};
  yarp::Network network(options_of(a));
  yarp::PortOptions options;
  options.name = a.name;
  options.heard = [&](const yarp::Message& m, const yarp::Answer&) {
    std::string why;
    const auto bottle = m.bottle(why);
    if (broken || (a.count != 0 && heard >= a.count)) return false;
    if (!bottle) {
      say_on_stderr(a.name + ": " + why);
      return false;
    }
    std::string line = to_text(*bottle);
    if (a.envelope && !m.envelope().empty()) line = std::string(m.envelope()) + " | " + line;
    // a program reads what was sent, a terminal does not obey it
    if (isatty(STDOUT_FILENO) == 1) line = config::printable(line);
    line += '\n';
    if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
      broken = true;
    else
      ++heard;
    return false;
  };
  (void)network.port(std::move(options));
  network.start();
  if (!a.other.empty()) {
    const std::string why =
        yarp::connect_ports(network.name_server(), a.other, a.name, carrier_named(a.carrier),
                            [] { return asked_to_stop != 0; });
    if (!why.empty()) throw std::runtime_error(why);
  }
  const auto is_done = [&] { return a.count != 0 && heard >= a.count; };
  wait_until([&] { return is_done() || broken || output_is_closed(); });
  if (asked_to_stop != 0 || is_done()) return kOk;
  if (!broken) complain("the results could not be written: the output is closed");
  return kRunTimeFault;
}

/// Lines of stdin, each as soon as it is there.
class StdinLines {
 public:
  /// False at its end, or when it is to stop.
  bool next(std::string& line) {
    std::size_t end = 0;
    while ((end = read_.find('\n')) == std::string::npos && !ended_)
      if (!more()) return false;
    if (read_.empty()) return false;
    line = read_.substr(0, end);
    read_.erase(0, end == std::string::npos ? end : end + 1);
    return asked_to_stop == 0;
  }

 private:
  /// False: it is to stop.
  bool more() {
    pollfd p{STDIN_FILENO, POLLIN, 0};
    while (poll(&p, 1, 100) <= 0)
      if (asked_to_stop != 0) return false;
    char part[4096];
    const ssize_t n = ::read(STDIN_FILENO, part, sizeof part);
    ended_ = n <= 0;
    if (n > 0) read_.append(part, static_cast<std::size_t>(n));
    return true;
  }

  std::string read_;
  bool ended_ = false;
};

/// Whether all that were to take a message have taken it. Of the network's thread.
struct Delivery {
  std::vector<std::string> to;
  bool failed = false;

  void look(const yarp::Port& port) {
    const auto readers = port.readers();
    for (const std::string& name : to)
      failed = failed || std::none_of(readers.begin(), readers.end(),
                                      [&](const auto& r) { return r.name == name; });
  }
};

int write_port(const YarpArguments& a) {
  watch_signals();
  Delivery delivery;
  const yarp::Port* opened = nullptr;
  yarp::Network network(options_of(a));
  yarp::PortOptions options;
  options.name = a.name;
  // one that is lost and found again between two looks has taken nothing, either
  options.changed = [&] {
    if (opened != nullptr) delivery.look(*opened);
  };
  yarp::Port& port = network.port(std::move(options));
  opened = &port;
  network.start();
  if (!a.other.empty() && !network.connect(port, a.other, carrier_named(a.carrier), false))
    throw std::runtime_error("cannot connect to " + a.other);
  // one line after the other: none is skipped. True: everybody who is connected has it
  const auto send = [&](const yarp::Bottle& bottle) {
    network.loop().call_and_wait([&] {
      delivery = {};
      for (const auto& reader : port.readers()) delivery.to.push_back(reader.name);
      if (!a.other.empty()) delivery.to.push_back(a.other);
      delivery.look(port);
      port.publish(packet_of(bottle));
    });
    bool failed = false, done = false;
    wait_until([&] {
      network.loop().call_and_wait([&] {
        delivery.look(port);
        failed = delivery.failed;
        done = failed || port.is_drained();
      });
      return done;
    });
    return !failed;
  };
  StdinLines lines_in;
  std::string line;
  std::uint64_t lines = 0, wrong = 0, lost = 0;
  while (lines_in.next(line)) {
    ++lines;
    std::string why;
    const auto bottle = yarp::from_text(line, why);
    if (!bottle) {
      complain(fmt::format("line {}: {}: {}", lines, config::in_quotes(line), why));
      ++wrong;
    } else if (!send(*bottle) && ++lost == 1) {
      complain(
          fmt::format("line {} was not taken: its reader does not acknowledge, or is gone", lines));
    }
  }
  if (wrong > 0)
    complain(fmt::format("{} of {} lines are no messages, and were not sent", wrong, lines));
  if (lost > 0) complain(fmt::format("{} of {} lines were not taken", lost, lines));
  return lost > 0 ? kRunTimeFault : wrong > 0 ? kConfiguration : kOk;
}

int list_ports(const YarpArguments& a) {
  for (const std::string& line : yarp::ask(yarp::name_server_address(), "list " + a.name)) {
    const auto r = yarp::parse_registration(line);
    if (!r) continue;
    if (a.json)
      fmt::print("{}\n", printed(nlohmann::ordered_json{{"name", r->name},
                                                        {"ip", r->at.host},
                                                        {"port", r->at.port},
                                                        {"carrier", r->carrier}}));
    else
      fmt::print("{} {} {}\n", config::printable(r->name), config::printable(to_string(r->at)),
                 config::printable(r->carrier));
  }
  return kOk;
}

int ping_port(const YarpArguments& a) {
  std::istringstream lines(yarp::describe_port(yarp::name_server_address(), a.name));
  for (std::string line; std::getline(lines, line);) fmt::print("{}\n", config::printable(line));
  return kOk;
}

int change_connection(const YarpArguments& a, bool add) {
  const yarp::Address names = yarp::name_server_address();
  const std::string why =
      add ? yarp::connect_ports(names, a.name, a.other, carrier_named(a.carrier))
          : yarp::disconnect_ports(names, a.name, a.other);
  if (!why.empty()) {
    complain(why);
    return kCheckFailed;
  }
  return kOk;
}

}  // namespace

void say_on_stderr(const std::string& text) { tell("  " + config::printable(text) + "\n"); }

void add_yarp(CLI::App& app, Session& session) {
  auto a = std::make_shared<YarpArguments>();
  CLI::App* verb = app.add_subcommand(
      "yarp", "Ports of YARP without YARP: read, write, connect, list; a name server.");
  verb->require_subcommand(1);
  verb->footer(
      "Where the name server is, the contact file says (yarp.conf below $YARP_CONFIG_HOME, else\n"
      "~/.config/yarp); tools of YARP and these work together. See docs/yarp.md.\n"
      "Exit codes: 0 ok, 1 it could not be connected, 2 usage, 3 a line was no message, 4 nobody\n"
      "answers, a line was not taken, or the output is closed.");
  const auto add = [&](const char* name, const char* what, auto act) {
    CLI::App* sub = verb->add_subcommand(name, what);
    sub->callback([a, act, &session] { session.exit_code = act(*a); });
    return sub;
  };
  constexpr const char* kBind = "Address to listen at (default: 127.0.0.1, this machine alone)";
  constexpr const char* kCarrier = "tcp (default), fast_tcp, text or text_ack";

  CLI::App* server = add("server", "A small name server, if none answers yet.", serve_names);
  server->add_option("--port", a->port, "Instead of that of the contact file, or 10000; 0: any");
  server->add_option("--bind", a->bind, kBind);
  CLI::App* read =
      add("read", "Print what comes: opens port NAME, connects SOURCE to it.", read_port);
  read->add_option("name", a->name, "Of the port to open, /name")->required();
  read->add_option("source", a->other, "Port to read from");
  read->add_option("--carrier", a->carrier, kCarrier);
  read->add_option("--count", a->count, "End after so many messages")->check(CLI::PositiveNumber);
  read->add_flag("--envelope", a->envelope, "Before each message its number and time");
  read->add_option("--bind", a->bind, kBind);
  CLI::App* write =
      add("write", "Send lines: opens port NAME, connects it to DESTINATION.", write_port);
  write->add_option("name", a->name, "Of the port to open, /name")->required();
  write->add_option("destination", a->other, "Port to write to");
  write->add_option("--carrier", a->carrier, kCarrier);
  write->add_option("--bind", a->bind, kBind);
  CLI::App* connect = add("connect", "Ask SOURCE to send to DESTINATION.",
                          [](const YarpArguments& x) { return change_connection(x, true); });
  CLI::App* disconnect = add("disconnect", "Ask SOURCE to send to DESTINATION no more.",
                             [](const YarpArguments& x) { return change_connection(x, false); });
  for (CLI::App* sub : {connect, disconnect}) {
    sub->add_option("source", a->name, "Port that sends")->required();
    sub->add_option("destination", a->other, "Port that receives")->required();
  }
  connect->add_option("carrier", a->carrier, kCarrier);
  CLI::App* list = add("list", "Ports that the name server knows.", list_ports);
  list->add_option("prefix", a->name, "Only those that begin with it");
  list->add_flag("--json", a->json, "One JSON object a port");
  CLI::App* ping = add("ping", "What a port says of itself and its connections.", ping_port);
  ping->add_option("name", a->name, "Port")->required();
}

}  // namespace pintle::app
