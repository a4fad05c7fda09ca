#include "live.h"

#include <fmt/core.h>
#include <csignal>
#include <fstream>

#include "stop.h"
#include "talk.h"
#include "verbs.h"
#ifdef PINTLE_HAS_LIVE
#include "pintle/foxglove/live.h"
#include "pintle/foxglove/page.h"
#endif

namespace pintle::app {

#ifndef PINTLE_HAS_LIVE
namespace {

[[noreturn]] void refuse() {
  throw config::ConfigError(config::Problem{{"--live", 1, 1},
                                            "",
                                            "the live server was not built",
                                            "install libboost-dev and build again with  make build",
                                            true});
}

}  // namespace
#endif

namespace {

/// What it says, or the first line of the file that it names: "@FILE".
std::string from_file(const std::string& said, LiveArguments& a) {
  a.hides_token = said.rfind('@', 0) == 0;
  if (!a.hides_token) return said;
  std::ifstream in(said.substr(1));
  std::string token;
  if (!std::getline(in, token))
    throw CLI::ValidationError("--live-token", "cannot read a token from " + said.substr(1));
  return token;
}

/// What stands in an address as it is; none is no token at all.
std::string as_token(const std::string& said) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  if (said.size() >= 8 && said.find_first_not_of(kPlain) == std::string::npos) return {};
  return "expected 8 or more of letters, digits, - . _ ~ (it stands in an address), such as "
         "$(openssl rand -hex 16)";
}

}  // namespace

void add_live_options(CLI::App& verb, LiveArguments& a) {
  verb.add_option("--live-bind", a.bind,
                  "Address to listen at (default: 127.0.0.1); another one needs --live-token");
  verb.add_option("--live-token", a.token,
                  "Who does not say it is not let in: ?token=… or an Authorization header. @FILE: "
                  "its first line, which no other user sees in the list of processes")
      ->transform([&a](const std::string& said) { return from_file(said, a); })
      ->check(as_token);
  verb.add_option("--live-origin", a.origins,
                  "A page of elsewhere that may come in, such as https://app.foxglove.dev");
}

#ifdef PINTLE_HAS_LIVE
namespace {

foxglove::WebOptions web_options(const LiveArguments& a, const char* port_option, bool quiet) {
  foxglove::WebOptions web;
  if (!a.port.empty()) {
    const bool is_number = a.port.find_first_not_of("0123456789") == std::string::npos;
    const unsigned long port = is_number && a.port.size() < 6 ? std::stoul(a.port) : 65536;
    if (port > 65535)
      throw CLI::ValidationError(port_option, "expected a port, 0 to 65535, got " + a.port);
    web.port = static_cast<std::uint16_t>(port);
  }
  web.bind = a.bind;
  if (!foxglove::is_loopback(a.bind) && a.token.empty())
    throw CLI::ValidationError(
        "--live-bind",
        a.bind +
            " is reached from other machines: give a token of 8 characters or more, such as "
            "--live-token $(openssl rand -hex 16)");
  web.door = {a.token, a.origins};
  web.page = foxglove::page();
  if (!quiet) web.note = [](const std::string& text) { tell(text + "\n"); };
  return web;
}

void tell_where(const LiveArguments& a, std::uint16_t port) {
  const bool is_v6 = a.bind.find(':') != std::string::npos;
  const std::string host = a.bind == "0.0.0.0" || a.bind == "::" ? "this-machine"
                           : is_v6                               ? "[" + a.bind + "]"
                                                                 : a.bind;
  const std::string token = a.token.empty() ? "" : "/?token=" + (a.hides_token ? "…" : a.token);
  tell(fmt::format("live  http://{0}:{1}{2}   (Foxglove: ws://{0}:{1}{2})\n", host, port, token));
}

std::atomic<bool> stop_playing{false};
extern "C" void on_stop_playing(int) { stop_playing = true; }

}  // namespace

std::shared_ptr<foxglove::Live> open_live(const LiveArguments& a, bool quiet,
                                          const std::filesystem::path& mission,
                                          const std::filesystem::path& vehicle,
                                          simulation::RunOptions& options) {
  if (!a.given) return nullptr;
  auto live = std::make_shared<foxglove::Live>(web_options(a, "--live", quiet),
                                               foxglove::LiveFiles{mission, vehicle});
  if (!quiet) tell_where(a, live->port());
  options.site.real_time = true;
  options.tune = [live](flight::Tuning& tuning) { live->begin(tuning); };
  options.end = [live] { live->end(); };
  options.ask = [live, before = options.ask](const stack::Model& model, const stack::Outputs& last,
                                             stack::Inputs& in) {
    if (before) before(model, last, in);
    live->put(model, last, in);
  };
  options.watch = [live, before = options.watch](const stack::Model& model, const stack::Inputs& in,
                                                 const stack::Outputs& out) {
    if (before) before(model, in, out);
    live->take(model, in, out);
  };
  return live;
}

void add_play(CLI::App& app, Session& session) {
  struct Arguments {
    std::string log;
    LiveArguments live;
    foxglove::PlayOptions play;
    bool quiet = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("live", "Play a log to Foxglove, PlotJuggler or a browser.");
  verb->add_option("log", a->log, "A log, such as runs/first/log.mcap")->required();
  verb->add_option("--port", a->live.port, "Port to listen at (default: 8765; 0: any)");
  verb->add_option("--speed", a->play.speed, "Times real time (default: 1)")
      ->check(CLI::Range(1e-3, 1e6));
  verb->add_flag("--loop", a->play.loop, "Again from the beginning, until Ctrl-C");
  verb->add_flag("-q,--quiet", a->quiet, "No talk on stderr");
  add_live_options(*verb, a->live);
  verb->footer(
      "Example:\n"
      "  pintle live runs/first/log.mcap\n"
      "Exit codes: 0 played, 2 usage, 4 the log cannot be read, or the port not be had.");
  verb->callback([a, &session] {
    a->play.stop = &stop_playing;
    end_on_signals(on_stop_playing);
    foxglove::play(a->log, web_options(a->live, "--port", a->quiet), a->play,
                   [&](std::uint16_t port) {
                     if (!a->quiet) tell_where(a->live, port);
                   });
    settle_talk();
    session.exit_code = kOk;
  });
}
#else
std::shared_ptr<foxglove::Live> open_live(const LiveArguments& a, bool,
                                          const std::filesystem::path&,
                                          const std::filesystem::path&, simulation::RunOptions&) {
  if (a.given) refuse();
  return nullptr;
}

void add_play(CLI::App& app, Session&) {
  CLI::App* verb = app.add_subcommand("live", "Play a log to Foxglove, PlotJuggler or a browser.");
  verb->allow_extras();
  verb->callback([] { refuse(); });
}
#endif

}  // namespace pintle::app
