/// The delivery mission of the `jet` package, made from its parameter files: fifteen states with
/// their numbers, and an abort ladder behind them.
///
///   x east, y north of the world   <-   y, x of dropoint.yaml (north, east)
///   dwell of state i               <-   duration[i] ticks of 20 ms, after success
///   heights                        <-   flight.yaml; the drop's and the landing's are above what
///                                       is seen
///   loops                          <-   pid.yaml, per tick: control/deadband_pid.h
///   odometry, targets              <-   timeout.yaml
///
/// Differences from the original, each deliberate: a state succeeds on evidence, is bounded in time
/// and has a way out; what is flown to is held in dwell and pause; takeoff_height is used; a target
/// counts as fresh for five of the original's timeouts, because where it was is remembered in the
/// world.
#pragma once
#include "pintle/craft/load.h"
#include "pintle/mission/mission.h"
#include "pintle/vehicle/jet_files.h"

namespace pintle::craft {

struct JetMissionOptions {
  double tolerance_m = 0.06;   ///< Distance that counts as there.
  double settle_s = 0.5;       ///< For this long.
  double search_to_m = 2.5;    ///< Height that a search climbs to.
  Vec3 gripper_m{0, 0, -0.2};  ///< Where the payload hangs: forward, left, up.
  /// What the craft is not to leave, whatever the files say: a goal beyond is refused with them.
  double fence_radius_m = 15, ceiling_m = 8;
  bool gripper_answers = true;  ///< Off: the original's enable_serial false.
  mission::FrameProof frame_proof = mission::FrameProof::kCarry;
};

/// What a craft with the original's loops can keep: the corner of three dead bands.
[[nodiscard]] JetMissionOptions options_for(const vehicle::JetParameters& jet,
                                            JetMissionOptions options = {});

[[nodiscard]] mission::MissionSpec jet_mission(const vehicle::JetParameters& jet,
                                               const JetMissionOptions& options = {});

/// Law, the original's loops (per tick; they alone bound the speeds), rate and the time that odometry is good for.
void put_jet(const vehicle::JetParameters& jet, VehicleFile& vehicle);

}  // namespace pintle::craft
