# the simulated world as a node
pintle_ros1_package(pintle_world)
pintle_ros1_core(pintle_ros1_world SOURCES world/simulation.cpp LINK pintle::craft pintle::world)
if(TARGET pintle_mujoco)
  target_link_libraries(pintle_ros1_world PRIVATE pintle_mujoco)
  target_compile_definitions(pintle_ros1_world PRIVATE PINTLE_HAS_MUJOCO)
endif()
pintle_ros1_node(world PACKAGE pintle_world SOURCES world/node.cpp LINK pintle_ros1_world)
