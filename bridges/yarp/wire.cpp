#include "pintle/yarp/wire.h"

#include <algorithm>
#include <array>

#include "pintle/yarp/bytes.h"

namespace pintle::yarp {
namespace {

constexpr std::array<std::string_view, 4> kCarriers{"tcp", "fast_tcp", "text", "text_ack"};
constexpr std::size_t kFrameHead = 8;
constexpr std::int32_t kBase = 7777, kTcpCode = 3, kAcknowledged = 128, kIndexValue = 10;
constexpr int kMostBlocks = 255;

/// "YA" number "RP".
std::string marked(std::int32_t value) {
  std::string out = "YA";
  put(out, value);
  return out + "RP";
}
bool is_marked(std::string_view bytes) noexcept {
  return bytes.size() == kFrameHead && bytes.starts_with("YA") && bytes.ends_with("RP");
}

/// What is followed by data; such a key stands alone, every other is a text.
bool is_data(std::string_view command) noexcept {
  return command == "D" || command == "d" || command == "a";
}

std::string command_bytes(std::string_view command) {
  std::string out;
  const bool short_form = is_data(command);
  put(out, static_cast<std::int32_t>(short_form ? 0 : command.size() + 1));
  out += '~';
  out += short_form ? command[0] : '\0';
  out += '\0';
  out += '\1';
  if (!short_form) {
    out += command;
    out += '\0';
  }
  return out;
}

}  // namespace

bool has_control_characters(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string_view name_of(Carrier carrier) noexcept {
  return kCarriers[static_cast<std::size_t>(carrier)];
}

std::optional<Carrier> carrier_of(std::string_view name) noexcept {
  const auto* found = std::find(kCarriers.begin(), kCarriers.end(), name);
  if (found == kCarriers.end()) return std::nullopt;
  return static_cast<Carrier>(found - kCarriers.begin());
}

std::string hello(Carrier carrier, std::string_view own_name) {
  if (is_text(carrier))
    return (carrier == Carrier::kText ? "CONNECT " : "CONNACK ") + std::string(own_name) + "\r\n";
  std::string out = marked(kBase + kTcpCode + (carrier == Carrier::kTcp ? kAcknowledged : 0));
  put(out, static_cast<std::int32_t>(own_name.size() + 1));
  out += own_name;
  return out + '\0';
}

std::string welcome(Carrier carrier, int port, std::string_view own_name) {
  if (is_text(carrier)) return "Welcome " + std::string(own_name) + "\r\n";
  return marked(port);
}

std::string acknowledgement(Carrier carrier) {
  if (carrier == Carrier::kTcp) return marked(0);
  return carrier == Carrier::kTextAck ? "<ACK>\r\n" : "";
}

Packet packet_of(const Bottle& bottle, std::string envelope) {
  return {to_bytes(bottle), to_text(bottle), std::move(envelope)};
}

std::string message(Carrier carrier, std::string_view command, const Packet& packet) {
  const bool has_data = is_data(command);
  std::string whole(command);
  if (command == "D" && !packet.envelope.empty()) whole += " " + packet.envelope;
  if (is_text(carrier)) return whole + "\r\n" + (has_data ? packet.line + "\r\n" : "");

  // as the original puts it: what precedes a text, the text, and the data are blocks of their own
  const std::string head = command_bytes(whole);
  std::string out = marked(kIndexValue);
  std::array<std::size_t, 3> blocks{};
  std::size_t n = 0;
  blocks[n++] = head.size();
  if (has_data && packet.bytes.size() >= kFrameHead) {
    blocks[n++] = kFrameHead;
    if (packet.bytes.size() > kFrameHead) blocks[n++] = packet.bytes.size() - kFrameHead;
  }
  out += static_cast<char>(n);
  out += '\1';
  out.append(8, '\xFF');
  for (std::size_t i = 0; i < n; ++i) put(out, static_cast<std::int32_t>(blocks[i]));
  put(out, std::int32_t{0});
  out += head;
  return has_data ? out + packet.bytes : out;
}

std::string_view Message::envelope() const noexcept {
  const std::string_view whole = command;
  if (!whole.starts_with("D ") && !whole.starts_with("d ")) return {};
  return whole.substr(2);
}

std::optional<Bottle> Message::bottle(std::string& why) const {
  return is_text ? from_text(data, why) : from_bytes(data, why);
}

bool Decoder::is_idle() const noexcept {
  return waiting() == 0 &&
         (state_ == State::kIndex || state_ == State::kCommand || state_ == State::kNameServer);
}

const char* Decoder::take(std::size_t n) {
  if (buffer_.size() - at_ < n) return nullptr;
  const char* const out = buffer_.data() + at_;
  at_ += n;
  return out;
}

bool Decoder::take_line(std::string& line, std::size_t longest) {
  const std::size_t end = buffer_.find('\n', at_ + scanned_);
  const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - at_;
  if (length > longest) {
    (void)broken("a line that is too long");
    return false;
  }
  // what was searched once is not searched again
  if (end == std::string::npos) {
    scanned_ = length;
    return false;
  }
  scanned_ = 0;
  line.assign(buffer_, at_, length);
  at_ = end + 1;
  while (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

Decoder::Event Decoder::broken(std::string why) {
  state_ = State::kBroken;
  why_ = std::move(why);
  buffer_.clear();
  at_ = 0;
  return Event::kBroken;
}

Decoder::Event Decoder::next() {
  if (state_ == State::kBroken) return Event::kNone;
  const Event event = step();
  // not at every message: moving the rest costs
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  } else if (at_ > kMaxLine) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  return event;
}

Decoder::Event Decoder::step() {
  for (;;) {
    switch (state_) {
      case State::kBroken: return Event::kNone;
      case State::kMagic:
        if (const Event e = magic(); state_ == State::kMagic || e == Event::kBroken) return e;
        break;
      case State::kName: return name();
      case State::kTextName:
        if (!take_line(peer_, kMaxPortName)) return why_.empty() ? Event::kNone : Event::kBroken;
        if (has_control_characters(peer_)) return bad_name();
        state_ = State::kCommand;
        return Event::kOpened;
      case State::kIndex: {
        const char* head = take(kFrameHead + 10);
        if (head == nullptr) return Event::kNone;
        const std::string_view mark(head, kFrameHead);
        if (!is_marked(mark) || get<std::int32_t>(mark, 2) != kIndexValue)
          return broken("a message does not begin as one");
        blocks_ = static_cast<unsigned char>(head[kFrameHead]);
        replies_ = static_cast<unsigned char>(head[kFrameHead + 1]);
        if (blocks_ > kMostBlocks || replies_ > kMostBlocks) return broken("too many blocks");
        state_ = State::kSizes;
        break;
      }
      case State::kSizes:
        if (const Event e = sizes(); state_ == State::kSizes || e == Event::kBroken) return e;
        break;
      case State::kPayload: return payload();
      case State::kCommand:
        if (const Event e = command_line(); state_ == State::kCommand || e == Event::kBroken)
          return e;
        break;
      case State::kContent:
        if (const Event e = content_line(); e != Event::kNone || !line_taken_) return e;
        break;
      case State::kNameServer:
        message_ = {"", true, ""};
        if (!take_line(message_.data, kMaxLine))
          return why_.empty() ? Event::kNone : Event::kBroken;
        if (message_.data.starts_with("VER ")) message_.data.erase(0, 4);
        return Event::kLine;
    }
  }
}

Decoder::Event Decoder::magic() {
  const char* head = take(kFrameHead);
  if (head == nullptr) return Event::kNone;
  const std::string_view mark(head, kFrameHead);
  if (mark == "CONNECT " || mark == "CONNACK ") {
    carrier_ = mark == "CONNECT " ? Carrier::kText : Carrier::kTextAck;
    state_ = State::kTextName;
    return Event::kNone;
  }
  if (mark == "NAME_SER") {
    carrier_ = Carrier::kText;
    state_ = State::kNameServer;
    return Event::kNone;
  }
  const std::int32_t code = get<std::int32_t>(mark, 2);
  if (!is_marked(mark) || (code & ~kAcknowledged) != ((kBase + kTcpCode) & ~kAcknowledged))
    return broken("* Error. Protocol not found.");
  carrier_ = code == kBase + kTcpCode ? Carrier::kFastTcp : Carrier::kTcp;
  if (carrier_ == Carrier::kTcp && code != kBase + kTcpCode + kAcknowledged)
    return broken("* Error. Protocol not found.");
  state_ = State::kName;
  return Event::kNone;
}

Decoder::Event Decoder::bad_name() {
  peer_.clear();
  return broken("a port name with control characters");
}

Decoder::Event Decoder::name() {
  if (waiting() < 4) return Event::kNone;
  const auto length = get<std::int32_t>(buffer_, at_);
  if (length < 1 || static_cast<std::size_t>(length) > kMaxPortName + 1)
    return broken("a port name of an impossible length");
  if (waiting() < 4 + static_cast<std::size_t>(length)) return Event::kNone;
  at_ += 4;
  const std::string_view text(take(static_cast<std::size_t>(length)),
                              static_cast<std::size_t>(length));
  peer_ = text.substr(0, text.find('\0'));
  if (has_control_characters(peer_)) return bad_name();
  state_ = State::kIndex;
  return Event::kOpened;
}

Decoder::Event Decoder::sizes() {
  const char* head = take(4 * (blocks_ + replies_));
  if (head == nullptr) return Event::kNone;
  const std::string_view all(head, 4 * (blocks_ + replies_));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < blocks_ + replies_; ++i) {
    const auto size = get<std::int32_t>(all, 4 * i);
    if (size < 0) return broken("a block of negative size");
    if (i >= blocks_ && size != 0) return broken("a message that announces its own reply");
    sum += size;
  }
  if (sum > static_cast<std::int64_t>(kMaxPayload)) return broken("a message that is too large");
  payload_ = static_cast<std::size_t>(sum);
  state_ = State::kPayload;
  return Event::kNone;
}

Decoder::Event Decoder::payload() {
  const char* begin = take(payload_);
  if (begin == nullptr) return Event::kNone;
  state_ = State::kIndex;
  const std::string_view all(begin, payload_);
  message_ = {};
  // what is not a command is passed on without one: it is acknowledged, and nothing is lost
  if (all.size() < 8 || all[4] != '~') return Event::kMessage;
  std::size_t at = 8;
  if (all[5] != '\0') {
    message_.command = std::string(1, all[5]);
  } else {
    const auto length = get<std::int32_t>(all, 0);
    if (length < 1 || static_cast<std::size_t>(length) > std::min(all.size() - at, kMaxLine))
      return Event::kMessage;
    const std::string_view text = all.substr(at, static_cast<std::size_t>(length));
    message_.command = text.substr(0, text.find('\0'));
    at += static_cast<std::size_t>(length);
  }
  message_.data = all.substr(at);
  return Event::kMessage;
}

Decoder::Event Decoder::command_line() {
  std::string line;
  if (!take_line(line, kMaxLine)) return why_.empty() ? Event::kNone : Event::kBroken;
  message_ = {};
  message_.is_text = true;
  message_.command = line == "do" ? "D" : std::move(line);
  const char key = message_.key();
  const std::size_t words = message_.command.size();
  const bool alone = words == 1 || (words > 1 && message_.command[1] == ' ');
  if ((key == 'd' || key == 'D' || key == 'a') && alone) {
    state_ = State::kContent;
    balance_ = {};
    return Event::kNone;
  }
  return Event::kMessage;
}

Decoder::Event Decoder::content_line() {
  std::string line;
  line_taken_ = take_line(line, kMaxLine);
  if (!line_taken_) return why_.empty() ? Event::kNone : Event::kBroken;
  if (!message_.data.empty()) message_.data += '\n';
  message_.data += line;
  if (message_.data.size() > kMaxLine) return broken("a text that is too long");
  balance_.add(line);
  if (!balance_.closed()) return Event::kNone;
  state_ = State::kCommand;
  return Event::kMessage;
}

void Answers::feed(std::string_view bytes) {
  if (broken_) return;
  buffer_ += bytes;
  if (is_text(carrier_))
    take_text();
  else
    take_binary();
  if (buffer_.size() > kMaxLine || lines_.size() > kMaxLine) broken_ = true;
}

void Answers::take_binary() {
  std::size_t at = 0;
  while (!broken_) {
    const std::size_t passed = std::min(skip_, buffer_.size() - at);
    skip_ -= passed;
    at += passed;
    if (skip_ > 0 || buffer_.size() - at < kFrameHead) break;
    const std::string_view mark = std::string_view(buffer_).substr(at, kFrameHead);
    const auto value = is_marked(mark) ? get<std::int32_t>(mark, 2) : -1;
    at += kFrameHead;
    if (value < 0) {
      broken_ = true;
    } else if (!welcomed_) {
      welcomed_ = true;
    } else {
      ++acknowledged_;
      skip_ = static_cast<std::size_t>(value);
    }
  }
  buffer_.erase(0, at);
}

void Answers::take_text() {
  std::size_t at = 0;
  for (std::size_t end = 0; (end = buffer_.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string_view line = std::string_view(buffer_).substr(at, end - at);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!welcomed_ && line.starts_with("Welcome"))
      welcomed_ = true;
    else if (line == "<ACK>")
      ++acknowledged_;
    else
      lines_.append(line).append("\n");
  }
  buffer_.erase(0, at);
}

}  // namespace pintle::yarp
