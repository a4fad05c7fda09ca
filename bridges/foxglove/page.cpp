#include "pintle/foxglove/page.h"

// the file as it is, in the program's read-only data
asm(".section .rodata\n"
    ".global pintle_page_begin\n.global pintle_page_end\n"
    "pintle_page_begin:\n.incbin \"" PINTLE_PAGE
    "\"\n"
    "pintle_page_end:\n.byte 0\n"
    ".text\n");

extern "C" {
extern const char pintle_page_begin[], pintle_page_end[];
}

namespace pintle::foxglove {

std::string_view page() noexcept {
  return {pintle_page_begin, static_cast<std::size_t>(pintle_page_end - pintle_page_begin)};
}

}  // namespace pintle::foxglove
