// Writer and reader against each other; what a file must look like to others is checked record by
// record at the end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "pintle/base/crc32.h"
#include "pintle/base/signals.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_format.h"
#include "pintle/telemetry/mcap_reader.h"
#include "pintle/telemetry/mcap_writer.h"
#include "pintle/testing/heap_counter.h"
#include "pintle/testing/standing_disk.h"

namespace pintle::telemetry {
namespace {

namespace fs = std::filesystem;

struct Heard {
  std::string topic;
  std::int64_t ns;
  std::string bytes;
  bool operator==(const Heard&) const = default;
};

class Mcap : public ::testing::Test {
 protected:
  // a file in memory: these tests write thousands
  void SetUp() override {
    fd_ = ::memfd_create("log.mcap", 0);
    ASSERT_GE(fd_, 0);
    file_ = "/proc/self/fd/" + std::to_string(fd_);
  }
  void TearDown() override { ::close(fd_); }

  static VehicleState state(int i) {
    std::mt19937_64 r(static_cast<std::uint64_t>(i));
    std::normal_distribution<double> number;
    VehicleState s;
    s.stamp = {i * 20'000'000LL};
    s.X_WB.p = {number(r), number(r), i % 7 == 0 ? std::nan("") : number(r)};
    s.V_WB_B.w = {number(r), number(r), number(r)};
    return s;
  }

  /// n states 20 ms apart on two topics; the second only every third time.
  void record(int n, const McapOptions& options = {}) {
    McapWriter writer(file_, options);
    const auto a = writer.add_channel("/state", table_of<VehicleState>());
    const auto b = writer.add_channel("/event", table_of<Event>());
    writer.attach("pool.yaml", "application/yaml", "a: 1\n", Time{3});
    const std::pair<std::string, std::string> entries[]{{"seed", "17"}, {"build", "x"}};
    writer.metadata("run", entries);
    for (int i = 0; i < n; ++i) {
      writer.write(a, state(i), Time{i * 20'000'000LL});
      Event event;
      event.subject = i;
      if (i % 3 == 0) writer.write(b, event, Time{i * 20'000'000LL});
    }
    ASSERT_FALSE(writer.failed());
  }

  std::vector<Heard> hear(McapSummary* summary = nullptr) {
    std::vector<Heard> heard;
    const McapSummary s = McapReader(file_).for_each([&](const McapMessage& m) {
      heard.push_back({std::string(m.topic), m.time.ns,
                       std::string(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size())});
      return true;
    });
    EXPECT_EQ(s.messages, heard.size());
    if (summary) *summary = s;
    return heard;
  }

  std::string content() {
    std::ifstream in(file_, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
  }
  void replace(const std::string& bytes) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  }

  int fd_ = -1;
  fs::path file_;
};

bool is_prefix(const std::vector<Heard>& part, const std::vector<Heard>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

bool is_subsequence(const std::vector<Heard>& part, const std::vector<Heard>& whole) {
  std::size_t at = 0;
  for (const Heard& h : part) {
    while (at < whole.size() && !(whole[at] == h)) ++at;
    if (at == whole.size()) return false;
    ++at;
  }
  return true;
}

TEST_F(Mcap, GivesBackEveryMessageInOrderWithItsTypeAndTime) {
  record(500, {.chunk_bytes = 10'000});
  int i = 0;
  int events = 0;
  const McapSummary summary = McapReader(file_).for_each([&](const McapMessage& m) {
    if (m.topic == "/event") {
      Event event;
      EXPECT_TRUE(decode_cdr(m.bytes, event));
      EXPECT_EQ(event.subject, 3 * events++);
      EXPECT_EQ(m.schema_name, "pintle/msg/Event");
      return true;
    }
    VehicleState s;
    EXPECT_TRUE(decode_cdr(m.bytes, s));
    EXPECT_EQ(to_json(s), to_json(state(i)));
    EXPECT_EQ(m.time.ns, i * 20'000'000LL);
    EXPECT_EQ(m.schema_text, ros2msg_definition(table_of<VehicleState>()));
    ++i;
    return true;
  });
  EXPECT_EQ(i, 500);
  EXPECT_EQ(events, 167);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.damaged_chunks, 0U);
  EXPECT_EQ(summary.note, "");
}

TEST_F(Mcap, AttachmentsAndMetadataComeBackWithoutTheEndOfTheFile) {
  record(200);
  McapReader whole(file_);
  EXPECT_EQ(whole.attachment("pool.yaml")->content, "a: 1\n");
  EXPECT_EQ(whole.attachment("pool.yaml")->media_type, "application/yaml");
  EXPECT_FALSE(whole.attachment("other"));
  fs::resize_file(file_, fs::file_size(file_) / 2);
  McapReader cut(file_);
  EXPECT_EQ(cut.attachment("pool.yaml")->content, "a: 1\n");
  EXPECT_EQ(cut.metadata(),
            (std::map<std::string, std::string>{{"run/build", "x"}, {"run/seed", "17"}}));
}

TEST_F(Mcap, WhatIsWrittenAfterTheEndOrToNoChannelIsToldAndNotInTheLog) {
  McapWriter writer(file_);
  const auto a = writer.add_channel("/state", table_of<VehicleState>());
  EXPECT_TRUE(writer.write(a, state(1), Time{1}));
  EXPECT_FALSE(writer.write(a + 1, state(2), Time{2}));
  writer.close();
  EXPECT_FALSE(writer.write(a, state(3), Time{3}));
  EXPECT_EQ(hear().size(), 1U);
}

TEST_F(Mcap, AFileThatIsMissingIsSaidToBe) {
  try {
    const McapReader reader("/nowhere/log.mcap");
    FAIL() << "it was opened";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("cannot open"), std::string::npos) << e.what();
  }
}

TEST_F(Mcap, ADamagedAttachmentIsNotGiven) {
  record(1);
  std::string bytes = content();
  bytes[bytes.find("a: 1")] = 'b';
  replace(bytes);
  EXPECT_FALSE(McapReader(file_).attachment("pool.yaml"));
}

TEST_F(Mcap, ACallbackCanStop) {
  record(100);
  int n = 0;
  const McapSummary summary =
      McapReader(file_).for_each([&](const McapMessage&) { return ++n < 5; });
  EXPECT_EQ(n, 5);
  EXPECT_EQ(summary.messages, 5U);
}

TEST_F(Mcap, CutAtAnyByteASmallFileGivesAPrefixOfItsMessages) {
  record(60, {.chunk_bytes = 2'000});
  const std::vector<Heard> whole = hear();
  ASSERT_EQ(whole.size(), 80U);
  std::size_t last = whole.size();
  for (std::uintmax_t n = fs::file_size(file_); n-- > kMcapMagic.size();) {
    fs::resize_file(file_, n);
    McapSummary summary;
    const std::vector<Heard> part = hear(&summary);
    ASSERT_TRUE(is_prefix(part, whole)) << n;
    ASSERT_LE(part.size(), last) << n;
    ASSERT_FALSE(summary.complete) << n;
    ASSERT_NE(summary.note, "") << n;
    last = part.size();
  }
  EXPECT_EQ(last, 0U);
}

TEST_F(Mcap, CutAnywhereALargerFileLosesNoMoreThanItsLastChunk) {
  record(20'000, {.chunk_bytes = 30'000});
  const std::vector<Heard> whole = hear();
  const std::uintmax_t size = fs::file_size(file_);
  std::mt19937_64 r(5);
  std::vector<std::uintmax_t> cuts(2'000);
  for (auto& c : cuts) c = 8 + r() % (size - 8);
  std::sort(cuts.rbegin(), cuts.rend());
  // every file is read up to its end; only now and then message by message
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    fs::resize_file(file_, cuts[i]);
    if (i % 40 != 0) {
      std::size_t at = 0;
      bool same = true;
      const McapSummary s = McapReader(file_).for_each([&](const McapMessage& m) {
        same = same && at < whole.size() && m.time.ns == whole[at].ns && m.topic == whole[at].topic;
        return ++at < 20;
      });
      ASSERT_TRUE(same && !s.complete) << cuts[i];
      continue;
    }
    const std::vector<Heard> part = hear();
    ASSERT_TRUE(is_prefix(part, whole)) << cuts[i];
    // a chunk of 30 kB holds about 150 messages; the summary is small
    const double expected = static_cast<double>(whole.size()) * static_cast<double>(cuts[i]) /
                            static_cast<double>(size);
    ASSERT_GT(static_cast<double>(part.size()), 0.95 * expected - 300) << cuts[i];
  }
}

TEST_F(Mcap, AnyChangedByteCostsMessagesButNeverInventsOne) {
  record(60, {.chunk_bytes = 4'000});
  const std::vector<Heard> whole = hear();
  const std::string good = content();
  std::mt19937_64 r(6);
  std::size_t damaged = 0;
  for (std::size_t i = kMcapMagic.size(); i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ static_cast<char>(1 + r() % 255));
    replace(bad);
    McapSummary summary;
    ASSERT_TRUE(is_subsequence(hear(&summary), whole)) << i;
    (void)McapReader(file_).metadata();
    (void)McapReader(file_).attachment("pool.yaml");
    damaged += summary.damaged_chunks > 0 ? 1 : 0;
  }
  EXPECT_GT(damaged, good.size() / 4);
}

TEST_F(Mcap, OneDamagedChunkIsCountedAndTheOthersAreRead) {
  record(2'000, {.chunk_bytes = 20'000});
  const std::vector<Heard> whole = hear();
  const std::string good = content();
  for (const std::size_t place : {std::size_t{400}, good.size() / 3, good.size() / 2}) {
    std::string bad = good;
    for (std::size_t i = 0; i < 8; ++i) bad[place + i] = static_cast<char>(~bad[place + i]);
    replace(bad);
    McapSummary summary;
    const std::vector<Heard> part = hear(&summary);
    EXPECT_EQ(summary.damaged_chunks, 1U) << place;
    EXPECT_TRUE(summary.complete);
    EXPECT_TRUE(is_subsequence(part, whole));
    EXPECT_GT(part.size(), whole.size() - 300) << place;
    EXPECT_LT(part.size(), whole.size()) << place;
  }
}

TEST_F(Mcap, ADamagedLengthIsSteppedOver) {
  record(2'000, {.chunk_bytes = 20'000});
  const std::vector<Heard> whole = hear();
  std::string bytes = content();
  // the length of the second chunk: opcode 6, then eight bytes, before the mark of its packing
  const std::size_t first = bytes.find(std::string("\4\0\0\0zstd", 8));
  const std::size_t second = bytes.find(std::string("\4\0\0\0zstd", 8), first + 1);
  bytes[second - 36 + 5] = 0x7f;
  replace(bytes);
  McapSummary summary;
  const std::vector<Heard> part = hear(&summary);
  EXPECT_EQ(summary.damaged_chunks, 1U);
  EXPECT_TRUE(is_subsequence(part, whole));
  EXPECT_GT(part.size(), whole.size() - 300);
  EXPECT_NE(summary.note.find("resumed"), std::string::npos);
}

TEST_F(Mcap, AChunkUnderAnotherOpcodeIsCountedAsDamaged) {
  record(2'000, {.chunk_bytes = 20'000});
  const std::vector<Heard> whole = hear();
  std::string bytes = content();
  const std::size_t first = bytes.find(std::string("\4\0\0\0zstd", 8));
  const std::size_t second = bytes.find(std::string("\4\0\0\0zstd", 8), first + 1);
  bytes[second - 37] = static_cast<char>(McapOp::kMessage);
  replace(bytes);
  McapSummary summary;
  const std::vector<Heard> part = hear(&summary);
  EXPECT_EQ(summary.damaged_chunks, 1U);
  EXPECT_TRUE(summary.complete);
  EXPECT_TRUE(is_subsequence(part, whole));
  EXPECT_LT(part.size(), whole.size());
}

/// A chunk of `n` times 128 kB of one byte, in the RLE blocks of zstd: four bytes each.
std::string growing_chunk(std::uint32_t n) {
  const auto little = [](std::uint64_t x, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += i < 8 ? static_cast<char>(x >> (8 * i)) : '\0';
    return out;
  };
  std::string packed = little(0xFD2FB528, 4) + "\xA0" + little(n << 17U, 4);
  for (std::uint32_t i = 1; i <= n; ++i)
    packed += little(1U << 20U | 2U | (i == n ? 1U : 0U), 3) + '\x05';
  const std::string body = little(0, 16) + little(n << 17U, 8) + little(0, 4) + little(4, 4) +
                           "zstd" + little(packed.size(), 8) + packed;
  return '\x06' + little(body.size(), 8) + body;
}

TEST_F(Mcap, AChunkThatGrowsAsNoFlightDoesIsLeftOut) {
  record(20);
  const std::vector<Heard> whole = hear();
  std::string bytes = content();
  const std::size_t first = bytes.find(std::string("\4\0\0\0zstd", 8)) - 37;
  ASSERT_EQ(bytes.at(first), static_cast<char>(McapOp::kChunk));
  bytes.insert(first, growing_chunk(8));
  replace(bytes);
  McapSummary summary;
  EXPECT_EQ(hear(&summary), whole) << "the others are there";
  EXPECT_EQ(summary.damaged_chunks, 1U);
  EXPECT_NE(summary.note.find("a size that no flight has"), std::string::npos) << summary.note;
}

TEST_F(Mcap, AnAttachmentThatLooksLikeAChunkIsNone) {
  {
    McapWriter writer(file_);
    const auto a = writer.add_channel("/state", table_of<VehicleState>());
    // behind a name of eight letters stands what marks a chunk: 4, 0, 0, 0, zstd
    writer.attach("pool.bin", "zstd", "packed", Time{3});
    writer.write(a, state(1), Time{4});
  }
  const std::string bytes = content();
  const std::size_t mark = bytes.find(std::string("\4\0\0\0zstd", 8));
  ASSERT_EQ(bytes.at(mark - 37), static_cast<char>(McapOp::kAttachment));
  McapSummary summary;
  EXPECT_EQ(hear(&summary).size(), 1U);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.note, "");
  EXPECT_EQ(McapReader(file_).attachment("pool.bin")->content, "packed");
}

TEST_F(Mcap, WhatIsNotMcapIsRefusedWithItsName) {
  for (const std::string text : {"", "\x89MCAP0\r", "hello, world, this is no log"}) {
    replace(text);
    try {
      McapReader reader(file_);
      ADD_FAILURE() << "accepted";
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(file_.filename().string()), std::string::npos);
    }
  }
  EXPECT_THROW(McapReader("/nowhere/at/all.mcap"), std::runtime_error);
}

TEST_F(Mcap, AFileThatCannotBeCreatedThrows) {
  EXPECT_THROW(McapWriter("/nowhere/at/all.mcap"), std::runtime_error);
}

TEST_F(Mcap, AFullDiskEndsTheRecordingWithoutAnException) {
  McapWriter writer("/dev/full");
  const auto channel = writer.add_channel("/state", table_of<VehicleState>());
  for (int i = 0; i < 200; ++i) writer.write(channel, state(i), Time{i * 20'000'000LL});
  writer.attach("a", "b", "c", Time{});
  writer.close();
  EXPECT_TRUE(writer.failed());
}

TEST_F(Mcap, AKilledProcessLosesTheChunkAtHandAndWhatIsQueued) {
  // 25 messages a chunk; the disk is as quick as the writer, or may be any number of chunks behind
  for (const bool is_settled : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      McapWriter writer(file_, {.chunk_seconds = 0.5, .queue = 3});
      const auto channel = writer.add_channel("/state", table_of<VehicleState>());
      for (int i = 0; i < 1'000; ++i) writer.write(channel, state(i), Time{i * 20'000'000LL});
      if (is_settled) writer.settle();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    McapSummary summary;
    const std::vector<Heard> heard = hear(&summary);
    EXPECT_GE(heard.size(), 1'000U - 25U * (is_settled ? 1 : 4));
    EXPECT_EQ(summary.damaged_chunks, 0U);
    EXPECT_FALSE(summary.complete);
  }
}

/// Random bytes cannot be packed: each message is as long in the file.
Event noise(int i) {
  std::mt19937_64 r(static_cast<std::uint64_t>(i));
  Event event;
  event.subject = static_cast<std::int32_t>(r());
  event.value = std::bit_cast<double>(r() >> 2);
  event.time.ns = static_cast<std::int64_t>(r() >> 1);
  return event;
}

TEST_F(Mcap, WhoMayNotWaitIsNotHeldByADiskThatStandsAndWhatIsLostShows) {
  constexpr int kAll = 40'000;
  testing::StandingDisk disk;
  std::vector<int> kept;
  {
    McapWriter writer(disk.path(), {.chunk_bytes = 32 << 10, .queue = 3, .waits = false});
    const auto a = writer.add_channel("/a", table_of<Event>());
    const auto b = writer.add_channel("/b", table_of<Event>());
    const std::uint64_t before = testing::heap_allocations();
    for (int i = 0; i < kAll; ++i) {
      if (i == kAll - 100) {
        EXPECT_LT(testing::heap_allocations() - before, 60U);
        disk.go_on();
        writer.settle();
      }
      const bool is_kept = writer.write(a, noise(i), Time{i});
      if (!is_kept) continue;
      kept.push_back(i);
      writer.write_beside(b, noise(i), Time{i});
    }
    EXPECT_FALSE(writer.failed());
    // a pipe holds 64 kB, three chunks are queued, one is filled; the rest was never taken
    EXPECT_LT(kept.size(), 20'000U);
    EXPECT_EQ(writer.messages(), 2 * kept.size());
  }
  // what came last is there again
  EXPECT_EQ(kept[kept.size() - 100], kAll - 100);

  replace(disk.content());
  std::vector<int> heard;
  std::string beside;
  const McapSummary summary = McapReader(file_).for_each([&](const McapMessage& m) {
    const std::string bytes(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size());
    if (m.topic == "/a") {
      // the number that a message has among all, lost ones too
      heard.push_back(static_cast<int>(m.sequence));
      EXPECT_EQ(m.time.ns, m.sequence);
      beside = bytes;
    } else {
      EXPECT_EQ(bytes, std::exchange(beside, {}));
    }
    return true;
  });
  EXPECT_EQ(heard, kept);
  EXPECT_TRUE(beside.empty());
  EXPECT_TRUE(summary.complete) << summary.note;
  EXPECT_EQ(summary.damaged_chunks, 0U);
}

/// Whether a thread of this program waits for something.
bool is_waiting(pid_t thread) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string number, name, state;
  in >> number >> name >> state;
  return state == "S";
}

TEST_F(Mcap, WhoEndsWhileTheDiskStandsLosesNothingThatWasTaken) {
  testing::StandingDisk disk;
  std::size_t taken = 0;
  {
    McapWriter writer(disk.path(), {.chunk_bytes = 32 << 10, .queue = 1, .waits = false});
    const auto channel = writer.add_channel("/a", table_of<Event>());
    const int end = ::open(disk.path().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(end, 0);
    const auto stands = [end] {
      pollfd room{end, POLLOUT, 0};
      return ::poll(&room, 1, 0) == 0;
    };
    for (int i = 0;; ++i) {
      if (writer.write(channel, noise(i), Time{i}))
        ++taken;
      else if (stands())
        break;
    }
    ::close(end);
    // the disk holds no more, the queue is full, and so is what was being filled
    std::thread go_on([&, ends = ::gettid()] {
      while (!is_waiting(ends)) std::this_thread::yield();
      disk.go_on();
    });
    writer.close();
    EXPECT_FALSE(writer.failed());
    go_on.join();
  }
  replace(disk.content());
  EXPECT_EQ(hear().size(), taken);
}

TEST_F(Mcap, WhoMayWaitLosesNothingToASlowDisk) {
  constexpr int kAll = 20'000;
  testing::StandingDisk disk;
  disk.go_on();
  {
    McapWriter writer(disk.path(), {.chunk_bytes = 8 << 10, .queue = 1});
    const auto channel = writer.add_channel("/a", table_of<Event>());
    for (int i = 0; i < kAll; ++i) ASSERT_TRUE(writer.write(channel, noise(i), Time{i}));
  }
  replace(disk.content());
  EXPECT_EQ(hear().size(), static_cast<std::size_t>(kAll));
}

TEST_F(Mcap, TheSameMessagesMakeTheSameBytes) {
  record(3'000, {.chunk_bytes = 4'000});
  const std::string first = content();
  record(3'000, {.chunk_bytes = 4'000, .queue = 1});
  EXPECT_EQ(content(), first);
}

TEST_F(Mcap, WritingAllocatesNothingOnceItsBuffersHaveGrown) {
  McapWriter writer(file_, {.chunk_bytes = 50'000, .chunk_seconds = 1e9});
  const auto channel = writer.add_channel("/state", table_of<VehicleState>());
  const VehicleState s = state(1);
  // once round the queue
  for (int i = 0; i < 3'000; ++i) writer.write(channel, s, Time{i});
  const std::uint64_t before = testing::heap_allocations();
  for (int i = 0; i < 10'000; ++i) writer.write(channel, s, Time{i});
  // 46 chunks are closed meanwhile: each notes where it is, and none notes its messages anew
  EXPECT_LT(testing::heap_allocations() - before, 150U);
}

TEST_F(Mcap, AMovedWriterGoesOn) {
  {
    McapWriter first(file_);
    const auto channel = first.add_channel("/state", table_of<VehicleState>());
    first.write(channel, state(0), Time{0});
    McapWriter second(std::move(first));
    second.write(channel, state(1), Time{1});
    EXPECT_EQ(second.messages(), 2U);
  }
  EXPECT_EQ(hear().size(), 2U);
}

TEST_F(Mcap, TimesBeforeZeroAreZeroAndTimesMayRunBack) {
  {
    McapWriter writer(file_);
    const auto channel = writer.add_channel("/state", table_of<VehicleState>());
    for (const std::int64_t ns : {-5LL, 7'000'000'000LL, 6'000'000'000LL})
      writer.write(channel, state(0), Time{ns});
  }
  std::vector<std::int64_t> times;
  for (const Heard& h : hear()) times.push_back(h.ns);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 7'000'000'000LL, 6'000'000'000LL}));
}

// what another reader relies on -------------------------------------------------------------------

struct Rec {
  McapOp op;
  std::uint64_t at, length;
  std::span<const std::byte> content;
};

std::vector<Rec> records(std::span<const std::byte> bytes, std::uint64_t from, std::uint64_t to) {
  std::vector<Rec> out;
  McapCursor cursor(bytes.subspan(from, to - from));
  for (std::uint64_t at = from; !cursor.empty();) {
    const auto op = cursor.take<McapOp>();
    const auto n = cursor.take<std::uint64_t>();
    out.push_back({op, at, 9 + n, cursor.take_bytes(n)});
    at += 9 + n;
    if (!cursor.ok()) throw std::runtime_error("records do not fill the file");
  }
  return out;
}

TEST_F(Mcap, TheSummaryPointsAtWhatItSays) {
  record(500, {.chunk_bytes = 10'000});
  const std::string text = content();
  const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  const std::vector<Rec> all = records(bytes, 8, text.size() - 8);
  EXPECT_EQ(text.substr(0, 8), text.substr(text.size() - 8));
  const auto at = [&](std::uint64_t place) -> const Rec& {
    for (const Rec& r : all)
      if (r.at == place) return r;
    throw std::runtime_error("no record at that place");
  };

  const Rec& footer = all.back();
  ASSERT_EQ(footer.op, McapOp::kFooter);
  McapCursor f(footer.content);
  const auto summary = f.take<std::uint64_t>(), offsets = f.take<std::uint64_t>();
  EXPECT_EQ(f.take<std::uint32_t>(), crc32(bytes.subspan(summary, footer.at + 9 + 16 - summary)));
  EXPECT_EQ(at(offsets).op, McapOp::kSummaryOffset);

  std::map<McapOp, int> seen;
  for (const Rec& r : all) {
    McapCursor c(r.content);
    ++seen[r.op];
    if (r.op == McapOp::kDataEnd) {
      EXPECT_EQ(r.at + r.length, summary);
      EXPECT_EQ(c.take<std::uint32_t>(), crc32(bytes.first(r.at)));
    } else if (r.op == McapOp::kSummaryOffset) {
      const auto op = c.take<McapOp>();
      EXPECT_EQ(at(c.take<std::uint64_t>()).op, op);
    } else if (r.op == McapOp::kChunkIndex) {
      c.take_bytes(16);
      const Rec& chunk = at(c.take<std::uint64_t>());
      EXPECT_EQ(chunk.op, McapOp::kChunk);
      EXPECT_EQ(c.take<std::uint64_t>(), chunk.length);
      McapCursor map(c.take_bytes(c.take<std::uint32_t>()));
      while (!map.empty()) {
        const auto channel = map.take<std::uint16_t>();
        const Rec& index = at(map.take<std::uint64_t>());
        EXPECT_EQ(index.op, McapOp::kMessageIndex);
        EXPECT_EQ(McapCursor(index.content).take<std::uint16_t>(), channel);
      }
    } else if (r.op == McapOp::kAttachmentIndex || r.op == McapOp::kMetadataIndex) {
      const Rec& target = at(c.take<std::uint64_t>());
      EXPECT_EQ(target.op,
                r.op == McapOp::kAttachmentIndex ? McapOp::kAttachment : McapOp::kMetadata);
      EXPECT_EQ(c.take<std::uint64_t>(), target.length);
    } else if (r.op == McapOp::kStatistics) {
      EXPECT_EQ(c.take<std::uint64_t>(), 667U);
      EXPECT_EQ(c.take<std::uint16_t>(), 2U);
      EXPECT_EQ(c.take<std::uint32_t>(), 2U);
    }
  }
  EXPECT_EQ(seen[McapOp::kChunk], seen[McapOp::kChunkIndex]);
  EXPECT_GT(seen[McapOp::kChunk], 5);
  EXPECT_EQ(seen[McapOp::kStatistics], 1);
}

TEST_F(Mcap, ATypeThatTwoChannelsShareStandsInTheSummaryOnce) {
  {
    McapWriter writer(file_);
    for (const char* topic : {"/state", "/event", "/other_state"})
      (void)writer.add_channel(topic,
                               topic[1] == 'e' ? table_of<Event>() : table_of<VehicleState>());
  }
  const std::string text = content();
  const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  McapCursor footer(bytes.last(8 + 20));
  const auto summary = footer.take<std::uint64_t>();
  std::vector<std::uint16_t> schemas;
  for (const Rec& r : records(bytes, summary, text.size() - 8))
    if (r.op == McapOp::kSchema) schemas.push_back(McapCursor(r.content).take<std::uint16_t>());
  EXPECT_EQ(schemas, (std::vector<std::uint16_t>{1, 2}));
}

}  // namespace
}  // namespace pintle::telemetry
