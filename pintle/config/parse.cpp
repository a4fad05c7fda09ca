#include "pintle/config/parse.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "pintle/config/explain.h"
#include "pintle/config/reader.h"
#include "pintle/config/scan.h"
#include "pintle/config/text.h"

namespace pintle::config {
namespace {

struct Extent {
  std::size_t nodes = 0, bytes = 0;
};

// counts a tree, and marks it as standing elsewhere
Extent mark_aliased(Node& node) {
  Extent sum{1, node.scalar.size()};
  node.aliased = true;
  node.begin = node.end = 0;
  const auto add = [&](Node& child) {
    const Extent e = mark_aliased(child);
    sum.nodes += e.nodes;
    sum.bytes += e.bytes;
  };
  for (Node& item : node.items) add(item);
  for (Node::Entry& entry : node.entries) {
    sum.bytes += entry.key.size();
    entry.key_begin = entry.key_end = 0;
    add(entry.value);
  }
  return sum;
}

/// Builds the tree from yaml-cpp's events.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& text, const std::string& name)
      : text_(text),
        lines_(text, name),
        shift_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

  Node take() { return std::move(root_); }
  std::vector<Problem>& problems() { return problems_; }
  Lines& lines() { return lines_; }

  [[nodiscard]] Problem problem(std::size_t offset, std::string message, std::string fix) {
    Location where = lines_.locate(offset);
    std::string excerpt = excerpt_of(lines_.line(where.line));
    return {std::move(where), std::move(excerpt), std::move(message), std::move(fix)};
  }
  // a key that is none: often what follows a bracket that should have been closed
  [[nodiscard]] Problem bad_key(std::size_t offset, std::string message, std::string fix) {
    if (auto found = explain_open_bracket(text_, offset))
      return problem(found->at, std::move(found->message), std::move(found->fix));
    return problem(offset, std::move(message), std::move(fix));
  }
  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const noexcept {
    return mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(mark.pos) + shift_, text_.size());
  }

  /// yaml-cpp keeps what it reads until it knows whether a bracket begins a key: at its closing one.
  void read(std::string_view chunk) {
    constexpr std::string_view kIndicators = "[]{},:?-\"'&*!";
    for (const char c : chunk) {
      const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (kIndicators.find(c) != std::string_view::npos || (after_blank_ && !blank)) ++waiting_;
      after_blank_ = blank;
    }
    read_ += chunk.size();
    // a value, and what is between it and the next
    if (waiting_ > 2 * kMaxNodes)
      throw ConfigError(too_many(std::min(read_ + shift_, text_.size())));
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    // yaml-cpp also begins a new document where a line fits nothing above it
    const std::size_t at = offset_of(mark);
    Explanation found = explain(text_, at, "second document");
    if (text_.compare(at, 3, "---") == 0)
      found = {at, "a second document starts here, expected one",
               "remove the line with --- or put the rest into its own file"};
    throw ConfigError(problem(found.at, std::move(found.message), std::move(found.fix)));
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = make(Node::Kind::kNull, mark);
    const std::size_t at = skip_properties(text_, offset_of(mark));
    node.end = node.begin = at;
    if (const std::size_t n = null_length(text_, at); n > 0) node.end = at + n;
    put(std::move(node), anchor, offset_of(mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw ConfigError(problem(offset_of(mark), "an alias inside what its own anchor names",
                                "write the value out instead"));
    charge(found->second.extent, mark);
    Node node = found->second.node;
    put(std::move(node), 0, offset_of(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    Node node = make(Node::Kind::kScalar, mark);
    node.scalar = value;
    const ScalarRange range = scan_scalar(text_, offset_of(mark), value);
    // yaml-cpp takes the end of the file for the missing quote
    if (range.unclosed)
      throw ConfigError(problem(range.begin, "a quote is never closed", "close it on this line"));
    if (first_bad_byte(value))
      throw ConfigError(problem(offset_of(mark), "an escape that stands for no character of a text",
                                "write the character itself, or leave it out"));
    node.begin = range.begin;
    node.end = range.end;
    node.quoted = range.quoted || tag == "tag:yaml.org,2002:str";
    put(std::move(node), anchor, offset_of(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::kList, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::kMap, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    Node::Entry pending;
    std::vector<Node> merges;  ///< What `<<:` brings, in file order.
  };
  struct Anchored {
    Node node;
    Extent extent;
  };

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    charge({1, 0}, mark);
    Node node;
    node.kind = kind;
    node.where = lines_.locate(offset_of(mark));
    return node;
  }

  // anchors can make a short file long: what they expand to is counted before it is copied
  void charge(Extent extent, const YAML::Mark& mark) {
    nodes_ += extent.nodes;
    bytes_ += extent.bytes;
    waiting_ = 0;
    if (nodes_ > kMaxNodes || bytes_ > 4 * kMaxBytes) throw ConfigError(too_many(offset_of(mark)));
  }
  [[nodiscard]] Problem too_many(std::size_t offset) {
    return problem(offset, fmt::format("the file grows beyond {} values here", kMaxNodes),
                   "use fewer values, or fewer aliases of large anchors");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) return;
    if (problems_.size() >= kMaxProblems) return;
    problems_.push_back(problem(offset_of(mark), "tag " + in_quotes(tag) + " has no meaning here",
                                "remove the tag and write the plain value"));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    refuse_tag(mark, tag);
    if (frames_.size() >= static_cast<std::size_t>(kMaxDepth))
      throw ConfigError(problem(offset_of(mark),
                                fmt::format("nested more than {} levels deep", kMaxDepth),
                                "no file needs that: look for a bracket that is never closed"));
    Frame frame;
    frame.node = make(kind, mark);
    frame.anchor = anchor;
    const std::size_t at = skip_properties(text_, offset_of(mark));
    frame.node.flow = style == YAML::EmitterStyle::Flow && at < text_.size() &&
                      text_[at] == (kind == Node::Kind::kMap ? '{' : '[');
    frame.node.begin = frame.node.end = at;
    if (frame.node.kind == Node::Kind::kMap && expects_key())
      throw ConfigError(bad_key(at, "expected a key of plain text, got a map", brace_fix(at)));
    if (expects_key())
      throw ConfigError(bad_key(at, "expected a key of plain text, got a list", brace_fix(at)));
    frames_.push_back(std::move(frame));
  }

  std::string brace_fix(std::size_t at) {
    const bool braces = text_.compare(at, 2, "{{") == 0 || (at > 0 && text_[at - 1] == '{');
    return braces ? "templates with {{ }} are not filled in: write the value itself"
                  : "write the key as plain text";
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    const std::size_t at = frame.node.begin;
    if (frame.node.is_map()) finish_map(frame);
    if (frame.node.flow) frame.node.end = end_of_flow(text_, frame.node);
    if (!frame.node.flow || frame.node.end == 0) frame.node.begin = frame.node.end = 0;
    put(std::move(frame.node), frame.anchor, at);
  }

  void finish_map(Frame& frame) {
    std::vector<Node::Entry>& entries = frame.node.entries;
    std::unordered_map<std::string_view, const Node::Entry*> seen;
    for (const Node::Entry& entry : entries) {
      const auto [first, is_new] = seen.emplace(entry.key, &entry);
      if (is_new || problems_.size() >= kMaxProblems) continue;
      Problem p{entry.key_where, excerpt_of(lines_.line(entry.key_where.line)),
                fmt::format("{}: written twice, first on line {}", entry.key,
                            first->second->key_where.line),
                "keep one of the two lines"};
      problems_.push_back(std::move(p));
    }
    // a map's own keys win over merged ones, an earlier merge over a later one
    std::vector<Node::Entry> merged;
    std::size_t most = 0;
    for (const Node& source : frame.merges) most += source.entries.size();
    merged.reserve(most);  // `seen` looks at the keys in it
    for (Node& source : frame.merges)
      for (Node::Entry& entry : source.entries)
        if (!seen.contains(entry.key)) {
          merged.push_back(std::move(entry));
          seen.emplace(merged.back().key, nullptr);
        }
    for (Node::Entry& entry : merged) entries.push_back(std::move(entry));
  }

  [[nodiscard]] bool expects_key() const noexcept {
    return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key;
  }

  void put(Node node, YAML::anchor_t anchor, std::size_t at) {
    if (anchor != 0) remember(node, anchor, at);
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& top = frames_.back();
    if (top.node.is_list()) {
      top.node.items.push_back(std::move(node));
    } else if (!top.has_key) {
      put_key(top, std::move(node), at);
    } else if (top.pending.key == "<<" && !top.pending.value.quoted) {
      put_merge(top, std::move(node), at);
    } else {
      require_colon(top.pending, node);
      top.pending.value = std::move(node);
      top.node.entries.push_back(std::move(top.pending));
      top.pending = {};
      top.has_key = false;
    }
  }

  // yaml-cpp takes a lone word for a key without a value
  void require_colon(const Node::Entry& entry, const Node& value) {
    const bool nothing = value.kind == Node::Kind::kNull && value.begin == value.end;
    if (!nothing || value.aliased || entry.key_end == entry.key_begin) return;
    const std::size_t colon = skip_blanks(text_, entry.key_end);
    if (colon < text_.size() && text_[colon] == ':') return;
    throw ConfigError(problem(entry.key_begin, "a colon is missing after the key",
                              "write  key: value, with a blank after the colon"));
  }

  void put_key(Frame& top, Node node, std::size_t at) {
    if (!node.is_scalar())
      throw ConfigError(bad_key(at, "expected a key before the colon",
                                "write the key's name, or quote it if it is the word null"));
    // keys are names, of propulsors and gains
    if (has_control(node.scalar))
      throw ConfigError(problem(at, "a key with a line break or another control character",
                                "write the key as plain text on one line"));
    top.pending.key = std::move(node.scalar);
    top.pending.key_where = std::move(node.where);
    top.pending.key_begin = node.begin;
    top.pending.key_end = node.end;
    top.pending.value.quoted = node.quoted;  // a quoted "<<" is a key like any other
    top.has_key = true;
  }

  void put_merge(Frame& top, Node node, std::size_t at) {
    std::vector<Node> sources;
    if (node.is_list())
      sources = std::move(node.items);
    else
      sources.push_back(std::move(node));
    for (Node& source : sources) {
      if (!source.is_map())
        throw ConfigError(problem(at, "<<: expected an alias of a map to merge",
                                  "write  <<: *name  where &name stands before a map"));
      (void)mark_aliased(source);
      top.merges.push_back(std::move(source));
    }
    top.pending = {};
    top.has_key = false;
  }

  void remember(const Node& node, YAML::anchor_t anchor, std::size_t at) {
    Anchored anchored{node, {}};
    anchored.extent = mark_aliased(anchored.node);
    YAML::Mark mark;
    mark.pos = static_cast<int>(at - std::min(at, shift_));
    charge(anchored.extent, mark);
    anchors_.insert_or_assign(anchor, std::move(anchored));
  }

  const std::string& text_;
  Lines lines_;
  std::size_t shift_;
  int documents_ = 0;
  std::size_t nodes_ = 0, bytes_ = 0;
  std::size_t read_ = 0, waiting_ = 0;  ///< Bytes; what may be tokens, since the last event.
  bool after_blank_ = false;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::vector<Problem> problems_;
  Node root_;
};

/// The text as yaml-cpp reads it, in pieces of some kilobytes.
class Source : public std::stringbuf {
 public:
  Source(const std::string& text, Builder& builder)
      : std::stringbuf(text, std::ios::in), builder_(builder) {}

 protected:
  std::streamsize xsgetn(char* to, std::streamsize most) override {
    const std::streamsize n = std::stringbuf::xsgetn(to, most);
    builder_.read({to, static_cast<std::size_t>(n)});
    return n;
  }

 private:
  Builder& builder_;
};

void refuse_before_parsing(const std::string& text, const std::string& name) {
  if (text.size() > kMaxBytes)
    throw ConfigError(Problem{{name, 0, 0},
                              {},
                              fmt::format("the file has more than {} bytes", kMaxBytes),
                              "a configuration is never that long: is it the right file?"});
  if (const auto bad = first_bad_byte(text)) {
    Location where = Lines(text, name).locate(*bad);
    std::string excerpt = excerpt_of(line_of(text, where.line));
    throw ConfigError(Problem{
        std::move(where), printable(excerpt),
        fmt::format("byte 0x{:02x} is not text", static_cast<unsigned char>(text[*bad])),
        "save the file as UTF-8 text; if it holds many such bytes it is damaged or not YAML"});
  }
}

}  // namespace

Node parse_tree(const std::string& text, const std::string& name) {
  refuse_before_parsing(text, name);
  Builder builder(text, name);
  std::vector<Problem> problems;
  try {
    Source source(text.starts_with(kByteOrderMark) ? text.substr(3) : text, builder);
    std::istream stream(&source);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const ConfigError& e) {
    problems = e.problems();
  } catch (const YAML::Exception& e) {
    const std::size_t at = e.mark.is_null() ? 0 : builder.offset_of(e.mark);
    Explanation found = explain(text, at, e.msg);
    problems.push_back(builder.problem(found.at, std::move(found.message), std::move(found.fix)));
  } catch (const std::exception& e) {
    problems.push_back(Problem{{name, 1, 1}, {}, std::string("not YAML: ") + e.what(), {}});
  }
  problems.insert(problems.begin(), builder.problems().begin(), builder.problems().end());
  if (!problems.empty()) throw ConfigError(std::move(problems));
  Node root = builder.take();
  // a file with nothing in it lacks things at its beginning
  if (root.where.line == 0) root.where = {name, 1, 1};
  return root;
}

}  // namespace pintle::config
