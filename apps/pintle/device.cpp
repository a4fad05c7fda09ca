#include "device.h"

namespace pintle::app {
namespace {

struct Arguments {
  std::string input, firmware = "measured_2017";
  bool dry_run = false;

  [[nodiscard]] device::M5Firmware map() const {
    return static_cast<device::M5Firmware>(
        enum_table<device::M5Firmware>().value_of(firmware).value_or(0));
  }
};

CLI::App* add_m5(CLI::App& m5, const char* name, const char* does, Arguments& a) {
  CLI::App* v = m5.add_subcommand(name, does);
  v->add_option("-i,--input", a.input, "CSV (default: stdin)");
  std::vector<std::string> maps;
  for (const EnumValue& value : enum_table<device::M5Firmware>().values)
    maps.emplace_back(value.name);
  v->add_option("--firmware", a.firmware, "Register map: measured_2017, feb_2015, may_2015, manual")
      ->check(CLI::IsMember(maps));
  return v;
}

void add_decode(CLI::App& m5, Session& session) {
  auto a = std::make_shared<Arguments>();
  CLI::App* v = add_m5(m5, "decode", "Frames in hexadecimal, explained.", *a);
  v->footer(
      "Columns in: hex (a frame or a piece of a stream, one a line), optionally t_s.\n"
      "Out: a JSON line per frame or piece of garbage: kind (request, reply, garbage), node_id,\n"
      "flags, address, length, ok, payload_hex, header_crc_ok, payload_crc_ok, fields, reason.\n"
      "Exit codes: 0 nothing but frames, 1 garbage among them.");
  v->callback([a, &session] { session.exit_code = device_m5_decode(a->input, a->map()); });
}

void add_send(CLI::App& m5, Session& session) {
  auto a = std::make_shared<Arguments>();
  CLI::App* v = add_m5(m5, "send", "Frames as they would go on the wire.", *a);
  v->add_flag("--dry-run", a->dry_run, "Print the frames; nothing is sent")->required();
  v->footer(
      "Columns in: node_id,flags,address,payload_hex, or node_id,command and what the commands "
      "need:\n"
      "thrust, responder, register, value. Commands: thrust, stop, poll, read, write, save, "
      "reboot.\n"
      "Efforts of several thrusters in one frame stand with blanks between them.\n"
      "Columns out: hex.\n"
      "Example:\n"
      "  printf 'node_id,command,thrust\\n3,thrust,0.05\\n' | pintle device m5 send --dry-run");
  v->callback([a, &session] { session.exit_code = device_m5_send(a->input, a->map()); });
}

}  // namespace

void add_device(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("device", "Thrusters on serial lines.");
  verb->require_subcommand(1);
  CLI::App* m5 = verb->add_subcommand("m5", "VideoRay M5 thrusters (VRCSR on RS-485).");
  m5->require_subcommand(1);
  add_decode(*m5, session);
  add_send(*m5, session);
}

}  // namespace pintle::app
