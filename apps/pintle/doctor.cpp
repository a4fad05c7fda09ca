#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "pintle/device/port_list.h"
#include "pintle/flight/recorder.h"
#include "printed.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct Finding {
  std::string name, value;
  bool ok = true;
  std::string advice;
};

/// How late a 1 kHz loop wakes up on this machine.
struct Jitter {
  double median_us = 0, p99_us = 0, max_us = 0;
};

Jitter measure_jitter(double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> late;
  const auto n = static_cast<std::size_t>(std::max(1.0, seconds * 1000));
  late.reserve(n);
  auto next = Clock::now();
  for (std::size_t i = 0; i < n; ++i) {
    next += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(next);
    late.push_back(std::chrono::duration<double, std::micro>(Clock::now() - next).count());
  }
  std::sort(late.begin(), late.end());
  return {late[n / 2], late[n * 99 / 100], late.back()};
}

Finding kernel() {
  utsname u{};
  uname(&u);
  const bool rt = std::string_view(u.version).find("PREEMPT_RT") != std::string_view::npos;
  return {"kernel", std::string(u.sysname) + " " + u.release + (rt ? ", PREEMPT_RT" : ""), true,
          rt ? "" : "for hardware at 1 kHz a PREEMPT_RT kernel is better"};
}

Finding memory_lock() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool unlimited = limit.rlim_cur == RLIM_INFINITY || geteuid() == 0;
  return {"memory lock", unlimited ? "allowed" : fmt::format("{} KiB", limit.rlim_cur / 1024), true,
          unlimited ? "" : "for hardware: ulimit -l unlimited"};
}

Finding writable_runs() {
  std::error_code error;
  const auto space = std::filesystem::space(".", error);
  const bool can_write = access(".", W_OK) == 0;
  const double free_gib = error ? 0 : static_cast<double>(space.available) / (1 << 30);
  return {"this folder",
          fmt::format("{}, {:.1f} GiB free", can_write ? "writable" : "not writable", free_gib),
          can_write && free_gib > 0.1,
          can_write ? "" : "pintle run needs a folder that it can write, see --out"};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The character set of the locale: what the first of these names behind its dot.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    for (char& c : value) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return value.find("UTF-8") != std::string::npos || value.find("UTF8") != std::string::npos;
  }
  return false;
}

/// What `pintle console` would find.
Finding terminal() {
  winsize size{};
  const bool is_there = isatty(0) == 1 && isatty(1) == 1;
  if (!is_there)
    return {"terminal", "none", true, "pintle console needs one for its keys and its screen"};
  if (ioctl(1, TIOCGWINSZ, &size) != 0) size = {};
  const std::string term = environment("TERM");
  const bool dumb = term.empty() || term == "dumb";
  const std::string colours =
      dumb                               ? "no colours"
      : !environment("NO_COLOR").empty() ? "no colours (NO_COLOR)"
      : term.find("256color") != std::string::npos || !environment("COLORTERM").empty()
          ? "256 colours or more"
          : "colours";
  std::string advice;
  if (dumb)
    advice = "the console draws in place: set TERM to what the terminal is, such as xterm-256color";
  else if (size.ws_col < 80 || size.ws_row < 24)
    advice = "80 x 24 shows all of the console";
  return {"terminal",
          fmt::format("{}, {} x {}, {}, {}", term.empty() ? "TERM is not set" : term, size.ws_col,
                      size.ws_row, speaks_utf8() ? "UTF-8" : "no UTF-8 (none is needed)", colours),
          true, advice};
}

/// Serial ports, one finding each.
std::vector<Finding> serial_ports() {
  std::vector<Finding> out;
  for (const device::PortAbout& p : device::list_ports()) {
    std::string value = p.device == p.name ? p.name : p.name + " -> " + p.device;
    if (p.latency_ms >= 0) value += fmt::format(", latency timer {} ms", p.latency_ms);
    if (!p.holder.empty()) value += ", open in " + p.holder;
    std::string advice;
    if (!p.may_open)
      advice = "this user may not open it: scripts/setup --serial, then log in anew";
    else if (p.latency_ms > 1)
      advice = "each answer waits for the adapter: scripts/setup --serial sets its timer to 1 ms";
    // without ports and rights a machine still simulates
    out.push_back({fmt::format("serial port {}", out.size()), value, true, advice});
  }
  if (out.empty()) out.push_back({"serial ports", "none", true, ""});
  return out;
}

int doctor(bool json, double seconds) {
  const Jitter j = measure_jitter(seconds);
  std::vector<Finding> findings{
      {"build", flight::build_description(), true, ""},
      kernel(),
      {"cores", std::to_string(std::thread::hardware_concurrency()), true, ""},
      memory_lock(),
      writable_runs(),
      terminal(),
      {"1 kHz wake-up",
       fmt::format("late by {:.0f} us median, {:.0f} us p99, {:.0f} us at most", j.median_us,
                   j.p99_us, j.max_us),
       true,
       j.p99_us > 500 ? "fine for simulation; a hardware loop of 1 kHz would miss deadlines here"
                      : ""}};
  const std::vector<Finding> ports = serial_ports();
  findings.insert(findings.end() - 1, ports.begin(), ports.end());
  const bool ok =
      std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.ok; });
  if (json) {
    nlohmann::ordered_json out;
    for (const Finding& f : findings)
      out[f.name] = {{"value", f.value}, {"ok", f.ok}, {"advice", f.advice}};
    out["ok"] = ok;
    fmt::print("{}\n", printed(out));
  } else {
    for (const Finding& f : findings)
      fmt::print("{:<4}{:<15}{}{}\n", f.ok ? "ok" : "BAD", f.name, f.value,
                 f.advice.empty() ? "" : "  (" + f.advice + ")");
  }
  return ok ? kOk : kCheckFailed;
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  auto json = std::make_shared<bool>(false);
  auto seconds = std::make_shared<double>(2);
  CLI::App* verb =
      app.add_subcommand("doctor", "Looks at this machine: kernel, clock, limits, jitter.");
  verb->add_flag("--json", *json, "One JSON object");
  verb->add_option("--seconds", *seconds, "How long to measure the clock")
      ->check(CLI::Range(0.01, 600.0));
  verb->footer(
      "Examples:\n  pintle doctor\n  pintle doctor --seconds 10\nExit codes: 0 fine, 1 something "
      "is bad.");
  verb->callback([json, seconds, &session] { session.exit_code = doctor(*json, *seconds); });
}

}  // namespace pintle::app
