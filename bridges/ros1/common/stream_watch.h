/// Whether what comes on a topic can be used: said when it cannot, with numbers, and when it is over.
///
/// What is bad stands for kStands_s after the last bad one, so that a stream of good and bad ones is
/// told once, and again every kAgain_s while it lasts. Where the stream is wanted, having nothing
/// of it to use for kSilent_s is bad too. Times are of one clock, s; one that is set back begins
/// anew. Clean C++17.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace pintle::ros1 {

class StreamWatch {
 public:
  static constexpr double kSilent_s = 2, kStands_s = 2, kAgain_s = 10;

  /// On `topic` come `what`: "/image", "pictures".
  StreamWatch(std::string topic, std::string what)
      : topic_(std::move(topic)), what_(std::move(what)) {}

  /// One that is good for use.
  void used(double now_s) {
    turn_back(now_s);
    used_s_ = came_s_ = now_s;
    has_used_ = true;
    unused_ = 0;
  }
  /// One that came and needed no use: they come faster than they are looked at.
  void passed(double now_s) {
    turn_back(now_s);
    came_s_ = now_s;
    ++unused_;
  }
  /// One that is bad, and why.
  void bad(double now_s, const std::string& why) {
    turn_back(now_s);
    if (!stands_) {
      count_ = 0;
      begun_s_ = now_s;
    }
    came_s_ = bad_s_ = now_s;
    why_ = why;
    ++unused_;
    ++count_;
    stands_ = true;
  }
  /// While it is wanted it must not be silent.
  void want(bool on, double now_s) {
    if (on && !wanted_) {
      wanted_s_ = now_s;
      unused_ = 0;
    }
    wanted_ = on;
  }

  /// Of what is wanted nothing has come at all, for so long.
  [[nodiscard]] bool is_silent(double now_s) const {
    return wanted_ && now_s - std::max(came_s_, wanted_s_) > kSilent_s;
  }
  /// When the last one came, good or bad.
  [[nodiscard]] double came_s() const { return came_s_; }

  /// Lines for a log, each once; to be called again and again.
  [[nodiscard]] std::vector<std::string> news(double now_s) {
    turn_back(now_s);
    std::vector<std::string> lines;
    const double since_s = std::max(has_used_ ? used_s_ : wanted_s_, wanted_s_);
    const bool starves = wanted_ && now_s - since_s > kSilent_s;
    if (stands_ && !(now_s - bad_s_ <= kStands_s)) stands_ = false;
    if (!starves && !stands_) {
      if (is_told_ && (wanted_ || !told_starving_)) lines.push_back(topic_ + ": good again");
      is_told_ = false;
      trouble_.clear();
      return lines;
    }
    // what is wrong with those that come says more than that none was used
    std::string reason = why_;
    if (!stands_)
      reason = unused_ == 0 ? "no " + what_ + " come" : "none of the " + what_ + " is new enough";
    // its numbers change with each that is bad: the kind of it is what stands before them
    const double pause_s = kind(reason_) == kind(reason) ? kAgain_s : 1;
    if (is_told_ && now_s - told_s_ < pause_s) return lines;
    is_told_ = true;
    told_starving_ = !stands_;
    told_s_ = now_s;
    reason_ = reason;
    trouble_ = topic_ + ": " + reason;
    lines.push_back(trouble_ + numbers(now_s, since_s));
    return lines;
  }
  /// What is wrong, as it was told last; "" when nothing is.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  [[nodiscard]] static std::string kind(const std::string& reason) {
    return reason.substr(0, reason.find_first_of("0123456789"));
  }
  [[nodiscard]] std::string numbers(double now_s, double since_s) const {
    char text[120] = "";
    if (stands_ && count_ > 1)
      std::snprintf(text, sizeof text, " (%llu in %.1f s)", static_cast<unsigned long long>(count_),
                    now_s - begun_s_);
    else if (!stands_)
      std::snprintf(text, sizeof text, " (for %.1f s; %llu came)", now_s - since_s,
                    static_cast<unsigned long long>(unused_));
    return text;
  }
  void turn_back(double now_s) {
    if (now_s < latest_s_) used_s_ = came_s_ = bad_s_ = begun_s_ = wanted_s_ = told_s_ = now_s;
    latest_s_ = now_s;
  }

  std::string topic_, what_, why_, reason_, trouble_;
  double used_s_ = 0, came_s_ = -1e9, bad_s_ = 0, begun_s_ = 0, wanted_s_ = 0, told_s_ = 0;
  double latest_s_ = -1e9;
  std::uint64_t count_ = 0, unused_ = 0;
  bool wanted_ = false, stands_ = false, is_told_ = false, told_starving_ = false,
       has_used_ = false;
};

}  // namespace pintle::ros1
