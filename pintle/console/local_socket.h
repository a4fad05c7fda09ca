/// Unix-domain sockets of one user: where they lie, who listens, a line across.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::console {

/// $XDG_RUNTIME_DIR/pintle, else /tmp/pintle-UID; made with mode 0700 if it is not there.
/// @throws std::runtime_error when it cannot be made or is not this user's alone.
[[nodiscard]] std::filesystem::path endpoint_folder();
/// NAME-PID.sock in that folder.
[[nodiscard]] std::filesystem::path default_endpoint(std::string_view name);
/// The sockets of that folder that somebody listens at; those of nobody are removed.
[[nodiscard]] std::vector<std::filesystem::path> listening_endpoints();

/// So many may wait at a socket until they are welcomed, and on Linux one more.
inline constexpr int kBacklog = 128;
/// A socket that listens at `path`, of mode 0600 and listening from the first moment that it is
/// there; one that nobody listens at any more is replaced.
/// @throws std::runtime_error
[[nodiscard]] int listen_at(const std::filesystem::path& path);
/// @throws std::runtime_error when nobody listens there.
[[nodiscard]] int connect_to(const std::filesystem::path& path);

/// Reads to the end of the stream; false when it takes longer.
[[nodiscard]] bool read_all(int socket, std::string& text, int within_ms);
/// False when the other side is gone or does not take it in time.
bool write_all(int socket, std::string_view text, int within_ms);

}  // namespace pintle::console
