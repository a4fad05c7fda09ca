#include "pintle/serial_site/site.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

namespace pintle::serial_site {
namespace {

using device::BusThread;

void sleep_until(Time at) {
  const std::int64_t ns = (at - BusThread::clock()).ns;
  if (ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

/// "FLH, FLV".
std::string names_of(const WiredLine& line) {
  std::string out;
  for (const device::BusChannel& c : line.channels)
    out += (out.empty() ? "" : ", ") + std::string(c.name.view());
  return out;
}

}  // namespace

bool parse_odometry(std::string_view text, Pose& X_WB, Twist& V_WB_B) {
  std::array<double, 13> v{};
  for (double& x : v) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    // "1.5.5" is a word that has lost some bytes, not two numbers
    if (!text.empty() && text.find_first_of(" \t\r") != 0) return false;
  }
  if (text.find_first_not_of(" \t\r") != std::string_view::npos) return false;
  X_WB = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
  V_WB_B = {{v[7], v[8], v[9]}, {v[10], v[11], v[12]}};
  return true;
}

SerialSite::SerialSite(const craft::VehicleFile& vehicle, SerialSiteOptions options, StandIn* craft)
    : options_(std::move(options)), lines_(wiring_of(vehicle)), craft_(craft) {
  std::vector<BusThread::Line> buses;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    buses.push_back({craft_ != nullptr ? craft_->path(k) : lines_[k].path,
                     bus_of(lines_[k], options_.bus), lines_[k].rs485});
    told_.emplace_back(lines_[k].channels.size());
  }
  buses_ = std::make_unique<BusThread>(std::move(buses), options_.thread);
  wait_for_answers();
  tell_what_was_refused();
  tell_how_it_begins();
  zero_ = BusThread::clock();
  if (craft_ != nullptr) craft_->start(zero_);
}

/// So that a flight does not begin with all of them out. What the thread has not looked at yet says
/// nothing: neither that all answer, of whom there are none, nor that its port is missing.
void SerialSite::wait_for_answers() {
  constexpr double kToLook_s = 10;  // of a machine that is busy
  const Time begin = BusThread::clock();
  for (bool all = false; !all;) {
    bool all_tried = true;
    all = true;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const device::LineStatus& line = buses_->status(k);
      all_tried = all_tried && line.now.ns != 0;
      for (const PropulsorReport& r : line.reports)
        all = all && r.contact == PropulsorContact::kGood;
    }
    all = all && all_tried;
    const double waited_s = (BusThread::clock() - begin).seconds();
    if (waited_s >= options_.patience_s + (all_tried ? 0 : kToLook_s)) break;
    if (!all) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void SerialSite::tell_what_was_refused() {
  for (const std::string& what : buses_->refused()) say(what);
  for (std::size_t k = 0; k < lines_.size() && craft_ == nullptr; ++k) {
    const std::string_view said = buses_->status(k).tuning.said.view();
    if (!said.empty()) say(lines_[k].path + ": " + std::string(said));
  }
}

/// Who cannot be flown with, and what to do about it.
void SerialSite::tell_how_it_begins() {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const device::LineStatus& line = buses_->status(k);
    told_port_.push_back(line.port);
    if (line.port != device::PortError::kNone) {
      say(device::problem_of(buses_->path(k), line.port) + "; without it " + names_of(lines_[k]) +
          " cannot be driven");
      continue;
    }
    for (std::size_t i = 0; i < line.reports.size(); ++i) {
      if (line.reports[i].contact == PropulsorContact::kGood) continue;
      const std::string node = std::to_string(lines_[k].channels[i].node);
      say(std::string(lines_[k].channels[i].name.view()) + " does not answer as node " + node +
          " on " + buses_->path(k) + ": power, cable, another id?" +
          (lines_[k].type == "m5" ? "  pintle device m5 scan " + buses_->path(k) : ""));
    }
  }
}

/// What has changed since: a plug that was pulled, or is back.
void SerialSite::tell_of_ports() {
  told_multicast_.resize(lines_.size());
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (buses_->status(k).cannot_multicast && !told_multicast_[k])
      say(buses_->path(k) +
          ": no multicast, each has a frame of its own: two of them have the same motor_ID (set it "
          "by  "
          "pintle device m5 configure)");
    told_multicast_[k] = buses_->status(k).cannot_multicast;
    const device::PortError port = buses_->status(k).port;
    if (port == told_port_[k]) continue;
    const bool was_there = told_port_[k] == device::PortError::kNone;
    told_port_[k] = port;
    if (port == device::PortError::kNone) say(buses_->path(k) + " is back: " + names_of(lines_[k]));
    // why it cannot be opened again is no news: that it is gone was
    else if (was_there)
      say(device::problem_of(buses_->path(k), port) + "; without it " + names_of(lines_[k]) +
          " cannot be driven");
  }
}

/// That bounds leave no room for an axis for a while is no news.
void SerialSite::tell_of_axes(const stack::Outputs& out) {
  std::string gone, back;
  for (const Event& e : out.events) {
    if (e.code != EventCode::kAxisLost && e.code != EventCode::kAxisRegained) continue;
    const auto axis = static_cast<std::size_t>(e.subject);
    const auto bit = static_cast<AxisMask>(axis_bit(axis));
    const bool lost = severity_of(e, out.alarms) >= Severity::kWarning;
    std::string& names = lost ? gone : back;
    if (lost || (told_axes_ & bit) != 0)
      names += (names.empty() ? "" : ", ") + std::string(kAxisNames[axis]);
    told_axes_ = static_cast<AxisMask>(lost ? told_axes_ | bit : told_axes_ & ~bit);
  }
  if (!gone.empty()) say("axes lost with thrusters that are out: " + gone);
  if (!back.empty()) say("axes are back: " + back);
}

void SerialSite::take_reports(stack::Inputs& in) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const device::LineStatus& line = buses_->status(k);
    for (std::size_t i = 0; i < line.reports.size(); ++i) {
      PropulsorReport r = line.reports[i];
      if (r.contact == PropulsorContact::kSilent && lines_[k].channels[i].confident)
        r.contact = PropulsorContact::kUnknown;
      Told& told = told_[k][i];
      if (told.any && told.stamp == r.stamp && told.contact == r.contact) continue;
      told = {r.stamp, r.contact, true};
      r.propulsor = static_cast<std::uint32_t>(lines_[k].propulsor[i]);
      r.stamp = std::min(Time{(r.stamp - zero_).ns}, now_);
      in.reports.push_back(r);
    }
  }
}

/// The newest whole line counts.
void SerialSite::take_lines_of_text(stack::Inputs& in) {
  // what a pipe holds: who writes faster than that holds nobody up
  pollfd readable{options_.odometry_from, POLLIN, 0};
  for (int left = 16; left > 0; --left) {
    if (::poll(&readable, 1, 0) <= 0 || readable.revents == 0) break;
    std::array<char, 4096> bytes;
    const ssize_t n = ::read(options_.odometry_from, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) break;
    if (n <= 0) {
      if (!text_ended_)
        say("stdin has ended: no odometry comes, and no kill switch is heard there");
      text_ended_ = true;
      break;
    }
    text_ended_ = false;  // who writes to a named pipe may begin anew
    text_.append(bytes.data(), static_cast<std::size_t>(n));
  }
  std::size_t at = 0;
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', at)) {
    const std::string_view line = std::string_view(text_).substr(at, end - at);
    Pose pose;
    Twist twist;
    if (line == "kill" || line == "unkill") {
      kill(line == "kill");
    } else if (parse_odometry(line, pose, twist)) {
      in.has_odometry = true;
      in.odometry = {now_, pose, twist};
    } else {
      take_bad_text(line);
    }
    at = end + 1;
  }
  text_.erase(0, at);
  // a line that never ends is none
  if (text_.size() > 65536) {
    take_bad_text(text_);
    text_.clear();
  }
}

/// The first is said at once, then each time that there are ten times as many.
void SerialSite::take_bad_text(std::string_view line) {
  if (++bad_text_ != bad_text_told_) return;
  bad_text_told_ *= 10;
  constexpr std::size_t kShown = 60;
  const std::string what = "\"" + std::string(line.substr(0, kShown)) +
                           (line.size() > kShown ? "…\"" : "\"") + " on stdin is no odometry: ";
  say(bad_text_ == 1
          ? what + "expected 13 numbers  x y z qx qy qz qw vx vy vz wx wy wz,  or  kill,  unkill"
          : what + "so far " + std::to_string(bad_text_) + " lines said nothing");
}

bool SerialSite::sense(Time due, stack::Inputs& in) {
  sleep_until(zero_ + (due - Time{}));
  now_ = std::max(due, Time{(BusThread::clock() - zero_).ns});
  in.now = now_;
  if (craft_ != nullptr)
    craft_->sense(now_, in);
  else if (options_.odometry_from >= 0)
    take_lines_of_text(in);
  tell_of_ports();
  take_reports(in);
  in.has_kill = killed_ != told_killed_;
  in.killed = told_killed_ = killed_;
  return true;
}

void SerialSite::kill(bool killed) {
  killed_ = killed;
  buses_->kill(killed);
}

void SerialSite::act(const stack::Model&, const stack::Outputs& out) {
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = 0; i < lines_[k].propulsor.size(); ++i)
      buses_->command(k, i, lines_[k].effort_of(out.actuation.command[lines_[k].propulsor[i]]));
  buses_->wake();
  tell_of_axes(out);
}

const PropulsorReport& SerialSite::report(std::size_t propulsor) {
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = 0; i < lines_[k].propulsor.size(); ++i)
      if (lines_[k].propulsor[i] == propulsor) return buses_->status(k).reports[i];
  static constexpr PropulsorReport kNobody{};
  return kNobody;
}

LinesStatus SerialSite::status() {
  LinesStatus out;
  out.time = now_;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const device::LineStatus& line = buses_->status(k);
    out.error.push_back(static_cast<std::uint8_t>(line.port));
    out.opened.push_back(line.opened);
    out.garbage += line.garbage;
    out.strangers += line.strangers;
    for (const PropulsorReport& r : line.reports) {
      out.answers += r.received;
      out.unanswered += r.unanswered;
    }
    out.late = line.lateness.count;
    out.worst_late_s = line.lateness.worst_s;
    out.stood = line.lateness.stood;
    out.stood_s = line.lateness.stood_s;
  }
  out.bad_text = bad_text_;
  return out;
}

}  // namespace pintle::serial_site
