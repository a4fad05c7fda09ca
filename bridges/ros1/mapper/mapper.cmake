# SubjuGator's thruster mapper and thruster driver
pintle_ros1_package(sub8_thruster_mapper)
pintle_ros1_package(sub8_videoray_m5_thruster)
foreach(layout IN ITEMS thruster_layout busses)
  pintle_ros1_link(share/sub8_thruster_mapper/config/${layout}.yaml vehicles/original/subjugator/${layout}.yaml)
endforeach()

pintle_ros1_core(ros1_mapper_core
  SOURCES mapper/layout.cpp mapper/mapper.cpp mapper/driver.cpp mapper/serial_ports.cpp mapper/simulated_port.cpp
  LINK pintle_flight pintle_device fmt::fmt)
add_library(ros1_mapper_convert OBJECT mapper/convert.cpp)
pintle_ros1_shell(ros1_mapper_convert)
target_link_libraries(ros1_mapper_convert PRIVATE pintle_ros1 pintle_flags)
pintle_ros1_node(thruster_mapper PACKAGE sub8_thruster_mapper
  SOURCES mapper/mapper_node.cpp mapper/layout_param.cpp mapper/bounds_from_driver.cpp $<TARGET_OBJECTS:ros1_mapper_convert>
  LINK ros1_mapper_core)
pintle_ros1_node(thruster_driver PACKAGE sub8_videoray_m5_thruster
  SOURCES mapper/driver_node.cpp mapper/layout_param.cpp mapper/alarms_at_start.cpp $<TARGET_OBJECTS:ros1_mapper_convert>
  LINK ros1_mapper_core)

if(PINTLE_BUILD_TESTS)
  pintle_test(test_ros1_mapper LINK ros1_mapper_core pintle_flight
    SOURCES mapper/mapper_test.cpp mapper/mapper_tick_test.cpp mapper/driver_test.cpp mapper/kill_state_test.cpp mapper/backlog_test.cpp)
  # ROS's headers: C++17
  add_executable(test_ros1_mapper_convert mapper/convert_test.cpp $<TARGET_OBJECTS:ros1_mapper_convert>)
  pintle_ros1_shell(test_ros1_mapper_convert)
  target_link_libraries(test_ros1_mapper_convert PRIVATE pintle_ros1 ros1_mapper_core pintle_flags GTest::gtest_main)
  add_test(NAME test_ros1_mapper_convert COMMAND test_ros1_mapper_convert --gtest_brief=1)
endif()
