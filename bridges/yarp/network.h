/// The ports of a program, and the one thread that serves them.
///
///   VectorInput   what others write -> the newest, and how long ago        (read by one thread)
///   VectorOutput  samples -> all that listen, in order, with their stamps  (written by one thread)
///   Port          bottles both ways, in the network's thread
///
/// Who ticks meets that thread at a triple buffer and at a ring of kRing samples, by atomics alone:
/// he neither waits, nor locks, nor takes memory; what does not fit into the ring is counted and
/// lost. Whatever readers, writers and the name server do or leave undone, this is all that they
/// can do to him.
///
/// A message of the wrong size, with numbers that are not finite, or that is none, changes nothing:
/// the input before it stays, and `say` hears of it at most every two seconds.
///
/// A name server that does not answer costs the start one second. The end takes one second at most:
/// half of it for what is not sent yet, half for good-byes (Port::leave).
#pragma once
#include <array>
#include <memory>

#include "pintle/base/triple_buffer.h"
#include "pintle/yarp/port.h"
#include "pintle/yarp/vector.h"

namespace pintle::yarp {

inline constexpr std::size_t kRing = 1024;

struct NetworkOptions {
  std::optional<Address> name_server;  ///< Nothing: where the contact file says.
  std::string bind = "127.0.0.1";      ///< 0.0.0.0: at all addresses of this machine.
  Loop::Clock::duration acknowledge_within = std::chrono::seconds(5);
  /// For a person. Called by the network's thread; what peers call themselves is in it.
  std::function<void(const std::string&)> say;
  Stopped stopped;  ///< Ends what waits: then nobody is asked or told any more.
};

/// What came in last.
struct Heard {
  Values values;
  bool has_stamp = false;
  Stamp stamp;
  std::uint64_t count = 0;    ///< Messages taken so far; 0: none yet.
  std::int64_t heard_ns = 0;  ///< Of the steady clock.
};
[[nodiscard]] std::int64_t steady_ns() noexcept;

class VectorInput {
 public:
  VectorInput(PortContext& context, const std::string& name, std::vector<std::size_t> sizes);
  /// The newest; by the thread that reads alone.
  [[nodiscard]] const Heard& newest() noexcept { return newest_.read(); }
  /// Messages refused so far.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_.load(); }
  [[nodiscard]] Port& port() noexcept { return *port_; }
  /// Of several programs at once each contradicts the other: said each time that comes to be. For
  /// the network's thread, now and then.
  void watch_writers();
  /// Called in the network's thread after each message that was taken.
  std::function<void()> taken;

 private:
  void take(const Message& message);

  std::vector<std::size_t> sizes_;  ///< That are taken; empty: any.
  Heard now_;
  TripleBuffer<Heard> newest_;
  std::atomic<std::uint64_t> refused_{0};
  PortContext& context_;
  bool several_ = false;
  std::unique_ptr<Port> port_;
};

class VectorOutput {
 public:
  VectorOutput(PortContext& context, const std::string& name);
  /// By the thread that writes alone. False: the ring is full, and it is lost.
  bool write(std::span<const double> values, const Stamp& stamp) noexcept;
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(); }
  /// All is sent, and acknowledged where it is. Of the network's thread.
  [[nodiscard]] bool is_drained() const {
    return written_.load() == read_.load() && port_->is_drained();
  }
  [[nodiscard]] Port& port() noexcept { return *port_; }

 private:
  struct Sample {
    Values values;
    Stamp stamp;
  };
  void drain();

  PortContext& context_;
  std::array<Sample, kRing> ring_{};
  std::atomic<std::uint64_t> written_{0}, read_{0}, lost_{0};
  std::unique_ptr<Port> port_;
};

class Network {
 public:
  explicit Network(NetworkOptions options);
  ~Network();  ///< Good-bye on every connection; names that are still its own are taken back.
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // before start(): each is told to the name server, if there is one
  /// @throws std::runtime_error when somebody who is alive has that name, or it can be none.
  VectorInput& input(const std::string& name, std::vector<std::size_t> sizes);
  VectorOutput& output(const std::string& name);
  Port& port(PortOptions options);
  void start();

  [[nodiscard]] Loop& loop() noexcept { return loop_; }
  /// Of any thread.
  [[nodiscard]] Address name_server() const { return name_server_.address(); }
  /// Whether a name server had heard the names when it started.
  [[nodiscard]] bool is_named() const noexcept { return !silent_; }
  /// Waits for the first attempt. False also when it is stopped. Not of the network's thread.
  [[nodiscard]] bool connect(Port& port, const std::string& to, Carrier carrier, bool keep);

 private:
  void claim(const std::string& name);
  void announce(const Port& port);
  [[nodiscard]] std::vector<Port*> all_ports();
  void drain();
  void leave();

  Loop loop_;
  NameServerPlace name_server_;
  Stopped stopped_;
  PortContext context_;
  std::vector<std::unique_ptr<VectorInput>> inputs_;
  std::vector<std::unique_ptr<VectorOutput>> outputs_;
  std::vector<std::unique_ptr<Port>> ports_;
  bool silent_ = false, started_ = false;
};

}  // namespace pintle::yarp
