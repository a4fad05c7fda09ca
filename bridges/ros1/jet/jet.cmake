# the delivery aircraft
pintle_ros1_package(jet DEPENDS std_msgs actionlib_msgs)
foreach(file IN ITEMS dropoint duration flight pid timeout)
  pintle_ros1_keep(${CMAKE_CURRENT_SOURCE_DIR}/packages/jet/config/${file}.yaml
    ${PINTLE_ROS1_ROOT}/share/jet/config/${file}.yaml)
endforeach()
# the defaults of ~vehicle and ~world
foreach(folder IN ITEMS vehicles vision worlds)
  pintle_ros1_link(share/jet/${folder} ${folder})
endforeach()

pintle_ros1_core(pintle_ros1_jet_edge LINK pintle::craft pintle::device
  SOURCES jet/edge.cpp jet/flight_link.cpp jet/flight_parts.cpp jet/gripper_link.cpp)
pintle_ros1_core(pintle_ros1_jet_site LINK pintle::simulation pintle::device pintle_ros1_jet_edge
  SOURCES jet/site.cpp)
if(TARGET pintle_mujoco)
  target_link_libraries(pintle_ros1_jet_site PRIVATE pintle_mujoco)
  target_compile_definitions(pintle_ros1_jet_site PRIVATE PINTLE_HAS_MUJOCO)
endif()
if(TARGET pintle_vision)
  target_link_libraries(pintle_ros1_jet_site PRIVATE pintle_sight)
  target_compile_definitions(pintle_ros1_jet_site PRIVATE PINTLE_HAS_VISION)
endif()
pintle_ros1_node(jet_world PACKAGE jet LINK pintle_ros1_jet_site SOURCES jet/site_node.cpp)
pintle_ros1_core(pintle_ros1_jet LINK pintle::console pintle::device pintle_ros1_jet_edge
  SOURCES jet/aircraft.cpp jet/live_parameters.cpp jet/parameters.cpp)
pintle_ros1_node(jet PACKAGE jet LINK pintle_ros1_jet ros1_jet
  SOURCES jet/main.cpp jet/node.cpp jet/options.cpp common/parameter_text.cpp jet/flight_adapter.cpp
    jet/navigation_server.cpp jet/tf_tree.cpp)
# flight/stood.h: plain enough for C++17
target_include_directories(ros1_node_jet PRIVATE ${PROJECT_BINARY_DIR}/rooms/flight)

if(PINTLE_BUILD_TESTS)
  pintle_test(test_ros1_jet LINK pintle_ros1_jet pintle_ros1_jet_edge pintle::flight pintle::device
    SOURCES jet/aircraft_test.cpp jet/edge_test.cpp jet/flight_link_test.cpp jet/flight_parts_test.cpp
    jet/gripper_link_test.cpp common/stream_watch_test.cpp
    jet/live_parameters_test.cpp jet/tick_clock_test.cpp)
endif()
