#include "pintle/yarp/network.h"

#include <algorithm>
#include <future>
#include <stdexcept>
#include <thread>

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

/// Whether somebody answers there.
bool is_alive(const Address& address) {
  try {
    const Dialogue there(address, Dialogue::Seconds(1));
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

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
  std::string why;
  const Values values = values_of(message, why);
  if (why.empty() && !sizes_.empty() &&
      std::find(sizes_.begin(), sizes_.end(), values.size()) == sizes_.end())
    why = "expected " + sizes_text(sizes_) + " numbers, got " + std::to_string(values.size());
  if (!why.empty()) {
    ++refused_;
    if (const auto now = Loop::Clock::now(); context_.say && now >= quiet_until_) {
      quiet_until_ = now + 2s;
      context_.say(port_->name() + ": " + why + "; the input before it stays");
    }
    return;
  }
  const auto stamp = stamp_of(message.envelope());
  now_ = {values, stamp.has_value(), stamp.value_or(Stamp{}), now_.count + 1, steady_ns()};
  newest_.write(now_);
  if (taken) taken();
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
    : context_{loop_, options.name_server, options.bind, options.acknowledge_within,
               std::move(options.say)} {}

Network::~Network() {
  if (started_) {
    // what was written last may be what matters most
    const auto until = Loop::Clock::now() + 500ms;
    bool drained = false;
    while (!drained && Loop::Clock::now() < until) {
      loop_.call_and_wait([&] {
        drained = std::all_of(outputs_.begin(), outputs_.end(),
                              [](const auto& o) { return o->is_drained(); });
      });
      if (!drained) std::this_thread::sleep_for(1ms);
    }
  }
  loop_.stop();
  // the thread has ended: ports may go
  inputs_.clear();
  outputs_.clear();
  ports_.clear();
  try {
    for (const std::string& name : names_)
      (void)ask(context_.name_server, "unregister " + name, 0.5);
  } catch (const std::runtime_error&) {
    // nobody to tell
  }
}

void Network::claim(const std::string& name) const {
  if (!name.starts_with('/') || name.size() > kMaxName ||
      name.find_first_of(" \t\r\n") != std::string::npos)
    throw std::runtime_error("\"" + name + "\": a port's name begins with / and has no blanks");
  std::optional<Registration> other;
  try {
    other = query(context_.name_server, name);
  } catch (const std::runtime_error&) {
    return;  // without a name server nobody else is known
  }
  if (other && is_alive(other->at))
    throw std::runtime_error(name + ": a program that runs has this port, at " +
                             to_string(other->at) + "; stop it, or choose another name");
}

void Network::announce(const Port& port) {
  names_.push_back(port.name());
  try {
    (void)ask(context_.name_server, port.registration());
    for (const char* what :
         {" offers tcp fast_tcp text text_ack", " accepts tcp fast_tcp text text_ack"})
      (void)ask(context_.name_server, "set " + port.name() + what);
    named_ = true;
  } catch (const std::runtime_error& e) {
    named_ = false;
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
  std::promise<bool> done;
  auto answer = done.get_future();
  loop_.call([&] { port.connect(to, carrier, keep, [&](bool good) { done.set_value(good); }); });
  return answer.get();
}

}  // namespace pintle::yarp
