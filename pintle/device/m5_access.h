/// Looks at M5 thrusters and sets them up: pure state machines for one line, like propulsor_bus.h,
/// for when nothing is being flown.
///
/// `M5Scan` asks every node for its NODE_ID, and who answers for motor_ID, serial number and
/// firmware. Answers that come garbled again and again are two devices with one id.
/// `M5Access` reads and writes registers, each with retries. A write is read back: it has worked
/// when the thruster says the value that was written.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pintle/base/time.h"
#include "pintle/device/m5_messages.h"

namespace pintle::device {

/// A conversation on a line that comes to an end.
class LineTalk {
 public:
  virtual ~LineTalk() = default;
  virtual std::span<const std::uint8_t> next_frame(Time now) = 0;
  virtual void heard(std::span<const std::uint8_t> bytes, Time now) = 0;
  [[nodiscard]] virtual Time wake_at() const = 0;
  [[nodiscard]] virtual bool is_done() const = 0;
};

/// One question at a time, asked again until it is answered or given up.
class M5Questions : public LineTalk {
 public:
  struct Answer {
    bool good = false;
    bool garbled = false;  ///< Bytes came, but no frame.
    std::vector<std::uint8_t> data;
  };
  M5Questions(double timeout_s, int attempts) : timeout_s_(timeout_s), attempts_(attempts) {}

  std::span<const std::uint8_t> next_frame(Time now) override;
  void heard(std::span<const std::uint8_t> bytes, Time now) override;
  [[nodiscard]] Time wake_at() const override { return deadline_; }

 protected:
  /// The next question into `out`; 0: there is none.
  virtual std::size_t ask(std::span<std::uint8_t> out) = 0;
  virtual void take(const Answer& answer) = 0;

 private:
  double timeout_s_;
  int attempts_;
  VrcsrDecoder decoder_;
  std::array<std::uint8_t, kM5MaxFrame> out_{};
  std::size_t asked_ = 0;  ///< Bytes of the question that is open.
  int attempt_ = 0;
  Answer answer_;
  Time deadline_{};
};

struct M5Found {
  std::uint8_t node = 0;
  std::optional<std::uint16_t> motor_id;
  std::optional<std::uint32_t> serial;
  std::optional<std::uint8_t> firmware_version;
  bool garbled = false;  ///< Somebody answers, and not alone.
};

class M5Scan : public M5Questions {
 public:
  /// Nodes first..last. A thruster that is asked the first time after power-up may need a second.
  M5Scan(std::uint8_t first, std::uint8_t last, double timeout_s = 0.03, int attempts = 2)
      : M5Questions(timeout_s, attempts), node_(first), last_(last) {}
  [[nodiscard]] bool is_done() const override { return is_done_; }
  [[nodiscard]] const std::vector<M5Found>& found() const { return found_; }
  /// Who is asked now.
  [[nodiscard]] unsigned node() const { return node_; }

 protected:
  std::size_t ask(std::span<std::uint8_t> out) override;
  void take(const Answer& answer) override;

 private:
  unsigned node_, last_;
  int step_ = 0;  ///< 0: is it there; then motor_ID, serial, firmware.
  bool is_done_ = false;
  std::vector<M5Found> found_;
};

struct M5Job {
  std::uint8_t node = 0;
  Register target;
  std::optional<double> write;    ///< None: read.
  std::optional<double> value{};  ///< What it holds in the end; none: no answer.
  [[nodiscard]] bool worked() const;
};

class M5Access : public M5Questions {
 public:
  explicit M5Access(std::vector<M5Job> jobs, double timeout_s = 0.05, int attempts = 3)
      : M5Questions(timeout_s, attempts), jobs_(std::move(jobs)) {}
  [[nodiscard]] bool is_done() const override { return job_ >= jobs_.size(); }
  [[nodiscard]] const std::vector<M5Job>& jobs() const { return jobs_; }

 protected:
  std::size_t ask(std::span<std::uint8_t> out) override;
  void take(const Answer& answer) override;

 private:
  std::vector<M5Job> jobs_;
  std::size_t job_ = 0;
  bool reading_back_ = false;
};

// ---------------------------------------------------------------------------------------------
// what was found against what there should be

struct WantedThruster {
  std::string name, port;
  std::uint8_t node = 0;
  std::uint32_t serial = 0;  ///< 0: any.
};
struct FoundThruster {
  std::string port;
  M5Found m5;
};
/// One sentence per difference, by name: missing, on another port, twice, a spare in its place,
/// nobody knows it.
[[nodiscard]] std::vector<std::string> compare(std::span<const WantedThruster> wanted,
                                               std::span<const FoundThruster> found);

}  // namespace pintle::device
