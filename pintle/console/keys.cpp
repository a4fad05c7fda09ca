#include "pintle/console/keys.h"

namespace pintle::console {
namespace {

constexpr std::size_t kLongestParameters = 16;

}  // namespace

void KeyReader::plain(char c, std::string& keys) {
  part_ = Part::kPlain;
  if (c == kEscape) {
    part_ = Part::kAfterEscape;
    return;
  }
  if (pasting_) return;
  if (c == '\r' || c == '\n')
    keys += '\n';
  else if (c == '\b' || c == 127)
    keys += '\b';
  else if (c == kSuspend || (c >= ' ' && c < 127))
    keys += c;
}

void KeyReader::feed(std::string_view bytes, std::string& keys) {
  for (const char c : bytes) {
    // asking for the end gets through whatever is under way
    if (c == kInterrupt) {
      part_ = Part::kPlain;
      pasting_ = false;
      keys += c;
      continue;
    }
    switch (part_) {
      case Part::kPlain: plain(c, keys); break;
      case Part::kAfterEscape:
      case Part::kLateEscape:
        if (c == '[') {
          part_ = Part::kSequence;
          parameters_.clear();
        } else if (c == 'O') {
          part_ = Part::kOneMore;
        } else if (part_ == Part::kLateEscape) {
          plain(c, keys);
        } else if (c == kEscape) {
          if (!pasting_) keys += kEscape;  // the first was the key, the second begins anew
        } else {
          part_ = Part::kPlain;  // a key held together with Alt
        }
        break;
      case Part::kSequence:
        if (c == kEscape) {
          part_ = Part::kAfterEscape;
        } else if (c >= '@' && c <= '~') {
          part_ = Part::kPlain;
          if (c == '~' && parameters_ == "200") pasting_ = true;
          if (c == '~' && parameters_ == "201") pasting_ = false;
        } else if (parameters_.size() < kLongestParameters) {
          parameters_ += c;
        }
        break;
      case Part::kOneMore: part_ = Part::kPlain; break;
    }
  }
}

void KeyReader::settle(std::string& keys) {
  if (part_ != Part::kAfterEscape) return;
  if (!pasting_) keys += kEscape;
  // what comes later over a slow line may still belong to it
  part_ = Part::kLateEscape;
}

}  // namespace pintle::console
