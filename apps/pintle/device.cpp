#include "device.h"

#include <fmt/core.h>

#include "pintle/config/reader.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/pwm_protocol.h"
#include "pintle/device/vesc_protocol.h"
#include "pintle/device/vrcsr.h"

namespace pintle::app {
namespace {

struct DeviceArguments {
  std::string input, port, folder, firmware = "measured_2017";
  std::vector<std::string> lines, ports, settings, names;
  std::vector<int> nodes;
  int node = 0, first = 0, last = device::kVrcsrLastNode, count = 0, baudrate = 115200;
  double period_s = 1, effort = 0.1, seconds = 3;
  bool dry_run = false, json = false, saves = false, renames = false, in_water = false,
       measures = false;

  [[nodiscard]] device::M5Firmware map() const {
    return static_cast<device::M5Firmware>(
        enum_table<device::M5Firmware>().value_of(firmware).value_or(0));
  }
};

using Shared = std::shared_ptr<DeviceArguments>;

/// CLI::Range takes what is no number.
CLI::Validator between(double least, double most) {
  const std::string wanted = fmt::format("{} to {}", least, most);
  return CLI::Validator(
      [least, most, wanted](const std::string& text) {
        const auto x = config::parse_number(text);
        return x && *x >= least && *x <= most ? std::string()
                                              : fmt::format("expected {}, got {}", wanted, text);
      },
      wanted);
}

CLI::Option* add_firmware(CLI::App* v, const Shared& a) {
  std::vector<std::string> maps;
  for (const EnumValue& value : enum_table<device::M5Firmware>().values)
    maps.emplace_back(value.name);
  return v
      ->add_option("--firmware", a->firmware,
                   "Register map: measured_2017, feb_2015, may_2015, manual")
      ->check(CLI::IsMember(maps));
}

CLI::Option* add_nodes(CLI::App* v, const Shared& a) {
  return v->add_option("--node", a->nodes, "Node ids on the line, such as 3,1")
      ->delimiter(',')
      ->check(CLI::Range(0, 127));
}

void add_frames(CLI::App& m5, Session& session) {
  auto a = std::make_shared<DeviceArguments>();
  CLI::App* v = m5.add_subcommand("decode", "Frames in hexadecimal, explained.");
  v->add_option("-i,--input", a->input, "CSV (default: stdin)");
  add_firmware(v, a);
  v->footer(
      "Columns in: hex (a frame or a piece of a stream, one a line), optionally t_s.\n"
      "Out: a JSON line per frame or piece of garbage: kind (request, reply, garbage), node_id,\n"
      "flags, address, length, ok, payload_hex, header_crc_ok, payload_crc_ok, fields, reason.\n"
      "Exit codes: 0 nothing but frames, 1 garbage among them.");
  v->callback([a, &session] { session.exit_code = device_m5_decode(a->input, a->map()); });

  a = std::make_shared<DeviceArguments>();
  v = m5.add_subcommand("send", "Frames as they go on the wire.");
  v->add_option("-i,--input", a->input, "CSV (default: stdin)");
  auto* port = v->add_option("--port", a->port, "Send them there, and print what is answered");
  auto* dry = v->add_flag("--dry-run", a->dry_run, "Print the frames; nothing is sent");
  port->excludes(dry);
  add_firmware(v, a);
  v->footer(
      "Columns in: node_id,flags,address,payload_hex, or node_id,command and what the commands "
      "need:\n"
      "thrust, responder, register, value. Commands: thrust, stop, poll, read, write, save, "
      "reboot.\n"
      "Efforts of several thrusters in one frame stand with blanks between them.\n"
      "Columns out with --dry-run: hex.\n"
      "Exit codes: 0 all who must have answered (or --dry-run), 4 one has not. NODE_ID is written "
      "by  "
      "configure  alone.\n"
      "Example:\n"
      "  printf 'node_id,command,thrust\\n3,thrust,0.05\\n' | pintle device m5 send --dry-run");
  v->callback([a, &session] {
    if (!a->dry_run && a->port.empty())
      throw std::invalid_argument("send: expected --dry-run, or --port and where to");
    session.exit_code = device_m5_send(a->input, a->port, a->map());
  });
}

void add_setup(CLI::App& m5, Session& session) {
  auto a = std::make_shared<DeviceArguments>();
  CLI::App* v = m5.add_subcommand("scan", "Who answers on these ports; commands nothing.");
  v->add_option("ports", a->ports, "Serial ports");
  v->add_option("--vehicle", a->folder, "Vehicle file: its ports, compared with its devices:");
  v->add_option("--first", a->first, "First node id")->check(CLI::Range(0, 127));
  v->add_option("--last", a->last, "Last node id")->check(CLI::Range(0, 127));
  v->add_flag("--json", a->json, "JSON lines");
  v->footer(
      "Examples:\n  pintle device m5 scan /dev/serial/by-id/usb-*\n"
      "Exit codes: 0 as it should be, 1 nobody answers, or not as the vehicle file has it.");
  v->callback([a, &session] {
    session.exit_code = device_m5_scan(a->ports, a->folder, a->first, a->last, a->json);
  });

  a = std::make_shared<DeviceArguments>();
  v = m5.add_subcommand("info", "Every register of one thruster, as JSON.");
  v->add_option("port", a->port, "Serial port")->required();
  v->add_option("--node", a->node, "Node id")->required()->check(CLI::Range(0, 127));
  add_firmware(v, a);
  v->callback([a, &session] { session.exit_code = device_m5_info(a->port, a->node, a->map()); });

  a = std::make_shared<DeviceArguments>();
  v = m5.add_subcommand("configure", "Writes registers of one thruster and reads them back.");
  v->add_option("port", a->port, "Serial port")->required();
  v->add_option("settings", a->settings, "NAME=VALUE")->required();
  v->add_option("--node", a->node, "Node id")->required()->check(CLI::Range(0, 127));
  v->add_flag("--save", a->saves, "Keep it over a restart");
  v->add_flag("--rename", a->renames, "NODE_ID may be written");
  CLI::Option* firmware = add_firmware(v, a);
  v->footer(
      "Example:\n  pintle device m5 configure /dev/ttyUSB0 --node 3 --firmware measured_2017 "
      "poles=14 pwm_deadband=32 --save\n"
      "Exit codes: 0 every register holds what was written, 1 one does not.");
  v->callback([a, firmware, &session] {
    session.exit_code = device_m5_configure(
        {a->port, a->node, a->settings, a->saves, a->renames, a->map(), firmware->count() > 0});
  });
}

void add_live(CLI::App& m5, Session& session) {
  auto a = std::make_shared<DeviceArguments>();
  CLI::App* v = m5.add_subcommand("watch", "What thrusters report; commands nothing.");
  v->add_option("port", a->port, "Serial port")->required();
  add_nodes(v, a)->required();
  v->add_option("--period", a->period_s, "Seconds between lines")->check(between(0.02, 3600));
  v->add_option("--count", a->count, "So many times (default: until Ctrl-C)")
      ->check(CLI::Range(1, 1000000));
  v->footer("Exit codes: 0 all answer in the end, 1 one does not.");
  v->callback([a, &session] {
    session.exit_code = device_m5_watch(a->port, a->nodes, a->period_s, a->count);
  });

  a = std::make_shared<DeviceArguments>();
  v = m5.add_subcommand("spin-test", "Turns one thruster after the other, gently.");
  auto* port = v->add_option("port", a->port, "Serial port");
  add_nodes(v, a)->needs(port);
  v->add_option("--vehicle", a->folder, "Vehicle file: its thrusters")->excludes(port);
  v->add_option("--propulsor", a->names, "Of the vehicle file only these, such as FLH,FLV")
      ->delimiter(',');
  v->add_flag("--measure", a->measures, "Take the way that the motor turns, and do not ask");
  v->add_option("--effort", a->effort, "Of -1 to 1")->check(between(-1, 1));
  v->add_option("--seconds", a->seconds, "Each")->check(between(0.5, 60));
  v->add_flag("--yes-in-water", a->in_water, "They are in water and nobody is near them");
  v->footer(
      "Asks of each whether it pushed in its direction (or, with --measure, takes the way that "
      "the\n"
      "motor turns, which a propeller of the other hand makes wrong), and says what to change in "
      "the "
      "vehicle file, and where.\n"
      "Exit codes: 0 all turned, 1 one did not.");
  v->callback([a, &session] {
    session.exit_code = device_m5_spin_test(
        {a->port, a->nodes, a->folder, a->names, a->effort, a->seconds, a->in_water, a->measures});
  });
}

void add_emulate(CLI::App& kind, const std::string& type, double watchdog_s, Session& session) {
  auto a = std::make_shared<DeviceArguments>();
  CLI::App* v =
      kind.add_subcommand("emulate", "Thrusters that are not there, behind pseudo-terminals.");
  v->add_option("--line", a->lines, "Node ids on one line, such as 3,1; once a line")->required();
  v->add_option("--folder", a->folder, "Where names for the lines are put, as by-id has them");
  v->add_option("--baudrate", a->baudrate, "Of the lines")
      ->check(CLI::IsMember({9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600}))
      ->capture_default_str();
  if (type == "m5") add_firmware(v, a);
  v->footer(fmt::format(
      "Prints a JSON line with the port of each line, then obeys stdin until quit or Ctrl-C:\n"
      "  gone N, mute N, late N S, corrupt N SHARE, lose N SHARE, wrong_id N ID, pieces N K,\n"
      "  hum N, twice N, brown_out N, stall N, voltage N V, temperature N C, mend N   (N: node)\n"
      "  unplug L, plug L   (L: line, from 0)   status   quit\n"
      "A thruster stops {} s after its last command, as a real one does.",
      watchdog_s));
  v->callback([a, type, &session] {
    session.exit_code = device_emulate({type, a->lines, a->folder, a->baudrate, a->map()});
  });
}

}  // namespace

void add_device(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("device", "Thrusters on serial lines.");
  verb->require_subcommand(1);
  CLI::App* m5 = verb->add_subcommand("m5", "VideoRay M5 thrusters (VRCSR on RS-485).");
  m5->require_subcommand(1);
  add_frames(*m5, session);
  add_setup(*m5, session);
  add_live(*m5, session);
  add_emulate(*m5, "m5", device::M5Protocol({}).capabilities().watchdog_s, session);
  CLI::App* vesc = verb->add_subcommand("vesc", "VESC motor controllers (UART).");
  vesc->require_subcommand(1);
  add_emulate(*vesc, "vesc", device::VescProtocol({}).capabilities().watchdog_s, session);
  CLI::App* pwm = verb->add_subcommand("pwm", "Boards that make servo pulses.");
  pwm->require_subcommand(1);
  add_emulate(*pwm, "pwm", device::PwmProtocol({}).capabilities().watchdog_s, session);
}

}  // namespace pintle::app
