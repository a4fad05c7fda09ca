#include <poll.h>

#include "pintle/base/port_name.h"
#include "pintle/yarp/links.h"

namespace pintle::yarp {
namespace {

constexpr auto kUnfinished = std::chrono::seconds(30);
// acknowledgements and replies that somebody does not take
constexpr std::size_t kMostUnsent = 1 << 20;

std::string with_line_ends(const std::string& lines) {
  std::string out;
  for (const char c : lines) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

}  // namespace

InLink::~InLink() = default;

void InLink::begin() {
  std::weak_ptr<InLink> weak = weak_from_this();
  port_->context_.loop.watch(socket_.descriptor(), POLLIN, [weak](short events) {
    if (const auto self = weak.lock()) self->ready(events);
  });
  expect_more();
}

void InLink::expect_more() {
  Loop& loop = port_->context_.loop;
  if (decoder_.is_idle() || waits_) {
    if (timer_ != 0) loop.cancel(timer_);
    timer_ = 0;
    return;
  }
  if (timer_ != 0) return;
  std::weak_ptr<InLink> weak = weak_from_this();
  timer_ = loop.after(kUnfinished, [weak] {
    if (const auto self = weak.lock()) self->end("left a message unfinished");
  });
}

void InLink::end(const char* why) {
  if (port_ == nullptr) return;
  Port& port = *port_;
  port_ = nullptr;
  if (timer_ != 0) port.context_.loop.cancel(timer_);
  if (socket_.is_open()) port.context_.loop.forget(socket_.descriptor());
  if (why != nullptr)
    port.say_rarely(
        why, port.name() + ": " + (peer().empty() ? "somebody" : peer()) + ": hung up on: " + why);
  if (socket_.is_open()) (void)send(socket_, out_);
  socket_.close();
  port.closed(this);
}

Socket InLink::release() {
  port_->context_.loop.forget(socket_.descriptor());
  return std::move(socket_);
}

void InLink::ready(short events) {
  const auto self = shared_from_this();
  if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0 && (events & POLLIN) == 0) return end();
  if ((events & POLLIN) != 0) {
    in_.clear();
    const Io io = receive(socket_, in_);
    if (io == Io::kClosed) return end();
    silent_since_ = Loop::Clock::now();
    decoder_.feed(in_);
    pump();
  }
  if (port_ != nullptr) flush();
}

void InLink::pump() {
  while (port_ != nullptr && !waits_ && !ending_) {
    switch (decoder_.next()) {
      case Decoder::Event::kNone: return expect_more();
      case Decoder::Event::kOpened:
        opened_ = true;
        out_ += welcome(carrier(), port_->address().port, port_->name());
        port_->opened(*this);
        break;
      case Decoder::Event::kMessage: {
        const Message& m = decoder_.message();
        has_spoken_ = true;
        if (m.key() == 'r') {
          out_ += acknowledgement(carrier());
          flush();
          if (port_ != nullptr) port_->turn_round(*this);
          return;
        }
        waits_ = port_->deal_with(*this, m);
        ending_ = m.key() == 'q';
        if (!waits_) out_ += acknowledgement(carrier());
        break;
      }
      case Decoder::Event::kLine:
        if (port_->options_.named)
          out_ += port_->options_.named(decoder_.message().data);
        else
          ending_ = true;
        break;
      case Decoder::Event::kBroken:
        ++port_->figures_.broken;
        if (!opened_) {
          out_ += decoder_.why() + "\r\n";
          ending_ = true;
        } else {
          return end(decoder_.why().c_str());
        }
    }
  }
}

void InLink::reply(const Message& to, const std::optional<Bottle>& bottle) {
  if (port_ == nullptr) return;
  const auto self = shared_from_this();
  if (bottle) out_ += to.is_text ? to_text(*bottle) + "\r\n" : to_bytes(*bottle);
  out_ += acknowledgement(carrier());
  waits_ = false;
  pump();
  if (port_ != nullptr) flush();
}

void InLink::flush() {
  if (send(socket_, out_) == Io::kClosed) return end();
  if (out_.size() > kMostUnsent) return end("takes no answers");
  if (ending_ && out_.empty()) return end();
  watch_again();
}

void InLink::watch_again() {
  short events = out_.empty() ? 0 : POLLOUT;
  // nothing more is read while an answer is awaited, or not taken
  if (!waits_ && out_.empty()) events |= POLLIN;
  port_->context_.loop.change(socket_.descriptor(), events);
}

bool Port::deal_with(InLink& link, const Message& message) {
  std::weak_ptr<InLink> weak = link.weak_from_this();
  const auto answer = [&loop = context_.loop, weak, message](const std::optional<Bottle>& bottle) {
    loop.call([weak, message, bottle] {
      if (const auto to = weak.lock()) to->reply(message, bottle);
    });
  };
  switch (message.key()) {
    case 'd':
    case 'D':
      ++figures_.messages;
      if (options_.named && message.is_text && message.key() == 'd') {
        link.put(options_.named(message.data));
        return false;
      }
      return options_.heard && options_.heard(message, answer);
    case 'a': return administer(message, answer);
    case '*': link.put(with_line_ends(describe())); return false;
    case '?':
      link.put(
          "Commands:\r\n  d, then a line  data\r\n  a, then a line  administration: [help]\r\n"
          "  *  what this port is     q  good-bye     r  turn the connection round\r\n"
          "  /NAME connect to it     !NAME disconnect     ~NAME drop who writes\r\n");
      return false;
    case '/':
      if (is_port_name(message.command) && has_room_for_reader())
        connect(message.command, Carrier::kTcp, false);
      return false;
    case '!': (void)disconnect(std::string_view(message.command).substr(1)); return false;
    case '~': (void)drop(std::string_view(message.command).substr(1)); return false;
    case 'q': return false;
    default:
      ++figures_.broken;
      if (message.is_text) link.put("Port command not understood.\r\nType ? for help.\r\n");
      return false;
  }
}

}  // namespace pintle::yarp
