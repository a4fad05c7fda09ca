#include "pintle/telemetry/mcap_walk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "pintle/telemetry/mcap_reader.h"

namespace pintle::telemetry {
namespace {

// in a chunk record of zstd data, this stands behind opcode, length, times, size and CRC
constexpr std::array<unsigned char, 8> kChunkMark{4, 0, 0, 0, 'z', 's', 't', 'd'};
constexpr std::uint64_t kChunkMarkPlace = kRecordHeadBytes + 8 + 8 + 8 + 4;
constexpr std::uint64_t kFooterBytes = 20;

bool has_chunk_mark(std::span<const std::byte> front) noexcept {
  return front.size() >= kChunkMarkPlace + kChunkMark.size() &&
         std::memcmp(front.data() + kChunkMarkPlace, kChunkMark.data(), kChunkMark.size()) == 0;
}

}  // namespace

RandomAccessFile::RandomAccessFile(const std::filesystem::path& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  struct stat s {};
  if (fd_ < 0 || ::fstat(fd_, &s) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) ::close(fd_);
    throw std::runtime_error(fmt::format("cannot open {}: {}", path.string(), why));
  }
  if (!S_ISREG(s.st_mode)) {
    ::close(fd_);
    throw std::runtime_error(
        fmt::format("{}: expected a log, this is a folder, a pipe or a device", path.string()));
  }
  size_ = s.st_size > 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
}

RandomAccessFile::~RandomAccessFile() { ::close(fd_); }

bool RandomAccessFile::read(std::uint64_t at, std::span<std::byte> to) const noexcept {
  while (!to.empty()) {
    const ssize_t n = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool McapWalk::next(McapRecord& record) {
  while (!complete) {
    if (at_ >= file_.size()) return stop("the recording was not closed: it ends");
    if (look(at_, record)) {
      at_ = record.at + record.length;
      complete = record.op == McapOp::kFooter;
      return true;
    }
    if (!skip_damage(record)) return false;
  }
  return false;
}

std::span<const std::byte> McapWalk::content(const McapRecord& record, Scratch& scratch) {
  if (record.length > kMaxRecordBytes) {
    add_note(fmt::format("a record of {} bytes was skipped", record.length));
    return {};
  }
  const std::span<std::byte> to = scratch.get(static_cast<std::size_t>(record.length));
  return file_.read(record.at, to) ? to : std::span<std::byte>{};
}

void McapWalk::add_note(const std::string& text) {
  if (note.find(text) != std::string::npos) return;
  // a file that is nothing but damage must not fill the memory with notes
  if (note.size() > 1000) return;
  if (!note.empty()) note += "; ";
  note += text;
}

bool McapWalk::stop(const std::string& why) {
  add_note(fmt::format("{} at byte {}", why, at_));
  return false;
}

bool McapWalk::look(std::uint64_t at, McapRecord& record) const {
  Front bytes{};
  const std::uint64_t left = file_.size() - at;
  const std::span front = std::span(bytes).first(std::min<std::uint64_t>(left, bytes.size()));
  record = {};
  if (!file_.read(at, front)) return false;
  McapCursor cursor(front);
  record.op = cursor.take<McapOp>();
  record.length = cursor.take<std::uint64_t>();
  record.at = at + kRecordHeadBytes;
  if (!cursor.ok() || record.op == McapOp{0}) return false;
  return record.length <= left - kRecordHeadBytes && is_whole(record, front);
}

bool McapWalk::is_whole(const McapRecord& record, std::span<const std::byte> front) const {
  const std::uint64_t length = record.length;
  McapCursor cursor(front.subspan(
      kRecordHeadBytes, std::min<std::uint64_t>(length, front.size() - kRecordHeadBytes)));
  const std::size_t begin = cursor.left();
  if (record.op == McapOp::kChunk) {
    cursor.take_bytes(8 + 8 + 8 + 4);
    cursor.take_text();
    const auto records = cursor.take<std::uint64_t>();
    return cursor.ok() && records <= length - (begin - cursor.left());
  }
  if (record.op == McapOp::kAttachment || record.op == McapOp::kMetadata) return true;
  // a chunk under a wrong opcode
  if (has_chunk_mark(front)) return false;
  if (record.op == McapOp::kMessageIndex) {
    cursor.take<std::uint16_t>();
    const auto entries = cursor.take<std::uint32_t>();
    return cursor.ok() && entries <= length - (begin - cursor.left());
  }
  if (record.op == McapOp::kFooter) {
    std::array<std::byte, kMcapMagic.size()> magic{};
    return length == kFooterBytes && file_.read(record.at + length, magic) &&
           std::memcmp(magic.data(), kMcapMagic.data(), magic.size()) == 0;
  }
  return true;
}

bool McapWalk::skip_damage(const McapRecord& record) {
  // what runs over the end is a cut, unless chunks follow; an attachment may hold what looks so
  const bool may_resume = record.op != McapOp::kAttachment;
  const std::uint64_t found = may_resume ? find_chunk(at_ + 1) : file_.size();
  if (found >= file_.size()) return stop("cut or damaged");
  ++damaged_chunks;
  add_note(fmt::format("damaged at byte {}, resumed at byte {}", at_, found));
  at_ = found;
  return true;
}

std::uint64_t McapWalk::find_chunk(std::uint64_t from) {
  constexpr std::size_t kWindow = 1U << 20U;
  const auto* const mark = reinterpret_cast<const std::byte*>(kChunkMark.data());
  const std::size_t overlap = kChunkMark.size() - 1;
  for (std::uint64_t at = from + kChunkMarkPlace; at + overlap < file_.size();) {
    const std::span<std::byte> window =
        window_.get(std::min<std::uint64_t>(kWindow, file_.size() - at));
    if (!file_.read(at, window)) break;
    const std::byte* const end = window.data() + window.size();
    const std::byte* p = window.data();
    while ((p = std::search(p, end, mark, mark + kChunkMark.size())) != end) {
      const std::uint64_t start =
          at + static_cast<std::uint64_t>(p - window.data()) - kChunkMarkPlace;
      McapRecord record;
      if (look(start, record) && record.op == McapOp::kChunk) return start;
      ++p;
    }
    at += window.size() - overlap;
  }
  return file_.size();
}

}  // namespace pintle::telemetry
