/// A port: a name under which others write to this program and listen to it.
///
/// Everything here runs in the loop's thread. What others write comes to `heard`; what is published
/// goes to all that are connected. Connections come from outside (dialled in, or turned round by
/// `r`), by `[add]` of `yarp connect`, or by `connect`.
///
/// An outgoing connection keeps at most `backlog` messages that its reader has not taken (a second
/// of a stream at 1 kHz, so that a busy machine makes no gaps); one more, and all but the newest
/// are skipped, as BufferedPort does with a backlog of one. A reader who takes or acknowledges
/// nothing for `acknowledge_within` is hung up on. What was lost is looked up and dialled again, at
/// most every 2 s, for 30 s: a reader that was started anew has its name at another address. Once
/// the name is unknown it is over: the next program of that name is a stranger. Of `connect` with
/// `keep` it is never over; who disconnects it has two seconds of peace.
///
/// The name is looked after every two seconds (every second while no name server answers): one that
/// was started anew, or elsewhere, hears it again. A name that somebody else has taken is won back
/// when nobody answers there.
///
/// At most kMaxConnections, of both kinds; one more, and the incoming one that has been silent for
/// longest gives way, if it has no name or has sent nothing, or else the new one is refused. Of
/// them at most kMaxReaders are outgoing, so that somebody can still ask. One that leaves a message
/// unfinished for 30 s is hung up on. Without descriptors nobody is let in for a second.
///
/// What happens over and over is said every 2 s for each kind, with the number of the others.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pintle/yarp/loop.h"
#include "pintle/yarp/name_client.h"
#include "pintle/yarp/wire.h"

namespace pintle::yarp {

inline constexpr std::size_t kMaxConnections = 64, kMaxReaders = 56;

/// What the ports of a program share.
struct PortContext {
  Loop& loop;
  NameServerPlace& name_server;
  std::string bind = "127.0.0.1";
  std::string reached_at = "127.0.0.1";  ///< Where others dial.
  Loop::Clock::duration acknowledge_within = std::chrono::seconds(5);
  std::function<void(const std::string&)> say;  ///< For a person; of the loop's thread.
};

class Port;

/// How a message is answered, at once or later, of any thread; no answer is needed for data.
using Answer = std::function<void(const std::optional<Bottle>&)>;

struct PortOptions {
  std::string name;       ///< "/jets/input:i".
  int port = 0;           ///< 0: any.
  bool with_name = true;  ///< Told to the name server.
  bool is_rpc = false;    ///< It answers; for who asks what it is.
  std::size_t backlog = 1024;
  /// True: `answer` will be called, and the connection waits for it.
  std::function<bool(const Message&, const Answer& answer)> heard;
  /// A command to a name server; its answer, lines with CR LF.
  std::function<std::string(std::string_view command)> named;
  /// Somebody has connected, or is gone.
  std::function<void()> changed;
};

struct PortFigures {
  std::uint64_t messages = 0;   ///< Data that came.
  std::uint64_t published = 0;  ///< Packets, each to all.
  std::uint64_t skipped = 0;    ///< Packets that one reader did not get.
  std::uint64_t broken = 0;     ///< Connections that sent what is no message.
  std::uint64_t gave_way = 0;   ///< Silent connections that made room for another.
  std::uint64_t refused = 0;    ///< Connections for which there was no room.
  std::uint64_t starved = 0;    ///< Times that there was no descriptor for one.
};

class InLink;
class OutLink;

class Port {
 public:
  /// Listens from now on. @throws std::runtime_error when that cannot be.
  Port(PortContext& context, PortOptions options);
  ~Port();  ///< Says good-bye to all.
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  void publish(Packet packet);
  using Connected = std::function<void(bool good)>;
  /// `done` is told once how the first attempt went.
  void connect(const std::string& to, Carrier carrier, bool keep, Connected done = {});
  /// False: there was none. One that is kept is dialled again after 2 s.
  bool disconnect(std::string_view to);
  /// An incoming one, by the name of who dialled.
  bool drop(std::string_view from);
  /// Before the end: asks those who write to it to send no more, so that they do not dial the next
  /// program of this name; then takes the name back if it is still its own. `done` is told once.
  void leave(std::function<void()> done);
  /// At once, or with others of its kind two seconds later.
  void say_rarely(const std::string& kind, const std::string& text);

  [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
  [[nodiscard]] bool is_rpc() const noexcept { return options_.is_rpc; }
  /// Where others dial.
  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] const PortFigures& figures() const noexcept { return figures_; }
  struct Peer {
    std::string name;
    Carrier carrier;
  };
  [[nodiscard]] std::vector<Peer> readers() const;  ///< Outgoing connections that stand.
  [[nodiscard]] std::vector<Peer> writers() const;
  /// Outgoing ones, also those that do not stand yet or any more.
  [[nodiscard]] std::size_t connections() const noexcept { return outs_.size(); }
  /// Nothing waits to be sent or acknowledged.
  [[nodiscard]] bool is_drained() const;
  /// Lines for a person: "This is /p at tcp://127.0.0.1:10002/" and its connections.
  [[nodiscard]] std::string describe() const;

  /// Of loops and programs that register by themselves.
  [[nodiscard]] std::string registration() const;

 private:
  friend class InLink;
  friend class OutLink;

  void accept();
  /// True: there is a place for one more.
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool has_room_for_reader() const noexcept;
  void look_after_name();
  void look_later();
  void heard_of_name(const std::optional<Lines>& lines);
  void tell_name(const std::string& why);
  void take_name_back(std::function<void()> done);
  void quiet_over(const std::string& kind);
  void opened(InLink& link);
  void closed(const InLink* link);
  void closed(const OutLink* link);
  void turn_round(InLink& link);
  /// Of a message; true when the link waits for the answer.
  [[nodiscard]] bool deal_with(InLink& link, const Message& message);
  [[nodiscard]] bool administer(const Message& message, const Answer& answer);
  void say(const std::string& text) const;
  void tell_change() const;

  PortContext& context_;
  PortOptions options_;
  Address address_;
  Socket listener_;
  std::list<std::shared_ptr<InLink>> ins_;
  std::list<std::shared_ptr<OutLink>> outs_;
  PortFigures figures_;
  /// Lines that are not said yet.
  struct Quiet {
    std::uint64_t others = 0;
    std::string last;
    Loop::Timer timer = 0;
  };
  std::map<std::string, Quiet> quiet_;  ///< By kind.
  Loop::Timer name_timer_ = 0, accept_timer_ = 0;
  bool leaving_ = false;
  enum class NameState : std::uint8_t {
    kNew,
    kKnown,
    kUnheard,
    kTaken
  } name_state_ = NameState::kNew;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  ///< Answers from later look at it.
};

/// The answer to an administrative bottle that a port can give at once; connections are made by the
/// port itself.
[[nodiscard]] Bottle administer(Port& port, const Bottle& words);

}  // namespace pintle::yarp
