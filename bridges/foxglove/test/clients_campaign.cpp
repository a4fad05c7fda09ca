// A craft flown at 1 kHz against the wall clock, in turns alone and beside fifty clients of its live server, who come and go: how late each
// tick has done its work, memory, what is left when they have gone, and how long a click takes to stand in a tick.
//
//   clients_campaign SECONDS
//
// SECONDS are those beside clients. Of the fifty 44 follow every channel, four follow them and never read, one sends garbage, one clicks.
// At last one clicks beside a hundred that say nothing, or half of what they have to say.
// They stand for other machines: a process of the lowest priority. The tick runs under SCHED_FIFO, as on a craft; the server's thread is an
// ordinary one. Each stretch beside them is held against those alone right before and after it, so that what else the machine does falls
// out: the answer is the median of the differences at p99.9, and the quantiles of all ticks together stand beside it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "pintle/foxglove/live.h"
#include "pintle/simulation/run.h"

namespace {

using namespace pintle;
using namespace pintle::stack;
using nlohmann::json;

constexpr std::size_t kFollow = 44, kStopped = 4, kSilent = 100;
constexpr std::int64_t kPeriod_ns = 1'000'000;
// what is promised
constexpr double kLater_s = 50e-6, kClick_s = 50e-3, kHeard_s = 0.1, kGrowth_MB = 1;

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

constexpr double kAlone_s = 5, kTogether_s = 10, kSettle_s = 1;

enum Stage : int { kAlone, kTogether, kLeaving, kBesideSilence, kOver };

/// Between the craft's process and that of its clients.
struct Shared {
  std::atomic<int> stage{kAlone}, port{0};
  std::atomic<std::int64_t> clicked_ns{0};  ///< Not yet seen by a tick; 0: none.
  std::atomic<int> following{0};            ///< That have had a message.
  std::atomic<std::uint64_t> messages{0}, shown_out{0};
  std::atomic<int> clicks{0};
  double click_s[100000]{};
};

// ---- clients ---------------------------------------------------------------------------------

class Peer {
 public:
  enum Kind { kFollows, kStops, kSpeaksNonsense, kClicks, kSaysNothing };
  Peer(Kind kind, Shared& shared, unsigned seed) : kind_(kind), shared_(shared), random_(seed) {}
  ~Peer() { leave(true); }
  Peer(Peer&& other) noexcept
      : kind_(other.kind_),
        shared_(other.shared_),
        fd_(std::exchange(other.fd_, -1)),
        random_(other.random_) {}

  [[nodiscard]] int fd() const { return kind_ == kStops && asked_ ? -1 : fd_; }

  void come() {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(shared_.port.load()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return leave(true);
    const std::string hello = fmt::format(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n",
        shared_.port.load());
    // of who says nothing: no word, half a request, all of it, and half a frame
    const auto said = kind_ == kSaysNothing ? random_() % 4 : 2;
    put(said == 0 ? "" : hello.substr(0, said == 1 ? 20 : std::string::npos));
    if (said == 3) put("\x82\xe4");
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    heard_.clear();
    greeted_ = asked_ = had_ = false;
  }

  void leave(bool abruptly) {
    if (fd_ < 0) return;
    if (!abruptly) say(8, "\x03\xe8");
    ::close(fd_);
    fd_ = -1;
  }

  /// Reads what is there, answers, and does what it is here for.
  void turn() {
    if (fd_ < 0) {
      if (kind_ != kSaysNothing) shared_.shown_out += 1;
      return come();
    }
    char chunk[65536];
    for (;;) {
      const ssize_t n = ::recv(fd_, chunk, sizeof chunk, 0);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (n <= 0) return leave(true);
      heard_.append(chunk, static_cast<std::size_t>(n));
      if (n < static_cast<ssize_t>(sizeof chunk)) break;
    }
    if (!greeted_) {
      const std::size_t end = heard_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      heard_.erase(0, end + 4);
      greeted_ = true;
    }
    while (fd_ >= 0 && take_frame()) continue;
  }

  void speak_nonsense() {
    if (fd_ < 0 || !greeted_) return;
    std::string some(std::uniform_int_distribution<std::size_t>(0, 200)(random_), '\0');
    for (char& c : some) c = static_cast<char>(random_());
    switch (random_() % 4) {
      case 0: return put(some);  // no frame at all
      case 1: return say(1, R"({"op":"subscribe","subscriptions":)" + std::string(100, '['));
      default: return say(2, some);
    }
  }

  /// One at a time: the next when the last was answered.
  void click() {
    if (service_ < 0 || waits_) return;
    const json words{{"words", "heartbeat"}};
    const std::string text = words.dump();
    std::string out("\x02", 1);
    for (const std::uint32_t n : {static_cast<std::uint32_t>(service_), ++call_, 4U})
      out.append(reinterpret_cast<const char*>(&n), 4);
    waits_ = true;
    shared_.clicked_ns = now_ns();
    say(2, out + "json" + text);
  }

 private:
  void put(const std::string& bytes) {
    std::size_t done = 0;
    while (fd_ >= 0 && done < bytes.size()) {
      const ssize_t n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n < 0 && errno == EAGAIN) return;  // who speaks nonsense does not wait either
      if (n <= 0) return leave(true);
      done += static_cast<std::size_t>(n);
    }
  }
  void say(int opcode, const std::string& payload) {
    std::string frame{static_cast<char>(0x80 | opcode)};
    if (payload.size() < 126) {
      frame += static_cast<char>(0x80 | payload.size());
    } else {
      frame += static_cast<char>(0xFE);
      frame += static_cast<char>(payload.size() >> 8);
      frame += static_cast<char>(payload.size());
    }
    put(frame + std::string(4, '\0') + payload);  // a mask of zeros changes nothing
  }
  bool take_frame() {
    const auto at = [this](std::size_t i) { return static_cast<unsigned char>(heard_[i]); };
    if (heard_.size() < 2) return false;
    std::size_t head = 2, n = at(1) & 0x7FU;
    const std::size_t wide = n == 126 ? 2 : n == 127 ? 8 : 0;
    if (heard_.size() < head + wide) return false;
    if (wide > 0) n = 0;
    for (std::size_t i = 0; i < wide; ++i) n = n << 8U | at(head++);
    if (heard_.size() < head + n) return false;
    const int opcode = at(0) & 0x0F;
    const std::string payload = heard_.substr(head, n);
    heard_.erase(0, head + n);
    if (opcode == 8) {
      leave(true);
    } else if (opcode == 9) {
      say(10, payload);
    } else if (opcode == 1) {
      take_text(payload);
    } else if (opcode == 2) {
      shared_.messages += 1;
      if (payload[0] == 1 && !std::exchange(had_, true)) shared_.following += 1;
      if (payload[0] == 3) waits_ = false;
    }
    return true;
  }
  void take_text(const std::string& text) {
    const json m = json::parse(text);
    if (m["op"] == "serviceCallFailure") waits_ = false;
    if (m["op"] == "advertiseServices")
      for (const json& s : m["services"])
        if (s["name"] == "/pintle/command") service_ = s["id"];
    if (m["op"] != "advertise" || (kind_ != kFollows && kind_ != kStops)) return;
    json subscriptions = json::array();
    for (const json& c : m["channels"])
      subscriptions.push_back({{"id", c["id"]}, {"channelId", c["id"]}});
    say(1, json{{"op", "subscribe"}, {"subscriptions", subscriptions}}.dump());
    asked_ = true;
  }

  Kind kind_;
  Shared& shared_;
  int fd_ = -1;
  std::string heard_;
  bool greeted_ = false, asked_ = false, had_ = false, waits_ = false;
  int service_ = -1;
  std::uint32_t call_ = 0;
  std::mt19937 random_;
};

void nap(long ms) {
  const timespec t{0, ms * 1'000'000};
  ::nanosleep(&t, nullptr);
}

std::vector<Peer::Kind> fifty() {
  std::vector<Peer::Kind> kinds(kFollow, Peer::kFollows);
  kinds.insert(kinds.end(), kStopped, Peer::kStops);
  kinds.insert(kinds.end(), {Peer::kSpeaksNonsense, Peer::kClicks});
  return kinds;
}
std::vector<Peer::Kind> silent() {
  std::vector<Peer::Kind> kinds(kSilent, Peer::kSaysNothing);
  kinds.push_back(Peer::kClicks);
  return kinds;
}

/// All of them, the last one clicks, until the stage is over.
void come_and_go(const std::vector<Peer::Kind>& kinds, Shared& shared, std::mt19937& random) {
  const int stage = shared.stage;
  std::vector<Peer> peers;
  for (const Peer::Kind kind : kinds)
    peers.emplace_back(kind, shared, static_cast<unsigned>(random()));
  for (Peer& p : peers) p.come();
  std::int64_t next_click = now_ns(), next_nonsense = next_click;
  while (shared.stage == stage) {
    std::vector<pollfd> polled;
    for (const Peer& p : peers) polled.push_back({p.fd(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), 5);
    for (std::size_t i = 0; i < peers.size(); ++i)
      if (polled[i].revents != 0 || (polled[i].fd < 0 && kinds[i] != Peer::kStops)) peers[i].turn();
    const std::int64_t now = now_ns();
    if (now > next_nonsense && kinds[peers.size() - 2] == Peer::kSpeaksNonsense) {
      peers[peers.size() - 2].speak_nonsense();
      next_nonsense = now + 2'000'000;
    }
    if (now > next_click) {
      peers.back().click();
      next_click =
          now + std::uniform_int_distribution<std::int64_t>(50'000'000, 150'000'000)(random);
    }
  }
  for (std::size_t i = 0; i < peers.size(); ++i) peers[i].leave(i % 2 == 0);
}

/// The process of all clients: it takes what processor time is left.
void be_clients(Shared& shared) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpriority(PRIO_PROCESS, 0, 19);
  std::mt19937 random(1);
  while (shared.stage != kOver) {
    nap(10);
    if (shared.stage == kTogether) come_and_go(fifty(), shared, random);
    if (shared.stage == kBesideSilence) come_and_go(silent(), shared, random);
  }
}

// ---- the craft -------------------------------------------------------------------------------

/// The simulated world, at absolute instants of the wall clock.
class Paced final : public flight::Site {
 public:
  explicit Paced(simulation::SimulatedSite& world) : world_(world) {}
  [[nodiscard]] Time now() const noexcept override { return world_.now(); }
  bool sense(Time due, Inputs& in) override {
    if (begin_ns_ == 0) begin_ns_ = now_ns() - due.ns;
    due_ns = begin_ns_ + due.ns;
    const timespec until{due_ns / 1'000'000'000, due_ns % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) continue;
    woken_ns = now_ns();
    return world_.sense(due, in);
  }
  void act(const Model& model, const Outputs& out) override { world_.act(model, out); }
  [[nodiscard]] bool outlasts() const noexcept override { return world_.outlasts(); }
  std::int64_t due_ns = 0, woken_ns = 0;

 private:
  simulation::SimulatedSite& world_;
  std::int64_t begin_ns_ = 0;
};

double resident_MB() {
  std::ifstream in("/proc/self/statm");
  long size = 0, resident = 0;
  in >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / 1048576;
}

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

double quantile(std::vector<double>& sorted, double q) {
  return sorted.empty()
             ? 0
             : sorted[std::min(sorted.size() - 1,
                               static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

/// How late ticks were, and what they took, of one stretch of time.
struct Stretch {
  std::vector<double> late, work;
};

/// What each stretch beside clients adds to those alone around it, at p99.9.
std::vector<double> added(const std::vector<Stretch>& alone, const std::vector<Stretch>& together) {
  std::vector<double> all;
  for (std::size_t i = 0; i < together.size() && i + 1 < alone.size(); ++i) {
    std::vector<double> around = alone[i].late, beside = together[i].late;
    around.insert(around.end(), alone[i + 1].late.begin(), alone[i + 1].late.end());
    std::sort(around.begin(), around.end());
    std::sort(beside.begin(), beside.end());
    all.push_back(quantile(beside, 0.999) - quantile(around, 0.999));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<double> pooled(const std::vector<Stretch>& stretches,
                           std::vector<double> Stretch::*member) {
  std::vector<double> all;
  for (const Stretch& s : stretches) all.insert(all.end(), (s.*member).begin(), (s.*member).end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  const auto rounds = static_cast<std::size_t>(std::max(3.0, std::ceil(seconds / kTogether_s)));
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Shared& shared = *new (memory) Shared;
  const pid_t child = ::fork();
  if (child == 0) {
    be_clients(shared);
    ::_exit(0);
  }

  craft::MissionFile mission = craft::load_mission(PINTLE_SOURCE_DIR "/missions/pool.yaml");
  mission.vehicle.control_rate_Hz = 1000;
  flight::FlyOptions options;
  options.planner = true;
  std::atomic<bool> stop{false};
  options.stop = &stop;

  foxglove::WebOptions web;
  web.port = 0;
  foxglove::Live live(web);
  simulation::SimulatedSite world(mission, 1, {});
  Paced site(world);

  const auto count = [](double s) { return static_cast<std::size_t>(s * 1e9 / kPeriod_ns); };
  // written to beforehand: a page that comes into being in a tick is no client's doing
  const auto stretches = [](std::size_t n, std::size_t ticks) {
    std::vector<Stretch> all(n);
    for (Stretch& s : all)
      for (auto* list : {&s.late, &s.work}) list->assign(ticks, 0), list->clear();
    return all;
  };
  std::vector<Stretch> alone = stretches(rounds + 1, count(kAlone_s)),
                       together = stretches(rounds, count(kTogether_s));
  std::size_t files_before = 0, tasks_before = 0, files_after = 0, tasks_after = 0;
  std::size_t round = 0, ticks = 0;  // of the stage
  int among_fifty = 0;               // clicks
  double memory_early = 0, memory_end = 0, gone_s = 0;
  std::int64_t left_ns = 0;

  options.tune = [&](flight::Tuning& tuning) {
    live.begin(tuning);
    shared.port = live.port();
    // the server's thread is there by now and keeps its ordinary priority
    const sched_param priority{50};
    if (::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority) != 0)
      fmt::print(stderr, "no SCHED_FIFO: as an ordinary process\n");
  };
  options.ask = [&](const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) {
    const std::size_t before = in.commands.size();
    live.put(model, last, in);
    if (in.commands.size() == before) return;
    const std::int64_t clicked = shared.clicked_ns.exchange(0);
    const int n = shared.clicks;
    if (clicked == 0 || n >= static_cast<int>(std::size(shared.click_s))) return;
    shared.click_s[n] = static_cast<double>(now_ns() - clicked) * 1e-9;
    shared.clicks = n + 1;
  };
  const auto next = [&](Stage stage) {
    ticks = 0;
    shared.stage = stage;
  };
  options.watch = [&](const stack::Model& model, const stack::Inputs& in,
                      const stack::Outputs& out) {
    live.take(model, in, out);
    const std::int64_t done = now_ns();
    ++ticks;
    const int stage = shared.stage;
    if (stage == kBesideSilence) {
      if (ticks < count(kTogether_s)) return;
      stop = true;
      return next(kOver);
    }
    if (stage == kLeaving || stage == kOver) {
      // what looks into /proc is no part of a tick that is measured
      if (stage == kOver || ticks % 100 != 0) return;
      files_after = entries("/proc/self/fd");
      tasks_after = entries("/proc/self/task");
      const double since_s = static_cast<double>(done - left_ns) * 1e-9;
      if (files_after > files_before && since_s < 30) return;
      gone_s = std::max(gone_s, since_s);
      return next(kAlone);
    }
    const bool settled = stage == kTogether || ticks > count(kSettle_s);
    Stretch& s = stage == kTogether ? together[round] : alone[round];
    if (settled) {
      s.late.push_back(static_cast<double>(done - site.due_ns) * 1e-9);
      s.work.push_back(static_cast<double>(done - site.woken_ns) * 1e-9);
    }
    if (s.late.size() < s.late.capacity()) return;
    if (stage == kTogether) {
      memory_end = resident_MB();
      if (round == rounds / 5) memory_early = memory_end;
      left_ns = done;
      ++round;
      return next(kLeaving);
    }
    if (round == 0) {
      files_before = entries("/proc/self/fd");
      tasks_before = entries("/proc/self/task");
    }
    among_fifty = shared.clicks;
    next(round < rounds ? kTogether : kBesideSilence);
  };
  options.end = [&] { live.end(); };
  const flight::FlightResult flown = flight::fly(mission, site, options);
  int status = 0;
  ::waitpid(child, &status, 0);

  std::vector<double> clicks(shared.click_s, shared.click_s + among_fifty),
      beside_silence(shared.click_s + among_fifty, shared.click_s + shared.clicks);
  for (auto* list : {&clicks, &beside_silence}) std::sort(list->begin(), list->end());
  std::vector<double> late[2] = {pooled(alone, &Stretch::late), pooled(together, &Stretch::late)},
                      work[2] = {pooled(alone, &Stretch::work), pooled(together, &Stretch::work)},
                      differences = added(alone, together);
  const double later = quantile(differences, 0.5), click = quantile(clicks, 0.99),
               heard = quantile(beside_silence, 0.99);
  const bool clean =
      status == 0 && files_after == files_before && tasks_after == tasks_before && gone_s < 30;
  const bool all_there = shared.following >= static_cast<int>(kFollow * rounds);
  const bool holds = later <= kLater_s && click <= kClick_s && !clicks.empty() &&
                     heard <= kHeard_s && !beside_silence.empty() &&
                     memory_end - memory_early <= kGrowth_MB && clean && all_there;
  fmt::print(
      "{{\"seconds\": {}, \"rounds\": {}, \"clients\": {}, \"messages\": {}, "
      "\"nonsense_shown_out\": {}, \"ticks_alone\": {}, \"ticks_together\": {}, "
      "\"later_us\": {:.1f}, \"later_in_nine_of_ten_us\": {:.1f}, "
      "\"alone_p99_us\": {:.1f}, \"together_p99_us\": {:.1f}, "
      "\"alone_p999_us\": {:.1f}, \"together_p999_us\": {:.1f}, "
      "\"work_alone_p999_us\": {:.1f}, \"work_together_p999_us\": {:.1f}, \"alone_worst_us\": "
      "{:.1f}, \"together_worst_us\": {:.1f}, "
      "\"clicks\": {}, \"click_p50_ms\": {:.2f}, \"click_p99_ms\": {:.2f}, "
      "\"beside_100_silent\": {{\"clicks\": {}, \"click_p50_ms\": {:.2f}, \"click_p99_ms\": "
      "{:.2f}}}, "
      "\"memory_early_MB\": "
      "{:.2f}, \"memory_end_MB\": {:.2f}, "
      "\"gone_after_s\": {:.2f}, \"files_left_over\": {}, \"threads_left_over\": {}, \"verdict\": "
      "\"{}\"}}\n",
      seconds, rounds, shared.following.load() / static_cast<int>(rounds) + kStopped + 2,
      shared.messages.load(), shared.shown_out.load(), late[0].size(), late[1].size(), later * 1e6,
      quantile(differences, 0.9) * 1e6, quantile(late[0], 0.99) * 1e6,
      quantile(late[1], 0.99) * 1e6, quantile(late[0], 0.999) * 1e6, quantile(late[1], 0.999) * 1e6,
      quantile(work[0], 0.999) * 1e6, quantile(work[1], 0.999) * 1e6, quantile(late[0], 1) * 1e6,
      quantile(late[1], 1) * 1e6, clicks.size(), quantile(clicks, 0.5) * 1e3, click * 1e3,
      beside_silence.size(), quantile(beside_silence, 0.5) * 1e3, heard * 1e3, memory_early,
      memory_end, gone_s, static_cast<int>(files_after) - static_cast<int>(files_before),
      static_cast<int>(tasks_after) - static_cast<int>(tasks_before), to_string(flown.verdict));
  return holds ? 0 : 1;
}
