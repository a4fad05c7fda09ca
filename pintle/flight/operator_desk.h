/// Where the thread that listens to operators meets the one that ticks.
///
/// Requests of several clients go to the tick one at a time: what makes it stay or come down before
/// what makes it move, then the oldest first. What the tick does not take up within two seconds is
/// withdrawn, for nobody waits for it any more; nor does it when its client has left. Where both
/// threads stood still meanwhile (stood.h), what stops is taken up all the same. A tick has the
/// commands of one desk, and after each answer a desk leaves one tick to the others: whoever asks
/// without end keeps nobody else from being heard. The two threads meet at one slot, by atomics alone: who ticks neither waits, nor locks, nor allocates.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "pintle/flight/operator_request.h"
#include "pintle/flight/stood.h"

namespace pintle::flight {

class OperatorDesk {
 public:
  using Clock = Stood::Clock;
  using Client = std::int64_t;
  struct Answer {
    Client client = 0;
    std::optional<RequestOutcome> outcome;  ///< None: nothing was done, it does not tick.
  };

  // of the thread that listens
  /// One a client at a time.
  void ask(Client client, const OperatorRequest& request);
  void leave(Client client);
  /// To be called often while it is busy: what has been answered since.
  [[nodiscard]] std::vector<Answer> turn(Clock::time_point now = Clock::now());
  [[nodiscard]] bool is_busy() const noexcept { return asked_ || !waiting_.empty(); }

  // of the thread that ticks
  /// Before the tick, after everybody else's commands.
  void put(const Outputs& last, Inputs& in, Clock::time_point now = Clock::now()) noexcept;
  /// After the tick.
  void take(const Outputs& out) noexcept;

 private:
  struct Waiting {
    Client client = 0;
    OperatorRequest request;
    Clock::time_point until;
    bool left = false;  ///< Its client.
  };
  bool withdraw() noexcept;
  [[nodiscard]] std::deque<Waiting>::iterator first_that_can_wait();

  std::deque<Waiting> waiting_;
  std::optional<Waiting> asked_;
  Stood stood_;

  /// Free -> asked, by who listens -> running -> answered, by who ticks -> free.
  enum class Slot : unsigned char { kFree, kAsked, kRunning, kAnswered };
  std::atomic<Slot> slot_{Slot::kFree};
  OperatorRequest request_;
  Clock::time_point until_;
  std::optional<RequestOutcome> outcome_;
  // of the thread that ticks
  RequestRunner runner_;
  bool rests_ = false;  ///< This tick is for others.
};

}  // namespace pintle::flight
