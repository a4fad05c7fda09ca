#include "pintle/yarp/name_client.h"

#include <poll.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "pintle/yarp/wire.h"

namespace pintle::yarp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAnswer = 1 << 20;
constexpr auto kPatience = std::chrono::seconds(1);

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

/// One conversation that is under way.
struct Question : std::enable_shared_from_this<Question> {
  /// What was heard, when that is `whole`; nothing when it does not come to that in time.
  using Told = std::function<void(const std::optional<std::string>&)>;
  using Whole = std::function<bool(const std::string&)>;
  Question(Loop& l, std::string what, Whole w, Told t)
      : loop(l), to_send(std::move(what)), whole(std::move(w)), told(std::move(t)) {}

  void begin(const Address& server) {
    std::string why;
    socket = begin_connect(server, why);
    const auto self = shared_from_this();
    if (!socket.is_open()) return end(false);
    loop.watch(socket.descriptor(), POLLOUT, [self](short) { self->ready(); });
    timer = loop.after(kPatience, [self] { self->end(false); });
  }

  void ready() {
    if (!connected && !connect_error(socket).empty()) return end(false);
    connected = true;
    if (whole(heard)) return end(true);
    if (!to_send.empty()) {
      if (send(socket, to_send) == Io::kClosed) return end(false);
      if (to_send.empty()) loop.change(socket.descriptor(), POLLIN);
      return;
    }
    const Io io = receive(socket, heard);
    if (whole(heard)) return end(true);
    if (io == Io::kClosed || heard.size() > kMaxAnswer) end(false);
  }

  void end(bool good) {
    const auto self = shared_from_this();
    loop.cancel(timer);
    if (socket.is_open()) loop.forget(socket.descriptor());
    socket.close();
    // never within the call that asked
    if (told)
      loop.after({}, [t = std::move(told), answer = good ? std::optional(heard) : std::nullopt] {
        t(answer);
      });
    told = nullptr;
  }

  Loop& loop;
  std::string to_send, heard;
  Whole whole;
  Told told;
  Socket socket;
  Loop::Timer timer = 0;
  bool connected = false;
};

void ask_once(Loop& loop, const Address& server, const std::string& command,
              std::function<void(const std::optional<Lines>&)> answer) {
  std::make_shared<Question>(
      loop, "NAME_SERVER " + command + "\n",
      [](const std::string& text) {
        Lines lines;
        return is_whole(text, lines);
      },
      [told = std::move(answer)](const std::optional<std::string>& text) {
        if (!text) return told(std::nullopt);
        Lines lines;
        (void)is_whole(*text, lines);
        told(lines);
      })
      ->begin(server);
}

/// "initial words of a line" -> words.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;)
    if (word != "=") out.push_back(word);
  return out;
}

bool is_address(const Address& a) {
  return a.port > 0 && a.port < 65536 &&
         (a.host == "localhost" ||
          (!a.host.empty() && a.host.find_first_not_of("0123456789.") == std::string::npos));
}

int port_number(const std::string& word) {
  int out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc{} && end == word.data() + word.size() ? out : 0;
}

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
  const auto fail = [&file](int line, const std::string& got) {
    return std::runtime_error(file.string() + ":" + std::to_string(line) +
                              ": expected where the name server is, such as  127.0.0.1 10000 yarp "
                              " (numbers or localhost), got \"" +
                              got.substr(0, 60) + "\"");
  };
  std::string text;
  bool is_section = false, is_ours = false;
  int number = 0, last = 0;
  Address section{"", 0};
  while (number < 1000 && std::getline(in, text)) {
    ++number;
    const auto words = words_of(text);
    if (words.empty() || words[0].starts_with('#')) continue;
    last = number;
    if (words[0].starts_with('[')) {
      is_section = true;
      is_ours = words[0] == "[name]";
      continue;
    }
    if (!is_section) {
      const Address out{words[0], port_number(words.size() > 1 ? words[1] : "")};
      if (!is_address(out)) throw fail(number, text);
      return out;
    }
    if (!is_ours || words.size() < 2) continue;
    if (words[0] == "host") section.host = words[1];
    if (words[0] == "port") section.port = port_number(words[1]);
    if ((words[0] == "host" && !is_address({words[1], 1})) ||
        (words[0] == "port" && section.port == 0))
      throw fail(number, text);
  }
  if (last == 0) return std::nullopt;
  if (!is_address(section)) throw fail(last, "a section without  [name], host and port");
  return section;
}

Address name_server_address() {
  return read_contact(contact_file()).value_or(Address{"127.0.0.1", 10000});
}

Address NameServerPlace::address() const {
  const std::lock_guard lock(mutex_);
  return at_;
}

bool NameServerPlace::look_again() {
  if (!from_file_) return false;
  try {
    const auto now = read_contact(contact_file());
    const std::lock_guard lock(mutex_);
    if (!now || *now == at_) return false;
    at_ = *now;
    return true;
  } catch (const std::runtime_error&) {
    return false;  // somebody is at work on it
  }
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

Lines ask(const Address& server, std::string_view command, double within_s,
          const Stopped& stopped) {
  if (has_control_characters(command))
    throw std::runtime_error("a command to a name server is one line without control characters");
  Dialogue dialogue(server, Dialogue::Seconds(within_s), stopped);
  dialogue.say("NAME_SERVER " + std::string(command) + "\n");
  std::string text;
  Lines lines;
  while (!is_whole(text, lines))
    if (!dialogue.hear(text) || text.size() > kMaxAnswer)
      throw std::runtime_error(to_string(server) + ": that is no name server");
  return lines;
}

std::optional<Registration> query(const Address& server, std::string_view name, double within_s,
                                  const Stopped& stopped) {
  for (const std::string& line : ask(server, "query " + std::string(name), within_s, stopped))
    if (auto r = parse_registration(line); r && r->name == name) return r;
  return std::nullopt;
}

void ask_later(Loop& loop, NameServerPlace& server, const std::string& command,
               std::function<void(const std::optional<Lines>&)> answer) {
  if (has_control_characters(command)) {
    loop.after({}, [told = std::move(answer)] { told(std::nullopt); });
    return;
  }
  const auto again = [&loop, &server, command,
                      told = std::move(answer)](const std::optional<Lines>& lines) {
    if (!lines && server.look_again()) return ask_once(loop, server.address(), command, told);
    told(lines);
  };
  ask_once(loop, server.address(), command, again);
}

void query_later(Loop& loop, NameServerPlace& server, const std::string& name,
                 std::function<void(const std::optional<Registration>&)> answer) {
  ask_later(loop, server, "query " + name,
            [name, told = std::move(answer)](const std::optional<Lines>& lines) {
              for (const std::string& line : lines.value_or(Lines{}))
                if (const auto r = parse_registration(line); r && r->name == name) return told(r);
              told(std::nullopt);
            });
}

void knock_later(Loop& loop, const Address& address, std::function<void(bool)> answer) {
  std::make_shared<Question>(
      loop, "", [](const std::string&) { return true; },
      [told = std::move(answer)](const std::optional<std::string>& text) {
        told(text.has_value());
      })
      ->begin(address);
}

void disconnect_later(Loop& loop, const Address& port, const std::string& reader,
                      std::function<void()> done) {
  Packet packet;
  packet.line = to_text({Value::vocab("del"), Value::string(reader)});
  std::make_shared<Question>(
      loop, hello(Carrier::kTextAck, "admin") + message(Carrier::kTextAck, "a", packet),
      [](const std::string& text) { return text.find("<ACK>") != std::string::npos; },
      [told = std::move(done)](const std::optional<std::string>&) { told(); })
      ->begin(port);
}

}  // namespace pintle::yarp
