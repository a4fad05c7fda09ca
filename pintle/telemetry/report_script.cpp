#include "pintle/telemetry/report_script.h"

// the files as they are, in read-only data
asm(".section .rodata\n"
    ".global pintle_report_script_begin\n.global pintle_report_script_end\n"
    "pintle_report_script_begin:\n.incbin \"" PINTLE_REPORT_SCRIPT
    "\"\n"
    "pintle_report_script_end:\n.byte 0\n"
    ".global pintle_report_style_begin\n.global pintle_report_style_end\n"
    "pintle_report_style_begin:\n.incbin \"" PINTLE_REPORT_STYLE
    "\"\n"
    "pintle_report_style_end:\n.byte 0\n"
    ".text\n");

extern "C" {
extern const char pintle_report_script_begin[], pintle_report_script_end[],
    pintle_report_style_begin[], pintle_report_style_end[];
}

namespace pintle::telemetry {

std::string_view report_script() noexcept {
  return {pintle_report_script_begin,
          static_cast<std::size_t>(pintle_report_script_end - pintle_report_script_begin)};
}

std::string_view report_plot_style() noexcept {
  return {pintle_report_style_begin,
          static_cast<std::size_t>(pintle_report_style_end - pintle_report_style_begin)};
}

}  // namespace pintle::telemetry
