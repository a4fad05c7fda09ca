/// Keys out of the bytes of a terminal.
///
/// A printable character is itself; return is '\n', backspace '\b', Ctrl-C kInterrupt, Ctrl-Z
/// kSuspend, the escape key kEscape. Sequences of function and arrow keys are swallowed, however
/// slowly their pieces come, so is everything that is not ASCII, and so is what is pasted (the
/// terminal marks it): nothing of them may be taken for a command. The price: a lone escape
/// followed by [ or O costs the next key.
#pragma once
#include <string>
#include <string_view>

namespace pintle::console {

inline constexpr char kInterrupt = 3, kSuspend = 26, kEscape = 27;

class KeyReader {
 public:
  /// Appends the keys that are complete by now.
  void feed(std::string_view bytes, std::string& keys);
  /// No more bytes have come for a moment: an escape that waits for more was the key itself.
  void settle(std::string& keys);

 private:
  enum class Part : unsigned char { kPlain, kAfterEscape, kLateEscape, kSequence, kOneMore };
  void plain(char c, std::string& keys);
  Part part_ = Part::kPlain;
  std::string parameters_;  ///< Of a sequence.
  bool pasting_ = false;
};

}  // namespace pintle::console
