#include "pintle/stack/recorder.h"

#include "pintle/stack/build_info.h"

namespace pintle {

template <>
const Table& table_of<stack::ParameterChange>() {
  using stack::ParameterChange;
  static const Table table =
      TableBuilder<ParameterChange>("ParameterChange", "A live parameter was set.")
          .field("generation", &ParameterChange::generation, "", "From this generation on.")
          .field("path", &ParameterChange::path, "", "Of the parameter in the vehicle file.")
          .field("value", &ParameterChange::value, "", "Its new value.")
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {

std::string build_description() {
  return std::string("pintle ") + kVersion + " " + kCommit + " " + kCompiler + " " + kBuildType;
}

Recorder::Recorder(const std::filesystem::path& file, const MissionFile& mission,
                   std::uint64_t seed, const Options& options)
    : writer_(file, options.mcap),
      inputs_(writer_.add_channel("/inputs", table_of<Inputs>())),
      outputs_(writer_.add_channel("/outputs", table_of<Outputs>())),
      truth_(writer_.add_channel("/truth", table_of<world::Truth>())),
      parameters_(writer_.add_channel("/parameters", table_of<ParameterChange>())),
      truth_every_(options.truth_every == 0 ? 1 : options.truth_every) {
  const std::vector<std::pair<std::string, std::string>> entries{
      {"build", build_description()},
      {"mission", mission.name},
      {"mission_file", mission.files.empty() ? "" : mission.files.front().first},
      {"vehicle", mission.vehicle.vehicle.name},
      {"seed", std::to_string(seed)}};
  writer_.metadata("pintle", entries);
  for (const auto& [name, text] : mission.files)
    writer_.attach(name, "application/yaml", text, Time{});
}

void Recorder::tick(const Inputs& inputs, const Outputs& outputs) {
  writer_.write(inputs_, inputs, outputs.now);
  writer_.write(outputs_, outputs, outputs.now);
}

void Recorder::truth(const world::Truth& truth) {
  if (truths_++ % truth_every_ == 0) writer_.write(truth_, truth, truth.time);
}

void Recorder::parameter(const ParameterChange& change, Time time) {
  writer_.write(parameters_, change, time);
}

void Recorder::finish(std::string_view verdict) {
  const std::vector<std::pair<std::string, std::string>> entries{{"verdict", std::string(verdict)}};
  writer_.metadata("verdict", entries);
  writer_.close();
}

}  // namespace pintle::stack
