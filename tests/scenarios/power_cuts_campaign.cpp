// The campaign of tests/soak/power_cuts: a program saves a file again and again and writes a log, and the power
// is cut at any of its operations (power_cut_shim.cpp). Each time: the file is the last that was said to be
// saved, or the one after it, whole; so are the older generations; it can be saved again; and the log holds what
// was said to be written, in order.
//
//   power_cuts_campaign CUTS SHIM FOLDER      the campaign; FOLDER/done says how far it came
//   power_cuts_campaign work FOLDER ACKS      the program whose power is cut
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/base/signals.h"
#include "pintle/config/save.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"
#include "pintle/telemetry/mcap_writer.h"

namespace pintle {
namespace {

namespace fs = std::filesystem;

constexpr int kSaves = 6, kMessages = 300, kPerChunk = 50;

/// The text of a version: its own length, and whole when its end is there.
std::string text(int version) {
  std::string out = "version: " + std::to_string(version) + "\n";
  for (int i = 0; i < 40 * (version % 4) + 3; ++i)
    out += "gain_" + std::to_string(i) + ": " + std::to_string(version * 1000 + i) + "\n";
  return out + "end: " + std::to_string(version) + "\n";
}

VehicleState state(int i) {
  VehicleState s;
  s.X_WB.p = {double(i), -0.5 * i, 1.0 / (i + 1)};
  return s;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

/// Says what counts as done only once it has returned.
int work(const fs::path& folder, const fs::path& acks) {
  std::ofstream said(acks, std::ios::app);
  telemetry::McapOptions options;
  options.chunk_seconds = 1;
  options.waits = false;
  telemetry::McapWriter log(folder / "log.mcap", options);
  const auto channel = log.add_channel("/state", table_of<VehicleState>());
  int version = 0;
  for (int i = 0; i < kMessages; ++i) {
    log.write(channel, state(i), Time{i * (1'000'000'000LL / kPerChunk)});
    if (i % kPerChunk != 0 || i == 0) continue;
    log.settle();
    said << "log " << i << std::endl;
    if (version < kSaves && config::save_atomically(folder / "file.yaml", text(++version)).saved)
      said << "save " << version << std::endl;
  }
  log.close();
  said << "log " << kMessages << std::endl;
  return log.failed() ? 1 : 0;
}

struct Case {
  fs::path shim, folder;
  /// False: it did not end as it must.
  bool run(std::uint64_t at, std::uint64_t seed) const {
    std::error_code ignored;
    fs::remove_all(folder / "now", ignored);
    fs::remove_all(folder / "then", ignored);
    fs::create_directories(folder / "now");
    fs::create_directories(folder / "then");
    fs::remove(folder / "acks", ignored);
    std::ofstream(folder / "now/file.yaml", std::ios::binary) << text(0);
    std::vector<std::string> environment{
        "LD_PRELOAD=" + shim.string(), "PINTLE_CUT_DIR=" + (folder / "now").string(),
        "PINTLE_CUT_TO=" + (folder / "then").string(), "PINTLE_CUT_AT=" + std::to_string(at),
        "PINTLE_CUT_SEED=" + std::to_string(seed)};
    std::vector<std::string> words{"power_cuts_campaign", "work", (folder / "now").string(),
                                   (folder / "acks").string()};
    std::vector<char*> envp, argv;
    for (std::string& s : environment) envp.push_back(s.data());
    for (std::string& s : words) argv.push_back(s.data());
    envp.push_back(nullptr), argv.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, argv.data(), envp.data()) != 0)
      return false;
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == (at > 0 ? 9 : 0);
  }
  /// What is wrong with what the disk holds. Empty: nothing.
  [[nodiscard]] std::string judge() const {
    int saved = 0, logged = 0;
    std::ifstream acks(folder / "acks");
    std::string what;
    for (int n = 0; acks >> what >> n;) (what == "save" ? saved : logged) = n;
    const fs::path file = folder / "then/file.yaml";
    const std::string found = content(file);
    if (found != text(saved) && found != text(saved + 1)) {
      for (int v = 0; v < saved; ++v)
        if (found == text(v)) return "a save was lost";
      return fs::exists(file) ? "the file is torn" : "the file was lost";
    }
    for (const char* older : {".1", ".2", ".3"}) {
      const fs::path generation = file.string() + older;
      if (!fs::exists(generation)) continue;
      bool whole = false;
      for (int v = 0; v <= saved + 1; ++v) whole = whole || content(generation) == text(v);
      if (!whole) return "an older file is torn";
    }
    int read = 0;
    bool torn = false;
    bool complete = false;
    if (fs::exists(folder / "then/log.mcap")) try {
        complete = telemetry::McapReader(folder / "then/log.mcap")
                       .for_each([&](const telemetry::McapMessage& m) {
                         VehicleState s;
                         torn = torn || !telemetry::decode_cdr(m.bytes, s) ||
                                !(s.X_WB.p == state(read).X_WB.p);
                         ++read;
                         return true;
                       })
                       .complete;
      } catch (const std::exception&) {
        // of a log of which nothing was said nothing need be there
      }
    if (torn) return "the log is torn";
    if (read < logged || (logged == kMessages && !complete))
      return "of the log " + std::to_string(logged - read) + " messages were lost";
    if (!config::save_atomically(file, text(99)).saved || content(file) != text(99))
      return "it cannot be saved again";
    return {};
  }
};

int campaign(long cuts, const fs::path& shim, const fs::path& folder) {
  const Case one{shim, fs::absolute(folder) / "disk"};
  if (!one.run(0, 1)) {
    std::fprintf(stderr, "power_cuts: the program fails without a cut\n");
    return 1;
  }
  long operations = 0;
  std::ifstream(one.folder / "then/count") >> operations;
  if (operations < 50) return 1;
  long done = 0;
  std::ifstream(folder / "done") >> done;
  long lost = 0, torn = 0;
  std::string bad;
  for (; done < cuts && bad.size() < 2000; ++done) {
    RandomStream random(std::uint64_t(done) + 1, "power cuts");
    const std::uint64_t at = 1 + random.bits() % static_cast<std::uint64_t>(operations);
    // a thread writes beside: where the last operation was cut there may have been one less
    const bool was_cut = one.run(at, random.bits());
    const std::string why = was_cut ? one.judge() : "the power was not cut";
    if (why.empty()) {
      std::ofstream(folder / "done") << done + 1 << "\n";
      continue;
    }
    lost += why.find("lost") != std::string::npos ? 1 : 0;
    torn += why.find("torn") != std::string::npos ? 1 : 0;
    bad += (bad.empty() ? "\"" : ", \"") + std::to_string(done) + ", at " + std::to_string(at) +
           ": " + why + "\"";
  }
  std::printf("{\"cuts\": %ld, \"operations\": %ld, \"lost\": %ld, \"torn\": %ld, \"bad\": [%s]}\n",
              done, operations, lost, torn, bad.c_str());
  return bad.empty() ? 0 : 1;
}

}  // namespace
}  // namespace pintle

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  if (std::strcmp(argv[1], "work") == 0) return pintle::work(argv[2], argv[3]);
  return pintle::campaign(std::strtol(argv[1], nullptr, 10), argv[2], argv[3]);
}
