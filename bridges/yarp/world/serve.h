/// Jets or a world as a service: the ports of the Gazebo plugin `jets-plugin`, and what it lacked.
///
///   input     one number a channel, in the unit of its model (N/s, percent, N): the newest message
///             counts in each physics step, and is held until another comes
///   thrust, d_thrust
///             of each physics step, after it, with its number and the simulated time
///   state:o   pose and twist as its odometry says them:
///             x y z qx qy qz qw vx vy vz wx wy wz
///   status:o  ten times a second: phase, time, age of the input, counts
///   rpc:i     restart, status, help; [fail] for everything else
///
/// Silent for longer than `input_timeout_s`, the jets are run down (plant.h) until a message comes,
/// and both are said. A restart zeroes input, thrust and thrust rate. In lockstep time goes on by
/// one step with each message, else with the wall clock; what the machine is too slow for is
/// dropped and said.
#pragma once
#include <atomic>

#include "pintle/yarp/network.h"
#include "pintle/yarp_world/plant.h"

namespace pintle::yarp_world {

struct ServeNames {
  std::string input, thrust, d_thrust;  ///< d_thrust may be empty: there is no such port.
  std::string state;                    ///< Empty: none.
  std::string status, rpc;
  std::string imu = {};  ///< Empty: none.
};

struct ServeOptions {
  yarp::NetworkOptions network;
  ServeNames names;
  double input_timeout_s = 1;  ///< 0: never.
  bool lockstep = false;
  const std::atomic<bool>* stop = nullptr;
  std::string what;                             ///< Said first, once the ports are open.
  std::function<void(const std::string&)> say;  ///< Of the thread that serves.
};

/// Until `stop`. @throws std::runtime_error for what keeps it from starting.
void serve(Plant& plant, const ServeOptions& options);

}  // namespace pintle::yarp_world
