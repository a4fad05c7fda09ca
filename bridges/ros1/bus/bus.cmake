# the module that `pintle run --on ros1` loads
add_library(pintle_ros1_bus MODULE bus/bus.cpp common/alarm_server.cpp common/ask_master.cpp common/health.cpp common/master_watch.cpp)
pintle_build_fast(pintle_ros1_bus)
pintle_build_together(pintle_ros1_bus)
set_target_properties(pintle_ros1_bus PROPERTIES CXX_STANDARD 17 PREFIX ""
  LIBRARY_OUTPUT_DIRECTORY ${PINTLE_ROS1_ROOT}/lib)
install(TARGETS pintle_ros1_bus LIBRARY DESTINATION ${PINTLE_ROS1_INSTALL}/lib)
target_include_directories(pintle_ros1_bus PRIVATE ${PINTLE_ROS1_DIR} ${PROJECT_BINARY_DIR}/rooms/ros1_site)
target_link_libraries(pintle_ros1_bus PRIVATE PkgConfig::ROS1 ros1_pintle_msgs ros1_custom_msgs ros1_ros_alarms pintle_flags)
