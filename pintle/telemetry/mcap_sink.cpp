#include "pintle/telemetry/mcap_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "pintle/base/crc32.h"
#include "pintle/base/disk.h"

namespace pintle::telemetry {
namespace {

// what a chunk may have beyond its size: it is full with the message that goes over it
constexpr std::size_t kSpareBytes = 64 << 10;

}  // namespace

McapSink::McapSink(const std::filesystem::path& file, const McapOptions& options)
    // one is filled while the queue is full
    : ring_(std::max<std::size_t>(options.queue, 1) + 1), waits_(options.waits) {
  if (!waits_) {
    // who may not wait shall not take memory later, nor see it for the first time
    for (Chunk& c : ring_)
      std::memset(c.records.room(options.chunk_bytes + kSpareBytes), 0,
                  options.chunk_bytes + kSpareBytes);
  }
  fd_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw std::runtime_error(
        fmt::format("cannot create {}: {}", file.string(), std::strerror(errno)));
  if (!sync_folder_of(file)) failed_ = true;
  context_ = ZSTD_createCCtx();
  if (!context_) {
    ::close(fd_);
    throw std::runtime_error(fmt::format("no memory to pack {}", file.string()));
  }
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, options.zstd_level);
  // what repeats in a log are numbers of eight bytes: shorter matches cost time and gain nothing
  ZSTD_CCtx_setParameter(context_, ZSTD_c_minMatch, 7);
  // signals are for the threads of the program
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

McapSink::~McapSink() {
  close();
  ZSTD_freeCCtx(context_);
}

bool McapSink::hand_over() noexcept {
  const std::uint32_t filled = filled_.load(std::memory_order_relaxed);
  for (std::uint32_t written = written_.load(); filled + 1 - written >= ring_.size();
       written = written_.load()) {
    if (!waits_) return false;
    written_.wait(written);
  }
  filled_.store(filled + 1);
  filled_.notify_one();
  return true;
}

void McapSink::settle() noexcept {
  const std::uint32_t filled = filled_.load(std::memory_order_relaxed);
  for (std::uint32_t written = written_.load(); written != filled; written = written_.load())
    written_.wait(written);
}

void McapSink::close() noexcept {
  if (!thread_.joinable()) return;
  settle();
  // a chunk without a record ends the thread
  filling().records.clear();
  hand_over();
  thread_.join();
  if (!is_on_disk(::fsync(fd_))) failed_ = true;
  if (::close(fd_) != 0) failed_ = true;
  fd_ = -1;
}

void McapSink::run() noexcept {
  // its maker may be of a class that nobody is to be kept from
  const sched_param plain{};
  pthread_setschedparam(pthread_self(), SCHED_OTHER, &plain);
  for (std::uint32_t n = 0;; ++n) {
    filled_.wait(n);
    Chunk& chunk = ring_[n % ring_.size()];
    const bool is_end = chunk.records.size() == 0;
    try {
      if (!is_end && !failed_) write_chunk(chunk);
      // what has flown is not flown again: a pulled plug costs a chunk, as a kill does
      if (!is_end && !failed_ && !waits_ && !is_on_disk(::fdatasync(fd_))) failed_ = true;
    } catch (...) {  // no memory
      failed_ = true;
    }
    chunk.records.clear();
    chunk.span = {};
    chunk.messages = 0;
    written_.store(n + 1);
    written_.notify_one();
    if (is_end) return;
  }
}

/// Hands bytes to the system; the first failure ends the recording at the last whole write.
void McapSink::write(std::span<const std::byte> bytes) noexcept {
  if (failed_) return;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    const ssize_t n = ::write(fd_, p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failed_ = true;
      // half a record helps nobody; if this fails too, readers stop at it
      if (::ftruncate(fd_, static_cast<off_t>(position_)) != 0) return;
      return;
    }
    p += n;
    left -= static_cast<std::size_t>(n);
  }
  data_crc_ = crc32(bytes, data_crc_);
  position_ += bytes.size();
}

void McapSink::write_chunk(const Chunk& chunk) {
  const std::span<const std::byte> records = chunk.records.bytes();
  ChunkEntry entry;
  entry.span = chunk.span;
  entry.start = position_;
  entry.unpacked = records.size();
  scratch_.clear();
  const std::size_t record = scratch_.begin(McapOp::kChunk);
  scratch_.put(chunk.span.first);
  scratch_.put(chunk.span.last);
  scratch_.put(entry.unpacked);
  scratch_.put(crc32(records));
  scratch_.put_text(kMcapCompression);
  const std::size_t length_at = scratch_.size();
  scratch_.put(std::uint64_t{0});

  const std::size_t most = ZSTD_compressBound(records.size());
  const std::size_t n =
      ZSTD_compress2(context_, scratch_.room(most), most, records.data(), records.size());
  if (ZSTD_isError(n) != 0) {
    failed_ = true;
    return;
  }
  entry.packed = n;
  scratch_.advance(n);
  scratch_.overwrite(length_at, entry.packed);
  scratch_.end(record);
  entry.length = scratch_.size();
  put_message_indexes(records, entry);
  // chunk and index in one write: a process that is killed loses all of it or nothing
  write(scratch_.bytes());
  if (!failed_) chunks_.push_back(std::move(entry));
}

void McapSink::put_message_indexes(std::span<const std::byte> records, ChunkEntry& entry) {
  for (auto& places : places_) places.clear();
  McapCursor cursor(records);
  while (!cursor.empty()) {
    const std::uint64_t at = records.size() - cursor.left();
    const auto op = cursor.take<McapOp>();
    McapCursor content(cursor.take_bytes(cursor.take<std::uint64_t>()));
    if (op != McapOp::kMessage) continue;
    const auto channel = content.take<std::uint16_t>();
    content.take<std::uint32_t>();
    if (channel >= places_.size()) places_.resize(channel + 1U);
    places_[channel].push_back({content.take<std::uint64_t>(), at});
  }
  for (std::size_t channel = 0; channel < places_.size(); ++channel) {
    const std::vector<IndexEntry>& places = places_[channel];
    if (places.empty()) continue;
    const auto id = static_cast<std::uint16_t>(channel);
    entry.indexes.emplace_back(id, position_ + scratch_.size());
    const std::size_t record = scratch_.begin(McapOp::kMessageIndex);
    scratch_.put(id);
    const std::size_t array = scratch_.begin_array();
    scratch_.append(places.data(), places.size() * sizeof(IndexEntry));
    scratch_.end_array(array);
    scratch_.end(record);
  }
  entry.index_length = scratch_.size() - entry.length;
}

}  // namespace pintle::telemetry
