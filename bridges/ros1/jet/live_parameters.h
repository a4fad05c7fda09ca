/// The five parameter files while the node runs: changed by file, by text or by value, taken back,
/// saved. A change is read, checked and made into a model as a whole, in the thread that asks for
/// it; the tick takes the model over between two ticks. What cannot be flown changes nothing.
///
///   set KEY VALUE [KEY VALUE …]     keys as in the files: pid.xy.kp, duration[3], normal_altitude
///   set … sure                      also what the files are warned about: a dead axis, say
///   get KEY [KEY …]
///   undo                            the last change, however it came about
///   save FILE | save all            with every comment; the last generations are kept beside it
///
/// A reload that brings a value that its file is warned about is refused until `set … sure` has put
/// that value in effect.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "jet/aircraft.h"
#include "jet/parameters.h"

namespace pintle::ros1 {

class LiveParameters {
 public:
  /// @throws std::exception with everything that is wrong in any of the files.
  LiveParameters(const std::string& vehicle_file, const std::string& config_dir,
                 const DeliveryOptions& options);

  // one thread at a time; "" or why nothing has changed
  /// Before the first tick. `warning`: of what was taken all the same.
  [[nodiscard]] std::string start_with(JetPart part, const std::string& text, std::string& warning);
  [[nodiscard]] std::string reload(JetPart part, const std::string* text);
  /// A line as above. `told`: what is to be said of it when it is done.
  [[nodiscard]] std::string command(const std::string& line, std::string& told);

  // the thread of the ticks
  /// The newest, once; null when there is none.
  [[nodiscard]] std::shared_ptr<const craft::Generation> take();

 private:
  [[nodiscard]] std::string set(std::vector<std::string> words);
  [[nodiscard]] std::string get(const std::vector<std::string>& words, std::string& told) const;
  [[nodiscard]] std::string save(const std::vector<std::string>& words, std::string& told) const;
  [[nodiscard]] std::string adopt(const vehicle::JetChange& change);

  craft::VehicleFile vehicle_;
  vehicle::JetFiles files_;
  DeliveryOptions options_;
  std::uint32_t generation_ = 1;

  std::mutex handover_;
  std::shared_ptr<const craft::Generation> next_;
};

}  // namespace pintle::ros1
