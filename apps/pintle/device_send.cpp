#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "csv.h"
#include "device.h"
#include "pintle/config/reader.h"
#include "pintle/device/bus_thread.h"
#include "pintle/device/m5_messages.h"
#include "printed.h"

namespace pintle::app {
namespace {

using Frame = std::array<std::uint8_t, device::kVrcsrMaxFrame>;

/// One line of the input, and what to say where it is wrong.
struct Line {
  const CsvText& table;
  const CsvText::Row& row;

  [[nodiscard]] std::string text(const char* column) const {
    return std::string(table.at(row, column));
  }
  [[noreturn]] void refuse(const std::string& column, const std::string& expected) const {
    throw CsvError(row.where + ": " + column + ": expected " + expected + ", got \"" +
                   text(column.c_str()) + "\"");
  }
  /// A whole number, in decimal or as 0x….
  [[nodiscard]] std::uint8_t byte(const char* column) const {
    const std::string t = text(column);
    const bool hex = t.rfind("0x", 0) == 0;
    unsigned value = 256;
    const char *begin = t.data() + (hex ? 2 : 0), *end = t.data() + t.size();
    const auto result = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (result.ec != std::errc() || result.ptr != end || value > 255)
      refuse(column, "a whole number of 0 to 255 (or 0x00 to 0xff)");
    return static_cast<std::uint8_t>(value);
  }
  [[nodiscard]] double number(const char* column) const {
    const auto value = config::parse_number(text(column));
    if (!value || !std::isfinite(*value)) refuse(column, "a number");
    return *value;
  }
};

const device::Register& register_of(const Line& line, device::M5Firmware firmware) {
  const std::string name = line.text("register");
  const device::Register* r = device::find_register(firmware, name);
  if (r == nullptr) {
    std::vector<std::string_view> known;
    for (const device::Register& k : device::m5_registers(firmware)) known.push_back(k.name);
    const std::string near = config::did_you_mean(name, known);
    line.refuse("register", near.empty() ? "the name of a register" : "\"" + near + "\"");
  }
  return *r;
}

/// Efforts of one frame: numbers with blanks between them.
std::vector<float> efforts_of(const Line& line) {
  std::vector<float> out;
  const std::string text = line.text("thrust");
  std::size_t at = 0;
  while ((at = text.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const auto value = config::parse_number(text.substr(at, end - at));
    if (!value || !(*value >= -1 && *value <= 1))
      line.refuse("thrust", "efforts of -1 to 1 with blanks between them");
    out.push_back(static_cast<float>(*value));
    at = end;
  }
  if (out.empty() || out.size() > device::kM5MaxPowers)
    line.refuse("thrust", "1 to 64 efforts with blanks between them");
  return out;
}

std::size_t encode_command(const Line& line, device::M5Firmware firmware, Frame& out) {
  const std::uint8_t node = line.byte("node_id");
  const std::string command = line.text("command");
  const auto write = [&](const device::Register& r, double value) {
    if (r.access == device::RegisterAccess::kRead)
      line.refuse("register", "one that can be written");
    std::array<std::uint8_t, 4> bytes{};
    const std::size_t n = device::encode_register(r.type, value, bytes);
    if (n == 0) line.refuse("value", "a value that the register can hold");
    return device::encode_write(node, r.address, std::span(bytes).first(n), out);
  };
  const auto named = [&](const char* name) { return *device::find_register(firmware, name); };
  if (command == "thrust" || command == "stop") {
    const bool has_responder = !line.text("responder").empty();
    if (node > device::kVrcsrLastNode && !has_responder)
      line.refuse("responder", "the node that answers to a group");
    const std::uint8_t responder = has_responder ? line.byte("responder") : node;
    return device::encode_propulsion(
        node, responder, command == "stop" ? std::vector<float>{0} : efforts_of(line), out);
  }
  if (node > device::kVrcsrLastNode && (command == "poll" || command == "read"))
    line.refuse("node_id", "0 to 127 (a group answers no question)");
  if (command == "poll") return device::encode_read(node, device::m5::kRpm, 20, out);
  if (command == "read") {
    const device::Register& r = register_of(line, firmware);
    if (r.access == device::RegisterAccess::kWrite) line.refuse("register", "one that can be read");
    return device::encode_read(node, r.address, static_cast<std::uint8_t>(size_of(r.type)), out);
  }
  if (command == "write") return write(register_of(line, firmware), line.number("value"));
  if (command == "save") return write(named("save_settings"), device::m5::kSave);
  if (command == "reboot") return write(named("UTILITY"), device::m5::kReboot);
  line.refuse("command", "thrust, stop, poll, read, write, save or reboot");
}

std::size_t encode_raw(const Line& line, Frame& out) {
  const auto payload = from_hex(line.text("payload_hex"), line.row.where + ": payload_hex");
  return device::encode_vrcsr({device::VrcsrKind::kRequest, line.byte("node_id"),
                               line.byte("flags"), line.byte("address"), payload},
                              out);
}

/// Who must answer to a frame; nobody does to a write without flags, or to a group that names none.
std::optional<std::uint8_t> responder_of(const device::VrcsrFrame& f) {
  if (f.flags == 0) return {};
  if (const auto command = device::propulsion_command(f)) return command->responder;
  return f.node <= device::kVrcsrLastNode ? std::optional(f.node) : std::nullopt;
}

bool writes_node_id(const device::VrcsrFrame& f) {
  return f.address <= device::m5::kNodeId && f.address + f.payload.size() > device::m5::kNodeId;
}

/// Sends one frame and prints what is answered. False: who must answer did not.
bool exchange(device::SerialPort& port, const std::string& path,
              std::span<const std::uint8_t> frame, device::M5Firmware firmware) {
  constexpr double kPatience_s = 0.25;
  constexpr int kPause_ms = 20;
  if (port.write(frame).bytes != frame.size()) throw std::runtime_error(path + " took no frame");
  const auto responder = responder_of(device::scan_vrcsr(frame).frame);
  const Time end = device::BusThread::clock() + Duration::from_seconds(kPatience_s);
  std::vector<std::uint8_t> heard;
  std::array<std::uint8_t, 512> bytes{};
  for (Time now = device::BusThread::clock(); now < end; now = device::BusThread::clock()) {
    // what has begun to answer pauses no longer than this
    const int left_ms = static_cast<int>(1e3 * (end - now).seconds()) + 1;
    if (!port.wait_readable(heard.empty() ? left_ms : kPause_ms)) break;
    const device::Transfer got = port.read(bytes);
    if (got.error != device::PortError::kNone)
      throw std::runtime_error(device::problem_of(path, got.error));
    heard.insert(heard.end(), bytes.begin(),
                 bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
  }
  bool answered = !responder;
  for (const auto& found : decode_m5(heard, firmware)) {
    fmt::print("{}\n", printed(found));
    answered = answered || (found["kind"] == "reply" && found["node_id"] == *responder);
  }
  std::fflush(stdout);
  if (!answered)
    fmt::print(
        stderr,
        "node {} does not answer on {}: power, cable, another id?  pintle device m5 scan {}\n",
        *responder, path, path);
  return answered;
}

}  // namespace

int device_m5_send(const std::string& input, const std::string& path, device::M5Firmware firmware) {
  const CsvText table = read_csv_text(input);
  const bool raw = table.find("flags") >= 0;
  if (raw)
    table.expect({"node_id", "flags", "address", "payload_hex"});
  else
    table.expect({"node_id", "command"}, {"thrust", "responder", "register", "value"});
  device::SerialPort port;
  if (path.empty()) {
    fmt::print("hex\n");
  } else if (const auto error = port.open(path, 115200); error != device::PortError::kNone) {
    throw std::runtime_error(device::problem_of(path, error));
  }
  bool all_answer = true;
  for (const CsvText::Row& row : table.rows) {
    const Line line{table, row};
    Frame frame{};
    const std::size_t n = raw ? encode_raw(line, frame) : encode_command(line, firmware, frame);
    if (n == 0)
      throw CsvError(row.where +
                     ": no frame can say this (neither payload nor flags, or more than " +
                     std::to_string(device::kVrcsrMaxPayload) + " bytes)");
    if (path.empty()) {
      fmt::print("{}\n", to_hex(std::span(frame).first(n)));
      continue;
    }
    if (writes_node_id(device::scan_vrcsr(std::span(frame).first(n)).frame))
      throw CsvError(row.where +
                     ": writes NODE_ID: a thruster that is renamed by accident is commanded as "
                     "another; if you mean it:  pintle device m5 configure " +
                     path + " --node N --rename NODE_ID=M");
    all_answer = exchange(port, path, std::span(frame).first(n), firmware) && all_answer;
  }
  return all_answer ? kOk : kRunTimeFault;
}

}  // namespace pintle::app
