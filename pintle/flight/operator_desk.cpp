#include "pintle/flight/operator_desk.h"

#include <algorithm>
#include <utility>

namespace pintle::flight {

void OperatorDesk::ask(Client client, const OperatorRequest& request) {
  const auto place = is_urgent(request) ? first_that_can_wait() : waiting_.end();
  waiting_.insert(place, {client, request, Clock::now() + kTakenUpWithin});
}

std::deque<OperatorDesk::Waiting>::iterator OperatorDesk::first_that_can_wait() {
  return std::find_if(waiting_.begin(), waiting_.end(),
                      [](const Waiting& w) { return !is_urgent(w.request); });
}

void OperatorDesk::leave(Client client) {
  std::erase_if(waiting_, [client](const Waiting& w) { return w.client == client; });
  if (!asked_ || asked_->client != client) return;
  asked_->left = true;
  if (withdraw()) asked_.reset();
}

bool OperatorDesk::withdraw() noexcept {
  Slot asked = Slot::kAsked;
  return slot_.compare_exchange_strong(asked, Slot::kFree, std::memory_order_acq_rel);
}

std::vector<OperatorDesk::Answer> OperatorDesk::turn(Clock::time_point now) {
  std::vector<Answer> answers;
  if (stood_.look(now)) {
    const auto goes_on = [now](Waiting& w) {
      if (is_urgent(w.request)) w.until = now + kTakenUpWithin;
    };
    std::for_each(waiting_.begin(), waiting_.end(), goes_on);
    if (asked_) goes_on(*asked_);
  }
  if (asked_ && slot_.load(std::memory_order_acquire) == Slot::kAnswered) {
    if (!asked_->left) answers.push_back({asked_->client, outcome_});
    asked_.reset();
    slot_.store(Slot::kFree, std::memory_order_release);
  }
  const bool late = asked_ && now > asked_->until;
  const bool overtaken = asked_ && !waiting_.empty() && is_urgent(waiting_.front().request) &&
                         !is_urgent(asked_->request);
  if ((late || overtaken) && withdraw()) {
    if (!late)
      waiting_.insert(first_that_can_wait(), *asked_);  // older than all that wait
    else
      answers.push_back({asked_->client, std::nullopt});
    asked_.reset();
  }
  std::erase_if(waiting_, [&](const Waiting& w) {
    if (now <= w.until) return false;
    answers.push_back({w.client, std::nullopt});
    return true;
  });
  if (!asked_ && !waiting_.empty()) {
    asked_ = waiting_.front();
    waiting_.pop_front();
    request_ = asked_->request;
    until_ = asked_->until;
    slot_.store(Slot::kAsked, std::memory_order_release);
  }
  return answers;
}

void OperatorDesk::put(const Outputs& last, Inputs& in, Clock::time_point now) noexcept {
  // what cannot be put is not taken up either, and can still be withdrawn
  if (!runner_.is_busy()) {
    if (std::exchange(rests_, false) || !in.commands.empty()) return;
    Slot asked = Slot::kAsked;
    if (!slot_.compare_exchange_strong(asked, Slot::kRunning, std::memory_order_acq_rel)) return;
    // both threads stood still: who listens has not come to withdraw it
    if (now > until_ && !is_urgent(request_)) {
      outcome_.reset();
      slot_.store(Slot::kAnswered, std::memory_order_release);
      return;
    }
    runner_.begin(request_, last);
  }
  runner_.put(in);
}

void OperatorDesk::take(const Outputs& out) noexcept {
  const auto outcome = runner_.take(out);
  if (!outcome) return;
  outcome_ = outcome;
  rests_ = true;
  slot_.store(Slot::kAnswered, std::memory_order_release);
}

}  // namespace pintle::flight
