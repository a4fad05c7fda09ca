# the simulated world as a node
pintle_ros1_package(pintle_world)
pintle_ros1_core(pintle_ros1_world SOURCES world/simulation.cpp LINK pintle::craft pintle::world)
pintle_ros1_node(world PACKAGE pintle_world SOURCES world/node.cpp LINK pintle_ros1_world)
