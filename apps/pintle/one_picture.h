/// What one picture may take, of a verb that is given some: it is worked on in a process of its own.
///
/// With what the program has by itself, 2 s of a processor and 256 MiB; who draws has 2 s more.
#pragma once
#include <functional>
#include <string>

#include "pintle/config/bounded.h"

namespace pintle::app {

inline constexpr config::Bounds kOnePicture{1'400, std::size_t{196} << 20};
inline constexpr config::Bounds kOnePictureDrawn{3'500, kOnePicture.memory_bytes};

/// How an answer from that process begins.
enum class Answer : char { kDone = 'd', kNothing = 'n', kUnread = 'u', kUnwritten = 'w' };
inline std::string begin(Answer answer) { return std::string(1, static_cast<char>(answer)); }

/// Taken off `said`, which says "the picture takes more than 1.4 s" of one that did not come to an
/// end.
inline Answer answer_of(const std::function<std::string()>& work, const config::Bounds& bounds,
                        std::string& said) {
  const std::string why = config::do_apart(work, said, bounds);
  if (!why.empty() || said.empty()) {
    said = "the picture " + why;
    return Answer::kUnread;
  }
  const auto answer = static_cast<Answer>(said[0]);
  said.erase(0, 1);
  return answer;
}

}  // namespace pintle::app
