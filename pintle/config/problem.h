/// Errors in files, written for the person who has to mend the file.
///
///   vehicles/my_rov.yaml:41:19: max_thrust_N: expected a number above 0, got "fifty"
///      41 |     max_thrust_N: fifty
///         |                   ^
///     fix: write a number in newtons, such as  max_thrust_N: 50
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::config {

/// A place in a file; lines and columns count from 1, 0 is unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Problem {
  Location where;
  std::string excerpt;   ///< The offending line.
  std::string message;   ///< "key: expected …, got …".
  std::string fix;       ///< What to write instead; may be empty.
  bool is_error = true;  ///< False: a warning, the file is usable.
};

[[nodiscard]] std::string to_string(const Problem& problem);
/// All of them, one after the other, warnings last.
[[nodiscard]] std::string to_string(const std::vector<Problem>& problems);

/// Everything that is wrong with a file, in one throw.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  explicit ConfigError(Problem problem) : ConfigError(std::vector<Problem>{std::move(problem)}) {}
  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The name nearest to `wrong` (edit distance, at most a third of its length away), or "".
[[nodiscard]] std::string did_you_mean(std::string_view wrong,
                                       const std::vector<std::string_view>& known);

}  // namespace pintle::config
