/// A flight as others see it while it happens: Foxglove, PlotJuggler, the live page; and what they
/// may ask of it.
///
///   tick -> take: a copy, 30 times a second -> server's thread -> channels, parameters -> clients
///   clients -> services, parameters, setpoints -> put -> tick
///
/// Who ticks neither waits, nor locks, nor allocates, whatever the clients do.
///
/// Channels are those of the log, and `/view`: what a page shows, as JSON. Services: each word of
/// operator_request.h as `/pintle/WORD`, and `/pintle/command`; trials of a stack that flies no mission
/// (flight/trial.h): `/pintle/step_test`, `/pintle/push_test`, `/pintle/stop_test`; what is written into
/// files, shown first: `/pintle/directions`, `/pintle/save`. Parameters: the numbers of the
/// vehicle file (craft/live.h). Topics taken from clients: `/setpoint/pose` (geometry_msgs
/// PoseStamped, in the world) and `/setpoint/twist` (TwistStamped, in the body), by a stack that
/// flies no mission. Assets: `pintle:parameters.json`, `pintle:vehicle.json`.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "pintle/flight/tuning.h"
#include "pintle/foxglove/web_server.h"

namespace pintle::foxglove {

/// Where changes are written on consent; empty: nowhere.
struct LiveFiles {
  std::filesystem::path mission, vehicle;
};

class Live {
 public:
  /// Listens from now on; serves from `begin` on.
  /// @throws std::runtime_error when the port cannot be had.
  explicit Live(WebOptions web, LiveFiles files = {});
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;

  // of the thread that ticks
  /// Before the first tick.
  void begin(flight::Tuning& tuning);
  /// Before each tick, after everybody else's commands.
  void put(const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) noexcept;
  /// After it.
  void take(const stack::Model& model, const stack::Inputs& in, const stack::Outputs& out) noexcept;
  /// After the last: says so, and serves no more.
  void end();

  /// How often it has looked around while no request was under way: its own clock, of 5 ms while
  /// somebody is there.
  [[nodiscard]] std::uint64_t looks() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Shows a log as if it happened now. Returns when it has ended, or `stop` is set.
struct PlayOptions {
  double speed = 1;  ///< Times real time.
  bool loop = false;
  const std::atomic<bool>* stop = nullptr;
};
/// @throws std::runtime_error when the log cannot be read or the port not be had.
void play(const std::filesystem::path& log, WebOptions web, const PlayOptions& options,
          const std::function<void(std::uint16_t port)>& listening);

}  // namespace pintle::foxglove
