#include "pintle/device/serial_port.h"

#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdlib.h>  // NOLINT: posix_openpt and its kin are not in <cstdlib>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace pintle::device {
namespace {

struct Rate {
  int baudrate;
  speed_t speed;
};
constexpr std::array kRates{Rate{9600, B9600},     Rate{19200, B19200},   Rate{38400, B38400},
                            Rate{57600, B57600},   Rate{115200, B115200}, Rate{230400, B230400},
                            Rate{460800, B460800}, Rate{921600, B921600}};

bool speed_of(int baudrate, speed_t& speed) noexcept {
  for (const Rate& rate : kRates)
    if (rate.baudrate == baudrate) {
      speed = rate.speed;
      return true;
    }
  return false;
}

PortError error_of(int number) noexcept {
  switch (number) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR: return PortError::kMissing;
    case EACCES:
    case EPERM: return PortError::kDenied;
    case EBUSY:
    case EWOULDBLOCK: return PortError::kBusy;
    case EISDIR:
    case ENOTTY: return PortError::kNotSerial;
    default: return PortError::kFailed;
  }
}

/// Raw bytes, 8N1, no flow control, a read that returns at once.
bool make_raw(int descriptor, speed_t speed) noexcept {
  termios settings{};
  if (tcgetattr(descriptor, &settings) != 0) return false;
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  cfsetispeed(&settings, speed);
  cfsetospeed(&settings, speed);
  return tcsetattr(descriptor, TCSANOW, &settings) == 0;
}

bool is_hung_up(int descriptor) noexcept {
  pollfd watched{descriptor, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/// A pseudo-terminal keeps TIOCEXCL while its other end is open, also when its owner was killed.
bool is_pseudo(int descriptor) noexcept {
  struct stat about {};
  return ::fstat(descriptor, &about) == 0 && major(about.st_rdev) >= 136 &&
         major(about.st_rdev) <= 143;
}

int control_by_system(int descriptor, unsigned long request, void* argument) {
  return ::ioctl(descriptor, request, argument);
}

}  // namespace

std::string problem_of(const std::string& path, PortError error) {
  switch (error) {
    case PortError::kNone: return {};
    case PortError::kMissing:
      return path + " is missing: plug it in, or mend the path (pintle doctor lists the ports)";
    case PortError::kDenied:
      return path + " may not be opened by this user: scripts/setup --serial, then log in anew";
    case PortError::kBusy:
      return path + " is busy: another program has it open (pintle doctor says which)";
    case PortError::kBadRate:
      return path +
             " cannot have this baud rate: expected 9600, 19200, 38400, 57600, 115200, "
             "230400, 460800 or 921600";
    case PortError::kGone: return path + " is gone: plug it in again";
    case PortError::kNotSerial:
      return path + " is not a serial port (pintle doctor lists those there are)";
    case PortError::kStopped:
      return path +
             " takes no bytes: flow control stops it, or its adapter hangs; unplug it and plug it "
             "in again";
    case PortError::kFailed: break;
  }
  return path + " failed: the system refuses it; unplug it and plug it in again";
}

SerialPort::Control SerialPort::control = control_by_system;

SerialPort::SerialPort(SerialPort&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

SerialPort& SerialPort::operator=(SerialPort&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

PortError SerialPort::open(const std::string& path, int baudrate) noexcept {
  close();
  speed_t speed = B0;
  if (!speed_of(baudrate, speed)) return PortError::kBadRate;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return error_of(errno);
  PortError error = PortError::kNone;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    error = error_of(errno);
  else if (!make_raw(descriptor, speed))
    error = error_of(errno);
  if (error != PortError::kNone) {
    ::close(descriptor);
    return error;
  }
  if (!is_pseudo(descriptor)) (void)::ioctl(descriptor, TIOCEXCL);
  // what was sent to an earlier owner is not ours
  tcflush(descriptor, TCIOFLUSH);
  descriptor_ = descriptor;
  return PortError::kNone;
}

bool SerialPort::hold(const std::string& path) noexcept {
  close();
  descriptor_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  return is_open();
}

bool SerialPort::is_named(const std::string& path) const noexcept {
  struct stat named {
  }, opened{};
  if (::stat(path.c_str(), &named) != 0 || ::fstat(descriptor_, &opened) != 0) return true;
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

void SerialPort::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void SerialPort::forget_unsent() noexcept {
  if (is_open()) tcflush(descriptor_, TCOFLUSH);
}

void SerialPort::drop() noexcept {
  forget_unsent();
  close();
}

PortTuning SerialPort::tune(const PortWishes& wishes) noexcept {
  PortTuning done;
  if (!is_open()) return done;
  if (wishes.low_latency) {
    serial_struct about{};
    done.low_latency = control(descriptor_, TIOCGSERIAL, &about) == 0;
    about.flags |= ASYNC_LOW_LATENCY;
    done.low_latency = done.low_latency && control(descriptor_, TIOCSSERIAL, &about) == 0;
  }
  if (wishes.rs485) {
    serial_rs485 about{};
    about.flags = SER_RS485_ENABLED | SER_RS485_RTS_ON_SEND;
    done.rs485 = control(descriptor_, TIOCSRS485, &about) == 0;
  }
  const bool slow = wishes.low_latency && !done.low_latency, alone = wishes.rs485 && !done.rs485;
  if (slow && alone)
    done.said.assign(
        "has no low latency mode, and does not switch RS-485 itself (an adapter that does so alone "
        "needs no rs485)");
  else if (slow)
    done.said.assign("has no low latency mode");
  else if (alone)
    done.said.assign(
        "does not switch RS-485 itself (an adapter that does so alone needs no rs485)");
  return done;
}

Transfer SerialPort::read(std::span<std::uint8_t> into) noexcept {
  if (!is_open()) return {0, PortError::kGone};
  if (into.empty()) return {};
  const ssize_t n = ::read(descriptor_, into.data(), into.size());
  if (n > 0) return {static_cast<std::size_t>(n), PortError::kNone};
  // a terminal that was hung up reads as ended, or fails
  if (n == 0) return {0, is_hung_up(descriptor_) ? PortError::kGone : PortError::kNone};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {};
  return {0, PortError::kGone};
}

Transfer SerialPort::write(std::span<const std::uint8_t> bytes) noexcept {
  if (!is_open()) return {0, PortError::kGone};
  const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
  if (n >= 0) return {static_cast<std::size_t>(n), PortError::kNone};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {};
  return {0, PortError::kGone};
}

bool SerialPort::takes_bytes() const noexcept {
  if (!is_open()) return false;
  pollfd watched{descriptor_, POLLOUT, 0};
  return ::poll(&watched, 1, 0) > 0;  // hung up is for who reads
}

bool SerialPort::wait_readable(int at_most_ms) const noexcept {
  if (!is_open()) return false;
  pollfd watched{descriptor_, POLLIN, 0};
  return ::poll(&watched, 1, at_most_ms) > 0;
}

bool PseudoTerminal::open() noexcept {
  device.close();
  const int descriptor = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  device.descriptor_ = descriptor;
  std::array<char, 128> name{};
  if (::grantpt(descriptor) != 0 || ::unlockpt(descriptor) != 0 ||
      ::ptsname_r(descriptor, name.data(), name.size()) != 0 || !make_raw(descriptor, B115200)) {
    device.close();
    return false;
  }
  path = name.data();
  return true;
}

}  // namespace pintle::device

namespace pintle {

template <>
const EnumTable& enum_table<device::PortError>() {
  using device::PortError;
  static constexpr std::array values{
      enum_value(PortError::kNone, "none", "Nothing is wrong."),
      enum_value(PortError::kMissing, "missing", "There is no such device."),
      enum_value(PortError::kDenied, "denied", "This user may not open the device."),
      enum_value(PortError::kBusy, "busy", "Another program has the device open."),
      enum_value(PortError::kBadRate, "bad_rate", "Not a rate that serial ports have."),
      enum_value(PortError::kGone, "gone", "The device was there and is no more."),
      enum_value(PortError::kFailed, "failed", "The system refused."),
      enum_value(PortError::kNotSerial, "not_a_serial_port", "It is there, and is none."),
      enum_value(PortError::kStopped, "stopped", "It is there, and takes no bytes.")};
  static constexpr EnumTable table{"PortError", values};
  return table;
}

}  // namespace pintle
