#include "pintle/yarp/dialogues.h"

#include <stdexcept>

#include "pintle/base/port_name.h"

namespace pintle::yarp {
namespace {

// a port that dials another one may take a while
constexpr Dialogue::Seconds kDialoguePatience(10);

Address find(const Address& names, const std::string& name, const Stopped& stopped = {}) {
  if (const auto fault = port_name_fault(name))
    throw std::runtime_error(fault->message + ": " + fault->fix);
  if (const auto r = query(names, name, 2, stopped)) return r->at;
  throw std::runtime_error(name + ": the name server at " + to_string(names) +
                           " knows no such port; see  pintle yarp list");
}

/// One command, and the lines that come before its acknowledgement.
std::string talk(const Address& port, const std::string& own_name, std::string_view command,
                 const std::string& line, const Stopped& stopped = {},
                 Dialogue::Seconds within = kDialoguePatience) {
  Dialogue dialogue(port, within, stopped);
  dialogue.say(hello(Carrier::kTextAck, own_name));
  Answers answers(Carrier::kTextAck);
  std::string heard;
  const auto hear = [&] {
    heard.clear();
    const bool more = dialogue.hear(heard);
    answers.feed(heard);
    if (!more || answers.broken()) throw std::runtime_error(to_string(port) + ": it has hung up");
  };
  while (!answers.welcomed()) hear();
  Packet packet;
  packet.line = line;
  dialogue.say(message(Carrier::kTextAck, command, packet));
  while (answers.acknowledged() == 0) hear();
  return answers.lines();
}

Bottle administer(const Address& port, const Bottle& words, const Stopped& stopped = {}) {
  std::string why;
  std::string line = talk(port, "admin", "a", to_text(words), stopped);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  const auto reply = from_text(line, why);
  if (!reply) throw std::runtime_error(to_string(port) + ": " + why);
  return *reply;
}

std::string refusal_in(const Bottle& reply) {
  if (!reply.empty() && reply[0].is_number() && reply[0].as_number() == 0) return {};
  std::string text = reply.size() > 1 ? reply[1].word() : to_text(reply);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text.empty() ? "it was refused" : text;
}

}  // namespace

std::string connect_ports(const Address& names, const std::string& from, const std::string& to,
                          Carrier carrier, const Stopped& stopped) {
  (void)find(names, to, stopped);
  const std::string target = std::string(name_of(carrier)) + ":/" + to;
  return refusal_in(administer(find(names, from, stopped),
                               {Value::vocab("add"), Value::string(target)}, stopped));
}

std::string disconnect_ports(const Address& names, const std::string& from, const std::string& to) {
  return refusal_in(administer(find(names, from), {Value::vocab("del"), Value::string(to)}));
}

std::string describe_port(const Address& names, const std::string& name) {
  return talk(find(names, name), "<ping>", "*", "");
}

bool is_there(const Registration& registered, Dialogue::Seconds within, const Stopped& stopped) {
  try {
    const std::string said = talk(registered.at, "<ping>", "*", "", stopped, within);
    return said.starts_with("This is " + registered.name + " at ");
  } catch (const Silent&) {
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace pintle::yarp
