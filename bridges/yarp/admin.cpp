#include <unistd.h>

#include "pintle/base/port_name.h"
#include "pintle/yarp/port.h"

namespace pintle::yarp {
namespace {

Value pair_of(std::string_view key, Value value) {
  return Value::list({Value::string(key), std::move(value)});
}
Value named(std::string_view key, Bottle items) {
  items.insert(items.begin(), Value::string(key));
  return Value::list(std::move(items));
}

/// "tcp://dst" -> tcp, "/dst"; "/dst" alone is by tcp, or by what the next word says.
struct Target {
  std::string name;
  std::optional<Carrier> carrier;
};
Target target_of(const std::string& text) {
  const std::size_t at = text.find(":/");
  if (at == std::string::npos || text.starts_with('/')) return {text, Carrier::kTcp};
  return {text.substr(at + 2), carrier_of(text.substr(0, at))};
}

Bottle outcome(int code, const std::string& text) {
  return {Value::int32(code), Value::string(text + "\r\n")};
}

/// One connection as [list] tells it; nothing: there is none of that name.
Bottle entry_of(const std::vector<Port::Peer>& peers, const std::string& name,
                const std::string& own, bool outgoing) {
  for (const Port::Peer& p : peers)
    if (p.name == name)
      return {pair_of("from", Value::string(outgoing ? own : p.name)),
              pair_of("to", Value::string(outgoing ? p.name : own)),
              pair_of("carrier", Value::string(name_of(p.carrier)))};
  return {};
}

Bottle list(const Port& port, const Bottle& words) {
  const std::string which = words.size() > 1 ? words[1].word() : "";
  if (which != "out" && which != "in") return {Value::vocab("fail")};
  const auto peers = which == "out" ? port.readers() : port.writers();
  if (words.size() > 2) return entry_of(peers, words[2].word(), port.name(), which == "out");
  Bottle out;
  for (const Port::Peer& p : peers) out.push_back(Value::string(p.name));
  return out;
}

Bottle properties(const Port& port, const Bottle& words) {
  if (words.size() < 2 || words[1].word() != "get") return {Value::vocab("fail")};
  return {named("sched", {pair_of("tid", Value::int32(static_cast<std::int32_t>(gettid())))}),
          named("process",
                {pair_of("pid", Value::int32(getpid())), pair_of("name", Value::string("pintle"))}),
          named("platform", {pair_of("os", Value::string("Linux"))}),
          named("port",
                {pair_of("is_input", Value::int32(1)), pair_of("is_output", Value::int32(1)),
                 pair_of("is_rpc", Value::int32(port.is_rpc() ? 1 : 0)),
                 pair_of("type", Value::string(port.is_rpc() ? "yarp/bottle" : "yarp/vector"))})};
}

constexpr const char* kHelp =
    "[ver]; [list] [in]; [list] [out]; [list] [in] NAME; [list] [out] NAME; [add] CARRIER://NAME; "
    "[add] NAME CARRIER; "
    "[del] NAME; [prop] [get] NAME; [help]";

}  // namespace

bool Port::administer(const Message& message, const Answer& answer) {
  std::string why;
  const auto words = message.bottle(why);
  if (!words) {
    answer(Bottle{Value::vocab("fail"), Value::string(why)});
    return true;
  }
  const std::string verb = words->empty() ? "" : (*words)[0].word();
  if (verb != "add" || words->size() < 2) {
    answer(yarp::administer(*this, *words));
    return true;
  }
  const std::string text = (*words)[1].word();
  Target to = target_of(text);
  if (words->size() > 2) to.carrier = carrier_of((*words)[2].word());
  std::string problem;
  if (const auto fault = port_name_fault(to.name)) problem = fault->message + ": " + fault->fix;
  if (problem.empty() && !to.carrier)
    problem = "Cannot connect to " + text + ": tcp, fast_tcp, text and text_ack are known";
  if (problem.empty() && !has_room_for_reader())
    problem = "Cannot connect to " + text + ": too many connections";
  if (!problem.empty()) {
    answer(outcome(-1, problem));
    return true;
  }
  const std::string own = name();
  connect(to.name, *to.carrier, false, [answer, own, text](bool good) {
    answer(good ? outcome(0, "Added connection from " + own + " to " + text)
                : outcome(-1, "Cannot connect to " + text));
  });
  return true;
}

Bottle administer(Port& port, const Bottle& words) {
  const std::string verb = words.empty() ? "" : words[0].word();
  if (verb == "ver")
    return {Value::vocab("ver"), Value::int32(1), Value::int32(2), Value::int32(3)};
  if (verb == "list") return list(port, words);
  if (verb == "prop") return properties(port, words);
  if (verb == "help") return {Value::string(kHelp)};
  if (verb == "del" && words.size() > 1) {
    const Target to = target_of(words[1].word());
    if (port.disconnect(to.name))
      return outcome(0, "Removed connection from " + port.name() + " to " + to.name);
    if (port.drop(to.name))
      return outcome(0, "Removed connection from " + to.name + " to " + port.name());
    return outcome(-1, "Could not find an outgoing connection to " + to.name);
  }
  return {Value::vocab("fail"), Value::string("send [help] for list of valid commands")};
}

}  // namespace pintle::yarp
