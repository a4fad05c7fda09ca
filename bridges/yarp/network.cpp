#include "pintle/yarp/network.h"

#include <algorithm>
#include <future>
#include <stdexcept>
#include <thread>

#include "pintle/base/port_name.h"
#include "pintle/yarp/dialogues.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

constexpr auto kToDrain = 500ms, kToLeave = 500ms;
constexpr double kToAnswer_s = 1;

std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::string out;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    out += (i == 0 ? "" : i + 1 == sizes.size() ? " or " : ", ") + std::to_string(sizes[i]);
  return out;
}

}  // namespace

std::int64_t steady_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

VectorInput::VectorInput(PortContext& context, const std::string& name,
                         std::vector<std::size_t> sizes)
    : sizes_(std::move(sizes)), context_(context) {
  PortOptions options;
  options.name = name;
  options.heard = [this](const Message& m, const Answer&) {
    take(m);
    return false;
  };
  port_ = std::make_unique<Port>(context, std::move(options));
}

void VectorInput::take(const Message& message) {
  std::string why, kind = "values";
  const Values values = values_of(message, why);
  if (why.empty() && !sizes_.empty() &&
      std::find(sizes_.begin(), sizes_.end(), values.size()) == sizes_.end()) {
    why = "expected " + sizes_text(sizes_) + " numbers, got " + std::to_string(values.size());
    kind = "sizes";
  }
  if (!why.empty()) {
    ++refused_;
    return port_->say_rarely(kind, port_->name() + ": " + why + "; the input before it stays");
  }
  const auto stamp = stamp_of(message.envelope());
  now_ = {values, stamp.has_value(), stamp.value_or(Stamp{}), now_.count + 1, steady_ns()};
  newest_.write(now_);
  if (taken) taken();
}

void VectorInput::watch_writers() {
  const bool several = port_->writers().size() > 1;
  if (several && !several_ && context_.say)
    context_.say(port_->name() + ": several programs write to it");
  several_ = several;
}

VectorOutput::VectorOutput(PortContext& context, const std::string& name) : context_(context) {
  PortOptions options;
  options.name = name;
  port_ = std::make_unique<Port>(context, std::move(options));
  context_.loop.on_wake([this] { drain(); });
}

bool VectorOutput::write(std::span<const double> values, const Stamp& stamp) noexcept {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) == kRing) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  Sample& sample = ring_[at % kRing];
  sample.values.clear();
  for (const double x : values) sample.values.push_back(x);
  sample.stamp = stamp;
  written_.store(at + 1, std::memory_order_release);
  context_.loop.wake();
  return true;
}

void VectorOutput::drain() {
  const std::uint64_t end = written_.load(std::memory_order_acquire);
  for (std::uint64_t at = read_.load(std::memory_order_relaxed); at != end; ++at) {
    const Sample& s = ring_[at % kRing];
    port_->publish(packet_of(std::span(s.values.data(), s.values.size()), to_envelope(s.stamp)));
    read_.store(at + 1, std::memory_order_release);
  }
}

Network::Network(NetworkOptions options)
    : name_server_(options.name_server),
      stopped_(std::move(options.stopped)),
      context_{loop_,
               name_server_,
               options.bind,
               options.bind,
               options.acknowledge_within,
               std::move(options.say)} {
  if (options.bind != "0.0.0.0") return;
  context_.reached_at = reachable_host(name_server_.address());
  if (context_.say)
    context_.say("listening at all addresses; others are told " + context_.reached_at);
}

std::vector<Port*> Network::all_ports() {
  std::vector<Port*> out;
  for (const auto& i : inputs_) out.push_back(&i->port());
  for (const auto& o : outputs_) out.push_back(&o->port());
  for (const auto& p : ports_) out.push_back(p.get());
  return out;
}

/// What was written last may be what matters most.
void Network::drain() {
  const auto until = Loop::Clock::now() + kToDrain;
  bool drained = false;
  while (!drained && Loop::Clock::now() < until) {
    loop_.call_and_wait([&] {
      drained = std::all_of(outputs_.begin(), outputs_.end(),
                            [](const auto& o) { return o->is_drained(); });
    });
    if (!drained) std::this_thread::sleep_for(1ms);
  }
}

void Network::leave() {
  const auto gone = std::make_shared<std::promise<void>>();
  loop_.call([this, gone] {
    // told by whoever is the last to let go of it
    const std::shared_ptr<void> all(nullptr, [gone](void*) { gone->set_value(); });
    for (Port* port : all_ports()) port->leave([all] {});
  });
  (void)gone->get_future().wait_for(kToLeave);
}

Network::~Network() {
  if (started_)
    drain();
  else
    loop_.start();
  leave();
  loop_.stop();
  // the thread has ended: ports may go
  inputs_.clear();
  outputs_.clear();
  ports_.clear();
}

void Network::claim(const std::string& name) {
  if (const auto fault = port_name_fault(name))
    throw std::runtime_error(fault->message + ": " + fault->fix);
  // without a name server nobody else is known
  if (silent_) return;
  std::optional<Registration> other;
  try {
    other = query(name_server_.address(), name, kToAnswer_s, stopped_);
  } catch (const std::runtime_error&) {
    silent_ = true;
    return;
  }
  if (other && is_there(*other, Dialogue::Seconds(kToAnswer_s), stopped_))
    throw std::runtime_error(name + ": a program that runs has this port, at " +
                             to_string(other->at) + "; stop it, or choose another name");
}

void Network::announce(const Port& port) {
  if (silent_) return;
  try {
    const Address server = name_server_.address();
    (void)ask(server, port.registration(), kToAnswer_s, stopped_);
    for (const char* what :
         {" offers tcp fast_tcp text text_ack", " accepts tcp fast_tcp text text_ack"})
      (void)ask(server, "set " + port.name() + what, kToAnswer_s, stopped_);
  } catch (const std::runtime_error&) {
    silent_ = true;
  }
}

VectorInput& Network::input(const std::string& name, std::vector<std::size_t> sizes) {
  claim(name);
  inputs_.push_back(std::make_unique<VectorInput>(context_, name, std::move(sizes)));
  announce(inputs_.back()->port());
  return *inputs_.back();
}
VectorOutput& Network::output(const std::string& name) {
  claim(name);
  outputs_.push_back(std::make_unique<VectorOutput>(context_, name));
  announce(outputs_.back()->port());
  return *outputs_.back();
}
Port& Network::port(PortOptions options) {
  const bool with_name = options.with_name;
  if (with_name) claim(options.name);
  ports_.push_back(std::make_unique<Port>(context_, std::move(options)));
  if (with_name) announce(*ports_.back());
  return *ports_.back();
}

void Network::start() {
  loop_.start();
  started_ = true;
}

bool Network::connect(Port& port, const std::string& to, Carrier carrier, bool keep) {
  const auto done = std::make_shared<std::promise<bool>>();
  auto answer = done->get_future();
  loop_.call([&port, to, carrier, keep, done] {
    port.connect(to, carrier, keep, [done](bool good) { done->set_value(good); });
  });
  while (answer.wait_for(50ms) != std::future_status::ready)
    if (stopped_ && stopped_()) return false;
  return answer.get();
}

}  // namespace pintle::yarp
