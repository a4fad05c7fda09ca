#include "pintle/console/keys.h"

namespace pintle::console {

void KeyReader::feed(std::string_view bytes, std::string& keys) {
  for (const char c : bytes) {
    switch (part_) {
      case Part::kPlain:
        if (c == kEscape)
          part_ = Part::kAfterEscape;
        else if (c == '\r' || c == '\n')
          keys += '\n';
        else if (c == '\b' || c == 127)
          keys += '\b';
        else if (c == kInterrupt || (c >= ' ' && c < 127))
          keys += c;
        break;
      case Part::kAfterEscape:
        if (c == '[') {
          part_ = Part::kSequence;
        } else if (c == 'O') {
          part_ = Part::kOneMore;
        } else if (c == kEscape) {
          keys += kEscape;  // the first was the key, the second begins anew
        } else {
          part_ = Part::kPlain;  // a key held together with Alt
        }
        break;
      case Part::kSequence:
        if (c >= '@' && c <= '~') part_ = Part::kPlain;
        break;
      case Part::kOneMore: part_ = Part::kPlain; break;
    }
  }
}

void KeyReader::settle(std::string& keys) {
  if (part_ == Part::kAfterEscape) keys += kEscape;
  part_ = Part::kPlain;
}

}  // namespace pintle::console
