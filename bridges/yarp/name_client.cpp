#include "pintle/yarp/name_client.h"

#include <poll.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace pintle::yarp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAnswer = 1 << 20;
constexpr auto kPatience = std::chrono::seconds(2);

fs::path in_environment(const char* name, const char* below) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? fs::path(value) / below : fs::path{};
}

/// Lines so far; true when the last has come.
bool is_whole(const std::string& text, Lines& lines) {
  lines.clear();
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string line = text.substr(at, end - at);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with('*')) return true;
    lines.push_back(line);
    if (line.starts_with('[')) return true;
  }
  return false;
}

/// One question that is under way.
struct Question : std::enable_shared_from_this<Question> {
  Question(Loop& l, std::function<void(std::optional<Lines>)> a) : loop(l), answer(std::move(a)) {}

  void begin(const Address& server, const std::string& command) {
    std::string why;
    socket = begin_connect(server, why);
    to_send = "NAME_SERVER " + command + "\n";
    const auto self = shared_from_this();
    if (!socket.is_open()) return end(std::nullopt);
    loop.watch(socket.descriptor(), POLLOUT, [self](short) { self->ready(); });
    timer = loop.after(kPatience, [self] { self->end(std::nullopt); });
  }

  void ready() {
    if (!connected && !connect_error(socket).empty()) return end(std::nullopt);
    connected = true;
    if (!to_send.empty()) {
      if (send(socket, to_send) == Io::kClosed) return end(std::nullopt);
      if (to_send.empty()) loop.change(socket.descriptor(), POLLIN);
      return;
    }
    const Io io = receive(socket, heard);
    Lines lines;
    if (is_whole(heard, lines)) return end(std::move(lines));
    if (io == Io::kClosed || heard.size() > kMaxAnswer) end(std::nullopt);
  }

  void end(std::optional<Lines> lines) {
    const auto self = shared_from_this();
    loop.cancel(timer);
    if (socket.is_open()) loop.forget(socket.descriptor());
    socket.close();
    // never within the call that asked
    if (answer) loop.after({}, [told = std::move(answer), l = std::move(lines)] { told(l); });
    answer = nullptr;
  }

  Loop& loop;
  std::function<void(std::optional<Lines>)> answer;
  Socket socket;
  std::string to_send, heard;
  Loop::Timer timer = 0;
  bool connected = false;
};

}  // namespace

fs::path contact_file() {
  if (const fs::path p = in_environment("YARP_CONFIG_HOME", "yarp.conf"); !p.empty()) return p;
  if (const fs::path p = in_environment("XDG_CONFIG_HOME", "yarp/yarp.conf"); !p.empty()) return p;
  return in_environment("HOME", ".config/yarp/yarp.conf");
}

std::optional<Address> read_contact(const fs::path& file) {
  std::error_code ignored;
  std::ifstream in(file);
  if (!fs::is_regular_file(file, ignored) || !in) return std::nullopt;
  std::string text;
  while (std::getline(in, text)) {
    // a section "[name]" may precede, then "initial …" lines of a Property
    std::istringstream words(text);
    Address out;
    if (words >> out.host >> out.port && out.port > 0 && out.port < 65536 &&
        out.host.find_first_not_of("0123456789.") == std::string::npos)
      return out;
  }
  return std::nullopt;
}

Address name_server_address() {
  return read_contact(contact_file()).value_or(Address{"127.0.0.1", 10000});
}

std::optional<Registration> parse_registration(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string first, key, value;
  if (!(words >> first) || first != "registration") return std::nullopt;
  Registration out;
  while (words >> key >> value) {
    if (key == "name") out.name = value;
    if (key == "ip") out.at.host = value;
    if (key == "port") std::from_chars(value.data(), value.data() + value.size(), out.at.port);
    if (key == "type") out.carrier = value;
  }
  if (out.name.empty() || out.at.port <= 0) return std::nullopt;
  return out;
}

std::string to_line(const Registration& r) {
  return "registration name " + r.name + " ip " + r.at.host + " port " + std::to_string(r.at.port) +
         " type " + r.carrier;
}

Lines ask(const Address& server, std::string_view command, double within_s) {
  Dialogue dialogue(server, Dialogue::Seconds(within_s));
  dialogue.say("NAME_SERVER " + std::string(command) + "\n");
  std::string text;
  Lines lines;
  while (!is_whole(text, lines))
    if (!dialogue.hear(text) || text.size() > kMaxAnswer)
      throw std::runtime_error(to_string(server) + ": that is no name server");
  return lines;
}

std::optional<Registration> query(const Address& server, std::string_view name, double within_s) {
  for (const std::string& line : ask(server, "query " + std::string(name), within_s))
    if (auto r = parse_registration(line); r && r->name == name) return r;
  return std::nullopt;
}

void ask_later(Loop& loop, const Address& server, const std::string& command,
               std::function<void(std::optional<Lines>)> answer) {
  std::make_shared<Question>(loop, std::move(answer))->begin(server, command);
}

}  // namespace pintle::yarp
