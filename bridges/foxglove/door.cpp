#include "pintle/foxglove/door.h"

#include <algorithm>

namespace pintle::foxglove {
namespace {

/// Takes as long whatever is wrong.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs = static_cast<unsigned char>(differs | (a[i] ^ (b.empty() ? '\0' : b[i % b.size()])));
  return differs == 0;
}

std::string_view token_in(const Visitor& v) {
  constexpr std::string_view kBearer = "Bearer ";
  if (v.authorization.starts_with(kBearer)) return v.authorization.substr(kBearer.size());
  const std::size_t question = v.target.find('?');
  std::string_view query = question == std::string_view::npos ? "" : v.target.substr(question + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    if (item.starts_with("token=")) return item.substr(6);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

/// Without the port.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, std::min(host.find(']') + 1, host.size()));
  return host.substr(0, host.rfind(':'));
}

/// An address in numbers, or this machine: no name that somebody else can point anywhere.
bool is_address(std::string_view name) {
  if (name == "localhost") return true;
  if (name.starts_with('[')) return name.ends_with(']');
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

std::string harmless(std::string_view text) {
  std::string out(text.substr(0, 80));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

Refusal judge(const DoorRules& rules, const Visitor& v) {
  if (!rules.token.empty() && !same_secret(token_in(v), rules.token))
    return {401, token_in(v).empty() ? "no token" : "a wrong token"};
  if (rules.token.empty() && !is_address(name_of(v.host)))
    return {403, "it asked for the host \"" + harmless(v.host) +
                     "\": without a token only addresses and localhost are answered"};
  if (v.origin.empty() || v.origin == "http://" + std::string(v.host)) return {};
  if (std::find(rules.origins.begin(), rules.origins.end(), v.origin) != rules.origins.end())
    return {};
  return {403, "a page of \"" + harmless(v.origin) + "\"; to let it in:  --live-origin " +
                   harmless(v.origin)};
}

}  // namespace pintle::foxglove
