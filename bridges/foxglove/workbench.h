/// What a person does to a craft at its page beside commanding it: step tests, one propulsor alone,
/// and changes of the files, which are shown as a diff before they are written.
///
///   call: JSON -> a trial for the tick, or an answer -> answers
///
/// No sockets and no clock; of the server's thread. Writing needs the diff that was shown: what has
/// changed since is shown again instead.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pintle/craft/file_change.h"
#include "pintle/flight/trial.h"
#include "pintle/foxglove/live.h"

namespace pintle::foxglove {

/// In the order of their numbers.
enum class Bench : std::uint8_t { kStep, kPush, kStop, kDirections, kSave };
[[nodiscard]] std::vector<Service> workbench_services();

class Workbench {
 public:
  struct Answer {
    ServiceCall call;
    std::string json;
  };
  explicit Workbench(LiveFiles files) : files_(std::move(files)) {}
  /// As the vehicle file has it: what differs later is to be saved.
  void begin(const craft::VehicleFile& first) { first_ = craft::live_parameters(first); }

  /// A trial that the tick is to begin, or none: it is answered.
  std::optional<flight::TrialRequest> call(std::size_t service, const ServiceCall& call,
                                           std::string_view request,
                                           const craft::Generation& generation);
  void take(const control::StepSample& sample);
  void take(const flight::TrialOutcome& outcome, const craft::Generation& generation);
  /// Nothing ticks any more: what waits is answered.
  void end();
  /// Since the last time.
  [[nodiscard]] std::vector<Answer> answers() { return std::exchange(answers_, {}); }

 private:
  std::string offer(const std::vector<craft::FileChange>& changes, const std::string& shown,
                    std::string what);

  LiveFiles files_;
  std::vector<craft::LiveParameter> first_;
  std::vector<Answer> answers_;
  struct Waiting {
    ServiceCall call;
    flight::TrialRequest request;
  };
  std::vector<Waiting> waiting_;
  std::vector<control::StepSample> samples_;
  std::uint64_t next_ = 0;
};

}  // namespace pintle::foxglove
