/// A serial port, or one end of a pseudo-terminal: raw bytes, 8N1, no flow control, never waiting.
///
/// Reading and writing return at once with what was possible. A port that goes away (unplugged, the
/// other end closed) answers kGone from then on, until it is opened again. Opening takes a lock on
/// the device, so that two programs cannot command it at the same time; a real terminal is also
/// claimed for this program alone (TIOCEXCL), which those without a lock respect.
///
/// Not modelled: parity, modem lines, breaks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pintle/base/fields.h"

namespace pintle::device {

enum class PortError : std::uint8_t {
  kNone,
  kMissing,    ///< No such device.
  kDenied,     ///< No permission.
  kBusy,       ///< Another program has it.
  kBadRate,    ///< Not a rate that serial ports have.
  kGone,       ///< It was there, and is no more.
  kFailed,     ///< Anything else.
  kNotSerial,  ///< It is there, and is no serial port.
  kStopped,    ///< It is there, and takes no bytes.
};
/// "/dev/ttyUSB0 is missing: plug it in, …": what is wrong and what to do. "" for kNone.
[[nodiscard]] std::string problem_of(const std::string& path, PortError error);

/// What a port can be asked for beside bytes, where its driver has it.
struct PortWishes {
  bool low_latency = true;  ///< ASYNC_LOW_LATENCY: an FTDI adapter hands over each 1 ms, not 16.
  bool rs485 = false;       ///< TIOCSRS485: the driver switches the direction of an RS-485 line.
};
/// What came of it.
struct PortTuning {
  bool low_latency = false, rs485 = false;
  FixedString<127> said;  ///< One line about what was refused; empty: nothing was.
};

struct Transfer {
  std::size_t bytes = 0;
  PortError error = PortError::kNone;
};

class SerialPort {
 public:
  SerialPort() = default;
  ~SerialPort() { close(); }
  SerialPort(SerialPort&& other) noexcept;
  SerialPort& operator=(SerialPort&& other) noexcept;
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  /// Closes what was open before. Does not wait for a carrier.
  PortError open(const std::string& path, int baudrate) noexcept;
  /// Opens it without lock or settings, only to keep it in being. For pseudo-terminals.
  [[nodiscard]] bool hold(const std::string& path) noexcept;
  void close() noexcept;
  /// Forgets what was written and is not sent yet.
  void forget_unsent() noexcept;
  /// Closes it and forgets what is not sent yet, which the system would else wait for: of a real port
  /// half a minute.
  void drop() noexcept;
  /// After opening. What the driver refuses is left as it is and told.
  [[nodiscard]] PortTuning tune(const PortWishes& wishes) noexcept;
  /// How the system is asked: ioctl(2), or what a test puts in its place.
  using Control = int (*)(int descriptor, unsigned long request, void* argument);
  static Control control;
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }

  /// Whether `path` names the device that is open: a name may have passed to another one, while this
  /// one lives. A name that leads nowhere says nothing: the port itself is gone, or will be.
  [[nodiscard]] bool is_named(const std::string& path) const noexcept;

  /// What has arrived, up to the size of `into`; no bytes and no error when nothing has.
  [[nodiscard]] Transfer read(std::span<std::uint8_t> into) noexcept;
  /// As much as the system takes at once.
  [[nodiscard]] Transfer write(std::span<const std::uint8_t> bytes) noexcept;
  /// Whether the system takes bytes now: nothing stops the line, and there is room.
  [[nodiscard]] bool takes_bytes() const noexcept;
  /// Waits until something can be read or the port is gone. Not for the tick.
  [[nodiscard]] bool wait_readable(int at_most_ms) const noexcept;
  /// For poll(2) and epoll(7); -1 when closed.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  friend class PseudoTerminal;
  int descriptor_ = -1;
};

/// A pair of connected ports without a wire: `device` is this end, `path` what a program opens.
/// Closing `device` is pulling the plug.
class PseudoTerminal {
 public:
  /// False when the system gives none.
  [[nodiscard]] bool open() noexcept;
  SerialPort device;
  std::string path;
};

}  // namespace pintle::device

namespace pintle {
template <>
const EnumTable& enum_table<device::PortError>();
}  // namespace pintle
