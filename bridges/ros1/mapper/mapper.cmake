# SubjuGator's thruster mapper and thruster driver
pintle_ros1_core(ros1_mapper_core SOURCES ${PINTLE_ROS1_DIR}/mapper/layout.cpp ${PINTLE_ROS1_DIR}/mapper/mapper.cpp
  ${PINTLE_ROS1_DIR}/mapper/driver.cpp ${PINTLE_ROS1_DIR}/mapper/bus_voltage.cpp ${PINTLE_ROS1_DIR}/mapper/simulated_port.cpp
  LINK pintle_allocation pintle_vehicle fmt::fmt)
if(PINTLE_BUILD_TESTS)
  pintle_test(test_ros1_mapper SOURCES ${PINTLE_ROS1_DIR}/mapper/mapper_test.cpp
    ${PINTLE_ROS1_DIR}/mapper/driver_test.cpp ${PINTLE_ROS1_DIR}/mapper/bus_voltage_test.cpp LINK ros1_mapper_core)
endif()
