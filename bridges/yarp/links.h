/// The two kinds of connection of a port. For sources of this room.
#pragma once
#include <deque>

#include "pintle/yarp/port.h"

namespace pintle::yarp {

/// Somebody dialled this port.
class InLink : public std::enable_shared_from_this<InLink> {
 public:
  InLink(Port& port, Socket socket) : port_(&port), socket_(std::move(socket)) {}
  ~InLink();
  void begin();
  void end(const char* why = nullptr);

  [[nodiscard]] const std::string& peer() const noexcept { return decoder_.peer(); }
  [[nodiscard]] Carrier carrier() const noexcept { return decoder_.carrier(); }
  [[nodiscard]] bool is_open() const noexcept { return opened_; }
  /// Without a name, or of one who has said nothing yet.
  [[nodiscard]] bool may_give_way() const noexcept {
    return !waits_ && (!has_spoken_ || !peer().starts_with('/'));
  }
  [[nodiscard]] Loop::Clock::time_point silent_since() const noexcept { return silent_since_; }
  /// Gives the socket away.
  [[nodiscard]] Socket release();
  void reply(const Message& to, const std::optional<Bottle>& bottle);
  void put(std::string_view bytes) { out_ += bytes; }

 private:
  void ready(short events);
  void pump();
  void flush();
  void watch_again();
  void expect_more();

  Port* port_;
  Socket socket_;
  Decoder decoder_;
  std::string in_, out_;
  bool opened_ = false, waits_ = false, ending_ = false, has_spoken_ = false;
  Loop::Clock::time_point silent_since_ = Loop::Clock::now();
  Loop::Timer timer_ = 0;
};

/// This port dialled somebody, or was dialled and turned round.
class OutLink : public std::enable_shared_from_this<OutLink> {
 public:
  OutLink(Port& port, std::string to, Carrier carrier, bool keep, Port::Connected done)
      : port_(&port),
        to_(std::move(to)),
        carrier_(carrier),
        keep_(keep),
        done_(std::move(done)),
        answers_(carrier),
        begun_(Loop::Clock::now()) {}
  ~OutLink();
  /// Looks the name up and dials.
  void begin();
  /// Goes on with a socket that somebody else dialled.
  void adopt(Socket socket);
  void publish(std::shared_ptr<const Packet> packet);
  /// Good-bye, if there is somebody.
  void end();
  /// The same, but after a while it is dialled again.
  void rest();

  [[nodiscard]] const std::string& to() const noexcept { return to_; }
  [[nodiscard]] Carrier carrier() const noexcept { return carrier_; }
  [[nodiscard]] bool is_kept() const noexcept { return keep_; }
  [[nodiscard]] bool stands() const noexcept { return state_ == State::kStanding; }
  [[nodiscard]] bool is_drained() const noexcept {
    return queue_.empty() && out_.empty() && sent_ == answers_.acknowledged();
  }

 private:
  enum class State : std::uint8_t { kLooking, kDialling, kGreeting, kStanding, kResting, kEnded };

  void dial(const Address& address);
  void ready(short events);
  void pump();
  [[nodiscard]] Io push();
  void stand();
  void say_good_bye();
  /// The attempt, or the connection, has failed.
  void lost(bool name_known);
  void finish(bool good);
  /// Something is under way that the reader has not taken or acknowledged.
  [[nodiscard]] bool is_waiting() const noexcept {
    return !out_.empty() || sent_ != answers_.acknowledged();
  }
  void watch_again();
  void set_timer(Loop::Clock::duration delay, void (OutLink::*act)());
  void timed_out();

  Port* port_;
  std::string to_;
  Carrier carrier_;
  bool keep_, adopted_ = false;
  Port::Connected done_;
  State state_ = State::kLooking;
  Socket socket_;
  Answers answers_;
  std::deque<std::shared_ptr<const Packet>> queue_;
  std::string out_;
  std::uint64_t sent_ = 0;              ///< Messages that are acknowledged, or will be.
  Loop::Clock::time_point taken_at_{};  ///< When the reader last took something, or was idle.
  Loop::Timer timer_ = 0;
  Loop::Clock::duration rest_ = std::chrono::milliseconds(100);
  Loop::Clock::time_point begun_;  ///< Of this series of attempts, or of the connection.
};

}  // namespace pintle::yarp
