/// Keys out of the bytes of a terminal.
///
/// A printable character is itself; return is '\n', backspace '\b', Ctrl-C kInterrupt, the escape
/// key kEscape. Sequences of function and arrow keys are swallowed, also when they come in pieces,
/// and so is everything that is not ASCII: nothing of them may be taken for a command.
#pragma once
#include <string>
#include <string_view>

namespace pintle::console {

inline constexpr char kInterrupt = 3, kEscape = 27;

class KeyReader {
 public:
  /// Appends the keys that are complete by now.
  void feed(std::string_view bytes, std::string& keys);
  /// No more bytes have come for a moment: an escape that waits for more was the key itself.
  void settle(std::string& keys);

 private:
  enum class Part : unsigned char { kPlain, kAfterEscape, kSequence, kOneMore };
  Part part_ = Part::kPlain;
};

}  // namespace pintle::console
