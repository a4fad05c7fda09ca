#include "pintle/flight/recorder.h"

#include <fmt/format.h>

#include "pintle/flight/build_info.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::flight {

std::string build_description() {
  return fmt::format("pintle {} {} {} {}", kVersion, kCommit, kCompiler, kBuildType);
}

LogTitle title_of(const MissionFile& mission, std::uint64_t seed) {
  return {mission.name, mission.files.empty() ? "" : mission.files.front().first,
          mission.vehicle.vehicle.name, seed, mission.files};
}

Recorder::Recorder(const std::filesystem::path& file, const LogTitle& title,
                   const RecorderOptions& options)
    : writer_(file, options.mcap),
      configuration_(add_channel<Configuration>("/configuration")),
      inputs_(add_channel<Inputs>("/inputs")),
      outputs_(add_channel<Outputs>("/outputs")) {
  const std::vector<std::pair<std::string, std::string>> entries{
      {"build", build_description()},
      {"mission", title.mission},
      {"mission_file", title.mission_file},
      {"vehicle", title.vehicle},
      {"seed", std::to_string(title.seed)}};
  writer_.metadata("pintle", entries);
  if (options.picture_rate_Hz > 0) picture_.emplace(writer_, options.picture_rate_Hz);
  for (const auto& [name, text] : title.files)
    writer_.attach(name, "application/yaml", text, Time{});
}

bool Recorder::generation(const Generation& generation, Time time) {
  if (picture_) picture_->model(generation.model, time);
  if (writer_.write(configuration_, generation.configuration, time)) return true;
  writer_.lose(inputs_);
  ++missing_;
  return false;
}

void Recorder::tick(const Inputs& inputs, const Outputs& outputs) {
  if (writer_.write(inputs_, inputs, outputs.now))
    writer_.write_beside(outputs_, outputs, outputs.now);
  else
    ++missing_;
  if (picture_) picture_->take(outputs);
}

std::string Recorder::trouble() const {
  if (writer_.failed()) return "the log could not be written to its end (disk full?)";
  if (missing_ == 0) return {};
  return "the log lacks ticks: the disk could not follow";
}

void Recorder::refused_changes(const std::vector<RefusedChange>& changes) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const RefusedChange& c : changes)
    entries.emplace_back(telemetry::number_text(c.at_s), c.reason);
  if (!entries.empty()) writer_.metadata("refused", entries);
}

void Recorder::finish(std::string_view verdict) {
  std::vector<std::pair<std::string, std::string>> entries{{"verdict", std::string(verdict)}};
  if (missing_ > 0) entries.emplace_back("ticks_missing", std::to_string(missing_));
  writer_.metadata("verdict", entries);
  writer_.close();
}

}  // namespace pintle::flight
