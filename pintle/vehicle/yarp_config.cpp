#include "pintle/vehicle/yarp_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "pintle/config/file.h"
#include "pintle/config/reader.h"
#include "pintle/config/text.h"

namespace pintle::vehicle {
namespace {

namespace fs = std::filesystem;
using config::Location;

constexpr std::size_t kMaxLine = 64 << 10;  // after $NAMES were put in
constexpr std::size_t kMaxValues = 20'000;  // keys and groups included
constexpr int kMaxIncludeDepth = 8, kMaxIncludes = 64, kMaxNesting = 32;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_name(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A character and where it stood.
struct Char {
  char c;
  int line, column;
};
using Line = std::vector<Char>;

std::string text_of(const Line& line) {
  std::string out;
  for (const Char& c : line) out += c.c;
  return out;
}

/// What is still open at the end of a line.
struct Balance {
  int open = 0;
  bool quoted = false;
  Char opener{};

  void add(const Line& line, std::size_t from) noexcept {
    for (std::size_t i = from; i < line.size(); ++i) {
      const char c = line[i].c;
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        if (!quoted && open <= 0) opener = line[i];
        quoted = !quoted;
      } else if (!quoted && (c == '(' || c == '{')) {
        if (open <= 0) opener = line[i];
        ++open;
      } else if (!quoted && (c == ')' || c == '}')) {
        --open;
      }
    }
  }
  [[nodiscard]] bool closed() const noexcept { return open <= 0 && !quoted; }
};

/// Whole numbers (also 0x…), numbers with a point or an exponent, else text.
void read_scalar(YarpValue& v) {
  const std::string& t = v.text;
  const bool hex = t.size() > 2 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
  const std::size_t sign = !t.empty() && (t[0] == '-' || t[0] == '+') ? 1 : 0;
  const bool digits = t.size() > sign &&
                      std::all_of(t.begin() + static_cast<std::ptrdiff_t>(sign), t.end(), is_digit);
  if (hex || digits) {
    const char* const end = t.data() + t.size();
    const char* const begin = t.data() + (hex ? 2 : t[0] == '+' ? 1 : 0);
    if (const auto r = std::from_chars(begin, end, v.integer, hex ? 16 : 10);
        r.ec == std::errc() && r.ptr == end) {
      v.kind = YarpValue::Kind::kInt;
      v.number = static_cast<double>(v.integer);
    }
    return;
  }
  if (t == "inf" || t == "-inf") {
    v.kind = YarpValue::Kind::kFloat;
    v.number = t == "inf" ? HUGE_VAL : -HUGE_VAL;
    return;
  }
  if (t.find_first_of(".eE") == std::string::npos ||
      t.find_first_of("0123456789") == std::string::npos)
    return;
  double x = 0;
  const char* const begin = t.data() + (t[0] == '+' ? 1 : 0);
  const auto r = std::from_chars(begin, t.data() + t.size(), x);
  if (r.ptr != t.data() + t.size()) return;
  if (r.ec == std::errc::result_out_of_range) x = t[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  v.kind = YarpValue::Kind::kFloat;
  v.number = x;
}

/// What a file and all that it includes have used up.
struct Budget {
  std::size_t bytes = 0, values = 0;
  int includes = 0;
  bool spent = false;
};

class Parser {
 public:
  Parser(YarpConfig& out, fs::path file, int depth, Budget& budget)
      : out_(out), file_(std::move(file)), depth_(depth), budget_(budget) {}

  void parse(std::string_view text) {
    split(text);
    if (out_.groups.empty()) out_.groups.push_back({});
    group_ = 0;
    for (std::size_t i = 0; i < lines_.size() && !budget_.spent;) i = logical_line(i);
  }

 private:
  [[nodiscard]] Location at(const Char& c) const { return {file_.string(), c.line, c.column}; }

  void say(const Char& where, bool is_error, std::string message, std::string fix) {
    // one error is always among them
    if (out_.problems.size() >= config::kMaxProblems + (is_error ? 1 : 0)) return;
    config::Problem p{at(where), "", std::move(message), std::move(fix), is_error};
    if (where.line >= 1 && where.line <= static_cast<int>(lines_.size()))
      p.excerpt = config::excerpt_of(text_of(lines_[static_cast<std::size_t>(where.line - 1)]));
    out_.problems.push_back(std::move(p));
  }

  /// The rest is not read.
  void give_up(const Char& where, std::string message, std::string fix) {
    if (!budget_.spent) say(where, true, std::move(message), std::move(fix));
    budget_.spent = true;
  }
  bool count_value(const Char& where) {
    if (++budget_.values > kMaxValues)
      give_up(where, fmt::format("more than {} values", kMaxValues),
              "no configuration needs them: is it the right file?");
    return !budget_.spent;
  }

  void split(std::string_view text) {
    Line line;
    int number = 1, column = 1;
    for (const char c : text) {
      if (c == '\n') {
        lines_.push_back(std::move(line));
        line.clear();
        ++number, column = 1;
      } else {
        line.push_back({c, number, column++});
      }
    }
    lines_.push_back(std::move(line));
  }

  /// Joins lines from `first` on until they balance, reads them; answers the next one.
  std::size_t logical_line(std::size_t first) {
    Line line = lines_[first];
    Balance balance;
    balance.add(line, 0);
    std::size_t next = first + 1;
    while (!balance.closed() && next < lines_.size()) {
      const std::size_t from = line.size();
      line.insert(line.end(), lines_[next].begin(), lines_[next].end());
      balance.add(line, from);
      ++next;
    }
    const bool open_end = !balance.closed();
    const Char end = line.empty() ? Char{' ', static_cast<int>(first) + 1, 1} : line.back();

    const std::size_t cut = comment_in(line);
    if (cut < line.size()) warn_of_comment(line, cut, end);
    line.resize(cut);
    const bool nothing =
        std::all_of(line.begin(), line.end(), [](const Char& c) { return is_blank(c.c); });
    if (nothing) return next;

    Balance left;
    left.add(line, 0);
    if (open_end || !left.closed()) {
      say(left.closed() ? balance.opener : left.opener, true,
          open_end
              ? "what opens here is never closed: YARP takes the rest of the file for its value"
              : "what opens here is cut off by a comment: YARP loses the value",
          "close it, and keep comments on lines of their own outside lists");
      return next;
    }
    expand(line);
    read_line(line);
    return next;
  }

  /// Where a comment begins, or the end.
  static std::size_t comment_in(const Line& line) noexcept {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i].c;
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted) {
        const bool after_blank = c == '#' && (i == 0 || is_blank(line[i - 1].c));
        if (after_blank || (c == '/' && i + 1 < line.size() && line[i + 1].c == '/')) return i;
      }
    }
    return line.size();
  }

  void warn_of_comment(const Line& line, std::size_t cut, const Char& end) {
    const Char& start = line[cut];
    if (start.c == '/' && cut > 0 && !is_blank(line[cut - 1].c))
      say(start, false, "// begins a comment anywhere: YARP cuts the value off here",
          "put the value in quotes");
    const bool only = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(cut),
                                  [](const Char& c) { return is_blank(c.c); });
    if (only && end.line > start.line)
      say(start, false,
          fmt::format(
              "a bracket or quote left open in this comment makes YARP ignore the lines up to "
              "{}, too",
              end.line),
          "close it inside the comment, or put # before each line without brackets");
  }

  void expand(Line& line) {
    Line out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i].c == '\\' && i + 1 < line.size()) {
        out.push_back(line[i]), out.push_back(line[++i]);
        continue;
      }
      if (line[i].c != '$') {
        out.push_back(line[i]);
        continue;
      }
      const Char start = line[i];
      const char close = i + 1 < line.size() && line[i + 1].c == '{'   ? '}'
                         : i + 1 < line.size() && line[i + 1].c == '(' ? ')'
                                                                       : '\0';
      std::size_t k = i + (close != '\0' ? 2 : 1);
      std::string name;
      for (; k < line.size() && is_name(line[k].c); ++k) name += line[k].c;
      if (name.empty()) {
        out.push_back(start);
        continue;
      }
      for (const char c : value_of(name, start)) out.push_back({c, start.line, start.column});
      if (out.size() > kMaxLine) {
        give_up(start, fmt::format("the line grows beyond {} characters here", kMaxLine),
                "write the values out");
        out.clear();
        break;
      }
      i = close != '\0' && k < line.size() && line[k].c == close ? k : k - 1;
    }
    line = std::move(out);
  }

  std::string value_of(const std::string& name, const Char& where) {
    if (const char* v = std::getenv(name.c_str())) return v;  // NOLINT: not while threads run
    if (name == "CONFIG_PATH") return file_.parent_path().string();
    if (const YarpEntry* e = out_.groups[0].find(name); e && !e->values.empty())
      return e->values[0].text;
    say(where, false, fmt::format("${} is not set: YARP reads nothing in its place", name),
        "set it in the environment, or write the value");
    return {};
  }

  void read_line(const Line& line) {
    std::size_t i = 0;
    while (i < line.size() && is_blank(line[i].c)) ++i;
    if (i == line.size()) return;
    if (line[i].c == '[') return read_section(line, i);

    std::size_t end = i;
    YarpValue all;
    read_items(line, end, '\0', all, 0);
    if (all.items.empty()) return;
    YarpEntry entry{all.items[0].text, {}, all.items[0].where};
    // key = value drops the sign
    std::size_t from = 1;
    if (all.items.size() > 1 && all.items[1].kind == YarpValue::Kind::kText &&
        all.items[1].text == "=")
      from = 2;
    entry.values.assign(
        std::make_move_iterator(all.items.begin() + static_cast<std::ptrdiff_t>(from)),
        std::make_move_iterator(all.items.end()));
    add(std::move(entry));
  }

  void add(YarpEntry entry) {
    if (!count_value({' ', entry.where.line, entry.where.column})) return;
    auto& entries = out_.groups[group_].entries;
    const auto same = std::find_if(entries.begin(), entries.end(),
                                   [&](const YarpEntry& e) { return e.key == entry.key; });
    if (same == entries.end()) {
      entries.push_back(std::move(entry));
      return;
    }
    // what was given is there to be replaced
    if (same->where.line > 0)
      say({' ', entry.where.line, entry.where.column}, false,
          fmt::format("{}: a second one; it replaces that of line {}", entry.key, same->where.line),
          "keep one of the two");
    *same = std::move(entry);
  }

  void read_section(const Line& line, std::size_t i) {
    const Char start = line[i];
    std::size_t k = i + 1;
    YarpValue words;
    read_items(line, k, ']', words, 0);
    std::vector<std::string> w;
    for (const YarpValue& v : words.items) w.push_back(v.text);
    if (w.empty()) {
      group_ = 0;
    } else if (w[0] == "include") {
      include(w, start);
    } else if (w[0] == "import") {
      say(start, true, "[import …] asks YARP's resource finder, which Pintle has not",
          "write  [include \"file.ini\"]  instead");
    } else {
      if (w.size() > 1) {
        group_ = 0;
        YarpValue instance = words.items[1];
        append_to_list(w[0], instance, start);
      }
      if (count_value(start)) group_ = group_named(w.back());
    }
  }

  void append_to_list(const std::string& list, YarpValue instance, const Char& where) {
    auto& entries = out_.groups[0].entries;
    for (YarpEntry& e : entries)
      if (e.key == list) return e.values.push_back(std::move(instance));
    entries.push_back({list, {std::move(instance)}, at(where)});
  }

  std::size_t group_named(const std::string& name) {
    for (std::size_t g = 0; g < out_.groups.size(); ++g)
      if (out_.groups[g].name == name) return g;
    out_.groups.push_back({name, {}});
    return out_.groups.size() - 1;
  }

  void include(const std::vector<std::string>& words, const Char& where) {
    const std::string name = words.size() > 1 ? words.back() : "";
    fs::path path = name;
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) path = file_.parent_path() / name;
    if (depth_ >= kMaxIncludeDepth || ++budget_.includes > kMaxIncludes)
      return give_up(where, "includes go too deep: does a file include itself?",
                     "take one of them out");
    std::string text;
    try {
      text = config::read_file(path, kMaxYarpBytes);
    } catch (const config::ConfigError& e) {
      return say(where, true,
                 fmt::format("cannot read the included file {}: {}", config::in_quotes(name),
                             e.problems().front().message),
                 "write its path from this file's folder");
    }
    budget_.bytes += text.size();
    if (budget_.bytes > kMaxYarpBytes)
      return give_up(where, fmt::format("more than {} bytes with all includes", kMaxYarpBytes),
                     "no configuration needs them: is it the right file?");
    if (words.size() < 3) {
      Parser(out_, path, depth_ + 1, budget_).parse(text);
      return;
    }
    // into a group: what stands at the top of that file belongs to it
    YarpConfig inner;
    Parser(inner, path, depth_ + 1, budget_).parse(text);
    const std::size_t back = std::exchange(group_, group_named(words[words.size() - 2]));
    for (YarpEntry& e : inner.groups[0].entries) add(std::move(e));
    group_ = back;
    std::move(inner.problems.begin(), inner.problems.end(), std::back_inserter(out_.problems));
  }

  /// Items up to `close` (or the end), `i` behind it.
  void read_items(const Line& line, std::size_t& i, char close, YarpValue& list, int nesting) {
    int commas = 0;
    bool tight = false, loose = false;
    Char tight_at{};
    while (i < line.size()) {
      const Char ch = line[i];
      if (close != '\0' && ch.c == close) {
        ++i;
        break;
      }
      if (is_blank(ch.c) || ch.c == ',') {
        if (ch.c == ',') {
          if (++commas > 1 || list.items.empty())
            say(ch, false, "nothing stands before this comma: YARP reads no value there",
                "write a value, or take the comma out");
          const bool between =
              i > 0 && i + 1 < line.size() && is_digit(line[i - 1].c) && is_digit(line[i + 1].c);
          if (between && !tight) tight = true, tight_at = ch;
          if (i + 1 < line.size() && is_blank(line[i + 1].c)) loose = true;
        }
        ++i;
        continue;
      }
      if (!list.items.empty() && commas == 0) loose = true;
      commas = 0;
      read_item(line, i, close, list, nesting);
    }
    // 63,5 between other numbers, or alone after a key
    if (tight && (loose || nesting == 0) && close != ']')
      say(tight_at, false, "a comma separates: YARP reads two numbers here, not one",
          "write a decimal point, or a blank after the comma");
  }

  void read_item(const Line& line, std::size_t& i, char close, YarpValue& list, int nesting) {
    if (!count_value(line[i])) {
      i = line.size();
      return;
    }
    YarpValue v;
    v.where = at(line[i]);
    const char c = line[i].c;
    if ((c == '(' || c == '{') && nesting < kMaxNesting) {
      v.kind = YarpValue::Kind::kList;
      read_items(line, ++i, c == '(' ? ')' : '}', v, nesting + 1);
    } else if (c == '"') {
      for (++i; i < line.size() && line[i].c != '"'; ++i) {
        if (line[i].c == '\\' && i + 1 < line.size()) {
          const char e = line[++i].c;
          v.text += e == 'n' ? '\n' : e == 'r' ? '\r' : e;
        } else {
          v.text += line[i].c;
        }
      }
      if (i < line.size()) ++i;
    } else {
      const auto ends = [&](char x) {
        return is_blank(x) || x == ',' || x == '(' || x == ')' || x == '{' || x == '}' ||
               (close != '\0' && x == close);
      };
      do {
        if (line[i].c == '\\' && i + 1 < line.size()) ++i;
        v.text += line[i++].c;
      } while (i < line.size() && !ends(line[i].c));
      read_scalar(v);
      if (v.kind == YarpValue::Kind::kText) warn_of_text(v);
    }
    list.items.push_back(std::move(v));
  }

  /// Words that YARP takes for something else than it seems.
  void warn_of_text(const YarpValue& v) {
    const Char at{' ', v.where.line, v.where.column};
    const std::string& t = v.text;
    const bool cut_short = t.size() > 1 && (t.back() == 'e' || t.back() == 'E') &&
                           t.find_first_not_of("+-.0123456789") == t.size() - 1 &&
                           t.find_first_of("0123456789") != std::string::npos;
    if (cut_short)
      say(at, false,
          fmt::format("{}: an exponent without digits: YARP reads no number here but 0", t),
          fmt::format("write  {}0", t));
    else if (t == "-" || t == "+")
      say(at, false, fmt::format("a {} alone is no number: YARP reads 0 here", t),
          "write the number, or put it in quotes");
    else if (t == "null")
      say(at, false, "null is no number and no name: YARP reads a vocabulary word here",
          "write the value, or \"null\" in quotes for the name");
  }

  YarpConfig& out_;
  fs::path file_;
  int depth_;
  Budget& budget_;
  std::vector<Line> lines_;
  std::size_t group_ = 0;
};

}  // namespace

const YarpEntry* YarpGroup::find(std::string_view key) const noexcept {
  for (const YarpEntry& e : entries)
    if (e.key == key) return &e;
  return nullptr;
}

const YarpGroup* YarpConfig::group(std::string_view name) const noexcept {
  for (const YarpGroup& g : groups)
    if (g.name == name) return &g;
  return nullptr;
}

YarpConfig parse_yarp_config(std::string_view text, const fs::path& file,
                             const std::map<std::string, std::string>& given) {
  YarpConfig out;
  out.groups.push_back({});
  for (const auto& [key, value] : given) {
    YarpValue v;
    v.text = value;
    out.groups[0].entries.push_back({key, {std::move(v)}, {}});
  }
  Budget budget{text.size(), 0, 0, false};
  Parser(out, file, 0, budget).parse(text);
  return out;
}

}  // namespace pintle::vehicle
