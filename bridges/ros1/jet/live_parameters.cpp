#include "jet/live_parameters.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace pintle::ros1 {
namespace {

using vehicle::JetFile;
using vehicle::JetFiles;

constexpr const char* kUsage =
    "expected set KEY VALUE (and sure), get KEY, undo, save FILE or save all; a KEY is pid.xy.kp, "
    "duration[3], normal_altitude …";

std::optional<JetFile> file_of_key(const std::string& key) {
  const std::string root = key.substr(0, key.find_first_of(".["));
  if (root == "dropoint") return JetFile::kDropoint;
  if (root == "duration") return JetFile::kDuration;
  if (root == "pid") return JetFile::kPid;
  if (root == "takeoff_height" || root == "landing_height" || root == "normal_altitude")
    return JetFile::kFlight;
  if (root == "odom_callback_timeout" || root == "vision_callback_timeout")
    return JetFile::kTimeout;
  return std::nullopt;
}

std::optional<double> number_in(const std::string& word) {
  std::istringstream in(word);
  double value = 0;
  return in >> value && in.eof() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The keys of the numbers below `node` that something is said about: "pid.xy.kp". What stands elsewhere and came
/// by an alias counts there too.
void collect_keys(const config::Node& node, const std::string& above,
                  const std::vector<config::Problem>& problems, std::vector<std::string>& keys) {
  for (const config::Node::Entry& e : node.entries) {
    const std::string key = above + e.key;
    if (std::any_of(problems.begin(), problems.end(), [&](const config::Problem& p) {
          return p.where.line == e.value.where.line && p.where.column == e.value.where.column;
        }))
      keys.push_back(key);
    collect_keys(e.value, key + ".", problems, keys);
  }
}

/// Of what the file is warned about, the values that were not in effect before: "pid.xy.kp 0".
std::string new_doubts(const JetFiles& before, const JetFiles& now, JetFile which) {
  const config::Document document = config::Document::parse(now.text(which), "");
  config::Reader reader(document);
  vehicle::JetParameters read;
  vehicle::read_jet_file(reader, document, which, read);
  std::vector<std::string> keys;
  collect_keys(document.root(), "", reader.problems(), keys);
  std::string doubts;
  for (const std::string& key : keys) {
    const std::optional<double> value = now.value(which, key);
    if (!value || value == before.value(which, key)) continue;
    doubts += (doubts.empty() ? "" : " ") + key + " " + text(*value);
  }
  return doubts;
}

}  // namespace

LiveParameters::LiveParameters(const std::string& vehicle_file, const std::string& config_dir,
                               const DeliveryOptions& options)
    : vehicle_(craft::load_vehicle(vehicle_file)),
      files_(JetFiles::load(config_dir)),
      options_(options),
      next_(delivery(vehicle_, *files_.current(), options_, generation_)) {}

std::shared_ptr<const craft::Generation> LiveParameters::take() {
  const std::lock_guard lock(handover_);
  return std::exchange(next_, nullptr);
}

std::string LiveParameters::adopt(const vehicle::JetChange& change) {
  if (!change.applied) return change.message;
  try {
    auto next = delivery(vehicle_, *files_.current(), options_, generation_ + 1);
    const std::lock_guard lock(handover_);
    ++generation_;
    next_ = std::move(next);
  } catch (const std::exception& e) {
    // valid by itself, but not for this mission
    files_.undo();
    return e.what();
  }
  return "";
}

std::string LiveParameters::start_with(JetPart part, const std::string& text,
                                       std::string& warning) {
  const auto which = static_cast<JetFile>(part);
  const vehicle::JetChange change =
      files_.reload_text(which, text, std::string(JetFiles::file_name(which)));
  warning = change.applied ? change.message : "";
  return adopt(change);
}

std::string LiveParameters::reload(JetPart part, const std::string* text) {
  const auto which = static_cast<JetFile>(part);
  const JetFiles before = files_;
  const vehicle::JetChange change =
      text != nullptr ? files_.reload_text(which, *text, std::string(JetFiles::file_name(which)))
                      : files_.reload(which);
  const std::string doubts =
      change.applied && !change.message.empty() ? new_doubts(before, files_, which) : "";
  if (doubts.empty()) return adopt(change);
  files_.undo();
  return change.message + "if it is meant, say so first:  rosservice call /jet/parameter \"set " +
         doubts + " sure\"";
}

std::string LiveParameters::set(std::vector<std::string> words) {
  const bool sure = words.back() == "sure";
  if (sure) words.pop_back();
  std::optional<JetFile> which;
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    const auto file = file_of_key(words[i]);
    const auto value = number_in(words[i + 1]);
    if (!file) return words[i] + ": no such key; " + kUsage;
    if (!value) return words[i] + ": expected a number, got " + words[i + 1];
    if (which && which != file) return "keys of one file at a time: all of it or nothing";
    which = file;
    values.emplace_back(words[i], *value);
  }
  if (!which || words.size() % 2 == 0) return kUsage;
  const vehicle::JetChange change = files_.set(*which, values);
  if (change.applied && !change.message.empty() && !sure) {
    files_.undo();
    return change.message + "\nwith the word sure behind it, it is done all the same";
  }
  return adopt(change);
}

std::string LiveParameters::get(const std::vector<std::string>& words, std::string& told) const {
  if (words.size() < 2) return kUsage;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto file = file_of_key(words[i]);
    const auto value = file ? files_.value(*file, words[i]) : std::nullopt;
    if (!value) return words[i] + ": no such key; " + kUsage;
    std::ostringstream text;
    text << words[i] << ": " << *value;
    told += (told.empty() ? "" : ", ") + text.str();
  }
  return "";
}

std::string LiveParameters::save(const std::vector<std::string>& words, std::string& told) const {
  if (words.size() != 2) return kUsage;
  for (std::size_t i = 0; i < vehicle::kJetFiles; ++i) {
    const auto which = static_cast<JetFile>(i);
    const std::string name(JetFiles::file_name(which));
    if (words[1] != "all" && words[1] != name && words[1] + ".yaml" != name) continue;
    const config::SaveResult result = files_.save(which);
    if (!result.saved) return (told.empty() ? "" : told + " saved; ") + result.reason;
    told += (told.empty() ? "" : ", ") + name;
  }
  if (told.empty()) return words[1] + ": no such file; " + kUsage;
  told += " saved";
  return "";
}

std::string LiveParameters::command(const std::string& line, std::string& told) {
  told.clear();
  const std::vector<std::string> words = split(line);
  const std::string word = words.empty() ? "" : words[0];
  std::string why = kUsage;
  if (word == "get") return get(words, told);
  if (word == "save") return save(words, told);
  if (word == "set") {
    why = set(words);
  } else if (word == "undo" && words.size() == 1) {
    if (!files_.undo()) return "there is no change to undo";
    why = adopt({true, ""});
  }
  if (why.empty()) told = "Taken over.";
  return why;
}

}  // namespace pintle::ros1
