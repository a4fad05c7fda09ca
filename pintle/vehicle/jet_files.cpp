#include "pintle/vehicle/jet_files.h"

#include <utility>

namespace pintle::vehicle {
namespace {

using config::ConfigError;
using config::Document;
using config::Problem;
using config::Reader;

constexpr std::array<std::string_view, kJetFiles> kNames{"dropoint.yaml", "duration.yaml",
                                                         "flight.yaml", "pid.yaml", "timeout.yaml"};
constexpr std::array kAll{JetFile::kDropoint, JetFile::kDuration, JetFile::kFlight, JetFile::kPid,
                          JetFile::kTimeout};

std::size_t index_of(JetFile which) { return static_cast<std::size_t>(which); }

void judge_gains(const JetGains& gains, const std::string& path, Findings& out) {
  for (const auto& [key, value] :
       {std::pair{".kp", gains.kp}, std::pair{".ki", gains.ki}, std::pair{".kd", gains.kd}})
    if (value < 0)
      out.push_back(
          {path + key, "a gain below 0 flies away from the goal", "write 0 or more", true});
  if (gains.kp == 0)
    out.push_back({path + ".kp", "a gain of 0: this axis does not go to its goal",
                   "write a gain above 0", false});
  for (const auto& [key, value] : {std::pair{".Emax", gains.Emax}, std::pair{".Pmax", gains.Pmax},
                                   std::pair{".Omax", gains.Omax}})
    if (value == 0)
      out.push_back({path + key, "a limit of 0 clamps to 0: this axis never moves",
                     "write a limit above 0", false});
  if (gains.db == 0)
    out.push_back({path + ".db", "a dead band of 0 is never entered: the goal is never reached",
                   "write a tolerance above 0", false});
}

Findings check_loops(const JetLoops& loops) {
  Findings out;
  judge_gains(loops.xy, "pid.xy", out);
  judge_gains(loops.z, "pid.z", out);
  judge_gains(loops.yaw, "pid.yaw", out);
  return out;
}

using Numbers = std::vector<std::pair<std::string, double>>;

void collect(const Table& table, const void* object, const std::string& before, Numbers& out) {
  for (const Field& f : table.fields)
    for (std::size_t i = 0; i < f.size(object); ++i) {
      std::string path = before + std::string(f.name);
      if (f.shape != pintle::Shape::kSingle) path += "[" + std::to_string(i) + "]";
      if (f.kind == Kind::kStruct)
        collect(*f.table, f.element(object, i), path + ".", out);
      else
        out.emplace_back(std::move(path), number_of(f, f.element(object, i)));
    }
}

/// Every number of one file under its path there.
Numbers numbers_of(JetFile which, const JetParameters& p) {
  Numbers out;
  switch (which) {
    case JetFile::kDropoint: collect(table_of<JetDropoint>(), &p.dropoint, "", out); break;
    case JetFile::kDuration: collect(table_of<JetDuration>(), &p.duration, "", out); break;
    case JetFile::kFlight: collect(table_of<JetFlight>(), &p.flight, "", out); break;
    case JetFile::kPid: collect(table_of<JetPid>(), &p.pid, "", out); break;
    case JetFile::kTimeout: collect(table_of<JetTimeout>(), &p.timeout, "", out); break;
  }
  return out;
}

}  // namespace

void read_jet_file(Reader& reader, const Document& document, JetFile which, JetParameters& out) {
  switch (which) {
    case JetFile::kDropoint: return reader.read(document.root(), out.dropoint);
    case JetFile::kDuration: return reader.read(document.root(), out.duration);
    case JetFile::kFlight: return reader.read(document.root(), out.flight);
    case JetFile::kPid:
      reader.read(document.root(), out.pid);
      return reader.add(check_loops(out.pid.pid), document.root());
    case JetFile::kTimeout: return reader.read(document.root(), out.timeout);
  }
}

std::string_view JetFiles::file_name(JetFile which) { return kNames[index_of(which)]; }

JetFiles JetFiles::load(const std::filesystem::path& folder) {
  JetFiles files;
  files.folder_ = folder;
  auto parameters = std::make_shared<JetParameters>();
  std::vector<Problem> problems;
  for (const JetFile which : kAll) {
    try {
      auto document = std::make_shared<const Document>(Document::load(folder / file_name(which)));
      Reader reader(*document);
      read_jet_file(reader, *document, which, *parameters);
      reader.finish();
      files.now_.documents[index_of(which)] = std::move(document);
    } catch (const ConfigError& e) {
      problems.insert(problems.end(), e.problems().begin(), e.problems().end());
    }
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
  files.now_.parameters = std::move(parameters);
  return files;
}

const std::string& JetFiles::text(JetFile which) const {
  return now_.documents[index_of(which)]->text();
}

std::optional<double> JetFiles::value(JetFile which, std::string_view path) const {
  for (const auto& [name, number] : numbers_of(which, *now_.parameters))
    if (name == path) return number;
  return std::nullopt;
}

JetChange JetFiles::exchange(JetFile which, Document document) {
  auto kept = std::make_shared<const Document>(std::move(document));
  auto parameters = std::make_shared<JetParameters>(*now_.parameters);
  Reader reader(*kept);
  read_jet_file(reader, *kept, which, *parameters);
  // what was accepted with a warning is told to whoever changed it
  const std::vector<Problem> warnings = reader.finish();

  if (before_.size() == kMostHistory) before_.erase(before_.begin());
  before_.push_back(now_);
  now_.documents[index_of(which)] = std::move(kept);
  now_.parameters = std::move(parameters);
  ++generation_;
  return {true, warnings.empty() ? std::string() : config::to_string(warnings)};
}

JetChange JetFiles::reload(JetFile which) {
  try {
    return exchange(which, Document::load(folder_ / file_name(which)));
  } catch (const ConfigError& e) {
    return {false, e.what()};
  }
}

JetChange JetFiles::reload_text(JetFile which, std::string text, std::string name) {
  try {
    JetChange change = exchange(which, Document::parse(std::move(text), std::move(name)));
    // what is saved later is the file with its comments, and the numbers of this text
    const Set& before = before_.back();
    const Numbers old = numbers_of(which, *before.parameters);
    const Numbers fresh = numbers_of(which, *now_.parameters);
    Document document = *before.documents[index_of(which)];
    for (std::size_t i = 0; i < fresh.size(); ++i)
      if (fresh[i].second != old[i].second)
        document = document.with(fresh[i].first, fresh[i].second);
    now_.documents[index_of(which)] = std::make_shared<const Document>(std::move(document));
    return change;
  } catch (const ConfigError& e) {
    return {false, e.what()};
  }
}

JetChange JetFiles::set(JetFile which, const std::vector<std::pair<std::string, double>>& values) {
  try {
    Document document = *now_.documents[index_of(which)];
    for (const auto& [path, value] : values) document = document.with(path, value);
    return exchange(which, std::move(document));
  } catch (const ConfigError& e) {
    return {false, e.what()};
  }
}

bool JetFiles::undo() {
  if (before_.empty()) return false;
  now_ = std::move(before_.back());
  before_.pop_back();
  ++generation_;
  return true;
}

config::SaveResult JetFiles::save(JetFile which, const config::SaveOptions& options) const {
  return config::save_atomically(folder_ / file_name(which), text(which), options);
}

}  // namespace pintle::vehicle
