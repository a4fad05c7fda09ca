// A vector a millisecond to three readers, each a process, and to a fourth that is stopped and let
// go again by turns. Prints figures as JSON; ends with 0 when no reader had a gap, nothing grew,
// and the thread that writes was as quick with the stopped reader as without.
//
//   yarp_stream_campaign [SECONDS [SECONDS_EACH_TURN]]
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "pintle/yarp/dialogues.h"
#include "pintle/yarp/name_server.h"

namespace {

using namespace pintle::yarp;
using Clock = std::chrono::steady_clock;

constexpr double kAllowed_us = 20;

volatile sig_atomic_t ended = 0;
void end(int) { ended = 1; }

/// Of a reader, through its pipe.
struct Tale {
  std::uint64_t messages = 0, gaps = 0, bad = 0;
};

void read_stream(const Address& names, const std::string& name, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGTERM, end);
  Tale tale;
  {
    NetworkOptions options;
    options.name_server = names;
    Network network(options);
    std::int32_t last = 0;
    PortOptions port;
    port.name = name;
    port.heard = [&](const Message& m, const Answer&) {
      std::string why;
      const auto stamp = stamp_of(m.envelope());
      const Values v = values_of(m, why);
      if (!stamp || v.size() != 4 || v[0] != stamp->count) ++tale.bad;
      if (stamp && tale.messages > 0 && stamp->count != last + 1) ++tale.gaps;
      if (stamp) last = stamp->count;
      ++tale.messages;
      return false;
    };
    network.port(std::move(port));
    network.start();
    while (ended == 0) usleep(50'000);
  }
  if (write(pipe, &tale, sizeof tale) != sizeof tale) _exit(1);
  _exit(0);
}

long resident_kib() {
  std::ifstream in("/proc/self/statm");
  long size = 0, resident = 0;
  in >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

double at_share(std::vector<float>& us, double share) {
  if (us.empty()) return 0;
  const auto k = static_cast<std::size_t>(share * static_cast<double>(us.size() - 1));
  std::nth_element(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(k), us.end());
  return static_cast<double>(us[k]);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600,
               turn = argc > 2 ? std::atof(argv[2]) : 15;
  // a process of its own, so that every other is forked without threads
  Address names{"127.0.0.1", 0};
  int told[2];
  if (pipe(told) != 0) return 1;
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const NameServer root(names);
    const int port = root.address().port;
    if (write(told[1], &port, sizeof port) != sizeof port) _exit(1);
    for (;;) pause();
  }
  if (read(told[0], &names.port, sizeof names.port) != sizeof names.port) return 1;

  std::array<pid_t, 4> readers{};
  std::array<int, 4> tales{};
  for (std::size_t i = 0; i < readers.size(); ++i) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    tales[i] = ends[0];
    readers[i] = fork();
    if (readers[i] == 0) read_stream(names, "/reader" + std::to_string(i), ends[1]);
  }

  NetworkOptions options;
  options.name_server = names;
  Network network(options);
  VectorOutput& out = network.output("/stream");
  network.start();
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const std::string to = "/reader" + std::to_string(i);
    while (!query(names, to)) usleep(10'000);
    while (!network.connect(out.port(), to, i == 1 ? Carrier::kFastTcp : Carrier::kTcp, true))
      usleep(10'000);
  }

  // by turns with and without a reader that is stopped, so that both meet the same machine
  prctl(PR_SET_TIMERSLACK, 1);
  std::array<std::vector<float>, 2> us;
  // touched before: what is measured into is no growth
  for (auto& u : us) {
    u.assign(static_cast<std::size_t>(seconds * 1000) + 1000, 1.0F);
    u.clear();
  }
  bool stopped = false;
  long early_kib = 0;
  std::int32_t count = 0;
  const auto begin = Clock::now();
  auto due = begin, turned = begin;
  while (std::chrono::duration<double>(due - begin).count() < seconds) {
    due += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(due);
    const auto before = Clock::now();
    ++count;
    const std::array<double, 4> values{static_cast<double>(count), 0.1, -2.5, 1e300};
    out.write(values, {count, 0.001 * count});
    us[stopped ? 1 : 0].push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - before).count());
    if (std::chrono::duration<double>(before - turned).count() > turn) {
      turned = before;
      stopped = !stopped;
      kill(readers[3], stopped ? SIGSTOP : SIGCONT);
    }
    if (count == 60'000) early_kib = resident_kib();
  }
  kill(readers[3], SIGCONT);
  bool drained = false;
  for (int i = 0; i < 1000 && !drained; ++i) {
    network.loop().call_and_wait([&] { drained = out.is_drained(); });
    usleep(10'000);
  }
  const long late_kib = resident_kib();
  Tale all;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t i = 0; i < readers.size(); ++i) {
    kill(readers[i], SIGTERM);
    Tale tale;
    if (read(tales[i], &tale, sizeof tale) != sizeof tale) tale.bad = 1;
    waitpid(readers[i], nullptr, 0);
    if (i == 3) continue;  // it was stopped: it may have gaps
    all.gaps += tale.gaps;
    all.bad += tale.bad;
    least = std::min(least, tale.messages);
  }
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);

  const double without = at_share(us[0], 0.999), with = at_share(us[1], 0.999);
  const bool good = all.gaps == 0 && all.bad == 0 && least == static_cast<std::uint64_t>(count) &&
                    out.lost() == 0 && with - without < kAllowed_us &&
                    (early_kib == 0 || late_kib < early_kib + 1024);
  std::printf(
      "{\"seconds\": %.0f, \"messages\": %d, \"least_at_a_reader\": %llu, \"gaps\": %llu, \"bad\": "
      "%llu, \"lost_in_the_ring\": %llu, \"write_us_p50\": %.2f, \"write_us_p999_all_read\": %.2f, "
      "\"write_us_p999_one_stopped\": %.2f, \"write_us_max\": %.1f, "
      "\"resident_kib_after_a_minute\": "
      "%ld, \"resident_kib_at_the_end\": %ld}\n",
      seconds, count, static_cast<unsigned long long>(least),
      static_cast<unsigned long long>(all.gaps), static_cast<unsigned long long>(all.bad),
      static_cast<unsigned long long>(out.lost()), at_share(us[0], 0.5), without, with,
      std::max(at_share(us[0], 1), at_share(us[1], 1)), early_kib, late_kib);
  return good ? 0 : 1;
}
