#include "pintle/yarp/name_server.h"

#include <algorithm>
#include <charconv>

#include "pintle/base/port_name.h"

namespace pintle::yarp {
namespace {

constexpr std::size_t kMostNames = 10'000, kLongestProperty = 4096, kMostProperties = 32;
const char* const kEnd = "*** end of message";

std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + "\r\n";
  return out;
}

/// As YARP puts it for programs: port (name "/x") (ip "…") (port_number N) (carrier tcp).
Bottle bottle_of(const Registration& r) {
  const auto pair = [](const char* key, Value v) {
    return Value::list({Value::string(key), std::move(v)});
  };
  return {Value::string("port"), pair("name", Value::string(r.name)),
          pair("ip", Value::string(r.at.host)), pair("port_number", Value::int32(r.at.port)),
          pair("carrier", Value::string(r.carrier))};
}

std::string word_of(const Value& v) {
  const std::string word = v.word();
  return word.empty() && v.is_number() ? to_text({v}) : word;
}

}  // namespace

NameTable::NameTable(Address own) : own_(std::move(own)), next_port_(own_.port + 2) {
  entries_["/root"] = {{"/root", own_, "tcp"}, {}};
}

/// register NAME [carrier ip port]; "..." leaves the choice to the server.
std::string NameTable::enter(const std::vector<std::string>& words) {
  std::string name = words.size() > 1 ? words[1] : "";
  if (name == "...") name = "/tmp/port/" + std::to_string(next_name_++);
  if (!is_port_name(name) || name == "/root") return {};
  const bool is_new = !entries_.contains(name);
  if (is_new && entries_.size() >= kMostNames) return {};
  const auto word = [&words](std::size_t i) {
    return i < words.size() && words[i] != "..." ? words[i] : std::string{};
  };
  // entries are told as words between blanks
  if (word(2).find(' ') != std::string::npos || word(3).find(' ') != std::string::npos) return {};
  Registration r{name, {own_.host, 0}, "tcp"};
  if (!word(2).empty()) r.carrier = word(2);
  if (!word(3).empty()) r.at.host = word(3);
  const std::string port = word(4);
  std::from_chars(port.data(), port.data() + port.size(), r.at.port);
  if (r.at.port <= 0 || r.at.port > 65535) {
    // a program that opens its port anew gets the number that it had
    r.at.port = is_new ? next_port_++ : entries_[name].at.at.port;
    if (next_port_ > 65535) next_port_ = own_.port + 2;
  }
  entries_[name] = {r, {}};
  return to_line(r);
}

Lines NameTable::lines_of(const std::vector<std::string>& words) {
  // quoted words may have line ends in them, and answers are lines
  if (std::any_of(words.begin(), words.end(), has_control_characters)) return {};
  const std::string verb = words.empty() ? "" : words[0];
  const std::string name = words.size() > 1 ? words[1] : "";
  const auto entry = entries_.find(name);
  const bool known = entry != entries_.end();
  if (verb == "register") {
    const std::string line = enter(words);
    return line.empty() ? Lines{} : Lines{line};
  }
  if (verb == "query") return known ? Lines{to_line(entry->second.at)} : Lines{};
  if (verb == "unregister") {
    if (name != "/root") entries_.erase(name);
    return {};
  }
  if (verb == "list") {
    Lines out;
    for (const auto& [n, e] : entries_)
      if (n.starts_with(name)) out.push_back(to_line(e.at));
    return out;
  }
  if (words.size() > 2 && known && (verb == "set" || verb == "get" || verb == "check")) {
    auto& properties = entry->second.properties;
    std::string value;
    for (std::size_t i = 3; i < words.size(); ++i) value += (i > 3 ? " " : "") + words[i];
    if (verb == "set" && value.size() < kLongestProperty &&
        (properties.size() < kMostProperties || properties.contains(words[2])))
      properties[words[2]] = value;
    const auto found = properties.find(words[2]);
    if (verb != "check")
      return {"port " + name + " property " + words[2] + " = " +
              (found == properties.end() ? "" : found->second)};
    const bool present = found != properties.end() &&
                         (" " + found->second + " ").find(" " + value + " ") != std::string::npos;
    return {"port " + name + " property " + words[2] + " value " + value + " present " +
            (present ? "true" : "false")};
  }
  if (verb == "help")
    return {"register NAME [CARRIER IP PORT]",
            "unregister NAME",
            "query NAME",
            "list [PREFIX]",
            "set NAME PROPERTY VALUE...",
            "get NAME PROPERTY",
            "check NAME PROPERTY VALUE"};
  return {};
}

std::string NameTable::answer(std::string_view command) {
  std::string why;
  const Bottle words = from_text(command, why).value_or(Bottle{});
  if (!words.empty() && (word_of(words[0]) == "bot" || word_of(words[0]) == "announce"))
    return to_text(answer(words)) + "\r\n" +
           (word_of(words[0]) == "bot" ? kEnd + std::string("\r\n") : "");
  std::vector<std::string> plain;
  for (const Value& v : words) plain.push_back(word_of(v));
  Lines lines = lines_of(plain);
  lines.emplace_back(kEnd);
  return joined(lines);
}

Bottle NameTable::answer(const Bottle& command) {
  std::vector<std::string> words;
  for (const Value& v : command) words.push_back(word_of(v));
  if (!words.empty() && words[0] == "bot") words.erase(words.begin());
  if (!words.empty() && words[0] == "announce") return {Value::vocab("ok")};
  Bottle out;
  const Lines lines = lines_of(words);
  const bool many = !words.empty() && words[0] == "list";
  for (const std::string& line : lines) {
    if (const auto r = parse_registration(line); r && many)
      out.push_back(Value::list(bottle_of(*r)));
    else if (r)
      out = bottle_of(*r);
    else
      out.push_back(Value::string(line));
  }
  if (many) out.insert(out.begin(), Value::string("ports"));
  return out;
}

struct NameServer::Parts {
  NetworkOptions options(const Address& at) {
    NetworkOptions o;
    o.name_server = at;
    o.bind = at.host;
    return o;
  }
  explicit Parts(const Address& at) : network(options(at)) {
    PortOptions root;
    root.name = "/root";
    root.port = at.port;
    root.with_name = false;
    root.named = [this](std::string_view command) { return table->answer(command); };
    root.heard = [this](const Message& m, const Answer& answer) {
      std::string why;
      if (m.key() != 'd') return false;
      const Bottle words = m.bottle(why).value_or(Bottle{});
      answer(table->answer(words));
      return true;
    };
    port = &network.port(std::move(root));
    table.emplace(port->address());
    network.start();
  }
  std::optional<NameTable> table;
  Network network;
  Port* port = nullptr;
};

NameServer::NameServer(const Address& at) : parts_(std::make_unique<Parts>(at)) {}
NameServer::~NameServer() = default;
const Address& NameServer::address() const noexcept { return parts_->port->address(); }

}  // namespace pintle::yarp
