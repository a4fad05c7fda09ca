#include "pintle/yarp/port.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "pintle/yarp/links.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAfter = 2s;

}  // namespace

Port::Port(PortContext& context, PortOptions options)
    : context_(context),
      options_(std::move(options)),
      address_{context.bind, options_.port},
      listener_(listen_at(address_)) {
  context_.loop.watch(listener_.descriptor(), POLLIN, [this](short) { accept(); });
  if (options_.with_name)
    name_timer_ = context_.loop.after(kLookAfter, [this] { look_after_name(); });
}

Port::~Port() {
  alive_.reset();
  options_.changed = nullptr;
  context_.loop.forget(listener_.descriptor());
  if (name_timer_ != 0) context_.loop.cancel(name_timer_);
  while (!ins_.empty()) ins_.front()->end();
  while (!outs_.empty()) outs_.front()->end();
}

void Port::say(const std::string& text) const {
  if (context_.say) context_.say(text);
}
void Port::tell_change() const {
  if (options_.changed) options_.changed();
}

void Port::accept() {
  Address peer;
  Socket socket = accept_from(listener_, peer);
  if (!socket.is_open()) return;
  if (ins_.size() >= kMaxConnections) return say(name() + ": too many connections: one refused");
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
  (void)disconnect(to);
  outs_.push_back(std::make_shared<OutLink>(*this, to, carrier, keep, std::move(done)));
  outs_.back()->begin();
}

bool Port::disconnect(std::string_view to) {
  for (const auto& link : outs_) {
    if (link->to() != to) continue;
    const auto held = link;
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
  const auto later = [this, alive] {
    if (alive.expired()) return;
    name_timer_ = context_.loop.after(kLookAfter, [this] { look_after_name(); });
  };
  const auto told = [this, alive, later](const std::optional<Lines>& lines) {
    if (alive.expired()) return;
    std::optional<Registration> found;
    for (const std::string& line : lines.value_or(Lines{}))
      if (auto r = parse_registration(line); r && r->name == name()) found = r;
    const NameState before = name_state_;
    if (!lines)
      name_state_ = NameState::kUnheard;
    else if (!found || found->at == address_)
      name_state_ = NameState::kKnown;
    else
      name_state_ = NameState::kTaken;
    if (name_state_ != before && name_state_ == NameState::kUnheard)
      say("no name server at " + to_string(context_.name_server) + ": " + name() +
          " is told to it when there is one");
    if (name_state_ != before && name_state_ == NameState::kTaken)
      say(name() + ": another program has taken this name");
    if (!lines || found) return later();
    say(name() + ": told to the name server again");
    ask_later(context_.loop, context_.name_server, registration(),
              [later](const std::optional<Lines>&) { later(); });
  };
  ask_later(context_.loop, context_.name_server, "query " + name(), told);
}

}  // namespace pintle::yarp
