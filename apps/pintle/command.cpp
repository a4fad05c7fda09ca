#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "pintle/config/reader.h"
#include "pintle/console/endpoint.h"
#include "pintle/console/local_socket.h"
#include "printed.h"
#include "verbs.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

struct CommandArguments {
  std::vector<std::string> words;
  std::string to;
  bool json = false;
};

/// The one that listens. Empty, after a line on stderr: none, or more than one.
fs::path find_endpoint(const std::string& to) {
  if (!to.empty()) return to;
  const std::vector<fs::path> all = console::listening_endpoints();
  if (all.size() == 1) return all.front();
  if (all.empty()) {
    fmt::print(
        stderr,
        "nobody listens: start  pintle run MISSION --live,  pintle run MISSION --real-time  or  "
        "pintle console MISSION  first\n");
    return {};
  }
  fmt::print(stderr, "several listen, say which with --to:\n");
  for (const fs::path& p : all) fmt::print(stderr, "  {}\n", p.string());
  return {};
}

/// "name value" a line -> an object.
nlohmann::ordered_json as_json(const std::string& fields) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  std::size_t at = 0;
  while (at < fields.size()) {
    const std::size_t end = std::min(fields.find('\n', at), fields.size());
    const std::string line = fields.substr(at, end - at);
    at = end + 1;
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string name = line.substr(0, space), value = line.substr(space + 1);
    const auto number = config::parse_number(value);
    if (value == "true" || value == "false")
      j[name] = value == "true";
    else if (value.find_first_not_of("-0123456789") == std::string::npos && number)
      j[name] = static_cast<std::int64_t>(*number);
    else if (number)
      j[name] = *number;
    else
      j[name] = value;
  }
  return j;
}

int command(const CommandArguments& a) {
  std::string words;
  for (const std::string& w : a.words) words += (words.empty() ? "" : " ") + w;
  if (words.find('\n') != std::string::npos) words = words.substr(0, words.find('\n'));
  const fs::path to = find_endpoint(a.to);
  if (to.empty()) return kRunTimeFault;
  const bool fields = words == "status" && a.json;
  const console::EndpointReply reply = console::ask_endpoint(to, fields ? "fields" : words);
  const bool accepted = reply.kind == "accepted";
  if (fields) {
    fmt::print("{}\n", printed(as_json(reply.text)));
  } else if (a.json) {
    nlohmann::ordered_json j;
    j["accepted"] = accepted;
    j["answer"] = reply.text.substr(0, reply.text.find('\n'));
    fmt::print("{}\n", printed(j));
  } else {
    fmt::print(accepted || reply.kind == "refused" ? stdout : stderr, "{}", reply.text);
  }
  if (accepted) return kOk;
  if (reply.kind == "refused") return kCheckFailed;
  return reply.kind == "wrong" ? kUsage : kRunTimeFault;
}

}  // namespace

void add_command(CLI::App& app, Session& session) {
  auto a = std::make_shared<CommandArguments>();
  CLI::App* verb = app.add_subcommand(
      "command", "Tell a mission that runs to pause, resume, land …: one command, one answer.");
  verb->add_option("words", a->words, "The command, or status")->required();
  verb->add_option("--to", a->to, "Socket of the run (default: the only one of this user)");
  verb->add_flag("--json", a->json, "One JSON object");
  verb->footer(
      "Commands:\n"
      "  status                        how it stands\n"
      "  pause resume cutoff abort     hold; go on; hold and forget; the abort path\n"
      "  free_style                    arm if need be, and the mission from its start\n"
      "  step S  select S  jump S      one state alone; where resume goes on; go there. S: name or "
      "number\n"
      "  land                          pause, then the state that lands\n"
      "  arm disarm reset_latch        reset_control: begin the proof before arming anew\n"
      "  disarm force  terminate       off, in the air too; terminate stays latched until "
      "reset_latch\n"
      "  ready_ignition  ignite E  shut_down E   an engine, or all, in two steps; out again\n"
      "  heartbeat  leak  dry          the operator is there; water inside; none any more\n"
      "  fail P  restore P  trust P    a propulsor, or all: not to be used; is again; taken for "
      "good "
      "that was found to have failed\n"
      "  take_over hand_over           who commands: whose command was obeyed first, until then\n"
      "Examples:\n"
      "  pintle run missions/delivery.yaml --real-time &\n"
      "  pintle command pause\n"
      "  pintle command select fly_back && pintle command resume\n"
      "  pintle command status --json | jq .height_m\n"
      "Exit codes: 0 accepted, 1 refused, 2 no such command, 4 nobody listens.");
  verb->callback([a, &session] { session.exit_code = command(*a); });
}

}  // namespace pintle::app
