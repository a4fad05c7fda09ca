#include <fmt/core.h>

#include <algorithm>

#include "csv.h"
#include "device.h"
#include "pintle/device/m5_messages.h"
#include "printed.h"

namespace pintle::app {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::span<const std::uint8_t>;

/// Registers from `address` on; without data each is named and has no value.
Json registers(device::M5Firmware firmware, std::size_t address, std::size_t n, Bytes data) {
  Json out = Json::object();
  for (const device::Register& r : device::m5_registers(firmware)) {
    if (r.address < address || r.address + size_of(r.type) > address + n) continue;
    const auto value = data.empty()
                           ? std::nullopt
                           : device::decode_register(r.type, data.subspan(r.address - address));
    out[std::string(r.name)] = !value                                 ? Json()
                               : r.type == device::RegisterType::kF32 ? Json(*value)
                                                                      : Json(std::uint32_t(*value));
  }
  return out;
}

Json fields_of(const device::VrcsrFrame& f, device::M5Firmware firmware) {
  if (const auto response = device::standard_response(f))
    return {{"rpm", response->rpm},
            {"bus_v", response->bus_V},
            {"bus_i", response->bus_A},
            {"temp", response->temperature_C},
            {"fault", response->fault}};
  if (const auto command = device::propulsion_command(f)) {
    Json power = Json::array();
    for (std::size_t i = 0; i < command->size(); ++i) power.push_back(command->power(i));
    return {{"responder", command->responder}, {"thrust", power}};
  }
  if (const auto reply = device::reply_of(f))
    return (f.flags & device::kVrcsrReturn) != 0
               ? registers(firmware, f.address, reply->data.size(), reply->data)
               : Json::object();
  const std::size_t n = f.payload.empty() ? f.flags & 0x7FU : f.payload.size();
  return registers(firmware, f.address, n, f.payload);
}

/// What is wrong, with what was found and what was expected where that says more.
std::string reason_of(device::VrcsrFault fault) {
  const EnumTable& table = enum_table<device::VrcsrFault>();
  for (const EnumValue& v : table.values)
    if (v.value == static_cast<std::int64_t>(fault))
      return std::string(v.name) + ": " + std::string(v.meaning);
  return {};
}

/// A frame, or what looked like one.
Json row_of(Bytes bytes, const device::VrcsrScan& scan, device::M5Firmware firmware) {
  using device::VrcsrFault;
  const bool ok = scan.fault == VrcsrFault::kNone;
  const bool has_sync = scan.fault != VrcsrFault::kSync;
  const bool has_header = has_sync && bytes.size() >= device::kVrcsrHead;
  const bool header_ok = has_header && scan.fault != VrcsrFault::kHeaderCrc;
  Json j;
  j["kind"] = ok ? std::string(to_string(scan.frame.kind)) : "garbage";
  j["node_id"] = has_header ? Json(bytes[2]) : Json();
  j["flags"] = has_header ? Json(bytes[3]) : Json();
  j["address"] = has_header ? Json(bytes[4]) : Json();
  j["length"] = ok ? Json(scan.frame.payload.size()) : has_header ? Json(bytes[5]) : Json();
  j["ok"] = ok;
  j["payload_hex"] = ok ? to_hex(scan.frame.payload) : "";
  j["header_crc_ok"] = header_ok;
  j["payload_crc_ok"] = header_ok && (ok || scan.fault > VrcsrFault::kPayloadCrc);
  if (ok) {
    const auto reply = device::reply_of(scan.frame);
    if (reply) j["device_type"] = reply->device_type;
    j["fields"] = fields_of(scan.frame, firmware);
  } else {
    j["hex"] = to_hex(bytes);
    j["reason"] = reason_of(scan.fault);
  }
  return j;
}

}  // namespace

std::vector<std::uint8_t> from_hex(std::string_view text, const std::string& where) {
  std::vector<std::uint8_t> out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0)
      throw CsvError(where + ": expected hexadecimal digits, got \"" + std::string(text) + "\"");
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::uint8_t>(16 * high + digit));
      high = -1;
    }
  }
  if (high >= 0)
    throw CsvError(where + ": an odd number of hexadecimal digits in \"" + std::string(text) +
                   "\"");
  return out;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

std::vector<Json> decode_m5(Bytes bytes, device::M5Firmware firmware) {
  using device::VrcsrFault;
  std::vector<Json> out;
  while (!bytes.empty()) {
    const device::VrcsrScan scan = device::scan_vrcsr(bytes);
    // what is no frame lasts to where one may begin
    std::size_t n = std::min(scan.bytes, bytes.size());
    if (scan.fault != VrcsrFault::kNone) {
      n = scan.fault == VrcsrFault::kIncomplete ? 1 : n;
      while (n < bytes.size() && device::scan_vrcsr(bytes.subspan(n)).fault == VrcsrFault::kSync)
        ++n;
    }
    out.push_back(row_of(bytes.first(n), scan, firmware));
    bytes = bytes.subspan(n);
  }
  return out;
}

int device_m5_decode(const std::string& input, device::M5Firmware firmware) {
  const CsvText table = read_csv_text(input);
  table.expect({"hex"}, {"t_s"});
  bool all_ok = true;
  for (const CsvText::Row& row : table.rows)
    for (Json& found : decode_m5(from_hex(table.at(row, "hex"), row.where), firmware)) {
      if (table.find("t_s") >= 0) {
        const std::string t(table.at(row, "t_s"));
        found["t_s"] = Json::parse(t, nullptr, false);
        if (!found["t_s"].is_number())
          throw CsvError(row.where + ": t_s: expected a number, got \"" + t + "\"");
      }
      all_ok = all_ok && found["ok"].get<bool>();
      fmt::print("{}\n", printed(found));
    }
  return all_ok ? kOk : kCheckFailed;
}

}  // namespace pintle::app
