# the controls node
pintle_ros1_package(controls)
foreach(robot IN ITEMS oogway cthulhu)
  set(original ${PROJECT_SOURCE_DIR}/vehicles/original/duke)
  pintle_ros1_keep(${original}/config/${robot}.yaml ${PINTLE_ROS1_ROOT}/share/controls/config/${robot}.yaml)
  foreach(matrix IN ITEMS wrench_matrix wrench_matrix_pinv)
    pintle_ros1_keep(${original}/data/${robot}_${matrix}.csv ${PINTLE_ROS1_ROOT}/share/controls/data/${robot}_${matrix}.csv)
  endforeach()
endforeach()

pintle_ros1_core(pintle_ros1_controls SOURCES controls/controller.cpp LINK pintle::flight)
pintle_ros1_node(controls PACKAGE controls
  SOURCES controls/node.cpp controls/main.cpp controls/options.cpp controls/services.cpp controls/topics.cpp controls/convert.cpp controls/transform.cpp
  LINK pintle_ros1_controls)

if(PINTLE_BUILD_TESTS)
  pintle_test(test_ros1_controls LINK pintle_ros1_controls pintle_ros1_world pintle::flight
    SOURCES controls/controller_test.cpp controls/arrivals_test.cpp)
  # ROS's headers: C++17
  add_executable(test_ros1_controls_convert controls/convert_test.cpp controls/convert.cpp controls/transform_test.cpp controls/transform.cpp common/ask_master_test.cpp)
  pintle_ros1_shell(test_ros1_controls_convert)
  target_link_libraries(test_ros1_controls_convert PRIVATE pintle_ros1 pintle_flags GTest::gtest_main)
  add_test(NAME test_ros1_controls_convert COMMAND test_ros1_controls_convert --gtest_brief=1)
endif()
