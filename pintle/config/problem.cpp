#include "pintle/config/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pintle/config/text.h"

namespace pintle::config {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// edits, insertions, deletions and swapped neighbours; upper and lower case count as the same
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// the part of a long line around a column (from 1), and the column in that part
std::pair<std::string, int> window(std::string_view line, int column) {
  constexpr std::size_t kWidth = 120;
  std::vector<std::size_t> characters;  // byte offset of each
  for (std::size_t i = 0; i < line.size(); ++i)
    if ((static_cast<unsigned char>(line[i]) & 0xC0) != 0x80) characters.push_back(i);
  if (characters.size() <= kWidth) return {std::string(line), column};

  const std::size_t at = column > 0 ? static_cast<std::size_t>(column) - 1 : 0;
  std::size_t first = at > kWidth / 2 ? at - kWidth / 2 : 0;
  first = std::min(first, characters.size() - kWidth);
  const std::size_t last = first + kWidth;
  const std::size_t end = last < characters.size() ? characters[last] : line.size();
  std::string part(line.substr(characters[first], end - characters[first]));
  if (first > 0) part.insert(0, "…");
  if (last < characters.size()) part += "…";
  return {part, column - static_cast<int>(first) + (first > 0 ? 1 : 0)};
}

// spaces up to a column, with the line's own tabs, so that the caret stands right at any tab width
std::string indent_to(std::string_view line, int column) {
  std::string out;
  int here = 1;
  for (std::size_t i = 0; i < line.size() && here < column; ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0) == 0x80) continue;
    out += line[i] == '\t' ? '\t' : ' ';
    ++here;
  }
  out.append(static_cast<std::size_t>(std::max(0, column - here)), ' ');
  return out;
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string out = printable(problem.where.file);
  if (problem.where.line > 0) out += fmt::format(":{}", problem.where.line);
  if (problem.where.line > 0 && problem.where.column > 0)
    out += fmt::format(":{}", problem.where.column);
  if (!out.empty()) out += ": ";
  if (!problem.is_error) out += "warning: ";
  out += printable(problem.message) + '\n';

  if (problem.where.line > 0 && !problem.excerpt.empty()) {
    const auto [part, column] = window(problem.excerpt, problem.where.column);
    out += fmt::format("{:>5} | {}\n", problem.where.line, printable(part));
    if (column > 0) out += fmt::format("      | {}^\n", indent_to(part, column));
  }
  if (!problem.fix.empty()) out += "  fix: " + printable(problem.fix) + '\n';
  return out;
}

std::string to_string(const std::vector<Problem>& problems) {
  std::string out;
  for (const bool errors : {true, false})
    for (const Problem& problem : problems)
      if (problem.is_error == errors) out += to_string(problem);
  return out;
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(to_string(problems)), problems_(std::move(problems)) {}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongest = 100;
  if (wrong.empty() || wrong.size() > kLongest) return {};
  std::size_t best = wrong.size() / 3 + 1;
  std::string_view name;
  for (std::string_view candidate : known) {
    if (candidate.size() > kLongest) continue;
    const std::size_t d = distance(wrong, candidate);
    if (d < best) {
      best = d;
      name = candidate;
    }
  }
  return std::string(name);
}

}  // namespace pintle::config
