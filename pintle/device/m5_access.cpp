#include "pintle/device/m5_access.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {

std::span<const std::uint8_t> M5Questions::next_frame(Time now) {
  if (asked_ > 0) {
    if (now < deadline_) return {};
    decoder_.reset();
    if (attempt_ >= attempts_) {
      asked_ = 0;
      take(answer_);
    }
  }
  if (asked_ == 0) {
    if (is_done()) return {};
    asked_ = ask(out_);
    answer_ = {};
    attempt_ = 0;
    if (asked_ == 0) return {};
  }
  ++attempt_;
  deadline_ = now + Duration::from_seconds(timeout_s_);
  return std::span(out_).first(asked_);
}

void M5Questions::heard(std::span<const std::uint8_t> bytes, Time now) {
  if (asked_ == 0) return;
  const std::uint64_t before = decoder_.skipped();
  const VrcsrScan question = scan_vrcsr(std::span(out_).first(asked_));
  while (const auto frame = decoder_.next(bytes)) {
    const auto reply = reply_of(*frame);
    if (!reply) continue;
    // a new NODE_ID may already speak in its own name
    const bool renames = question.frame.address == m5::kNodeId && !question.frame.payload.empty();
    const bool fits = (frame->node == question.frame.node || renames) &&
                      frame->address == question.frame.address &&
                      reply->data.size() == (question.frame.flags & 0x7FU);
    if (!fits) continue;
    answer_.good = true;
    answer_.data.assign(reply->data.begin(), reply->data.end());
    asked_ = 0;
    deadline_ = now;
    return take(answer_);
  }
  if (decoder_.skipped() != before) answer_.garbled = true;
}

std::size_t M5Scan::ask(std::span<std::uint8_t> out) {
  const auto node = static_cast<std::uint8_t>(node_);
  switch (step_) {
    case 0: return encode_read(node, m5::kNodeId, 1, out);
    case 1: return encode_read(node, m5::kMotorId, 2, out);
    case 2: return encode_read(node, m5::kFactoryServiceData, 4, out);
    default: return encode_read(node, m5::kFirmwareVersion, 1, out);
  }
}

void M5Scan::take(const Answer& answer) {
  const auto value = [&](RegisterType type) {
    return answer.good ? decode_register(type, answer.data) : std::nullopt;
  };
  const bool there = answer.good && value(RegisterType::kU8) == static_cast<double>(node_);
  if (step_ == 0) {
    if (there || answer.garbled) {
      found_.emplace_back();
      found_.back().node = static_cast<std::uint8_t>(node_);
      found_.back().garbled = !there;
    }
    if (there) {
      ++step_;
      return;
    }
  } else {
    M5Found& f = found_.back();
    if (const auto v = value(RegisterType::kU16); step_ == 1 && v)
      f.motor_id = static_cast<std::uint16_t>(*v);
    if (const auto v = value(RegisterType::kU32); step_ == 2 && v)
      f.serial = static_cast<std::uint32_t>(*v);
    if (const auto v = value(RegisterType::kU8); step_ == 3 && v)
      f.firmware_version = static_cast<std::uint8_t>(*v);
    if (++step_ <= 3) return;
  }
  step_ = 0;
  if (node_ == last_) is_done_ = true;
  ++node_;
}

bool M5Job::worked() const {
  if (!value) return false;
  // a float register holds the nearest float
  return !write || *value == *write ||
         (target.type == RegisterType::kF32 &&
          static_cast<float>(*value) == static_cast<float>(*write));
}

std::size_t M5Access::ask(std::span<std::uint8_t> out) {
  const M5Job& job = jobs_[job_];
  const auto n = static_cast<std::uint8_t>(size_of(job.target.type));
  // whoever was renamed answers by the new name
  const std::uint8_t node = reading_back_ && job.target.address == m5::kNodeId
                                ? static_cast<std::uint8_t>(*job.write)
                                : job.node;
  if (!job.write || reading_back_) return encode_read(node, job.target.address, n, out);
  std::array<std::uint8_t, 4> bytes{};
  const std::size_t size = encode_register(job.target.type, *job.write, bytes);
  return encode_write(node, job.target.address, std::span(bytes).first(size), out);
}

void M5Access::take(const Answer& answer) {
  M5Job& job = jobs_[job_];
  const auto value = answer.good ? decode_register(job.target.type, answer.data) : std::nullopt;
  // what can only be written says nothing worth reading back
  const bool readable = job.target.access != RegisterAccess::kWrite;
  if (job.write && readable && !reading_back_ && answer.good) {
    reading_back_ = true;
    return;
  }
  job.value = job.write && !readable && answer.good ? job.write : value;
  reading_back_ = false;
  ++job_;
}

std::vector<std::string> compare(std::span<const WantedThruster> wanted,
                                 std::span<const FoundThruster> found) {
  std::vector<std::string> out;
  const auto at = [](const FoundThruster& f) {
    return "node " + std::to_string(f.m5.node) + " on " + f.port;
  };
  std::vector<bool> known(found.size());
  for (const WantedThruster& w : wanted) {
    const std::string node = std::to_string(w.node);
    std::vector<std::string> ports;
    bool here = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const FoundThruster& f = found[i];
      if (f.m5.node != w.node) continue;
      known[i] = true;
      ports.push_back(f.port);
      if (f.port != w.port) continue;
      here = true;
      if (f.m5.garbled)
        out.push_back(w.name + ": its answers are garbled; two thrusters on " + w.port +
                      " may both be node " + node);
      else if (w.serial != 0 && f.m5.serial && *f.m5.serial != w.serial)
        out.push_back(w.name + ": a spare is in its place: serial " + std::to_string(*f.m5.serial) +
                      " instead of " + std::to_string(w.serial));
    }
    if (ports.empty())
      out.push_back(w.name + ": missing: no node " + node + " on any port");
    else if (!here)
      out.push_back(w.name + ": on another port: node " + node + " is on " + ports.front() +
                    ", expected on " + w.port);
    else if (ports.size() > 1)
      out.push_back(w.name + ": twice: node " + node + " is on " + ports[0] + " and on " +
                    ports[1]);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!known[i]) out.push_back(at(found[i]) + ": no thruster of the vehicle has this id");
  return out;
}

}  // namespace pintle::device
