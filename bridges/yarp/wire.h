/// What two YARP ports say to each other on a connection, byte for byte.
///
///   tcp, fast_tcp   "YA" int32 "RP" with 7777 + 3 (+ 128: acknowledged), int32 length, name, NUL
///                   <- "YA" int32 port "RP"
///                   "YA" 10 "RP", blocks, 1, 8 x FF, int32 size of each block, int32 0, payload
///                   payload: int32 length, '~', key, 0, 1 [, text of that length when key is 0],
///                   data
///                   <- "YA" 0 "RP"                        tcp alone, once the message is dealt
///                   with
///   text, text_ack  "CONNECT " or "CONNACK " name CR LF
///                   <- "Welcome " name CR LF
///                   key [envelope] CR LF, data as text CR LF        (a, d, D, do; others alone)
///                   <- "<ACK>" CR LF                                 text_ack alone, after each
///   name server     "NAME_SER", then lines "VER " command
///
/// Keys: d data that may be replied to, D data, a administration, q quit, r reverse, * describe,
/// ? help, /name connect, !name disconnect, ~name drop. An envelope ("6 1795221647.19", a number
/// and seconds) follows D. Replies are a bare bottle (binary) or lines (text), before the
/// acknowledgement; to * and ? lines by every carrier. Names with control characters are none.
///
/// Block boundaries mean nothing: payloads are put together again. A frame whose frame is sound is
/// always read to its end, whatever is in it, so that nothing after it is lost; one that is not
/// breaks the connection, because nobody knows where the next begins. Nothing is kept beyond
/// kMaxPortName, kMaxLine and kMaxPayload.
///
/// Source: the protocol as spoken by YARP 4.0, from captures.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pintle/base/port_name.h"
#include "pintle/yarp/bottle.h"

namespace pintle::yarp {

inline constexpr std::size_t kMaxLine = 64 << 10;
inline constexpr std::size_t kMaxPayload = 1 << 20;

/// Bytes that a terminal obeys, or that end a line.
[[nodiscard]] bool has_control_characters(std::string_view text) noexcept;

enum class Carrier : std::uint8_t { kTcp, kFastTcp, kText, kTextAck };

[[nodiscard]] std::string_view name_of(Carrier carrier) noexcept;
[[nodiscard]] std::optional<Carrier> carrier_of(std::string_view name) noexcept;
[[nodiscard]] constexpr bool is_text(Carrier c) noexcept {
  return c == Carrier::kText || c == Carrier::kTextAck;
}
[[nodiscard]] constexpr bool is_acknowledged(Carrier c) noexcept {
  return c == Carrier::kTcp || c == Carrier::kTextAck;
}

/// What the side that dials says first.
[[nodiscard]] std::string hello(Carrier carrier, std::string_view own_name);
/// What it is answered; `port` is the answerer's.
[[nodiscard]] std::string welcome(Carrier carrier, int port, std::string_view own_name);
[[nodiscard]] std::string acknowledgement(Carrier carrier);

/// Data for all that listen to a port: one text in each manner, made when it is first asked for.
struct Packet {
  std::string bytes;     ///< The bottle.
  std::string line;      ///< The same as text, without an end.
  std::string envelope;  ///< "6 1795221647.19"; empty: none.
};
[[nodiscard]] Packet packet_of(const Bottle& bottle, std::string envelope = {});

/// `command` is the key alone or a text that begins with it: "D", "d", "a", "q", "D 6 0.5",
/// "/name".
[[nodiscard]] std::string message(Carrier carrier, std::string_view command,
                                  const Packet& packet = {});

/// A message as it came.
struct Message {
  std::string command;   ///< The key, or a text that begins with it.
  bool is_text = false;  ///< How `data` is written.
  std::string data;

  [[nodiscard]] char key() const noexcept { return command.empty() ? '\0' : command[0]; }
  /// Of data, else empty.
  [[nodiscard]] std::string_view envelope() const noexcept;
  [[nodiscard]] bool wants_reply() const noexcept { return key() == 'd' || key() == 'a'; }
  [[nodiscard]] std::optional<Bottle> bottle(std::string& why) const;
};

/// The bytes that an accepted connection sends, taken apart.
class Decoder {
 public:
  enum class Event : std::uint8_t {
    kNone,     ///< More bytes are wanted.
    kOpened,   ///< carrier() and peer() are known: say welcome.
    kMessage,  ///< message() has come.
    kLine,     ///< message().data is a command to a name server.
    kBroken,   ///< why(); nothing comes any more.
  };

  void feed(std::string_view bytes) { buffer_ += bytes; }
  [[nodiscard]] Event next();

  [[nodiscard]] Carrier carrier() const noexcept { return carrier_; }
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
  [[nodiscard]] const Message& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  /// Between two messages, with nothing begun.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Bytes that wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return buffer_.size() - at_; }

 private:
  enum class State : std::uint8_t {
    kMagic,
    kName,
    kTextName,
    kIndex,
    kSizes,
    kPayload,
    kCommand,
    kContent,
    kNameServer,
    kBroken,
  };

  [[nodiscard]] Event step();
  [[nodiscard]] Event magic();
  [[nodiscard]] Event name();
  [[nodiscard]] Event bad_name();
  [[nodiscard]] Event sizes();
  [[nodiscard]] Event payload();
  [[nodiscard]] Event command_line();
  [[nodiscard]] Event content_line();
  [[nodiscard]] Event broken(std::string why);
  /// The next `n` bytes; null when they have not come.
  [[nodiscard]] const char* take(std::size_t n);
  /// A whole line without its end.
  [[nodiscard]] bool take_line(std::string& line, std::size_t longest);

  State state_ = State::kMagic;
  Carrier carrier_ = Carrier::kTcp;
  std::string buffer_, peer_, why_;
  std::size_t at_ = 0, scanned_ = 0;
  std::size_t blocks_ = 0, replies_ = 0, payload_ = 0;
  Balance balance_;
  bool line_taken_ = false;
  Message message_;
};

/// What comes back on a connection that one has dialled: the welcome and acknowledgements.
class Answers {
 public:
  explicit Answers(Carrier carrier) noexcept : carrier_(carrier) {}
  void feed(std::string_view bytes);
  /// The other side has said welcome; a text sender need not wait for it.
  [[nodiscard]] bool welcomed() const noexcept { return welcomed_; }
  /// Acknowledgements so far.
  [[nodiscard]] std::uint64_t acknowledged() const noexcept { return acknowledged_; }
  [[nodiscard]] bool broken() const noexcept { return broken_; }
  /// Lines that came before the acknowledgement (text_ack), for who asked something.
  [[nodiscard]] const std::string& lines() const noexcept { return lines_; }
  void forget_lines() { lines_.clear(); }
  /// A connection that was turned round: no welcome is said.
  void skip_welcome() noexcept { welcomed_ = true; }

 private:
  void take_binary();
  void take_text();

  Carrier carrier_;
  std::string buffer_, lines_;
  std::size_t skip_ = 0;  ///< Bytes to be passed over.
  std::uint64_t acknowledged_ = 0;
  bool welcomed_ = false, broken_ = false;
};

}  // namespace pintle::yarp
