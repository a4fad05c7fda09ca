# the delivery aircraft
pintle_ros1_package(jet DEPENDS std_msgs actionlib_msgs)
foreach(file IN ITEMS dropoint duration flight pid timeout)
  pintle_ros1_keep(${CMAKE_CURRENT_SOURCE_DIR}/packages/jet/config/${file}.yaml
    ${PINTLE_ROS1_ROOT}/share/jet/config/${file}.yaml)
endforeach()
