#include <poll.h>

#include <algorithm>
#include <utility>

#include "pintle/yarp/links.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

constexpr auto kToDial = 5s;
constexpr auto kFirstAttempts = 1s;  // a name is often known a little before its owner listens
constexpr auto kNobodyFor = 30s;
constexpr Loop::Clock::duration kShortest = 100ms, kLongest = 2s, kLasting = 1s;

}  // namespace

OutLink::~OutLink() = default;

void OutLink::set_timer(Loop::Clock::duration delay, void (OutLink::*act)()) {
  Loop& loop = port_->context_.loop;
  if (timer_ != 0) loop.cancel(timer_);
  std::weak_ptr<OutLink> weak = weak_from_this();
  timer_ = loop.after(delay, [weak, act] {
    if (const auto self = weak.lock(); self && self->port_ != nullptr) {
      self->timer_ = 0;
      (self.get()->*act)();
    }
  });
}

void OutLink::begin() {
  state_ = State::kLooking;
  std::weak_ptr<OutLink> weak = weak_from_this();
  ask_later(port_->context_.loop, port_->context_.name_server, "query " + to_,
            [weak](const std::optional<Lines>& lines) {
              const auto self = weak.lock();
              if (!self || self->port_ == nullptr || self->state_ != State::kLooking) return;
              for (const std::string& line : lines.value_or(Lines{}))
                if (const auto r = parse_registration(line); r && r->name == self->to_)
                  return self->dial(r->at);
              // without a name server nobody knows whether the name is gone
              self->lost(!lines.has_value());
            });
}

void OutLink::dial(const Address& address) {
  std::string why;
  socket_ = begin_connect(address, why);
  if (!socket_.is_open()) return lost(true);
  state_ = State::kDialling;
  set_timer(kToDial, &OutLink::timed_out);
  std::weak_ptr<OutLink> weak = weak_from_this();
  port_->context_.loop.watch(socket_.descriptor(), POLLOUT, [weak](short events) {
    if (const auto self = weak.lock()) self->ready(events);
  });
}

void OutLink::adopt(Socket socket) {
  adopted_ = true;
  socket_ = std::move(socket);
  answers_.skip_welcome();
  std::weak_ptr<OutLink> weak = weak_from_this();
  port_->context_.loop.watch(socket_.descriptor(), POLLIN, [weak](short events) {
    if (const auto self = weak.lock()) self->ready(events);
  });
  stand();
}

void OutLink::timed_out() {
  if (state_ != State::kStanding) return lost(true);
  // looked at now and then rather than at every message: what was just sent may well be under way
  const auto within = port_->context_.acknowledge_within;
  const auto waited = is_waiting() ? Loop::Clock::now() - taken_at_ : Loop::Clock::duration{};
  if (waited < within) return set_timer(within - waited, &OutLink::timed_out);
  const std::string does = is_acknowledged(carrier_) ? " acknowledges nothing" : " takes nothing";
  port_->say_rarely("hung", port_->name() + ": " + to_ + does + ": hung up" +
                                (adopted_ ? "" : ", and tried again"));
  lost(true);
}

void OutLink::ready(short events) {
  const auto self = shared_from_this();
  if (state_ == State::kDialling) {
    // one that failed reads as closed
    state_ = State::kGreeting;
    out_ = hello(carrier_, port_->name());
    if (carrier_ == Carrier::kText) answers_.skip_welcome();
  }
  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) {
    std::string heard;
    if (receive(socket_, heard) == Io::kClosed) return lost(true);
    answers_.feed(heard);
    answers_.forget_lines();
    if (answers_.broken() || answers_.acknowledged() > sent_) return lost(true);
  }
  if (state_ == State::kGreeting) {
    if (send(socket_, out_) == Io::kClosed) return lost(true);
    if (out_.empty() && answers_.welcomed()) return stand();
    return watch_again();
  }
  pump();
}

void OutLink::stand() {
  state_ = State::kStanding;
  begun_ = taken_at_ = Loop::Clock::now();
  set_timer(port_->context_.acknowledge_within, &OutLink::timed_out);
  finish(true);
  if (port_ == nullptr) return;
  port_->tell_change();
  pump();
}

void OutLink::finish(bool good) {
  if (!done_) return;
  const Port::Connected done = std::move(done_);
  done_ = nullptr;
  done(good);
}

void OutLink::publish(std::shared_ptr<const Packet> packet) {
  if (state_ != State::kStanding) return;
  queue_.push_back(std::move(packet));
  if (queue_.size() > port_->options_.backlog) {
    port_->figures_.skipped += queue_.size() - 1;
    queue_.erase(queue_.begin(), queue_.end() - 1);
  }
  pump();
}

Io OutLink::push() {
  const std::size_t before = out_.size();
  const Io io = send(socket_, out_);
  if (out_.size() != before) taken_at_ = Loop::Clock::now();
  return io;
}

void OutLink::pump() {
  const auto self = shared_from_this();
  while (state_ == State::kStanding) {
    if (push() == Io::kClosed) return lost(true);
    const bool waits = is_acknowledged(carrier_) && sent_ != answers_.acknowledged();
    if (!out_.empty() || queue_.empty() || waits) break;
    taken_at_ = Loop::Clock::now();
    out_ = message(carrier_, "D", *queue_.front());
    queue_.pop_front();
    if (is_acknowledged(carrier_)) ++sent_;
  }
  if (state_ == State::kStanding) watch_again();
}

void OutLink::watch_again() {
  port_->context_.loop.change(socket_.descriptor(),
                              static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT));
}

void OutLink::lost(bool name_known) {
  const auto self = shared_from_this();
  const auto now = Loop::Clock::now();
  const bool stood = state_ == State::kStanding;
  if (socket_.is_open()) port_->context_.loop.forget(socket_.descriptor());
  socket_.close();
  if (timer_ != 0) port_->context_.loop.cancel(timer_);
  timer_ = 0;
  port_->figures_.skipped += queue_.size();
  queue_.clear();
  out_.clear();
  sent_ = 0;
  answers_ = Answers(carrier_);
  state_ = State::kResting;
  // a reader that hangs up as soon as it is dialled does not make us dial without end
  const bool lasted = stood && now - begun_ > kLasting;
  if (lasted) rest_ = kShortest;
  if (stood) begun_ = now;

  const bool first = static_cast<bool>(done_);
  // a name that is unknown belongs, once it is known again, to a stranger
  const bool over = adopted_ || !name_known || now - begun_ > (first ? kFirstAttempts : kNobodyFor);
  if (over && first) finish(false);
  if (port_ == nullptr) return;
  if (over && !keep_) {
    state_ = State::kEnded;
    Port& port = *port_;
    port_ = nullptr;
    return port.closed(this);
  }
  set_timer(lasted ? Loop::Clock::duration{} : rest_, &OutLink::begin);
  rest_ = std::min(2 * rest_, first ? kShortest : kLongest);
  if (stood) port_->tell_change();
}

void OutLink::say_good_bye() {
  if (state_ != State::kStanding || !out_.empty()) return;
  out_ = message(carrier_, "q");
  (void)send(socket_, out_);
}

void OutLink::rest() {
  say_good_bye();
  begun_ = Loop::Clock::now();
  rest_ = kLongest;
  lost(true);
}

void OutLink::end() {
  if (port_ == nullptr) return;
  say_good_bye();
  if (socket_.is_open()) port_->context_.loop.forget(socket_.descriptor());
  if (timer_ != 0) port_->context_.loop.cancel(timer_);
  socket_.close();
  state_ = State::kEnded;
  Port& port = *port_;
  port_ = nullptr;
  if (done_) std::exchange(done_, nullptr)(false);
  port.closed(this);
}

}  // namespace pintle::yarp
