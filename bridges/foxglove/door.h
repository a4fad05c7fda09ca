/// Who may come in: what a request says of itself, judged before anything is answered.
///
/// A page of another site must not reach a craft through the browser of somebody who stands beside
/// it: its origin is refused, also when its name was made to point here (DNS rebinding), for then
/// the host that it asks for is a name, and without a token only addresses and localhost are known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pintle::foxglove {

struct DoorRules {
  std::string token;                 ///< Empty: none is asked for.
  std::vector<std::string> origins;  ///< Beside pages of this server: "https://app.foxglove.dev".
};

struct Visitor {
  std::string_view host, origin, authorization;  ///< Headers; empty where there is none.
  std::string_view target;                       ///< "/?token=…".
};

struct Refusal {
  unsigned status = 0;  ///< Of HTTP; 0: come in.
  std::string why;      ///< For who looks after the server.
};
[[nodiscard]] Refusal judge(const DoorRules& rules, const Visitor& visitor);

/// Whether `address` can be reached from this machine alone.
[[nodiscard]] bool is_loopback(std::string_view address);
/// Printable ASCII of it, the rest as '?', cut: what a stranger sent, for a terminal.
[[nodiscard]] std::string harmless(std::string_view text);

}  // namespace pintle::foxglove
