// Names, ranges and checks of what is said about propulsors on a bus.
#include <array>
#include <cmath>

#include "pintle/device/propulsor_bus.h"

namespace pintle::device {

Findings check(const BusSettings& s) {
  Findings out;
  const auto want = [&](bool fine, const char* path, const char* message, const char* fix) {
    if (!fine) out.push_back({path, message, fix, true});
  };
  const auto time = [&](double value, const char* path, const char* fix) {
    want(value > 0 && value <= 60, path, "expected a time above 0 and up to 60 s", fix);
  };
  want(s.baudrate >= 9600 && s.baudrate <= 921600, "baudrate", "expected 9600 to 921600", "115200");
  time(s.command_timeout_s, "command_timeout_s", "1.0");
  time(s.silent_after_s, "silent_after_s", "1.0");
  time(s.refresh_s, "refresh_s", "0.1");
  time(s.poll_s, "poll_s", "0.1");
  time(s.probe_s, "probe_s", "0.5");
  time(s.first_timeout_s, "first_timeout_s", "0.03");
  time(s.min_timeout_s, "min_timeout_s", "0.01");
  want(s.max_timeout_s >= s.min_timeout_s && s.max_timeout_s <= 10, "max_timeout_s",
       "expected min_timeout_s to 10 s", "0.1");
  want(s.turnaround_s >= 0 && s.turnaround_s <= 0.1, "turnaround_s", "expected 0 to 0.1 s",
       "0.0002");
  want(s.slew_per_s >= 0 && s.slew_per_s <= 1000, "slew_per_s", "expected 0 to 1000 1/s", "1.0");
  want(s.neutral >= 0 && s.neutral < 1, "neutral", "expected 0 to 1", "0.02");
  return out;
}

Findings check(std::span<const BusChannel> channels, const BusCapabilities& capabilities) {
  Findings out;
  const auto find = [&](std::size_t i, std::string message, std::string fix) {
    out.push_back({std::string(channels[i].name.view()), std::move(message), std::move(fix), true});
  };
  if (channels.size() > kMaxBusChannels)
    out.push_back({"channels", "more than 64 on one bus", "a bus of its own for the others", true});
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i].node > capabilities.last_node)
      find(i, "node " + std::to_string(channels[i].node) + " is beyond the last that there can be",
           "0 to " + std::to_string(capabilities.last_node));
    for (std::size_t k = 0; k < i; ++k) {
      if (channels[i].node == channels[k].node)
        find(i,
             "node " + std::to_string(channels[i].node) + " is that of " +
                 std::string(channels[k].name.view()) + ", too",
             "a node of its own for each on one line");
      if (channels[i].name == channels[k].name) find(i, "is on this line twice", "each name once");
    }
  }
  return out;
}

}  // namespace pintle::device

namespace pintle {

template <>
const Table& table_of<device::BusSettings>() {
  using S = device::BusSettings;
  static const Table table =
      TableBuilder<S>("BusSettings", "How a line with propulsors is driven.")
          .field("baudrate", &S::baudrate, "", "Bits per second, 8N1.")
          .range(9600, 921600)
          .field("command_timeout_s", &S::command_timeout_s, "s", "A command older than this is 0.")
          .above(0)
          .field("silent_after_s", &S::silent_after_s, "s",
                 "Asked for so long without a good answer is out.")
          .above(0)
          .field("refresh_s", &S::refresh_s, "s", "A command that stands is repeated so often.")
          .above(0)
          .field("poll_s", &S::poll_s, "s", "Who is not commanded is asked so often.")
          .above(0)
          .field("probe_s", &S::probe_s, "s", "Who is silent is asked so often.")
          .above(0)
          .field("first_timeout_s", &S::first_timeout_s, "s",
                 "Time for an answer before one was measured.")
          .above(0)
          .field("min_timeout_s", &S::min_timeout_s, "s", "Least time for an answer.")
          .above(0)
          .field("max_timeout_s", &S::max_timeout_s, "s", "Most time for an answer.")
          .above(0)
          .field("turnaround_s", &S::turnaround_s, "s", "Between an answer and the next frame.")
          .range(0, 0.1)
          .field("slew_per_s", &S::slew_per_s, "1/s",
                 "Rise of the effort of one that came back; 0: at once.")
          .range(0, 1000)
          .field("neutral", &S::neutral, "", "Efforts up to this are neutral after a kill.")
          .range(0, 1)
          .field("multicast", &S::multicast, "", "All are commanded by one frame.")
          .build();
  return table;
}

}  // namespace pintle
