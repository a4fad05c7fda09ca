#include "pintle/yarp/port.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "pintle/base/port_name.h"
#include "pintle/yarp/links.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAfter = 2s, kQuiet = 2s, kStarved = 1s;
constexpr std::size_t kMostKinds = 32;

}  // namespace

Port::Port(PortContext& context, PortOptions options)
    : context_(context),
      options_(std::move(options)),
      address_{context.bind, options_.port},
      listener_(listen_at(address_)) {
  // "all addresses" is none that others can dial
  if (address_.host == "0.0.0.0") address_.host = context_.reached_at;
  context_.loop.watch(listener_.descriptor(), POLLIN, [this](short) { accept(); });
  if (options_.with_name)
    name_timer_ = context_.loop.after(kLookAfter, [this] { look_after_name(); });
}

Port::~Port() {
  alive_.reset();
  options_.changed = nullptr;
  context_.loop.forget(listener_.descriptor());
  for (const Loop::Timer t : {name_timer_, accept_timer_})
    if (t != 0) context_.loop.cancel(t);
  while (!ins_.empty()) ins_.front()->end();
  while (!outs_.empty()) outs_.front()->end();
  for (const auto& [kind, quiet] : quiet_) context_.loop.cancel(quiet.timer);
}

void Port::say(const std::string& text) const {
  if (context_.say) context_.say(text);
}
void Port::tell_change() const {
  if (options_.changed) options_.changed();
}

void Port::say_rarely(const std::string& kind, const std::string& text) {
  const bool known = quiet_.contains(kind) || quiet_.size() < kMostKinds;
  const auto [quiet, is_new] = quiet_.try_emplace(known ? kind : "others");
  if (!is_new) {
    ++quiet->second.others;
    quiet->second.last = text;
    return;
  }
  say(text);
  quiet->second.timer =
      context_.loop.after(kQuiet, [this, key = quiet->first] { quiet_over(key); });
}

void Port::quiet_over(const std::string& kind) {
  const auto quiet = quiet_.find(kind);
  if (quiet == quiet_.end()) return;
  const auto [others, last, timer] = std::exchange(quiet->second, {});
  if (others == 0) {
    quiet_.erase(quiet);
    return;
  }
  say(last + (others > 1 ? "; and " + std::to_string(others - 1) + " more like it" : ""));
  quiet->second.timer = context_.loop.after(kQuiet, [this, kind] { quiet_over(kind); });
}

bool Port::has_room_for_reader() const noexcept {
  return outs_.size() < kMaxReaders && ins_.size() + outs_.size() <= kMaxConnections;
}

bool Port::make_room() {
  if (ins_.size() + outs_.size() < kMaxConnections) return true;
  std::shared_ptr<InLink> longest;
  for (const auto& link : ins_)
    if (link->may_give_way() && (!longest || link->silent_since() < longest->silent_since()))
      longest = link;
  if (!longest) {
    ++figures_.refused;
    say_rarely("full", name() + ": too many connections: one refused");
    return false;
  }
  ++figures_.gave_way;
  const std::string who = longest->peer().empty() ? "one without a name" : longest->peer();
  longest->end();
  say_rarely("gave way", name() + ": too many connections: " + who + ", silent, gave way");
  return true;
}

void Port::accept() {
  bool starved = false;
  Socket socket = accept_from(listener_, starved);
  if (starved) {
    // who waits stays where he is, and would be told of at once again
    ++figures_.starved;
    say_rarely("starved", name() +
                              ": no descriptors or no memory left (ulimit -n): nobody new is let "
                              "in for a second");
    context_.loop.change(listener_.descriptor(), 0);
    accept_timer_ = context_.loop.after(kStarved, [this] {
      accept_timer_ = 0;
      context_.loop.change(listener_.descriptor(), POLLIN);
    });
  }
  if (!socket.is_open() || !make_room()) return;
  ins_.push_back(std::make_shared<InLink>(*this, std::move(socket)));
  ins_.back()->begin();
}

void Port::opened(InLink& link) {
  // the second of a name takes the place of the first
  if (link.peer().starts_with('/'))
    for (const auto& other : std::vector(ins_.begin(), ins_.end()))
      if (other.get() != &link && other->is_open() && other->peer() == link.peer()) other->end();
  tell_change();
}

void Port::closed(const InLink* link) {
  std::erase_if(ins_, [link](const auto& l) { return l.get() == link; });
  tell_change();
}
void Port::closed(const OutLink* link) {
  std::erase_if(outs_, [link](const auto& l) { return l.get() == link; });
  tell_change();
}

void Port::turn_round(InLink& link) {
  if (!has_room_for_reader()) {
    ++figures_.refused;
    say_rarely("full", name() + ": too many readers: one refused");
    return link.end();
  }
  const auto out = std::make_shared<OutLink>(*this, link.peer(), link.carrier(), false, nullptr);
  outs_.push_back(out);
  Socket socket = link.release();
  link.end();
  out->adopt(std::move(socket));
}

void Port::publish(Packet packet) {
  ++figures_.published;
  const auto shared = std::make_shared<const Packet>(std::move(packet));
  // a link that fails takes itself out
  for (auto it = outs_.begin(); it != outs_.end();) {
    const auto link = *it++;
    link->publish(shared);
  }
}

void Port::connect(const std::string& to, Carrier carrier, bool keep, Connected done) {
  for (const auto& link : std::vector(outs_.begin(), outs_.end())) {
    if (link->to() != to) continue;
    keep = keep || link->is_kept();
    link->end();
  }
  outs_.push_back(std::make_shared<OutLink>(*this, to, carrier, keep, std::move(done)));
  outs_.back()->begin();
}

bool Port::disconnect(std::string_view to) {
  for (const auto& link : outs_) {
    if (link->to() != to) continue;
    const auto held = link;
    if (held->is_kept())
      held->rest();
    else
      held->end();
    return true;
  }
  return false;
}

bool Port::drop(std::string_view from) {
  for (const auto& link : ins_) {
    if (!link->is_open() || link->peer() != from) continue;
    const auto held = link;
    held->end();
    return true;
  }
  return false;
}

std::vector<Port::Peer> Port::readers() const {
  std::vector<Peer> out;
  for (const auto& link : outs_)
    if (link->stands()) out.push_back({link->to(), link->carrier()});
  return out;
}
std::vector<Port::Peer> Port::writers() const {
  std::vector<Peer> out;
  for (const auto& link : ins_)
    if (link->is_open()) out.push_back({link->peer(), link->carrier()});
  return out;
}

bool Port::is_drained() const {
  return std::all_of(outs_.begin(), outs_.end(),
                     [](const auto& l) { return !l->stands() || l->is_drained(); });
}

std::string Port::describe() const {
  std::string out = "This is " + name() + " at tcp://" + to_string(address_) + "/\n";
  const auto tell = [&out](const char* kind, const std::string& from, const std::string& to,
                           Carrier carrier) {
    out += std::string("There is an ") + kind + " connection from " + from + " to " + to +
           " using " + std::string(name_of(carrier)) + "\n";
  };
  const auto outs = readers(), ins = writers();
  for (const Peer& p : outs) tell("output", name(), p.name, p.carrier);
  if (outs.empty()) out += "There are no outgoing connections\n";
  // who asks is no connection worth telling of
  const auto worth = [](const Peer& p) { return p.name.starts_with('/'); };
  for (const Peer& p : ins)
    if (worth(p)) tell("input", p.name, name(), p.carrier);
  if (std::none_of(ins.begin(), ins.end(), worth)) out += "There are no incoming connections\n";
  return out;
}

std::string Port::registration() const {
  return "register " + name() + " tcp " + address_.host + " " + std::to_string(address_.port);
}

void Port::look_after_name() {
  std::weak_ptr<char> alive = alive_;
  ask_later(context_.loop, context_.name_server, "query " + name(),
            [this, alive](const std::optional<Lines>& lines) {
              if (!alive.expired() && !leaving_) heard_of_name(lines);
            });
}

void Port::look_later() {
  if (leaving_) return;
  name_timer_ =
      context_.loop.after(name_state_ == NameState::kUnheard ? kLookAfter / 2 : kLookAfter,
                          [this] { look_after_name(); });
}

void Port::heard_of_name(const std::optional<Lines>& lines) {
  std::optional<Registration> found;
  for (const std::string& line : lines.value_or(Lines{}))
    if (auto r = parse_registration(line); r && r->name == name()) found = r;
  const NameState before = name_state_;
  if (!lines) {
    name_state_ = NameState::kUnheard;
    if (before != name_state_)
      say("no name server reached at " + to_string(context_.name_server.address()) + ": " + name() +
          " is told to it when there is one");
    return look_later();
  }
  if (!found) return tell_name(": told to the name server again");
  if (found->at == address_) {
    name_state_ = NameState::kKnown;
    return look_later();
  }
  std::weak_ptr<char> alive = alive_;
  knock_later(context_.loop, found->at, [this, alive, before, at = found->at](bool answers) {
    if (alive.expired() || leaving_) return;
    if (!answers)
      return tell_name(": had been taken for " + to_string(at) +
                       ", where nobody answers: won back");
    name_state_ = NameState::kTaken;
    if (before != name_state_)
      say(name() + ": another program has taken this name, at " + to_string(at));
    look_later();
  });
}

void Port::tell_name(const std::string& why) {
  say(name() + why);
  std::weak_ptr<char> alive = alive_;
  ask_later(context_.loop, context_.name_server, registration(),
            [this, alive](const std::optional<Lines>& lines) {
              if (alive.expired()) return;
              if (lines) name_state_ = NameState::kKnown;
              look_later();
            });
}

void Port::leave(std::function<void()> done) {
  leaving_ = true;
  if (name_timer_ != 0) context_.loop.cancel(name_timer_);
  name_timer_ = 0;
  std::weak_ptr<char> alive = alive_;
  // told by whoever is the last to let go of it
  const std::shared_ptr<void> all(nullptr, [this, alive, told = std::move(done)](void*) {
    if (!alive.expired()) take_name_back(told);
  });
  for (const auto& link : ins_) {
    if (!link->is_open() || !is_port_name(link->peer())) continue;
    query_later(context_.loop, context_.name_server, link->peer(),
                [this, alive, all](const std::optional<Registration>& source) {
                  if (source && !alive.expired())
                    disconnect_later(context_.loop, source->at, name(), [all] {});
                });
  }
}

void Port::take_name_back(std::function<void()> done) {
  if (!options_.with_name) return done();
  std::weak_ptr<char> alive = alive_;
  query_later(context_.loop, context_.name_server, name(),
              [this, alive, told = std::move(done)](const std::optional<Registration>& found) {
                if (alive.expired()) return;
                // somebody else's stays
                if (!found || found->at != address_) return told();
                ask_later(context_.loop, context_.name_server, "unregister " + name(),
                          [told](const std::optional<Lines>&) { told(); });
              });
}

}  // namespace pintle::yarp
