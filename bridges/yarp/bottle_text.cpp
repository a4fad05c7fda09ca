#include <algorithm>
#include <charconv>
#include <cmath>

#include "pintle/yarp/bottle.h"

namespace pintle::yarp {
namespace {

using Kind = Value::Kind;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool separates(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

/// What an unquoted word means.
Value scalar(std::string_view t) {
  const std::size_t sign = !t.empty() && (t[0] == '-' || t[0] == '+') ? 1 : 0;
  const std::string_view digits = t.substr(sign);
  const char* const begin = t.data() + (t.starts_with('+') ? 1 : 0);
  const char* const end = t.data() + t.size();
  Value v;
  if (t.starts_with("0x") ||
      (!digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit))) {
    const bool hex = t.starts_with("0x");
    const auto r = std::from_chars(hex ? t.data() + 2 : begin, end, v.integer, hex ? 16 : 10);
    if (r.ec == std::errc() && r.ptr == end) {
      if (v.integer != static_cast<std::int32_t>(v.integer)) v.kind = Kind::kInt64;
      return v;
    }
    v.integer = 0;
  }
  if (t == "inf" || t == "-inf") return Value::float64(t == "inf" ? HUGE_VAL : -HUGE_VAL);
  if (t == "true") return Value::vocab("1");
  if (t == "false") return Value::vocab("");
  if (t == "null") return Value::vocab("null");
  if (!digits.empty() && (is_digit(digits[0]) || digits[0] == '.')) {
    double x = 0;
    const auto r = std::from_chars(begin, end, x);
    if (r.ptr == end && (r.ec == std::errc() || r.ec == std::errc::result_out_of_range)) {
      if (r.ec == std::errc::result_out_of_range) {
        // too large, or too small to be told from 0
        const std::size_t e = t.find_first_of("eE");
        const bool small = e != std::string_view::npos && e + 1 < t.size() && t[e + 1] == '-';
        x = small ? 0 : HUGE_VAL;
        if (t[0] == '-') x = -x;
      }
      return Value::float64(x);
    }
  }
  return Value::string(t);
}

/// Plain words need no quotes: letters first, and nothing that could be taken for something else.
bool is_plain(std::string_view t) noexcept {
  if (t.empty() || !is_letter(t[0])) return false;
  if (t == "true" || t == "false" || t == "null" || t == "inf") return false;
  return std::all_of(t.begin(), t.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string in_quotes(std::string_view t) {
  std::string out = "\"";
  for (const char c : t) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else
      out += c;
  }
  return out + '"';
}

std::string number_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, x);
  std::string out(buffer, r.ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

void put_items(std::string& out, const Bottle& items);

void write_value(std::string& out, const Value& v) {
  switch (v.kind) {
    case Kind::kVocab32:
    case Kind::kVocab64: {
      const std::string word = v.word();
      if (v.integer == 0)
        out += "false";
      else if (word == "1")
        out += "true";
      else if (std::all_of(word.begin(), word.end(),
                           [](char c) { return is_letter(c) || is_digit(c) || c == '_'; }))
        out += "[" + word + "]";
      else
        out += std::to_string(v.integer);
      return;
    }
    case Kind::kFloat32:
    case Kind::kFloat64: out += number_text(v.number); return;
    case Kind::kString: out += is_plain(v.text) ? v.text : in_quotes(v.text); return;
    case Kind::kBlob:
      out += '{';
      for (std::size_t i = 0; i < v.text.size(); ++i)
        out += (i == 0 ? "" : " ") + std::to_string(static_cast<unsigned char>(v.text[i]));
      out += '}';
      return;
    case Kind::kList:
    case Kind::kDictionary:
      out += '(';
      put_items(out, v.items);
      out += ')';
      return;
    default: out += std::to_string(v.integer);
  }
}

void put_items(std::string& out, const Bottle& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += ' ';
    write_value(out, items[i]);
  }
}

class Parser {
 public:
  Parser(std::string_view text, std::string& why) : text_(text), why_(why) {}

  std::optional<Bottle> parse() {
    Bottle out;
    if (!items(out, '\0', 0)) return std::nullopt;
    return out;
  }

 private:
  bool refuse(const char* why) {
    why_ = why;
    return false;
  }

  bool items(Bottle& out, char close, int depth) {
    if (depth > kMaxDepth) return refuse("its lists are nested too deeply");
    for (;;) {
      while (at_ < text_.size() && separates(text_[at_])) ++at_;
      if (at_ == text_.size()) return close == '\0' || refuse("a bracket is not closed");
      const char c = text_[at_];
      if (close != '\0' && c == close) {
        ++at_;
        return true;
      }
      if (c == ')' || c == ']' || c == '}') return refuse("a bracket closes that none opened");
      if (++count_ > kMaxItems) return refuse("too many items");
      if (!item(out, depth)) return false;
    }
  }

  bool item(Bottle& out, int depth) {
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      // not in place: `out` may grow meanwhile
      Bottle inner;
      if (!items(inner, ')', depth + 1)) return false;
      out.push_back(Value::list(std::move(inner)));
      return true;
    }
    if (c == '[') return vocab(out);
    if (c == '{') return blob(out, depth);
    if (c == '"') return quoted_text(out);
    const std::size_t begin = at_;
    while (at_ < text_.size() && !separates(text_[at_]) &&
           std::string_view("()[]{}\"").find(text_[at_]) == std::string_view::npos)
      ++at_;
    out.push_back(scalar(text_.substr(begin, at_ - begin)));
    return true;
  }

  bool vocab(Bottle& out) {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) return refuse("a bracket is not closed");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    if (word.size() > 8) return refuse("a vocabulary word of more than eight letters");
    at_ = end + 1;
    out.push_back(Value::vocab(word));
    return true;
  }

  bool blob(Bottle& out, int depth) {
    ++at_;
    Bottle numbers;
    if (!items(numbers, '}', depth + 1)) return false;
    Value v;
    v.kind = Kind::kBlob;
    for (const Value& n : numbers) {
      if (n.kind != Kind::kInt32 || n.integer < 0 || n.integer > 255)
        return refuse("a blob holds whole numbers from 0 to 255");
      v.text += static_cast<char>(n.integer);
    }
    out.push_back(std::move(v));
    return true;
  }

  bool quoted_text(Bottle& out) {
    Value v = Value::string("");
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size()) {
        v.text += text_[at_];
        continue;
      }
      const char c = text_[++at_];
      v.text += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
    if (at_ == text_.size()) return refuse("a quote is not closed");
    ++at_;
    out.push_back(std::move(v));
    return true;
  }

  std::string_view text_;
  std::string& why_;
  std::size_t at_ = 0, count_ = 0;
};

}  // namespace

std::string to_text(const Bottle& bottle) {
  std::string out;
  put_items(out, bottle);
  return out;
}

std::optional<Bottle> from_text(std::string_view text, std::string& why) {
  why.clear();
  return Parser(text, why).parse();
}

void Balance::add(std::string_view line) noexcept {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '(' || c == '[' || c == '{'))
      ++open;
    else if (!quoted && (c == ')' || c == ']' || c == '}'))
      --open;
  }
}

}  // namespace pintle::yarp
